//! The comparison of machines: how each foretells rows that it was not learned from, and the simplest that does it well.
//!
//! Of all machines that are not clearly worse than the best the one with the fewest weights is chosen ("clearly": by
//! more than one standard error of the rows' own differences, and by half a nat over all rows). A machine one of whose
//! hidden units says nothing is not chosen where there is another one: that unit does not count, and the machine without
//! it is in the table. Shapes grow by one hidden unit at a time, as long as that is clearly better.
//!
//! A table of validation rows is taken at its word: the machine that foretells its rows best is chosen, however small its lead, or
//! the simplest of those that are behind by less than half a nat over all rows.

use super::choice::{RidgeChoice, Standing, difference, is_clearly_better, standings};
use super::held_out::HeldOut;
use super::machines::Machine;
use crate::error::Result;
use crate::network::Shape;
use serde::{Deserialize, Serialize};

/// One machine of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Its shape's name.
    pub shape: String,
    /// Its hidden units.
    pub hidden: usize,
    /// How many weights it has.
    pub parameters: usize,
    /// The ridge that it has on all rows.
    pub ridge: f64,
    /// How it did on rows held out.
    pub standing: Standing,
    /// Mean log-likelihood of the rows that it was learned from, on all rows.
    pub log_likelihood: f64,
    /// How many of its hidden units say nothing about any row, on all rows.
    pub silent: usize,
    /// Bayes' information criterion, −2 log-likelihood of all rows + parameters · log rows: smaller is better.
    pub bic: f64,
}

/// Which machine is chosen by how they foretell rows held out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Rule {
    /// The simplest within one standard error of the best, or half a nat over all rows.
    #[default]
    Simplest,
    /// The best, or the simplest within half a nat over all rows of it.
    Best,
}

impl Rule {
    fn allows(self, standing: &Standing) -> bool {
        match self {
            Rule::Simplest => standing.is_not_clearly_behind(),
            Rule::Best => standing.is_as_good(),
        }
    }
}

/// How much more of a held-out row the chosen machine foretells than a plain one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// The plain one's shape.
    pub over: String,
    /// The mean gain in log-likelihood per row.
    pub mean: f64,
    /// Its standard error.
    pub std_err: f64,
}

/// All machines that were compared, and the choice.
///
/// ```
/// use latentropy::fit::{Comparison, Hidden};
/// use latentropy::{Dataset, Request, fit};
/// let rows: Vec<[i8; 3]> = (0..40).map(|row| if row % 2 == 0 { [1, 1, 1] } else { [0, 0, 0] }).collect();
/// let request = Request { hidden: Some(Hidden::Several(vec![0, 1])), ..Request::default() };
/// let found = fit(&Dataset::from_rows(&rows)?, &request)?;
/// let compared: &Comparison = found.choices.comparison.as_ref().unwrap();
/// assert_eq!(compared.table.len(), 2);
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// In the order in which they were tried.
    pub table: Vec<Compared>,
    /// How it was chosen.
    #[serde(default)]
    pub rule: Rule,
    /// The chosen one's place in the table.
    pub chosen: usize,
    /// The best one's place: the highest mean on rows held out.
    pub best: usize,
    /// What the chosen machine gains over independent columns and over visible pairs, where these were compared.
    pub gains: Vec<Gain>,
    /// True where the best machine is the largest of its shape that could be tried.
    pub best_is_last: bool,
    /// The ridges of the chosen machine, where they were cross-validated.
    pub ridge: Option<RidgeChoice>,
}

impl Comparison {
    /// The chosen machine.
    pub fn chosen(&self) -> &Compared {
        &self.table[self.chosen]
    }

    /// Entries from the simplest to the one with the most weights.
    pub fn by_parameters(&self) -> Vec<&Compared> {
        let mut entries: Vec<&Compared> = self.table.iter().collect();
        entries.sort_by_key(|entry| (entry.parameters, entry.hidden));
        entries
    }
}

/// What is known of one machine.
#[derive(Clone, Debug)]
pub(super) struct Tried {
    /// Its number among the planned ones.
    pub(super) number: usize,
    /// How it did.
    pub(super) held_out: HeldOut,
    /// How the candidates of highest likelihood did, where both principles are compared.
    pub(super) by_likelihood: Option<HeldOut>,
    /// On all rows.
    pub(super) ridge: f64,
    pub(super) log_likelihood: f64,
    pub(super) silent: usize,
    pub(super) ridges: Option<RidgeChoice>,
}

