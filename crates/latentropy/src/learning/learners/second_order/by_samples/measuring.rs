//! The two phases by chains: the machine's own, and those of rows with too many latent units for tables.

use super::curved::{Products, Sampled};
use super::standing::Standing;
use crate::error::{Error, Result};
use crate::inference::{
    CarriedChains, CarriedPersistent, Chains, Kind, Measured, Mixing, PersistentChains, Records,
    SumsWorth, largest_of_errors, log_partition_of,
};
use crate::learning::control::Cancel;
use crate::learning::curvature::{MOST_SAMPLED_TERMS, sampled_steps_by_matrix};
use crate::learning::exchange::Exchange;
use crate::learning::point::{Constraints, Point};
use crate::learning::prior::centres;
use crate::learning::problem::Problem;
use crate::learning::{CompletedRows, begins_at_rows};
use crate::random::{Purpose, named_seed, stream};
use crate::rows::LargeRow;
use rand::RngExt;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Chains of the machine.
const CHAINS: usize = 1024;
/// Chains of a row, and their sweeps in each measurement.
const ROW_CHAINS: usize = 64;
const ROW_SWEEPS: usize = 64;
/// Sweeps that chains make at new weights before they are measured.
const SETTLING: usize = 16;
/// The same where they come from rows.
const FIRST_SETTLING: usize = 256;
const FIRST_SWEEPS: usize = 32;
/// States of the first measurement per term.
const FIRST_STATES_PER_TERM: usize = 64;
/// The same where covariances are no matrix, and need no states for each of its entries.
const FIRST_BY_STATES: usize = 128;
/// Products take so many of the states where a measurement is long.
const SHARE_BY_STATES: f64 = 1.0 / 64.0;
/// States of so many sweeps are kept at a time.
const KEPT: usize = 1024;
/// Draws of a unit in one measurement, at most: about half a minute on one core.
const MOST_DRAWS: f64 = 6e9;

/// E f by chains.
pub(super) struct FreeMeasured {
    pub(super) expectations: Vec<f64>,
    /// Their Monte-Carlo errors.
    pub(super) errors: Vec<f64>,
    /// Numbers with these errors that are noise alone, and go together as the noise of E f does.
    pub(super) noise: Vec<f64>,
    /// States that it rests on.
    pub(super) samples: f64,
    /// Whether earlier measurements are part of it.
    pub(super) is_joined: bool,
    /// The mean of the exponent and its error: with log Z it gives the entropy.
    exponent: (f64, f64),
}

#[cfg(test)]
impl FreeMeasured {
    pub(super) fn of(expectations: Vec<f64>, errors: Vec<f64>, samples: f64) -> Self {
        FreeMeasured {
            expectations,
            noise: errors.clone(),
            errors,
            samples,
            is_joined: false,
            exponent: (0.0, 0.0),
        }
    }
}

/// What checkpoints keep.
#[derive(Serialize, Deserialize)]
pub(super) struct Carried {
    machine: Option<CarriedPersistent>,
    rows: Vec<CarriedChains>,
    sweeps: usize,
}

/// Chains that stay while the weights change.
pub(super) struct Measuring {
    seed: u64,
    cancel: Cancel,
    machine: Option<PersistentChains>,
    /// Rows beyond tables.
    large: Vec<usize>,
    rows: Vec<Chains>,
    /// States of each chain in the next measurement, and in the shortest one.
    sweeps: usize,
    fewest_sweeps: usize,
    /// Sweeps of plain chains in the longest.
    most_sweeps: usize,
}

impl Measuring {
    pub(super) fn new(problem: &Problem, seed: u64, cancel: Cancel) -> Self {
        let units = problem.structure().units().len();
        let most = MOST_DRAWS / (units * CHAINS) as f64;
        let most_sweeps = (most as usize).max(FIRST_SWEEPS);
        let first = match sampled_steps_by_matrix(problem) {
            true => FIRST_STATES_PER_TERM * problem.terms() / CHAINS,
            false => FIRST_BY_STATES,
        };
        let fewest_sweeps = first.clamp(FIRST_SWEEPS, most_sweeps);
        Measuring {
            seed,
            cancel,
            machine: None,
            large: problem.rows().beyond_sums(),
            rows: Vec::new(),
            sweeps: fewest_sweeps,
            fewest_sweeps,
            most_sweeps,
        }
    }

    /// States that the next measurement rests on.
    pub(super) fn samples(&self) -> f64 {
        (self.sweeps * CHAINS) as f64
    }

    /// At least so many states from now on, as far as measurements go.
    pub(super) fn lengthen_to(&mut self, samples: f64) {
        let sweeps = (samples / CHAINS as f64).ceil() as usize;
        self.sweeps = self.sweeps.max(sweeps).min(self.longest());
    }

    /// Longer by this factor from now on; true where that is as long as it gets.
    pub(super) fn lengthen(&mut self, by: f64) -> bool {
        let sweeps = (by * self.sweeps as f64).ceil() as usize;
        let longest = self.longest();
        self.sweeps = sweeps.min(longest);
        self.sweeps == longest
    }

