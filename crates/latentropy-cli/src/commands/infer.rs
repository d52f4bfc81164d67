//! `infer`: what a model implies, some units held at will, by one engine or by all of them.

use super::{engine, inputs};
use crate::args::{EngineArg, InferArgs};
use crate::failure::Outcome;
use crate::output;
use crate::progress::Busy;
use crate::render::{self, Style};
use crate::spoken::Spoken;
use crate::wording::Flags;
use latentropy::inference::{
    Answer, EngineChoice, EngineComparison, Kind, Value, Within, Witnesses, compare_engines,
};
use latentropy::network::{Clamp, Network, Unit};
use latentropy::{Remark, Sampling, infer};
use serde::Serialize;
use std::collections::BTreeMap;

/// The document of `infer --json`.
#[derive(Serialize)]
struct Document<'a> {
    engine: &'static str,
    reason: String,
    method: &'static str,
    log_partition: Within,
    /// The ways to log Z, where it was sampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    log_partition_witnesses: Option<&'a Witnesses>,
    entropy: Value,
    units: &'a [Unit],
    given: BTreeMap<&'a str, u8>,
    means: &'a [f64],
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_std_errs: Option<&'a [f64]>,
    terms: Vec<TermExpectation<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    remarks: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    engines: Option<Vec<Row<'a>>>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct TermExpectation<'a> {
    units: &'a [usize],
    names: Vec<&'a str>,
    weight: f64,
    expectation: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    std_err: Option<f64>,
}

/// One engine of `--engine all`; either an answer or an error.
#[derive(Serialize)]
struct Row<'a> {
    engine: &'static str,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    log_partition: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entropy: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    means: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    largest_difference_of_means: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// What was found, by which engine, and all the answers where all were asked.
struct Found {
    choice: EngineChoice,
    answer: Answer,
    comparison: Option<EngineComparison>,
}

impl Found {
    /// What is to be doubted, each engine's under its name where all were asked.
    fn warnings(&self) -> Vec<String> {
        let Some(comparison) = &self.comparison else {
            let remarks = self.answer.remarks.iter();
            return remarks.map(|remark| remark.worded(&Flags)).collect();
        };
        let answers = comparison.answers.iter();
        let remarks = answers.flat_map(|other| {
            other.remarks.iter().map(|remark| Remark::OfEngine {
                engine: other.engine.name(),
                remark: Box::new(remark.clone()),
            })
        });
        remarks.map(|remark| remark.worded(&Flags)).collect()
    }
}

/// Infers and prints.
pub(super) fn run(args: &InferArgs) -> Outcome {
    let sampling = engine::sampling(&args.engine)?;
    inputs::use_threads(&args.run)?;
    let mut warnings = Vec::new();
    let (network, codings) = inputs::model_and_codings(&args.model, &mut warnings)?;
    let spoken = Spoken::of_units(&network, &codings, args.given.numbers);
    let given = spoken.held(&args.model.model, &network, &args.given)?;
    let given: Vec<(&str, bool)> = given
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    let clamp = Clamp::by_name(&network, &given)?;
    let busy = Busy::new("summing over states", args.run.quiet);
    let found = if args.engine.engine == EngineArg::All {
        all(&network, &clamp, &sampling)?
    } else {
        let choice = engine::choose(&args.engine, &network, &clamp)?;
        Found {
            answer: infer(&network, &given, Some(choice.engine), &sampling)?.answer,
            choice,
            comparison: None,
        }
    };
    drop(busy);
    let Found { choice, answer, .. } = &found;
    warnings.extend(found.warnings());
    let method = choice.engine.method(&network, &clamp)?;
    if args.json {
        output::print_json(&Document {
            engine: choice.engine.name(),
            reason: choice.reason.worded(&Flags),
            method,
            log_partition: answer.log_partition_within(),
            log_partition_witnesses: answer.witnesses.as_deref(),
            entropy: answer.expectations.entropy,
            units: network.units(),
            given: given
                .iter()
                .map(|(name, value)| (*name, u8::from(*value)))
                .collect(),
            means: &answer.expectations.means,
            mean_std_errs: answer.mean_errors.as_deref(),
            terms: term_expectations(&network, answer),
            remarks: &answer.notes,
            engines: found.comparison.as_ref().map(rows),
            warnings: &warnings,
        })?;
    } else {
        let shown = render::infer::Shown {
            network: &network,
            spoken: &spoken,
            clamp: &clamp,
            choice,
            method,
            found: answer,
            comparison: found.comparison.as_ref(),
        };
        output::print(&shown.text(Style::of_stdout().in_bits(args.bits)))?;
    }
    output::warn(&warnings, args.run.quiet);
    Ok(())
}

/// By all of them; the best is shown in full.
fn all(network: &Network, clamp: &Clamp, sampling: &Sampling) -> Outcome<Found> {
    let comparison = compare_engines(network, clamp, sampling)?;
    let reason = match comparison.found.expectations.log_partition.kind {
        Kind::Exact => "the first of all engines that is exact",
        _ => "no engine is exact here; the first of all that answers",
    };
    Ok(Found {
        choice: EngineChoice {
            engine: comparison.best,
            reason: reason.into(),
        },
        answer: comparison.found.clone(),
        comparison: Some(comparison),
    })
}

fn rows(comparison: &EngineComparison) -> Vec<Row<'_>> {
    let answers = comparison.answers.iter();
    answers
        .map(|answer| {
            let found = answer.found.as_ref().ok();
            Row {
                engine: answer.engine.name(),
                seconds: answer.seconds,
                log_partition: found.map(|f| f.log_partition),
                entropy: found.map(|f| f.entropy),
                means: found.map(|f| &f.means[..]),
                largest_difference_of_means: comparison.largest_difference(answer),
                error: answer
                    .found
                    .as_ref()
                    .err()
                    .map(|error| error.worded(&Flags)),
            }
        })
        .collect()
}

fn term_expectations<'a>(network: &'a Network, answer: &Answer) -> Vec<TermExpectation<'a>> {
    let names = |units: &[usize]| {
        let units = units.iter();
        units
            .map(|&unit| network.units()[unit].name.as_str())
            .collect()
    };
    let weighted = network.terms().iter().zip(network.weights());
    weighted
        .zip(&answer.expectations.terms)
        .enumerate()
        .map(|(at, ((term, &weight), &expectation))| TermExpectation {
            units: term.units(),
            names: names(term.units()),
            weight,
            expectation,
            std_err: answer.term_errors.as_ref().map(|errors| errors[at]),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_named_by_their_engine_where_several_are_asked() {
        let network = Network::full(2, 0);
        let clamp = Clamp::none(2);
        let mut found = all(&network, &clamp, &Sampling::default()).expect("answers");
        assert_eq!(found.warnings(), Vec::<String>::new());
        let remark = Remark::FewSamples { count: 7.0 };
        let comparison = found.comparison.as_mut().expect("a comparison");
        let answers = comparison.answers.iter_mut();
        for answer in answers.filter(|answer| answer.engine.name() == "gibbs") {
            answer.remarks.push(remark.clone());
        }
        let sentence = remark.worded(&Flags);
        assert_eq!(found.warnings(), [format!("gibbs: {sentence}")]);
        // One alone needs no name.
        found.comparison = None;
        found.answer.remarks = vec![remark];
        assert_eq!(found.warnings(), [sentence]);
    }
}
