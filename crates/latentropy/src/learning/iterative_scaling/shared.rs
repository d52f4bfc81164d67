//! Equation (8) as the paper prints it, without sums by f#: the same γ added to every weight, evaluations shared by all terms.
//!
//! The left side of (8) is Φ(λ+γ)/Φ(λ) · E_{λ+γ}[f_i], where γ is added to *all* weights: it depends on γ alone, so that a
//! handful of evaluations of log Φ and E f, by whatever engine, serve every term. Its logarithm is smooth and increasing;
//! between the two evaluations that enclose a root it is interpolated through all of them, and kept between the two.

use super::targets::Targets;
use crate::error::Result;

/// How far the roots are sought, and how precisely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Search {
    /// |γ| times the mean of f# is at most this in one update; a step that is cut short still raises the likelihood.
    pub(crate) reach: f64,
    /// Evaluations are added until no root moves by more than this.
    pub(crate) precision: f64,
    /// Evaluations per update at most, beside the one at γ = 0.
    pub(crate) most: usize,
}

impl Search {
    /// For engines without an error but rounding.
    pub(crate) const EXACT: Search = Search {
        reach: 1.5,
        precision: 1e-11,
        most: 40,
    };
    /// For estimates, whose own error is far larger than that of the interpolation.
    pub(crate) const ROUGH: Search = Search {
        reach: 0.75,
        precision: 1e-5,
        most: 5,
    };
}

/// What the left side of (8) is at a γ: the logarithms of all terms.
pub(crate) type LeftSide<'a> = dyn FnMut(f64) -> Result<Vec<f64>> + 'a;

/// Expectations below this are as good as none.
const TINY: f64 = 1e-280;
/// Where an engine fails, half of the way is tried, so often.
const HALVINGS: usize = 4;

/// Puts λ + γ of every term into `new_weights`; `free` is E f at λ.
pub(crate) fn scale_shared(
    targets: &Targets<'_>,
    free: &[f64],
    search: Search,
    left: &mut LeftSide<'_>,
    new_weights: &mut Vec<f64>,
) -> Result<()> {
    let logs = free.iter().map(|e| e.max(TINY).ln()).collect();
    let mut sides = Sides {
        nodes: vec![0.0],
        logs: vec![logs],
        ..Sides::default()
    };
    let mean_on = free.iter().sum::<f64>().max(1.0);
    let reach = search.reach / mean_on;
    let (mut low, mut high) = first_guess(targets, free, mean_on, reach);
    high = sides.reach_out(targets, high, reach, left)?;
    low = sides.reach_out(targets, low, reach, left)?;
    let mut roots = sides.roots(targets);
    // One round in which nothing moves may be chance: an interpolation that is held between its nodes twice.
    let (mut quiet, enough) = (0, 2.min(search.most / 5));
    while sides.nodes.len() <= search.most && high - low > search.precision {
        let next = sides.farthest(low, high);
        sides.add(next, left(next)?);
        let better = sides.roots(targets);
        let moved = roots.iter().zip(&better).map(|(a, b)| (a - b).abs());
        let moved = moved.fold(0.0, f64::max);
        roots = better;
        quiet = if moved <= search.precision {
            quiet + 1
        } else {
            0
        };
        if quiet >= enough {
            break;
        }
    }
    new_weights.clear();
    let weights = targets.weights.iter().zip(targets.bounds);
    new_weights.extend(
        weights
            .zip(&roots)
            .map(|((weight, bound), gamma)| (weight + gamma).clamp(-bound, *bound)),
    );
    Ok(())
}

/// The interval that holds the roots if every feature goes with the mean of f#.
fn first_guess(targets: &Targets<'_>, free: &[f64], mean_on: f64, reach: f64) -> (f64, f64) {
    let (mut low, mut high) = (0.0f64, 0.0f64);
    for (term, free) in free.iter().enumerate() {
        let wanted = targets.expectations[term] - targets.slopes[term];
        let bend = targets.bends[term];
        // One step of Newton on the equation itself, and the logarithm's: the shorter of the two.
        let linear = (wanted - free) / (free * mean_on + bend).max(TINY);
        let gamma = match wanted > 0.0 {
            true => (wanted / free.max(TINY)).ln() / mean_on,
            false => -reach,
        };
        let gamma = if bend > 0.0 && linear.abs() < gamma.abs() {
            linear
        } else {
            gamma
        };
        low = low.min(gamma);
        high = high.max(gamma);
    }
    (low.max(-reach), high.min(reach))
}

