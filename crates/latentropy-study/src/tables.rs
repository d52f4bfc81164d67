//! A study's numbers as tables for csv files: all digits, one idea per file.

use crate::cell::Cell;
use crate::results::{Record, Results};
use crate::spec::Spec;
use crate::summary::{Level, Metric, Paired, Summary};
use crate::verdicts::Verdict;

/// Heads and rows of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The names of the columns.
    pub heads: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// No rows yet.
    pub fn new(heads: &[&str]) -> Self {
        Table {
            heads: heads.iter().map(|head| head.to_string()).collect(),
            rows: Vec::new(),
        }
    }

    /// As csv: fields with a comma, a quote or a line end in quotes.
    pub fn to_csv(&self) -> String {
        let field = |text: &String| {
            if text.contains(['"', ',', '\n', '\r']) {
                format!("\"{}\"", text.replace('"', "\"\""))
            } else {
                text.clone()
            }
        };
        let line = |fields: &Vec<String>| {
            let fields: Vec<String> = fields.iter().map(field).collect();
            fields.join(",") + "\n"
        };
        [&self.heads]
            .into_iter()
            .chain(&self.rows)
            .map(line)
            .collect()
    }
}

/// All digits that matter; what is not there is empty.
pub(crate) fn number(value: f64) -> String {
    if value.is_nan() {
        String::new()
    } else {
        format!("{value:?}")
    }
}

/// Every estimate of every sample.
pub fn cells_table(spec: &Spec, results: &Results) -> Table {
    let mut table = Table::new(&[
        "experiment",
        "truth",
        "trial",
        "rows",
        "arm",
        "estimate",
        "restart",
        "log_likelihood",
        "entropy",
        "loss",
        "residual",
        "feasible",
        "certificate",
        "boundary_terms",
        "iterations",
        "restarts",
        "feasible_candidates",
        "trivial_candidates",
        "distinct_solutions",
        "ridge",
    ]);
    for (cell, record) in results.iter() {
        let (Cell::Comparison { place, arm }, Record::Comparison(record)) = (cell, record) else {
            continue;
        };
        let experiment = &spec.experiments[place.experiment];
        for estimate in &record.estimates {
            table.rows.push(vec![
                experiment.name.clone(),
                place.truth.to_string(),
                place.trial.to_string(),
                place.rows.to_string(),
                experiment.arms[*arm].clone(),
                estimate.estimate.clone(),
                estimate.index.to_string(),
                number(estimate.log_likelihood),
                number(estimate.entropy),
                number(estimate.loss),
                number(estimate.residual),
                estimate.feasible.to_string(),
                estimate.certificate.clone(),
                estimate.boundary_terms.to_string(),
                estimate.iterations.to_string(),
                record.restarts.to_string(),
                record.feasible.to_string(),
                record.trivial.to_string(),
                record.solutions.to_string(),
                number(record.ridge),
            ]);
        }
    }
    table
}

/// Averages of one experiment in one metric.
pub fn levels_table(summary: &Summary, experiment: &str, metric: Metric) -> Table {
    let mut table = Table::new(&[
        "experiment",
        "metric",
        "arm",
        "estimate",
        "rows",
        "samples",
        "mean",
        "std_err",
        "median",
        "lower_quartile",
        "upper_quartile",
        "largest",
        "above_threshold",
        "infinite",
        "not_feasible",
    ]);
    let of = summary
        .levels
        .iter()
        .filter(|l| l.experiment == experiment && l.metric == metric);
    table.rows = of.map(level_row).collect();
    table
}

fn level_row(level: &Level) -> Vec<String> {
    vec![
        level.experiment.clone(),
        level.metric.to_string(),
        level.arm.clone(),
        level.estimate.clone(),
        level.rows.to_string(),
        level.count.to_string(),
        number(level.mean),
        number(level.std_err),
        number(level.median),
        number(level.lower_quartile),
        number(level.upper_quartile),
        number(level.largest),
        level.above_threshold.to_string(),
        level.infinite.to_string(),
        level.not_feasible.to_string(),
    ]
}

/// Paired comparisons of one experiment in one metric; the size `all` stands for all of them together.
pub fn paired_table(summary: &Summary, experiment: &str, metric: Metric) -> Table {
    let mut table = Table::new(&[
        "experiment",
        "metric",
        "arm",
        "estimate",
        "against_arm",
        "against_estimate",
        "rows",
        "pairs",
        "mean_advantage",
        "std_err",
        "median_advantage",
        "ahead",
        "behind",
        "effect",
        "p_value",
    ]);
    let of = summary
        .paired
        .iter()
        .filter(|p| p.experiment == experiment && p.metric == metric);
    table.rows = of.map(paired_row).collect();
    table
}

fn paired_row(paired: &Paired) -> Vec<String> {
    let test = &paired.test;
    vec![
        paired.experiment.clone(),
        paired.metric.to_string(),
        paired.first.0.clone(),
        paired.first.1.clone(),
        paired.second.0.clone(),
        paired.second.1.clone(),
        paired
            .rows
            .map_or("all".to_string(), |rows| rows.to_string()),
        test.count.to_string(),
        number(test.mean),
        number(test.std_err),
        number(test.median),
        test.ahead.to_string(),
        test.behind.to_string(),
        number(test.effect),
        number(test.p_value),
    ]
}

/// The learners' ways from the drawn start.
pub fn curves_table(summary: &Summary) -> Table {
    let mut table = Table::new(&["arm", "step", "iterations", "passes", "log_likelihood"]);
    for curve in &summary.curves {
        table.rows.extend(curve.trace.iter().map(|point| {
            vec![
                curve.arm.clone(),
                curve.step.map(number).unwrap_or_default(),
                point.iterations.to_string(),
                point.passes.to_string(),
                number(point.log_likelihood),
            ]
        }));
    }
    table
}

/// The verdicts, one row per finding.
pub fn verdicts_table(verdicts: &[Verdict]) -> Table {
    let mut table = Table::new(&[
        "claim", "about", "verdict", "subject", "counts", "finding", "numbers",
    ]);
    for verdict in verdicts {
        table.rows.extend(verdict.findings.iter().map(|finding| {
            vec![
                verdict.claim.clone(),
                verdict.about.clone(),
                verdict.ruling.to_string(),
                finding.subject.clone(),
                finding.counts.to_string(),
                finding.ruling.to_string(),
                finding.numbers.clone(),
            ]
        }));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let mut table = Table::new(&["a", "b"]);
        table
            .rows
            .push(vec!["x,y".to_string(), "say \"no\"".to_string()]);
        assert_eq!(table.to_csv(), "a,b\n\"x,y\",\"say \"\"no\"\"\"\n");
    }
}
