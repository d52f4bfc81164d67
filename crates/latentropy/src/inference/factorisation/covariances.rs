//! Second moments of the features by factorisation: one pass over the states of the dependent side.
//!
//! Given a state d of the dependent side the other units are independent, so
//! Cov[f] = Cov_d[E[f | d]] + E_d[Cov[f | d]], and Cov[f | d] joins only features of the same independent unit.

use super::prepared::FactorisedSums;
use super::sides::{Place, Sides};
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};

/// States times pairs of terms, at most: about ten seconds on one core.
const MOST_PRODUCTS: f64 = 2e11;
/// More dependent units than this have tables of their own that are too large.
const MOST_DEPENDENT: usize = 20;
/// States whose conditional means are worked on together.
const STATES_AT_ONCE: usize = 256;

/// A term on the two sides: its mask on the dependent one, and the independent unit it has, if any.
struct Feature {
    term: usize,
    mask: u64,
    unit: Option<usize>,
}

impl FactorisedSums {
    /// Whether [`FactorisedSums::covariances`] is within reach.
    pub(crate) fn has_covariances(&self) -> bool {
        let dependent = self.sides().dependent.len();
        let terms = self.sides().places.len() as f64;
        dependent <= MOST_DEPENDENT
            && 2f64.powi(dependent as i32) * terms * terms <= MOST_PRODUCTS
            && 2f64.powi(dependent as i32) * self.sides().width as f64 <= 1e8
    }

    /// Cov[f_a, f_b] at entries a · terms + b with b ≤ a; zero where a term is settled by what is held.
    pub(crate) fn covariances(&self, weights: &[f64], out: &mut [f64]) {
        let sides = self.sides();
        let features = features(sides);
        let terms = sides.places.len();
        let conditional = Conditional::new(sides, &features, weights);
        let means = conditional.means(&features, terms);
        // Rows of √π(d) (E[f | d] − E f): their Gram matrix is the first part.
        let states = conditional.shares.len();
        let mut gram = vec![0.0; terms * terms];
        let mut table = vec![0.0; STATES_AT_ONCE.min(states) * terms];
        for start in (0..states).step_by(STATES_AT_ONCE) {
            let run = start..(start + STATES_AT_ONCE).min(states);
            let table = &mut table[..run.len() * terms];
            for (row, state) in table.chunks_exact_mut(terms.max(1)).zip(run) {
                let root = conditional.shares[state].sqrt();
                row.fill(0.0);
                for feature in &features {
                    let mean = conditional.mean(state, feature);
                    row[feature.term] = root * (mean - means[feature.term]);
                }
            }
            let rows = MatRef::from_row_major_slice(table, table.len() / terms.max(1), terms);
            triangular::matmul(
                MatMut::from_row_major_slice_mut(&mut gram, terms, terms),
                BlockStructure::TriangularLower,
                Accum::Add,
                rows.transpose(),
                BlockStructure::Rectangular,
                rows,
                BlockStructure::Rectangular,
                1.0,
                Par::Seq,
            );
        }
        for a in 0..terms {
            out[a * terms..=a * terms + a].copy_from_slice(&gram[a * terms..=a * terms + a]);
        }
        conditional.add_within(sides.width, &features, terms, out);
    }
}

fn features(sides: &Sides) -> Vec<Feature> {
    let place = |(term, place): (usize, &Place)| {
        let whole = |upper: u64, lower: usize| upper << sides.low_bits | lower as u64;
        Some(match *place {
            // What is held settles a term, and it has no covariance.
            Place::Zero | Place::One => return None,
            Place::Dependent(upper, lower) => Feature {
                term,
                mask: whole(upper, lower),
                unit: None,
            },
            Place::Independent(upper, lower, unit) => Feature {
                term,
                mask: whole(upper, lower),
                unit: Some(unit),
            },
        })
    };
    sides.places.iter().enumerate().filter_map(place).collect()
}

