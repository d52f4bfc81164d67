//! `fit`: flags to a request, the request to the library, the result to the terminal and to files.

mod files;
mod inside;
mod request;
mod watch;

use super::inputs::{self, Purpose};
use super::shards;
use crate::args::{DataArgs, FitArgs, ShardArg, ValidationArg};
use crate::failure::{Failure, Outcome};
use crate::interrupt;
use crate::output;
use crate::render::{self, Style};
use crate::wording::Flags;
use latentropy::data::{Coding, Dataset, Loaded, Words};
use latentropy::files::RunDirectory;
use latentropy::fit::record::RunContext;
use latentropy::fit::{Job, Journal, ValidationRows};
use latentropy::learning;
use latentropy::plain::plain_path;
use latentropy::{Control, Error, Fit};
use latentropy_report::fit::{Exhibits, Grid, RunFiles, TraceKeeper};
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
pub(super) use watch::Watch;

/// Its name in the result directory; gone once all results are written.
const JOURNAL: &str = "restarts.jsonl";

/// Learns, writes and prints.
pub(super) fn run(args: &FitArgs) -> Outcome {
    let started = SystemTime::now().duration_since(UNIX_EPOCH);
    let clock = Instant::now();
    let mut request = request::request(args)?;
    let shard = args.share.shard.map(ShardArg::resolve).transpose();
    let shard = shard.map_err(Failure::Request)?;
    let mut warnings = Vec::new();
    let loaded = read(args, &mut warnings)?;
    let data = loaded.dataset;
    if let Some(grid) = args.output.image {
        grid.check(&args.data.data, data.columns().len())?;
    }
    request::with_listed_terms(args, &mut request, &data, &mut warnings)?;
    request.validation_rows = validation_rows(args, &data, &loaded.codings, &mut warnings)?;
    let mut job = Job::new(&data, &request)?;
    // What is told of rows is told of those that are learned from.
    let data = job.data().clone();
    let intake = Intake {
        codings: loaded.codings,
        id: loaded.row_names.map(|names| names.column),
        warnings,
        started_unix: started.unwrap_or_default().as_secs_f64(),
        reading_seconds: clock.elapsed().as_secs_f64(),
    };
    if let Some(shard) = shard {
        inputs::use_threads(&args.run)?;
        let context = intake.into_context(args);
        return shards::fit_share(args, shard, job, context);
    }
    // Results of a long run must not be lost for want of a place: it is made and tried first.
    let directory = prepare(args)?;
    inputs::use_threads(&args.run)?;

    // A learner by samples would be evaluated along its way, and so might stop elsewhere.
    let traced = directory.is_some() && job.plan().converges();
    let watch = Watch::new(traced, args.run.quiet);
    let mut control = Control {
        cancel: interrupt::token(),
        observer: &watch,
        ..Control::default()
    };
    let clock = Instant::now();
    job.choose(&control).map_err(|error| match error {
        Error::Cancelled => Failure::Running(
            "stopped before the restarts began; of what comes before them nothing is kept"
                .to_string(),
        ),
        other => other.into(),
    })?;
    let choosing = clock.elapsed();
    let journal = directory
        .as_ref()
        .map(|directory| open_journal(args, directory, &job, traced))
        .transpose()?;
    control.journal = journal.as_ref();
    let kept = Kept {
        directory: directory.as_ref().map(RunDirectory::path),
        journal: journal.as_ref(),
    };
    let mut fit = job.fit(&control).map_err(|error| kept.failure(error))?;
    fit.timings.choosing = choosing;
    let traces = watch.into_traces();
    let finding = conclude(args, data, fit, traces, intake, directory, journal.as_ref())?;
    if let Some(journal) = journal {
        journal.remove();
    }
    finding.print()
}

/// What was read and noted before the work began.
pub(super) struct Intake {
    codings: Vec<Coding>,
    id: Option<String>,
    warnings: Vec<String>,
    started_unix: f64,
    reading_seconds: f64,
}

impl Intake {
    /// As a context keeps it.
    pub(super) fn of(context: &RunContext) -> Self {
        Intake {
            codings: context.codings.clone(),
            id: context.id.clone(),
            warnings: context.warnings.clone(),
            started_unix: context.started_unix,
            reading_seconds: context.reading_seconds,
        }
    }

