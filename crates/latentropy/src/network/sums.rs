//! Adding up contributions to terms, in an order that does not depend on hashing.

use super::term::Term;
use std::collections::HashMap;

/// Terms with the sum of what was added to each.
#[derive(Default)]
pub(super) struct TermSums {
    places: HashMap<Term, usize>,
    sums: Vec<Sum>,
}

#[derive(Clone, Copy, Default)]
struct Sum {
    value: f64,
    /// Σ |contribution|: what the rounding error of `value` is proportional to.
    magnitude: f64,
    contributions: usize,
}

impl Sum {
    /// Whether the value is within the rounding error of its own summation, so that it may be an
    /// exact zero: contributions that cancel leave such a rest.
    fn is_cancelled(&self) -> bool {
        self.value.abs() <= self.contributions as f64 * f64::EPSILON / 2.0 * self.magnitude
    }
}

impl TermSums {
    /// Gives a term its place without adding anything.
    pub(super) fn declare(&mut self, term: Term) {
        self.place(term);
    }

    /// Adds to a term's weight.
    pub(super) fn add(&mut self, term: Term, weight: f64) {
        let place = self.place(term);
        let sum = &mut self.sums[place];
        sum.value += weight;
        sum.magnitude += weight.abs();
        sum.contributions += 1;
    }

    fn place(&mut self, term: Term) -> usize {
        let next = self.sums.len();
        let place = *self.places.entry(term).or_insert(next);
        if place == next {
            self.sums.push(Sum::default());
        }
        place
    }

    /// How many different terms there are.
    pub(super) fn len(&self) -> usize {
        self.sums.len()
    }

    /// All terms, in the order in which they first came.
    pub(super) fn in_order_of_arrival(self) -> Vec<(Term, f64)> {
        self.with_new_sorted(usize::MAX)
    }

    /// The first `declared` terms in their order, then the later ones by order and
    /// lexicographically, without those whose contributions cancelled.
    pub(super) fn with_new_sorted(self, declared: usize) -> Vec<(Term, f64)> {
        let mut placed: Vec<(Term, usize)> = self
            .places
            .into_iter()
            .filter(|&(_, place)| place < declared || !self.sums[place].is_cancelled())
            .collect();
        placed.sort_unstable_by(|(a, place_a), (b, place_b)| {
            let key = |place: usize| place.min(declared);
            key(*place_a)
                .cmp(&key(*place_b))
                .then(a.order().cmp(&b.order()))
                .then(a.cmp(b))
        });
        placed
            .into_iter()
            .map(|(term, place)| (term, self.sums[place].value))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_terms_stay_and_cancelled_new_ones_go() {
        let mut sums = TermSums::default();
        sums.declare(Term::new(vec![3]));
        for (units, weight) in [(vec![1, 2], 1.0), (vec![2], 0.5), (vec![3], 0.0)] {
            sums.add(Term::new(units), weight);
        }
        for weight in [0.1, 0.2, -0.3] {
            sums.add(Term::new(vec![7]), weight);
        }
        let terms = sums.with_new_sorted(1);
        let units: Vec<&[usize]> = terms.iter().map(|(term, _)| term.units()).collect();
        assert_eq!(units, [&[3][..], &[2], &[1, 2]]);
    }
}
