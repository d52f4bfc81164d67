//! The bootstrap: the chosen machine refitted to resamples, and how far its numbers spread.

use super::relabelling::Relabelling;
use super::resampling::{BootstrapKind, Resampler};
use super::spread::Spread;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learning::{Learner, LearningSettings, Outcome, learn, stream};
use crate::selection::folds::known_rows;
use crate::selection::restarts::prepare;
use crate::selection::{Candidate, Observer};
use rayon::prelude::*;

/// Resample b draws from this stream of the seed and b, apart from those of the restarts.
const FIRST_STREAM: u64 = 1 << 62;

/// How to bootstrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BootstrapSettings {
    /// How many resamples, at least 2.
    pub resamples: usize,
    /// Where they come from.
    pub kind: BootstrapKind,
    /// Seed of all resamples.
    pub seed: u64,
}

impl BootstrapSettings {
    /// The settings themselves if they make sense for these rows and this learning.
    pub fn checked(self, data: &Dataset, learning: &LearningSettings) -> Result<Self> {
        if self.resamples < 2 {
            return Err(Error::invalid(format!(
                "--bootstrap must be at least 2, not {}: one refit has no spread",
                self.resamples
            )));
        }
        if learning.learner.is_stochastic() {
            return Err(Error::invalid(format!(
                "--bootstrap refits until the constraints are met, and {} only comes near; use --learner auto",
                learning.learner
            )));
        }
        let rows = known_rows(data).len();
        if rows < 2 {
            return Err(Error::invalid(format!(
                "--bootstrap draws rows anew, and needs at least 2 with a known cell; the data have {rows}: \
                 give more rows, or leave it out"
            )));
        }
        Ok(self)
    }
}

/// What the refits say.
#[derive(Clone, Debug, PartialEq)]
pub struct Bootstrap {
    /// How it was made.
    pub settings: BootstrapSettings,
    /// How many refits converged; the others are left out of the spreads.
    pub converged: usize,
    /// How many of these have a weight at the edge of the box, so that spreads depend on where that is.
    pub at_the_edge: usize,
    /// The spreads; `None` where fewer than two refits converged.
    pub spreads: Option<Spreads>,
}

/// How far the numbers spread over the refits.
#[derive(Clone, Debug, PartialEq)]
pub struct Spreads {
    /// Of each weight; `None` where the data do not determine it: refits would leave it where it was.
    pub weights: Vec<Option<Spread>>,
    /// Of the entropy; `None` where it hangs on such weights.
    pub entropy: Option<Spread>,
    /// Of the mean log-likelihood of a row of the resample that was fitted.
    pub log_likelihood: Spread,
}

/// One refit.
struct Refit {
    weights: Vec<f64>,
    entropy: f64,
    log_likelihood: f64,
    converged: bool,
    at_the_edge: bool,
}

/// Refits `chosen` to resamples of the rows it was learned from.
///
/// Each refit starts at the chosen weights and uses the same settings, so that it ends in the same basin and
/// hidden units keep their places; what is left of a relabelling is undone.
pub fn bootstrap(
    chosen: &Candidate,
    data: &Dataset,
    learning: &LearningSettings,
    settings: &BootstrapSettings,
    observer: &dyn Observer,
) -> Result<Bootstrap> {
    let settings = settings.checked(data, learning)?;
    let learning = warm(learning.checked()?);
    let resampler = Resampler::new(settings.kind, &chosen.network, data)?;
    let relabelling = Relabelling::new(&chosen.network);
    let original = chosen.network.weights();
    let refits = (0..settings.resamples)
        .into_par_iter()
        .with_max_len(1)
        .map(|index| {
            let mut rng = stream(settings.seed, FIRST_STREAM | index as u64);
            let problem = prepare(&chosen.network, &resampler.draw(&mut rng)?, &learning)?;
            let Outcome { point, .. } = learn(&problem, original.to_vec(), &learning, false)?;
            observer.refit_done();
            Ok(Refit {
                at_the_edge: point.weights.iter().any(|w| w.abs() >= learning.bound),
                converged: point.residual <= learning.tolerance,
                entropy: point.entropy,
                log_likelihood: point.log_likelihood,
                weights: relabelling.nearest(point.weights, original),
            })
        })
        .collect::<Result<Vec<Refit>>>()?;
    let converged: Vec<&Refit> = refits.iter().filter(|refit| refit.converged).collect();
    Ok(Bootstrap {
        settings,
        converged: converged.len(),
        at_the_edge: converged.iter().filter(|refit| refit.at_the_edge).count(),
        spreads: (converged.len() >= 2).then(|| spreads(chosen, &converged)),
    })
}

/// The settings of a run that begins in its basin: where second-order steps finish it, nothing goes before them.
fn warm(learning: LearningSettings) -> LearningSettings {
    LearningSettings {
        learner: if learning.finish {
            Learner::QuasiNewton
        } else {
            learning.learner
        },
        ..learning
    }
}

fn spreads(chosen: &Candidate, refits: &[&Refit]) -> Spreads {
    let spread = |of: &dyn Fn(&Refit) -> f64| Spread::of(refits.iter().map(|r| of(r)).collect());
    let errors = &chosen.standard_errors;
    let weight = |term: usize| {
        let is_determined = !errors.undetermined.contains(&term);
        is_determined.then(|| spread(&|refit| refit.weights[term]))
    };
    let entropy_is_determined = errors.undetermined.is_empty() || errors.entropy.is_some();
    Spreads {
        weights: (0..errors.weights.len()).map(weight).collect(),
        entropy: entropy_is_determined.then(|| spread(&|refit| refit.entropy)),
        log_likelihood: spread(&|refit| refit.log_likelihood),
    }
}
