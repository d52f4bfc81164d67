//! Log Z along a path of weights, by a population of states that follows it (annealed importance sampling with
//! resampling; Neal 2001, Del Moral, Doucet and Jasra 2006).
//!
//! The path begins at independent columns, whose log Z is known and whose states are drawn exactly, and leads through the
//! weights of a learner in the order in which it finds them. A machine that learns leads its own states along: modes
//! appear one after the other, and the population divides among them; a path that only cools the last machine has to
//! find them all at once. Every step weighs states by the ratio of the next distribution to the last one, the hidden
//! units summed out, and sweeps them there. Groups of 64 states have nothing in common, so that their scatter is the error.

use super::layers::{ChainState, Layers, Scratch};
use super::layout::Layout;
use crate::inference::kernels::{CHAINS, LaneRandom, chain_stream, draw_ones, logistics};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The standard deviation of log weights that a step aims at.
const AIM: f64 = 0.1;
/// No path between two sets of weights has more steps than this.
const MOST_STEPS: usize = 2000;
/// Where fewer than this share of a group's states count, they are drawn anew by their weights.
const LEAST_SHARE: f64 = 0.5;

/// 64 weighted states with their own random numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Particles {
    states: Vec<ChainState>,
    log_weights: Vec<f64>,
    /// log of the mean weights before they were last made equal, summed up.
    log_ratio: f64,
    random: LaneRandom,
    #[serde(skip)]
    room: Room,
}

#[derive(Clone, Debug, Default)]
struct Room {
    scratch: Scratch,
    log_sums: Vec<f64>,
}

/// What checkpoints keep of a population: all but the weights that it is at.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CarriedParticles {
    groups: Vec<Particles>,
    log_base: f64,
    at: Vec<f64>,
}

/// States that follow a path of weights.
pub(crate) struct Population {
    layout: Layout,
    carried: CarriedParticles,
    layers: Layers,
}

impl Population {
    /// `groups` times 64 states of independent columns with these log-odds; hidden units are fair coins.
    pub(crate) fn new(
        layout: Layout,
        log_odds: &[f64],
        terms: usize,
        groups: usize,
        seed: u64,
    ) -> Self {
        let mut at = vec![0.0; terms];
        for (term, odds) in layout.visible.iter().zip(log_odds) {
            if let Some(term) = *term {
                at[term] = *odds;
            }
        }
        let layers = Layers::new(&layout, &at);
        let softplus = |x: f32| f64::from(x.max(0.0)) + f64::from((-x.abs()).exp()).ln_1p();
        let own: f64 = layers.visible.iter().map(|&odds| softplus(odds)).sum();
        let log_base = own + layers.hidden.len() as f64 * std::f64::consts::LN_2;
        let mut means = layers.visible.clone();
        logistics(&mut means);
        let groups = (0..groups.max(2) as u64)
            .map(|number| {
                let mut random = LaneRandom::new(&mut chain_stream(seed, number));
                let mut states = vec![ChainState::default(); CHAINS];
                let mut scratch = Scratch::default();
                for state in &mut states {
                    draw_ones(&means, &mut random, &mut state.visible);
                    layers.draw_hidden(state, &mut random, &mut scratch);
                }
                Particles {
                    states,
                    log_weights: vec![0.0; CHAINS],
                    log_ratio: 0.0,
                    random,
                    room: Room::default(),
                }
            })
            .collect();
        Population {
            layout,
            carried: CarriedParticles {
                groups,
                log_base,
                at,
            },
            layers,
        }
    }

    /// Follows a straight line to these weights, in steps as short as the states' weights ask for.
    pub(crate) fn follow(&mut self, weights: &[f64]) {
        let from = self.layers.clone();
        let to = Layers::new(&self.layout, weights);
        let (mut share, mut next) = (0.0, from.clone());
        for left in (1..=MOST_STEPS).rev() {
            let spread = self.weigh(&to);
            let rest = 1.0 - share;
            let step = rest * (AIM / spread.max(AIM)).max(1.0 / left as f64);
            // A last step that would be tiny is taken with this one.
            share = if 1.01 * step >= rest {
                1.0
            } else {
                share + step
            };
            if share < 1.0 {
                next.set_between(&from, &to, share as f32);
            } else {
                next.clone_from(&to);
            }
            let groups = self.carried.groups.par_iter_mut();
            groups.for_each(|group| group.step(&next));
            std::mem::swap(&mut self.layers, &mut next);
            if share >= 1.0 {
                break;
            }
        }
        self.carried.at.clear();
        self.carried.at.extend_from_slice(weights);
    }

