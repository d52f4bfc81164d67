//! The verdicts for programs.

use super::{Finding, Verdict};
use serde_json::{Value, json};

/// The verdicts as one JSON document.
pub fn verdicts_document(verdicts: &[Verdict]) -> Value {
    let finding = |finding: &Finding| {
        json!({
            "subject": finding.subject,
            "counts": finding.counts,
            "verdict": finding.ruling.to_string(),
            "numbers": finding.numbers,
        })
    };
    let verdict = |verdict: &Verdict| {
        json!({
            "claim": verdict.claim,
            "about": verdict.about,
            "verdict": verdict.ruling.to_string(),
            "findings": verdict.findings.iter().map(finding).collect::<Vec<Value>>(),
        })
    };
    verdicts.iter().map(verdict).collect()
}