    /// With what the flags tell.
    fn into_context(self, args: &FitArgs) -> RunContext {
        RunContext {
            started_unix: self.started_unix,
            reading_seconds: self.reading_seconds,
            warnings: self.warnings,
            codings: self.codings,
            id: self.id,
            ..context(args)
        }
    }
}

/// Writes what a fit found, as far as files are asked for.
pub(super) fn conclude<'a>(
    args: &'a FitArgs,
    data: Dataset,
    fit: Fit,
    traces: TraceKeeper,
    intake: Intake,
    mut directory: Option<RunDirectory>,
    journal: Option<&Journal<learning::Outcome>>,
) -> Outcome<Finding<'a>> {
    let context = RunContext {
        bias: request::has_bias(args, &fit.chosen().network),
        shape: shape(args, &fit),
        ..intake.into_context(args)
    };
    let exhibits = directory
        .as_ref()
        .map(|_| Exhibits::gather(&fit, &data, traces));
    let mut finding = Finding::new(args, data, fit, context);
    if let Some(trace) = &args.output.trace {
        files::write_trace(trace, &finding.fit).map_err(Failure::while_running)?;
    }
    if let (Some(directory), Some(exhibits)) = (&mut directory, exhibits) {
        let written = finding.write(directory, exhibits);
        if let (Err(Failure::Running(why)), Some(journal)) = (&written, journal)
            && !finding.has_results
        {
            let (restarts, _) = journal.kept_so_far();
            return Err(Failure::Running(format!(
                "{why}; nothing in {} is changed, and {restarts} restarts are kept there: go on with the same arguments \
                 and --resume",
                plain_path(directory.path())
            )));
        }
        written?;
    }
    Ok(finding)
}

/// The chosen machine's shape, or the file that lists its terms.
fn shape(args: &FitArgs, fit: &Fit) -> String {
    match (&args.machine.shape, fit.shape.as_str()) {
        (Some(file), "listed") => file.clone(),
        (_, shape) => shape.to_string(),
    }
}

/// Reads the rows to learn from.
fn read(args: &FitArgs, warnings: &mut Vec<String>) -> Outcome<Loaded> {
    let (weights, words) = (Some(&args.weights), Words::Recognise);
    let loaded = inputs::data(&args.data, weights, words, Purpose::Learning, warnings)?;
    request::refuse_unknown_columns(&args.data.data, &loaded.dataset)?;
    Ok(loaded)
}

/// The rows kept for validation, if any: read as the data are, with the same words for 0 and 1.
fn validation_rows(
    args: &FitArgs,
    data: &Dataset,
    codings: &[Coding],
    warnings: &mut Vec<String>,
) -> Outcome<Option<ValidationRows>> {
    let file = match &args.search.validation {
        None => return Ok(None),
        Some(ValidationArg::Fraction(share)) => return Ok(Some(ValidationRows::Fraction(*share))),
        Some(ValidationArg::File(file)) => file,
    };
    let words = Words::OfModel {
        units: data.columns().to_vec(),
        codings: codings.to_vec(),
    };
    let source = DataArgs {
        data: file.clone(),
        ..args.data.clone()
    };
    let weights = Some(&args.weights);
    let loaded = inputs::data(&source, weights, words, Purpose::Judging, warnings)?;
    Ok(Some(ValidationRows::Table(loaded.dataset)))
}

/// The directory of the results, if one is asked for, and a look at where the trace is to go.
pub(super) fn prepare(args: &FitArgs) -> Outcome<Option<RunDirectory>> {
    let out = args.output.out.as_deref();
    let directory = out.map(|path| output::run_directory(path, "--out"));
    let directory = directory.transpose()?;
    if let Some(directory) = &directory {
        refuse_directories(directory)?;
        if !args.output.force {
            refuse_to_overwrite(args, directory)?;
        }
    }
    if let Some(trace) = &args.output.trace {
        output::check_writable(trace, "--trace")?;
    }
    Ok(directory)
}

