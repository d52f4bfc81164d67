//! One share of a study, and the shares of a study put together: its cells are one round.

use super::own;
use super::shelf::{Shelf, Task, Ticket};
use crate::args::{MergeArgs, RunArgs, Shard};
use crate::commands::study::{Order, carry_out};
use crate::failure::{Failure, Outcome};
use crate::output;
use crate::progress::Counter;
use latentropy_study::{Cell, Observer, Results, Share, Spec, Study};
use std::path::Path;
use std::time::Duration;

/// Counts cells.
struct Watch(Counter);

impl Observer for Watch {
    fn cell_done(&self, _: &Cell, _: Duration) {
        self.0.advance(1);
    }
}

/// Runs one share of the cells.
pub(in crate::commands) fn run(
    study: &Study,
    order: &Order<'_>,
    shard: Shard,
    cells: &[Cell],
    args: &RunArgs,
) -> Outcome {
    let task = Task::Study {
        spec: order.text.clone(),
        name: order.name.clone(),
        seed: study.spec().seed,
        figure: order.figure,
    };
    let ticket = Ticket::new(shard.count, study.fingerprint()?, task);
    let shelf = Shelf::open(order.out, &ticket, None)?;
    let Shard { index, count } = shard;
    let then = format!(
        "when all shards are there: latentropy merge {}",
        order.out.display()
    );
    if shelf.has(0, index) {
        return output::print(&format!(
            "shard {index} of {count}: nothing was left to do\n{then}\n"
        ));
    }
    let places: Vec<usize> = own(shard, &(0..cells.len()).collect::<Vec<usize>>());
    let cells: Vec<Cell> = places.into_iter().map(|at| cells[at].clone()).collect();
    let watch = Watch(Counter::new(cells.len(), "cells", args.quiet));
    let share = study.share(&cells, &watch)?;
    drop(watch);
    shelf.put(0, shard, &share.to_bytes()?)?;
    output::print(&format!(
        "shard {index} of {count}: {} cells\n{then}\n",
        cells.len()
    ))
}

/// Puts the shares of a study together.
pub(super) fn merge(args: &MergeArgs, shelf: &Shelf, task: Task) -> Outcome {
    let Task::Study {
        spec: text,
        name,
        seed,
        figure,
    } = task
    else {
        return Err(Failure::Request(
            "these are no shares of a study".to_string(),
        ));
    };
    let mut spec = Spec::parse(&text, Path::new(&name))?;
    spec.seed = seed;
    let study = Study::new(spec.clone())?;
    let mut results = Results::default();
    for shard in 1..=shelf.shards() {
        if let Some((path, bytes)) = shelf.share(0, shard)? {
            let share = Share::from_bytes(&bytes);
            let taken = share.and_then(|share| study.take(share, args.mixed, &mut results));
            taken.map_err(|error| {
                let why = Failure::from(error);
                let why = why.message().unwrap_or_default();
                Failure::Request(format!("{}: {why}", path.display()))
            })?;
        }
    }
    let out = args.out.as_deref().unwrap_or(&args.directories[0]);
    carry_out(Order {
        text,
        name,
        spec,
        figure,
        out,
        seed: None,
        resume: false,
        json: args.json,
        shard: None,
        known: Some(results),
        run: &args.run,
    })
}
