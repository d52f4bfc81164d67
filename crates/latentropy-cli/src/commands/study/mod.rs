//! `reproduce` and `study`: a spec's cells run or resumed, then summarised, judged, drawn and written.

mod files;
mod timings;

use super::inputs;
use crate::args::{ReproduceArgs, StudyArgs, StudyOptions};
use crate::failure::{Failure, Outcome};
use crate::interrupt;
use crate::output;
use crate::render::{self, Style};
use files::Finished;
use latentropy::files::{Content, RunDirectory, read_bounded_text};
use latentropy::plain::plain_path;
use latentropy_study::{Cell, PAPER, QUICK, Results, Spec, Study, Summary, run, verdicts};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use timings::Watch;

const JOURNAL: &str = "journal.jsonl";
/// Most bytes that a spec may have.
const LONGEST_SPEC: u64 = 1 << 20;

/// What is to be done.
struct Request<'a> {
    text: String,
    spec: Spec,
    figure: Option<u32>,
    out: &'a Path,
    options: &'a StudyOptions,
}

/// Repeats the paper's experiments.
pub(super) fn reproduce(args: &ReproduceArgs) -> Outcome {
    let built_in = if args.quick { QUICK } else { PAPER };
    if args.print_spec {
        return output::print(built_in);
    }
    let (text, name) = match &args.spec {
        Some(path) => (spec_text(path)?, path.as_path()),
        None => (built_in.to_string(), Path::new("the built-in spec")),
    };
    let spec = Spec::parse(&text, name)?;
    if let Some(figure) = args.figure
        && Cell::all(&spec, Some(figure)).is_empty()
    {
        return Err(Failure::Request(format!(
            "{}: no experiment of it belongs to figure {figure}; leave --figure out",
            name.display()
        )));
    }
    carry_out(Request {
        text,
        spec,
        figure: args.figure,
        out: &args.out,
        options: &args.common,
    })
}

/// Runs a user's own study.
pub(super) fn study(args: &StudyArgs) -> Outcome {
    let text = spec_text(&args.spec)?;
    let spec = Spec::parse(&text, &args.spec)?;
    carry_out(Request {
        text,
        spec,
        figure: None,
        out: &args.out,
        options: &args.common,
    })
}

fn spec_text(path: &Path) -> Outcome<String> {
    Ok(read_bounded_text(path, LONGEST_SPEC, "give a TOML file")?)
}

fn carry_out(mut request: Request<'_>) -> Outcome {
    let options = request.options;
    request.spec.seed = options.seed.unwrap_or(request.spec.seed);
    inputs::use_threads(&options.run)?;
    let study = Study::new(request.spec)?;
    let cells = Cell::all(study.spec(), request.figure);
    let mut directory = output::run_directory(request.out, "--out")?;
    let begun = begun(&directory, options.resume)?;
    let journal = directory.file(JOURNAL);
    let (journal, mut results) = if begun {
        study.resume_journal(&journal, "give an empty directory with --out to start anew")?
    } else {
        (study.create_journal(&journal)?, Results::default())
    };
    directory.keep();
    for line in journal.damaged() {
        let path = plain_path(&directory.file(JOURNAL));
        let note = format!("{path}: {line}; what it says is left out, and its cell is done again");
        output::warn(&[note], options.run.quiet);
    }
    let left = cells.iter().filter(|cell| !results.contains(cell)).count();
    let watch = Watch::new(&directory, study.spec(), left, options.run.quiet)?;
    let clock = Instant::now();
    let journal = Arc::new(journal);
    let (noted, place, all) = (
        Arc::downgrade(&journal),
        plain_path(request.out),
        cells.len(),
    );
    // Every cell is in the journal as soon as it is done: the program may end at any moment.
    interrupt::end_with(move || {
        let kept = noted.upgrade().map(|journal| journal.kept_so_far().0);
        match kept {
            Some(kept) => format!(
                "stopped; {kept} of {all} cells are kept in {place}: go on with the same arguments and --resume"
            ),
            None => format!(
                "stopped; all cells are kept in {place}: go on with the same arguments and --resume"
            ),
        }
    });
    run(&study, &cells, &mut results, &journal, &watch)?;
    drop(watch);
    let journal = Arc::into_inner(journal)
        .ok_or_else(|| Failure::Running("the study is being stopped".to_string()))?;
    let took = clock.elapsed();
    study.close_journal(journal, &results)?;

    let summary = Summary::new(study.spec(), &results);
    let verdicts = verdicts(study.spec(), &results, &summary);
    let finished = Finished {
        study: &study,
        spec_text: &request.text,
        figure: request.figure,
        results: &results,
        summary: &summary,
        verdicts: &verdicts,
    };
    let written = finished.write(&directory).map_err(Failure::while_running)?;
    timings::write(&directory, study.spec(), &summary, took, left)
        .map_err(Failure::while_running)?;
    if options.json {
        return output::print_json(&json!({
            "title": study.spec().title,
            "seed": study.spec().seed,
            "fingerprint": study.fingerprint()?,
            "cells": cells.len(),
            "directory": request.out,
            "files": written,
            "verdicts": files::verdicts_json(&verdicts),
        }));
    }
    let text = render::study::text(study.spec(), &verdicts, Style::of_stdout());
    let out = plain_path(request.out);
    output::print(&format!(
        "{text}\nwrote {} files in {out}; start with report.html\n",
        written.len()
    ))
}

/// Whether the directory holds a study to go on with; one that holds anything else is refused.
fn begun(directory: &RunDirectory, resume: bool) -> Outcome<bool> {
    let refused = |problem: &str| {
        let place = plain_path(directory.path());
        Err(Failure::Request(format!("{place}: {problem}")))
    };
    let is_empty = directory.content() == Content::Nothing;
    match (resume, directory.file(JOURNAL).is_file()) {
        (true, true) => Ok(true),
        (_, _) if is_empty => Ok(false),
        (true, false) => refused(
            "holds files, but no journal of an interrupted study; give --out the directory of one, or an empty one",
        ),
        (false, true) => refused(
            "holds a study already; go on with it by --resume, or give another directory with --out",
        ),
        (false, false) => refused("is not empty; give an empty directory with --out"),
    }
}
