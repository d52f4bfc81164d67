//! How long a study takes: progress while it runs, and the times in a directory of their own.

use crate::failure::{Failure, Outcome};
use crate::output;
use crate::progress::Counter;
use latentropy::files::{RunDirectory, write_atomically};
use latentropy_report::study::convergence_by_time;
use latentropy_study::{Cell, Observer, Spec, Summary, convergence_seconds};
use serde_json::json;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const DIRECTORY: &str = "timings";

/// Counts cells and notes their times.
pub(super) struct Watch<'a> {
    counter: Counter,
    spec: &'a Spec,
    file: Mutex<File>,
}

impl<'a> Watch<'a> {
    /// A bar over so many cells; times are added to those of earlier runs.
    pub(super) fn new(
        out: &RunDirectory,
        spec: &'a Spec,
        cells: usize,
        quiet: bool,
    ) -> Outcome<Self> {
        let directory = out.file(DIRECTORY);
        let path = directory.join("cells.csv");
        let failed = |source| Failure::from(latentropy::Error::io(&path, "write", source));
        fs::create_dir_all(&directory).map_err(failed)?;
        let is_new = !path.exists();
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(failed)?;
        if is_new {
            file.write_all(b"cell,seconds\n").map_err(failed)?;
        }
        Ok(Watch {
            counter: Counter::new(cells, "cells", quiet),
            spec,
            file: Mutex::new(file),
        })
    }
}

impl Observer for Watch<'_> {
    fn cell_done(&self, cell: &Cell, took: Duration) {
        let line = format!("{},{:.6}\n", cell.key(self.spec), took.as_secs_f64());
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // A time that is lost is no reason to stop the study.
        let _ = file.write_all(line.as_bytes());
        self.counter.advance(1);
    }
}

/// Figure 2 by the clock, and how long the whole took.
pub(super) fn write(
    out: &RunDirectory,
    spec: &Spec,
    summary: &Summary,
    took: Duration,
    cells: usize,
) -> Outcome {
    let directory = out.file(DIRECTORY);
    let run = json!({
        "seconds": took.as_secs_f64(),
        "cells": cells,
        "threads": rayon::current_num_threads(),
    });
    write_atomically(
        &directory.join("run.json"),
        output::json_text(&run)?.as_bytes(),
    )?;
    if summary.curves.is_empty() {
        return Ok(());
    }
    let steps: Vec<Option<f64>> = summary.curves.iter().map(|curve| curve.step).collect();
    let reached = convergence_seconds(spec, &steps)?;
    if let Some(figure) = convergence_by_time(spec, summary, &reached) {
        figure.figure.write(&directory, &figure.name)?;
        for (name, table) in &figure.tables {
            write_atomically(&directory.join(name), table.to_csv().as_bytes())?;
        }
    }
    Ok(())
}
