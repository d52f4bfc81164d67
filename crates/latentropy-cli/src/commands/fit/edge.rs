//! Weights at the edge of the box: which, what in the data drove them there, and the ways out.

use super::plan::Plan;
use crate::render::{number, words};
use latentropy::error::Result;
use latentropy::learning::LearningSettings;
use latentropy::network::Network;
use latentropy::selection::{BoundaryTerm, Fit, boundary_causes};
use serde_json::{Value, json};

/// How many causes a warning spells out; `--json` and run.json have all of them.
const SPELLED_OUT: usize = 3;
/// How many terms of one cause a warning names.
const NAMED: usize = 4;

/// The chosen machine's weights at the edge, each with its cause.
#[derive(Debug, Default)]
pub(super) struct Edge(Vec<BoundaryTerm>);

impl Edge {
    /// Looks at the data for the causes.
    pub(super) fn new(plan: &Plan, fit: &Fit) -> Result<Self> {
        boundary_causes(fit.chosen(), &plan.data).map(Edge)
    }

    /// The field `boundary`: one entry a weight.
    pub(super) fn field(&self, network: &Network) -> Value {
        let entry = |at: &BoundaryTerm| {
            let units = network.terms()[at.term].units().iter();
            let units: Vec<&str> = units.map(|&u| network.units()[u].name.as_str()).collect();
            json!({
                "term": at.term,
                "units": units,
                "weight": at.weight,
                "cause": at.cause.to_string(),
            })
        };
        self.0.iter().map(entry).collect()
    }

    /// The warning, if a weight is at the edge.
    pub(super) fn warning(&self, network: &Network, learning: &LearningSettings) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        // Terms with one cause in common are named together; what accounts for a weight by itself comes first, and
        // what was counted before what depends on hidden units.
        let mut causes: Vec<(String, (bool, bool), Vec<String>)> = Vec::new();
        for at in &self.0 {
            let (text, label) = (at.cause.to_string(), network.label(at.term));
            match causes.iter_mut().find(|(known, ..)| *known == text) {
                Some((_, _, terms)) => terms.push(label),
                None => {
                    let plainness = (at.cause.is_alone(), at.cause.is_counted());
                    causes.push((text, plainness, vec![label]));
                }
            }
        }
        causes.sort_by_key(|(_, plainness, _)| std::cmp::Reverse(*plainness));
        let told: usize = causes.iter().take(SPELLED_OUT).map(|c| c.2.len()).sum();
        let mut parts: Vec<String> = causes
            .into_iter()
            .take(SPELLED_OUT)
            .map(|(text, _, mut terms)| {
                if terms.len() > NAMED {
                    terms.truncate(NAMED);
                    terms.push("…".to_string());
                }
                format!("{}: {text}", terms.join(", "))
            })
            .collect();
        if self.0.len() > told {
            parts.push(format!("and {} more (see --json)", self.0.len() - told));
        }
        let remedy = if learning.ridge > 0.0 {
            "their best values lie beyond it: widen --box, or raise --ridge"
        } else {
            "add --ridge 1 for finite weights, or move the edge with --box"
        };
        Some(format!(
            "the chosen machine has {} at the edge of the box (±{}): {}; {remedy}",
            words::counted(self.0.len() as u64, "weight"),
            number::typed(learning.bound),
            parts.join("; ")
        ))
    }
}
