//! The data in a table: what each column holds, and what the model says of it.

use super::run::Run;
use super::words;
use crate::page::{folded, paragraph, table};

/// Tables longer than this are folded away.
const SHORT: usize = 20;

pub(super) fn html(run: &Run) -> String {
    let data = &run.record.data;
    let cells = data.rows * data.columns.len() as u64;
    let missing = match data.missing_cells {
        0 => "No cell is missing.".to_string(),
        count => format!(
            "{} of {} cells are missing ({}); a missing cell is summed over, like a hidden unit.",
            words::grouped(count),
            words::grouped(cells),
            words::percent(count as f64 / cells.max(1) as f64)
        ),
    };
    let html = paragraph(&format!(
        "{}, {} of them distinct, with {}. {missing}",
        words::counted(data.rows, "row"),
        words::grouped(data.distinct_rows),
        words::counted(data.columns.len() as u64, "column"),
    ));
    let rows: Vec<Vec<String>> = data
        .columns
        .iter()
        .zip(&run.evidence.columns)
        .map(|(name, column)| {
            vec![
                name.clone(),
                words::grouped(column.known),
                words::grouped(data.rows.saturating_sub(column.known)),
                words::percent(column.observed()),
                words::percent(column.model),
                words::percent(column.std_err),
            ]
        })
        .collect();
    let heads = [
        "column",
        "known#",
        "missing#",
        "ones in the data#",
        "by the model#",
        "standard error#",
    ];
    let table = table(&heads, &rows);
    html + &match rows.len() {
        0..=SHORT => table,
        count => folded(&format!("all {count} columns"), &table),
    }
}
