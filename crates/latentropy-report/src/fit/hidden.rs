//! What the hidden units say of the rows: how sure they are of each, and the rows beside them.

use super::exhibits::BARS;
use super::run::Run;
use crate::charts::{Axis, Figure, HeatMap, HeatScale, Kind, Plot, Series};
use crate::page::paragraph;

/// Histograms for this many units at most.
const MOST_HISTOGRAMS: usize = 9;
/// Columns in the picture of rows.
const MOST_COLUMNS: usize = 60;
/// Hidden units beside them.
const MOST_UNITS: usize = 20;

/// The section; empty for a machine without hidden units.
pub(super) fn html(run: &Run) -> String {
    let hidden = run.network.hidden();
    if hidden.is_empty() {
        return String::new();
    }
    if run.exhibits.rows.is_empty() {
        return paragraph(
            "What the hidden units say of the rows is beyond exact sums, and not shown.",
        );
    }
    let html = histograms(run, &hidden).html();
    html + &rows(run, &hidden).map_or_else(String::new, |figure| figure.html())
}

/// Rows by the probability of each hidden unit.
pub(super) fn histograms(run: &Run, hidden: &[usize]) -> Figure {
    let mut figure = Figure::new("How sure the machine is about each row")
        .panel_size(300.0, 210.0)
        .caption("Rows of the data by the probability that the hidden unit is on, given the row. Bars at the two ends mean that the rows fall into clear groups.");
    let shown = hidden
        .iter()
        .zip(&run.exhibits.histograms)
        .take(MOST_HISTOGRAMS);
    for (&unit, histogram) in shown {
        let width = 1.0 / BARS as f64;
        let bars = histogram.iter().enumerate();
        let bars = bars.map(|(at, &weight)| ((at as f64 + 0.5) * width, weight));
        let plot = Plot::new(run.name(unit))
            .x(Axis::linear("probability of being on")
                .range(0.0, 1.0)
                .ticks([(0.0, "0"), (0.5, "0.5"), (1.0, "1")]))
            .y(Axis::linear("rows"))
            .series(Series::new("", Kind::Bars(width), bars).style(0));
        figure = figure.panel(plot);
    }
    figure
}

/// The rows beside their hidden units; none where no row is kept.
pub(super) fn rows(run: &Run, hidden: &[usize]) -> Option<Figure> {
    let rows = &run.exhibits.rows;
    if rows.is_empty() {
        return None;
    }
    let columns = &run.record.data.columns;
    let shown = columns.len().min(MOST_COLUMNS);
    let strongest = run.strongest(hidden, MOST_UNITS);
    let units: Vec<usize> = (0..hidden.len())
        .filter(|&at| strongest.contains(&hidden[at]))
        .collect();
    let mut names: Vec<String> = units
        .iter()
        .map(|&at| run.name(hidden[at]).to_string())
        .collect();
    // An empty column sets the hidden units apart.
    names.push(String::new());
    names.extend(columns.iter().take(shown).cloned());
    let values = rows
        .iter()
        .map(|row| {
            let cells = row.cells.chars().take(shown).map(|cell| match cell {
                '0' => 0.0,
                '1' => 1.0,
                _ => f64::NAN,
            });
            units
                .iter()
                .map(|&at| row.hidden[at])
                .chain([f64::NAN])
                .chain(cells)
                .collect()
        })
        .collect();
    let labels = rows.iter().map(|row| match row.count {
        1 => "a row seen once".to_string(),
        count => format!("a row seen {count} times"),
    });
    let mut map = HeatMap::new("", labels.collect(), names, values);
    map.scale = HeatScale::Sequential(0.0, 1.0);
    map.unit = "0: off, 1: on".to_string();
    let apart = units.len() + 1;
    map.dashes = rows
        .iter()
        .enumerate()
        .flat_map(|(at, row)| {
            let cells = row.cells.chars().take(shown).enumerate();
            let missing = cells.filter(|(_, cell)| *cell == '?');
            missing.map(move |(column, _)| (at, apart + column))
        })
        .collect();
    map.cell = ((560.0 / map.columns.len() as f64).clamp(9.0, 26.0), 7.0);
    // Rows without a known cell are one distinct row, and say nothing.
    let unknown = usize::from(run.exhibits.unknown_rows > 0);
    let known = run.record.data.distinct_rows.saturating_sub(unknown);
    let which = match known {
        all if all > rows.len() => format!("{} distinct rows of {all}, picked evenly", rows.len()),
        _ => "All distinct rows".to_string(),
    };
    let of_units = match units.len() < hidden.len() {
        true => format!(
            "of the {} most strongly connected of {} hidden units",
            units.len(),
            hidden.len()
        ),
        false => "of each hidden unit".to_string(),
    };
    let figure = Figure::new("The rows, sorted by what the hidden units say of them")
        .caption(format!("{which}. At the left the probability {of_units}, at the right the row itself (a dash: missing). Columns that change together with a hidden unit are what it stands for."))
        .panel(map);
    Some(figure)
}
