//! Checks that can fail: the number of ones in a row, and triplets of columns, data against machine.

use super::run::Run;
use super::words;
use crate::charts::{Axis, Figure, Kind, Marker, Plot, Point, Series, label};
use crate::page::{paragraph, table};
use latentropy::answers::{SumScore, Triplets};

/// Triplets in the table.
const WORST: usize = 5;
/// Shares below this are not drawn at the ends.
const LEAST_SEEN: f64 = 5e-4;

/// Both checks; empty for a file of an earlier program.
pub(super) fn html(run: &Run) -> String {
    let Some(checks) = &run.exhibits.findings.checks else {
        return String::new();
    };
    let mut html = "<h3>What the machine was not asked to match</h3>\n".to_string();
    if let Some(draws) = checks.draws {
        html += &paragraph(&format!(
            "The machine is too large for exact sums here: rows drawn from it, worth {} independent ones, stand for it, and \
             the standard errors hold theirs too.",
            words::grouped(draws as u64)
        ));
    }
    html += &match &checks.sum_score {
        Some(score) => paragraph(&of_score(run, score)) + &figure(score).html(),
        None => {
            paragraph("No row is complete, so that the number of ones in a row cannot be compared.")
        }
    };
    html + &checks
        .triplets
        .as_ref()
        .map_or_else(String::new, |found| triplets(run, found))
}

fn of_score(run: &Run, score: &SumScore) -> String {
    let rows = match score.rows == run.rows_used() {
        true => words::rows(score.rows),
        false => format!("the {} without a missing cell", words::rows(score.rows)),
    };
    if score.degrees == 0 {
        return format!("Ones in a row, over {rows}: too few rows to judge.");
    }
    format!(
        "Ones in a row, over {rows}: chi-square {} on {}, {}.",
        label(score.chi_square, 1),
        words::counted(score.degrees as u64, "degree") + " of freedom",
        match score.is_surprising() {
            true => "more than chance explains",
            false => "which chance may explain",
        }
    )
}

/// The shares of rows with so many ones, data against machine.
pub(super) fn figure(score: &SumScore) -> Figure {
    // Where neither data nor machine have rows there is nothing to see.
    let is_seen = |k: &usize| score.observed[*k].max(score.expected[*k]) > LEAST_SEEN;
    let first = (0..score.observed.len()).find(is_seen).unwrap_or(0);
    let last = (0..score.observed.len()).rfind(is_seen).unwrap_or(0);
    let places = |values: &[f64]| -> Vec<Point> {
        let values = values.iter().enumerate().take(last + 1).skip(first);
        values
            .map(|(k, &share)| Point::new(k as f64, share))
            .collect()
    };
    let machine = places(&score.expected).into_iter().zip(first..);
    let machine: Vec<Point> = machine
        .map(|(point, k)| {
            let error = score.std_err[k];
            let tip = format!(
                "{}\nin the data {}\nby the machine {} ± {}",
                words::counted(k as u64, "one"),
                words::percent(score.observed[k]),
                words::percent(score.expected[k]),
                words::percent(error)
            );
            point.error(2.0 * error).tip(tip)
        })
        .collect();
    let plot = Plot::new("")
        .x(Axis::linear("ones in a row"))
        .y(Axis::linear("share of rows"))
        .series(
            Series::new("in the data", Kind::Bars(0.8), places(&score.observed))
                .style(0)
                .opacity(0.5),
        )
        .series(
            Series::markers("by the machine, ± two standard errors", machine)
                .style(3)
                .marker(Marker::Circle),
        );
    Figure::new("How many columns are one in a row")
        .panel_size(520.0, 260.0)
        .panel(plot)
        .caption("Bars that end outside of the machine's error bars are more, or fewer, rows than it says.")
}

fn triplets(run: &Run, found: &Triplets) -> String {
    let columns = &run.record.data.columns;
    if found.count == 0 {
        return paragraph("No three columns are one together often enough to be judged.");
    }
    let which = match found.columns < columns.len() {
        true => format!(" (of {} columns, evenly picked)", found.columns),
        false => String::new(),
    };
    let mut html = paragraph(&format!(
        "Three columns that are one together: of {}{which} that are frequent enough to judge, {} ({}) are more than two \
         standard errors from the machine, beyond what each column by itself explains; by chance it would be at most one in twenty.",
        words::counted(found.count as u64, "triplet"),
        found.beyond,
        words::percent(found.share_beyond())
    ));
    let worst = found.worst.iter().take(WORST);
    let rows: Vec<Vec<String>> = worst
        .map(|triplet| {
            let names = triplet.columns.map(|column| columns[column].as_str());
            vec![
                names.join(", "),
                words::percent(triplet.observed),
                words::percent(triplet.expected),
                words::weight(triplet.z()),
            ]
        })
        .collect();
    let heads = [
        "three columns",
        "in the data#",
        "by the machine#",
        "standard errors apart#",
    ];
    html += &table(&heads, &rows);
    html
}