    /// States of each chain in the longest measurement.
    fn longest(&self) -> usize {
        let chains = self.machine.as_ref();
        let each = chains.map_or(1, |chains| chains.apart() * chains.temperatures());
        (self.most_sweeps / each).max(self.fewest_sweeps)
    }

    /// Shorter from now on, by at most this factor and to a quarter.
    pub(super) fn shorten(&mut self, by: f64) {
        let sweeps = self.sweeps as f64 * by.clamp(0.25, 1.0);
        self.sweeps = (sweeps as usize).max(self.fewest_sweeps);
    }

    /// Both phases at the point's weights, and Cov f; η is left in the point.
    pub(super) fn measure(
        &mut self,
        problem: &Problem,
        point: &mut Point,
        wanted: usize,
    ) -> Result<(FreeMeasured, Sampled)> {
        let (found, records) = self.run(problem, point)?;
        let chains = self.machine.as_ref();
        let machine = chains.map(|chains| &chains.chains().machine);
        let machine = machine.ok_or_else(|| Error::failed("there are no chains to measure"))?;
        let curved = match sampled_steps_by_matrix(problem) {
            true => Some(Sampled::Matrix(records.covariances(&machine.sets, wanted))),
            false => {
                let hidden = problem.structure().hidden();
                let by_states = (self.samples() * SHARE_BY_STATES) as usize;
                let marginal = match hidden.is_empty() {
                    true => None,
                    false => records.marginal_products(machine, &hidden, by_states),
                };
                let others = records.other_products(machine, &hidden, by_states);
                let exchange = Exchange::new(problem, &point.weights);
                records.products(machine, &hidden, by_states).map(|drawn| {
                    let products = Products {
                        drawn,
                        marginal,
                        others,
                        exchange,
                    };
                    Sampled::States(Box::new(products))
                })
            }
        };
        let curved = curved.ok_or_else(|| {
            let terms = problem.terms();
            Error::invalid(format!(
                "second-order steps by samples take machines of more than {MOST_SAMPLED_TERMS} terms where these have at most \
                 two units, and {terms} with more are too many"
            ))
        })?;
        Ok((found.over(), curved))
    }

    /// The same without Cov f, which machines of very many terms have no room for.
    pub(super) fn measure_means(
        &mut self,
        problem: &Problem,
        point: &mut Point,
    ) -> Result<FreeMeasured> {
        Ok(self.run(problem, point)?.0.over())
    }

    /// A stretch of the chains, all of it added up, and the last states of it. Where it is broken off, chains are as before it:
    /// whoever goes on from there makes it anew.
    fn run(&mut self, problem: &Problem, point: &mut Point) -> Result<(Sum, Records)> {
        let before = self.carried();
        let found = self.stretch(problem, point);
        if let Err(Error::Cancelled) = found {
            self.machine = None;
            self.go_on(problem, before)?;
        }
        found
    }

    fn stretch(&mut self, problem: &Problem, point: &mut Point) -> Result<(Sum, Records)> {
        self.clamp(problem, point)?;
        let network = problem.structure().with_weights(point.weights.clone())?;
        let hidden = problem.structure().hidden();
        let is_new = self.machine.is_none();
        let chains = PersistentChains::kept(&mut self.machine, &network, CHAINS, self.seed)?;
        if is_new && begins_at_rows(problem) {
            let states = states_of_rows(problem, &point.weights, self.seed);
            chains.chains_for(0).set_states(&states)?;
            chains.sweep(FIRST_SETTLING);
        }
        let apart = chains.apart();
        chains.sweep(SETTLING.max(apart * self.sweeps / 8));
        let mut found = Sum::default();
        let mut left = self.sweeps;
        loop {
            let now = left.min(KEPT);
            left -= now;
            let (records, measured) = chains
                .chains_for(apart * now)
                .record_and_measure_quietly(now, apart, &hidden);
            found.add(&measured);
            if left == 0 {
                if chains.look_at(&records, apart, false) == Mixing::Unclear {
                    self.lengthen(2.0);
                }
                return Ok((found, records));
            }
            if self.cancel.is_cancelled() {
                return Err(Error::Cancelled);
            }
        }
    }

    /// The E step (6), rows beyond tables by chains of their own.
    fn clamp(&mut self, problem: &Problem, point: &mut Point) -> Result<()> {
        let network = problem.structure().with_weights(point.weights.clone())?;
        let clamps = problem.rows().clamps();
        if self.rows.is_empty() && !self.large.is_empty() {
            let made = self.large.iter().map(|&row| {
                let seed = self.seed ^ (row as u64 + 1).rotate_left(20);
                Chains::new(&network, &clamps[row], ROW_CHAINS, seed)
            });
            self.rows = made.collect::<Result<Vec<Chains>>>()?;
        }
        let hidden = problem.structure().hidden();
        let sampled: Vec<Vec<f64>> = self
            .rows
            .par_iter_mut()
            .map(|chains| {
                chains.set_weights(&network)?;
                chains.sweep(SETTLING);
                let (_, found) = chains.record_and_measure_smoothed(ROW_SWEEPS, &hidden);
                Ok(found.expectations)
            })
            .collect::<Result<Vec<_>>>()?;
        let large = &self.large;
        let rows = problem.rows();
        rows.clamped_by(
            &point.weights,
            &mut point.clamped,
            &|network, row| match large.binary_search(&row) {
                Ok(at) => Ok(LargeRow {
                    latent: rows.latent_expectations(row, &sampled[at]),
                    ..LargeRow::default()
                }),
                Err(_) => rows.large_row(network, row),
            },
        )
    }

