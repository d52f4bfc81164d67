//! What a hidden unit says for pairs of columns, and they for it.
//!
//! Summed out, a hidden unit adds log(1 + e^(a + s)) to the columns' exponent, s = Σ w_i (x_i − m_i). To the second order that is
//! κ s²/2, κ = p (1 − p): it says κ w_i w_j of a pair, which the pair's own weight may say as well. Along w, while pairs take back
//! what it says, the likelihood is flat to that order, and the ridge alone decides: it bends by r (I − κ J), J the weights of the
//! pairs, and not by r. That is −Σ κ (η − E f) of the pairs, by which the curvature of these rows differs from what rows say in the
//! mean, at weights of the pairs that the ridge holds. It may be next to nothing, or upward: steps by r alone then grow or shrink a
//! unit by a few in a hundred. The way is no straight line; pairs take back the square of a step of w.

mod eigen;
mod speaker;

use super::hidden_odds::HiddenOdds;
use super::prior::centres;
use super::problem::Problem;
use eigen::Eigen;
use speaker::{NONE, Speaker};

/// A unit speaks where the ridge bends upwards by more than this share of the ridge.
const CLEARLY_UPWARD: f64 = 0.02;

/// All hidden units of a machine beside the pairs of its columns.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    /// The visible units, and the terms of their biases.
    columns: Vec<usize>,
    biases: Vec<usize>,
    means: Vec<f64>,
    /// The term of each pair of columns, columns × columns.
    pairs: Vec<usize>,
    /// J taken apart.
    eigen: Eigen,
    speakers: Vec<Speaker>,
}

impl Exchange {
    /// None where there is nothing to exchange, or some unit has no bias.
    pub(super) fn new(problem: &Problem, weights: &[f64]) -> Option<Self> {
        let network = problem.structure();
        let (columns, hidden) = (network.visible(), network.hidden());
        if network.order() > 2 || hidden.is_empty() {
            return None;
        }
        let count = columns.len();
        let mut place = vec![NONE; network.units().len()];
        for (at, &unit) in columns.iter().enumerate() {
            place[unit] = at;
        }
        let mut biases = vec![NONE; network.units().len()];
        let mut pairs = vec![NONE; count * count];
        for (at, term) in network.terms().iter().enumerate() {
            match *term.units() {
                [unit] => biases[unit] = at,
                [a, b] if place[a] != NONE && place[b] != NONE => {
                    pairs[place[a] * count + place[b]] = at;
                    pairs[place[b] * count + place[a]] = at;
                }
                _ => {}
            }
        }
        if biases.contains(&NONE) || pairs.iter().all(|&pair| pair == NONE) {
            return None;
        }
        let means = centres(network, problem.rows());
        let weight = |&pair: &usize| if pair == NONE { 0.0 } else { weights[pair] };
        let matrix: Vec<f64> = pairs.iter().map(weight).collect();
        let mut found = Exchange {
            eigen: Eigen::new(&matrix, count)?,
            means: columns.iter().map(|&unit| means[unit]).collect(),
            biases: columns.iter().map(|&unit| biases[unit]).collect(),
            columns,
            pairs,
            speakers: Vec::new(),
        };
        for unit in hidden {
            let odds = HiddenOdds::new(problem, weights, unit)?;
            let joined = found.columns.iter();
            let joined = joined.map(|&column| odds.beside[column].map_or(NONE, |(term, _)| term));
            let own = found.columns.iter().map(|&column| odds.weight(column));
            found.speakers.push(Speaker::new(
                (unit, biases[unit]),
                joined.collect(),
                own.collect(),
                odds.derivatives(),
                &found.eigen,
            )?);
        }
        Some(found)
    }

    /// What has to be added to the ridge's bend along these weights of the centred view, the ridge being 1: entries of hidden units'
    /// biases and pairs.
    pub(super) fn add_bend_times(&self, v: &[f64], by: f64, out: &mut [f64]) {
        for speaker in &self.speakers {
            let (product, of_bias) = speaker.bend_times(&self.eigen, v);
            out[speaker.bias] += by * of_bias;
            for (&term, entry) in speaker.joined.iter().zip(product) {
                if term != NONE {
                    out[term] += by * entry;
                }
            }
        }
    }

