//! What the report shows and the other files of a run do not hold: gathered while the data are at hand, kept in `report.json`.

use super::findings::Findings;
use super::states::{self, States};
use super::traces::{Trace, TraceKeeper};
use latentropy::answers::{pair_moments, sample_quickly, units_of_columns};
use latentropy::data::Dataset;
use latentropy::{
    Candidate, EngineId, Error, Fit, Network, Principle, Result, Sampling, infer, posterior_means,
};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The version of the file's layout.
pub(super) const FORMAT: &str = "latentropy-report/1";
/// Most pairs that are kept: those that fit worst, and every so many of the others.
const MOST_PAIRS: usize = 700;
/// Most rows that are kept.
const MOST_ROWS: usize = 60;
/// States drawn from a machine beyond exact sums.
const DRAWS: usize = 20_000;
/// The strongest weights of a candidate.
const STRONGEST: usize = 4;
/// Bars of the histogram of a hidden unit's probabilities.
pub(super) const BARS: usize = 10;

/// Everything that `report.json` holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Exhibits {
    pub(super) format: String,
    /// The run that they are of, once it has a name.
    #[serde(default)]
    pub(super) run: String,
    /// Positions of the candidates that the two principles choose.
    pub(super) lme: usize,
    pub(super) mle: usize,
    pub(super) columns: Vec<Moment>,
    pub(super) pairs: Vec<Pair>,
    /// How many pairs there are, kept or not, and how many lie beyond two standard errors.
    pub(super) pair_count: usize,
    pub(super) pairs_beyond: usize,
    /// P(x_u = 1) of every unit.
    pub(super) unit_means: Vec<f64>,
    /// How many drawn states stand for the machine in all of these; none where its numbers are exact.
    #[serde(default)]
    pub(super) draws: Option<usize>,
    /// The strongest weights of every candidate.
    pub(super) strongest: Vec<Vec<(String, f64)>>,
    pub(super) rows: Vec<RowExhibit>,
    /// How many rows have no known cell: nothing is learned from them.
    #[serde(default)]
    pub(super) unknown_rows: usize,
    /// For each hidden unit, what the rows weigh that have a probability in each tenth.
    pub(super) histograms: Vec<Vec<f64>>,
    pub(super) traces: Vec<Trace>,
    /// For pictures of the machine's states beside rows.
    #[serde(default)]
    pub(super) states: States,
    /// What was found out about the choice.
    #[serde(default)]
    pub(super) findings: Findings,
}

/// How often something is one in the data, and how often the model says.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Moment {
    /// What the rows weigh that know it, and those of them in which it is one.
    pub(super) known: f64,
    pub(super) ones: f64,
    pub(super) model: f64,
    /// Of the share in the data, by chance alone, if the model were true.
    pub(super) std_err: f64,
}

impl Moment {
    /// The share of ones in the data.
    pub(super) fn observed(&self) -> f64 {
        if self.known == 0.0 {
            return f64::NAN;
        }
        self.ones / self.known
    }

    /// How many standard errors the data are away from the model; 0 where that means nothing.
    pub(super) fn misfit(&self) -> f64 {
        let misfit = (self.observed() - self.model) / self.std_err;
        if misfit.is_finite() { misfit } else { 0.0 }
    }
}

/// A pair of columns.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Pair {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) moment: Moment,
}

/// A distinct row and what the machine makes of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RowExhibit {
    pub(super) count: u64,
    /// One of `0`, `1` and `?` per column.
    pub(super) cells: String,
    /// The probability of each hidden unit.
    pub(super) hidden: Vec<f64>,
}

