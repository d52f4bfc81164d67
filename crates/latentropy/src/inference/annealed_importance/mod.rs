//! Annealed importance sampling (Neal 2001), forward and backward, so that log Z is bracketed in expectation.
//!
//! The path leads from independent units of given means (β = 0) to the machine (β = 1), p_β ∝ p_0^{1−β} p^β. A large
//! set of units without a term in common (the hidden side of a restricted machine, a sublattice of a grid) is summed
//! out of every weight. Forward, log mean weight is below log Z in expectation; backward from samples of the machine
//! (Burda, Grosse and Salakhutdinov 2015; Grosse, Ancha and Roy 2016), minus log mean weight is above it.

mod path;
mod weights;

pub(crate) use path::Path;
pub use weights::{LogPartitionBracket, OneWay};

use super::gibbs::{
    CHAINS, Chains, Direction, Group, Lanes, Machine, Sampling, Temperatures, stream,
};
use super::reduction::FreeTerms;
use crate::error::{Error, Result};
use crate::network::{Clamp, Network};
use crate::remark::Remark;
use rayon::prelude::*;

/// Log Z of any machine by annealed importance sampling in both directions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnnealedImportance {
    /// The chains that the backward runs start from; their number is that of the runs, too.
    pub chains: Sampling,
    /// Means of the independent units that path and chains begin with, one a unit (those of the data, say); by default
    /// chains begin with fair coins, and the path with the chains' means.
    pub base: Option<Vec<f64>>,
    /// Intermediate distributions; by default as many as the path's length asks for, within limits.
    pub steps: Option<usize>,
}

impl AnnealedImportance {
    /// The log partition function, bracketed, the network's constant included; and what is to be doubted about it.
    pub fn log_partition(
        &self,
        network: &Network,
        clamp: &Clamp,
    ) -> Result<(LogPartitionBracket, Vec<Remark>)> {
        let base = self.base.as_deref();
        if let Some(base) = base.filter(|base| base.len() != clamp.len()) {
            return Err(Error::invalid(format!(
                "{} base means for {} units",
                base.len(),
                clamp.len()
            )));
        }
        let run = self.chains.run_from(network, clamp, base)?;
        let terms = FreeTerms::new(network, clamp)?;
        let means = match base {
            Some(base) => terms.free.iter().map(|&unit| base[unit]).collect(),
            None => run.free_means(),
        };
        let found = bracket(&run.chains, &means, self.chains.seed, self.steps);
        let found = found.shifted(terms.constant);
        let mut remarks = run.remarks(network);
        remarks.extend(found.remarks());
        Ok((found, remarks))
    }
}

/// The variance of log weights that the number of steps aims at.
const AIM: f64 = 0.1;
const FEWEST_STEPS: usize = 32;
const MOST_STEPS: usize = 1 << 16;
/// The work of both directions together, in draws of a unit, is kept below this.
const MOST_WORK: f64 = 1e9;
/// Kinds of work have streams of their own.
const FORWARD_SEED: u64 = 0x666f_7277;
const BACKWARD_SEED: u64 = 0x6261_636b;

/// Both directions, from the base of these means (of the free units) and from the chains' states; without the constant.
pub(crate) fn bracket(
    chains: &Chains,
    means: &[f64],
    seed: u64,
    steps: Option<usize>,
) -> LogPartitionBracket {
    let mut machine = chains.machine.clone();
    machine.set_base(means);
    let starts = chains.words();
    let path = Path::measure(&machine, seed);
    let work = machine.work() * (2 * chains.count()) as f64;
    let limit = ((MOST_WORK / work) as usize).clamp(2 * FEWEST_STEPS, MOST_STEPS);
    let aimed = (path.length() * path.length() / AIM) as usize;
    let mut count = steps
        .unwrap_or_else(|| aimed.clamp(FEWEST_STEPS, limit))
        .max(1);
    let mut found = both_ways(&machine, &starts, &path.spaced(count + 1), seed);
    // Weights that still vary too much: a finer path, as long as the work allows and it helps.
    while steps.is_none() && found.spread() > 1.0 && 4 * count <= limit {
        count *= 4;
        let finer = both_ways(&machine, &starts, &path.spaced(count + 1), seed);
        let helped = finer.spread() < 0.6 * found.spread();
        found = finer;
        if !helped {
            break;
        }
    }
    found
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
                let mut group = Group::new(machine, &mut stream(seed ^ FORWARD_SEED, group as u64));
                anneal(machine, &mut group, betas, Direction::Onward)
            } else {
                let mut rng = stream(seed ^ BACKWARD_SEED, group as u64);
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
