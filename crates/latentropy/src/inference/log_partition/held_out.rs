//! At least so probable: rows annealed backward, a lower bound on their log-likelihood that no missed mode can raise.
//!
//! RAISE (Burda, Grosse and Salakhutdinov 2015): annealing from the base to the machine in a fixed number of steps is itself a
//! model, which can be drawn from exactly and is the closer to the machine the slower it anneals. Backward runs from a row
//! estimate its probability under that model without bias, so that the mean of their logarithms is below it in expectation.

use super::witnesses::packed;
use crate::inference::annealed_importance::backward;
use crate::inference::kernels::{CHAINS, chain_stream};
use crate::inference::markov_chains::{Direction, Group, Machine, Temperatures};
use rayon::prelude::*;

/// Sweeps at the machine itself that end the annealing model.
const SETTLING: usize = 16;
const MOST_APART: f64 = 3.0;
/// A variance of log weights at which more steps gain little.
const ENOUGH: f64 = 0.2;
/// The work of the longest runs, in draws of a unit, is kept below this.
const MOST_WORK: f64 = 3e9;
const HIDDEN_SEED: u64 = 0x6869_6464;
const SEED: u64 = 0x7261_6973;

/// What backward runs from rows say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HeldOut {
    /// Rows' mean log-sum less this is at most their mean log-likelihood under the annealing model, in expectation; the
    /// constant included.
    pub(crate) log_partition: f64,
    /// Over the runs.
    pub(crate) std_err: f64,
    /// Of the runs' log weights: about twice what the bound loses.
    pub(crate) variance: f64,
    pub(crate) runs: usize,
    pub(crate) steps: usize,
}

impl HeldOut {
    /// Whether a log Z with its error is no further below than errors and what the bound loses explain.
    pub(crate) fn is_near(&self, log_partition: f64, std_err: f64) -> bool {
        let error = self.std_err.hypot(std_err);
        self.log_partition - self.variance <= log_partition + MOST_APART * error
    }
}

/// Backward runs, one from each state, a value per place: rows with their hidden units drawn. In so many steps, and four times as
/// many as long as that is worth it, but where the number is fixed.
pub(crate) fn held_out(
    machine: &Machine,
    states: &[Vec<bool>],
    constant: f64,
    (mut steps, is_fixed): (usize, bool),
    seed: u64,
) -> HeldOut {
    let states: Vec<&[bool]> = states.iter().map(|state| &state[..]).collect();
    let starts = packed(&states);
    let work = machine.work() * (starts.len() * CHAINS) as f64;
    loop {
        let found = of_runs(machine, &starts, constant, steps, seed);
        if is_fixed || found.variance < ENOUGH || 4.0 * steps as f64 * work > MOST_WORK {
            return found;
        }
        steps *= 4;
    }
}

fn of_runs(
    machine: &Machine,
    starts: &[Vec<u64>],
    constant: f64,
    steps: usize,
    seed: u64,
) -> HeldOut {
    let log_weights = backward(machine, starts, steps, SETTLING, seed ^ SEED);
    let count = log_weights.len() as f64;
    let mean = log_weights.iter().sum::<f64>() / count;
    let squares: f64 = log_weights
        .iter()
        .map(|weight| (weight - mean).powi(2))
        .sum();
    HeldOut {
        log_partition: constant + machine.log_base() - mean,
        std_err: (squares / (count - 1.0) / count).sqrt(),
        variance: squares / (count - 1.0),
        runs: log_weights.len(),
        steps,
    }
}

/// Draws the units at these places given all others, `passes` times over: of states by place. One pass is exact where they have
/// no term in common.
pub(crate) fn draw_hidden(
    machine: &Machine,
    hidden: &[usize],
    states: &[Vec<bool>],
    passes: usize,
    seed: u64,
) -> Vec<Vec<bool>> {
    let pieces = states.par_chunks(CHAINS).enumerate();
    let drawn: Vec<Vec<Vec<bool>>> = pieces
        .map(|(number, states)| {
            let own: Vec<&[bool]> = states.iter().map(|state| &state[..]).collect();
            let mut random = chain_stream(seed ^ HIDDEN_SEED, number as u64);
            let mut group = Group::new(machine, &mut random);
            group.set_words(machine, &packed(&own)[0]);
            for _ in 0..passes {
                for &place in hidden {
                    let temperatures = Temperatures::all(1.0);
                    group.visit(machine, place..place + 1, Direction::Onward, &temperatures);
                }
            }
            let state = |chain: usize| group.states.iter().map(|row| row[chain] != 0).collect();
            (0..states.len()).map(state).collect()
        })
        .collect();
    drawn.into_iter().flatten().collect()
}