impl Exhibits {
    /// Gathers everything from a fit and its data.
    pub fn gather(fit: &Fit, data: &Dataset, traces: TraceKeeper) -> Result<Self> {
        let network = &fit.chosen().network;
        let units = units_of_columns(network, data)?;
        let machine = Moments::of(fit, &units)?;
        let columns = units.iter().enumerate();
        let columns = columns
            .map(|(column, &unit)| machine.moment(data, column, column, machine.means[unit]))
            .collect();
        let pairs = pairs(data, &machine);
        let beyond = |pair: &&Pair| pair.moment.misfit().abs() > 2.0;
        let (pair_count, pairs_beyond) = (pairs.len(), pairs.iter().filter(beyond).count());
        let (rows, histograms) = rows(network, data)?;
        let chosen_by = |principle: Principle| {
            let found = principle.select(&fit.candidates);
            found.map_or(fit.selected, |selected| selected.at)
        };
        Ok(Exhibits {
            format: FORMAT.to_string(),
            run: String::new(),
            lme: chosen_by(Principle::LatentMaximumEntropy),
            mle: chosen_by(Principle::MaximumLikelihood),
            columns,
            pairs: worst_and_some(pairs),
            pair_count,
            pairs_beyond,
            unit_means: machine.means,
            draws: machine.draws,
            strongest: fit.candidates.iter().map(strongest).collect(),
            rows,
            unknown_rows: data.len() - data.known_rows().len(),
            histograms,
            traces: traces.into_traces(fit.chosen().index),
            states: States::new(&machine.states, &units, data),
            findings: Findings::gather(fit, data),
        })
    }
}

/// What the chosen machine says of units and of pairs of columns: exact, or else by states drawn from it.
struct Moments {
    means: Vec<f64>,
    pairs: Vec<f64>,
    draws: Option<usize>,
    /// The first states that were drawn.
    states: Vec<Vec<bool>>,
}

impl Moments {
    fn of(fit: &Fit, units: &[usize]) -> Result<Self> {
        let network = &fit.chosen().network;
        let exact = || -> Result<Self> {
            let engine = Some(EngineId::EXACT);
            let free = infer(network, &[], engine, &Sampling::default())?.answer;
            Ok(Moments {
                means: free.expectations.means,
                pairs: match &fit.misfit {
                    Some(misfit) => misfit.pair_moments.clone(),
                    None => pair_moments(network, units)?,
                },
                draws: None,
                states: states::drawn(network, fit.seed)?,
            })
        };
        // A machine that was learned by samples is told by samples: exact sums might take longer than its fit.
        match fit.engine.gives().exact_sums || fit.misfit.is_some() {
            true => match exact() {
                Err(Error::TooLarge { .. }) => Moments::drawn(network, units, fit.seed),
                other => other,
            },
            false => Moments::drawn(network, units, fit.seed),
        }
    }

    fn drawn(network: &Network, units: &[usize], seed: u64) -> Result<Self> {
        let mut draws = sample_quickly(network, seed, DRAWS)?;
        let mut means = vec![0.0; network.units().len()];
        let mut pairs = vec![0.0; units.len() * units.len().saturating_sub(1) / 2];
        let (mut seen, mut states) = (0, Vec::new());
        while seen < DRAWS {
            for state in draws.next(DRAWS - seen) {
                seen += 1;
                let ones = means.iter_mut().zip(&state).filter(|(_, on)| **on);
                ones.for_each(|(mean, _)| *mean += 1.0 / DRAWS as f64);
                let mut at = 0;
                for (a, &unit) in units.iter().enumerate() {
                    let others = &units[a + 1..];
                    if state[unit] {
                        for (pair, &other) in pairs[at..].iter_mut().zip(others) {
                            *pair += f64::from(u8::from(state[other])) / DRAWS as f64;
                        }
                    }
                    at += others.len();
                }
                if states.len() < states::KEPT {
                    states.push(state);
                }
            }
        }
        Ok(Moments {
            means,
            pairs,
            draws: Some(draws.worth(DRAWS)),
            states,
        })
    }

    /// Data against machine; the draws' own error counts where there are any.
    fn moment(&self, data: &Dataset, a: usize, b: usize, model: f64) -> Moment {
        let frequency = data.frequency(a, b);
        let by_draws = self.draws.map_or(0.0, |draws| {
            let draws = draws as f64;
            let possible = (model * draws + 1.0) / (draws + 2.0);
            (possible * (1.0 - possible) / draws).sqrt()
        });
        Moment {
            known: frequency.known,
            ones: frequency.ones,
            model,
            std_err: frequency.std_err(model).unwrap_or(0.0).hypot(by_draws),
        }
    }
}

