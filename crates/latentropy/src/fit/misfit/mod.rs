//! Where the chosen machine misfits its data, and the causes whose conditions hold: decided here, told by every interface.

mod cause;

pub use cause::MisfitCause;

use super::result::Fit;
use crate::answers::{FitChecks, fit_checks, pair_moments};
use crate::data::{Dataset, Frequency};
use crate::error::Result;
use crate::inference::{Kind, exact_expectations};
use crate::network::{Clamp, Network};
use crate::rows::units_of_columns;
use cause::Circumstances;
use rayon::prelude::*;

/// By chance one frequency in twenty lies beyond two standard errors; twice as many are a sign.
const TOO_MANY: f64 = 0.1;
/// Shares of fewer frequencies than this are no sign.
const ENOUGH: usize = 20;
/// A frequency this many standard errors away counts as beyond.
const BEYOND: f64 = 2.0;
/// A machine that was learned without exact sums is checked up to this many units: more would cost more than its fit.
const MOST_UNITS: usize = 20;
/// Triplets that are kept.
const WORST: usize = 8;

/// Frequencies that were judged, and those beyond two standard errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// How many were judged.
    pub count: usize,
    /// How many of them are more than two standard errors from the data.
    pub beyond: usize,
}

impl Judged {
    /// More of them than chance explains.
    fn are_too_many(&self) -> bool {
        self.count >= ENOUGH && self.beyond as f64 > TOO_MANY * self.count as f64
    }
}

/// What the checks of the chosen machine found.
#[derive(Clone, Debug, PartialEq)]
pub struct Misfit {
    /// P(x = 1, x′ = 1) of every pair of columns by the machine: (0,1), (0,2), …, (1,2), ….
    pub pair_moments: Vec<f64>,
    /// The pairs of columns that some row knows.
    pub pairs: Judged,
    /// What the machine was not asked to match.
    pub checks: FitChecks,
    /// Whether the ridge moves a moment by a standard error and more.
    pub ridge_is_strong: bool,
    /// Why it may misfit; none where it does not.
    pub causes: Vec<MisfitCause>,
}

impl Misfit {
    /// Of the chosen machine of a fit; none where its exact sums are beyond reach, or would cost more than the fit.
    pub(super) fn new(fit: &Fit, data: &Dataset) -> Option<Self> {
        let chosen = fit.chosen();
        let is_exact = chosen.worth.log_likelihood == Kind::Exact;
        if !is_exact && chosen.network.units().len() > MOST_UNITS {
            return None;
        }
        // A fit must not be lost for want of a check.
        Misfit::checked(fit, data).ok()
    }

    fn checked(fit: &Fit, data: &Dataset) -> Result<Self> {
        let network = &fit.chosen().network;
        let units = units_of_columns(network, data)?;
        let pair_moments = pair_moments(network, &units)?;
        let (pairs, pulled) = judged(network, &units, data, &pair_moments)?;
        let ridge = fit.objective.ridge;
        let mut found = Misfit {
            pair_moments,
            pairs,
            checks: fit_checks(network, data, WORST)?,
            ridge_is_strong: ridge_is_strong(network, ridge, fit.rows_used),
            causes: Vec::new(),
        };
        if found.misfits() {
            found.causes = Circumstances {
                comparison: fit.choices.comparison.as_ref(),
                at_the_edge: fit.chosen().certificate.boundary_terms.len(),
                bound: fit.objective.bound,
                ridge,
                ridge_is_strong: found.ridge_is_strong,
                pairs_beyond: pairs.beyond,
                pulled,
                has_missing_cells: data.missing_cells() > 0,
            }
            .causes();
        }
        Ok(found)
    }

    /// Whether the data are further from the machine than chance explains.
    pub fn misfits(&self) -> bool {
        !self.signs().is_empty()
    }

    /// Whether there was anything to judge by.
    pub fn can_tell(&self) -> bool {
        let triplets = self.checks.triplets.as_ref();
        let score = self.checks.sum_score.as_ref();
        self.pairs.count >= ENOUGH
            || triplets.is_some_and(|triplets| triplets.count >= ENOUGH)
            || score.is_some_and(|score| score.degrees > 0)
    }

