//! Log Z alone, by annealed importance sampling between given means and the states of chains.

use crate::error::{Error, Result};
use crate::inference::annealed_importance::{LogPartitionBracket, bracket};
use crate::inference::kernels::CHAINS;
use crate::inference::log_partition::{Asked, Mass, Witnesses, states_by_place, witnesses};
use crate::inference::markov_chains::Chains;
use crate::inference::reduction::FreeTerms;
use crate::inference::sampling::Sampling;
use crate::inference::tempering::Effort;
use crate::inference::value::Value;
use crate::network::{Clamp, Network};
use crate::remark::Remark;

/// Log Z of the machine of chains that have settled, the constant included: by ladders that begin at their states and by
/// annealing.
pub(crate) fn log_partition_of(chains: &Chains, seed: u64) -> Witnesses {
    let mut machine = chains.machine.clone();
    machine.set_base(&means(chains));
    let summed = machine.place.iter().map(|&at| at < machine.independent);
    let mass = Mass::new(&chains.terms, &summed.collect::<Vec<bool>>());
    let starts = states_by_place(&chains.words());
    let sampling = Sampling {
        seed,
        ..Sampling::default()
    };
    let constant = chains.terms.constant;
    witnesses(&machine, &starts, mass, None, constant, &sampling.asked()).0
}

/// By annealing alone between the means and the states of chains, in so many steps: quick, and worth what its error says.
pub(crate) fn short_log_partition_of(chains: &Chains, seed: u64, steps: usize) -> Value {
    let found = bracket_of(chains, &means(chains), seed, Some(steps));
    found.shifted(chains.terms.constant).log_ratio
}

/// The mean of each free unit over the states of chains.
fn means(chains: &Chains) -> Vec<f64> {
    let (words, machine) = (chains.words(), &chains.machine);
    let count = chains.count() as f64;
    let means = machine.place.iter().map(|&place| {
        let ones = words.iter().map(|group| group[place].count_ones());
        f64::from(ones.sum::<u32>()) / count
    });
    means.collect()
}

/// Annealing between independent units of these means (of the free units) and the states of chains.
pub(super) fn bracket_of(
    chains: &Chains,
    means: &[f64],
    seed: u64,
    steps: Option<usize>,
) -> LogPartitionBracket {
    let mut machine = chains.machine.clone();
    machine.set_base(means);
    bracket(&machine, &chains.words(), seed, steps)
}

/// Ladders run until so many of their replicas were renewed, per ladder, within so much work.
const EFFORT: Effort = Effort {
    bundles: 4,
    most_work: 2e9,
    renewals: 8,
    std_err: 0.02,
    sweeps: None,
};

impl Sampling {
    /// How log Z is asked for.
    pub(crate) fn asked(&self) -> Asked {
        Asked {
            seed: self.seed,
            runs: self.chains.next_multiple_of(CHAINS),
            steps: self.annealing,
            effort: Effort {
                sweeps: self.sweeps,
                ..EFFORT
            },
        }
    }
}

/// Log Z of any machine by annealed importance sampling in both directions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnnealedImportance {
    /// The chains that the backward runs start from; their number is that of the runs, too.
    pub chains: Sampling,
    /// Means of the independent units that path and chains begin with, one per unit (those of the data, say); by default
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
        let found = bracket_of(&run.chains, &means, self.chains.seed, self.steps);
        let found = found.shifted(terms.constant);
        let mut remarks = run.remarks(network);
        remarks.extend(found.remarks());
        Ok((found, remarks))
    }
}