fn strongest(candidate: &Candidate) -> Vec<(String, f64)> {
    let network = &candidate.network;
    let mut terms: Vec<usize> = (0..network.terms().len())
        .filter(|&term| network.terms()[term].order() > 1)
        .collect();
    let weight = |term: usize| network.weights()[term];
    terms.sort_by(|&a, &b| weight(b).abs().total_cmp(&weight(a).abs()));
    let named = |term: usize| {
        let units = network.terms()[term].units().iter();
        let names: Vec<&str> = units.map(|&u| network.units()[u].name.as_str()).collect();
        (names.join(" – "), weight(term))
    };
    terms.into_iter().take(STRONGEST).map(named).collect()
}

fn pairs(data: &Dataset, machine: &Moments) -> Vec<Pair> {
    let columns = data.columns().len();
    (0..columns)
        .flat_map(|a| (a + 1..columns).map(move |b| (a, b)))
        .zip(&machine.pairs)
        .map(|((a, b), &model)| Pair {
            a,
            b,
            moment: machine.moment(data, a, b, model),
        })
        .filter(|pair| pair.moment.known > 0.0)
        .collect()
}

/// The worst third, and of the others as many as there is room for, evenly.
fn worst_and_some(mut pairs: Vec<Pair>) -> Vec<Pair> {
    let worse = |a: &Pair, b: &Pair| -> Ordering {
        b.moment.misfit().abs().total_cmp(&a.moment.misfit().abs())
    };
    pairs.sort_by(worse);
    if pairs.len() <= MOST_PAIRS {
        return pairs;
    }
    let rest = pairs.split_off(MOST_PAIRS / 3);
    let step = rest.len().div_ceil(MOST_PAIRS - MOST_PAIRS / 3);
    pairs.extend(rest.into_iter().step_by(step.max(1)));
    pairs
}

/// Rows in the order of what the hidden units say of them, evenly thinned by what they weigh.
fn rows(network: &Network, data: &Dataset) -> Result<(Vec<RowExhibit>, Vec<Vec<f64>>)> {
    let hidden = network.hidden();
    if hidden.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let mut histograms = vec![vec![0.0; BARS]; hidden.len()];
    let mut rows = Vec::new();
    let posteriors = match posterior_means(network, data) {
        // Rows whose posterior no exact engine holds are left out of the page.
        Err(Error::TooLarge { .. }) => return Ok((Vec::new(), histograms)),
        found => found?,
    };
    for (row, means) in posteriors.into_iter().enumerate() {
        if !data.is_known(row) {
            continue;
        }
        let weight = data.weights()[row];
        let means: Vec<f64> = hidden.iter().map(|&unit| means[unit]).collect();
        for (histogram, mean) in histograms.iter_mut().zip(&means) {
            histogram[((mean * BARS as f64) as usize).min(BARS - 1)] += weight;
        }
        rows.push((row, weight, means));
    }
    let is_on = |mean: &f64| *mean >= 0.5;
    rows.sort_by(|(row_a, _, a), (row_b, _, b)| {
        let patterns = a.iter().map(is_on).cmp(b.iter().map(is_on));
        let closer = a.iter().sum::<f64>().total_cmp(&b.iter().sum());
        patterns.then(closer).then(row_a.cmp(row_b)).reverse()
    });
    let total: f64 = rows.iter().map(|(_, weight, _)| weight).sum();
    let (mut seen, mut taken) = (0.0, 0u64);
    let mut kept = Vec::new();
    let every = rows.len() <= MOST_ROWS;
    for (row, weight, hidden) in rows {
        seen += weight;
        let due = (seen * MOST_ROWS as f64 / total) as u64;
        if every || due > taken {
            taken = due;
            kept.push(RowExhibit {
                count: data.counts()[row],
                cells: states::cells(data, row),
                hidden,
            });
        }
    }
    Ok((kept, histograms))
}
