//! Second moments of the features by factorisation: one pass over the states of the dependent side.
//!
//! Given a state d of the dependent side the other units are independent. So E[f_a f_b] is Σ π(d) p_i(d) p_j(d) over the
//! states in which the dependent units of both features are on, i and j being their independent units (p_i alone where i and j
//! are one, nothing where a feature has none). For each pair of independent units that is one table of the states, summed over
//! supersets once, in which all pairs of their features are looked up.

use super::prepared::FactorisedSums;
use super::sides::{Place, Sides};
use crate::inference::kernels;
use rayon::prelude::*;

/// Additions, at most: about ten seconds on one core.
const MOST_ADDITIONS: f64 = 2e10;
/// More dependent units than this have tables of their own that are too large.
const MOST_DEPENDENT: usize = 20;
/// And more conditional means than this are too many to be held.
const MOST_MEANS: f64 = 1e8;
/// Tables are handed out in pieces of at least so many numbers: smaller ones are not worth another thread.
const WORTH_A_THREAD: usize = 1 << 14;

/// A feature on the dependent side: its term, and its mask there.
struct Feature {
    term: usize,
    mask: usize,
}

impl FactorisedSums {
    /// Whether [`FactorisedSums::covariances`] is within reach.
    pub(crate) fn has_covariances(&self) -> bool {
        let dependent = self.sides().dependent.len();
        let (states, width) = (2f64.powi(dependent as i32), self.sides().width as f64);
        let tables = (width + 1.0) * (width + 2.0) / 2.0;
        // Making a table and summing it over supersets.
        let additions = tables * states * (2.0 + dependent as f64 / 2.0);
        dependent <= MOST_DEPENDENT && additions <= MOST_ADDITIONS && states * width <= MOST_MEANS
    }

    /// Cov[f_a, f_b] at entries a · terms + b with b ≤ a; zero where a term is settled by what is held.
    pub(crate) fn covariances(&self, weights: &[f64], out: &mut [f64]) {
        let sides = Sides {
            weights: weights.to_vec(),
            constant: 0.0,
            ..self.sides().clone()
        };
        let terms = sides.places.len();
        let groups = features_by_unit(&sides);
        let conditional = Conditional::new(&sides);
        let mut means = vec![0.0; terms];
        let pairs: Vec<(usize, usize)> = (0..groups.len())
            .flat_map(|first| (0..=first).map(move |second| (first, second)))
            .filter(|&(first, second)| !groups[first].is_empty() && !groups[second].is_empty())
            .collect();
        let at_least = (WORTH_A_THREAD / conditional.shares.len()).max(1);
        let moments: Vec<Vec<f64>> = pairs
            .par_iter()
            .with_min_len(at_least)
            .map_init(Vec::new, |table, &(first, second)| {
                conditional.superset_sums(first, second, table);
                let both = groups[first]
                    .iter()
                    .flat_map(|a| groups[second].iter().map(move |b| a.mask | b.mask));
                both.map(|mask| table[mask]).collect()
            })
            .collect();
        for (&(first, second), moments) in pairs.iter().zip(&moments) {
            if first == second {
                let size = groups[first].len();
                for (at, feature) in groups[first].iter().enumerate() {
                    means[feature.term] = moments[at * size + at];
                }
            }
        }
        out.fill(0.0);
        for (&(first, second), moments) in pairs.iter().zip(&moments) {
            let both = groups[first]
                .iter()
                .flat_map(|a| groups[second].iter().map(move |b| (a.term, b.term)));
            for ((a, b), moment) in both.zip(moments) {
                let (later, earlier) = (a.max(b), a.min(b));
                out[later * terms + earlier] = moment - means[a] * means[b];
            }
        }
    }
}

/// The features without an independent unit, then those of each independent unit.
fn features_by_unit(sides: &Sides) -> Vec<Vec<Feature>> {
    let mut groups: Vec<Vec<Feature>> = (0..=sides.width).map(|_| Vec::new()).collect();
    for (term, place) in sides.places.iter().enumerate() {
        let (group, upper, lower) = match *place {
            // What is held settles a term, and it has no covariance.
            Place::Zero | Place::One => continue,
            Place::Dependent(upper, lower) => (0, upper, lower),
            Place::Independent(upper, lower, unit) => (unit + 1, upper, lower),
        };
        let mask = (upper as usize) << sides.low_bits | lower;
        groups[group].push(Feature { term, mask });
    }
    groups
}

/// The dependent side's states with their probabilities, and the independent units' given each.
struct Conditional {
    /// π(d).
    shares: Vec<f64>,
    /// P(unit = 1 | d), all states of the first unit, then those of the second …
    on: Vec<f64>,
}

impl Conditional {
    fn new(sides: &Sides) -> Self {
        let (states, width) = (1usize << sides.dependent.len(), sides.width);
        let in_block = 1usize << sides.low_bits;
        let runs = sides.runs().into_par_iter();
        let visited: Vec<(f64, Vec<f64>, Vec<f64>)> = runs
            .flat_map_iter(|run| {
                let mut own = Vec::new();
                sides.visit(run, |_, reference, weights, means| {
                    own.push((reference, weights.to_vec(), means.to_vec()));
                });
                own
            })
            .collect();
        let references = visited.iter().map(|(reference, ..)| *reference);
        let largest = references.fold(f64::NEG_INFINITY, f64::max);
        let mut shares = Vec::with_capacity(states);
        let mut on = vec![0.0; states * width];
        for (block, (reference, weights, means)) in visited.iter().enumerate() {
            let scale = (reference - largest).exp();
            shares.extend(weights.iter().map(|weight| weight * scale));
            for unit in 0..width {
                let from = unit * states + block * in_block;
                let column = means.iter().skip(unit).step_by(width);
                for (on, mean) in on[from..from + in_block].iter_mut().zip(column) {
                    *on = *mean;
                }
            }
        }
        let total: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= total);
        Conditional { shares, on }
    }

    /// Σ π p_i p_j over the states that have a mask's units on, for every mask; group 0 has no independent unit, the others have
    /// that of their number less one.
    fn superset_sums(&self, first: usize, second: usize, table: &mut Vec<f64>) {
        let states = self.shares.len();
        table.clone_from(&self.shares);
        let mut times = |group: usize| {
            if group > 0 {
                kernels::multiply(table, &self.on[(group - 1) * states..group * states], 1.0);
            }
        };
        times(first);
        if second != first {
            times(second);
        }
        kernels::superset_sums(table);
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
