//! `--ridge evidence`, the default: the ridge that makes the data most likely, found before the final fit.

use super::plan::Plan;
use crate::args::{FitArgs, RidgeArg};
use crate::failure::Outcome;
use crate::progress::Busy;
use latentropy::learning::LearningEngine;
use latentropy::selection::{USUAL_RIDGE, ridge_by_evidence};
use serde_json::{Value, json};

/// What the evidence chose for the machine of the plan, written into it.
pub(super) fn choose(args: &FitArgs, plan: &mut Plan) -> Outcome {
    if args.learning.ridge != RidgeArg::Evidence {
        return Ok(());
    }
    if plan.settings.learning.engine != LearningEngine::Exact {
        // The evidence rests on exact curvature.
        plan.settings.learning.ridge = USUAL_RIDGE;
        return Ok(());
    }
    let _busy = Busy::new("finding the ridge by evidence", args.run.quiet);
    let choice = ridge_by_evidence(&plan.structure, &plan.data, &plan.settings)?;
    plan.settings.learning.ridge = choice.as_ref().map_or(USUAL_RIDGE, |c| c.chosen);
    plan.choices.evidence = choice;
    Ok(())
}

/// The field `ridge_evidence`: the ridge, and the rounds that led to it.
pub(super) fn field(choice: &latentropy::selection::EvidenceChoice) -> Value {
    let rounds: Vec<Value> = choice
        .rounds
        .iter()
        .map(|round| json!({"ridge": round.ridge, "determined": round.determined}))
        .collect();
    json!({"chosen": choice.chosen, "rounds": rounds})
}
