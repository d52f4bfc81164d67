//! Which term of a restricted machine is which bias or pair, as places in a matrix.

use crate::network::{Network, Role};

/// The units of the two sides, and the terms by their places: after the last column comes a column of ones, whose
/// pairs are the hidden units' biases.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) visible: Vec<usize>,
    pub(super) hidden: Vec<usize>,
    /// The bias of each column.
    pub(super) biases: Vec<Option<usize>>,
    /// The term at place column · hidden + unit.
    pub(super) pairs: Vec<Option<usize>>,
    terms: usize,
}

impl Layout {
    /// None where a term has another form, or there is nothing on one side.
    pub(super) fn new(network: &Network) -> Option<Self> {
        let (visible, hidden) = (network.visible(), network.hidden());
        if visible.is_empty() || hidden.is_empty() {
            return None;
        }
        let mut place = vec![0; network.units().len()];
        for side in [&visible, &hidden] {
            for (at, &unit) in side.iter().enumerate() {
                place[unit] = at;
            }
        }
        let width = hidden.len();
        let mut layout = Layout {
            biases: vec![None; visible.len()],
            pairs: vec![None; (visible.len() + 1) * width],
            terms: network.terms().len(),
            visible,
            hidden,
        };
        let is_hidden = |unit: usize| network.units()[unit].role == Role::Hidden;
        for (at, term) in network.terms().iter().enumerate() {
            let slot = match *term.units() {
                [unit] if is_hidden(unit) => {
                    &mut layout.pairs[layout.visible.len() * width + place[unit]]
                }
                [unit] => &mut layout.biases[place[unit]],
                [a, b] if is_hidden(a) != is_hidden(b) => {
                    let (column, unit) = if is_hidden(a) { (b, a) } else { (a, b) };
                    &mut layout.pairs[place[column] * width + place[unit]]
                }
                _ => return None,
            };
            if slot.replace(at).is_some() {
                return None;
            }
        }
        Some(layout)
    }

    /// Columns and the column of ones.
    pub(super) fn columns(&self) -> usize {
        self.visible.len() + 1
    }

    pub(super) fn terms(&self) -> usize {
        self.terms
    }

    /// The weights of the pairs at their places; zero where there is no term.
    pub(super) fn pair_weights(&self, weights: &[f64]) -> Vec<f64> {
        let pairs = self.pairs.iter();
        pairs
            .map(|pair| pair.map_or(0.0, |term| weights[term]))
            .collect()
    }

    /// One row of cells and a one at its end.
    pub(super) fn cells(&self, clamp: &crate::network::Clamp) -> impl Iterator<Item = f64> {
        let visible = self.visible.iter();
        visible
            .map(|&unit| f64::from(u8::from(clamp.get(unit) == Some(true))))
            .chain([1.0])
    }
}
