//! One share of a fit, and the shares of a fit put together.

use super::shelf::{Shelf, Task, Ticket, listed};
use super::{await_others, own};
use crate::args::{Cli, Command, FitArgs, MergeArgs, Shard};
use crate::commands::fit::{Intake, Watch, conclude, prepare};
use crate::failure::{Failure, Outcome};
use crate::{interrupt, output};
use clap::Parser;
use latentropy::fit::record::RunContext;
use latentropy::fit::{Assembly, Job, Kind, Part, Round, Stage, Worker};
use latentropy::{Control, Error, Observer};
use serde_json::json;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// Does one share of every round that can be done now.
pub(in crate::commands) fn run(
    args: &FitArgs,
    shard: Shard,
    job: Job,
    context: RunContext,
) -> Outcome {
    let directory = args.output.out.as_deref().ok_or_else(|| {
        Failure::Request(
            "--shard writes its share into a directory; name it with --out".to_string(),
        )
    })?;
    let digest = format!("{:016x}", job.digest());
    let ticket = Ticket::new(shard.count, digest, Task::Fit(Box::new(context)));
    let shelf = Shelf::open(directory, &ticket, Some(&job.to_bytes()?))?;
    let wait = args.share.wait.unwrap_or_default();
    let watch = Watch::new(false, args.run.quiet);
    let control = Control {
        cancel: interrupt::token(),
        observer: &watch,
        ..Control::default()
    };
    let traced = job.plan().converges();
    // Whether kinds of processors may be mixed is for the merge to say.
    let mut assembly = Assembly::new(job.clone(), traced).taking_any_processor();
    let mut told = Told::new(shard);
    loop {
        let round = told.rounds;
        // Nothing is worked out for a share that could not go on.
        if shelf.has(round, shard.index) {
            told.missing = await_others(&shelf, round, wait, &control.cancel)?;
            if !told.missing.is_empty() {
                break;
            }
        }
        let next = assembly.next(&control).map_err(stopped)?;
        let Some(next) = next else {
            told.is_whole = true;
            break;
        };
        if !shelf.has(round, shard.index) {
            let pieces = own(shard, next.pieces());
            announce(&watch, &job, &next, &pieces);
            let part = Worker::new(&job, next.clone())?.run(&pieces, &control);
            let part = part.map_err(stopped)?;
            shelf.put(round, shard, &part.to_bytes()?)?;
            *told.done.entry(next.kind()).or_default() += pieces.len();
        }
        told.missing = await_others(&shelf, round, wait, &control.cancel)?;
        if !told.missing.is_empty() {
            break;
        }
        for other in 1..=shard.count {
            take(&mut assembly, &shelf, round, other)?;
        }
        told.rounds += 1;
    }
    drop(watch);
    told.print(args, directory)
}

/// The failure of a share or of a merge; one that was stopped says what is kept.
fn stopped(error: Error) -> Failure {
    match error {
        Error::Cancelled => Failure::Running(
            "stopped; shares that were written are kept: go on with the same arguments".to_string(),
        ),
        other => other.into(),
    }
}

/// Says what is about to be run.
fn announce(watch: &Watch, job: &Job, round: &Round, pieces: &[usize]) {
    let count = pieces.len();
    watch.stage(match (round.kind(), pieces.first()) {
        (Kind::Fold, Some(&first)) => Stage::Comparing {
            machine: job.machine_of(first),
            pieces: count,
        },
        (Kind::Refit, _) => Stage::Refits { count },
        (Kind::Restart | Kind::Fold, _) => Stage::Restarts { count },
    });
}

/// Takes a share from the shelf; its pieces, if it is there.
fn take(
    assembly: &mut Assembly,
    shelf: &Shelf,
    round: usize,
    shard: usize,
) -> Outcome<Vec<(Kind, usize)>> {
    let Some((path, bytes)) = shelf.share(round, shard)? else {
        return Ok(Vec::new());
    };
    let taken = Part::from_bytes(&bytes).and_then(|part| assembly.take(part));
    taken.map_err(|error| {
        let why = Failure::from(error);
        let why = why.message().unwrap_or_default();
        Failure::Request(format!("{}: {why}", path.display()))
    })
}

/// What there is to say of a share.
struct Told {
    shard: Shard,
    /// Rounds whose shares are all there.
    rounds: usize,
    /// Pieces done in this run.
    done: BTreeMap<Kind, usize>,
    /// Shares of the present round that are not there.
    missing: Vec<usize>,
    is_whole: bool,
}

