//! The weights of a machine in two layers, and the draws of one layer given the other.

use super::layout::Layout;
use crate::inference::kernels::{self, LaneRandom};
use serde::{Deserialize, Serialize};

/// Weights in single precision, as the draws of whole layers want them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layers {
    /// Biases of the visible units.
    pub(crate) visible: Vec<f32>,
    /// Biases of the hidden units.
    pub(crate) hidden: Vec<f32>,
    /// The visible–hidden pairs, a row per visible unit.
    pub(crate) by_visible: Vec<f32>,
    /// The same, a row per hidden unit.
    by_hidden: Vec<f32>,
    /// The pairs of visible units, a row per unit, each pair twice; empty where there are none.
    pub(crate) lateral: Vec<f32>,
}

/// Which units of a chain are on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ChainState {
    pub(crate) visible: Vec<u32>,
    pub(crate) hidden: Vec<u32>,
}

/// Room for fields and lists, kept from draw to draw.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    visible: Vec<f32>,
    hidden: Vec<f32>,
    wide: Vec<f64>,
    before: Vec<u32>,
}

impl Layers {
    /// The weights of a network with this layout.
    pub(crate) fn new(layout: &Layout, weights: &[f64]) -> Self {
        let mut layers = Layers::default();
        layers.read(layout, weights);
        layers
    }

    /// Takes weights over.
    pub(crate) fn read(&mut self, layout: &Layout, weights: &[f64]) {
        let some = |term: &Option<usize>| term.map_or(0.0, |term| weights[term] as f32);
        fill(&mut self.visible, layout.visible.iter().map(some));
        fill(&mut self.hidden, layout.hidden.iter().map(some));
        fill(&mut self.lateral, layout.lateral.iter().map(some));
        let across = layout.across.iter().map(|&term| weights[term] as f32);
        fill(&mut self.by_visible, across);
        self.turn();
    }

    /// Hands weights out.
    pub(crate) fn write(&self, layout: &Layout, weights: &mut [f64]) {
        let some = [
            (&self.visible, &layout.visible),
            (&self.hidden, &layout.hidden),
            (&self.lateral, &layout.lateral),
        ];
        for (values, terms) in some {
            for (value, term) in values.iter().zip(terms) {
                if let Some(term) = *term {
                    weights[term] = f64::from(*value);
                }
            }
        }
        for (value, &term) in self.by_visible.iter().zip(&layout.across) {
            weights[term] = f64::from(*value);
        }
    }

    /// The pairs by hidden unit, from those by visible unit: after a change of these.
    pub(crate) fn turn(&mut self) {
        let (visible, hidden) = (self.visible.len(), self.hidden.len());
        self.by_hidden.resize(visible * hidden, 0.0);
        // Eight by eight, so that what is read and what is written stay in the cache.
        for v in (0..visible).step_by(8) {
            for h in (0..hidden).step_by(8) {
                for row in v..(v + 8).min(visible) {
                    for column in h..(h + 8).min(hidden) {
                        self.by_hidden[column * visible + row] =
                            self.by_visible[row * hidden + column];
                    }
                }
            }
        }
    }

    /// (1 − share) · from + share · to, weight by weight.
    pub(crate) fn set_between(&mut self, from: &Layers, to: &Layers, share: f32) {
        let parts = [
            (&mut self.visible, &from.visible, &to.visible),
            (&mut self.hidden, &from.hidden, &to.hidden),
            (&mut self.by_visible, &from.by_visible, &to.by_visible),
            (&mut self.lateral, &from.lateral, &to.lateral),
        ];
        for (own, from, to) in parts {
            let between = from.iter().zip(to).map(|(a, b)| a + share * (b - a));
            fill(own, between);
        }
        self.turn();
    }

    /// P(z = 1 | y) for the visible units that are on.
    pub(crate) fn hidden_given(&self, on: &[u32], posterior: &mut [f32]) {
        posterior.copy_from_slice(&self.hidden);
        kernels::add_listed_rows(posterior, &self.by_visible, on);
        kernels::logistics(posterior);
    }

    /// log Σ_z e^{λ·f(y, z)} for the visible units that are on.
    pub(crate) fn log_sum(&self, on: &[u32], scratch: &mut Scratch) -> f64 {
        fill(&mut scratch.hidden, self.hidden.iter().copied());
        kernels::add_listed_rows(&mut scratch.hidden, &self.by_visible, on);
        scratch.wide.clear();
        let wide = scratch.hidden.iter().map(|&field| f64::from(field));
        scratch.wide.extend(wide);
        let mut sum = kernels::logistic_row(&mut scratch.wide);
        for (at, &unit) in on.iter().enumerate() {
            sum += f64::from(self.visible[unit as usize]);
            if !self.lateral.is_empty() {
                let row = &self.lateral[unit as usize * self.visible.len()..];
                let earlier = on[..at].iter().map(|&other| row[other as usize]);
                sum += earlier.map(f64::from).sum::<f64>();
            }
        }
        sum
    }

    /// Every visible unit of a chain given its hidden ones, then every hidden unit given the visible ones.
    pub(crate) fn sweep(
        &self,
        state: &mut ChainState,
        random: &mut LaneRandom,
        scratch: &mut Scratch,
    ) {
        fill(&mut scratch.visible, self.visible.iter().copied());
        kernels::add_listed_rows(&mut scratch.visible, &self.by_hidden, &state.hidden);
        if self.lateral.is_empty() {
            kernels::logistics(&mut scratch.visible);
            kernels::draw_ones(&scratch.visible, random, &mut state.visible);
        } else {
            kernels::add_listed_rows(&mut scratch.visible, &self.lateral, &state.visible);
            std::mem::swap(&mut state.visible, &mut scratch.before);
            kernels::draw_in_turn(
                &mut scratch.visible,
                &self.lateral,
                random,
                &scratch.before,
                &mut state.visible,
            );
        }
        self.draw_hidden(state, random, scratch);
    }

    /// Every hidden unit of a chain given its visible ones.
    pub(crate) fn draw_hidden(
        &self,
        state: &mut ChainState,
        random: &mut LaneRandom,
        scratch: &mut Scratch,
    ) {
        scratch.hidden.resize(self.hidden.len(), 0.0);
        self.hidden_given(&state.visible, &mut scratch.hidden);
        kernels::draw_ones(&scratch.hidden, random, &mut state.hidden);
    }
}

fn fill(to: &mut Vec<f32>, from: impl Iterator<Item = f32>) {
    to.clear();
    to.extend(from);
}
