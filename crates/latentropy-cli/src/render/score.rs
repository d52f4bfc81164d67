//! The result of `score` for people.

use super::{Align, Style, Table, number, words};
use crate::wording::Flags;
use latentropy::answers::Scores;
use latentropy::data::Dataset;
use latentropy::inference::{EngineChoice, Kind};

/// How many rows are shown at either end.
const EXTREMES: usize = 3;

/// What was found.
pub(crate) struct Found<'a> {
    pub(crate) scores: &'a Scores,
    pub(crate) engine: &'a EngineChoice,
    pub(crate) per_row: &'a [f64],
    /// Of the mean, over rows.
    pub(crate) standard_error: Option<f64>,
    /// How many rows were sampled.
    pub(crate) sampled: usize,
}

/// Rows, mean log-likelihood with its standard error over rows, most and least probable rows.
pub(crate) fn text(data: &Dataset, found: &Found<'_>, style: Style) -> String {
    let Found {
        scores,
        engine,
        per_row,
        standard_error,
        sampled,
    } = *found;
    let rows = words::counted(data.len() as u64, "row");
    let missing = match data.missing_cells() {
        0 => String::new(),
        count => format!(", {} summed out", words::counted(count, "missing cell")),
    };
    let distinct = data.rows().len();
    let mean = number::fixed(style.information(scores.mean.value), 6);
    let error = standard_error.map(|error| {
        let error = number::fixed(style.information(error), 6);
        format!(" ± {error} (standard error over rows)")
    });
    let unknown = data.len() - data.known_rows().len();
    let unknown = match unknown as u64 {
        0 => String::new(),
        1 => "; 1 row without a known cell counts with log-likelihood 0".to_string(),
        count => format!("; {count} rows without a known cell count with log-likelihood 0"),
    };
    let mut text = format!("data                 {rows} ({distinct} distinct){missing}{unknown}\n");
    text += &format!(
        "mean log-likelihood  {}{}\n",
        style.bold(&format!("{mean} {} per row", style.unit())),
        error.unwrap_or_default()
    );
    if let (1.., Some(error)) = (sampled, scores.mean.std_err) {
        text += &format!(
            "                     ± {} by sampling: log Z, and what {} open\n",
            number::fixed(style.information(error), 6),
            match sampled {
                1 => "1 row leaves".to_string(),
                rows => format!("{rows} rows leave"),
            }
        );
    }
    if let Some(bound) = scores.at_least {
        text += &format!(
            "at least             {} (annealed backward from {} in {} steps, RAISE)\n",
            style.bold(&number::fixed(style.information(bound.value), 6)),
            words::counted(bound.runs as u64, "row"),
            bound.steps
        );
    }
    if let Some(line) =
        super::infer::within(&scores.mean_within(), |value| style.information(value))
    {
        text += &format!("                     {line}\n");
    }
    // A bound on log Z bounds the mean from the other side.
    if let kind @ (Kind::LowerBound | Kind::UpperBound | Kind::Estimate) = scores.mean.kind {
        text += &format!(
            "                     {} of it\n",
            words::with_article(kind.words())
        );
    }
    text += &format!(
        "log Z                {}\n                     by engine {}: {}\n",
        super::infer::valued(scores.log_partition, ""),
        engine.engine.name(),
        engine.reason.worded(&Flags)
    );
    for note in scores
        .witnesses
        .iter()
        .flat_map(|witnesses| witnesses.notes())
    {
        text += &format!("                     {note}\n");
    }
    text += "\n";
    text + &extremes(data, scores, per_row, style).render(style)
}

/// The most and the least probable distinct rows, each by its first appearance.
fn extremes(data: &Dataset, scores: &Scores, per_row: &[f64], style: Style) -> Table {
    let mut first = vec![usize::MAX; data.rows().len()];
    for (row, &distinct) in data.distinct_of().iter().enumerate().rev() {
        first[distinct as usize] = row;
    }
    // A row that shows nothing is certain, and tells nothing.
    let width = data.columns().len();
    let mut order: Vec<usize> = (0..data.rows().len())
        .filter(|&distinct| data.rows()[distinct].missing.count() < width)
        .collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (scores.by_distinct_row[a], scores.by_distinct_row[b]);
        b.total_cmp(&a)
    });
    let mut table = Table::new(&[
        ("", Align::Left),
        ("row", Align::Right),
        ("log-likelihood", Align::Right),
        ("how often", Align::Right),
    ]);
    let mut add = |distinct: usize, label: &str| {
        let row = first[distinct];
        table.row(vec![
            label.to_string(),
            (row + 1).to_string(),
            number::fixed(style.information(per_row[row]), 4),
            data.counts()[distinct].to_string(),
        ]);
    };
    let top = order.len().min(EXTREMES);
    let bottom = order.len().saturating_sub(EXTREMES).max(top);
    for (at, &distinct) in order[..top].iter().enumerate() {
        add(distinct, if at == 0 { "most probable" } else { "" });
    }
    for (at, &distinct) in order[bottom..].iter().enumerate() {
        let is_last = at + 1 == order.len() - bottom;
        add(distinct, if is_last { "least probable" } else { "" });
    }
    table
}
