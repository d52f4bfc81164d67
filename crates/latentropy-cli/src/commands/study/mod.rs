//! `reproduce` and `study`: a spec's cells run or resumed, then summarised, judged, drawn and written.

mod files;
mod timings;

use super::{inputs, shards};
use crate::args::{ReproduceArgs, RunArgs, ShardArg, StudyArgs, StudyOptions};
use crate::failure::{Failure, Outcome};
use crate::interrupt;
use crate::output;
use crate::render::{self, Style};
use files::Finished;
use latentropy::files::{Content, RunDirectory, read_bounded_text};
use latentropy::plain::plain_path;
use latentropy_study::{
    Cell, PAPER, QUICK, Results, Spec, Study, Summary, run, verdicts, verdicts_document,
};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use timings::Watch;

const JOURNAL: &str = "journal.jsonl";
/// Most bytes that a spec may have.
const LONGEST_SPEC: u64 = 1 << 20;

/// What is to be done.
pub(super) struct Order<'a> {
    pub(super) text: String,
    /// Where the settings are from.
    pub(super) name: String,
    pub(super) spec: Spec,
    pub(super) figure: Option<u32>,
    pub(super) out: &'a Path,
    pub(super) seed: Option<u64>,
    pub(super) resume: bool,
    pub(super) json: bool,
    pub(super) shard: Option<ShardArg>,
    /// What shares have found, where they are put together.
    pub(super) known: Option<Results>,
    pub(super) run: &'a RunArgs,
}

impl<'a> Order<'a> {
    fn new(
        text: String,
        name: &Path,
        figure: Option<u32>,
        out: &'a Path,
        options: &'a StudyOptions,
    ) -> Outcome<Self> {
        Ok(Order {
            spec: Spec::parse(&text, name)?,
            text,
            name: name.to_string_lossy().into_owned(),
            figure,
            out,
            seed: options.seed,
            resume: options.resume,
            json: options.json,
            shard: options.share.shard,
            known: None,
            run: &options.run,
        })
    }
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
    let order = Order::new(text, name, args.figure, &args.out, &args.common)?;
    if let Some(figure) = args.figure
        && Cell::all(&order.spec, Some(figure)).is_empty()
    {
        return Err(Failure::Request(format!(
            "{}: no experiment of it belongs to figure {figure}; leave --figure out",
            name.display()
        )));
    }
    carry_out(order)
}

/// Runs a user's own study.
pub(super) fn study(args: &StudyArgs) -> Outcome {
    let text = spec_text(&args.spec)?;
    carry_out(Order::new(text, &args.spec, None, &args.out, &args.common)?)
}

fn spec_text(path: &Path) -> Outcome<String> {
    Ok(read_bounded_text(path, LONGEST_SPEC, "give a TOML file")?)
}

/// Runs what is left of a study, or one share of it, and writes what it shows.
pub(super) fn carry_out(mut request: Order<'_>) -> Outcome {
    request.spec.seed = request.seed.unwrap_or(request.spec.seed);
    // Whoever merges has said so already.
    if request.known.is_none() {
        inputs::use_threads(request.run)?;
    }
    let study = Study::new(request.spec.clone())?;
    let cells = Cell::all(study.spec(), request.figure);
    if let Some(shard) = request.shard {
        let shard = shard.resolve().map_err(Failure::Request)?;
        return shards::study_share(&study, &request, shard, &cells, request.run);
    }
    let mut directory = output::run_directory(request.out, "--out")?;
    let begun = begun(&directory, request.resume)?;
    let journal = directory.file(JOURNAL);
    let (journal, mut results) = if begun {
        study.resume_journal(&journal, "give an empty directory with --out to start anew")?
    } else {
        let known = request.known.take().unwrap_or_default();
        (study.create_journal(&journal)?, known)
    };
    directory.keep();
    for line in journal.damaged() {
        let path = plain_path(&directory.file(JOURNAL));
        let note = format!("{path}: {line}; what it says is left out, and its cell is done again");
        output::warn(&[note], request.run.quiet);
    }
    let left = cells.iter().filter(|cell| !results.contains(cell)).count();
    let watch = Watch::new(&directory, study.spec(), left, request.run.quiet)?;
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
    if request.json {
        return output::print_json(&json!({
            "title": study.spec().title,
            "seed": study.spec().seed,
            "fingerprint": study.fingerprint()?,
            "cells": cells.len(),
            "directory": request.out,
            "files": written,
            "verdicts": verdicts_document(&verdicts),
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
