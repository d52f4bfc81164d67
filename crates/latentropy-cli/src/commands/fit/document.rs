//! The document of `fit --json`: every candidate and the chosen model, nothing that changes from run to run.

use super::Finding;
use super::plan::Plan;
use latentropy::inference::Kind;
use latentropy::network::model_json;
use latentropy::selection::Candidate;
use serde::Serialize;
use serde_json::{Map, Value};

/// The whole document.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    selected: usize,
    selected_is_feasible: bool,
    /// Who summed over states.
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine_reason: Option<&'a str>,
    select: String,
    candidates: Vec<CandidateEntry<'a>>,
    distinct_solutions: usize,
    model: Value,
    /// The chosen candidate's weights at the edge of the box, each with what in the data drove it there.
    boundary: Value,
    warnings: &'a [String],
    /// Standard errors of the chosen machine, and its bootstrap if there was one.
    uncertainty: Value,
    /// What was chosen by cross-validation, where something was.
    #[serde(flatten)]
    choices: Map<String, Value>,
}

/// One candidate, without its weights.
#[derive(Serialize)]
struct CandidateEntry<'a> {
    index: usize,
    seed_stream: u64,
    log_likelihood: f64,
    /// What log-likelihood and entropy are worth, and their Monte-Carlo errors.
    log_likelihood_kind: Kind,
    log_likelihood_std_err: Option<f64>,
    entropy: f64,
    entropy_kind: Kind,
    entropy_std_err: Option<f64>,
    residual: f64,
    iterations: usize,
    stop: String,
    certificate: String,
    mutual_information: Option<f64>,
    solution: usize,
    feasible: bool,
    trivial: bool,
    /// Positions in the model's terms of the weights at the edge of the box.
    boundary_terms: &'a [usize],
    largest_eigenvalue: Option<f64>,
    log_likelihood_se: Option<f64>,
    entropy_se: Option<f64>,
}

impl<'a> CandidateEntry<'a> {
    fn new(candidate: &'a Candidate) -> Self {
        CandidateEntry {
            index: candidate.index,
            seed_stream: candidate.seed_stream,
            log_likelihood: candidate.log_likelihood,
            log_likelihood_kind: candidate.worth.log_likelihood,
            log_likelihood_std_err: candidate.worth.log_likelihood_error,
            entropy: candidate.entropy.value,
            entropy_kind: candidate.entropy.kind,
            entropy_std_err: candidate.entropy.std_err,
            residual: candidate.residual,
            iterations: candidate.iterations,
            stop: candidate.stop.to_string(),
            certificate: candidate.certificate.kind.to_string(),
            mutual_information: candidate.mutual_information,
            solution: candidate.solution,
            feasible: candidate.feasible,
            trivial: candidate.trivial,
            boundary_terms: &candidate.certificate.boundary_terms,
            largest_eigenvalue: candidate.certificate.largest_eigenvalue,
            log_likelihood_se: candidate.standard_errors.log_likelihood,
            entropy_se: candidate.standard_errors.entropy,
        }
    }
}

/// The document of a fit.
pub(super) fn document<'a>(plan: &'a Plan, finding: &Finding<'a>) -> Document<'a> {
    let fit = finding.fit;
    Document {
        selected: fit.selected,
        selected_is_feasible: fit.selected_is_feasible,
        engine: plan.settings.learning.engine.name(),
        engine_reason: plan.engine_reason.as_deref(),
        select: plan.settings.principle.to_string(),
        candidates: fit.candidates.iter().map(CandidateEntry::new).collect(),
        distinct_solutions: fit.distinct_solutions,
        model: model_json(&fit.chosen().network),
        boundary: finding.edge.field(&fit.chosen().network),
        warnings: finding.warnings,
        uncertainty: finding.uncertainty.fields(fit.chosen()),
        choices: plan.choices.fields(),
    }
}