/// The next machine to be tried; none where all that are worth it have been.
pub(super) fn next(machines: &[Machine], tried: &[Tried]) -> Option<usize> {
    let mut numbers = 0..machines.len();
    let plain = numbers.find(|&number| {
        machines[number].ridge.is_none()
            && tried.iter().all(|known| known.number != number)
            && is_worth_it(machines, tried, number)
    });
    plain.or_else(|| next_ridge(machines, tried))
}

/// Where all machines have been tried at the usual ridge: the simplest of the best ones at smaller ridges, as long as these
/// gain, or else at larger ones.
fn next_ridge(machines: &[Machine], tried: &[Tried]) -> Option<usize> {
    let plain = tried
        .iter()
        .filter(|known| machines[known.number].ridge.is_none());
    let plain: Vec<Tried> = plain.cloned().collect();
    let scores: Vec<&HeldOut> = plain.iter().map(|known| &known.held_out).collect();
    let (standings, best) = standings(&scores).ok()?;
    let chosen = &plain[simplest(machines, &plain, (&standings, best), Rule::Simplest)];
    let same = |other: &Machine| {
        let machine = &machines[chosen.number];
        other.shape == machine.shape && other.hidden == machine.hidden
    };
    let mut others: Vec<(f64, usize)> = (0..machines.len())
        .filter(|&number| same(&machines[number]))
        .filter_map(|number| Some((machines[number].ridge?, number)))
        .collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (smaller, larger): (Vec<_>, Vec<_>) = others
        .into_iter()
        .partition(|(ridge, _)| *ridge < chosen.ridge);
    let mut has_gained = false;
    for way in [smaller.into_iter().rev().collect::<Vec<_>>(), larger] {
        let mut last = chosen;
        for (_, number) in way {
            let Some(known) = tried.iter().find(|known| known.number == number) else {
                return Some(number);
            };
            if !is_clearly_better(&known.held_out, &last.held_out) {
                break;
            }
            (last, has_gained) = (known, true);
        }
        if has_gained {
            return None;
        }
    }
    None
}

/// The place of the simplest machine that is not clearly worse than the best: of the fewest weights, and of these the one
/// with the largest ridge.
fn simplest(
    machines: &[Machine],
    tried: &[Tried],
    (standings, best): (&[Standing], usize),
    rule: Rule,
) -> usize {
    let key = |at: usize| {
        let machine = &machines[tried[at].number];
        (tried[at].silent > 0, machine.parameters(), machine.hidden)
    };
    let within = (0..tried.len()).filter(|&at| rule.allows(&standings[at]));
    let ridge = |at: usize| tried[at].ridge;
    within
        .min_by(|&a, &b| key(a).cmp(&key(b)).then(ridge(b).total_cmp(&ridge(a))))
        .unwrap_or(best)
}

/// All machines that are known to be worth trying now, and have not been.
pub(super) fn open(machines: &[Machine], tried: &[Tried]) -> Vec<usize> {
    let is_tried = |number: usize| tried.iter().any(|known| known.number == number);
    let plain = (0..machines.len()).filter(|&number| machines[number].ridge.is_none());
    let open: Vec<usize> = plain
        .filter(|&number| {
            let grows = machines[number].grows && machines[number].hidden >= 2;
            // Whether growing pays is seen by the last two sizes.
            let last = before(machines, number).into_iter().rev().take(2);
            let is_known = !grows || last.into_iter().all(is_tried);
            !is_tried(number) && is_known && is_worth_it(machines, tried, number)
        })
        .collect();
    match open.is_empty() {
        true => next(machines, tried).into_iter().collect(),
        false => open,
    }
}

/// The machines that one grows from, the smallest first.
fn before(machines: &[Machine], number: usize) -> Vec<usize> {
    let machine = &machines[number];
    let mut sizes: Vec<(usize, usize)> = (0..number)
        .filter(|&before| machines[before].ridge.is_none())
        .map(|before| (machines[before].hidden, before))
        .filter(|&(hidden, before)| match hidden {
            0 => machines[before].shape == base(&machine.shape),
            _ => machines[before].shape == machine.shape && hidden < machine.hidden,
        })
        .collect();
    sizes.sort_unstable();
    sizes.into_iter().map(|(_, before)| before).collect()
}

