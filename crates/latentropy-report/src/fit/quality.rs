//! Observed against model: means of columns, frequencies of pairs, and what fits worst.

use super::exhibits::Moment;
use super::misfit;
use super::run::Run;
use super::words;
use crate::charts::{Axis, Figure, Plot, Point, Reference, Series, label};
use crate::page::{paragraph, table};

/// Lines of the table of what fits worst.
const WORST: usize = 8;

pub(super) fn html(run: &Run) -> String {
    verdict(run) + &figure(run).html() + &worst(run)
}

/// Observed against model, columns and pairs of them.
pub(super) fn figure(run: &Run) -> Figure {
    let columns = &run.record.data.columns;
    let exhibits = &run.exhibits;
    let point = |name: &str, moment: &Moment| {
        let tip = format!(
            "{name}\nin the data {} of {} rows\nby the model {}\n{} standard errors apart",
            words::percent(moment.observed()),
            words::weighed(moment.known),
            words::percent(moment.model),
            label(moment.misfit().abs(), 1),
        );
        Point::new(moment.model, moment.observed())
            .error(2.0 * moment.std_err)
            .tip(tip)
    };
    let axis = |who: &str| Axis::linear(format!("share of ones, {who}"));
    let plot = |title: &str, points: Vec<Point>, style: usize| {
        Plot::new(title)
            .x(axis("by the model"))
            .y(axis("in the data"))
            .reference(Reference::Identity)
            .series(
                Series::markers("", points)
                    .style(style)
                    .marker(crate::charts::Marker::Circle)
                    .opacity(0.7)
                    .size(0.9),
            )
    };
    let singles = columns.iter().zip(&exhibits.columns);
    let singles = singles.filter(|(_, moment)| moment.known > 0.0);
    let singles: Vec<Point> = singles.map(|(name, moment)| point(name, moment)).collect();
    let name = |a: usize, b: usize| format!("{} and {}", columns[a], columns[b]);
    let pairs = exhibits.pairs.iter();
    let pairs: Vec<Point> = pairs
        .map(|pair| point(&name(pair.a, pair.b), &pair.moment))
        .collect();
    let mut figure = Figure::new("")
        .panel_size(430.0, 390.0)
        .panel(plot("Columns", singles, 0));
    if !pairs.is_empty() {
        figure = figure.panel(plot("Pairs of columns, both one", pairs, 2));
    }
    let shown = match exhibits.pairs.len() {
        count if count < exhibits.pair_count => {
            format!(
                " Of {} pairs, {count} are shown, the worst among them.",
                exhibits.pair_count
            )
        }
        _ => String::new(),
    };
    figure.caption(format!(
        "On the dashed line data and model agree; the bars are two standard errors of a share in so many rows.{shown}"
    ))
}

fn verdict(run: &Run) -> String {
    let exhibits = &run.exhibits;
    let singles = exhibits.columns.iter().filter(|moment| moment.known > 0.0);
    let all = exhibits.pair_count.saturating_add(singles.clone().count());
    let beyond = singles.filter(|moment| moment.misfit().abs() > 2.0).count();
    let beyond = exhibits.pairs_beyond.saturating_add(beyond);
    let mut text = format!(
        "Of {all} frequencies (columns, and pairs of columns), {} more than two standard errors away from \
         what the machine says.",
        match beyond {
            0 => "none is".to_string(),
            1 => "one is".to_string(),
            count => format!("{count} are"),
        }
    );
    if beyond > 0 && misfit::ridge_is_strong(run) {
        text += " The ridge holds weights back, so that some distance is to be expected.";
    }
    if let Some(draws) = exhibits.draws {
        text += &format!(
            " The machine is beyond exact sums: what it says is counted over states drawn from it, worth {} independent \
             ones, and their errors are in the standard errors.",
            words::grouped(draws as u64)
        );
    }
    if run.record.data.missing_cells > 0 {
        text += " Shares in the data are taken over the rows in which the cells are known, so they can also differ \
                 where cells are not missing at random.";
    }
    paragraph(&text)
}

fn worst(run: &Run) -> String {
    let columns = &run.record.data.columns;
    let exhibits = &run.exhibits;
    let mut all: Vec<(String, Moment)> = columns
        .iter()
        .cloned()
        .zip(exhibits.columns.iter().copied())
        .collect();
    all.extend(exhibits.pairs.iter().map(|pair| {
        (
            format!("{} and {}", columns[pair.a], columns[pair.b]),
            pair.moment,
        )
    }));
    all.retain(|(_, moment)| moment.misfit().abs() >= 0.05);
    all.sort_by(|(_, a), (_, b)| b.misfit().abs().total_cmp(&a.misfit().abs()));
    all.truncate(WORST);
    if all.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = all
        .into_iter()
        .map(|(name, moment)| {
            vec![
                name,
                words::percent(moment.observed()),
                words::percent(moment.model),
                words::weight(moment.misfit()),
            ]
        })
        .collect();
    let heads = [
        "what",
        "in the data#",
        "by the model#",
        "standard errors apart#",
    ];
    "<h3>What fits worst</h3>\n".to_string() + &table(&heads, &rows)
}
