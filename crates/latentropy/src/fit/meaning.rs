//! What goes with a unit: the weights that are worth telling, and the side of a column that they speak for.
//!
//! A pair weight W of x and y is −W of x and 1 − y: what goes against a column goes with its other answer. Where a column
//! has words for its answers, the answer is named.

use crate::network::{Network, Term};

/// A weight is told as meaning where it is more than this many standard errors away from nothing.
const STANDS_OUT: f64 = 2.0;

/// What is known of the weights of a machine, and of the words of its units.
pub struct Weights<'a> {
    /// The machine.
    pub network: &'a Network,
    /// The standard error of a term's weight, where there is one.
    pub error: &'a dyn Fn(usize) -> Option<f64>,
    /// The terms whose weights the data leave open.
    pub undetermined: &'a [usize],
    /// Whether a unit has words for its two values.
    pub has_words: &'a dyn Fn(usize) -> bool,
}

/// A term on two and more units, as it is to be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// Its units, each with the value that it speaks for where the unit has words.
    pub units: Vec<(usize, Option<bool>)>,
    /// Its weight between these values.
    pub weight: f64,
    /// Standard error of that.
    pub error: Option<f64>,
    /// False where the data leave it open, as for the double of another unit.
    pub is_determined: bool,
}

impl Connection {
    /// True of a weight that is more than its error allows for; without a known error, of every one that the data determine.
    pub fn stands_out(&self) -> bool {
        let error = self.error.filter(|error| error.is_finite());
        self.is_determined && error.is_none_or(|error| self.weight.abs() > STANDS_OUT * error)
    }
}

/// True of a term on two and more units, one of them this one where it is given.
/// Weights that are not told as meaning, by the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Untold {
    /// They may well be nothing.
    pub within_errors: usize,
    /// The data leave them open.
    pub undetermined: usize,
    /// They are next to nothing.
    pub weak: usize,
}

impl Untold {
    /// Each reason that some weight has, in words that follow "is", and how many have it.
    pub fn reasons(&self) -> Vec<(usize, String)> {
        let reasons = [
            (
                self.within_errors,
                "within two standard errors of nothing".to_string(),
            ),
            (self.undetermined, "not determined by the data".to_string()),
            (self.weak, format!("weaker than {}", Weights::WEAK)),
        ];
        reasons
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .collect()
    }
}

fn concerns(term: &Term, with: Option<usize>) -> bool {
    term.order() > 1 && with.is_none_or(|unit| term.units().contains(&unit))
}

