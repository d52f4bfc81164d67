//! What was learned: the machine in words, what it was compared with, and what its hidden units stand for.

use super::run::Run;
use super::words;
use crate::charts::{escape, label};
use crate::page::{folded, paragraph, table};
use latentropy::data::Coding;
use latentropy::fit::{Connection, Rule, Untold, Weights};

/// How many connections are named, either way.
const NAMED: usize = 5;
/// Of more hidden units than this only some are told of at once.
const MOST_UNITS: usize = 8;
/// So many of them.
const OF_MANY: usize = 5;

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
    html + &units(run, &hidden)
}

/// What every hidden unit stands for; of many, the most strongly connected at once and the others where they are asked for.
fn units(run: &Run, hidden: &[usize]) -> String {
    let all = |units: &[usize]| -> String {
        let units = units.iter().map(|&unit| described(run, unit));
        units.collect()
    };
    if hidden.len() <= MOST_UNITS {
        return all(hidden);
    }
    let first = run.strongest(hidden, OF_MANY);
    let mut others = hidden.to_vec();
    others.retain(|unit| !first.contains(unit));
    let told = paragraph(&format!(
        "Of {} hidden units these {OF_MANY} are the most strongly connected.",
        hidden.len()
    ));
    let summary = format!("The other {} hidden units", others.len());
    told + &all(&first) + &folded(&summary, &all(&others))
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
        Some(0) if count > 1 => format!(
            " None of the {} says anything about the rows.",
            words::counted(count as u64, "hidden unit")
        ),
        Some(1) if count > 1 => format!(
            " The {} stand for one cause.",
            words::counted(count as u64, "hidden unit")
        ),
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
    paragraph(match comparison.rule {
        Rule::Simplest => {
            "Machines were compared on rows held out. The one with the fewest weights within one standard error of the \
             best, or half a nat over all rows, is chosen."
        }
        Rule::Best => {
            "Machines were compared on the rows of a validation file. The one that foretells them best is chosen, or the \
             one with the fewest weights within half a nat over all rows of it."
        }
    }) + &table(&heads, &rows)
}

/// Terms on two and more units, strongest first: all of them, or those with a unit, by their other units; and those that are not
/// told.
fn connections(run: &Run, with: Option<usize>) -> (Vec<Connection>, Untold) {
    let uncertainty = run.record.uncertainty.as_ref();
    let weights = Weights {
        network: &run.network,
        error: &|term| run.weight_error(term),
        undetermined: uncertainty.map_or(&[], |found| &found.undetermined_terms),
        has_words: &|unit| coding(run, unit).is_some(),
    };
    (weights.connections(with), weights.untold(with))
}

/// The coding of a unit whose two values have words to be told by.
fn coding(run: &Run, unit: usize) -> Option<&Coding> {
    let mut codings = run.record.data.codings.iter();
    codings.find(|coding| coding.column == run.name(unit) && coding.is_in_words())
}

/// A connection by the names of its units, with the words of their values.
fn named(run: &Run, found: &Connection) -> String {
    let names: Vec<String> = found
        .units
        .iter()
        .map(|&(unit, value)| match (value, coding(run, unit)) {
            (Some(value), Some(coding)) => format!("{} = {}", run.name(unit), coding.words(value)),
            _ => run.name(unit).to_string(),
        })
        .collect();
    // A line does not end within a number and its error.
    let value = words::weight_with(found.weight, found.error).replace(' ', "\u{a0}");
    format!("{} ({value})", escape(&names.join(" with ")))
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
    let (all, untold) = connections(run, Some(unit));
    for (what, up) in [("goes with", true), ("goes against", false)] {
        html += &listed(run, what, &all, |weight| (weight > 0.0) == up);
    }
    if all.is_empty() {
        html += &paragraph("It is hardly connected to any other unit.");
    }
    html + &not_told(&all, &untold)
}

/// The strongest pairs of a machine without hidden units.
fn pairs(run: &Run) -> String {
    let (all, untold) = connections(run, None);
    if all.is_empty() {
        return paragraph("No column is said to have to do with another one.");
    }
    listed(run, "go together", &all, |weight| weight > 0.0)
        + &listed(run, "go against each other", &all, |weight| weight < 0.0)
        + &not_told(&all, &untold)
}

/// Those of one side that stand out of their errors.
fn listed(run: &Run, what: &str, all: &[Connection], is_of_side: impl Fn(f64) -> bool) -> String {
    let side: Vec<&Connection> = all
        .iter()
        .filter(|found| found.stands_out() && is_of_side(found.weight))
        .collect();
    if side.is_empty() {
        return String::new();
    }
    let named: Vec<String> = side
        .iter()
        .take(NAMED)
        .map(|found| named(run, found))
        .collect();
    let more = match side.len().saturating_sub(NAMED) {
        0 => String::new(),
        count => format!(", and {count} more"),
    };
    format!(
        "<p><strong>{what}</strong> {}{more}</p>\n",
        named.join(", ")
    )
}

/// How many weights are not told, since they may well be nothing, or are next to it; nothing where none would be told.
fn not_told(all: &[Connection], untold: &Untold) -> String {
    if all.is_empty() {
        return String::new();
    }
    let sentence = |(count, why): (usize, String)| match count {
        1 => paragraph(&format!("1 weight is {why}, and is not told.")),
        _ => paragraph(&format!("{count} weights are {why}, and are not told.")),
    };
    untold.reasons().into_iter().map(sentence).collect()
}