    /// Notes what the states weigh at the weights where they are; returns the standard deviation of the log weights of
    /// one long step to others.
    fn weigh(&mut self, to: &Layers) -> f64 {
        let layers = &self.layers;
        let groups = self.carried.groups.par_iter_mut();
        let changes: Vec<Vec<f64>> = groups.map(|group| group.weigh(layers, to)).collect();
        let count = (changes.len() * CHAINS) as f64;
        let mean = changes.iter().flatten().sum::<f64>() / count;
        let squares = changes.iter().flatten().map(|c| (c - mean).powi(2));
        (squares.sum::<f64>() / (count - 1.0)).sqrt()
    }

    /// Log Z at the weights that were followed last, with its standard error by the scatter of the groups.
    pub(crate) fn log_partition(&self) -> (f64, f64) {
        let groups = self.carried.groups.iter();
        let found: Vec<f64> = groups.map(Particles::log_mean).collect();
        let count = found.len() as f64;
        let largest = found.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let ratios: Vec<f64> = found.iter().map(|value| (value - largest).exp()).collect();
        let mean = ratios.iter().sum::<f64>() / count;
        let squares = ratios.iter().map(|ratio| (ratio / mean - 1.0).powi(2));
        let variance = squares.sum::<f64>() / (count - 1.0);
        let value = self.carried.log_base + largest + mean.ln();
        (value, (variance / count).sqrt())
    }

    pub(crate) fn carried(&self) -> CarriedParticles {
        self.carried.clone()
    }

    /// Goes on from there.
    pub(crate) fn go_on(layout: Layout, carried: CarriedParticles) -> Self {
        Population {
            layers: Layers::new(&layout, &carried.at),
            layout,
            carried,
        }
    }
}

impl Particles {
    /// Notes log Σ_z of every state; returns the changes of these from the weights here to others.
    fn weigh(&mut self, here: &Layers, to: &Layers) -> Vec<f64> {
        let Room { scratch, log_sums } = &mut self.room;
        log_sums.clear();
        let states = self.states.iter();
        let changes = states.map(|state| {
            let now = here.log_sum(&state.visible, scratch);
            log_sums.push(now);
            to.log_sum(&state.visible, scratch) - now
        });
        changes.collect()
    }

    /// One step: states that were weighed are weighed at the next weights, drawn anew where few of them count, and swept.
    fn step(&mut self, next: &Layers) {
        let Room { scratch, log_sums } = &mut self.room;
        let weights = self.log_weights.iter_mut().zip(log_sums);
        for ((weight, before), state) in weights.zip(&self.states) {
            *weight += next.log_sum(&state.visible, scratch) - *before;
        }
        self.draw_anew();
        let Room { scratch, .. } = &mut self.room;
        for state in &mut self.states {
            // The hidden units first: they were summed out of the weights.
            next.draw_hidden(state, &mut self.random, scratch);
            next.sweep(state, &mut self.random, scratch);
        }
    }

    /// log of the mean weight since the beginning of the path.
    fn log_mean(&self) -> f64 {
        let largest = self.largest();
        let sum: f64 = self.log_weights.iter().map(|w| (w - largest).exp()).sum();
        self.log_ratio + largest + (sum / CHAINS as f64).ln()
    }

    fn largest(&self) -> f64 {
        let weights = self.log_weights.iter().copied();
        weights.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Where few states count, as many as each is worth, by one random number (Carpenter, Clifford and Fearnhead 1999).
    fn draw_anew(&mut self) {
        let largest = self.largest();
        let weights = self.log_weights.iter().map(|w| (w - largest).exp());
        let weights: Vec<f64> = weights.collect();
        let sum: f64 = weights.iter().sum();
        let squares: f64 = weights.iter().map(|w| w * w).sum();
        if sum * sum >= LEAST_SHARE * CHAINS as f64 * squares {
            return;
        }
        self.log_ratio = self.log_mean();
        self.log_weights.fill(0.0);
        let mut bits = [0; CHAINS];
        self.random.next(&mut bits);
        let offset = (f64::from(bits[0]) + 0.5) / 2_147_483_648.0;
        let (mut at, mut below) = (0, weights[0]);
        let chosen: Vec<ChainState> = (0..CHAINS)
            .map(|number| {
                let aim = (number as f64 + offset) / CHAINS as f64 * sum;
                while below < aim && at + 1 < CHAINS {
                    at += 1;
                    below += weights[at];
                }
                self.states[at].clone()
            })
            .collect();
        self.states = chosen;
    }
}
