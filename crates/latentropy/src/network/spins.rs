//! The same distribution over spins s ∈ {−1,+1} in place of x ∈ {0,1}, exact for terms of any order.
//!
//! With x = (1+s)/2, a term of order k becomes Π_{v∈V} x_v = 2^{−k} Σ_{U⊆V} Π_{u∈U} s_u; with
//! s = 2x−1, Π_{v∈V} s_v = Σ_{U⊆V} 2^{|U|} (−1)^{k−|U|} Π_{u∈U} x_u. The constants carry the empty
//! sets, so that log Z is the same on both sides. All factors are powers of two: only the sums round.

use super::definition::Network;
use super::sums::TermSums;
use super::term::Term;
use super::unit::Unit;
use crate::error::{Error, Result};

/// A term of order k has 2^k sub-terms; more of them than this are not expanded.
const MOST_SUBTERMS: u64 = 1 << 24;
const HIGHEST_ORDER: usize = 20;

/// A distribution over spins: p(s) ∝ exp(constant + Σ_V w_V Π_{v∈V} s_v), s ∈ {−1,+1}^M.
///
/// ```
/// use latentropy::Network;
/// use latentropy::network::SpinNetwork;
/// // 2 x_a x_b is (1 + s_a + s_b + s_a s_b) / 2.
/// let network = Network::from_terms(&["a", "b"], &[], &[(&["a", "b"], 2.0)])?;
/// let spins = SpinNetwork::of(&network)?;
/// assert_eq!((spins.terms.len(), spins.constant), (3, 0.5));
/// assert_eq!(spins.network()?.exponent(|_| true), 2.0);
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SpinNetwork {
    /// The units.
    pub units: Vec<Unit>,
    /// Terms (products of spins) and their weights.
    pub terms: Vec<(Term, f64)>,
    /// The weight of the empty term.
    pub constant: f64,
}

impl SpinNetwork {
    /// A network in spins. Its terms come first, in their order; then the sub-terms that are needed,
    /// by order and lexicographically, without those that cancel to zero.
    pub fn of(network: &Network) -> Result<Self> {
        let terms = expand(network, |order, _| 0.5f64.powi(order as i32))?;
        let spins = Network::new(network.units().to_vec(), terms)?;
        Ok(SpinNetwork {
            constant: spins.constant,
            terms: spins.terms.into_iter().zip(spins.weights).collect(),
            units: spins.units,
        })
    }

    /// The network of this distribution; the order of terms is as in [`SpinNetwork::of`].
    pub fn network(&self) -> Result<Network> {
        // A network is exactly what needs checking here: ranges, repetitions, finite weights.
        let constant = (Term::new(Vec::new()), self.constant);
        let checked = Network::new(
            self.units.clone(),
            self.terms.iter().cloned().chain([constant]),
        )?;
        let terms = expand(&checked, |order, sub_order| {
            let sign = if (order - sub_order) % 2 == 0 {
                1.0
            } else {
                -1.0
            };
            sign * 2.0f64.powi(sub_order as i32)
        })?;
        Network::new(checked.units, terms)
    }

    /// The exponent of one full state; `up` is true where the spin is +1.
    pub fn exponent(&self, up: impl Fn(usize) -> bool) -> f64 {
        let signed = |(term, weight): &(Term, f64)| {
            let down = term.units().iter().filter(|&&unit| !up(unit)).count();
            if down % 2 == 0 { *weight } else { -*weight }
        };
        self.terms.iter().map(signed).sum::<f64>() + self.constant
    }
}

/// Spreads every weight over the sub-terms of its term, times `factor(order, sub-order)`.
fn expand(network: &Network, factor: impl Fn(usize, usize) -> f64) -> Result<Vec<(Term, f64)>> {
    check_size(network)?;
    let empty = Term::new(Vec::new());
    let mut sums = TermSums::default();
    for term in network.terms() {
        sums.declare(term.clone());
    }
    sums.declare(empty.clone());
    let declared = sums.len();
    sums.add(empty, network.constant());
    for (term, &weight) in network.terms().iter().zip(network.weights()) {
        let order = term.order();
        for subset in 0..1u64 << order {
            let chosen = |&place: &usize| subset >> place & 1 == 1;
            let units: Vec<usize> = (0..order)
                .filter(chosen)
                .map(|place| term.units()[place])
                .collect();
            let contribution = weight * factor(order, units.len());
            sums.add(Term::new(units), contribution);
        }
    }
    Ok(sums.with_new_sorted(declared))
}

