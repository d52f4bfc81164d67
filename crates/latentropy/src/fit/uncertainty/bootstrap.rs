//! The bootstrap: the chosen machine refitted to resamples, and how far its numbers spread.

use super::relabelling::Relabelling;
use super::resampling::{BootstrapKind, Resampler};
use super::spread::Spread;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::fit::control::Control;
use crate::fit::setup::Setup;
use crate::inference::EngineId;
use crate::learning::{Course, Learner, Outcome, QuasiNewton, Restart, drive};
use crate::message::{Setting, words};
use crate::network::Network;
use crate::random::{Purpose, index_of_refit, stream};
use crate::selection::Candidate;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How to bootstrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BootstrapSettings {
    /// How many resamples, at least 2.
    pub resamples: usize,
    /// Where they come from.
    pub kind: BootstrapKind,
    /// Seed of all resamples.
    pub seed: u64,
}

impl BootstrapSettings {
    /// Refuses settings that make no sense for these rows and this learning.
    pub(crate) fn check(&self, data: &Dataset, course: &Course, engine: EngineId) -> Result<()> {
        if self.resamples < 2 {
            return Err(Error::invalid(words![
                Setting::Bootstrap,
                format!(
                    " must be at least 2, not {}: one refit has no spread",
                    self.resamples
                ),
            ]));
        }
        if !course.learner.converges() {
            return Err(Error::invalid(words![
                Setting::Bootstrap,
                format!(
                    " refits until the constraints are met, and {} only comes near; use ",
                    course.learner.name()
                ),
                Setting::Learner.at("auto"),
            ]));
        }
        if self.kind == BootstrapKind::Parametric && !engine.gives().exact_sums {
            return Err(Error::invalid(words![
                Setting::BootstrapKind.at("parametric"),
                " draws rows from the machine exactly, and ",
                Setting::Engine.at(engine),
                " is not exact; use ",
                Setting::BootstrapKind.at("rows"),
            ]));
        }
        let rows = data.informative_rows().len();
        if rows < 2 {
            return Err(Error::invalid(words![
                Setting::Bootstrap,
                format!(
                    " draws rows anew, and needs at least 2 with a known cell; the data have {rows}: \
                     give more rows, or leave it out"
                ),
            ]));
        }
        Ok(())
    }
}

/// What the refits say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bootstrap {
    /// How it was made.
    pub settings: BootstrapSettings,
    /// How many refits converged; the others are left out of the spreads.
    pub converged: usize,
    /// How many of these have a weight at the edge of the box, so that spreads depend on where that is.
    pub at_the_edge: usize,
    /// The spreads; `None` where fewer than two refits converged.
    pub spreads: Option<Spreads>,
    /// Every refit, in the order of the resamples.
    pub refits: Vec<Refit>,
}

/// How far the numbers spread over the refits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spreads {
    /// Of each weight; `None` where the data do not determine it: refits would leave it where it was.
    pub weights: Vec<Option<Spread>>,
    /// Of the entropy; `None` where it hangs on such weights.
    pub entropy: Option<Spread>,
    /// Of the mean log-likelihood of a row of the resample that was fitted.
    pub log_likelihood: Spread,
}

/// One refit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refit {
    /// Which resample.
    pub index: usize,
    /// Its weights, hidden units in the places of the original's.
    pub weights: Vec<f64>,
    /// Its entropy.
    pub entropy: f64,
    /// Mean log-likelihood of a row of the resample.
    pub log_likelihood: f64,
    /// Whether it is a solution, as far as its engine can tell.
    pub converged: bool,
    /// Whether a weight is at the edge of the box.
    pub at_the_edge: bool,
}

/// Refits `chosen` to some of the resamples of the rows it was learned from.
///
/// Each refit starts at the chosen weights and uses the same settings, so that it ends in the same basin and
/// hidden units keep their places; what is left of a relabelling is undone.
pub(in crate::fit) fn refit(
    setup: &Setup<'_>,
    chosen: &Network,
    settings: &BootstrapSettings,
    numbers: &[usize],
    control: &Control<'_>,
) -> Result<Vec<Refit>> {
    let course = warm(setup.course);
    let setup = Setup {
        course: &course,
        structure: chosen,
        ..setup.clone()
    };
    let resampler = Resampler::new(settings.kind, chosen, setup.data)?;
    let relabelling = Relabelling::new(chosen);
    let original = chosen.weights();
    numbers
        .par_iter()
        .with_max_len(1)
        .map(|&index| {
            let mut random = stream(settings.seed, Purpose::Resample, index as u64);
            let rows = resampler.draw(&mut random)?;
            let problem = setup.problem_of(&rows, setup.objective)?;
            let Outcome { point, .. } = control.with_loop(|control| {
                // Where the engine samples, every refit draws for itself.
                let restart = Restart {
                    seed: settings.seed,
                    index: index_of_refit(index),
                    control,
                    ..Restart::first(false)
                };
                drive(&problem, original.to_vec(), &course, restart)
            })?;
            control.observer.refit_done();
            Ok(Refit {
                index,
                at_the_edge: !problem.prior().at_edge(&point.weights).is_empty(),
                // By the errors of the engine's own samples, where it samples.
                converged: point.is_stationary(course.tolerance),
                entropy: point.entropy,
                log_likelihood: point.log_likelihood,
                weights: relabelling.nearest(point.weights, original),
            })
        })
        .collect()
}

/// Puts refits together.
pub(in crate::fit) fn assemble(
    chosen: &Candidate,
    settings: BootstrapSettings,
    refits: &[Refit],
) -> Bootstrap {
    let converged: Vec<&Refit> = refits.iter().filter(|refit| refit.converged).collect();
    Bootstrap {
        settings,
        converged: converged.len(),
        at_the_edge: converged.iter().filter(|refit| refit.at_the_edge).count(),
        spreads: (converged.len() >= 2).then(|| spreads(chosen, &converged)),
        refits: refits.to_vec(),
    }
}

/// The course of a run that begins in its basin: where second-order steps finish it, nothing goes before them.
fn warm(course: &Course) -> Course {
    Course {
        learner: match course.finish {
            Some(_) => Learner::QuasiNewton(QuasiNewton::default()),
            None => course.learner.clone(),
        },
        finish: None,
        anneal: false,
        ..course.clone()
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
