//! Parallel tempering: for each of 64 chains several replicas on the path from independent units to the machine.
//!
//! Replicas of neighbouring temperatures swap (Swendsen and Wang 1986; Geyer 1991) with probability
//! min(1, e^{(β − β')(U' − U)}), U the exponent above that of the base. Temperatures move, states stay.

use super::draw::Temperatures;
use super::group::Group;
use super::lanes::{Lanes, packed};
use super::machine::Machine;
use crate::inference::kernels::{CHAINS, LaneRandom, chain_stream};
use crate::random::Random;
use rand::RngExt;

/// 64 chains with all their replicas; without tempering there is one replica, at β = 1.
#[derive(Debug)]
pub(crate) struct Ladder {
    groups: Vec<Group>,
    /// For each group and chain, its index among the temperatures.
    levels: Vec<[usize; CHAINS]>,
    rng: Random,
    turn: usize,
}

impl Ladder {
    /// `number` names the stream of random numbers, `temperatures` how many replicas there are.
    pub(crate) fn new(machine: &Machine, seed: u64, number: u64, temperatures: usize) -> Self {
        let mut rng = chain_stream(seed, number);
        Ladder {
            groups: (0..temperatures)
                .map(|_| Group::new(machine, &mut rng))
                .collect(),
            levels: (0..temperatures).map(|level| [level; CHAINS]).collect(),
            rng,
            turn: 0,
        }
    }

    /// All replicas through all units `count` times; `betas` ascend to 1.
    pub(crate) fn sweep(&mut self, machine: &Machine, betas: &[f64], count: usize) {
        for _ in 0..count {
            for (group, levels) in self.groups.iter_mut().zip(&self.levels) {
                let temperatures = Temperatures {
                    beta: levels.map(|level| betas[level]),
                };
                group.sweep(machine, &temperatures);
            }
            if betas.len() > 1 {
                self.swap(betas);
            }
        }
    }

    /// Neighbours swap, even and odd pairs in turn.
    fn swap(&mut self, betas: &[f64]) {
        self.turn ^= 1;
        for chain in 0..CHAINS {
            let mut holder = vec![0; betas.len()];
            for (group, levels) in self.levels.iter().enumerate() {
                holder[levels[chain]] = group;
            }
            for level in (self.turn..betas.len().saturating_sub(1)).step_by(2) {
                let (a, b) = (holder[level], holder[level + 1]);
                let excess = |group: usize| self.groups[group].excess[chain];
                let log_ratio = (betas[level] - betas[level + 1]) * (excess(b) - excess(a));
                if self.rng.random::<f64>() < log_ratio.exp() {
                    self.levels[a][chain] = level + 1;
                    self.levels[b][chain] = level;
                }
            }
        }
    }

    /// The chains that are at β = 1 in each group, as bits.
    fn cold(&self) -> Vec<u64> {
        let top = self.groups.len() - 1;
        let bits = |levels: &[usize; CHAINS]| {
            let at_top = levels
                .iter()
                .enumerate()
                .filter(|(_, level)| **level == top);
            at_top.fold(0u64, |word, (chain, _)| word | 1 << chain)
        };
        self.levels.iter().map(bits).collect()
    }

    /// The states at β = 1, one word per place, handed on place by place.
    pub(crate) fn states(&self, machine: &Machine, mut take: impl FnMut(usize, u64)) {
        let cold = self.cold();
        for place in 0..machine.units() {
            let groups = self.groups.iter().zip(&cold);
            take(
                place,
                groups.fold(0, |word, (g, c)| word | packed(&g.states[place]) & c),
            );
        }
    }

    /// Σ λ f of the states at β = 1.
    pub(crate) fn exponents(&self, machine: &Machine) -> Lanes {
        let mut exponents = [0.0; CHAINS];
        for (group, cold) in self.groups.iter().zip(self.cold()) {
            let own = group.exponents(machine);
            for chain in 0..CHAINS {
                if cold >> chain & 1 == 1 {
                    exponents[chain] = own[chain];
                }
            }
        }
        exponents
    }

    /// Takes states over, one word per place, for all replicas alike.
    pub(crate) fn set_states(&mut self, machine: &Machine, words: &[u64]) {
        for group in &mut self.groups {
            group.set_words(machine, words);
        }
    }

    /// The random numbers to come; without tempering these and the states are everything.
    pub(crate) fn random(&self) -> &LaneRandom {
        &self.groups[0].random
    }

    /// Takes states and random numbers over, of a ladder without tempering.
    pub(crate) fn go_on(&mut self, machine: &Machine, words: &[u64], random: LaneRandom) {
        self.groups[0].random = random;
        self.set_states(machine, words);
    }

    /// After a change of weights.
    pub(crate) fn refresh(&mut self, machine: &Machine) {
        for group in &mut self.groups {
            group.refresh(machine);
        }
    }
}