/// A shape grows as long as its last machine was clearly better than the one before.
fn is_worth_it(machines: &[Machine], tried: &[Tried], number: usize) -> bool {
    let machine = &machines[number];
    if !machine.grows || machine.hidden < 2 {
        return true;
    }
    let before = before(machines, number);
    let mut before = before.iter().rev().map(|before| {
        let mut tried = tried.iter();
        tried.find(|known| known.number == *before)
    });
    let Some(Some(last)) = before.next() else {
        return false;
    };
    before
        .next()
        .flatten()
        .is_none_or(|before| is_clearly_better(&last.held_out, &before.held_out))
}

/// The machine of the same shape with fewer hidden units that was tried last before this one: its interactions are among
/// this one's. Independent columns have none.
pub(super) fn smaller(machines: &[Machine], number: usize) -> Option<usize> {
    let machine = &machines[number];
    let is_smaller = |other: &Machine| match other.hidden {
        0 => other.shape == Shape::Visible.to_string() && base(&machine.shape) == other.shape,
        hidden => hidden < machine.hidden && other.shape == machine.shape,
    };
    (0..number)
        .filter(|&before| machine.hidden > 0 && machines[before].ridge.is_none())
        .filter(|&before| is_smaller(&machines[before]))
        .max_by_key(|&before| machines[before].hidden)
}

/// What a shape is called without hidden units.
fn base(shape: &str) -> String {
    match shape.parse() {
        Ok(Shape::Rbm) => Shape::Independent.to_string(),
        Ok(Shape::Screened) => Shape::Screened.to_string(),
        _ => Shape::Visible.to_string(),
    }
}

/// Compares and chooses.
pub(super) fn choose(
    machines: &[Machine],
    tried: &[Tried],
    rows: f64,
    rule: Rule,
) -> Result<Comparison> {
    let scores: Vec<&HeldOut> = tried.iter().map(|known| &known.held_out).collect();
    let (standings, best) = standings(&scores)?;
    let chosen = simplest(machines, tried, (&standings, best), rule);
    let entries = tried.iter().zip(standings).map(|(known, standing)| {
        let machine = &machines[known.number];
        let parameters = machine.parameters();
        Compared {
            shape: machine.shape.clone(),
            hidden: machine.hidden,
            parameters,
            ridge: known.ridge,
            standing,
            log_likelihood: known.log_likelihood,
            silent: known.silent,
            bic: -2.0 * rows * known.log_likelihood + parameters as f64 * rows.ln(),
        }
    });
    let table: Vec<Compared> = entries.collect();
    let plain = [Shape::Independent, Shape::Visible].map(|shape| shape.to_string());
    let gains = plain.into_iter().filter_map(|shape| {
        let at = table
            .iter()
            .position(|e| e.shape == shape && e.hidden == 0)?;
        (at != chosen).then(|| {
            let (mean, std_err) = difference(scores[chosen], scores[at]);
            Gain {
                over: shape,
                mean,
                std_err,
            }
        })
    });
    Ok(Comparison {
        gains: gains.collect(),
        best_is_last: is_last(machines, tried, best),
        ridge: tried[chosen].ridges.clone(),
        table,
        rule,
        chosen,
        best,
    })
}

