//! A study for people: each experiment's claims and how they stand.

use super::{Align, Style, Table};
use latentropy_study::{Ruling, Spec, Verdict};

/// The verdicts, experiment by experiment.
pub(crate) fn text(spec: &Spec, verdicts: &[Verdict], style: Style) -> String {
    let mut text = format!("{}, seed {}\n", spec.title, spec.seed);
    for about in verdicts.chunk_by(|a, b| a.about == b.about) {
        let mut table = Table::new(&[("", Align::Left), ("", Align::Left)]);
        for verdict in about {
            table.row(vec![ruling(verdict), verdict.claim.clone()]);
        }
        text += &format!("\n{}\n{}", style.bold(&about[0].about), table.render(style));
    }
    text + "\nthe numbers are in verdicts.md\n"
}

fn ruling(verdict: &Verdict) -> String {
    let counted: Vec<Ruling> = verdict
        .findings
        .iter()
        .filter(|finding| finding.counts)
        .map(|finding| finding.ruling)
        .collect();
    let held = counted.iter().filter(|s| **s == Ruling::Holds).count();
    match verdict.ruling {
        // What it depends on is the first question.
        Ruling::Depends => format!("depends: holds in {held} of {}", counted.len()),
        other => other.to_string(),
    }
}
