//! Runs in shares (`--shard`) and what puts them together (`merge`), by files alone: no share talks to another.
//!
//! The work comes in rounds, none of whose pieces lean on each other; every share works out for itself what the next round
//! is, takes every N-th piece of it, and puts the results on the shelf in one file.

mod fit;
mod shelf;
mod study;

pub(super) use fit::run as fit_share;
pub(super) use study::run as study_share;

use crate::args::{MergeArgs, Shard};
use crate::failure::{Failure, Outcome};
use latentropy::Cancel;
use shelf::{Shelf, Task, listed};
use std::thread;
use std::time::{Duration, Instant};

/// Puts the shares of a run together.
pub(super) fn merge(args: &MergeArgs) -> Outcome {
    super::inputs::use_threads(&args.run)?;
    let (ticket, shelf) = Shelf::gather(&args.directories)?;
    let missing = shelf.missing(0);
    if !missing.is_empty() {
        let all = ticket.shards;
        let (shards, have, them) = match missing.len() {
            1 => ("shard", "has", "it"),
            _ => ("shards", "have", "them"),
        };
        let example = missing[0];
        return Err(Failure::Request(format!(
            "{}: {shards} {} of {all} {have} not been run; run {them} (--shard {example}/{all}), then merge again",
            args.directories[0].display(),
            listed(&missing),
        )));
    }
    match ticket.task {
        Task::Fit(context) => fit::merge(args, &shelf, *context),
        Task::Study { .. } => study::merge(args, &shelf, ticket.task),
    }
}

/// A share's pieces of a round: every N-th one.
fn own<T: Copy>(shard: Shard, pieces: &[T]) -> Vec<T> {
    let from = pieces.iter().skip(shard.index - 1);
    from.step_by(shard.count).copied().collect()
}

/// Looks for the shares of a round until all are there or the time is over; returns those that are not.
fn await_others(
    shelf: &Shelf,
    round: usize,
    wait: Duration,
    cancel: &Cancel,
) -> Outcome<Vec<usize>> {
    const FIRST_LOOK: Duration = Duration::from_millis(20);
    const LONGEST_LOOK: Duration = Duration::from_secs(2);
    let clock = Instant::now();
    let mut pause = FIRST_LOOK;
    loop {
        let missing = shelf.missing(round);
        if missing.is_empty() || clock.elapsed() >= wait {
            return Ok(missing);
        }
        if cancel.is_cancelled() {
            return Err(Failure::Running(
                "stopped; the shares that are done are kept".to_string(),
            ));
        }
        thread::sleep(pause.min(wait.saturating_sub(clock.elapsed())));
        pause = (pause * 2).min(LONGEST_LOOK);
    }
}
