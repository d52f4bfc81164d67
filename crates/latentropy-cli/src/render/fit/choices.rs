//! What rows held out compared, and what they chose, as tables.

use super::{Align, Style, Summary, Table, number, words};
use latentropy::Principle;
use latentropy::fit::{Comparison, Rule, Standing};

/// A table of sizes and one of ridges, each where there was a choice.
pub(super) fn tables(summary: &Summary<'_>, style: Style) -> String {
    let mut text = String::new();
    if let Some(comparison) = &summary.fit.choices.comparison {
        text += &compared(comparison, style);
    }
    if let Some(choice) = &summary.fit.choices.principle {
        let (chosen, other) = match choice.chosen {
            Principle::LatentMaximumEntropy => ("lme", "mle"),
            Principle::MaximumLikelihood => ("mle", "lme"),
        };
        let ahead = (choice.by_likelihood - choice.by_entropy).abs();
        text += &match ahead > 1e-9 {
            true => format!(
                "
principle {chosen}: on held-out rows its choices have {} ± {} more than those of {other}
",
                number::fixed(style.information(ahead), 4),
                number::fixed(style.information(choice.std_err), 4),
            ),
            false => format!(
                "
principle {chosen}: on held-out rows the choices of both foretell as much
"
            ),
        };
    }
    if let Some(choice) = &summary.fit.choices.ridge {
        let mut table = Table::new(&heads("ridge"));
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
ridge     {}: the largest within one standard error of the best on held-out rows, or half a nat in all
",
            number::typed(choice.chosen)
        );
        text += &table.render(style);
    }
    if !text.is_empty() {
        let how = match summary.fit.folds {
            Some(_) => "cross-validated",
            None => "compared on the rows kept for validation",
        };
        let took = summary.fit.timings.choosing;
        text += &format!("  {how} in {took:.1?}\n");
    }
    text
}

/// The machines from the simplest on, and which one is fitted.
fn compared(comparison: &Comparison, style: Style) -> String {
    let mut table = Table::new(&[
        ("machine", Align::Left),
        ("hidden", Align::Right),
        ("weights", Align::Right),
        ("ridge", Align::Right),
        ("held-out log-lik.", Align::Right),
        ("behind best", Align::Right),
        ("± s.e.", Align::Right),
        ("BIC", Align::Right),
        ("", Align::Left),
    ]);
    let (chosen, best) = (comparison.chosen(), &comparison.table[comparison.best]);
    for entry in comparison.by_parameters() {
        let mark = match (entry == chosen, entry == best) {
            (true, true) => "best, chosen",
            (true, false) => "chosen",
            (false, true) => "best",
            (false, false) => "",
        };
        let mark = match (entry.silent, mark) {
            (0, mark) => mark.to_string(),
            (silent, "") => format!("{silent} of them say nothing"),
            (silent, mark) => format!("{mark}; {silent} of them say nothing"),
        };
        let cells = vec![
            entry.shape.clone(),
            entry.hidden.to_string(),
            entry.parameters.to_string(),
            // Without interactions there is nothing for the ridge to hold.
            match entry.shape.as_str() {
                "independent" => "-".to_string(),
                _ => number::fixed(entry.ridge, 2),
            },
            number::fixed(style.information(entry.standing.mean), 4),
            number::fixed(style.information(entry.standing.behind), 4),
            number::fixed(style.information(entry.standing.behind_std_err), 4),
            number::fixed(entry.bic, 0),
            mark,
        ];
        match entry == chosen {
            true => table.strong_row(cells),
            false => table.row(cells),
        }
    }
    let name = match chosen.hidden {
        0 => chosen.shape.clone(),
        hidden => format!(
            "{} with {}",
            chosen.shape,
            words::counted(hidden as u64, "hidden unit")
        ),
    };
    let why = match comparison.rule {
        Rule::Simplest => {
            "the fewest weights within one standard error of the best on held-out rows, or half a nat in all"
        }
        Rule::Best => {
            "the best on the rows of the validation file, or the fewest weights within half a nat in all"
        }
    };
    let mut text = format!("\ncompared  {name}: {why}\n");
    text += &table.render(style);
    for gain in &comparison.gains {
        let plain = match gain.over.as_str() {
            "independent" => "independent columns",
            _ => "visible pairs",
        };
        text += &format!(
            "  against {plain}: {:+.4} ± {:.4} per held-out row, {:+.1} standard errors
",
            gain.mean,
            gain.std_err,
            gain.mean / gain.std_err.max(f64::MIN_POSITIVE)
        );
    }
    text
}

fn heads(first: &'static str) -> Vec<(&'static str, Align)> {
    [first]
        .into_iter()
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
