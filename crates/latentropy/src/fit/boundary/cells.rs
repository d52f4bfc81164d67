//! How often the rows show a pattern of units: counted where all its cells are seen, expected where some are latent.

use super::cause::{Cause, Grounds, PatternUnit};
use crate::data::{Cell, Dataset};
use crate::error::Result;
use crate::network::{Network, Term};
use crate::rows::{Clamped, RowPosteriors, units_of_columns};
use std::collections::HashMap;

/// A pattern with latent units that is expected in less than this many rows counts as unseen.
const NEXT_TO_NONE: f64 = 0.01;

/// The rows and a network's posteriors, ready to be asked about patterns.
pub(super) struct Cells<'a> {
    network: &'a Network,
    data: &'a Dataset,
    column_of_unit: Vec<Option<usize>>,
    /// Rows with a known cell.
    rows: f64,
    /// Expected number of rows in which all of these units are one.
    moments: HashMap<Box<[usize]>, f64>,
}

impl<'a> Cells<'a> {
    /// Prepares the patterns of the units of `terms`.
    pub(super) fn new(network: &'a Network, data: &'a Dataset, terms: &[&Term]) -> Result<Self> {
        let columns = units_of_columns(network, data)?;
        let mut column_of_unit = vec![None; network.units().len()];
        for (column, &unit) in columns.iter().enumerate() {
            column_of_unit[unit] = Some(column);
        }
        let rows = data.known_weight();
        // The posteriors give one number a term: every subset becomes a term, of weight zero where it is new.
        let mut all: Vec<Term> = network.terms().to_vec();
        let mut place: HashMap<Box<[usize]>, usize> = HashMap::new();
        for (at, term) in all.iter().enumerate() {
            place.insert(term.units().into(), at);
        }
        for term in terms {
            for subset in subsets(term.units()) {
                place.entry(subset.clone().into()).or_insert_with(|| {
                    all.push(Term::new(subset));
                    all.len() - 1
                });
            }
        }
        let mut weights = network.weights().to_vec();
        weights.resize(all.len(), 0.0);
        let wider = Network::new(
            network.units().to_vec(),
            all.into_iter().zip(weights.iter().copied()),
        )?;
        let mut clamped = Clamped::default();
        RowPosteriors::new(&wider, data)?.clamped(&weights, &mut clamped)?;
        let moments = place
            .into_iter()
            .map(|(units, at)| (units, clamped.expectations[at] * rows))
            .collect();
        Ok(Cells {
            network,
            data,
            column_of_unit,
            rows,
            moments,
        })
    }

    /// True if no row shows the pattern, or hardly any is expected to where that depends on latent units.
    pub(super) fn is_unseen(&self, pattern: &[(usize, bool)]) -> bool {
        match self.seen(pattern) {
            Some(seen) => seen.matching == 0.0,
            None => self.is_ruled_out(pattern),
        }
    }

    /// True if the posteriors, missing cells included, leave next to nothing of the pattern.
    pub(super) fn is_ruled_out(&self, pattern: &[(usize, bool)]) -> bool {
        self.expected(pattern) < NEXT_TO_NONE
    }

    /// The fewest of the pattern's units that are unseen in their values already.
    pub(super) fn smallest_unseen(&self, pattern: Vec<(usize, bool)>) -> Vec<(usize, bool)> {
        let parts = subsets(&(0..pattern.len()).collect::<Vec<_>>());
        let parts = parts.into_iter().map(|places| -> Vec<(usize, bool)> {
            places.into_iter().map(|at| pattern[at]).collect()
        });
        let unseen = parts.filter(|part| self.is_unseen(part));
        unseen.min_by_key(Vec::len).unwrap_or(pattern)
    }

    /// The cause "no row shows this pattern", with what was counted or expected.
    pub(super) fn cause(&self, pattern: Vec<(usize, bool)>, alone: bool) -> Cause {
        let grounds = match self.seen(&pattern) {
            Some(seen) => Grounds::Counted {
                known: seen.known,
                with_ones: seen.with_ones,
                rows: self.rows,
            },
            None => Grounds::Expected {
                exceptions: self.expected(&pattern).max(0.0),
                rows: self.rows,
            },
        };
        let units = pattern.into_iter().map(|(unit, one)| self.named(unit, one));
        Cause::Unseen {
            pattern: units.collect(),
            grounds,
            alone,
        }
    }

