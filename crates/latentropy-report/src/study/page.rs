//! A study on one page.

use super::StudyFigure;
use crate::charts::escape;
use latentropy::study::{Spec, Verdict};

/// All figures and verdicts on one page that needs no other file.
pub fn page(spec: &Spec, figures: &[StudyFigure], verdicts: &[Verdict]) -> String {
    let mut body = format!("<h1>{}</h1><p>Seed {}.</p>", escape(&spec.title), spec.seed);
    body += "<h2>Verdicts</h2><table><tr><th>claim</th><th>where</th><th>verdict</th></tr>";
    for verdict in verdicts {
        body += &format!(
            "<tr><td>{}</td><td>{}</td><td><b>{}</b></td></tr>",
            escape(&verdict.claim),
            escape(&verdict.about),
            verdict.standing
        );
    }
    body += "</table><h2>Figures</h2>";
    for figure in figures {
        body += &format!("<div class=\"figure\">{}</div>", figure.figure.svg());
    }
    body
}
