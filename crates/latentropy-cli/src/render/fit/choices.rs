//! What cross-validation compared, and what it chose, as tables.

use super::{Align, Style, Summary, Table, number};
use latentropy::fit::Standing;

/// A table of sizes and one of ridges, each where there was a choice.
pub(super) fn tables(summary: &Summary<'_>, style: Style) -> String {
    let mut text = String::new();
    if let Some(choice) = &summary.fit.choices.size {
        let mut table = Table::new(&heads("hidden", Some("ridge")));
        for score in &choice.table {
            let first = vec![score.hidden.to_string(), number::typed(score.ridge)];
            add(
                &mut table,
                first,
                &score.standing,
                style,
                score.hidden == choice.chosen,
            );
        }
        text += &format!(
            "
size      {}: the smallest within one standard error of the best on held-out rows
",
            choice.chosen
        );
        text += &table.render(style);
    }
    if let Some(choice) = &summary.fit.choices.ridge {
        let mut table = Table::new(&heads("ridge", None));
        for score in &choice.table {
            let first = vec![number::typed(score.ridge)];
            add(
                &mut table,
                first,
                &score.standing,
                style,
                score.ridge == choice.chosen,
            );
        }
        text += &format!(
            "
ridge     {}: the largest within one standard error of the best on held-out rows
",
            number::typed(choice.chosen)
        );
        text += &table.render(style);
    }
    if !text.is_empty() {
        text += &format!(
            "  cross-validated in {:.1?}
",
            summary.fit.timings.choosing
        );
    }
    text
}

fn heads(first: &'static str, second: Option<&'static str>) -> Vec<(&'static str, Align)> {
    [first]
        .into_iter()
        .chain(second)
        .chain(["held-out log-lik.", "± s.e.", "behind best", "± s.e."])
        .map(|head| (head, Align::Right))
        .chain([("", Align::Left)])
        .collect()
}

fn add(
    table: &mut Table,
    mut cells: Vec<String>,
    standing: &Standing,
    style: Style,
    is_chosen: bool,
) {
    let values = [
        standing.mean,
        standing.std_err,
        standing.behind,
        standing.behind_std_err,
    ];
    cells.extend(values.map(|value| number::fixed(style.information(value), 4)));
    if is_chosen {
        cells.push("chosen".to_string());
        table.strong_row(cells);
    } else {
        table.row(cells);
    }
}