    /// Everything that is known at the last weights: the likelihood by annealing, the entropy, and what they are worth.
    pub(super) fn complete(
        &mut self,
        problem: &Problem,
        point: &mut Point,
        measured: FreeMeasured,
        standing: &Standing,
        share: f64,
    ) -> Result<()> {
        let Some(chains) = &self.machine else {
            return Ok(());
        };
        let found = log_partition_of(chains.chains(), self.seed);
        problem.rows().clamped(&point.weights, &mut point.clamped)?;
        point.free = measured.expectations;
        point.log_partition = found.log_partition.value;
        let error = found.log_partition.std_err.unwrap_or(0.0);
        let worth = SumsWorth {
            log_partition: Kind::MonteCarlo,
            log_partition_error: Some(error),
            interval: Some(found.interval()),
            entropy: Kind::MonteCarlo,
            entropy_error: Some(error.hypot(measured.exponent.1)),
            noise: largest_of_errors(&measured.errors),
        };
        problem.complete(point, &worth)?;
        point.worth.constraints = Some(Constraints {
            largest: standing.largest,
            typical: standing.typical,
            share,
        });
        Ok(())
    }

    pub(super) fn carried(&self) -> Carried {
        Carried {
            machine: self.machine.as_ref().map(PersistentChains::carried),
            rows: self.rows.iter().map(Chains::carried).collect(),
            sweeps: self.sweeps,
        }
    }

    pub(super) fn go_on(&mut self, problem: &Problem, carried: Carried) -> Result<()> {
        let structure = problem.structure();
        self.sweeps = carried.sweeps;
        if let Some(of_machine) = carried.machine {
            let chains = PersistentChains::go_on(structure, CHAINS, self.seed, of_machine)?;
            self.machine = Some(chains);
        }
        let clamps = problem.rows().clamps();
        self.rows.clear();
        for (&row, of_row) in self.large.iter().zip(carried.rows) {
            let mut chains = Chains::new(structure, &clamps[row], ROW_CHAINS, self.seed)?;
            chains.go_on(of_row);
            self.rows.push(chains);
        }
        Ok(())
    }
}

/// A state for every chain, evenly spaced among the rows: those of a machine that is near to what it should be are near to its
/// own. Hidden units are drawn from their posterior, and what a row does not show is drawn, a column as often on as in all rows.
fn states_of_rows(problem: &Problem, weights: &[f64], seed: u64) -> Vec<Vec<bool>> {
    let means = centres(problem.structure(), problem.rows());
    let mut random = stream(named_seed(seed, "states of rows"), Purpose::Chains, 0);
    let mut rows = CompletedRows::new(problem, usize::MAX);
    rows.redraw(weights, &mut random);
    let state = |at: usize| {
        let cells = means.iter().enumerate();
        let drawn = cells.map(|(unit, &mean)| {
            let known = rows.cell(problem, at, unit);
            known.unwrap_or_else(|| random.random::<f64>() < mean)
        });
        drawn.collect()
    };
    rows.spaced(CHAINS).into_iter().map(state).collect()
}

/// Stretches of the chains added up.
#[derive(Default)]
struct Sum {
    samples: f64,
    expectations: Vec<f64>,
    variances: Vec<f64>,
    noise: Vec<f64>,
    exponent: f64,
    exponent_variance: f64,
}

impl Sum {
    fn add(&mut self, measured: &Measured) {
        let samples = measured.samples as f64;
        self.samples += samples;
        self.expectations.resize(measured.expectations.len(), 0.0);
        self.variances.resize(measured.errors.len(), 0.0);
        self.noise.resize(measured.noise.len(), 0.0);
        for (sum, value) in self.expectations.iter_mut().zip(&measured.expectations) {
            *sum += samples * value;
        }
        for (sum, noise) in self.noise.iter_mut().zip(&measured.noise) {
            *sum += samples * noise;
        }
        for (sum, error) in self.variances.iter_mut().zip(&measured.errors) {
            *sum += (samples * error).powi(2);
        }
        self.exponent += samples * measured.exponent.0;
        self.exponent_variance += (samples * measured.exponent.1).powi(2);
    }

    fn over(self) -> FreeMeasured {
        let each = 1.0 / self.samples;
        FreeMeasured {
            samples: self.samples,
            is_joined: false,
            expectations: self.expectations.iter().map(|sum| sum * each).collect(),
            errors: self.variances.iter().map(|sum| sum.sqrt() * each).collect(),
            noise: self.noise.iter().map(|sum| sum * each).collect(),
            exponent: (self.exponent * each, self.exponent_variance.sqrt() * each),
        }
    }
}
