//! Runs a study's cells in parallel, each recorded as soon as it is done.

use crate::cell::{Cell, Place};
use crate::convergence::converge;
use crate::estimate::{Yardstick, compare};
use crate::journal::Journal;
use crate::marginal::log_marginal;
use crate::results::{Record, Results};
use crate::spec::{Experiment, Spec};
use crate::truth::{draw, fitted, read, split, truth};
use crate::wording::in_spec_words;
use latentropy::data::Dataset;
use latentropy::network::Network;
use latentropy::random::{Digest, named_seed};
use latentropy::{Error, Result};
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Watches a study; called from worker threads.
pub trait Observer: Sync {
    /// A cell is done, in so much time.
    fn cell_done(&self, _cell: &Cell, _took: Duration) {}
}

/// A study that is ready to run: its truths drawn, its data read.
#[derive(Clone, Debug)]
pub struct Study {
    spec: Spec,
    sources: Vec<Origin>,
}

/// Where an experiment's rows come from.
#[derive(Clone, Debug)]
enum Origin {
    /// The truths, and log p*(y) of each.
    Truths(Vec<(Network, Vec<f64>)>),
    Rows(Dataset),
}

impl Study {
    /// Draws the truths, reads the data, and tries every machine once.
    pub fn new(spec: Spec) -> Result<Self> {
        let sources = spec
            .experiments
            .iter()
            .map(|experiment| Origin::new(&spec, experiment))
            .collect::<Result<Vec<Origin>>>()?;
        Ok(Study { spec, sources })
    }

    /// The settings.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// What results depend on: settings, seed, data and version.
    pub fn fingerprint(&self) -> Result<String> {
        let mut digest = Digest::default();
        digest.eat(self.spec.fingerprint()?.as_bytes());
        for source in &self.sources {
            if let Origin::Rows(data) = source {
                digest.eat(&data.fingerprint().to_le_bytes());
            }
        }
        Ok(format!("{:016x}", digest.value()))
    }

    /// Runs a cell, which depends on nothing but the study.
    pub fn record(&self, cell: &Cell) -> Result<Record> {
        match cell {
            Cell::Convergence { truth, start } => {
                let found = self.convergence(*truth, *start);
                let place = format!("convergence, truth {}, start {}", truth + 1, start + 1);
                found.map_err(|error| in_spec_words(error, &place))
            }
            Cell::Comparison { place, arm } => {
                let experiment = &self.spec.experiments[place.experiment].name;
                let place_name = format!("{experiment}, {place}");
                let found = self.comparison(place, *arm);
                found.map_err(|error| in_spec_words(error, &place_name))
            }
        }
    }

    fn convergence(&self, truth: usize, start: usize) -> Result<Record> {
        let convergence = self.spec.convergence.as_ref();
        let convergence = convergence.ok_or_else(|| Error::failed("no learners to compare"))?;
        let record = converge(&self.spec, convergence, truth, start)?;
        Ok(Record::Convergence(record))
    }

    fn comparison(&self, place: &Place, arm: usize) -> Result<Record> {
        let experiment = &self.spec.experiments[place.experiment];
        let arm = &experiment.arms[arm];
        let arm = self
            .spec
            .arm(arm)
            .ok_or_else(|| Error::failed(format!("there is no arm {arm}")))?;
        let name = place.name(&self.spec);
        let rows_name = format!("{name}/rows");
        let held_out;
        let (data, yardstick) = match &self.sources[place.experiment] {
            Origin::Truths(truths) => {
                let (network, log_marginal) = &truths[place.truth];
                let data = draw(network, place.rows, self.spec.seed, &rows_name)?;
                (data, Yardstick::Truth(log_marginal))
            }
            Origin::Rows(all) => {
                let (data, rest) = split(all, place.rows, self.spec.seed, &rows_name)?;
                held_out = rest;
                (data, Yardstick::HeldOut(&held_out))
            }
        };
        let restarts = arm.restarts.unwrap_or(experiment.restarts);
        let seed = named_seed(self.spec.seed, &format!("{name}/starts"));
        let step = arm.steps.first().copied();
        let request = arm.request(step, &experiment.fitted, restarts, seed)?;
        let record = compare(&data, arm, &request, &yardstick)?;
        Ok(Record::Comparison(record))
    }
}

impl Origin {
    fn new(spec: &Spec, experiment: &Experiment) -> Result<Self> {
        let name = format!("experiment {}", experiment.name);
        let named = |error: Error| in_spec_words(error, &name);
        if let Some(source) = &experiment.data {
            let data = read(source).map_err(named)?;
            fitted(&experiment.fitted, data.columns()).map_err(named)?;
            let largest = experiment.rows.iter().copied().max().unwrap_or(0);
            split(&data, largest, 0, &name)?;
            return Ok(Origin::Rows(data));
        }
        let settings = experiment.truth.as_ref();
        let settings =
            settings.ok_or_else(|| Error::invalid("an experiment needs a truth or data"))?;
        let truths = (0..experiment.truths).map(|index| {
            let network = truth(settings, spec.seed, &experiment.name, index).map_err(named)?;
            let marginal = log_marginal(&network)?;
            Ok((network, marginal))
        });
        Ok(Origin::Truths(truths.collect::<Result<_>>()?))
    }
}

/// Does what is left of `cells`, adds it to the journal and to `results`.
pub fn run(
    study: &Study,
    cells: &[Cell],
    results: &mut Results,
    journal: &Journal,
    observer: &dyn Observer,
) -> Result<()> {
    let left: Vec<&Cell> = cells
        .iter()
        .filter(|cell| !results.contains(cell))
        .collect();
    let gathered = Mutex::new(std::mem::take(results));
    let ended = left.par_iter().with_max_len(1).try_for_each(|cell| {
        let started = Instant::now();
        let record = study.record(cell)?;
        journal.add(&cell.key(&study.spec), &record)?;
        observer.cell_done(cell, started.elapsed());
        let mut gathered = gathered.lock().unwrap_or_else(PoisonError::into_inner);
        gathered.insert((*cell).clone(), record);
        Ok(())
    });
    *results = gathered
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    ended
}
