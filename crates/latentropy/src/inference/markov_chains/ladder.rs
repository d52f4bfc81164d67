//! Parallel tempering: for each of 64 chains several replicas on the path from independent units to the machine.
//!
//! Replicas of neighbouring temperatures swap (Swendsen and Wang 1986; Geyer 1991) with probability
//! min(1, e^{(β − β')(U' − U)}), U the exponent above that of the base. Temperatures move, states stay.

use super::draw::Temperatures;
use super::group::Group;
use super::lanes::{Lanes, packed};
use super::machine::Machine;
use crate::inference::kernels::{CHAINS, LaneRandom, chain_stream};
use serde::{Deserialize, Serialize};

/// 64 chains with all their replicas; without tempering there is one replica, at β = 1.
#[derive(Debug)]
pub(crate) struct Ladder {
    groups: Vec<Group>,
    /// For each group and chain, its index among the temperatures.
    levels: Vec<[usize; CHAINS]>,
    /// Which swaps are made.
    random: LaneRandom,
    turn: usize,
    swaps: Vec<Swaps>,
}

/// How swaps of two neighbouring temperatures went.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Swaps {
    tried: f64,
    /// Σ of the probabilities with which they were accepted.
    accepted: f64,
}

impl Swaps {
    pub(super) fn add(&mut self, other: &Swaps) {
        self.tried += other.tried;
        self.accepted += other.accepted;
    }

    /// The share that was rejected; none where none was tried.
    pub(super) fn rejected(&self) -> f64 {
        match self.tried > 0.0 {
            true => 1.0 - self.accepted / self.tried,
            false => 0.0,
        }
    }
}

/// All that a ladder goes on from: states, one word per place and replica, and the random numbers to come.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct CarriedLadder {
    replicas: Vec<(Vec<u64>, LaneRandom)>,
    levels: Vec<Vec<usize>>,
    random: LaneRandom,
    turn: usize,
    swaps: Vec<Swaps>,
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
            random: LaneRandom::new(&mut rng),
            turn: 0,
            swaps: vec![Swaps::default(); temperatures.saturating_sub(1)],
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
        let mut holder = vec![[0; CHAINS]; betas.len()];
        for (group, levels) in self.levels.iter().enumerate() {
            for (chain, &level) in levels.iter().enumerate() {
                holder[level][chain] = group;
            }
        }
        let mut bits = [0; CHAINS];
        for level in (self.turn..self.swaps.len()).step_by(2) {
            self.random.next(&mut bits);
            let swaps = &mut self.swaps[level];
            swaps.tried += CHAINS as f64;
            for chain in 0..CHAINS {
                let (a, b) = (holder[level][chain], holder[level + 1][chain]);
                let excess = |group: usize| self.groups[group].excess[chain];
                let log_ratio = (betas[level] - betas[level + 1]) * (excess(b) - excess(a));
                let accepted = log_ratio.min(0.0).exp();
                swaps.accepted += accepted;
                // 31 random bits.
                let uniform = (f64::from(bits[chain]) + 0.5) / 2_147_483_648.0;
                if uniform < accepted {
                    self.levels[a][chain] = level + 1;
                    self.levels[b][chain] = level;
                }
            }
        }
    }

    /// How swaps went since this was last asked.
    pub(super) fn take_swaps(&mut self) -> Vec<Swaps> {
        let none = vec![Swaps::default(); self.swaps.len()];
        std::mem::replace(&mut self.swaps, none)
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

    /// All that it would go on from.
    pub(super) fn carried(&self) -> CarriedLadder {
        let replicas = self.groups.iter().map(|group| {
            let words = group.states.iter().map(packed);
            (words.collect(), group.random.clone())
        });
        CarriedLadder {
            replicas: replicas.collect(),
            levels: self.levels.iter().map(|levels| levels.to_vec()).collect(),
            random: self.random.clone(),
            turn: self.turn,
            swaps: self.swaps.clone(),
        }
    }

    /// Goes on from there.
    pub(super) fn go_on(&mut self, machine: &Machine, carried: CarriedLadder) {
        self.groups = carried
            .replicas
            .into_iter()
            .map(|(words, random)| Group::of(machine, &words, random))
            .collect();
        let levels = carried.levels.into_iter();
        self.levels = levels
            .map(|levels| std::array::from_fn(|chain| levels[chain]))
            .collect();
        self.random = carried.random;
        self.turn = carried.turn;
        self.swaps = carried.swaps;
    }

    /// After a change of weights.
    pub(crate) fn refresh(&mut self, machine: &Machine) {
        for group in &mut self.groups {
            group.refresh(machine);
        }
    }
}