fn check_size(network: &Network) -> Result<()> {
    let order = network.order();
    if order > HIGHEST_ORDER {
        return Err(Error::too_large(
            format!("a term of order {order} has 2^{order} sub-terms in the other convention"),
            format!(
                "terms of order up to {HIGHEST_ORDER} are converted, so keep this network as it is"
            ),
        ));
    }
    let subterms: u64 = network.terms().iter().map(|term| 1 << term.order()).sum();
    if subterms > MOST_SUBTERMS {
        return Err(Error::too_large(
            format!(
                "the terms have {subterms} sub-terms in the other convention, and at most \
                 {MOST_SUBTERMS} are converted"
            ),
            "use fewer terms or terms of lower order",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(count: usize) -> Vec<Unit> {
        (0..count)
            .map(|unit| Unit::visible(format!("x{unit}")))
            .collect()
    }

    #[test]
    fn a_pair_becomes_the_textbook_couplings_and_fields() {
        let network = Network::new(units(2), [(Term::new(vec![0, 1]), 2.0)]).unwrap();
        let spins = SpinNetwork::of(&network).unwrap();
        let expected = [(vec![0, 1], 0.5), (vec![0], 0.5), (vec![1], 0.5)];
        assert_eq!(
            spins.terms,
            expected.map(|(units, weight)| (Term::new(units), weight))
        );
        assert_eq!(spins.constant, 0.5);
    }

    #[test]
    fn terms_that_cancel_are_dropped_unless_they_were_given() {
        let pair = (Term::new(vec![0, 1]), 2.0);
        let field = |unit, weight| (Term::new(vec![unit]), weight);
        // J s0 s1 alone gives x0 the weight −2J; a field of J takes it back to an exact zero.
        let spins = SpinNetwork {
            units: units(2),
            terms: vec![pair.clone(), field(0, 2.0), field(1, 2.0)],
            constant: 0.0,
        };
        let network = spins.network().unwrap();
        assert_eq!(network.weights(), [8.0, 0.0, 0.0]);
        // The other way round the biases are not in the input: they come and go with their sums.
        let biases = [(Term::new(vec![1]), -1.0)];
        let network = Network::new(units(2), [pair].into_iter().chain(biases)).unwrap();
        let spins = SpinNetwork::of(&network).unwrap();
        assert_eq!(spins.terms[1], field(1, 0.0));
        let triple = [
            (Term::new(vec![0, 1, 2]), 4.0),
            (Term::new(vec![1, 2, 3]), -4.0),
        ];
        let spins = SpinNetwork::of(&Network::new(units(4), triple).unwrap()).unwrap();
        assert!(spins.terms.iter().all(|(term, _)| term.units() != [1, 2]));
    }

    #[test]
    fn huge_orders_are_refused_and_bad_input_is_named() {
        let network = Network::new(units(40), [(Term::new((0..40).collect()), 1.0)]).unwrap();
        assert!(matches!(
            SpinNetwork::of(&network),
            Err(Error::TooLarge { .. })
        ));
        let many = (0..40).map(|skip| (Term::new((skip..skip + 20).collect()), 1.0));
        let network = Network::new(units(60), many).unwrap();
        assert!(matches!(
            SpinNetwork::of(&network),
            Err(Error::TooLarge { .. })
        ));
        let spins = SpinNetwork {
            units: units(1),
            terms: vec![(Term::new(vec![0]), 1.0), (Term::new(vec![0]), 1.0)],
            constant: 0.0,
        };
        assert!(spins.network().unwrap_err().to_string().contains("twice"));
    }
}
