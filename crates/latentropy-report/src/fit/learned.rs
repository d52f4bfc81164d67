//! What was learned: the machine in words, what it was compared with, and what its hidden units stand for.

use super::run::Run;
use super::words;
use crate::charts::{escape, label};
use crate::page::{paragraph, table};

/// How many connections are named, either way.
const NAMED: usize = 5;
/// Weights that are smaller than this say little.
const WEAK: f64 = 0.05;
/// A weight is told as meaning where it is more than this many standard errors away from nothing.
const STANDS_OUT: f64 = 2.0;

pub(super) fn html(run: &Run) -> String {
    let mut html = paragraph(&machine(run));
    html += &compared(run);
    let hidden = run.network.hidden();
    if hidden.is_empty() {
        return html + &pairs(run);
    }
    html += &paragraph(&format!(
        "A hidden unit is never seen: it stands for something that the columns have in common. Its name and its sign \
         are free; what it means is what goes with it and what goes against it.{}",
        effective(run)
    ));
    for unit in hidden {
        html += &described(run, unit);
    }
    html
}

/// The machine in a sentence.
fn machine(run: &Run) -> String {
    let (shape, hidden) = (&run.record.settings.shape, run.network.hidden().len());
    let how = match (shape.as_str(), hidden) {
        ("independent", _) => "every column stands by itself",
        ("rbm", 0) => "every column stands by itself",
        ("rbm", _) => "columns have to do with each other only through the hidden units",
        ("visible", _) | ("full", 0) => "every column may go with or against every other",
        ("full", _) => "every unit, column or hidden, may go with or against every other",
        _ => "its terms are those of its shape",
    };
    let units = match hidden {
        0 => "no hidden unit".to_string(),
        count => words::counted(count as u64, "hidden unit"),
    };
    format!(
        "A machine of {} and {units} ({shape}), {}: {how}. It was learned from {}.",
        words::counted(run.record.data.columns.len() as u64, "column"),
        words::counted(run.network.terms().len() as u64, "weight"),
        words::rows(run.rows_used()),
    )
}

/// How many causes the hidden units are, where that is not their number.
fn effective(run: &Run) -> String {
    let count = run.network.hidden().len();
    match run.exhibits.findings.effective {
        Some(effective) if count > 1 && effective < count => format!(
            " The {} tell {} apart.",
            words::counted(count as u64, "hidden unit"),
            words::counted(effective as u64, "cause")
        ),
        _ => String::new(),
    }
}

/// The machines that were compared on rows held out.
fn compared(run: &Run) -> String {
    let Some(comparison) = &run.record.choices.comparison else {
        return paragraph(
            "No other machine was compared with it: its size and shape were asked for. Without them, machines of several \
             sizes and shapes are compared on rows held out.",
        );
    };
    let entries = comparison.table.iter();
    let rows: Vec<Vec<String>> = entries
        .map(|entry| {
            let standing = &entry.standing;
            let behind = match entry.best {
                true => "–".to_string(),
                false => format!(
                    "{} ± {}",
                    label(standing.behind_best, 4),
                    label(standing.behind_best_std_err, 4)
                ),
            };
            let mark = match (entry.chosen, entry.best) {
                (true, true) => "chosen, the best",
                (true, false) => "chosen",
                (false, true) => "the best",
                (false, false) => "",
            };
            vec![
                entry.shape.clone(),
                entry.hidden.to_string(),
                entry.parameters.to_string(),
                label(standing.mean_log_likelihood, 4),
                behind,
                label(entry.bic, 0),
                mark.to_string(),
            ]
        })
        .collect();
    let heads = [
        "machine",
        "hidden units#",
        "weights#",
        "log-likelihood of a held-out row#",
        "behind the best#",
        "BIC#",
        "",
    ];
    paragraph(
        "Machines were compared on rows held out. The one with the fewest weights within one standard error of the best is \
         chosen.",
    ) + &table(&heads, &rows)
}

/// A term that connects units.
struct Connection {
    name: String,
    weight: f64,
    error: Option<f64>,
    /// False where the data leave it open, as for the double of another unit.
    is_determined: bool,
}

impl Connection {
    /// True of a weight that is more than its error allows for; without a known error, of every one that the data determine.
    fn stands_out(&self) -> bool {
        let error = self.error.filter(|error| error.is_finite());
        self.is_determined && error.is_none_or(|error| self.weight.abs() > STANDS_OUT * error)
    }

