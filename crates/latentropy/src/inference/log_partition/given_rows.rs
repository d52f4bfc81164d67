//! Log Z of a machine whose rows are known: ladders begin at them, they count as states, and backward runs bound them.

use super::held_out::{HeldOut, draw_hidden, held_out};
use super::mass::Mass;
use super::witnesses::{Asked, Witnesses, means, witnesses};
use crate::error::Result;
use crate::inference::markov_chains::Machine;
use crate::inference::reduction::FreeTerms;
use crate::network::{Clamp, Network};

/// Passes over hidden units that are coupled: then they are not drawn exactly, which no bound rests on.
const PASSES: usize = 32;

/// Complete rows, one value per visible unit, with what each weighs.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownRows {
    pub(crate) rows: Vec<Vec<bool>>,
    pub(crate) weights: Vec<f64>,
}

/// Log Z, and what backward runs from the rows say where the hidden units have no term in common; there must be a row.
pub(crate) fn log_partition_given_rows(
    network: &Network,
    known: &KnownRows,
    asked: &Asked,
) -> Result<(Witnesses, Option<HeldOut>)> {
    let terms = FreeTerms::new(network, &Clamp::none(network.units().len()))?;
    let mut machine = Machine::new(&terms);
    let (visible, hidden) = (network.visible(), network.hidden());
    let is_hidden: Vec<bool> = (0..network.units().len())
        .map(|unit| hidden.contains(&unit))
        .collect();
    let coupled = terms
        .sets
        .iter()
        .any(|set| set.iter().filter(|&&unit| is_hidden[unit]).count() > 1);
    let chosen = known.evenly(asked.runs);
    let states = chosen.iter().map(|&row| {
        let mut state = vec![false; machine.units()];
        for (&unit, &is_on) in visible.iter().zip(&known.rows[row]) {
            state[machine.place[unit]] = is_on;
        }
        state
    });
    let states: Vec<Vec<bool>> = states.collect();
    let places: Vec<usize> = hidden.iter().map(|&unit| machine.place[unit]).collect();
    let passes = if coupled { PASSES } else { 1 };
    let states = draw_hidden(&machine, &places, &states, passes, asked.seed);
    machine.set_base(&means(&machine, &states));
    let summed: Vec<bool> = machine
        .place
        .iter()
        .map(|&at| at < machine.independent)
        .collect();
    let mut mass = Mass::new(&terms, &summed);
    let mut of_rows = (!coupled && summed != is_hidden).then(|| Mass::new(&terms, &is_hidden));
    let one_side = summed == is_hidden;
    for row in &known.rows {
        let is_on = |unit: usize| visible.binary_search(&unit).is_ok_and(|at| row[at]);
        match &mut of_rows {
            Some(of_rows) => of_rows.see(is_on),
            None if one_side => mass.see(is_on),
            None => {}
        }
    }
    let own = of_rows.map(|mut mass| mass.weigh());
    let (found, base) = witnesses(&machine, &states, mass, own, terms.constant, asked);
    let rows = (!coupled).then(|| {
        let steps = (found.annealed.steps, asked.steps.is_some());
        held_out(&base, &states, terms.constant, steps, asked.seed)
    });
    Ok((found, rows))
}

impl KnownRows {
    /// So many rows, evenly spread by their weights.
    fn evenly(&self, count: usize) -> Vec<usize> {
        let total: f64 = self.weights.iter().sum();
        let (mut at, mut below) = (0, self.weights[0]);
        let chosen = (0..count).map(|number| {
            let aim = (number as f64 + 0.5) / count as f64 * total;
            while below < aim && at + 1 < self.weights.len() {
                at += 1;
                below += self.weights[at];
            }
            at
        });
        chosen.collect()
    }
}
