//! One arm on one sample: many candidates, and of one set of them the LME and the MLE estimate (steps 3 to 6 of section 6).

use crate::arm::Arm;
use crate::marginal::{cross_entropy, log_marginal};
use crate::wide;
use latentropy::data::Dataset;
use latentropy::{
    Candidate, EngineId, Error, Network, Principle, Request, Result, Sampling, fit, score,
};
use serde::{Deserialize, Serialize};

/// What one arm found on one sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonRecord {
    /// Its estimates, in the order of [`Arm::estimates`].
    pub estimates: Vec<EstimateRecord>,
    /// Restarts made.
    pub restarts: usize,
    /// Candidates within the tolerance.
    pub feasible: usize,
    /// Candidates whose hidden units are independent of the visible ones.
    pub trivial: usize,
    /// Distinct solutions.
    pub solutions: usize,
    /// The ridge, chosen or given.
    pub ridge: f64,
}

/// A chosen candidate and how good it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EstimateRecord {
    /// `lme`, `mle` or `single`.
    pub estimate: String,
    /// Which restart.
    pub index: usize,
    /// Mean log-likelihood of the rows learned from.
    pub log_likelihood: f64,
    /// Entropy of p(x).
    pub entropy: f64,
    /// D(p*(y)‖p(y)), or minus the mean log-likelihood of rows held out.
    #[serde(with = "wide")]
    pub loss: f64,
    /// The largest violation of stationarity.
    pub residual: f64,
    /// Whether it is within the tolerance.
    pub feasible: bool,
    /// What kind of point it is.
    pub certificate: String,
    /// Weights at the edge of the box.
    pub boundary_terms: usize,
    /// Steps made.
    pub iterations: usize,
}

/// What an estimate is measured by.
pub(crate) enum Yardstick<'a> {
    /// log p*(y) of every visible state.
    Truth(&'a [f64]),
    /// Rows held out.
    HeldOut(&'a Dataset),
}

impl Yardstick<'_> {
    fn loss(&self, network: &Network) -> Result<f64> {
        Ok(match self {
            Yardstick::Truth(log_truth) => cross_entropy(log_truth, &log_marginal(network)?),
            Yardstick::HeldOut(rows) => {
                let exact = Some(EngineId::EXACT);
                -score(network, rows, exact, &Sampling::default())?
                    .mean
                    .value
            }
        })
    }
}

/// Fits and selects.
pub(crate) fn compare(
    data: &Dataset,
    arm: &Arm,
    request: &Request,
    yardstick: &Yardstick<'_>,
) -> Result<ComparisonRecord> {
    let found = fit(data, request)?;
    let candidates = &found.candidates;
    let finished = found.course.finish.is_some();
    let mut estimates: Vec<EstimateRecord> = Vec::new();
    for &name in arm.estimates() {
        let principle = match name {
            "lme" => Principle::LatentMaximumEntropy,
            _ => Principle::MaximumLikelihood,
        };
        let at = select(candidates, principle, finished)
            .ok_or_else(|| Error::failed("no restart gave a candidate"))?;
        let chosen = &candidates[at];
        let twin = estimates.iter().find(|other| other.index == chosen.index);
        let loss = match twin {
            Some(twin) => twin.loss,
            None => yardstick.loss(&chosen.network)?,
        };
        estimates.push(EstimateRecord::new(name, chosen, loss));
    }
    Ok(ComparisonRecord {
        estimates,
        restarts: candidates.len(),
        feasible: candidates.iter().filter(|c| c.feasible).count(),
        trivial: candidates.iter().filter(|c| c.trivial).count(),
        solutions: found.distinct_solutions,
        ridge: found.objective.ridge,
    })
}

impl EstimateRecord {
    fn new(estimate: &str, chosen: &Candidate, loss: f64) -> Self {
        EstimateRecord {
            estimate: estimate.to_string(),
            index: chosen.index,
            log_likelihood: chosen.log_likelihood,
            entropy: chosen.entropy.value,
            loss,
            residual: chosen.residual,
            feasible: chosen.feasible,
            certificate: chosen.certificate.kind.to_string(),
            boundary_terms: chosen.certificate.boundary_terms.len(),
            iterations: chosen.iterations,
        }
    }
}

/// The candidate that a principle chooses; of those of the winning solution the first, as in `fit`.
///
/// Where second-order steps finished the work, a saddle is told from a maximum and avoided, as in `fit`. A learner that
/// stops at a tolerance knows nothing of curvature: there every candidate within it is feasible, as in the paper.
fn select(candidates: &[Candidate], principle: Principle, finished: bool) -> Option<usize> {
    let eligible = |candidate: &Candidate| candidate.feasible && !candidate.trivial;
    if finished || !candidates.iter().any(eligible) {
        return principle.select(candidates).map(|selected| selected.at);
    }
    let value = |candidate: &Candidate| match principle {
        Principle::LatentMaximumEntropy => candidate.entropy.value,
        Principle::MaximumLikelihood => candidate.log_likelihood,
    };
    let mut winner: Option<&Candidate> = None;
    for candidate in candidates.iter().filter(|candidate| eligible(candidate)) {
        if winner.is_none_or(|highest| value(candidate) > value(highest)) {
            winner = Some(candidate);
        }
    }
    let highest = winner?;
    let first = |candidate: &Candidate| {
        eligible(candidate)
            && candidate.solution == highest.solution
            && value(highest) - value(candidate) <= Principle::EQUAL
    };
    candidates.iter().position(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Fitted, Truth};
    use crate::truth::{draw, truth};

    #[test]
    fn of_one_solution_the_first_candidate_is_chosen() {
        let settings = Truth {
            visible: 4,
            hidden: 1,
            shape: Default::default(),
            bias: false,
            scale: 1.0,
        };
        let data = draw(&truth(&settings, 3, "tie", 0).unwrap(), 100, 3, "rows").unwrap();
        let arm = Arm {
            finish: Some(false),
            tolerance: Some(1e-9),
            ridge: Some(1.0),
            ..Arm::default()
        };
        let fitted = Fitted {
            hidden: 1,
            ..Fitted::default()
        };
        let request = arm.request(None, &fitted, 12, 5).unwrap();
        let found = fit(&data, &request).unwrap();
        let candidates = &found.candidates;
        for principle in Principle::ALL {
            let at = select(candidates, principle, false).unwrap();
            let same = |c: &&Candidate| c.solution == candidates[at].solution;
            let fellows: Vec<&Candidate> = candidates.iter().filter(same).collect();
            assert!(fellows.len() > 1, "the test needs a solution found twice");
            assert_eq!(fellows[0].index, candidates[at].index);
        }
    }
}
