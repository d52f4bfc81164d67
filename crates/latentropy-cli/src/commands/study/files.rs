//! The files of a finished study: all but the times, and the same bytes whenever the same study is run.

use crate::failure::Outcome;
use crate::output;
use latentropy::files::{MANIFEST, Manifest, RunDirectory};
use latentropy_report::study::{figures, page};
use latentropy_study::{
    Results, Study, Summary, Verdict, cells_table, verdicts_table, verdicts_text,
};
use serde::Serialize;
use serde_json::{Value, json};

/// A study and what came out of it.
pub(super) struct Finished<'a> {
    pub(super) study: &'a Study,
    pub(super) spec_text: &'a str,
    pub(super) figure: Option<u32>,
    pub(super) results: &'a Results,
    pub(super) summary: &'a Summary,
    pub(super) verdicts: &'a [Verdict],
}

impl Finished<'_> {
    /// Writes everything, as one; returns the files' names.
    pub(super) fn write(&self, directory: &RunDirectory) -> Outcome<Vec<String>> {
        let spec = self.study.spec();
        let mut staging = directory.stage()?;
        let mut written = vec!["journal.jsonl".to_string(), MANIFEST.to_string()];
        let mut put = |name: String, bytes: &[u8]| -> Outcome {
            staging.put(&name, bytes)?;
            written.push(name);
            Ok(())
        };
        put("spec.toml".to_string(), self.spec_text.as_bytes())?;
        let cells = cells_table(spec, self.results);
        let cells_text = cells.to_csv();
        if !cells.rows.is_empty() {
            put("cells.csv".to_string(), cells_text.as_bytes())?;
        }
        let fingerprint = self.study.fingerprint()?;
        let figure = format!("{:?}", self.figure);
        let parts = [
            fingerprint.as_bytes(),
            figure.as_bytes(),
            cells_text.as_bytes(),
        ];
        let run = Manifest::name_of(parts);
        let figures = figures(spec, self.summary, self.figure);
        let mut pictures = Vec::new();
        for figure in &figures {
            for (name, table) in &figure.tables {
                put(name.clone(), table.to_csv().as_bytes())?;
            }
        }
        let verdicts = verdicts_text(spec, self.verdicts);
        put("verdicts.md".to_string(), verdicts.as_bytes())?;
        put(
            "verdicts.csv".to_string(),
            verdicts_table(self.verdicts).to_csv().as_bytes(),
        )?;
        let verdicts = output::json_text(&verdicts_json(self.verdicts))?;
        put("verdicts.json".to_string(), verdicts.as_bytes())?;
        let page = page(spec, self.spec_text, &figures, self.verdicts, &run);
        put("report.html".to_string(), page.as_bytes())?;
        for figure in &figures {
            pictures.extend(figure.figure.write(staging.path(), &figure.name)?);
        }
        for name in &pictures {
            staging.adopt(name)?;
        }
        let record = json!({
            "program": "latentropy",
            "version": env!("CARGO_PKG_VERSION"),
            "title": spec.title,
            "seed": spec.seed,
            "fingerprint": fingerprint,
            "cells": self.results.len(),
            "figure": self.figure,
        });
        let record = Record {
            manifest: staging.manifest("study", &run, &[]),
            record,
        };
        staging.put(MANIFEST, output::json_text(&record)?.as_bytes())?;
        staging.commit()?;
        written.append(&mut pictures);
        written.sort();
        Ok(written)
    }
}

/// What run.json says.
#[derive(Serialize)]
struct Record {
    #[serde(flatten)]
    manifest: Manifest,
    #[serde(flatten)]
    record: Value,
}

/// The verdicts for programs.
pub(super) fn verdicts_json(verdicts: &[Verdict]) -> Value {
    let finding = |finding: &latentropy_study::Finding| {
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
