//! Machines in two layers in mini-batches: how large the batches are, and how long a trial and a fit may learn.
//!
//! Budgets are counted work, not seconds: the same passes whatever the computer and its load.

use crate::data::Dataset;
use crate::learning::{Learner, Pcd};
use crate::network::{Network, Role};

/// A pass has about this many steps, whatever the number of rows …
const STEPS_PER_PASS: usize = 350;
/// … in batches no smaller and no larger than these: on digits, batches of ten end higher in half the time of larger ones.
const BATCHES: (usize, usize) = (10, 100);

/// Products of a unit and a weight that a long run may take: two to four minutes of one core, with its looks.
const LONG_RUN: f64 = 2.0e12;
/// Passes of a long run, at least and at most.
const LONG_PASSES: (f64, f64) = (100.0, 4000.0);
/// The step of a long run falls to half in passes / this.
const LONG_DECAY: f64 = 5.0;
/// Restricted machines learn by longer first steps in fewer passes: half as many products, and the same way in all.
const RESTRICTED_RUN: f64 = 1.1e12;
const RESTRICTED_RATE: f64 = 0.1;
/// A trial may take this share of a long run, and passes within these bounds.
const TRIAL_SHARE: f64 = 0.04;
const TRIAL_PASSES: (f64, f64) = (20.0, 60.0);
/// Few steps have to be long ones, and to fall quickly.
const TRIAL_RATE: f64 = 0.1;
const TRIAL_DECAY: f64 = 3.0;

/// Persistent contrastive divergence as it learns machines in two layers best.
pub(super) fn in_batches(data: &Dataset) -> Pcd {
    let rows = data.informative_rows().len();
    Pcd {
        batch: Some((rows / STEPS_PER_PASS).clamp(BATCHES.0, BATCHES.1)),
        ..Pcd::default()
    }
}

/// True of machines in two layers with rows that mini-batches can take.
pub(super) fn suits_batches(structure: &Network, data: &Dataset) -> bool {
    let learner = Learner::Pcd(in_batches(data));
    learner.check_data(structure, data).is_ok()
}

/// How a machine is learned where it was chosen from several, and its passes.
pub(super) fn long_run(structure: &Network, data: &Dataset) -> (Pcd, usize) {
    let (products, cd_rate) = match has_coupled(structure) {
        true => (LONG_RUN, None),
        false => (RESTRICTED_RUN, Some(RESTRICTED_RATE)),
    };
    let passes = passes_for(structure, data, products, LONG_PASSES);
    let learner = Pcd {
        cd_rate,
        cd_decay: Some(passes / LONG_DECAY),
        ..in_batches(data)
    };
    (learner, passes as usize)
}

/// How it is learned to be compared with others, and its passes.
pub(super) fn trial(structure: &Network, data: &Dataset) -> (Pcd, usize) {
    let passes = passes_for(structure, data, LONG_RUN * TRIAL_SHARE, TRIAL_PASSES);
    let learner = Pcd {
        cd_rate: Some(TRIAL_RATE),
        cd_decay: Some(passes / TRIAL_DECAY),
        ..in_batches(data)
    };
    (learner, passes as usize)
}

fn passes_for(
    structure: &Network,
    data: &Dataset,
    products: f64,
    (least, most): (f64, f64),
) -> f64 {
    let passes = products / products_per_pass(structure, data);
    passes.clamp(least, most).floor()
}

/// Every row's posteriors once, and per batch a sweep of every chain, which sums both layers; visible units that are
/// coupled sum one another, and are drawn in turn.
fn products_per_pass(structure: &Network, data: &Dataset) -> f64 {
    let rows = data.informative_rows().len() as f64;
    let Pcd { batch, chains, .. } = in_batches(data);
    let steps = rows / batch.unwrap_or(1) as f64;
    let (visible, hidden) = (structure.visible().len(), structure.hidden().len());
    let coupled = match has_coupled(structure) {
        true => 2 * visible,
        false => 0,
    };
    (rows + 2.0 * steps * chains as f64) * (visible * (hidden + coupled + 1)) as f64
}

/// True where visible units have terms in common.
fn has_coupled(structure: &Network) -> bool {
    let is_visible = |unit: &usize| structure.units()[*unit].role == Role::Visible;
    let mut terms = structure.terms().iter();
    terms.any(|term| term.order() > 1 && term.units().iter().all(is_visible))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Shape, TermOptions};

    #[test]
    fn restricted_machines_learn_by_longer_steps_in_fewer_passes() {
        let rows: Vec<[i8; 30]> = (0..400)
            .map(|row| std::array::from_fn(|column| i8::from((row * 7 + column * 3) % 5 == 0)))
            .collect();
        let data = Dataset::from_rows(&rows).unwrap();
        let machine = |shape: Shape| {
            let options = TermOptions {
                shape,
                ..TermOptions::default()
            };
            Network::on_columns(data.columns(), 5000, &options).unwrap()
        };
        let (restricted, coupled) = (machine(Shape::Rbm), machine(Shape::SemiRestricted));
        let ((one, passes), (other, more)) =
            (long_run(&restricted, &data), long_run(&coupled, &data));
        assert_eq!((one.cd_rate, other.cd_rate), (Some(0.1), None));
        for (learner, passes) in [(one, passes), (other, more)] {
            assert_eq!(learner.cd_decay, Some(passes as f64 / 5.0));
        }
        // A pass of the coupled machine is dearer by its 2 · 30 sums beside 5,000 hidden units and a bias.
        let ratio = more as f64 / passes as f64;
        let wanted = LONG_RUN / RESTRICTED_RUN * 5001.0 / 5061.0;
        assert!(
            (ratio - wanted).abs() < 0.01 * wanted,
            "{more} and {passes}"
        );
    }
}
