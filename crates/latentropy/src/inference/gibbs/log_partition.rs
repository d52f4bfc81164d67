//! Log Z alone, by annealed importance sampling between given means and the states of chains.

use crate::error::{Error, Result};
use crate::inference::annealed_importance::{LogPartitionBracket, bracket};
use crate::inference::markov_chains::Chains;
use crate::inference::reduction::FreeTerms;
use crate::inference::sampling::Sampling;
use crate::inference::value::Value;
use crate::network::{Clamp, Network};
use crate::remark::Remark;

/// Log Z of the machine of chains that have settled, by annealing between their own means and their states; the constant
/// included.
pub(crate) fn log_partition_of(chains: &Chains, seed: u64) -> Value {
    annealed(chains, seed, None)
}

/// The same in so many steps only: quick, and worth what its error says.
pub(crate) fn short_log_partition_of(chains: &Chains, seed: u64, steps: usize) -> Value {
    annealed(chains, seed, Some(steps))
}

fn annealed(chains: &Chains, seed: u64, steps: Option<usize>) -> Value {
    let words = chains.words();
    let count = chains.count() as f64;
    let machine = &chains.machine;
    let means: Vec<f64> = machine
        .place
        .iter()
        .map(|&place| {
            let ones = words.iter().map(|group| group[place].count_ones());
            f64::from(ones.sum::<u32>()) / count
        })
        .collect();
    let found = bracket(chains, &means, seed, steps);
    found.shifted(chains.terms.constant).log_ratio
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
        let found = bracket(&run.chains, &means, self.chains.seed, self.steps);
        let found = found.shifted(terms.constant);
        let mut remarks = run.remarks(network);
        remarks.extend(found.remarks());
        Ok((found, remarks))
    }
}