/// Refuses a place where a directory has the name of a result: no file can take it, whatever may be overwritten.
fn refuse_directories(directory: &RunDirectory) -> Outcome {
    let mut names = latentropy_report::fit::in_the_way(directory).into_iter();
    match names.find(|name| directory.file(name).is_dir()) {
        None => Ok(()),
        Some(name) => Err(Failure::Request(format!(
            "{}: is a directory, and a file of the run goes there; move it away, or give another directory with --out",
            plain_path(&directory.file(&name))
        ))),
    }
}

/// Refuses a directory in which something would be lost that nobody said may be.
fn refuse_to_overwrite(args: &FitArgs, directory: &RunDirectory) -> Outcome {
    let refused = |problem: String| {
        let place = plain_path(directory.path());
        Err(Failure::Request(format!("{place}: {problem}")))
    };
    let foreign = latentropy_report::fit::in_the_way(directory);
    if !foreign.is_empty() {
        return refused(format!(
            "holds {} that no fit wrote as it is now; give another directory with --out, or --force to overwrite it",
            foreign.join(", ")
        ));
    }
    if !args.output.resume && directory.file(JOURNAL).exists() {
        return refused(
            "holds an interrupted run; go on with it by --resume, or start anew with --force"
                .to_string(),
        );
    }
    Ok(())
}

/// What only the command line knows about a run, as far as its flags tell.
fn context(args: &FitArgs) -> RunContext {
    RunContext {
        arguments: without_share(
            std::env::args_os()
                .skip(1)
                .map(|argument| argument.to_string_lossy().into_owned()),
        ),
        file: args.data.data.to_string_lossy().into_owned(),
        columns: args.data.columns.clone(),
        weights: args.weights.weights.clone(),
        image: args.output.image.map(Grid::record),
        threads: rayon::current_num_threads(),
        ..RunContext::default()
    }
}

/// What was typed but for the share: that of a run as a whole.
fn without_share(arguments: impl Iterator<Item = String>) -> Vec<String> {
    let mut whole = Vec::new();
    let mut arguments = arguments.peekable();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--shard" | "--wait" => drop(arguments.next()),
            other if other.starts_with("--shard=") || other.starts_with("--wait=") => {}
            _ => whole.push(argument),
        }
    }
    whole
}

/// What a fit that does not end well leaves behind.
struct Kept<'a> {
    directory: Option<&'a Path>,
    journal: Option<&'a Journal<learning::Outcome>>,
}

impl Kept<'_> {
    /// The failure of a fit; one that was stopped says what is kept, and how to go on.
    fn failure(&self, error: Error) -> Failure {
        let (Error::Cancelled, Some(journal), Some(directory)) =
            (&error, self.journal, self.directory)
        else {
            return match error {
                Error::Cancelled => Failure::Running(
                    "stopped, and nothing is kept; with --out DIR a run that is stopped can be gone on with by --resume"
                        .to_string(),
                ),
                other => other.into(),
            };
        };
        let counted = |count: usize| match count {
            1 => "1 restart".to_string(),
            count => format!("{count} restarts"),
        };
        let kept = match journal.kept_so_far() {
            (0, 0) => {
                return Failure::Running(
                    "stopped before a restart ended or had a checkpoint; nothing is kept"
                        .to_string(),
                );
            }
            (0, under_way) => format!("{} under way", counted(under_way)),
            (ended, 0) => format!("{} that ended", counted(ended)),
            (ended, under_way) => {
                format!("{} that ended and {under_way} under way", counted(ended))
            }
        };
        let place = plain_path(directory);
        Failure::Running(format!(
            "stopped; kept in {place}: {kept}; go on with the same arguments and --resume"
        ))
    }
}

