//! Restarts in a journal: what is noted of them, and what would contradict the job when it is read back.

use super::Job;
use crate::data::Dataset;
use crate::error::Result;
use crate::fit::journal::Journal;
use crate::inference::Kind;
use crate::learning::{Outcome, Point};
use crate::network::Network;

/// What sums in floating point may be off by, per nat of their size.
const ROUNDING: f64 = 1e-7;

impl Job {
    /// Notes how a restart ended; of its trace what a figure needs, unless all of it was asked for.
    pub(super) fn note(
        &self,
        journal: &Journal<Outcome>,
        piece: &str,
        outcome: &Outcome,
    ) -> Result<()> {
        match self.request.keep_traces {
            true => journal.add(piece, outcome),
            false => journal.add(piece, &outcome.thinned()),
        }
    }

    /// Who checks what a journal says of a restart against the machine and the data; for an example see [`Journal`].
    pub fn noted_check(
        &self,
    ) -> Result<impl Fn(&str, &Outcome) -> std::result::Result<(), String> + use<>> {
        let setup = self.setup()?;
        let limits = Limits::new(setup.structure, setup.data);
        Ok(move |piece: &str, outcome: &Outcome| limits.check(piece, outcome))
    }
}

/// What no restart of a job can be beyond.
struct Limits {
    terms: usize,
    units: usize,
    /// No machine makes rows more probable than their own frequencies.
    log_likelihood: f64,
}

type Checked = std::result::Result<(), String>;

impl Limits {
    fn new(structure: &Network, data: &Dataset) -> Self {
        let total = data.known_weight();
        let shares = data.weights().iter().map(|weight| weight / total);
        let information = |share: f64| if share > 0.0 { share * share.ln() } else { 0.0 };
        Limits {
            terms: structure.terms().len(),
            units: structure.units().len(),
            log_likelihood: match data.missing_cells() {
                0 => shares.map(information).sum(),
                _ => 0.0,
            },
        }
    }

    fn check(&self, piece: &str, outcome: &Outcome) -> Checked {
        let number = piece.strip_prefix("restart ");
        if number.is_none_or(|number| number.parse::<usize>().is_err()) {
            return Err("is no restart".to_string());
        }
        let point = &outcome.point;
        for (what, list) in [
            ("weights", &point.weights),
            ("expectations", &point.free),
            ("expectations given the rows", &point.clamped.expectations),
        ] {
            self.check_list(what, list)?;
        }
        if !outcome.start.is_empty() {
            self.check_list("weights at its start", &outcome.start)?;
        }
        for (what, value) in [
            ("log-likelihood", point.log_likelihood),
            ("entropy", point.entropy),
            ("residual", point.residual),
            ("log Z", point.log_partition),
            ("objective", point.objective),
        ] {
            if !value.is_finite() {
                return Err(format!("its {what} is {value}"));
            }
        }
        if point.residual < 0.0 {
            return Err(format!("its residual is {}, below 0", point.residual));
        }
        self.check_exact(point)
    }

    fn check_list(&self, what: &str, values: &[f64]) -> Checked {
        if values.len() != self.terms {
            return Err(format!(
                "it has {} {what}, and the machine has {} terms",
                values.len(),
                self.terms
            ));
        }
        match values.iter().find(|value| !value.is_finite()) {
            Some(value) => Err(format!("one of its {what} is {value}")),
            None => Ok(()),
        }
    }

    /// What holds of exact values alone; estimates may miss it.
    fn check_exact(&self, point: &Point) -> Checked {
        if point.worth.log_likelihood == Kind::Exact {
            let value = point.log_likelihood;
            let rounding =
                ROUNDING * (1.0 + point.log_partition.abs() + point.clamped.mean_log_sum.abs());
            if value > self.log_likelihood + rounding {
                return Err(format!(
                    "its log-likelihood is {value}, above {}, which is the most that these rows allow",
                    self.log_likelihood
                ));
            }
            let again = point.clamped.mean_log_sum - point.log_partition;
            if (again - value).abs() > rounding {
                return Err(format!(
                    "its log-likelihood is {value}, and by its log Z it would be {again}"
                ));
            }
        }
        let most = self.units as f64 * std::f64::consts::LN_2;
        let is_possible = -ROUNDING * (1.0 + point.log_partition.abs())
            ..=most + ROUNDING * (1.0 + point.log_partition.abs());
        if point.worth.entropy == Kind::Exact && !is_possible.contains(&point.entropy) {
            return Err(format!(
                "its entropy is {}, and that of {} units is between 0 and {most}",
                point.entropy, self.units
            ));
        }
        Ok(())
    }
}
