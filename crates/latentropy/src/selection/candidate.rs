//! A candidate: where one restart ended, with everything that selection and reports need.

use super::certificate::{Certificate, CertificateKind, certify};
use super::hidden_units::HiddenUnits;
use super::standard_errors::StandardErrors;
use crate::answers::mutual_information;
use crate::error::{Error, Result};
use crate::inference::Value;
use crate::learning::{Monitored, Outcome, Point, Problem, StopReason, TraceEntry, Worth};
use crate::network::{Network, Recoding, Role};

/// I(Y;Z) below this is no dependence at all: the trivial solution that (2) excludes.
const TRIVIAL_INFORMATION: f64 = 1e-6;
/// And weights below this join nothing: I(Y;Z) is of the order of their squares.
const TRIVIAL_WEIGHT: f64 = 1e-3;

/// One restart's result.
///
/// ```
/// use latentropy::selection::CertificateKind;
/// use latentropy::{Candidate, Dataset, Request, fit};
/// let data = Dataset::from_rows(&[[0, 0], [1, 1], [1, 1], [0, 1]])?;
/// let found = fit(&data, &Request { restarts: Some(2), ..Request::with_hidden(1) })?;
/// let maximum = |candidate: &&Candidate| candidate.certificate.kind == CertificateKind::InteriorLocalMaximum;
/// println!("{} of {} are maxima", found.candidates.iter().filter(maximum).count(), found.candidates.len());
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Which restart, from 0.
    pub index: usize,
    /// The stream of random numbers it started from.
    pub seed_stream: u64,
    /// The weights that the restart began at, in the coding of the data; of an annealed run and of a path those of the last
    /// solution on the way.
    #[doc(hidden)]
    pub start: Vec<f64>,
    /// The learned network.
    pub network: Network,
    /// Mean log-likelihood of a row, in nats.
    pub log_likelihood: f64,
    /// What the log-likelihood is worth, and the Monte-Carlo error of an estimate by samples.
    pub worth: Worth,
    /// Entropy of p(x), in nats.
    pub entropy: Value,
    /// Q(λ, λ): minus the entropy at a feasible point (Corollary 1).
    pub q: f64,
    /// The largest violation of stationarity.
    pub residual: f64,
    /// Steps made.
    pub iterations: usize,
    /// Why it stopped.
    pub stop: StopReason,
    /// What kind of point it is.
    pub certificate: Certificate,
    /// Standard errors of its weights, entropy and log-likelihood.
    pub standard_errors: StandardErrors,
    /// I(Y;Z) in nats; `None` where the machine is too large.
    pub mutual_information: Option<f64>,
    /// What its hidden units say about the rows; `None` where that was not looked at, or is beyond exact sums.
    pub hidden_units: Option<HiddenUnits>,
    /// True where the data leave a continuum of solutions, of which this is the one of highest entropy.
    #[doc(hidden)]
    pub is_of_flat_set: bool,
    /// Which distinct solution it is, from 0.
    pub solution: usize,
    /// True if the hidden units are independent of the visible ones.
    pub trivial: bool,
    /// True if the residual is within the tolerance.
    pub feasible: bool,
    /// The way there, if asked for.
    pub trace: Vec<TraceEntry>,
    /// What rows kept for validation said on the way, where they were watched.
    pub monitored: Option<Monitored>,
    /// log p of the distinct rows: what a relabelling of hidden units cannot change.
    pub(crate) row_scores: Vec<f64>,
    /// Rows whose scores rest on a few samples each: they tell no two solutions apart.
    pub(crate) sampled_rows: Vec<usize>,
}

impl Candidate {
    /// The mean log-likelihood of a row with its kind.
    pub fn log_likelihood_value(&self) -> Value {
        Value {
            value: self.log_likelihood,
            kind: self.worth.log_likelihood,
            std_err: self.worth.log_likelihood_error,
        }
    }

    pub(crate) fn new(
        problem: &Problem,
        index: usize,
        outcome: Outcome,
        tolerance: f64,
    ) -> Result<Self> {
        Candidate::recoded(problem, index, outcome, tolerance, None)
    }

