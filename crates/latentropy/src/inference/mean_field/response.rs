//! Pairs by linear response, and what both kinds of mean field say where there is none.

use crate::error::Error;
use crate::inference::linear_response::Response;
use crate::inference::reduction::{Pairwise, possible_pair};
use crate::inference::value::Kind;
use crate::message::{Setting, words};

/// Pairs by linear response, within what the means allow; products of means where there is no response.
pub(super) fn pairs(graph: &Pairwise, means: &[f64], response: &Response) -> Vec<f64> {
    let covariances = response
        .along_edges()
        .unwrap_or_else(|| vec![0.0; graph.edges.len()]);
    let edges = graph.edges.iter().zip(covariances);
    edges
        .map(|(edge, covariance)| {
            let (a, b) = (means[edge.a], means[edge.b]);
            possible_pair(a * b + covariance, a, b)
        })
        .collect()
}

/// Without pairs units are independent, and mean field is exact.
pub(super) fn kind_of_estimate(graph: &Pairwise) -> Kind {
    match graph.edges.is_empty() {
        true => Kind::Exact,
        false => Kind::Estimate,
    }
}

/// The fixed point is no strict optimum.
pub(super) fn no_response() -> Error {
    Error::failed(words![
        "linear response does not exist here: the fixed point found is not a strict optimum (the machine is at or \
         below a phase transition of mean field); use ",
        Setting::Engine.at("junction-tree"),
        " or bp",
    ])
}
