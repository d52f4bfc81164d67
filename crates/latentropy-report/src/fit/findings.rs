//! What a fit found out about its choice: hidden units, the two principles, further solutions, and the checks of the fit.

use latentropy::Fit;
use latentropy::answers::{FitChecks, fit_checks};
use latentropy::data::Dataset;
use serde::{Deserialize, Serialize};

/// Triplets that are kept.
const WORST: usize = 8;

/// A part of `report.json`; a file of an earlier program has none of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Findings {
    /// The hidden units, in order; empty where they are beyond exact sums.
    pub(super) units: Vec<UnitFinding>,
    /// How many causes they tell apart.
    pub(super) effective: Option<usize>,
    /// What highest entropy costs in likelihood; none where both principles choose one solution.
    pub(super) cost: Option<CostFinding>,
    /// The chance that one more restart would have found a new solution.
    pub(super) chance_of_another: Option<f64>,
    /// Whether the chosen machine is known to be the only maximum.
    pub(super) only_maximum: bool,
    /// The checks that can fail.
    pub(super) checks: Option<FitChecks>,
}

/// A hidden unit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct UnitFinding {
    /// Position among the network's units.
    pub(super) unit: usize,
    /// Nats per row that it says about the rows.
    pub(super) information: f64,
    pub(super) says_nothing: bool,
    /// The unit that it is a copy, or the mirror image, of.
    pub(super) copy_of: Option<usize>,
}

/// What highest entropy gives up against highest likelihood.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct CostFinding {
    pub(super) per_row: f64,
    pub(super) std_err: f64,
    pub(super) all_rows: f64,
    /// True if the rows speak clearly against it.
    pub(super) clear: bool,
}

impl Findings {
    pub(super) fn gather(fit: &Fit, data: &Dataset) -> Self {
        let chosen = fit.chosen();
        let known = chosen.hidden_units.as_ref();
        let units = known.map_or(&[][..], |known| &known.units).iter();
        Findings {
            units: units
                .map(|unit| UnitFinding {
                    unit: unit.unit,
                    information: unit.information,
                    says_nothing: unit.says_nothing,
                    copy_of: unit.copy_of,
                })
                .collect(),
            effective: known.map(|known| known.effective()),
            cost: fit.cost.map(|cost| CostFinding {
                per_row: cost.per_row,
                std_err: cost.std_err,
                all_rows: cost.all_rows,
                clear: cost.is_clear(),
            }),
            chance_of_another: Some(fit.completeness.unseen),
            only_maximum: chosen.certificate.only_maximum,
            // The report must not be lost for want of a check.
            checks: match &fit.misfit {
                Some(misfit) => Some(misfit.checks.clone()),
                None => fit_checks(&chosen.network, data, WORST).ok(),
            },
        }
    }

    /// Whether it speaks of no more than these columns and units.
    pub(super) fn is_within(&self, columns: usize, units: usize) -> bool {
        let checks = self.checks.as_ref();
        let triplets = checks.and_then(|checks| checks.triplets.as_ref());
        let worst = triplets.map_or(&[][..], |triplets| &triplets.worst);
        let scores = checks.and_then(|checks| checks.sum_score.as_ref());
        self.units
            .iter()
            .all(|known| known.unit.max(known.copy_of.unwrap_or(0)) < units)
            && worst.iter().flat_map(|t| t.columns).all(|at| at < columns)
            && scores.is_none_or(|score| {
                let lengths = [&score.observed, &score.expected, &score.std_err];
                lengths.iter().all(|list| list.len() == columns + 1)
            })
    }

    /// What is known of a unit.
    pub(super) fn unit(&self, unit: usize) -> Option<&UnitFinding> {
        self.units.iter().find(|known| known.unit == unit)
    }
}
