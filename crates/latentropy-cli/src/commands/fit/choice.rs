//! What `fit` chooses by cross-validation before the final fit: the ridge, the number of hidden units, or both.

use super::plan::Plan;
use crate::args::{FitArgs, RidgeArg};
use crate::failure::{Failure, Outcome};
use crate::progress::ChoiceProgress;
use crate::render::{number, words};
use latentropy::error::Error;
use latentropy::selection::{
    CrossValidation, EvidenceChoice, RidgeChoice, SizeChoice, Standing, choose_hidden, choose_ridge,
};
use serde_json::{Map, Value, json};

/// What was chosen, and on what grounds.
#[derive(Debug, Default)]
pub(super) struct Choices {
    /// With a range of --hidden.
    pub(super) size: Option<SizeChoice>,
    /// With --ridge auto.
    pub(super) ridge: Option<RidgeChoice>,
    /// With --ridge evidence, where the machine is not too large for it.
    pub(super) evidence: Option<EvidenceChoice>,
}

/// Makes the choices that the plan leaves open, and writes them into it.
pub(super) fn choose(args: &FitArgs, plan: &mut Plan) -> Outcome {
    let Some(validation) = &plan.validation else {
        return Ok(());
    };
    let (data, settings) = (&plan.data, &plan.settings);
    let structures = plan.sizes.values();
    let structures = structures.chain(plan.sizes.is_empty().then_some(&plan.structure));
    let machines = structures
        .map(|structure| validation.candidates_of(structure, data, settings))
        .sum::<latentropy::Result<usize>>()?;
    let progress = ChoiceProgress::new(machines, &what(plan, validation), args.run.quiet);
    let (size, ridge) = if plan.sizes.is_empty() {
        let choice = choose_ridge(&plan.structure, data, settings, validation, &progress)?;
        (None, choice)
    } else {
        let sizes: Vec<usize> = plan.sizes.keys().copied().collect();
        let structure = |hidden: usize| {
            let found = plan.sizes.get(&hidden).cloned();
            found.ok_or_else(|| Error::failed(format!("{hidden} hidden units were not planned")))
        };
        let choice = choose_hidden(&sizes, structure, data, settings, validation, &progress)?;
        let chosen = plan.sizes.get(&choice.chosen).cloned();
        plan.structure = chosen.ok_or_else(|| {
            Failure::Running("the chosen number of hidden units was not planned".to_string())
        })?;
        (Some(choice.clone()), choice.ridge)
    };
    drop(progress);
    plan.settings.learning.ridge = ridge.chosen;
    plan.warnings.extend(at_an_end(&ridge));
    plan.choices = Choices {
        size,
        ridge: (args.learning.ridge == RidgeArg::Auto).then_some(ridge),
        evidence: None,
    };
    Ok(())
}

/// A choice at an end of what was tried may not be the best there is.
fn at_an_end(choice: &RidgeChoice) -> Option<String> {
    let chosen = number::typed(choice.chosen);
    let (end, other, beyond) = if choice.is_largest() {
        (
            "largest",
            "a larger one may do as well",
            10.0 * choice.chosen,
        )
    } else if choice.is_smallest() {
        (
            "smallest",
            "a smaller one may do better",
            choice.chosen / 10.0,
        )
    } else {
        return None;
    };
    Some(format!(
        "the chosen ridge, {chosen}, is the {end} of those compared; {other}: try --ridge {}",
        number::typed(beyond)
    ))
}

fn what(plan: &Plan, validation: &CrossValidation) -> String {
    format!(
        "cross-validating {} for {} with {}",
        words::counted(validation.ridges.len() as u64, "ridge"),
        words::counted(plan.sizes.len().max(1) as u64, "machine"),
        words::counted(validation.folds as u64, "fold"),
    )
}

impl Choices {
    /// The fields `ridge_selection` and `size_selection`, each where there was a choice.
    pub(super) fn fields(&self) -> Map<String, Value> {
        let mut fields = Map::new();
        if let Some(choice) = &self.ridge {
            let entry = |ridge: f64, standing: &Standing| {
                let mut entry = standing_fields(standing);
                entry.insert("ridge".to_string(), json!(ridge));
                entry.insert("chosen".to_string(), json!(ridge == choice.chosen));
                Value::Object(entry)
            };
            let table = choice.table.iter();
            let table: Vec<Value> = table.map(|e| entry(e.ridge, &e.standing)).collect();
            let value = json!({"chosen": choice.chosen, "table": table});
            fields.insert("ridge_selection".to_string(), value);
        }
        if let Some(choice) = &self.evidence {
            let value = super::evidence::field(choice);
            fields.insert("ridge_evidence".to_string(), value);
        }
        if let Some(choice) = &self.size {
            let table = choice.table.iter().map(|score| {
                let mut entry = standing_fields(&score.standing);
                entry.insert("hidden".to_string(), json!(score.hidden));
                entry.insert("ridge".to_string(), json!(score.ridge));
                entry.insert("chosen".to_string(), json!(score.hidden == choice.chosen));
                Value::Object(entry)
            });
            let table: Vec<Value> = table.collect();
            let value = json!({"chosen": choice.chosen, "table": table});
            fields.insert("size_selection".to_string(), value);
        }
        fields
    }
}

fn standing_fields(standing: &Standing) -> Map<String, Value> {
    [
        ("mean_log_likelihood", standing.mean),
        ("std_err", standing.std_err),
        ("behind_best", standing.behind),
        ("behind_best_std_err", standing.behind_std_err),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_string(), json!(value)))
    .collect()
}