/// True of a machine with hidden units where smaller ones of its shape were tried, and none larger is there to be tried.
fn is_last(machines: &[Machine], tried: &[Tried], at: usize) -> bool {
    let best = &machines[tried[at].number];
    let same = || machines.iter().filter(|m| m.shape == best.shape);
    let has_smaller = tried.len() > 1;
    best.hidden > 0 && has_smaller && same().all(|machine| machine.hidden <= best.hidden)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Network, TermOptions};

    fn tried(number: usize, silent: usize, mean: f64) -> Tried {
        let by_row: Vec<f64> = (0..30).map(|row| mean + f64::from(row % 3)).collect();
        Tried {
            number,
            held_out: HeldOut::new(by_row, vec![1.0; 30]),
            by_likelihood: None,
            ridge: 1.0,
            log_likelihood: mean,
            silent,
            ridges: None,
        }
    }

    #[test]
    fn a_machine_begins_at_the_largest_smaller_one_of_its_shape_that_has_interactions() {
        let columns: Vec<String> = (1..5).map(|column| format!("y{column}")).collect();
        let machine = |shape: &str, hidden: usize| Machine {
            shape: shape.to_string(),
            hidden,
            network: Network::on_columns(&columns, hidden, &TermOptions::default()).unwrap(),
            grows: false,
            ridge: None,
            in_batches: false,
        };
        let machines = [
            machine("independent", 0),
            machine("visible", 0),
            machine("rbm", 1),
            machine("full", 1),
            machine("rbm", 3),
            machine("full", 2),
        ];
        let before: Vec<Option<usize>> = (0..6).map(|at| smaller(&machines, at)).collect();
        assert_eq!(before, [None, None, None, Some(1), Some(2), Some(3)]);
    }

    #[test]
    fn a_machine_with_a_silent_unit_is_not_chosen_where_there_is_another() {
        let columns: Vec<String> = (1..5).map(|column| format!("y{column}")).collect();
        let machine = |hidden: usize| Machine {
            shape: "rbm".to_string(),
            hidden,
            network: Network::on_columns(&columns, hidden, &TermOptions::default()).unwrap(),
            grows: false,
            ridge: None,
            in_batches: false,
        };
        let machines = [machine(1), machine(2)];
        let chosen = |silent: [usize; 2]| {
            let tried = [tried(0, silent[0], -3.0), tried(1, silent[1], -3.0)];
            choose(&machines, &tried, 30.0, Rule::Simplest)
                .unwrap()
                .chosen
        };
        assert_eq!(chosen([0, 0]), 0);
        assert_eq!(chosen([1, 0]), 1);
        assert_eq!(chosen([1, 2]), 0);
        // One that is clearly behind is not chosen for that.
        let tried = [tried(0, 1, -3.0), tried(1, 0, -4.0)];
        assert_eq!(
            choose(&machines, &tried, 30.0, Rule::Simplest)
                .unwrap()
                .chosen,
            0
        );
    }

    #[test]
    fn a_gain_of_next_to_nothing_is_none_however_sure_it_is() {
        let columns: Vec<String> = (1..5).map(|column| format!("y{column}")).collect();
        let machine = |shape: Shape, hidden: usize| {
            let network = Network::on_columns(&columns, hidden, &TermOptions::default()).unwrap();
            Machine::new(shape, hidden, network)
        };
        let machines = [machine(Shape::Visible, 0), machine(Shape::Full, 1)];
        let chosen = |gain: f64| {
            let tried = [tried(0, 0, -3.0), tried(1, 0, -3.0 + gain)];
            choose(&machines, &tried, 30.0, Rule::Simplest)
                .unwrap()
                .chosen
        };
        assert_eq!(chosen(1e-5), 0);
        assert_eq!(chosen(0.01), 0);
        assert_eq!(chosen(0.1), 1);
    }

    #[test]
    fn the_chosen_machine_is_tried_at_smaller_ridges_while_these_gain_and_else_at_larger_ones() {
        let columns: Vec<String> = (1..5).map(|column| format!("y{column}")).collect();
        let machine = |hidden: usize, ridge: Option<f64>| {
            let network = Network::on_columns(&columns, hidden, &TermOptions::default()).unwrap();
            Machine {
                ridge,
                ..Machine::new(Shape::Rbm, hidden, network)
            }
        };
        let machines = [
            machine(1, None),
            machine(2, None),
            machine(1, Some(5.0)),
            machine(1, Some(0.2)),
            machine(1, Some(0.04)),
            machine(2, Some(5.0)),
            machine(2, Some(0.2)),
            machine(2, Some(0.04)),
        ];
        let at = |number: usize, mean: f64| Tried {
            ridge: machines[number].ridge.unwrap_or(1.0),
            ..tried(number, 0, mean)
        };
        let mut known = vec![at(0, -4.0), at(1, -3.0)];
        assert_eq!(next(&machines, &known), Some(6));
        let mut worse = known.clone();
        worse.push(at(6, -3.5));
        assert_eq!(next(&machines, &worse), Some(5));
        worse.push(at(5, -3.25));
        assert_eq!(next(&machines, &worse), None);
        assert_eq!(
            choose(&machines, &worse, 30.0, Rule::Simplest)
                .unwrap()
                .chosen,
            1
        );
        known.push(at(6, -2.5));
        assert_eq!(next(&machines, &known), Some(7));
        known.push(at(7, -2.75));
        assert_eq!(next(&machines, &known), None);
        assert_eq!(
            choose(&machines, &known, 30.0, Rule::Simplest)
                .unwrap()
                .chosen,
            2
        );
    }
}
