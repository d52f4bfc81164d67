//! `fit`: rows in, every candidate out, one chosen by a stated principle.

mod choice;
mod document;
mod files;
mod plan;
mod structure;
mod uncertainty;
mod watch;

use super::inputs;
use crate::args::FitArgs;
use crate::failure::{Failure, Outcome};
use crate::output::{self, ResultDirectory};
use crate::render::{self, Style, number, words};
use latentropy::learning::LearningSettings;
use latentropy::selection::{Fit, fit};
use latentropy_report::fit::Evidence;
use plan::Plan;
use std::time::{Duration, Instant, SystemTime};
use uncertainty::Uncertainty;
use watch::Watch;

/// When a run began and how long its parts took.
struct Timings {
    started: SystemTime,
    reading: Duration,
    choosing: Duration,
    fitting: Duration,
    resampling: Duration,
}

/// Learns, writes and prints.
pub(super) fn run(args: &FitArgs) -> Outcome {
    let (started, clock) = (SystemTime::now(), Instant::now());
    let mut plan = Plan::new(args)?;
    let reading = clock.elapsed();
    // Results of a long run must not be lost for want of a place: it is made and tried first.
    let mut directory = args
        .output
        .out
        .as_deref()
        .map(ResultDirectory::prepare)
        .transpose()?;
    if let Some(trace) = &args.output.trace {
        output::check_writable(trace, "--trace")?;
    }
    inputs::use_threads(&args.run)?;

    let clock = Instant::now();
    choice::choose(args, &mut plan)?;
    let choosing = clock.elapsed();
    let watch = Watch::new(&plan, args.run.quiet, directory.is_some());
    let clock = Instant::now();
    let result = fit(&plan.structure, &plan.data, &plan.settings, &watch)?;
    let fitting = clock.elapsed();
    let traces = watch.into_traces();
    let clock = Instant::now();
    let uncertainty = Uncertainty::of(args, &plan, &result)?;
    let timings = Timings {
        started,
        reading,
        choosing,
        fitting,
        resampling: clock.elapsed(),
    };
    let mut warnings = [&plan.warnings[..], &result.warnings].concat();
    warnings.extend(at_the_edge(&result, &plan.settings.learning));
    warnings.extend(uncertainty.warnings.iter().cloned());

    if let Some(trace) = &args.output.trace {
        files::write_trace(trace, &result).map_err(Failure::while_running)?;
    }
    if let Some(directory) = &mut directory {
        files::write_results(
            directory,
            args,
            &plan,
            &result,
            &uncertainty,
            &timings,
            &warnings,
        )
        .map_err(Failure::while_running)?;
        directory.keep();
        let evidence = Evidence::gather(&result, &plan.data, traces);
        evidence
            .map_err(Failure::from)
            .and_then(|evidence| files::write_report(directory, &evidence))
            .map_err(Failure::while_running)?;
    }
    print(args, &plan, &result, &uncertainty, &timings, &warnings)?;
    output::warn(&warnings, args.run.quiet);
    Ok(())
}

/// A maximum at infinity, or beyond the box, in words: which weights, why, and the two ways out.
fn at_the_edge(result: &Fit, learning: &LearningSettings) -> Option<String> {
    const NAMED: usize = 6;
    let chosen = result.chosen();
    let terms = &chosen.certificate.boundary_terms;
    if terms.is_empty() {
        return None;
    }
    let named = terms.iter().take(NAMED);
    let mut names: Vec<String> = named.map(|&term| chosen.network.label(term)).collect();
    if terms.len() > NAMED {
        names.push("…".to_string());
    }
    let why = if learning.ridge > 0.0 {
        "their best values lie beyond it: widen --box, or raise --ridge"
    } else {
        "the data never show such units together, or never apart, so that no finite weight is the \
         best: add --ridge 1 for finite weights, or move the edge with --box"
    };
    Some(format!(
        "the chosen machine has {} at the edge of the box (±{}): {}; {why}",
        words::counted(terms.len() as u64, "weight"),
        number::typed(learning.bound),
        names.join(", ")
    ))
}

fn print(
    args: &FitArgs,
    plan: &Plan,
    result: &Fit,
    uncertainty: &Uncertainty,
    timings: &Timings,
    warnings: &[String],
) -> Outcome {
    if args.output.json {
        let document = document::document(plan, result, uncertainty, warnings);
        return output::print_json(&document);
    }
    let summary = render::fit::Summary {
        path: &args.data.data,
        data: &plan.data,
        shape: &args.machine.shape,
        settings: &plan.settings,
        size: plan.choices.size.as_ref(),
        ridge: plan.choices.ridge.as_ref(),
        fit: result,
        bootstrap: uncertainty.bootstrap.as_ref(),
        choosing: timings.choosing,
        fitting: timings.fitting,
        resampling: timings.resampling,
    };
    let mut text = render::fit::text(&summary, Style::of_stdout())?;
    // On a terminal the warnings follow on standard error; in a file they would be lost.
    if !output::is_on_terminal() && !warnings.is_empty() {
        text.push('\n');
        for warning in warnings {
            text += &format!("warning: {warning}\n");
        }
    }
    if let Some(out) = &args.output.out {
        let out = out.display();
        text += &format!("\nwrote model.json, candidates.csv, run.json and report.html in {out}\n");
    }
    if let Some(trace) = &args.output.trace {
        text += &format!("\nwrote {}\n", trace.display());
    }
    output::print(&text)
}