    /// The cause "all of these units are one in every row", if so.
    pub(super) fn always(&self, units: &[usize]) -> Option<Cause> {
        let all: Vec<(usize, bool)> = units.iter().map(|&unit| (unit, true)).collect();
        let exceptions = (self.rows - self.moments.get(units)?).max(0.0);
        let grounds = match self.seen(&all) {
            Some(seen) if seen.matching == seen.known && seen.known == self.rows => {
                Grounds::Counted {
                    known: seen.known,
                    with_ones: seen.matching,
                    rows: self.rows,
                }
            }
            None if exceptions < NEXT_TO_NONE => Grounds::Expected {
                exceptions,
                rows: self.rows,
            },
            _ => return None,
        };
        Some(Cause::Always {
            units: units.iter().map(|&unit| self.named(unit, true)).collect(),
            grounds,
        })
    }

    /// What is left to say where no pattern is at fault: the rows' expectation of the term against the machine's.
    pub(super) fn pull(&self, term: usize, machine: f64) -> Cause {
        let units = self.network.terms()[term].units();
        let rows_show = self.moments.get(units).copied().unwrap_or(f64::NAN);
        Cause::Pull {
            units: units.iter().map(|&unit| self.named(unit, true)).collect(),
            rows_show,
            machine_shows: machine * self.rows,
            rows: self.rows,
            // Where other weights at the edge take part, it may be held the other way than it went.
            upwards: rows_show >= machine * self.rows,
        }
    }

    fn named(&self, unit: usize, one: bool) -> PatternUnit {
        PatternUnit {
            unit,
            name: self.network.units()[unit].name.clone(),
            is_seen: self.column_of_unit[unit].is_some(),
            one,
        }
    }

    /// E of the number of rows that show the pattern, by inclusion and exclusion over its zeros.
    fn expected(&self, pattern: &[(usize, bool)]) -> f64 {
        let ones: Vec<usize> = pattern.iter().filter(|p| p.1).map(|p| p.0).collect();
        let zeros: Vec<usize> = pattern.iter().filter(|p| !p.1).map(|p| p.0).collect();
        let moment = |units: &[usize]| {
            let term = Term::new(units.iter().chain(&ones).copied().collect());
            match term.order() {
                0 => self.rows,
                _ => self.moments.get(term.units()).copied().unwrap_or(f64::NAN),
            }
        };
        let rest: f64 = subsets(&zeros)
            .iter()
            .map(|s| moment(s) * if s.len() % 2 == 0 { 1.0 } else { -1.0 })
            .sum();
        moment(&[]) + rest
    }

    /// The counts of a pattern of columns, over the rows where all its cells are known; `None` where a unit has no
    /// column, or no row has all cells.
    fn seen(&self, pattern: &[(usize, bool)]) -> Option<Seen> {
        let cells = pattern
            .iter()
            .map(|&(unit, one)| self.column_of_unit[unit].map(|column| (column, one)))
            .collect::<Option<Vec<_>>>()?;
        let mut seen = Seen::default();
        for (row, &count) in self.data.rows().iter().zip(self.data.weights()) {
            let is = |column: usize, cell: Cell| row.cell(column) == cell;
            if cells.iter().any(|&(column, _)| is(column, Cell::Missing)) {
                continue;
            }
            seen.known += count;
            if cells
                .iter()
                .all(|&(column, one)| !one || is(column, Cell::One))
            {
                seen.with_ones += count;
            }
            if cells
                .iter()
                .all(|&(column, one)| is(column, Cell::One) == one)
            {
                seen.matching += count;
            }
        }
        (seen.known > 0.0).then_some(seen)
    }
}

/// How many rows have all cells of a pattern known, how many of them its ones, and how many the whole pattern.
#[derive(Default)]
struct Seen {
    known: f64,
    with_ones: f64,
    matching: f64,
}

/// Every subset but the empty one.
fn subsets(units: &[usize]) -> Vec<Vec<usize>> {
    (1..1usize << units.len())
        .map(|bits| {
            let chosen = units.iter().enumerate();
            let chosen = chosen.filter(|(at, _)| bits >> at & 1 == 1);
            chosen.map(|(_, &unit)| unit).collect()
        })
        .collect()
}
