//! The ridge by evidence: the precision of the weights' prior that makes the data most likely, weights summed out.
//!
//! With the prior N(0, 1/α) on every weight and Laplace's approximation, the evidence is stationary in α where
//! α Σ λ² = γ, γ = Σ κ/(κ + α) over the eigenvalues κ of T (−∇²L): the number of directions that the data determine
//! (MacKay 1992). Each round learns at the present α and sets the next one so; it costs a few fits, not a
//! cross-validation.

use super::restarts::{FitSettings, prepare, run};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::inference::MOST_ENUMERATED;
use crate::learning::{Curvature, LearningSettings, Penalty, random_start};
use crate::network::Network;
use rayon::prelude::*;

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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvidenceRound {
    /// α.
    pub ridge: f64,
    /// γ, how many directions of the weights the data determine at this ridge.
    pub determined: f64,
}

/// A ridge, and how it was reached.
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceChoice {
    /// The ridge.
    pub chosen: f64,
    /// The way there.
    pub rounds: Vec<EvidenceRound>,
}

/// The ridge by evidence for the candidate that the settings' principle chooses; `None` where the machine is too
/// large for its Hessian. The ridge in `settings` plays no part.
pub fn ridge_by_evidence(
    structure: &Network,
    data: &Dataset,
    settings: &FitSettings,
) -> Result<Option<EvidenceChoice>> {
    // Beyond enumeration there is no Hessian, and the default learner has nothing to sum.
    if structure.units().len() > MOST_ENUMERATED {
        return Ok(None);
    }
    // Whatever the learner of the fit, solutions are found by the default one.
    let mut learning = LearningSettings {
        ridge: USUAL_RIDGE,
        bound: settings.learning.bound,
        ..LearningSettings::default()
    }
    .checked()?;
    let mut problem = prepare(structure, data, &learning)?;
    if Curvature::new(&problem, &vec![0.0; problem.terms()], Vec::new()).is_none() {
        return Ok(None);
    }
    let concave = structure.hidden().is_empty() && data.missing_cells() == 0;
    let restarts = if concave {
        1
    } else {
        settings.restarts.clamp(1, RESTARTS)
    };
    let mut starts: Vec<Vec<f64>> = (0..restarts)
        .map(|index| random_start(&problem, settings.seed, index as u64))
        .collect();
    let mut rounds: Vec<EvidenceRound> = Vec::new();
    let mut ridge = USUAL_RIDGE;
    for _ in 0..MOST_ROUNDS {
        problem = problem.with_penalty(Penalty {
            ridge,
            bound: learning.bound,
        });
        let candidates = starts
            .par_iter()
            .with_max_len(1)
            .enumerate()
            .map(|(index, start)| run(&problem, index, start.clone(), &learning, false))
            .collect::<Result<Vec<_>>>()?;
        let (chosen, _) = settings
            .principle
            .select(&candidates)
            .ok_or_else(|| Error::failed("no restart gave a candidate".to_string()))?;
        starts = candidates
            .iter()
            .map(|candidate| candidate.network.weights().to_vec())
            .collect();
        // From here on each restart begins at its last solution.
        learning.warm_up = 0;
        let weights = &starts[chosen];
        let edge = &candidates[chosen].certificate.boundary_terms;
        let free = (0..weights.len())
            .filter(|term| !edge.contains(term))
            .collect();
        let Some(curvature) = Curvature::new(&problem, weights, free) else {
            return Ok(None);
        };
        let rows = problem.row_count();
        let determined: f64 = curvature
            .eigenvalues
            .iter()
            .map(|value| {
                let whole = -rows * value;
                ((whole - ridge) / whole.max(ridge)).clamp(0.0, 1.0)
            })
            .sum();
        rounds.push(EvidenceRound { ridge, determined });
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