    /// How the way bends away from what this gradient pulls along it, times a change: κ Σ_j g_ij d_j of a hidden unit's weights, g
    /// of the pairs while biases keep the columns' means.
    pub(super) fn bend_of_way_times(&self, gradient: &[f64], change: &[f64]) -> Vec<f64> {
        let count = self.columns.len();
        let mut product = vec![0.0; change.len()];
        let singles: Vec<f64> = self.biases.iter().map(|&bias| gradient[bias]).collect();
        let pull = |i: usize, j: usize| {
            let pair = self.pairs[i * count + j];
            match pair {
                NONE => 0.0,
                _ => gradient[pair] - self.means[j] * singles[i] - self.means[i] * singles[j],
            }
        };
        for speaker in &self.speakers {
            let own = speaker.of(change);
            for (i, &term) in speaker
                .joined
                .iter()
                .enumerate()
                .filter(|(_, term)| **term != NONE)
            {
                let along = own.iter().enumerate().map(|(j, d)| pull(i, j) * d);
                product[term] = speaker.spread * along.sum::<f64>();
            }
        }
        product
    }

    /// Changes of the weights that change next to nothing of the columns: of each hidden unit's bias, its weights all together and
    /// along the first direction of J, and of the pair of two hidden units, each with what columns take back.
    pub(super) fn ways(&self, problem: &Problem) -> Vec<Vec<f64>> {
        let terms = problem.terms();
        let mut ways = Vec::new();
        let first = self.eigen.last().map(|(_, direction)| direction);
        for speaker in &self.speakers {
            let nothing = vec![0.0; self.columns.len()];
            ways.push(self.way(speaker, &nothing, 1.0, terms));
            ways.push(self.way(speaker, &speaker.weights, 0.0, terms));
            ways.extend(first.map(|first| self.way(speaker, first, 0.0, terms)));
        }
        for (at, term) in problem.structure().terms().iter().enumerate() {
            let of = |unit: &usize| self.speakers.iter().find(|speaker| speaker.unit == *unit);
            if let [Some(one), Some(other)] = term.units().iter().map(of).collect::<Vec<_>>()[..] {
                let mut way = vec![0.0; terms];
                way[at] = 1.0;
                way[one.bias] = -other.mean;
                way[other.bias] = -one.mean;
                let both = one.spread * other.spread;
                self.take_product(&one.weights, &other.weights, both, &mut way);
                ways.push(way);
            }
        }
        ways
    }

    /// Of this change of a unit's weights and of its log-odds at the columns' means.
    fn way(&self, speaker: &Speaker, own: &[f64], of_bias: f64, terms: usize) -> Vec<f64> {
        let mut way = vec![0.0; terms];
        way[speaker.bias] = of_bias;
        for (at, d) in own.iter().enumerate() {
            if speaker.joined[at] != NONE {
                way[speaker.joined[at]] = *d;
                way[speaker.bias] -= d * self.means[at];
                way[self.biases[at]] -= speaker.mean * d;
            }
            way[self.biases[at]] -= of_bias * speaker.spread * speaker.weights[at];
        }
        self.take_product(&speaker.weights, own, speaker.spread, &mut way);
        let tilt = 0.5 * of_bias * speaker.tilt;
        self.take_product(&speaker.weights, &speaker.weights, tilt, &mut way);
        way
    }

    /// Takes so many times Σ v_i (x_i − m_i) · Σ w_i (x_i − m_i) away, but for its constant.
    fn take_product(&self, v: &[f64], w: &[f64], by: f64, out: &mut [f64]) {
        let count = self.columns.len();
        for i in 0..count {
            let mean = self.means[i];
            // (x − m)² = (1 − 2m) (x − m) + a constant.
            out[self.biases[i]] -= by * v[i] * w[i] * (1.0 - 2.0 * mean);
            for j in 0..i {
                let pair = self.pairs[i * count + j];
                if pair != NONE {
                    let both = by * (v[i] * w[j] + v[j] * w[i]);
                    out[pair] -= both;
                    out[self.biases[i]] += both * self.means[j];
                    out[self.biases[j]] += both * mean;
                }
            }
        }
    }