impl Weights<'_> {
    /// Weights that are smaller than this say little.
    pub const WEAK: f64 = 0.05;

    /// Terms on two and more units, strongest first: all of them, or those with a unit, by their other units.
    pub fn connections(&self, with: Option<usize>) -> Vec<Connection> {
        let terms = self.network.terms().iter().zip(self.network.weights());
        let mut found: Vec<Connection> = terms
            .enumerate()
            .filter(|(_, (term, weight))| concerns(term, with) && weight.abs() >= Self::WEAK)
            .map(|(at, (term, &weight))| {
                let others = term.units().iter().copied();
                let others: Vec<usize> = others.filter(|&unit| Some(unit) != with).collect();
                // Of three and more units the sign does not only turn: lower terms would change, too.
                let (units, weight) = match term.order() {
                    2 => self.answers(&others, weight),
                    _ => (others.iter().map(|&unit| (unit, None)).collect(), weight),
                };
                Connection {
                    units,
                    weight,
                    error: (self.error)(at),
                    is_determined: !self.undetermined.contains(&at),
                }
            })
            .collect();
        found.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
        found
    }

    /// How many of the same terms are not told, and why.
    pub fn untold(&self, with: Option<usize>) -> Untold {
        let found = self.connections(with);
        let undetermined = found.iter().filter(|found| !found.is_determined).count();
        let silent = found.iter().filter(|found| !found.stands_out()).count();
        let terms = self.network.terms().iter().zip(self.network.weights());
        let weak = terms
            .filter(|(term, weight)| concerns(term, with) && weight.abs() < Self::WEAK)
            .count();
        Untold {
            within_errors: silent - undetermined,
            undetermined,
            weak,
        }
    }

    /// Units that have words speak for a 1, the last of them for a 0 where that makes the weight positive.
    fn answers(&self, others: &[usize], weight: f64) -> (Vec<(usize, Option<bool>)>, f64) {
        let mut units: Vec<(usize, Option<bool>)> = others
            .iter()
            .map(|&unit| (unit, (self.has_words)(unit).then_some(true)))
            .collect();
        let last = units.iter_mut().rev().find_map(|(_, value)| value.as_mut());
        match last.filter(|_| weight < 0.0) {
            Some(value) => *value = false,
            None => return (units, weight),
        }
        (units, -weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Unit;

    fn told(has_words: &dyn Fn(usize) -> bool, with: Option<usize>) -> Vec<Connection> {
        let units = vec![Unit::visible("a"), Unit::visible("b"), Unit::hidden("z")];
        let terms = [
            (vec![2], 3.0),
            (vec![0, 2], -1.0),
            (vec![1, 2], 0.5),
            (vec![0, 1], -0.25),
            (vec![0, 1, 2], -2.0),
        ];
        let terms = terms.map(|(units, weight)| (Term::new(units), weight));
        let network = Network::new(units, terms).unwrap();
        let weights = Weights {
            network: &network,
            error: &|_| Some(0.2),
            undetermined: &[],
            has_words,
        };
        weights.connections(with)
    }

    type Told = (Vec<(usize, Option<bool>)>, f64);

    fn values(found: &[Connection]) -> Vec<Told> {
        found.iter().map(|c| (c.units.clone(), c.weight)).collect()
    }

    #[test]
    fn what_goes_against_a_column_with_words_goes_with_its_other_answer() {
        let plain = values(&told(&|_| false, Some(2)));
        assert_eq!(plain[1], (vec![(0, None)], -1.0));
        assert_eq!(plain[2], (vec![(1, None)], 0.5));
        let worded = values(&told(&|unit| unit < 2, Some(2)));
        assert_eq!(worded[1], (vec![(0, Some(false))], 1.0));
        assert_eq!(worded[2], (vec![(1, Some(true))], 0.5));
        // Three units: no answer is named, and the sign stays.
        assert_eq!(worded[0], (vec![(0, None), (1, None)], -2.0));
        let pairs = values(&told(&|unit| unit < 2, None));
        assert!(pairs.contains(&(vec![(0, Some(true)), (1, Some(false))], 0.25)));
        let one = values(&told(&|unit| unit == 0, None));
        assert!(one.contains(&(vec![(0, Some(false)), (1, None)], 0.25)));
    }

    #[test]
    fn weak_weights_are_counted_and_left_out() {
        let units = vec![Unit::visible("a"), Unit::visible("b"), Unit::visible("c")];
        let terms = [(vec![0], 0.01), (vec![0, 1], 0.04), (vec![1, 2], -0.06)];
        let terms = terms.map(|(units, weight)| (Term::new(units), weight));
        let network = Network::new(units, terms).unwrap();
        let weights = Weights {
            network: &network,
            error: &|_| None,
            undetermined: &[],
            has_words: &|_| false,
        };
        for (with, told, weak) in [(None, 1, 1), (Some(0), 0, 1), (Some(2), 1, 0)] {
            let found = (weights.connections(with).len(), weights.untold(with).weak);
            assert_eq!(found, (told, weak));
        }
    }

    #[test]
    fn what_stands_out_of_its_error_is_told() {
        let found = told(&|_| false, None);
        let out: Vec<bool> = found.iter().map(Connection::stands_out).collect();
        assert_eq!(out, [true, true, true, false]);
        let mut open = found[0].clone();
        open.is_determined = false;
        assert!(!open.stands_out());
    }
}
