//! A study on one page: what became of each claim, the figures, and how to run it again.

use super::StudyFigure;
use crate::charts::escape;
use crate::page::{Page, folded, paragraph, table};
use latentropy_study::{Spec, Verdict};

/// All figures and verdicts in one file; `settings` is the text of the spec, `run` the name of the run.
pub fn page(
    spec: &Spec,
    settings: &str,
    figures: &[StudyFigure],
    verdicts: &[Verdict],
    run: &str,
) -> String {
    let lead = "Each claim against what was found, then the figures. Every number in a figure stands in the csv file of the \
                same name beside this page.";
    let lead = format!(
        "{}{}",
        paragraph(lead),
        paragraph(&format!("Seed {}.", spec.seed))
    );
    let mut page = Page::new(&spec.title).of_run(run).lead(lead).section(
        "verdicts",
        "Verdicts",
        verdicts_html(spec, verdicts),
    );
    // One section per experiment, or for the comparison of learners: figures of one name's beginning belong together.
    for group in figures.chunk_by(|a, b| stem(&a.name) == stem(&b.name)) {
        let html: String = group
            .iter()
            .map(|figure| {
                let files: Vec<String> =
                    figure.tables.iter().map(|(name, _)| escape(name)).collect();
                let drawn = figure.figure.html();
                format!(
                    "{drawn}<p>Numbers: <code>{}</code></p>\n",
                    files.join("</code>, <code>")
                )
            })
            .collect();
        let name = stem(&group[0].name);
        page = page.section(&name.replace('+', "-"), &heading(name), html);
    }
    let again = paragraph(
        "The settings of this study; `latentropy study FILE` runs them, or a changed copy, again.",
    );
    let spec = folded("settings", &format!("<pre>{}</pre>\n", escape(settings)));
    page.section("settings", "Settings", again + &spec).html()
}

/// `figure-5` of `figure-5-paired`.
fn stem(name: &str) -> &str {
    let name = name.strip_suffix("-paired").unwrap_or(name);
    let name = name.strip_suffix("-plain").unwrap_or(name);
    name.strip_suffix("-tails").unwrap_or(name)
}

/// `Figure 5`, or the experiment's name.
fn heading(stem: &str) -> String {
    match stem.strip_prefix("figure-") {
        Some(number) => format!("Figure {number}"),
        None => stem.strip_prefix("experiment-").unwrap_or(stem).to_string(),
    }
}

fn verdicts_html(spec: &Spec, verdicts: &[Verdict]) -> String {
    let mut html = paragraph(&format!(
        "A claim holds where all sample sizes (or checkpoints) together say so (p ≤ {}, signed-rank test that flips whole truths) \
         and none says the contrary; it does not hold where the contrary is so, or is so for some arms and no arm is for it; it \
         depends where they or the arms disagree; it is not shown where all may be chance. \
         The paper's claims are about estimates without a ridge: arms with one are listed but do not count.",
        spec.significance
    ));
    let row = |verdict: &Verdict| {
        vec![
            verdict.ruling.to_string(),
            verdict.claim.clone(),
            verdict.about.clone(),
        ]
    };
    let rows: Vec<Vec<String>> = verdicts.iter().map(row).collect();
    html += &table(&["verdict", "claim", "where"], &rows);
    for verdict in verdicts {
        let row = |finding: &latentropy_study::Finding| {
            let aside = if finding.counts {
                ""
            } else {
                " (does not count)"
            };
            vec![
                format!("{}{aside}", finding.subject),
                finding.ruling.to_string(),
                finding.numbers.clone(),
            ]
        };
        let rows: Vec<Vec<String>> = verdict.findings.iter().map(row).collect();
        let numbers = table(&["arm", "verdict", "numbers (nats)"], &rows);
        let summary = format!("{} ({}): {}", verdict.claim, verdict.about, verdict.ruling);
        html += &folded(&summary, &numbers);
    }
    html
}