    /// What is to be added to a change so that the square of what hidden units say changes nothing.
    pub(super) fn curve(&self, change: &[f64]) -> Vec<f64> {
        let mut curve = vec![0.0; change.len()];
        for speaker in &self.speakers {
            let own = speaker.of(change);
            let along = own.iter().zip(&self.means).map(|(d, mean)| d * mean);
            let of_bias = change[speaker.bias] + along.sum::<f64>();
            self.take_back(&own, of_bias, speaker.spread, &mut curve);
        }
        curve
    }

    /// Takes κ (a + Σ d_i (x_i − m_i))²/2 away, but for its constant.
    fn take_back(&self, own: &[f64], of_bias: f64, spread: f64, out: &mut [f64]) {
        for (d, bias) in own.iter().zip(&self.biases) {
            out[*bias] -= spread * of_bias * d;
        }
        self.take_product(own, own, 0.5 * spread, out);
    }

    /// Weights of a hidden unit that says nothing, where the ridge would rather have it speak for pairs than these themselves: along
    /// the first direction of J it says κ² |w|² of what pairs said, so that what is left of them and w together are smallest. False
    /// where it would not, or cannot be joined to all columns.
    pub(super) fn make_speak(&self, problem: &Problem, unit: usize, weights: &mut [f64]) -> bool {
        let Some(speaker) = self.speakers.iter().find(|of| of.unit == unit) else {
            return false;
        };
        if speaker.joined.contains(&NONE) {
            return false;
        }
        let Some((highest, direction)) = self.eigen.last() else {
            return false;
        };
        // On half of the time.
        let spread = 0.25;
        let fourth: f64 = direction.iter().map(|u| u.powi(4)).sum();
        let upward = spread * highest - 1.0;
        if upward < CLEARLY_UPWARD || fourth > 0.5 {
            return false;
        }
        let size = (upward / (spread * spread * (1.0 - fourth))).sqrt();
        let own: Vec<f64> = direction.iter().map(|u| size * u).collect();
        let mut change = vec![0.0; weights.len()];
        self.take_back(&own, 0.0, spread, &mut change);
        for (at, w) in own.iter().enumerate() {
            change[speaker.joined[at]] = *w;
            change[speaker.bias] -= w * self.means[at];
            // What the unit adds to the columns in the first order.
            change[self.biases[at]] -= 0.5 * w;
        }
        let prior = problem.prior();
        for (term, (weight, d)) in weights.iter_mut().zip(change).enumerate() {
            *weight = prior.held(term, *weight + d);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset;
    use crate::inference::EngineId;
    use crate::inference::kernels::dot;
    use crate::learning::Objective;
    use crate::network::Network;

    const COLUMNS: usize = 5;

    fn problem(structure: &Network) -> Problem {
        let cell = |row: usize, column: usize| {
            let mixed = row * (31 + 7 * column) + row * row * (3 + column);
            i8::from(mixed % 11 < 3 + column)
        };
        let rows: Vec<Vec<i8>> = (0..60)
            .map(|row| (0..COLUMNS).map(|column| cell(row, column)).collect())
            .collect();
        let data = Dataset::from_rows(&rows).unwrap();
        Problem::new(
            structure,
            &data,
            Objective::with_ridge(1.0),
            EngineId::EXACT,
            false,
        )
        .unwrap()
    }

    /// Small weights of hidden units, about the columns' means, and larger ones of pairs.
    fn weights(problem: &Problem, of_hidden: f64) -> Vec<f64> {
        let network = problem.structure();
        let means = centres(network, problem.rows());
        let mut weights = vec![0.0; problem.terms()];
        let hidden = network.hidden();
        let mut bias = vec![NONE; network.units().len()];
        for (at, term) in network.terms().iter().enumerate() {
            if let [unit] = *term.units() {
                bias[unit] = at;
            }
        }
        for (at, term) in network.terms().iter().enumerate() {
            let number = (7.0 * at as f64 + 1.0).sin();
            match *term.units() {
                // Of each other hidden units are taken to be on half of the time, which they are not here.
                [a, b] if hidden.contains(&a) && hidden.contains(&b) => {}
                [a, b] if hidden.contains(&a) || hidden.contains(&b) => {
                    let (column, unit) = if hidden.contains(&a) { (b, a) } else { (a, b) };
                    weights[at] = of_hidden * number;
                    weights[bias[unit]] -= weights[at] * means[column];
                }
                [_, _] => weights[at] = number,
                [unit] if hidden.contains(&unit) => weights[at] += 0.3,
                _ => weights[at] = number,
            }
        }
        weights
    }

    /// The exponent of every state of the columns, hidden units summed out, less its mean over the states.
    fn exponents(problem: &Problem, weights: &[f64]) -> Vec<f64> {
        let network = problem.structure();
        let (columns, hidden) = (network.visible(), network.hidden());
        let found: Vec<f64> = (0..1usize << columns.len())
            .map(|state| {
                let sum = (0..1usize << hidden.len()).map(|of_hidden| {
                    let on = |unit: &usize| {
                        let column = columns.iter().position(|column| column == unit);
                        let other = hidden.iter().position(|hidden| hidden == unit);
                        column.is_some_and(|at| state >> at & 1 == 1)
                            || other.is_some_and(|at| of_hidden >> at & 1 == 1)
                    };
                    let terms = network.terms().iter().zip(weights);
                    let exponent = terms
                        .filter(|(term, _)| term.units().iter().all(on))
                        .map(|(_, weight)| weight);
                    exponent.sum::<f64>().exp()
                });
                sum.sum::<f64>().ln()
            })
            .collect();
        let mean = found.iter().sum::<f64>() / found.len() as f64;
        found.iter().map(|exponent| exponent - mean).collect()
    }

    fn largest_change(problem: &Problem, from: &[f64], to: &[f64]) -> f64 {
        let (from, to) = (exponents(problem, from), exponents(problem, to));
        let changes = from.iter().zip(&to).map(|(from, to)| (to - from).abs());
        changes.fold(0.0, f64::max)
    }

    fn moved(weights: &[f64], change: &[f64], by: f64) -> Vec<f64> {
        let both = weights.iter().zip(change);
        both.map(|(weight, d)| weight + by * d).collect()
    }

    /// A change of one hidden unit's weights to the columns alone, about their means.
    fn of_hidden(exchange: &Exchange, terms: usize) -> Vec<f64> {
        let speaker = &exchange.speakers[0];
        let mut change = vec![0.0; terms];
        for (at, &term) in speaker.joined.iter().enumerate() {
            change[term] = (3.0 * at as f64 + 2.0).cos();
            change[speaker.bias] -= change[term] * exchange.means[at];
        }
        change
    }

    #[test]
    fn ways_change_next_to_nothing_of_the_columns() {
        let structure = Network::full(COLUMNS, 2);
        let problem = problem(&structure);
        let weights = weights(&problem, 0.1);
        let exchange = Exchange::new(&problem, &weights).unwrap();
        let ways = exchange.ways(&problem);
        assert_eq!(ways.len(), 2 * 3 + 1);
        let hidden = structure.hidden();
        for way in ways {
            let only_hidden: Vec<f64> = structure
                .terms()
                .iter()
                .zip(&way)
                .map(
                    |(term, d)| match term.units().iter().any(|unit| hidden.contains(unit)) {
                        true => *d,
                        false => 0.0,
                    },
                )
                .collect();
            let alone = largest_change(&problem, &weights, &moved(&weights, &only_hidden, 0.01));
            let both = largest_change(&problem, &weights, &moved(&weights, &way, 0.01));
            assert!(both < 0.1 * alone, "{both} {alone}");
        }
    }

    #[test]
    fn pairs_take_back_the_square_of_a_step() {
        let structure = Network::full(COLUMNS, 1);
        let problem = problem(&structure);
        // A unit that says nothing yet: what it says is of the second order.
        let weights = weights(&problem, 0.0);
        let exchange = Exchange::new(&problem, &weights).unwrap();
        let mut change = of_hidden(&exchange, weights.len());
        // What it adds to the columns in the first order is taken off.
        let speaker = &exchange.speakers[0];
        for (at, &term) in speaker.joined.iter().enumerate() {
            change[exchange.biases[at]] = -speaker.mean * change[term];
        }
        change.iter_mut().for_each(|d| *d *= 0.1);
        let straight = moved(&weights, &change, 1.0);
        let curved = moved(&straight, &exchange.curve(&change), 1.0);
        let (alone, both) = (
            largest_change(&problem, &weights, &straight),
            largest_change(&problem, &weights, &curved),
        );
        assert!(both < 0.1 * alone, "{both} {alone}");
    }

    #[test]
    fn the_way_bends_by_what_the_gradient_pulls_along_its_curve() {
        let structure = Network::full(COLUMNS, 1);
        let problem = problem(&structure);
        let weights = weights(&problem, 0.4);
        let exchange = Exchange::new(&problem, &weights).unwrap();
        let change = of_hidden(&exchange, weights.len());
        let mut gradient: Vec<f64> = (0..weights.len()).map(|at| (at as f64).sin()).collect();
        exchange
            .biases
            .iter()
            .for_each(|&bias| gradient[bias] = 0.0);
        let bend = dot(&change, &exchange.bend_of_way_times(&gradient, &change));
        let literal = -2.0 * dot(&gradient, &exchange.curve(&change));
        assert!(
            (bend - literal).abs() < 1e-12 * literal.abs(),
            "{bend} {literal}"
        );
    }

    #[test]
    fn the_ridge_bends_by_what_pairs_take_back() {
        let structure = Network::full(COLUMNS, 1);
        let problem = problem(&structure);
        let mut weights = weights(&problem, 0.4);
        // Weak pairs: no direction is nearly flat.
        let pairs = Exchange::new(&problem, &weights).unwrap().pairs;
        for (at, &term) in pairs.iter().enumerate() {
            if term != NONE && at / COLUMNS < at % COLUMNS {
                weights[term] *= 0.1;
            }
        }
        let exchange = Exchange::new(&problem, &weights).unwrap();
        let change = of_hidden(&exchange, weights.len());
        let mut product = vec![0.0; weights.len()];
        exchange.add_bend_times(&change, 1.0, &mut product);
        // The second derivative of half the square of all pairs along the way, less that of the hidden unit's own.
        let half_square = |by: f64| -> f64 {
            let curve = exchange.curve(&change.iter().map(|d| by * d).collect::<Vec<_>>());
            let pairs = pairs.iter().filter(|pair| **pair != NONE);
            pairs
                .map(|&pair| 0.25 * (weights[pair] + curve[pair]).powi(2))
                .sum()
        };
        let step = 1e-3;
        let literal =
            (half_square(step) - 2.0 * half_square(0.0) + half_square(-step)) / (step * step);
        let joined = &exchange.speakers[0].joined;
        let found: f64 = joined
            .iter()
            .map(|&term| change[term] * product[term])
            .sum();
        assert!(
            (found - literal).abs() < 1e-4 * literal.abs(),
            "{found} {literal}"
        );
    }

    #[test]
    fn a_unit_speaks_where_the_ridge_would_rather_have_it_speak_than_pairs() {
        let structure = Network::full(COLUMNS, 1);
        let problem = problem(&structure);
        let mut weights = weights(&problem, 0.0);
        let pairs = Exchange::new(&problem, &weights).unwrap().pairs;
        let square = |weights: &[f64]| -> f64 {
            let terms = structure.terms().iter().zip(weights);
            terms
                .filter(|(term, _)| term.order() == 2)
                .map(|(_, w)| w * w)
                .sum()
        };
        let set = |weights: &mut [f64], value: f64| {
            let pairs = pairs.iter().filter(|pair| **pair != NONE);
            pairs.for_each(|&pair| weights[pair] = value);
        };
        // All pairs by 0.9 is an eigenvalue of 3.6, less than 1/κ = 4, and 1.2 one of 4.8.
        for (value, speaks) in [(0.9, false), (1.2, true)] {
            set(&mut weights, value);
            let before = weights.clone();
            let exchange = Exchange::new(&problem, &weights).unwrap();
            let unit = structure.hidden()[0];
            assert_eq!(exchange.make_speak(&problem, unit, &mut weights), speaks);
            assert_eq!(before != weights, speaks);
            if speaks {
                assert!(square(&weights) < square(&before));
                let mut alone = before.clone();
                for &term in &exchange.speakers[0].joined {
                    alone[term] = weights[term];
                }
                let both = largest_change(&problem, &before, &weights);
                assert!(
                    both < 0.2 * largest_change(&problem, &before, &alone),
                    "{both}"
                );
            }
        }
    }
}