    /// The candidate with the units of `flips` recoded, and each hidden unit so that it is on in the fewer rows.
    pub(crate) fn recoded(
        problem: &Problem,
        index: usize,
        mut outcome: Outcome,
        tolerance: f64,
        flips: Option<&[bool]>,
    ) -> Result<Self> {
        let known = outcome.curvature.take();
        let point = &outcome.point;
        if let Some(what) = point.not_finite() {
            return Err(Error::failed(format!(
                "restart {index} ended where {what} is no finite number; a ridge keeps weights small"
            )));
        }
        let mut network = problem.structure().with_weights(point.weights.clone())?;
        let recoding =
            flips.and_then(|flips| Recoding::new(&network, &oriented(&network, point, flips)));
        if let Some(recoding) = &recoding {
            // The constant that recoding leaves over changes no probability, and a fit has none.
            network = network.with_weights(recoding.of_weights(network.weights()))?;
        }
        let mut start = std::mem::take(&mut outcome.start);
        // Hidden units as they began: which of their states is called 1 changes the way that a learner takes.
        if let Some(recoding) = flips.and_then(|flips| Recoding::new(&network, flips))
            && start.len() == network.terms().len()
        {
            start = recoding.of_weights(&start);
        }
        let point = &outcome.point;
        let (mut certificate, curvature) = certify(problem, point, tolerance, known);
        // It visits every state: folds and rounds of evidence do without, and ask whether anything joins the two sides.
        let mutual_information = match flips {
            Some(_) => mutual_information(&network)?,
            None => None,
        };
        let trivial = match mutual_information {
            Some(information) => information < TRIVIAL_INFORMATION,
            None => flips.is_none() && is_unjoined(&network),
        };
        let has_hidden = !network.hidden().is_empty();
        let row_scores: Vec<f64> = problem
            .rows()
            .log_sums(&point.weights)?
            .into_iter()
            .map(|sum| sum - point.log_partition)
            .collect();
        let standard_errors = StandardErrors::new(
            problem,
            &certificate,
            curvature.as_ref(),
            &row_scores,
            recoding.as_ref(),
        );
        // A point of a continuum is no isolated maximum, and its weights may run off along it; those that do not lie in it have
        // their errors all the same.
        if outcome.is_of_flat_set && certificate.kind == CertificateKind::InteriorLocalMaximum {
            certificate.kind = CertificateKind::Stationary;
        }
        Ok(Candidate {
            index,
            seed_stream: index as u64,
            start,
            is_of_flat_set: outcome.is_of_flat_set,
            log_likelihood: point.log_likelihood,
            worth: point.worth,
            entropy: entropy(point, &standard_errors),
            q: point.q,
            residual: point.residual,
            iterations: outcome.iterations,
            stop: outcome.stop,
            feasible: certificate.kind != CertificateKind::NotConverged,
            standard_errors,
            certificate,
            trivial: has_hidden && trivial,
            mutual_information,
            hidden_units: None,
            solution: 0,
            trace: outcome.trace,
            monitored: outcome.monitored,
            network,
            row_scores,
            sampled_rows: match problem.is_sampled() {
                true => problem.rows().beyond_sums(),
                false => Vec::new(),
            },
        })
    }
}

/// The entropy; by samples, its error has a part of the weights' own, which are off by so much of what the data leave open.
fn entropy(point: &Point, errors: &StandardErrors) -> Value {
    let mut entropy = point.entropy_value();
    if let (Some(met), Some(error), Some(open)) =
        (point.worth.constraints, entropy.std_err, errors.entropy)
    {
        entropy.std_err = Some(error.hypot(met.typical * open));
    }
    entropy
}

/// True if no term of any weight has both visible and hidden units.
fn is_unjoined(network: &Network) -> bool {
    let is_hidden = |unit: &usize| network.units()[*unit].role == Role::Hidden;
    let mut weighted = network.terms().iter().zip(network.weights());
    weighted.all(|(term, weight)| {
        let hidden = term.units().iter().filter(|unit| is_hidden(unit)).count();
        hidden == 0 || hidden == term.order() || weight.abs() < TRIVIAL_WEIGHT
    })
}

/// `flips`, and each hidden unit that is on in more than half of the rows: which of its states is called 1 is free.
fn oriented(network: &Network, point: &Point, flips: &[bool]) -> Vec<bool> {
    let mut flips = flips.to_vec();
    for (term, eta) in network.terms().iter().zip(&point.clamped.expectations) {
        if let [unit] = *term.units()
            && network.units()[unit].role == Role::Hidden
        {
            flips[unit] = *eta > 0.5;
        }
    }
    flips
}
