//! Terms: the sets of units that a network has weights for.

/// A set of units, ascending and without repetition: the feature f_V(x) = Π_{v∈V} x_v.
///
/// For an example see [`Network`](super::Network).
#[derive(
    Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct Term(Box<[usize]>);

impl Term {
    /// The term on these units, in any order; a unit given twice counts once (x² = x).
    pub fn new(mut units: Vec<usize>) -> Self {
        units.sort_unstable();
        units.dedup();
        Term(units.into_boxed_slice())
    }

    /// The units, ascending.
    pub fn units(&self) -> &[usize] {
        &self.0
    }

    /// How many units: 1 a bias, 2 a pair, 3 and more a higher-order term.
    pub fn order(&self) -> usize {
        self.0.len()
    }
}