    fn html(&self) -> String {
        // A line does not end within a number and its error.
        let value = words::weight_with(self.weight, self.error).replace(' ', "\u{a0}");
        format!("{} ({value})", escape(&self.name))
    }
}

/// Terms on two and more units, strongest first: all of them, or those with a unit, by their other units.
fn connections(run: &Run, with: Option<usize>) -> Vec<Connection> {
    let network = &run.network;
    let terms = network.terms().iter().zip(network.weights()).enumerate();
    let mut found: Vec<Connection> = terms
        .filter(|(_, (term, weight))| {
            let concerns = with.is_none_or(|unit| term.units().contains(&unit));
            term.order() > 1 && concerns && weight.abs() >= WEAK
        })
        .map(|(at, (term, &weight))| {
            let others = term.units().iter().filter(|&&other| Some(other) != with);
            let names: Vec<&str> = others.map(|&other| run.name(other)).collect();
            Connection {
                name: names.join(" with "),
                weight,
                error: run.weight_error(at),
                is_determined: run.is_determined(at),
            }
        })
        .collect();
    found.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
    found
}

/// What goes with a unit and against it, or why that is nothing to tell.
fn described(run: &Run, unit: usize) -> String {
    let mean = words::percent(run.exhibits.unit_means[unit]);
    let known = run.exhibits.findings.unit(unit);
    let says = known
        .filter(|known| !known.says_nothing)
        .map_or_else(String::new, |known| {
            format!(", says {} nats per row", label(known.information, 3))
        });
    let mut html = format!(
        "<h3>{} <span class=\"faint\">on with probability {mean}{says}</span></h3>\n",
        escape(run.name(unit)),
    );
    if known.is_some_and(|known| known.says_nothing) {
        return html
            + &paragraph(
                "It says nothing: its posterior is the same for every row, so that a machine without it tells as much.",
            );
    }
    if let Some(first) = known.and_then(|known| known.copy_of) {
        return html
            + &paragraph(&format!(
                "It is a copy of {}: for every row it has the same posterior, or the opposite one. The two are grades of \
                 one cause, not two causes.",
                run.name(first)
            ));
    }
    let all = connections(run, Some(unit));
    for (what, up) in [("goes with", true), ("goes against", false)] {
        html += &listed(what, &all, |weight| (weight > 0.0) == up);
    }
    if all.is_empty() {
        html += &paragraph("It is hardly connected to any other unit.");
    }
    html + &within_their_errors(&all)
}

/// The strongest pairs of a machine without hidden units.
fn pairs(run: &Run) -> String {
    let all = connections(run, None);
    if all.is_empty() {
        return paragraph("No column is said to have to do with another one.");
    }
    listed("go together", &all, |weight| weight > 0.0)
        + &listed("go against each other", &all, |weight| weight < 0.0)
        + &within_their_errors(&all)
}

/// Those of one side that stand out of their errors.
fn listed(what: &str, all: &[Connection], is_of_side: impl Fn(f64) -> bool) -> String {
    let side: Vec<&Connection> = all
        .iter()
        .filter(|found| found.stands_out() && is_of_side(found.weight))
        .collect();
    if side.is_empty() {
        return String::new();
    }
    let named: Vec<String> = side.iter().take(NAMED).map(|found| found.html()).collect();
    let more = match side.len().saturating_sub(NAMED) {
        0 => String::new(),
        count => format!(", and {count} more"),
    };
    format!(
        "<p><strong>{what}</strong> {}{more}</p>\n",
        named.join(", ")
    )
}

/// How many weights are not told, since they may well be nothing.
fn within_their_errors(all: &[Connection]) -> String {
    let open = all.iter().filter(|found| !found.is_determined).count();
    let small = all.iter().filter(|found| !found.stands_out()).count() - open;
    let mut text = match small {
        0 => String::new(),
        1 => paragraph("1 weight is within two standard errors of nothing, and is not told."),
        count => paragraph(&format!(
            "{count} weights are within two standard errors of nothing, and are not told."
        )),
    };
    text += &match open {
        0 => String::new(),
        1 => paragraph("1 weight is not determined by the data, and is not told."),
        count => paragraph(&format!(
            "{count} weights are not determined by the data, and are not told."
        )),
    };
    text
}
