//! The ridge by evidence where curvature is sampled: all rounds in one run of second-order steps.
//!
//! A round by samples needs neither a likelihood nor a certificate, and E f and Cov f do not depend on the ridge: each round
//! goes on from the chains, the weights and the last measurement of the one before. As the ridge moves by about the same
//! share of what is left in every round, two rounds foretell where it goes (Aitken 1926), and the next one begins there.

use super::control::Control;
use super::evidence::{
    EvidenceChoice, EvidenceRound, MOST_ROUNDS, SETTLED, determined, next_ridge, within_range,
};
use crate::error::Result;
use crate::learning::{Near, Objective, Problem, SampledRounds};
use crate::random::index_of_evidence;

/// Constraints are met within this share of their own errors where the ridge is nearly found, and before that within the
/// larger one.
const NEAR: f64 = 0.25;
const FAR: f64 = 1.0;
/// The ridge is nearly found where a round changes it by less than this share.
const NEARLY: f64 = 0.15;
/// Steps of one round, at most.
const MOST_STEPS: usize = 60;
/// Of what rounds foretell, no more than this many times the last change is believed.
const MOST_FORETOLD: f64 = 4.0;

/// How the ridge was found, and the weights at the end.
pub(super) struct BySamples {
    pub(super) choice: EvidenceChoice,
    pub(super) weights: Vec<f64>,
}

/// From this start and ridge; none where there is no curvature.
pub(super) fn rounds_by_samples(
    problem: &Problem,
    start: Vec<f64>,
    ridge: f64,
    seed: u64,
    control: &Control<'_>,
) -> Result<Option<BySamples>> {
    let mut run = SampledRounds::new(
        problem,
        start,
        (seed, index_of_evidence(0)),
        &control.cancel,
    );
    let (mut ridge, mut share, mut is_strict) = (ridge, FAR, false);
    let mut rounds: Vec<EvidenceRound> = Vec::new();
    let mut last_change: Option<f64> = None;
    loop {
        let objective = Objective {
            ridge,
            ..problem.objective()
        };
        let problem = problem.with_objective(objective)?;
        let is_near = share <= NEAR;
        let near = Near {
            share,
            is_strict,
            is_last_look: is_near,
        };
        let curvature =
            control.with_loop(|control| run.approach(&problem, near, MOST_STEPS, control))?;
        let found = curvature.and_then(|of| determined(&problem, run.weights(), &of, ridge));
        let Some(determined) = found else {
            // With few rows a start is near enough at once, and may be a saddle: only nearer to a solution it bends downwards.
            match share > NEAR {
                true => share = (0.5 * share).max(NEAR),
                false if is_strict => return Ok(None),
                false => is_strict = true,
            }
            continue;
        };
        rounds.push(EvidenceRound {
            ridge,
            determined: determined.count,
            determined_error: determined.error,
        });
        let next = next_ridge(&problem, run.weights(), determined.count);
        let change = (next / ridge).ln();
        if is_near && change.abs() < SETTLED.ln_1p() || rounds.len() == MOST_ROUNDS {
            return Ok(Some(BySamples {
                choice: EvidenceChoice {
                    chosen: next,
                    rounds,
                },
                weights: run.weights().to_vec(),
            }));
        }
        if change.abs() < NEARLY {
            share = share.min(NEAR);
        }
        let foretold = match last_change {
            Some(last) => foretold(last, change),
            None => change,
        };
        last_change = Some(change);
        ridge = within_range(&problem, ridge * foretold.exp());
    }
}

/// The sum of all changes to come, where each is the same share of the one before.
fn foretold(last: f64, change: f64) -> f64 {
    let share = (change / last).clamp(0.0, 1.0 - 1.0 / MOST_FORETOLD);
    change / (1.0 - share)
}

#[cfg(test)]
mod tests {
    use super::foretold;

    #[test]
    fn changes_that_shrink_by_one_share_are_summed_up() {
        assert!((foretold(1.0, 0.5) - 1.0).abs() < 1e-12);
        // Those that do not shrink, or turn, are not believed.
        assert!((foretold(1.0, 1.0) - 4.0).abs() < 1e-12);
        assert!((foretold(1.0, -0.3) + 0.3).abs() < 1e-12);
    }
}