    /// What is further from the data than chance explains, a phrase each.
    pub fn signs(&self) -> Vec<String> {
        let mut signs = Vec::new();
        let beyond = "are more than two standard errors from the data (at most 5% would be chance)";
        if self.pairs.are_too_many() {
            let Judged { count, beyond: out } = self.pairs;
            signs.push(format!("{out} of {count} pairs of columns {beyond}"));
        }
        let triplets = self.checks.triplets.as_ref().map(|triplets| Judged {
            count: triplets.count,
            beyond: triplets.beyond,
        });
        if let Some(Judged { count, beyond: out }) = triplets.filter(Judged::are_too_many) {
            let are = if signs.is_empty() {
                beyond
            } else {
                "are so too"
            };
            signs.push(format!("{out} of {count} triplets of columns {are}"));
        }
        if let Some(score) = &self.checks.sum_score
            && score.is_surprising()
        {
            signs.push(format!(
                "the number of ones in a row is spread otherwise than the machine says (chi-square {:.1} where about {} is \
                 chance)",
                score.chi_square, score.degrees
            ));
        }
        signs
    }

    /// The whole of it in sentences without their full stops: what misfits, then the causes; or that nothing does.
    pub fn sentences(&self) -> Vec<String> {
        let signs = self.signs();
        if signs.is_empty() {
            return vec![
                match self.can_tell() {
                    true => "no more than chance explains",
                    false => "too few columns and rows to tell",
                }
                .to_string(),
            ];
        }
        let causes = self.causes.iter().map(MisfitCause::sentence);
        [signs.join("; ")].into_iter().chain(causes).collect()
    }
}

/// The pairs that some row knows, and how many of those that misfit are nearer to independence than the data.
fn judged(
    network: &Network,
    units: &[usize],
    data: &Dataset,
    moments: &[f64],
) -> Result<(Judged, usize)> {
    let free = exact_expectations(network, &Clamp::none(network.units().len()))?;
    let own = |column: usize| {
        let seen = data.frequency(column, column).mean().unwrap_or(0.0);
        (free.means[units[column]], seen)
    };
    let own: Vec<(f64, f64)> = (0..units.len()).map(own).collect();
    let columns = units.len();
    let pairs = (0..columns).flat_map(|a| (a + 1..columns).map(move |b| (a, b)));
    let pairs: Vec<((usize, usize), f64)> = pairs.zip(moments.iter().copied()).collect();
    // Whether it is beyond, and whether it is pulled, of each pair that some row knows.
    let judge = |((a, b), model): ((usize, usize), f64)| {
        let frequency = data.frequency(a, b);
        let seen = frequency.mean()?;
        let is_beyond = errors_apart(&frequency, model).abs() > BEYOND;
        let by_machine = model - own[a].0 * own[b].0;
        let in_data = seen - own[a].1 * own[b].1;
        Some((is_beyond, is_beyond && by_machine.abs() < in_data.abs()))
    };
    let found: Vec<(bool, bool)> = pairs.into_par_iter().filter_map(judge).collect();
    let judged = Judged {
        count: found.len(),
        beyond: found.iter().filter(|(is_beyond, _)| *is_beyond).count(),
    };
    Ok((
        judged,
        found.iter().filter(|(_, is_pulled)| *is_pulled).count(),
    ))
}

/// How many standard errors a share is away from what a machine says; 0 where that means nothing.
fn errors_apart(frequency: &Frequency, model: f64) -> f64 {
    match (frequency.mean(), frequency.std_err(model)) {
        (Some(seen), Some(error)) if error > 0.0 => (seen - model) / error,
        _ => 0.0,
    }
}

/// Whether the ridge moves a moment by a standard error and more.
fn ridge_is_strong(network: &Network, ridge: f64, rows: f64) -> bool {
    let terms = network.terms().iter().zip(network.weights());
    let connecting = terms.filter(|(term, _)| term.order() > 1);
    let strongest = connecting.fold(0.0, |most: f64, (_, weight)| most.max(weight.abs()));
    // At a solution a moment is α |κ| / T short of the data; the largest standard error of a share is 1 / (2 √T).
    ridge * strongest / rows >= 0.5 / rows.sqrt()
}
