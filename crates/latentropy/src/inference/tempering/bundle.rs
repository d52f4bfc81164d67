//! Eight ladders whose replicas share vector lanes: swept, swapped, and followed from end to end.

use super::rungs::RUNGS_UNIT;
use crate::inference::kernels::{CHAINS, chain_stream};
use crate::inference::markov_chains::{Group, Machine, Temperatures};
use crate::random::Random;
use rand::RngExt;

/// Ladders of a bundle; with rungs in eights, its replicas fill whole groups of 64.
pub(super) const LADDERS: usize = CHAINS / RUNGS_UNIT;

/// The end of the ladder that a replica was at last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Neither,
    Bottom,
    Top,
}

/// Replica r of ladder l is lane l · rungs + r, counted through the groups.
#[derive(Debug)]
pub(super) struct Bundle {
    groups: Vec<Group>,
    rungs: usize,
    /// The rung of each replica.
    rung_of: Vec<usize>,
    /// The replica on each rung, ladder by ladder.
    holder: Vec<usize>,
    came_from: Vec<End>,
    pub(super) counts: Counts,
    random: Random,
    turn: usize,
}

/// What happened since it was last asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    /// Σ of the probabilities with which swaps of each pair of neighbours were accepted, and how many were tried.
    pub(super) accepted: Vec<f64>,
    pub(super) tried: Vec<f64>,
    /// Replicas that came to the top from the bottom.
    pub(super) renewals: usize,
    /// Replicas that came back to the bottom from the top.
    pub(super) round_trips: usize,
}

impl Bundle {
    /// All replicas drawn from the base.
    pub(super) fn new(machine: &Machine, rungs: usize, seed: u64, number: u64) -> Self {
        let mut random = chain_stream(seed, number);
        let replicas = LADDERS * rungs;
        Bundle {
            groups: (0..replicas / CHAINS)
                .map(|_| Group::new(machine, &mut random))
                .collect(),
            rungs,
            rung_of: (0..replicas).map(|replica| replica % rungs).collect(),
            holder: (0..replicas).collect(),
            came_from: vec![End::Neither; replicas],
            counts: Counts::new(rungs),
            random,
            turn: 0,
        }
    }

    /// Replicas of some ladders take over states, `state(ladder, rung)` a value per place; what came from where is forgotten.
    pub(super) fn set_states<'a>(
        &mut self,
        machine: &Machine,
        state: impl Fn(usize, usize) -> Option<&'a [bool]>,
    ) {
        for (at, group) in self.groups.iter_mut().enumerate() {
            for lane in 0..CHAINS {
                let replica = at * CHAINS + lane;
                let Some(state) = state(replica / self.rungs, self.rung_of[replica]) else {
                    continue;
                };
                for (row, &is_on) in group.states.iter_mut().zip(state) {
                    row[lane] = -i32::from(is_on);
                }
            }
            group.refresh(machine);
        }
        self.came_from.fill(End::Neither);
    }

    /// The state on a rung of a ladder, a value per place.
    pub(super) fn state(&self, ladder: usize, rung: usize) -> Vec<bool> {
        let replica = self.holder[ladder * self.rungs + rung];
        let (group, lane) = (&self.groups[replica / CHAINS], replica % CHAINS);
        group.states.iter().map(|row| row[lane] != 0).collect()
    }

    /// U of the state on a rung of a ladder.
    pub(super) fn excess(&self, ladder: usize, rung: usize) -> f64 {
        let replica = self.holder[ladder * self.rungs + rung];
        self.groups[replica / CHAINS].excess[replica % CHAINS]
    }

    /// All replicas through all units, then swaps of neighbours, even and odd pairs in turn.
    pub(super) fn sweep(&mut self, machine: &Machine, betas: &[f64]) {
        for (group, rungs) in self.groups.iter_mut().zip(self.rung_of.chunks(CHAINS)) {
            let temperatures = Temperatures {
                beta: std::array::from_fn(|lane| betas[rungs[lane]]),
            };
            group.sweep(machine, &temperatures);
        }
        self.turn ^= 1;
        for ladder in 0..LADDERS {
            for rung in (self.turn..self.rungs - 1).step_by(2) {
                let difference = self.excess(ladder, rung + 1) - self.excess(ladder, rung);
                let probability = ((betas[rung] - betas[rung + 1]) * difference)
                    .exp()
                    .min(1.0);
                self.counts.accepted[rung] += probability;
                self.counts.tried[rung] += 1.0;
                if self.random.random::<f64>() < probability {
                    let at = ladder * self.rungs + rung;
                    self.holder.swap(at, at + 1);
                    self.rung_of[self.holder[at]] = rung;
                    self.rung_of[self.holder[at + 1]] = rung + 1;
                }
            }
            self.note_ends(ladder);
        }
    }

    fn note_ends(&mut self, ladder: usize) {
        let first = ladder * self.rungs;
        let (bottom, top) = (self.holder[first], self.holder[first + self.rungs - 1]);
        if self.came_from[top] == End::Bottom {
            self.counts.renewals += 1;
        }
        if self.came_from[bottom] == End::Top {
            self.counts.round_trips += 1;
        }
        self.came_from[top] = End::Top;
        self.came_from[bottom] = End::Bottom;
    }

    /// What happened since it was last asked.
    pub(super) fn take_counts(&mut self) -> Counts {
        std::mem::replace(&mut self.counts, Counts::new(self.rungs))
    }
}

impl Counts {
    fn new(rungs: usize) -> Self {
        Counts {
            accepted: vec![0.0; rungs - 1],
            tried: vec![0.0; rungs - 1],
            ..Counts::default()
        }
    }

    /// Those of several bundles together.
    pub(super) fn add(&mut self, other: &Counts) {
        self.accepted.resize(other.accepted.len(), 0.0);
        self.tried.resize(other.tried.len(), 0.0);
        for (sum, value) in self.accepted.iter_mut().zip(&other.accepted) {
            *sum += value;
        }
        for (sum, value) in self.tried.iter_mut().zip(&other.tried) {
            *sum += value;
        }
        self.renewals += other.renewals;
        self.round_trips += other.round_trips;
    }

    /// The share of swaps of each pair of neighbours that were rejected.
    pub(super) fn rejected(&self) -> Vec<f64> {
        let pairs = self.accepted.iter().zip(&self.tried);
        pairs
            .map(|(accepted, tried)| 1.0 - accepted / tried.max(1.0))
            .collect()
    }
}
