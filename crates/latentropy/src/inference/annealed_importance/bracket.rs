//! Annealing forward from the base and backward from the chains' states, finer where the weights vary too much.

use super::path::Path;
use super::weights::LogPartitionBracket;
use crate::inference::kernels::{CHAINS, chain_stream};
use crate::inference::markov_chains::{Direction, Group, Lanes, Machine, Temperatures};
use rayon::prelude::*;

/// The variance of log weights that the number of steps aims at.
const AIM: f64 = 0.1;
const FEWEST_STEPS: usize = 32;
const MOST_STEPS: usize = 1 << 16;
/// The work of both directions together, in draws of a unit, is kept below this.
const MOST_WORK: f64 = 2e9;
/// Kinds of work have streams of their own.
const FORWARD_SEED: u64 = 0x666f_7277;
const BACKWARD_SEED: u64 = 0x6261_636b;

/// Both directions, from the machine's base and from states of the machine, 64 a group and a word per place; without the
/// constant.
pub(crate) fn bracket(
    machine: &Machine,
    starts: &[Vec<u64>],
    seed: u64,
    steps: Option<usize>,
) -> LogPartitionBracket {
    let path = Path::measure(machine, seed);
    let work = machine.work() * (2 * starts.len() * CHAINS) as f64;
    let limit = ((MOST_WORK / work) as usize).clamp(2 * FEWEST_STEPS, MOST_STEPS);
    let aimed = (path.length() * path.length() / AIM) as usize;
    let mut count = steps
        .unwrap_or_else(|| aimed.clamp(FEWEST_STEPS, limit))
        .max(1);
    let mut found = both_ways(machine, starts, &path.spaced(count + 1), seed);
    // Weights that still vary too much: a finer path, as long as the work allows and it helps.
    while steps.is_none() && found.spread() > 1.0 && 4 * count <= limit {
        count *= 4;
        let finer = both_ways(machine, starts, &path.spaced(count + 1), seed);
        let helped = finer.spread() < 0.6 * found.spread();
        found = finer;
        if !helped {
            break;
        }
    }
    found
}

/// Log weights of backward runs from given states, in so many steps after `settling` sweeps at the machine itself.
pub(crate) fn backward(
    machine: &Machine,
    starts: &[Vec<u64>],
    steps: usize,
    settling: usize,
    seed: u64,
) -> Vec<f64> {
    let mut betas = vec![1.0; settling];
    betas.extend(Path::measure(machine, seed).spaced(steps + 1).iter().rev());
    let runs: Vec<Lanes> = starts
        .par_iter()
        .enumerate()
        .map(|(number, words)| {
            let mut group = Group::new(
                machine,
                &mut chain_stream(seed ^ BACKWARD_SEED, number as u64),
            );
            group.set_words(machine, words);
            anneal(machine, &mut group, &betas, Direction::Backward)
        })
        .collect();
    runs.into_iter().flatten().collect()
}

fn both_ways(
    machine: &Machine,
    starts: &[Vec<u64>],
    betas: &[f64],
    seed: u64,
) -> LogPartitionBracket {
    let back: Vec<f64> = betas.iter().rev().copied().collect();
    let numbers = (0..2 * starts.len()).into_par_iter();
    let runs: Vec<Lanes> = numbers
        .map(|number| {
            let group = number / 2;
            if number % 2 == 0 {
                let mut group = Group::new(
                    machine,
                    &mut chain_stream(seed ^ FORWARD_SEED, group as u64),
                );
                anneal(machine, &mut group, betas, Direction::Onward)
            } else {
                let mut rng = chain_stream(seed ^ BACKWARD_SEED, group as u64);
                let mut chains = Group::new(machine, &mut rng);
                chains.set_words(machine, &starts[group]);
                anneal(machine, &mut chains, &back, Direction::Backward)
            }
        })
        .collect();
    let ways = |first: usize| -> Vec<f64> {
        runs.iter()
            .skip(first)
            .step_by(2)
            .flatten()
            .copied()
            .collect()
    };
    // Where no two units are in one term, all of them are summed out, and nothing is left to chance.
    let random = machine.independent < machine.units();
    let (forward, backward) = (ways(0), ways(1));
    LogPartitionBracket::new(
        &forward,
        &backward,
        machine.log_base(),
        betas.len() - 1,
        random,
    )
}

/// Log weights of the chains along the path: at each step the ratio of the next distribution to the last, then a
/// sweep that leaves the next one as it is. Backward sweeps are the forward ones reversed.
fn anneal(machine: &Machine, group: &mut Group, betas: &[f64], direction: Direction) -> Lanes {
    let mut log_weights = [0.0; CHAINS];
    for (at, step) in betas.windows(2).enumerate() {
        group.visit_weighted(machine, step[0], step[1], &mut log_weights);
        if at + 2 < betas.len() {
            let temperatures = Temperatures::all(step[1]);
            let others = machine.independent..machine.units();
            group.visit(machine, others, direction, &temperatures);
        }
    }
    log_weights
}
