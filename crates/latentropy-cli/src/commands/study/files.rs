//! The files of a finished study: all but the times, and the same bytes whenever the same study is run.

use crate::failure::Outcome;
use crate::output::{self, ResultDirectory};
use latentropy::files::write_atomically;
use latentropy_report::study::{figures, page};
use latentropy_study::{
    Results, Study, Summary, Verdict, cells_table, verdicts_document, verdicts_table, verdicts_text,
};
use serde_json::json;

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
    /// Writes everything; returns the files' names.
    pub(super) fn write(&self, directory: &ResultDirectory) -> Outcome<Vec<String>> {
        let spec = self.study.spec();
        let mut written = vec!["journal.jsonl".to_string()];
        let mut put = |name: String, bytes: &[u8]| -> Outcome {
            write_atomically(&directory.file(&name), bytes)?;
            written.push(name);
            Ok(())
        };
        put("spec.toml".to_string(), self.spec_text.as_bytes())?;
        let run = json!({
            "program": "latentropy",
            "version": env!("CARGO_PKG_VERSION"),
            "title": spec.title,
            "seed": spec.seed,
            "fingerprint": self.study.fingerprint()?,
            "cells": self.results.len(),
            "figure": self.figure,
        });
        put("run.json".to_string(), output::json_text(&run)?.as_bytes())?;
        let cells = cells_table(spec, self.results);
        if !cells.rows.is_empty() {
            put("cells.csv".to_string(), cells.to_csv().as_bytes())?;
        }
        let figures = figures(spec, self.summary, self.figure);
        let mut pictures = Vec::new();
        for figure in &figures {
            pictures.extend(figure.figure.write(directory.path(), &figure.name)?);
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
        let verdicts = output::json_text(&verdicts_document(self.verdicts))?;
        put("verdicts.json".to_string(), verdicts.as_bytes())?;
        put(
            "report.html".to_string(),
            page(spec, self.spec_text, &figures, self.verdicts).as_bytes(),
        )?;
        written.append(&mut pictures);
        written.sort();
        Ok(written)
    }
}
