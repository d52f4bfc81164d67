//! The data in a table: what each column holds, and what the model says of it.

use super::run::Run;
use super::words;
use crate::page::{folded, paragraph, table};

/// Tables longer than this are folded away.
const SHORT: usize = 20;

pub(super) fn html(run: &Run) -> String {
    let data = &run.record.data;
    let cells = (data.rows as u64).saturating_mul(data.columns.len() as u64);
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
        "{}, {} of them distinct, with {}. {missing}{}",
        words::counted(data.rows as u64, "row"),
        words::grouped(data.distinct_rows as u64),
        words::counted(data.columns.len() as u64, "column"),
        left_out(run),
    ));
    // What all rows weigh: their number, unless they have weights.
    let all = run.rows_used() + run.exhibits.unknown_rows as f64;
    let rows: Vec<Vec<String>> = data
        .columns
        .iter()
        .zip(&run.exhibits.columns)
        .map(|(name, column)| {
            vec![
                name.clone(),
                words::weighed(column.known),
                words::weighed((all - column.known).max(0.0)),
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

/// What was learned from, where that is not every row once.
fn left_out(run: &Run) -> String {
    let (rows, unknown) = (run.record.data.rows, run.exhibits.unknown_rows);
    let used = words::rows(run.rows_used());
    let mut text = match unknown {
        0 => String::new(),
        1 => format!(" One row has no known cell and is left out: {used} were learned from."),
        count => {
            format!(" {count} rows have no known cell and are left out: {used} were learned from.")
        }
    };
    if run.rows_used() != rows.saturating_sub(unknown) as f64 {
        text += &format!(" Rows have weights; together they count as {used}.");
    }
    text
}
