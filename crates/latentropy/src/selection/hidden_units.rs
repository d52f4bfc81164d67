//! What hidden units say about the rows: which of them say nothing, and which are copies of each other.
//!
//! A unit says I(row; z) = h(mean of P(z = 1 | row)) − mean of h(P(z = 1 | row)) nats about which row it is looking at. One
//! whose posterior is the same for every row says nothing: it is dead, always on, always off, or independent of the
//! rest, what (2) excludes by "Y and Z not independent", looked at unit by unit. Units with the same posterior for
//! every row are copies: together they are one cause with more than two grades. Units that form a scale, the rarer one
//! hardly ever on without the other, are grades of one cause as well: Loevinger's coefficient
//! H = 1 − P(rarer on, other off) / what independence would give, of at least one half (Mokken 1971).

use super::candidate::Candidate;
use crate::answers::posterior_means;
use crate::data::Dataset;
use crate::learning::StopReason;
use serde::{Deserialize, Serialize};

/// Less than this many nats per row is nothing.
const NOTHING: f64 = 1e-3;
/// Posteriors that differ by less than this in the mean over the rows are the same.
const SAME: f64 = 0.01;

/// Units with an H of at least this form a strong scale.
const STRONG: f64 = 0.5;

/// One hidden unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HiddenUnit {
    /// Position among the network's units.
    pub unit: usize,
    /// The mean of P(z = 1 | row) over the rows.
    pub on: f64,
    /// Nats per row that it says about the rows.
    pub information: f64,
    /// True if that is nothing. Not told of machines without biases, where a unit that is always on is the others' bias.
    pub says_nothing: bool,
    /// The first unit that it is a copy of, or the mirror image.
    pub copy_of: Option<usize>,
    /// The unit that it forms the strongest scale with, if that is a strong one, and Loevinger's H.
    pub scale_with: Option<(usize, f64)>,
}

/// The hidden units of a machine, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HiddenUnits {
    /// One entry per hidden unit.
    pub units: Vec<HiddenUnit>,
}

impl HiddenUnits {
    /// From P(z = 1 | row): one list per row, with what the rows weigh.
    pub(crate) fn new(units: &[usize], rows: &[(f64, Vec<f64>)]) -> Self {
        let total: f64 = rows.iter().map(|(weight, _)| weight).sum();
        let mean = move |of: &dyn Fn(&[f64]) -> f64| -> f64 {
            let sum: f64 = rows.iter().map(|(weight, p)| weight * of(p)).sum();
            sum / total.max(f64::MIN_POSITIVE)
        };
        let mut found: Vec<HiddenUnit> = Vec::new();
        for (at, &unit) in units.iter().enumerate() {
            let on = mean(&|p| p[at]);
            let information = (binary_entropy(on) - mean(&|p| binary_entropy(p[at]))).max(0.0);
            let says_nothing = information < NOTHING;
            let is_copy = |other: &&HiddenUnit| {
                let place = units.iter().position(|u| *u == other.unit).unwrap_or(at);
                let same = mean(&|p| (p[at] - p[place]).abs());
                let mirrored = mean(&|p| (p[at] + p[place] - 1.0).abs());
                !other.says_nothing && other.copy_of.is_none() && same.min(mirrored) < SAME
            };
            let copy_of = match says_nothing {
                true => None,
                false => found.iter().find(is_copy).map(|other| other.unit),
            };
            let scales = found
                .iter()
                .enumerate()
                .filter(|(_, other)| !other.says_nothing);
            let scales = scales.map(|(place, other)| (other.unit, scalability(&mean, at, place)));
            let strongest = scales.max_by(|a, b| a.1.total_cmp(&b.1));
            found.push(HiddenUnit {
                scale_with: strongest.filter(|(_, h)| !says_nothing && *h >= STRONG),
                unit,
                on,
                information,
                says_nothing,
                copy_of,
            });
        }
        HiddenUnits { units: found }
    }

    /// The units that say nothing.
    pub fn silent(&self) -> Vec<usize> {
        let silent = self.units.iter().filter(|unit| unit.says_nothing);
        silent.map(|unit| unit.unit).collect()
    }

    /// Units that are copies of each other, each group with its first unit first.
    pub fn copies(&self) -> Vec<Vec<usize>> {
        let firsts = self.units.iter().map(|first| {
            let copies = self.units.iter().filter(|u| u.copy_of == Some(first.unit));
            let group: Vec<usize> = copies.map(|unit| unit.unit).collect();
            (first.unit, group)
        });
        firsts
            .filter(|(_, group)| !group.is_empty())
            .map(|(first, group)| [vec![first], group].concat())
            .collect()
    }

    /// How many causes the units tell apart: those that say something and form no scale with one before them.
    pub fn causes(&self) -> usize {
        let counts = |unit: &&HiddenUnit| {
            !unit.says_nothing && unit.copy_of.is_none() && unit.scale_with.is_none()
        };
        self.units.iter().filter(counts).count()
    }

