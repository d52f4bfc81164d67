//! The slopes of mini-batches: what rows and chains say of every feature, centred, and the step along them.

use crate::inference::{Layers, Layout, kernels};
use serde::{Deserialize, Serialize};

/// The means that features are centred at follow those of the hidden units by this share per batch.
const FOLLOWING: f32 = 0.01;

/// Where features are centred.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Centre {
    /// The means of the columns.
    pub(super) visible: Vec<f32>,
    /// Those of the hidden units given the rows, of late.
    hidden: Vec<f32>,
}

impl Centre {
    /// Of rows, each as often as the order names it; hidden units are at first as often on as off.
    pub(super) fn new(layout: &Layout, rows: &[Vec<u32>], order: &[u32]) -> Self {
        let mut ones = vec![0.0f64; layout.visible.len()];
        for &row in order {
            for &unit in &rows[row as usize] {
                ones[unit as usize] += 1.0;
            }
        }
        let count = order.len() as f64;
        Centre {
            visible: ones.into_iter().map(|ones| (ones / count) as f32).collect(),
            hidden: vec![0.5; layout.hidden.len()],
        }
    }

    fn follow(&mut self, means: &[f32]) {
        for (centre, mean) in self.hidden.iter_mut().zip(means) {
            *centre += FOLLOWING * (mean - *centre);
        }
    }
}

/// The penalty's slopes at the beginning of a pass, but for the ridge on the pairs themselves, which each step takes at
/// its own weights: what is left is weak, and changes by next to nothing within a pass.
pub(super) struct Pulls {
    pub(super) ridge: f32,
    /// By place.
    pub(super) rest: Layers,
}

/// Slopes by place, as the weights are in [`Layers`], and room to sum them up.
pub(super) struct Slopes {
    visible: Vec<f32>,
    hidden: Vec<f32>,
    across: Vec<f32>,
    lateral: Vec<f32>,
    /// True of the pairs of visible units that have a term; empty where there are none.
    is_term: Vec<bool>,
    has_bias: (Vec<bool>, Vec<bool>),
    /// P(z = 1 | y) for the rows and chains of a step, one after the other.
    posteriors: Vec<f32>,
    /// Their visible states, where pairs of these have terms.
    states: Vec<f32>,
    /// For each visible unit those of them in which it is on.
    with_unit: Vec<Vec<u32>>,
}

impl Slopes {
    pub(super) fn new(layout: &Layout) -> Self {
        let is_some = |terms: &[Option<usize>]| terms.iter().map(Option::is_some).collect();
        Slopes {
            visible: vec![0.0; layout.visible.len()],
            hidden: vec![0.0; layout.hidden.len()],
            across: vec![0.0; layout.across.len()],
            lateral: vec![0.0; layout.lateral.len()],
            is_term: is_some(&layout.lateral),
            has_bias: (is_some(&layout.visible), is_some(&layout.hidden)),
            posteriors: Vec::new(),
            states: Vec::new(),
            with_unit: vec![Vec::new(); layout.visible.len()],
        }
    }

    /// Room for the posteriors of so many rows and chains; handed back to [`Slopes::sum`].
    pub(super) fn room(&mut self, places: usize) -> Vec<f32> {
        let mut room = std::mem::take(&mut self.posteriors);
        room.resize(places * self.hidden.len(), 0.0);
        room
    }

    /// Sums the features of `rows` rows and of the chains after them, each with its share, their hidden units averaged.
    pub(super) fn sum<'a>(
        &mut self,
        mut posteriors: Vec<f32>,
        rows: usize,
        states: impl Iterator<Item = (&'a Vec<u32>, f32)>,
        centre: &mut Centre,
    ) {
        let (visible, hidden) = (self.visible.len(), self.hidden.len());
        let has_lateral = !self.lateral.is_empty();
        self.visible.fill(0.0);
        self.hidden.fill(0.0);
        self.states.clear();
        for (place, (on, share)) in states.enumerate() {
            for &unit in on {
                self.visible[unit as usize] += share;
                self.with_unit[unit as usize].push(place as u32);
            }
            let own = &mut posteriors[place * hidden..(place + 1) * hidden];
            own.iter_mut().for_each(|posterior| *posterior *= share);
            kernels::add_row(&mut self.hidden, own);
            if place + 1 == rows {
                centre.follow(&self.hidden);
            }
            if has_lateral {
                let first = self.states.len();
                self.states.resize(first + visible, 0.0);
                for &unit in on {
                    self.states[first + unit as usize] = share;
                }
            }
        }
        for (unit, with) in self.with_unit.iter_mut().enumerate() {
            let across = &mut self.across[unit * hidden..(unit + 1) * hidden];
            across.fill(0.0);
            kernels::add_listed_rows(across, &posteriors, with);
            if has_lateral {
                let lateral = &mut self.lateral[unit * visible..(unit + 1) * visible];
                lateral.fill(0.0);
                kernels::add_listed_rows(lateral, &self.states, with);
            }
            with.clear();
        }
        self.posteriors = posteriors;
    }

