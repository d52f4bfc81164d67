//! Random starts: one stream of random numbers per restart, so that a restart does not depend on the others.

use super::control::{Cancel, LoopControl};
use super::course::{Course, Finish};
use super::curvature::sampled_steps_by_matrix;
use super::driver::drive;
use super::learners::{EmGis, Learner};
use super::objective::Objective;
use super::prior::centres;
use super::problem::Problem;
use super::pseudo_likelihood::{begin_at_pseudo_likelihood, has_pseudo_likelihood};
use super::restart::Restart;
use crate::error::Result;
use crate::network::{Network, Role};
use crate::random::{Purpose, stream};
use rand_distr::{Distribution, StandardNormal};

/// Independent normal weights of standard deviation min(1, √(8/M)), kept in the box.
///
/// One is the scale of the paper's eight-unit experiments; larger machines start smaller, so that the
/// fields of the units, sums over M weights, start at the same size.
pub fn random_start(problem: &Problem, seed: u64, index: u64) -> Vec<f64> {
    let mut random = stream(seed, Purpose::Start, index);
    let scale = start_scale(problem.structure());
    (0..problem.terms())
        .map(|term| {
            let normal: f64 = StandardNormal.sample(&mut random);
            problem.prior().held(term, scale * normal)
        })
        .collect()
}

/// The standard deviation of the weights of a random start.
pub(crate) fn start_scale(network: &Network) -> f64 {
    let units = network.units().len() as f64;
    (8.0 / units).sqrt().min(1.0)
}

/// The random start of a restart of this learner.
pub(crate) fn start_of(
    problem: &Problem,
    learner: &Learner,
    (seed, index): (u64, u64),
    cancel: &Cancel,
) -> Result<Vec<f64>> {
    let mut weights = random_start(problem, seed, index);
    if problem.is_sampled() && matches!(learner, Learner::QuasiNewton(_)) {
        bring_near_independence(problem, &mut weights);
        // Steps with a matrix leave saddles by themselves.
        if !sampled_steps_by_matrix(problem) {
            let restart = Restart {
                seed,
                index,
                keep_trace: false,
                control: LoopControl {
                    cancel,
                    watch: &|_| {},
                },
            };
            let_hidden_units_speak(problem, &mut weights, restart)?;
        }
        if begins_at_rows(problem) {
            begin_at_pseudo_likelihood(problem, &mut weights, (seed, index));
        }
    }
    Ok(weights)
}

/// Whether learning by samples begins at the pseudo-likelihood, and its chains at the rows. With a few hidden units it does where
/// these were made to speak: what they are drawn to be is then worth something.
pub(crate) fn begins_at_rows(problem: &Problem) -> bool {
    let hidden = problem.structure().hidden().len();
    let is_made_to_speak = || hidden <= MOST_DRAWN && !sampled_steps_by_matrix(problem);
    has_pseudo_likelihood(problem.structure()) && (hidden == 0 || is_made_to_speak())
}

/// More hidden units than this split the rows too finely for regressions: weights that begin there swing.
const MOST_DRAWN: usize = 8;
/// With more hidden units than this, sums over their states take longer than steps by samples save.
const MOST_HIDDEN: usize = 10;
/// Steps by which hidden units learn to speak, and those of EM among them.
const STEPS: usize = 80;
const STEPS_OF_EM: usize = 20;
/// A residual at or below this is near enough.
const NEAR_ENOUGH: f64 = 1e-4;
/// A ridge that does not silence a hidden unit which all columns speak for.
const WEAK_RIDGE: f64 = 1.0;

