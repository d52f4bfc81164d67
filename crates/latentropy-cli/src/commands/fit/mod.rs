//! `fit`: rows in, every candidate out, one chosen by a stated principle.

mod choice;
mod document;
mod edge;
mod evidence;
mod files;
mod journal;
mod plan;
mod structure;
mod uncertainty;
mod watch;

use super::inputs;
use crate::args::FitArgs;
use crate::failure::{Failure, Outcome};
use crate::output::{self, ResultDirectory};
use crate::render::{self, Style};
use edge::Edge;
use journal::Journal;
use latentropy::error::Error;
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

/// What a fit found, and what there is to say about it.
struct Finding<'a> {
    fit: &'a Fit,
    edge: &'a Edge,
    uncertainty: &'a Uncertainty,
    warnings: &'a [String],
    has_report: bool,
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
    evidence::choose(args, &mut plan)?;
    let choosing = clock.elapsed();
    let journal = match &directory {
        Some(directory) => {
            let (journal, notes) = Journal::open(directory, &plan, args.output.resume)?;
            // About this run alone: results must not depend on how often it was interrupted.
            output::warn(&notes, args.run.quiet);
            Some(journal)
        }
        None => None,
    };
    let watch = Watch::new(&plan, args.run.quiet, journal);
    let clock = Instant::now();
    let result = fit(&plan.structure, &plan.data, &plan.settings, &watch)?;
    let fitting = clock.elapsed();
    let (traces, journal) = watch.into_parts();
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
    // The fit is done and must not be lost for want of an explanation.
    let edge = Edge::new(&plan, &result).unwrap_or_else(|error| {
        warnings.push(format!(
            "why weights are at the edge of the box cannot be told: {error}"
        ));
        Edge::default()
    });
    warnings.extend(edge.warning(&result.chosen().network, &plan.settings.learning));
    warnings.extend(uncertainty.warnings.iter().cloned());
    let gathered = directory
        .as_ref()
        .map(|_| Evidence::gather(&result, &plan.data, traces));
    // The report's figures are exact sums: where there are none, the other files are still written.
    let gathered = match gathered {
        Some(Err(error @ Error::TooLarge(_))) => {
            warnings.push(format!("report.html is not written: {error}"));
            None
        }
        other => other,
    };
    let finding = Finding {
        has_report: gathered.is_some(),
        fit: &result,
        edge: &edge,
        uncertainty: &uncertainty,
        warnings: &warnings,
    };

    if let Some(trace) = &args.output.trace {
        files::write_trace(trace, &result).map_err(Failure::while_running)?;
    }
    if let Some(directory) = &mut directory {
        files::write_results(directory, args, &plan, &finding, &timings)
            .map_err(Failure::while_running)?;
        directory.keep();
        if let Some(gathered) = gathered {
            gathered
                .map_err(Failure::from)
                .and_then(|evidence| files::write_report(directory, &evidence))
                .map_err(Failure::while_running)?;
        }
    }
    if let Some(journal) = journal {
        journal.remove();
    }
    print(args, &plan, &finding, &timings)?;
    output::warn(&warnings, args.run.quiet);
    Ok(())
}

fn print(args: &FitArgs, plan: &Plan, finding: &Finding, timings: &Timings) -> Outcome {
    if args.output.json {
        return output::print_json(&document::document(plan, finding));
    }
    let Finding { fit, warnings, .. } = *finding;
    let summary = render::fit::Summary {
        path: &args.data.data,
        data: &plan.data,
        shape: &args.machine.shape,
        settings: &plan.settings,
        engine_reason: plan.engine_reason.as_deref(),
        size: plan.choices.size.as_ref(),
        ridge: plan.choices.ridge.as_ref(),
        evidence: plan.choices.evidence.as_ref(),
        fit,
        bootstrap: finding.uncertainty.bootstrap.as_ref(),
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
        let files = match finding.has_report {
            true => "model.json, candidates.csv, run.json and report.html",
            false => "model.json, candidates.csv and run.json",
        };
        text += &format!("\nwrote {files} in {out}\n");
    }
    if let Some(trace) = &args.output.trace {
        text += &format!("\nwrote {}\n", trace.display());
    }
    output::print(&text)
}