/// A new journal of restarts, or with `--resume` the one that is there; what there is to tell about it is told.
fn open_journal(
    args: &FitArgs,
    directory: &RunDirectory,
    job: &Job,
    traced: bool,
) -> Outcome<Journal<learning::Outcome>> {
    let path = directory.file(JOURNAL);
    let identity = job.identity(traced || args.output.trace.is_some())?;
    if !(args.output.resume && path.exists()) {
        if args.output.resume {
            // About this run alone: results must not depend on how often it was interrupted.
            let note = format!(
                "{}: holds no interrupted run to go on with; this one starts from the beginning",
                plain_path(directory.path())
            );
            output::warn(&[note], args.run.quiet);
        }
        return Ok(Journal::create(&path, identity)?);
    }
    let anew = "start anew with --force in place of --resume";
    let journal = Journal::resume(&path, identity, anew, job.noted_check()?)?;
    let damaged = journal.damaged().iter().map(|line| {
        let path = plain_path(&path);
        format!("{path}: {line}; what it says is left out, and its restart is learned again")
    });
    output::warn(&damaged.collect::<Vec<_>>(), args.run.quiet);
    let all = job.restarts();
    let piece = |restart: usize| format!("restart {restart}");
    let taken = (0..all).filter(|&restart| journal.known(&piece(restart)).is_some());
    let taken = taken.count();
    let under_way = (0..all).filter(|&restart| journal.is_under_way(&piece(restart)));
    let mut note = format!("{taken} of {all} restarts are taken from the interrupted run");
    match under_way.count() {
        0 => {}
        1 => note += "; 1 more goes on in its middle",
        several => note += &format!("; {several} more go on in their middle"),
    }
    output::warn(&[note], args.run.quiet);
    Ok(journal)
}

/// What a fit found, and what there is to say about it.
pub(super) struct Finding<'a> {
    args: &'a FitArgs,
    data: Dataset,
    fit: Fit,
    context: RunContext,
    /// Everything a user should know.
    warnings: Vec<String>,
    has_report: bool,
    has_results: bool,
}

impl<'a> Finding<'a> {
    fn new(args: &'a FitArgs, data: Dataset, fit: Fit, context: RunContext) -> Self {
        let warnings = [context.warnings.clone(), fit.warnings(&Flags)].concat();
        Finding {
            args,
            data,
            fit,
            context,
            warnings,
            has_report: false,
            has_results: false,
        }
    }

    /// Writes the files of `--out`.
    fn write(
        &mut self,
        directory: &mut RunDirectory,
        exhibits: latentropy::Result<Exhibits>,
    ) -> Outcome {
        // The report's figures are exact sums: where there are none, the other files are still written.
        let (exhibits, lost) = match exhibits {
            Err(error @ Error::TooLarge { .. }) => {
                let why = error.worded(&Flags);
                self.warnings
                    .push(format!("report.html is not written: {why}"));
                (None, None)
            }
            Err(error) => (None, Some(error)),
            Ok(exhibits) => (Some(exhibits), None),
        };
        self.has_report = exhibits.is_some();
        let mut run = self.fit.run_record(&self.data, &self.context, &Flags);
        run.result.warnings.clone_from(&self.warnings);
        let mut model = self.fit.model_document(&self.data);
        model.codings.clone_from(&self.context.codings);
        let files = RunFiles {
            fit: &self.fit,
            run,
            model,
            exhibits,
        };
        let failed = |error: Error| Failure::from(error).while_running();
        let page = files.write(directory).map_err(failed)?;
        directory.keep();
        self.has_results = true;
        page.map_err(failed)?;
        lost.map_or(Ok(()), |error| Err(failed(error)))
    }

    pub(super) fn print(&self) -> Outcome {
        let Finding { args, warnings, .. } = self;
        if args.output.json {
            let mut document = self.fit.document(warnings.clone(), &Flags);
            document.model.codings.clone_from(&self.context.codings);
            output::print_json(&document)?;
            output::warn(warnings, args.run.quiet);
            return Ok(());
        }
        let summary = render::fit::Summary {
            path: &args.data.data,
            data: &self.data,
            codings: &self.context.codings,
            shape: &shape(args, &self.fit),
            fit: &self.fit,
        };
        let mut text = render::fit::text(&summary, Style::of_stdout().in_bits(args.output.bits))?;
        text += &output::warnings_for_stdout(warnings);
        if let Some(out) = &args.output.out {
            let out = plain_path(out);
            let files = match self.has_report {
                true => {
                    "report.html, model.json, weights.csv, candidates.csv and .jsonl, start.json and run.json"
                }
                false => {
                    "model.json, weights.csv, candidates.csv and .jsonl, start.json and run.json"
                }
            };
            text += &format!("\nwrote {files}\nin {out}\n");
        }
        if let Some(trace) = &args.output.trace {
            text += &format!("\nwrote {}\n", plain_path(trace));
        }
        output::print(&text)?;
        output::warn_beside_stdout(warnings, args.run.quiet);
        Ok(())
    }
}