/// The logarithms of the left sides at some γ.
#[derive(Default)]
struct Sides {
    /// In the order in which they were evaluated; the first is 0.
    nodes: Vec<f64>,
    logs: Vec<Vec<f64>>,
    /// Of the barycentric form.
    shares: Vec<f64>,
    /// Nodes ascending.
    order: Vec<usize>,
}

impl Sides {
    fn add(&mut self, node: f64, logs: Vec<f64>) {
        self.nodes.push(node);
        self.logs.push(logs);
        let nodes = &self.nodes;
        let share = |at: usize| {
            let others = nodes.iter().enumerate().filter(|(other, _)| *other != at);
            1.0 / others.map(|(_, other)| nodes[at] - other).product::<f64>()
        };
        self.shares = (0..nodes.len()).map(share).collect();
        let largest = self.shares.iter().fold(0.0f64, |a, b| a.max(b.abs()));
        self.shares.iter_mut().for_each(|share| *share /= largest);
        self.order = (0..nodes.len()).collect();
        self.order
            .sort_by(|&a, &b| self.nodes[a].total_cmp(&self.nodes[b]));
    }

    /// Evaluates at an end of the interval, and farther out while a root lies beyond; where it ended.
    fn reach_out(
        &mut self,
        targets: &Targets<'_>,
        mut end: f64,
        reach: f64,
        left: &mut LeftSide<'_>,
    ) -> Result<f64> {
        if end == 0.0 {
            return Ok(end);
        }
        let mut halvings = 0;
        loop {
            let logs = match left(end) {
                Ok(logs) => logs,
                Err(_) if halvings < HALVINGS => {
                    halvings += 1;
                    end *= 0.5;
                    continue;
                }
                Err(error) => return Err(error),
            };
            self.add(end, logs);
            let at = self.nodes.len() - 1;
            let is_beyond = |term: usize| match end > 0.0 {
                true => self.excess(targets, at, term) < 0.0,
                false => self.excess(targets, at, term) > 0.0,
            };
            let is_enough = !(0..targets.weights.len()).any(is_beyond);
            if is_enough || halvings > 0 || end.abs() >= reach {
                return Ok(end);
            }
            end = (2.0 * end).clamp(-reach, reach);
        }
    }

    /// Left side less right side of a term's equation at a node, the penalty included.
    fn excess(&self, targets: &Targets<'_>, at: usize, term: usize) -> f64 {
        self.logs[at][term].exp() + right(targets, term, self.nodes[at])
    }

    /// The root of every term; the end of the interval where it lies beyond.
    fn roots(&self, targets: &Targets<'_>) -> Vec<f64> {
        let terms = 0..targets.weights.len();
        terms.map(|term| self.root(targets, term)).collect()
    }

    fn root(&self, targets: &Targets<'_>, term: usize) -> f64 {
        if self.order.len() < 2 {
            return 0.0;
        }
        let start = self.order.iter().position(|&at| at == 0).unwrap_or(0);
        let here = self.excess(targets, 0, term);
        // Outwards from γ = 0, until the sign changes.
        let mut inner = 0;
        let outwards: Vec<usize> = match here < 0.0 {
            true => self.order[start + 1..].to_vec(),
            false => self.order[..start].iter().rev().copied().collect(),
        };
        for at in outwards {
            if (self.excess(targets, at, term) < 0.0) != (here < 0.0) {
                return self.between(targets, term, inner, at);
            }
            inner = at;
        }
        self.nodes[inner]
    }

