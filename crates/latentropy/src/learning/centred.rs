//! The centred view of a machine's weights: the coordinates in which recoding a unit (0 ↔ 1) changes nothing but signs.
//!
//! With a centre μ_v per unit, x_v = (x_v − μ_v) + μ_v turns Σ_V λ_V Π x_v into Σ_U κ_U Π (x_u − μ_u) plus a constant,
//! κ_U = Σ_{V ⊇ U} λ_V Π_{v ∈ V∖U} μ_v. Recoding u maps x_u − μ_u to its negative, so every κ keeps its size. For a pair
//! that no other term contains κ is λ itself; for a unit it is the log odds of the unit with all its neighbours at
//! their centres. Centres are the columns' means, and one half for hidden units: with one half everywhere this is the
//! {−1,+1} view, κ_U = 2^|U| J_U.

use crate::network::{Network, Term};
use std::collections::HashMap;

/// One coordinate κ_U, a combination of weights: U itself first, then every term that contains it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Combination {
    /// How many units U has.
    pub(crate) order: usize,
    /// Terms and what their weights are multiplied by.
    pub(crate) parts: Vec<(usize, f64)>,
}

impl Combination {
    /// κ_U at these weights.
    pub(crate) fn value(&self, weights: &[f64]) -> f64 {
        self.parts
            .iter()
            .map(|&(term, by)| by * weights[term])
            .sum()
    }
}

/// All coordinates of a machine, one per term.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CentredView {
    coordinates: Vec<Combination>,
}

impl CentredView {
    /// The view with these centres, one per unit; `None` where some part of a term is no term itself, as in machines
    /// without biases: such a machine cannot be recoded, and its weights are what they are.
    pub(crate) fn new(network: &Network, centres: &[f64]) -> Option<Self> {
        if !network.is_recodable() {
            return None;
        }
        let terms = network.terms();
        let places: HashMap<&Term, usize> = terms.iter().enumerate().map(|(i, t)| (t, i)).collect();
        let mut coordinates: Vec<Combination> = terms
            .iter()
            .enumerate()
            .map(|(at, term)| Combination {
                order: term.order(),
                parts: vec![(at, 1.0)],
            })
            .collect();
        for (at, term) in terms.iter().enumerate() {
            let units = term.units();
            for subset in 1..(1usize << units.len()) - 1 {
                let is_in = |place: usize| subset >> place & 1 == 1;
                let part: Vec<usize> = (0..units.len())
                    .filter(|&p| is_in(p))
                    .map(|p| units[p])
                    .collect();
                let by = (0..units.len())
                    .filter(|&p| !is_in(p))
                    .map(|p| centres[units[p]])
                    .product();
                coordinates[*places.get(&Term::new(part))?]
                    .parts
                    .push((at, by));
            }
        }
        Some(CentredView { coordinates })
    }

    /// The coordinates, in the order of the terms.
    pub(crate) fn coordinates(&self) -> &[Combination] {
        &self.coordinates
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Unit;
    use proptest::prelude::*;

    fn third_order() -> Network {
        let units = (0..4).map(|u| Unit::visible(format!("y{u}"))).collect();
        let terms = (1u32..16)
            .filter(|bits| bits.count_ones() <= 3)
            .map(|bits| Term::new((0..4).filter(|u| bits >> u & 1 == 1).collect()));
        Network::new(units, terms.map(|term| (term, 0.0))).unwrap()
    }

    proptest! {
        #[test]
        fn recoding_changes_signs_only(
            weights in prop::collection::vec(-3.0..3.0f64, 14),
            centres in prop::collection::vec(0.0..1.0f64, 4),
            flips in prop::collection::vec(any::<bool>(), 4),
        ) {
            let network = third_order().with_weights(weights).unwrap();
            let view = CentredView::new(&network, &centres).unwrap();
            let recoding = crate::network::Recoding::new(&network, &flips).unwrap();
            let other = network.recoded(&recoding);
            let turned: Vec<f64> = centres.iter().zip(&flips).map(|(c, f)| if *f { 1.0 - c } else { *c }).collect();
            let other_view = CentredView::new(&other, &turned).unwrap();
            for (a, b) in view.coordinates().iter().zip(other_view.coordinates()) {
                let (a, b) = (a.value(network.weights()), b.value(other.weights()));
                prop_assert!((a.abs() - b.abs()).abs() < 1e-12);
            }
        }
    }
}