impl Told {
    fn new(shard: Shard) -> Self {
        Told {
            shard,
            rounds: 0,
            done: BTreeMap::new(),
            missing: Vec::new(),
            is_whole: false,
        }
    }

    fn print(&self, args: &FitArgs, directory: &Path) -> Outcome {
        let Shard { index, count } = self.shard;
        if args.output.json {
            return output::print_json(&json!({
                "shard": index,
                "shards": count,
                "done": self.done.values().sum::<usize>(),
                "whole_rounds": self.rounds,
                "missing": self.missing,
                "whole": self.is_whole,
            }));
        }
        let pieces: usize = self.done.values().sum();
        let done = match pieces {
            0 => "nothing was left to do".to_string(),
            _ => counted(&self.done),
        };
        let next = match (self.is_whole, &self.missing[..]) {
            (true, _) => format!(
                "all shares are whole: latentropy merge {}",
                directory.display()
            ),
            (false, missing) => format!(
                "round {} still needs {} {}; then run the shares again for the next round, or latentropy merge {}",
                self.rounds + 1,
                if missing.len() == 1 {
                    "shard"
                } else {
                    "shards"
                },
                listed(missing),
                directory.display()
            ),
        };
        output::print(&format!("shard {index} of {count}: {done}\n{next}\n"))
    }
}

/// Pieces in words: 12 restarts and 3 refits.
fn counted(pieces: &BTreeMap<Kind, usize>) -> String {
    let words = pieces.iter().map(|(kind, count)| match count {
        1 => format!("1 {kind}"),
        _ => format!("{count} {kind}s"),
    });
    words.collect::<Vec<String>>().join(" and ")
}

/// Puts the shares of a fit together; what no share has done is done here.
pub(super) fn merge(args: &MergeArgs, shelf: &Shelf, context: RunContext) -> Outcome {
    let mut fit_args = typed(&context)?;
    fit_args.output.out = Some(args.out.clone().unwrap_or(args.directories[0].clone()));
    fit_args.output.json |= args.json;
    fit_args.run.quiet |= args.run.quiet;
    let directory = prepare(&fit_args)?;
    let job = Job::from_bytes(&shelf.job()?)?;
    let traced = job.plan().converges();
    let watch = Watch::new(traced, args.run.quiet);
    let control = Control {
        cancel: interrupt::token(),
        observer: &watch,
        ..Control::default()
    };
    let mut assembly = Assembly::new(job.clone(), traced);
    if args.mixed {
        assembly = assembly.taking_any_processor();
    }
    let mut here: BTreeMap<Kind, usize> = BTreeMap::new();
    let mut number = 0;
    while let Some(round) = assembly.next(&control).map_err(stopped)? {
        let mut taken = HashSet::new();
        for shard in 1..=shelf.shards() {
            taken.extend(take(&mut assembly, shelf, number, shard)?);
        }
        let pieces = round.pieces().iter().copied();
        let left: Vec<usize> = pieces
            .filter(|&piece| !taken.contains(&(round.kind(), piece)))
            .collect();
        if !left.is_empty() {
            announce(&watch, &job, &round, &left);
            *here.entry(round.kind()).or_default() += left.len();
            let part = Worker::new(&job, round)?.run(&left, &control);
            assembly.take(part.map_err(stopped)?)?;
        }
        number += 1;
    }
    let kinds: Vec<String> = assembly.processors().map(str::to_string).collect();
    let fit = assembly.finish(&control).map_err(stopped)?;
    let mut notes = Vec::new();
    if !here.is_empty() {
        notes.push(format!(
            "{} lean on earlier rounds and were run here; shares that are run again before merging, or with --wait, do \
             them, too",
            counted(&here)
        ));
    }
    if kinds.len() > 1 {
        notes.push(format!(
            "the shares come from several kinds of processors ({}); the result is that of one kind to a tolerance, not bit \
             for bit",
            kinds.join(", ")
        ));
    }
    output::warn(&notes, args.run.quiet);
    let intake = Intake::of(&context);
    let data = job.data().clone();
    let traces = watch.into_traces();
    conclude(&fit_args, data, fit, traces, intake, directory, None)?.print()
}

/// The arguments that the shares were run with.
fn typed(context: &RunContext) -> Outcome<FitArgs> {
    let name = std::iter::once("latentropy".to_string());
    let typed = Cli::try_parse_from(name.chain(context.arguments.iter().cloned()));
    match typed.map(|typed| typed.command) {
        Ok(Command::Fit(args)) => Ok(*args),
        _ => Err(Failure::Request(
            "the ticket of these shares is damaged: its arguments are not those of a fit"
                .to_string(),
        )),
    }
}
