//! A candidate: where one restart ended, with everything that selection and reports need.

use super::certificate::{Certificate, CertificateKind, certify};
use super::standard_errors::StandardErrors;
use crate::answers::mutual_information;
use crate::error::Result;
use crate::inference::Value;
use crate::learning::{Outcome, Problem, StopReason, TraceEntry, Worth};
use crate::network::Network;

/// I(Y;Z) below this is no dependence at all: the trivial solution that (2) excludes.
const TRIVIAL_INFORMATION: f64 = 1e-6;

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
    /// Which distinct solution it is, from 0.
    pub solution: usize,
    /// True if the hidden units are independent of the visible ones.
    pub trivial: bool,
    /// True if the residual is within the tolerance.
    pub feasible: bool,
    /// The way there, if asked for.
    pub trace: Vec<TraceEntry>,
    /// log p of the distinct rows: what a relabelling of hidden units cannot change.
    pub(crate) row_scores: Vec<f64>,
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
        mut outcome: Outcome,
        tolerance: f64,
    ) -> Result<Self> {
        let known = outcome.curvature.take();
        let point = &outcome.point;
        let network = problem.structure().with_weights(point.weights.clone())?;
        let (certificate, curvature) = certify(problem, point, tolerance, known);
        let mutual_information = mutual_information(&network)?;
        let has_hidden = !network.hidden().is_empty();
        let row_scores: Vec<f64> = problem
            .rows()
            .log_sums(&point.weights)?
            .into_iter()
            .map(|sum| sum - point.log_partition)
            .collect();
        Ok(Candidate {
            index,
            seed_stream: index as u64,
            log_likelihood: point.log_likelihood,
            worth: point.worth,
            entropy: point.entropy_value(),
            q: point.q,
            residual: point.residual,
            iterations: outcome.iterations,
            stop: outcome.stop,
            feasible: certificate.kind != CertificateKind::NotConverged,
            standard_errors: StandardErrors::new(
                problem,
                &certificate,
                curvature.as_ref(),
                &row_scores,
            ),
            certificate,
            trivial: has_hidden && mutual_information.is_some_and(|i| i < TRIVIAL_INFORMATION),
            mutual_information,
            solution: 0,
            trace: outcome.trace,
            network,
            row_scores,
        })
    }
}
