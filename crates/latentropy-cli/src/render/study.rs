//! A study for people: the verdicts in a table.

use super::Style;
use super::table::{Align, Table};
use latentropy::study::{Spec, Verdict};

/// The claims and how they stand.
pub(crate) fn text(spec: &Spec, verdicts: &[Verdict], style: Style) -> String {
    let mut table = Table::new(&[
        ("claim", Align::Left),
        ("where", Align::Left),
        ("verdict", Align::Left),
    ]);
    for verdict in verdicts {
        let mut standing = verdict.standing.to_string();
        // What it depends on is the first question.
        if standing == "depends" {
            let held = verdict.findings.iter().filter(|f| f.standing.to_string() == "holds");
            let (held, all) = (held.count(), verdict.findings.len());
            standing = format!("depends (holds in {held} of {all})");
        }
        table.row(vec![verdict.claim.clone(), verdict.about.clone(), standing]);
    }
    format!(
        "{}, seed {}\n\n{}\nthe numbers are in verdicts.md\n",
        spec.title,
        spec.seed,
        table.render(style)
    )
}