/// The dependent side's states with their probabilities, and the independent units' given each.
struct Conditional {
    /// π(d).
    shares: Vec<f64>,
    /// P(unit = 1 | d), one row per state.
    on: Vec<f64>,
    width: usize,
}

impl Conditional {
    fn new(sides: &Sides, features: &[Feature], weights: &[f64]) -> Self {
        let (states, width) = (1usize << sides.dependent.len(), sides.width);
        let mut on = vec![0.0; states * width];
        let mut logs = vec![0.0; states];
        for (state, log) in logs.iter_mut().enumerate() {
            let fields = &mut on[state * width..(state + 1) * width];
            for feature in features.iter().filter(|f| state as u64 & f.mask == f.mask) {
                match feature.unit {
                    Some(unit) => fields[unit] += weights[feature.term],
                    None => *log += weights[feature.term],
                }
            }
            for field in fields {
                // log(1 + e^h) without overflow.
                *log += field.max(0.0) + (-field.abs()).exp().ln_1p();
                *field = 1.0 / (1.0 + (-*field).exp());
            }
        }
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut shares: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
        let total: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= total);
        Conditional { shares, on, width }
    }

    /// E f.
    fn means(&self, features: &[Feature], terms: usize) -> Vec<f64> {
        let mut means = vec![0.0; terms];
        for (state, share) in self.shares.iter().enumerate() {
            for feature in features {
                means[feature.term] += share * self.mean(state, feature);
            }
        }
        means
    }

    /// E[f | d].
    fn mean(&self, state: usize, feature: &Feature) -> f64 {
        if state as u64 & feature.mask != feature.mask {
            return 0.0;
        }
        feature
            .unit
            .map_or(1.0, |unit| self.on[state * self.width + unit])
    }

    /// Adds Σ_d π(d) p(1 − p) over pairs of features that share an independent unit.
    fn add_within(&self, units: usize, features: &[Feature], terms: usize, out: &mut [f64]) {
        let mut of_unit: Vec<Vec<&Feature>> = vec![Vec::new(); units];
        for feature in features {
            if let Some(unit) = feature.unit {
                of_unit[unit].push(feature);
            }
        }
        for (unit, own) in of_unit.iter().enumerate() {
            for (state, share) in self.shares.iter().enumerate() {
                let p = self.on[state * self.width + unit];
                let variance = share * p * (1.0 - p);
                let is_on = |feature: &&&Feature| state as u64 & feature.mask == feature.mask;
                for a in own.iter().filter(is_on) {
                    for b in own.iter().filter(is_on).filter(|b| b.term <= a.term) {
                        out[a.term * terms + b.term] += variance;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::literal;
    use crate::network::{Clamp, Network};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn covariances_are_those_of_all_states(
            weights in prop::collection::vec(-2.0..2.0f64, 40),
            visible in 2usize..6,
            hidden in 1usize..4,
            semi in any::<bool>(),
        ) {
            let shape = if semi { Network::semi_restricted } else { Network::rbm };
            let structure = shape(visible, hidden);
            let terms = structure.terms().len();
            let network = structure.with_weights(weights.into_iter().cycle().take(terms).collect()).unwrap();
            let sums = FactorisedSums::new(&network).unwrap();
            prop_assert!(sums.has_covariances());
            let mut found = vec![0.0; terms * terms];
            sums.covariances(network.weights(), &mut found);
            let units = visible + hidden;
            let means = literal::expectations(&network, &Clamp::none(units)).terms;
            let log_z = literal::expectations(&network, &Clamp::none(units)).log_partition.value;
            for a in 0..terms {
                for b in 0..=a {
                    let mut both = 0.0;
                    for state in 0..1usize << units {
                        let bit = |unit: usize| state >> unit & 1 == 1;
                        let is_on = |term: usize| network.terms()[term].units().iter().all(|&u| bit(u));
                        if is_on(a) && is_on(b) {
                            both += (network.exponent(bit) - log_z).exp();
                        }
                    }
                    let expected = both - means[a] * means[b];
                    prop_assert!((found[a * terms + b] - expected).abs() < 1e-12);
                }
            }
        }
    }
}