    /// The root between two nodes of different sign: false position after Illinois, every third step a bisection.
    fn between(&self, targets: &Targets<'_>, term: usize, a: usize, b: usize) -> f64 {
        let (low, high) = (
            self.logs[a][term].min(self.logs[b][term]),
            self.logs[a][term].max(self.logs[b][term]),
        );
        let excess =
            |x: f64| self.interpolated(term, x).clamp(low, high).exp() + right(targets, term, x);
        let (mut x0, mut x1) = (self.nodes[a], self.nodes[b]);
        let (mut f0, mut f1) = (self.excess(targets, a, term), self.excess(targets, b, term));
        for round in 0..100 {
            if (x1 - x0).abs() <= 1e-15 * (1.0 + x0.abs()) || f0 == 0.0 {
                break;
            }
            let straight = x1 - f1 * (x1 - x0) / (f1 - f0);
            let middle = 0.5 * (x0 + x1);
            let inside = (straight - x0) * (straight - x1) < 0.0;
            let x = if round % 3 < 2 && inside {
                straight
            } else {
                middle
            };
            let f = excess(x);
            if f == 0.0 {
                return x;
            }
            if (f < 0.0) == (f1 < 0.0) {
                f0 *= 0.5;
            } else {
                (x0, f0) = (x1, f1);
            }
            (x1, f1) = (x, f);
        }
        x1
    }

    /// The polynomial through all nodes, in its barycentric form.
    fn interpolated(&self, term: usize, x: f64) -> f64 {
        let (mut above, mut below) = (0.0, 0.0);
        for (at, &node) in self.nodes.iter().enumerate() {
            if x == node {
                return self.logs[at][term];
            }
            let share = self.shares[at] / (x - node);
            above += share * self.logs[at][term];
            below += share;
        }
        above / below
    }

    /// Where a further node helps most: the point whose distances to all nodes have the largest product (Leja 1957).
    fn farthest(&self, low: f64, high: f64) -> f64 {
        const TRIED: usize = 256;
        let candidates = (1..TRIED).map(|at| low + (high - low) * at as f64 / TRIED as f64);
        let width = (high - low).max(TINY);
        let product = |x: f64| -> f64 {
            let distances = self.nodes.iter().map(|node| (x - node).abs() / width);
            distances.product()
        };
        let best = candidates.map(|x| (product(x), x));
        best.reduce(|a, b| if b.0 > a.0 { b } else { a })
            .map_or(0.5 * (low + high), |(_, x)| x)
    }
}

/// What is added to the left side: the penalty's part less η.
fn right(targets: &Targets<'_>, term: usize, gamma: f64) -> f64 {
    targets.slopes[term] + targets.bends[term] * gamma - targets.expectations[term]
}

#[cfg(test)]
mod tests {
    use super::super::literal::root;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shared_evaluations_find_the_roots_of_the_strata(
            eta in prop::collection::vec(0.1..0.6f64, 7),
            weights in prop::collection::vec(-2.0..2.0f64, 7),
            parts in prop::collection::vec(0.02..0.1f64, 7 * 5),
            ridge in prop_oneof![Just(0.0), 1e-4..0.5f64],
        ) {
            let values = [1.0, 3.0, 6.0, 10.0, 15.0];
            let bound = 8.0;
            let (bends, bounds) = ([ridge; 7], [bound; 7]);
            let slopes = weights.iter().map(|w| ridge * w).collect();
            let targets = Targets { expectations: &eta, weights: &weights, slopes, bends: &bends, bounds: &bounds };
            let strata = |term: usize| -> Vec<f64> { (0..5).map(|c| parts[c * 7 + term]).collect() };
            let side = |gamma: f64| -> Vec<f64> {
                let sum = |term: usize| -> f64 {
                    strata(term).iter().zip(values).map(|(a, c)| a * (gamma * c).exp()).sum()
                };
                (0..7).map(|term| sum(term).ln()).collect()
            };
            let free: Vec<f64> = side(0.0).iter().map(|log| log.exp()).collect();
            let (mut found, mut evaluations) = (Vec::new(), 0);
            scale_shared(&targets, &free, Search::EXACT, &mut |gamma| {
                evaluations += 1;
                Ok(side(gamma))
            }, &mut found).expect("sums do not fail");
            prop_assert!(evaluations <= Search::EXACT.most + 4);
            let reach = Search::EXACT.reach / free.iter().sum::<f64>().max(1.0);
            for term in 0..7 {
                let exact = root(&values, &strata(term), eta[term], weights[term], ridge, bound);
                let exact = exact.clamp(-reach, reach);
                let gamma = found[term] - weights[term];
                prop_assert!((gamma - exact).abs() < 1e-6, "{} against {}", gamma, exact);
            }
        }
    }
}