    /// A step along the centred slopes less the penalty's, within the box.
    pub(super) fn step(
        &mut self,
        layers: &mut Layers,
        pulls: &Pulls,
        centre: &Centre,
        step: f32,
        bounds: &Layers,
    ) {
        self.pull(layers, pulls);
        self.centre(centre);
        let moved = [
            (&mut layers.visible, &self.visible, &bounds.visible),
            (&mut layers.hidden, &self.hidden, &bounds.hidden),
            (&mut layers.by_visible, &self.across, &bounds.by_visible),
            (&mut layers.lateral, &self.lateral, &bounds.lateral),
        ];
        for (weights, slopes, bounds) in moved {
            for ((weight, slope), bound) in weights.iter_mut().zip(slopes).zip(bounds) {
                *weight = (*weight + step * slope).min(*bound).max(-*bound);
            }
        }
        layers.turn();
    }

    /// Takes the penalty's slopes off.
    fn pull(&mut self, layers: &Layers, pulls: &Pulls) {
        let Pulls { ridge, rest } = pulls;
        let biases = [
            (&mut self.visible, &rest.visible, &self.has_bias.0),
            (&mut self.hidden, &rest.hidden, &self.has_bias.1),
        ];
        for (slopes, rest, has_bias) in biases {
            for ((slope, rest), has) in slopes.iter_mut().zip(rest).zip(has_bias) {
                *slope = if *has { *slope - rest } else { 0.0 };
            }
        }
        let across = self.across.iter_mut().zip(&rest.by_visible);
        for ((slope, rest), weight) in across.zip(&layers.by_visible) {
            *slope -= rest + ridge * weight;
        }
        let lateral = self.lateral.iter_mut().zip(&rest.lateral);
        for (((slope, rest), weight), is_term) in lateral.zip(&layers.lateral).zip(&self.is_term) {
            *slope = if *is_term {
                *slope - rest - ridge * weight
            } else {
                0.0
            };
        }
    }

    /// From the slopes of y z to those of (y − mean)(z − mean), and of what is left to the biases. Units without a bias
    /// cannot take it up: their mean is zero here, and nothing is centred at it.
    fn centre(&mut self, centre: &Centre) {
        let (visible, hidden) = (self.visible.len(), self.hidden.len());
        let at = |means: &[f32], partner_has_bias: &[bool]| -> Vec<f32> {
            let all = partner_has_bias.iter().all(|has| *has);
            means
                .iter()
                .map(|mean| if all { *mean } else { 0.0 })
                .collect()
        };
        // The mean of one side moves weight to the biases of the other.
        let of_visible = at(&centre.visible, &self.has_bias.1);
        let of_hidden = at(&centre.hidden, &self.has_bias.0);
        let mut to_hidden = vec![0.0; hidden];
        let mut to_visible = vec![0.0; visible];
        for unit in 0..visible {
            let row = &mut self.across[unit * hidden..(unit + 1) * hidden];
            let (own, mean) = (self.visible[unit], of_visible[unit]);
            let mut moved = 0.0;
            for (at, slope) in row.iter_mut().enumerate() {
                *slope -= mean * self.hidden[at] + of_hidden[at] * own;
                moved += of_hidden[at] * *slope;
                to_hidden[at] += mean * *slope;
            }
            to_visible[unit] = moved;
        }
        if !self.lateral.is_empty() && self.has_bias.0.iter().all(|has| *has) {
            let means = &centre.visible;
            for unit in 0..visible {
                let row = &mut self.lateral[unit * visible..(unit + 1) * visible];
                let mut moved = 0.0;
                for (other, slope) in row.iter_mut().enumerate() {
                    if self.is_term[unit * visible + other] {
                        *slope -=
                            means[unit] * self.visible[other] + means[other] * self.visible[unit];
                        moved += means[other] * *slope;
                    }
                }
                to_visible[unit] += moved;
            }
        }
        for (slope, moved) in self.visible.iter_mut().zip(to_visible) {
            *slope -= moved;
        }
        for (slope, moved) in self.hidden.iter_mut().zip(to_hidden) {
            *slope -= moved;
        }
    }
}
