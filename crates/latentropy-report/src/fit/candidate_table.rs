//! `candidates.csv` read back: one record per line, its columns found by their heads.

use super::run::{LONGEST, REMEDY};
use csv::StringRecord;
use latentropy::files::read_bounded;
use latentropy::fit::record::CandidateRecord;
use latentropy::inference::Kind;
use latentropy::network::Network;
use latentropy::{Error, Result};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use std::path::Path;
use std::str::FromStr;

/// What is wrong with a cell, in words.
type Fault = String;

/// The candidates in a file; the terms of `network` are found by their labels.
pub(super) fn read(path: &Path, network: &Network) -> Result<Vec<CandidateRecord>> {
    let bytes = read_bounded(path, LONGEST)?;
    let wrong = |location: Option<String>, problem: String| {
        let problem = format!("is not what `fit` writes ({problem})");
        Error::file(path, location, problem, REMEDY)
    };
    let mut table = csv::Reader::from_reader(bytes.as_slice());
    let heads = table.headers().cloned();
    let heads = heads.map_err(|error| wrong(None, error.to_string()))?;
    let mut candidates = Vec::new();
    for line in table.records() {
        let cells = line.map_err(|error| wrong(None, error.to_string()))?;
        let number = cells.position().map(|at| format!("line {}", at.line()));
        let row = Row {
            heads: &heads,
            cells: &cells,
        };
        let candidate = row.candidate(network);
        candidates.push(candidate.map_err(|fault| wrong(number, fault))?);
    }
    if candidates.is_empty() {
        return Err(Error::file(path, None, "holds no candidate", REMEDY));
    }
    Ok(candidates)
}

/// A line with the heads of its cells.
struct Row<'a> {
    heads: &'a StringRecord,
    cells: &'a StringRecord,
}

impl<'a> Row<'a> {
    fn text(&self, head: &str) -> std::result::Result<&'a str, Fault> {
        let at = self.heads.iter().position(|other| other == head);
        let cell = at.and_then(|at| self.cells.get(at));
        let cell = cell.map(latentropy::plain::of_csv_cell);
        cell.ok_or_else(|| format!("there is no column {head}"))
    }

    fn parsed<T: FromStr>(&self, head: &str) -> std::result::Result<T, Fault> {
        let text = self.text(head)?;
        text.parse()
            .map_err(|_| format!("\"{text}\" in column {head}"))
    }

    /// A number that may be missing: an empty cell.
    fn maybe(&self, head: &str) -> std::result::Result<Option<f64>, Fault> {
        match self.text(head)? {
            "" => Ok(None),
            _ => self.parsed(head).map(Some),
        }
    }

    fn kind(&self, head: &str) -> std::result::Result<Kind, Fault> {
        let text = self.text(head)?;
        let kind: std::result::Result<Kind, serde::de::value::Error> =
            Kind::deserialize(text.into_deserializer());
        kind.map_err(|_| format!("\"{text}\" in column {head}"))
    }

    /// The terms whose labels are listed, in ascending order; a label may hold the separator itself.
    fn terms(&self, head: &str, network: &Network) -> std::result::Result<Vec<usize>, Fault> {
        let mut rest = self.text(head)?;
        let mut terms = Vec::new();
        for term in 0..network.terms().len() {
            let after = rest.strip_prefix(network.label(term).as_str());
            let after = after.filter(|after| after.is_empty() || after.starts_with("; "));
            if let Some(after) = after.filter(|_| !rest.is_empty()) {
                terms.push(term);
                rest = after.strip_prefix("; ").unwrap_or(after);
            }
        }
        match rest {
            "" => Ok(terms),
            _ => Err(format!(
                "no term of the model is \"{rest}\" in column {head}"
            )),
        }
    }

    fn candidate(&self, network: &Network) -> std::result::Result<CandidateRecord, Fault> {
        Ok(CandidateRecord {
            index: self.parsed("index")?,
            seed_stream: self.parsed("seed_stream")?,
            log_likelihood: self.parsed("log_likelihood")?,
            log_likelihood_kind: self.kind("log_likelihood_kind")?,
            log_likelihood_std_err: self.maybe("log_likelihood_std_err")?,
            entropy: self.parsed("entropy")?,
            entropy_kind: self.kind("entropy_kind")?,
            entropy_std_err: self.maybe("entropy_std_err")?,
            residual: self.parsed("residual")?,
            iterations: self.parsed("iterations")?,
            stop: self.parsed("stop")?,
            certificate: self.parsed("certificate")?,
            mutual_information: self.maybe("mutual_information")?,
            solution: self.parsed("solution")?,
            feasible: self.parsed("feasible")?,
            trivial: self.parsed("trivial")?,
            boundary_terms: self.terms("boundary_terms", network)?,
            largest_eigenvalue: self.maybe("largest_eigenvalue")?,
            // The table does not say; findings do, of the chosen one.
            only_maximum: false,
            residual_in_errors: None,
            log_likelihood_interval: None,
            log_likelihood_se: self.maybe("log_likelihood_se")?,
            entropy_se: self.maybe("entropy_se")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let network = Network::from_terms(
            &["a; b", "a"],
            &["z"],
            &[(&["a; b"], 1.0), (&["a"], 2.0), (&["a", "z"], -15.0)],
        )
        .unwrap();
        let first = CandidateRecord {
            index: 0,
            seed_stream: 7,
            log_likelihood: -1.25,
            log_likelihood_kind: Kind::MonteCarlo,
            log_likelihood_std_err: Some(0.5),
            entropy: f64::INFINITY,
            entropy_kind: Kind::LowerBound,
            entropy_std_err: None,
            residual: 1e-9,
            iterations: 12,
            stop: "no progress".to_string(),
            certificate: "boundary".to_string(),
            mutual_information: None,
            solution: 0,
            feasible: true,
            trivial: false,
            boundary_terms: vec![0, 2],
            largest_eigenvalue: Some(-0.1),
            only_maximum: false,
            residual_in_errors: None,
            log_likelihood_interval: None,
            log_likelihood_se: None,
            entropy_se: Some(0.0),
        };
        let second = CandidateRecord {
            index: 1,
            boundary_terms: Vec::new(),
            ..first.clone()
        };
        let mut table = csv::Writer::from_writer(Vec::new());
        table.write_record(CandidateRecord::HEADS).unwrap();
        for record in [&first, &second] {
            table.write_record(record.cells(&network, false)).unwrap();
        }
        let text = String::from_utf8(table.into_inner().unwrap()).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("candidates.csv");
        std::fs::write(&path, &text).unwrap();
        assert_eq!(read(&path, &network).unwrap(), [first, second]);

        let refused = |text: String, parts: &[&str]| {
            std::fs::write(&path, text).unwrap();
            let message = read(&path, &network).unwrap_err().to_string();
            for part in parts {
                assert!(message.contains(part), "`{part}` is not in `{message}`");
            }
        };
        let spoilt = text.replacen("1e-9", "little", 1);
        refused(spoilt, &["line 2", "\"little\" in column residual"]);
        refused(text.replace("solution", "other"), &["no column solution"]);
        refused(text.replacen("a; b; a*z", "a; b; c*z", 1), &["\"c*z\""]);
        let heads = text.lines().next().unwrap();
        refused(format!("{heads}\n"), &["holds no candidate"]);
    }
}