/// Learns the machine without pairs of columns and of hidden units first, by exact sums: beside all pairs a hidden unit that says
/// little is a saddle that steps by samples leave very slowly, and what hidden units say without them is a start far from it.
fn let_hidden_units_speak(
    problem: &Problem,
    weights: &mut [f64],
    restart: Restart<'_>,
) -> Result<()> {
    let network = problem.structure();
    let hidden = network.hidden();
    if hidden.is_empty() || hidden.len() > MOST_HIDDEN {
        return Ok(());
    }
    let (kept, others): (Vec<usize>, Vec<usize>) =
        (0..weights.len()).partition(|&term| match *network.terms()[term].units() {
            [_] => true,
            [a, b] => hidden.contains(&a) != hidden.contains(&b),
            _ => false,
        });
    if others.is_empty() || kept.len() == network.units().len() {
        return Ok(());
    }
    let objective = Objective {
        ridge: problem.objective().ridge.min(WEAK_RIDGE),
        ..problem.objective()
    };
    let restricted = problem.on_terms(&kept, objective)?;
    let course = Course {
        finish: Some(Finish {
            warm_up: STEPS_OF_EM,
        }),
        tolerance: NEAR_ENOUGH,
        max_iterations: STEPS,
        ..Course::new(Learner::EmGis(EmGis::default()))
    };
    let start = kept.iter().map(|&term| weights[term]).collect();
    let found = drive(&restricted, start, &course, restart)?;
    for (&term, &weight) in kept.iter().zip(&found.point.weights) {
        weights[term] = problem.prior().held(term, weight);
    }
    others.iter().for_each(|&term| weights[term] = 0.0);
    Ok(())
}

/// Means closer to 0 or 1 than this are those of a rare answer, not of an impossible one.
pub(super) const LEAST_MEAN: f64 = 1e-3;

/// Keeps what a random start says of hidden units, and sets the rest to columns that are independent given them, about as
/// often on as in the data: random pairs among many columns would make a machine that no chain gets out of.
fn bring_near_independence(problem: &Problem, weights: &mut [f64]) {
    let network = problem.structure();
    let means = centres(network, problem.rows());
    let units = network.units().iter();
    let is_hidden: Vec<bool> = units.map(|unit| unit.role == Role::Hidden).collect();
    let mut shift = vec![0.0; means.len()];
    for (term, weight) in network.terms().iter().zip(weights.iter_mut()) {
        match *term.units() {
            [a, b] if is_hidden[a] || is_hidden[b] => {
                shift[a] += *weight * means[b];
                shift[b] += *weight * means[a];
            }
            _ => *weight = 0.0,
        }
    }
    let prior = problem.prior();
    for (at, term) in network.terms().iter().enumerate() {
        if let [unit] = *term.units() {
            let mean = means[unit].clamp(LEAST_MEAN, 1.0 - LEAST_MEAN);
            weights[at] = prior.held(at, (mean / (1.0 - mean)).ln() - shift[unit]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset;
    use crate::inference::EngineId;

    #[test]
    fn hidden_units_of_a_start_by_samples_speak_and_pairs_do_not() {
        // Two kinds of rows: a hidden unit has something to say.
        let rows: Vec<Vec<i8>> = (0..60usize)
            .map(|row| {
                (0..8)
                    .map(|column| i8::from((row + column) % 9 == 0) ^ (row % 2) as i8)
                    .collect()
            })
            .collect();
        let data = Dataset::from_rows(&rows).unwrap();
        let structure = Network::full(8, 1);
        let objective = Objective::with_ridge(50.0);
        let problem = Problem::new(&structure, &data, objective, EngineId::GIBBS, false).unwrap();
        let start = |index| {
            let mut weights = random_start(&problem, 3, index);
            let restart = Restart {
                index,
                ..Restart::first(false)
            };
            let_hidden_units_speak(&problem, &mut weights, restart).unwrap();
            weights
        };
        let weights = start(0);
        let mut strength = 0.0;
        for (term, weight) in structure.terms().iter().zip(&weights) {
            match *term.units() {
                [_, 8] => strength += weight.abs(),
                [_, _] => assert_eq!(*weight, 0.0),
                _ => {}
            }
        }
        assert!(strength > 8.0, "{strength}");
        assert_eq!(weights, start(0));
        assert_ne!(weights, start(1));
    }
}
