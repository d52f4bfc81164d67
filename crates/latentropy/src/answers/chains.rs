//! Gibbs chains to look at: the states of some chains, one after the other, for those who judge mixing by themselves.

use crate::error::{Error, Result};
use crate::inference::Chains;
use crate::network::{Clamp, Network};

/// How chains are run, and what is kept of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainPlan {
    /// How many chains.
    pub chains: usize,
    /// States kept of each.
    pub draws: usize,
    /// Sweeps over all units before the first state.
    pub burn_in: usize,
    /// Sweeps from one state to the next.
    pub apart: usize,
    /// Seed of their random numbers.
    pub seed: u64,
}

/// The states of Gibbs chains that start at fair coins, `given` units held by name: chain by chain, draw by draw, one value
/// per unit.
pub fn chain_states(
    network: &Network,
    given: &[(&str, bool)],
    plan: &ChainPlan,
) -> Result<Vec<bool>> {
    let &ChainPlan {
        chains: count,
        draws,
        apart,
        ..
    } = plan;
    let units = network.units().len();
    let cells = count.checked_mul(draws).and_then(|n| n.checked_mul(units));
    let Some(cells) = cells.filter(|&cells| cells <= MOST_CELLS) else {
        return Err(Error::invalid(format!(
            "{count} chains of {draws} states of {units} units are more than the {MOST_CELLS} values that are kept; \
             keep fewer"
        )));
    };
    let clamp = Clamp::by_name(network, given)?;
    let mut chains = Chains::new(network, &clamp, count, plan.seed)?;
    chains.sweep(plan.burn_in);
    let mut kept = vec![false; cells];
    for draw in 0..draws {
        chains.sweep(apart.max(1));
        for (chain, state) in chains.states().into_iter().take(count).enumerate() {
            let from = (chain * draws + draw) * units;
            kept[from..from + units].copy_from_slice(&state);
        }
    }
    Ok(kept)
}

/// A gigabyte of values.
const MOST_CELLS: usize = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::literal;

    #[test]
    fn states_have_the_means_of_the_machine_and_repeat_by_seed() {
        let structure = Network::full(3, 1);
        let weights = (0..structure.terms().len()).map(|term| 0.4 - 0.1 * term as f64);
        let network = structure.with_weights(weights.collect()).unwrap();
        let plan = ChainPlan {
            chains: 70,
            draws: 300,
            burn_in: 50,
            apart: 2,
            seed: 3,
        };
        let given = [("y1", true)];
        let states = chain_states(&network, &given, &plan).unwrap();
        assert_eq!(states.len(), 70 * 300 * 4);
        assert_eq!(states, chain_states(&network, &given, &plan).unwrap());
        let clamp = Clamp::by_name(&network, &given).unwrap();
        let all = literal::states(&network, &clamp);
        let total: f64 = all.iter().map(|(_, exponent)| exponent.exp()).sum();
        for unit in 0..4 {
            let ones = states.iter().skip(unit).step_by(4).filter(|on| **on);
            let mean = ones.count() as f64 / 21_000.0;
            let on = all.iter().filter(|(state, _)| state[unit]);
            let truth = on.map(|(_, exponent)| exponent.exp()).sum::<f64>() / total;
            // Even if only every tenth state counted, this would be six standard errors.
            assert!((mean - truth).abs() < 6.0 * (0.25f64 / 2_100.0).sqrt());
        }
    }

    #[test]
    fn more_than_memory_holds_is_refused() {
        let plan = ChainPlan {
            chains: usize::MAX,
            draws: 2,
            burn_in: 0,
            apart: 1,
            seed: 0,
        };
        assert!(chain_states(&Network::full(3, 1), &[], &plan).is_err());
    }
}
