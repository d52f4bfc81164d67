//! `infer`: what a model implies, some units held at will.

use super::inputs;
use crate::args::InferArgs;
use crate::failure::Outcome;
use crate::output;
use crate::progress::Busy;
use crate::render::{self, Style};
use latentropy::inference::{Clamp, FeatureExpectations, Value, exact_engine};
use latentropy::network::{Network, Unit};
use serde::Serialize;
use std::collections::BTreeMap;

/// The document of `infer --json`.
#[derive(Serialize)]
struct Document<'a> {
    engine: &'static str,
    method: &'static str,
    log_partition: Value,
    entropy: Value,
    units: &'a [Unit],
    given: BTreeMap<&'a str, u8>,
    means: &'a [f64],
    terms: Vec<TermExpectation<'a>>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct TermExpectation<'a> {
    units: &'a [usize],
    names: Vec<&'a str>,
    weight: f64,
    expectation: f64,
}

/// Infers and prints.
pub(super) fn run(args: &InferArgs) -> Outcome {
    args.engine.check()?;
    inputs::use_threads(&args.run)?;
    let mut warnings = Vec::new();
    let network = inputs::model(&args.model, &mut warnings)?;
    let given = args.given.all();
    let clamp = Clamp::by_name(&network, &given)?;
    let engine = exact_engine(&network, &clamp)?;
    let busy = Busy::new("summing over states", args.run.quiet);
    let found = engine.expectations(&network, &clamp)?;
    drop(busy);
    if args.json {
        output::print_json(&Document {
            engine: engine.name(),
            method: engine.method(),
            log_partition: found.log_partition,
            entropy: found.entropy,
            units: network.units(),
            given: given
                .iter()
                .map(|(name, value)| (name.as_str(), u8::from(*value)))
                .collect(),
            means: &found.means,
            terms: term_expectations(&network, &found.terms),
            warnings: &warnings,
        })?;
    } else {
        let text = render::infer::text(&network, &clamp, engine, &found, Style::of_stdout());
        output::print(&text)?;
    }
    output::warn(&warnings, args.run.quiet);
    Ok(())
}

fn term_expectations<'a>(network: &'a Network, expectations: &[f64]) -> Vec<TermExpectation<'a>> {
    let names = |units: &[usize]| {
        let units = units.iter();
        units
            .map(|&unit| network.units()[unit].name.as_str())
            .collect()
    };
    network
        .terms()
        .iter()
        .zip(network.weights())
        .zip(expectations)
        .map(|((term, &weight), &expectation)| TermExpectation {
            units: term.units(),
            names: names(term.units()),
            weight,
            expectation,
        })
        .collect()
}
