//! The ridge by evidence: the precision of the weights' prior that makes the data most likely, weights summed out.
//!
//! With the prior N(0, 1/α) on every weight and Laplace's approximation, the evidence is stationary in α where
//! α Σ λ² = γ, γ = Σ κ/(κ + α) over the eigenvalues κ of T (−∇²L): the number of directions that the data determine
//! (MacKay 1992). Each round learns at the present α and sets the next one so; it costs a few fits, not a
//! cross-validation.

use super::control::Control;
use super::setup::Setup;
use crate::error::{Error, Result};
use crate::inference::MOST_ENUMERATED;
use crate::learning::{
    Course, Curvature, Finish, Objective, Problem, Restart, drive, random_start,
};
use crate::selection::{Candidate, cluster};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The first ridge, and the one to take where the evidence cannot be computed.
pub const USUAL_RIDGE: f64 = 1.0;
/// Restarts of the first round; later rounds go on from their ends.
const RESTARTS: usize = 4;
const MOST_ROUNDS: usize = 15;
/// The ridge has settled when a round changes it by less than this share.
const SETTLED: f64 = 0.03;
/// Outside of these a prior says nothing, or everything.
const RANGE: (f64, f64) = (0.01, 100.0);

/// One round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceRound {
    /// α.
    pub ridge: f64,
    /// γ, how many directions of the weights the data determine at this ridge.
    pub determined: f64,
}

/// A ridge, and how it was reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceChoice {
    /// The ridge.
    pub chosen: f64,
    /// The way there.
    pub rounds: Vec<EvidenceRound>,
}

impl EvidenceChoice {
    /// False where the rounds ran out while the ridge was still moving.
    pub(super) fn has_settled(&self) -> bool {
        let last = self.rounds.last();
        last.is_none_or(|last| (self.chosen / last.ridge - 1.0).abs() < SETTLED)
    }
}

/// The ridge by evidence for the candidate that the setup's principle chooses; `None` where the machine is too
/// large for its Hessian. The setup's own ridge and learner play no part.
pub(super) fn ridge_by_evidence(
    setup: &Setup<'_>,
    control: &Control<'_>,
) -> Result<Option<EvidenceChoice>> {
    let structure = setup.structure;
    // Beyond enumeration there is no Hessian, and the default learner has nothing to sum.
    if structure.units().len() > MOST_ENUMERATED {
        return Ok(None);
    }
    // Whatever the learner of the fit, solutions are found by the default one.
    let mut course = Course::default();
    let first = Objective {
        ridge: USUAL_RIDGE,
        ..setup.objective
    };
    let usual = Setup {
        course: &course,
        ..setup.clone()
    };
    let mut problem = usual.problem_of(setup.data, first)?;
    if Curvature::new(&problem, &vec![0.0; problem.terms()], Vec::new()).is_none() {
        return Ok(None);
    }
    let mut starts = starts(setup, &problem);
    let mut rounds: Vec<EvidenceRound> = Vec::new();
    let mut ridge = USUAL_RIDGE;
    for _ in 0..MOST_ROUNDS {
        problem = problem.with_objective(Objective { ridge, ..first })?;
        let mut candidates = learn_all(&problem, &starts, &course, control)?;
        cluster(&mut candidates);
        let selected = setup.principle.select(&candidates);
        let selected = selected.ok_or_else(|| Error::failed("no restart gave a candidate"))?;
        starts = candidates
            .iter()
            .map(|candidate| candidate.network.weights().to_vec())
            .collect();
        // From here on each restart begins at its last solution.
        course.finish = Some(Finish { warm_up: 0 });
        let Some(determined) = determined(&problem, &candidates[selected.at], ridge) else {
            return Ok(None);
        };
        rounds.push(EvidenceRound { ridge, determined });
        let weights = &starts[selected.at];
        let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
        let next = if squares > 0.0 {
            (determined / squares).clamp(RANGE.0, RANGE.1)
        } else {
            RANGE.1
        };
        let settled = (next / ridge - 1.0).abs() < SETTLED;
        ridge = next;
        if settled {
            break;
        }
    }
    Ok(Some(EvidenceChoice {
        chosen: ridge,
        rounds,
    }))
}

/// Where the first round begins: a concave objective has one maximum, and one start finds it.
fn starts(setup: &Setup<'_>, problem: &Problem) -> Vec<Vec<f64>> {
    let restarts = match Problem::is_concave(setup.structure, setup.data) {
        true => 1,
        false => setup.restarts.clamp(1, RESTARTS),
    };
    (0..restarts)
        .map(|index| random_start(problem, setup.seed, index as u64))
        .collect()
}

/// One candidate per start.
fn learn_all(
    problem: &Problem,
    starts: &[Vec<f64>],
    course: &Course,
    control: &Control<'_>,
) -> Result<Vec<Candidate>> {
    starts
        .par_iter()
        .with_max_len(1)
        .enumerate()
        .map(|(index, start)| {
            let outcome = control.with_loop(|control| {
                let restart = Restart {
                    control,
                    ..Restart::first(false)
                };
                drive(problem, start.clone(), course, restart)
            })?;
            Candidate::new(problem, index, outcome, course.tolerance)
        })
        .collect()
}

/// γ = Σ κ/(κ + α) over the directions that may move: how many the data determine.
fn determined(problem: &Problem, chosen: &Candidate, ridge: f64) -> Option<f64> {
    let weights = chosen.network.weights();
    let edge = &chosen.certificate.boundary_terms;
    let free = (0..weights.len())
        .filter(|term| !edge.contains(term))
        .collect();
    let curvature = Curvature::new(problem, weights, free)?;
    let rows = problem.row_count();
    let shares = curvature.eigenvalues.iter().map(|value| {
        let whole = -rows * value;
        ((whole - ridge) / whole.max(ridge)).clamp(0.0, 1.0)
    });
    Some(shares.sum())
}