    /// How many different units there are: those that say something, copies counted once.
    pub fn effective(&self) -> usize {
        let counts = |unit: &&HiddenUnit| !unit.says_nothing && unit.copy_of.is_none();
        self.units.iter().filter(counts).count()
    }
}

/// The mean over the rows of something that is known of each row's posteriors.
type Mean<'a> = dyn Fn(&dyn Fn(&[f64]) -> f64) -> f64 + 'a;

/// Loevinger's H of two units, either of them turned round if that makes it larger: which state is called 1 is free.
fn scalability(mean: &Mean<'_>, a: usize, b: usize) -> f64 {
    let h = |turned: bool| {
        let other = |p: &[f64]| if turned { 1.0 - p[b] } else { p[b] };
        let (on_a, on_b) = (mean(&|p| p[a]), mean(&|p| other(p)));
        let (rarer_alone, by_chance) = match on_a <= on_b {
            true => (mean(&|p| p[a] * (1.0 - other(p))), on_a * (1.0 - on_b)),
            false => (mean(&|p| other(p) * (1.0 - p[a])), on_b * (1.0 - on_a)),
        };
        1.0 - rarer_alone / by_chance.max(f64::MIN_POSITIVE)
    };
    h(false).max(h(true))
}

/// h(p) in nats.
fn binary_entropy(p: f64) -> f64 {
    let part = |q: f64| if q > 0.0 { -q * q.ln() } else { 0.0 };
    part(p) + part(1.0 - p)
}

/// Looks at the hidden units of the candidates from `from` on, those before being known: of one candidate per solution, and tells
/// the others; where the posteriors are beyond exact sums, nothing is said, nor of proposals that were given up.
pub(crate) fn look_at_hidden_units(candidates: &mut [Candidate], from: usize, data: &Dataset) {
    let mut firsts: Vec<usize> = Vec::new();
    for at in 0..candidates.len() {
        let solution = candidates[at].solution;
        if candidates[at].stop == StopReason::GivenUp {
            continue;
        }
        if solution == firsts.len() {
            firsts.push(at);
        }
        if at < from {
            continue;
        }
        // Candidates of one solution may have their units in another order: who is silent is looked up by what it says.
        let first = firsts.get(solution).copied().unwrap_or(at);
        candidates[at].hidden_units = match &candidates[first].hidden_units {
            _ if first == at => of_candidate(&candidates[at], data),
            Some(units) if units.silent().is_empty() && units.copies().is_empty() => {
                Some(units.clone())
            }
            Some(_) => of_candidate(&candidates[at], data),
            None => None,
        };
    }
}

fn of_candidate(candidate: &Candidate, data: &Dataset) -> Option<HiddenUnits> {
    let hidden = candidate.network.hidden();
    if hidden.is_empty() {
        return Some(HiddenUnits::default());
    }
    let means = posterior_means(&candidate.network, data).ok()?;
    let rows = means.into_iter().enumerate();
    let rows = rows.filter(|(row, _)| data.is_known(*row));
    let rows = rows.map(|(row, means)| {
        let own = hidden.iter().map(|&unit| means[unit]).collect();
        (data.weights()[row], own)
    });
    let mut found = HiddenUnits::new(&hidden, &rows.collect::<Vec<_>>());
    if !candidate.network.is_recodable() {
        found
            .units
            .iter_mut()
            .for_each(|unit| unit.says_nothing = false);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_of_one_cause_form_a_scale() {
        // Three grades: the second unit is on only where the first one is; the third has nothing to do with them.
        let rows: Vec<(f64, Vec<f64>)> = (0..12)
            .map(|row| {
                let grade = row % 3;
                let p = |on: bool| if on { 0.95 } else { 0.05 };
                (1.0, vec![p(grade >= 1), p(grade == 2), p(row % 2 == 0)])
            })
            .collect();
        let found = HiddenUnits::new(&[0, 1, 2], &rows);
        assert_eq!(found.units[1].scale_with.map(|(unit, _)| unit), Some(0));
        assert_eq!(found.units[2].scale_with, None);
        assert_eq!((found.effective(), found.causes()), (3, 2));
    }

    #[test]
    fn silent_units_and_copies_are_recognised() {
        // A unit that follows the row, one that is always on, a copy, a mirror image, one that is a coin.
        let rows: Vec<(f64, Vec<f64>)> = (0..10)
            .map(|row| {
                let p = if row % 2 == 0 { 0.95 } else { 0.1 };
                (1.0 + row as f64, vec![p, 1.0, p, 1.0 - p, 0.5])
            })
            .collect();
        let found = HiddenUnits::new(&[5, 6, 7, 8, 9], &rows);
        assert_eq!(found.silent(), [6, 9]);
        assert_eq!(found.copies(), [[5, 7, 8]]);
        assert_eq!((found.effective(), found.causes()), (1, 1));
        assert!(found.units[0].information > 0.3);
    }
}
