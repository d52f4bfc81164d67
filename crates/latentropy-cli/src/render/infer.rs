//! The result of `infer` for people.

use super::{Align, Style, Table, number, words};
use crate::spoken::Spoken;
use crate::wording::Flags;
use latentropy::inference::{Answer, EngineChoice, EngineComparison, Kind, Value, Within};
use latentropy::network::{Clamp, Network, Role};

/// How many of the strongest terms are shown.
const STRONGEST: usize = 10;

/// What is shown: the machine, what was found by the chosen engine, and the answers of all where all were asked.
pub(crate) struct Shown<'a> {
    pub(crate) network: &'a Network,
    pub(crate) spoken: &'a Spoken<'a>,
    pub(crate) clamp: &'a Clamp,
    pub(crate) choice: &'a EngineChoice,
    pub(crate) method: &'a str,
    pub(crate) found: &'a Answer,
    pub(crate) comparison: Option<&'a EngineComparison>,
}

impl Shown<'_> {
    /// Machine, engine, log Z, entropy, unit means and the strongest terms.
    pub(crate) fn text(&self, style: Style) -> String {
        let Shown {
            network,
            spoken,
            clamp,
            found,
            ..
        } = *self;
        let mut text = format!("machine  {}\n", words::machine(network));
        let held = held(network, spoken, clamp);
        if !held.is_empty() {
            text += &format!("given    {}\n", held.join(", "));
        }
        let (name, reason) = (self.choice.engine.name(), self.choice.reason.worded(&Flags));
        text += &format!("engine   {name}, by {} ({reason})\n", self.method);
        let values = &found.expectations;
        text += &format!("log Z    {}\n", valued(values.log_partition, ""));
        if let Some(line) = within(&found.log_partition_within(), |value| value) {
            text += &format!("         {line}\n");
        }
        let entropy = Value {
            value: style.information(values.entropy.value),
            std_err: values.entropy.std_err.map(|error| style.information(error)),
            ..values.entropy
        };
        text += &format!(
            "entropy  {}\n",
            valued(entropy, &format!(" {}", style.unit()))
        );
        for note in &found.notes {
            text += &format!("sampled  {note}\n");
        }
        if let Some(comparison) = self.comparison {
            text += &format!("\n{}", engines(comparison, style).render(style));
            for answer in &comparison.answers {
                if let Err(error) = &answer.found {
                    text += &format!("  {}: {}\n", answer.engine.name(), error.worded(&Flags));
                }
            }
        }
        text += &format!("\n{}", units(network, spoken, clamp, found).render(style));
        let strongest = strongest(network);
        if !strongest.is_empty() {
            text += &format!("\n{}", terms(network, found, &strongest).render(style));
        }
        text
    }
}

/// One row an engine; the one that others are compared with stands out.
fn engines(comparison: &EngineComparison, style: Style) -> Table {
    let mut table = Table::new(&[
        ("engine", Align::Left),
        ("log Z", Align::Right),
        ("", Align::Left),
        ("entropy", Align::Right),
        ("", Align::Left),
        ("means off by", Align::Right),
        ("seconds", Align::Right),
    ]);
    for answer in &comparison.answers {
        let name = answer.engine.name().to_string();
        let row = match &answer.found {
            Ok(found) => vec![
                name,
                number::fixed(found.log_partition.value, 6),
                kind(found.log_partition),
                number::fixed(style.information(found.entropy.value), 6),
                kind(found.entropy),
                comparison
                    .largest_difference(answer)
                    .map_or_else(String::new, number::small),
                number::fixed(answer.seconds, 3),
            ],
            Err(_) => vec![name, "-".to_string(), "no answer".to_string()],
        };
        match answer.engine == comparison.best {
            true => table.strong_row(row),
            false => table.row(row),
        }
    }
    table
}

/// A value with its unit and what it is worth.
pub(super) fn valued(value: Value, unit: &str) -> String {
    format!("{}{unit} ({})", number::fixed(value.value, 6), kind(value))
}

/// The interval of a value that has witnesses, and whether they agree.
pub(super) fn within(value: &Within, shown: impl Fn(f64) -> f64) -> Option<String> {
    let (at_least, at_most) = (value.at_least?, value.at_most?);
    Some(format!(
        "between {} and {}: {}",
        number::fixed(shown(at_least), 4),
        number::fixed(shown(at_most), 4),
        words::agreement(value.trusted?)
    ))
}

/// What a value is worth, in words.
fn kind(value: Value) -> String {
    match (value.kind, value.std_err) {
        (Kind::Exact, _) => "exact".to_string(),
        (Kind::LowerBound, _) => "lower bound".to_string(),
        (Kind::UpperBound, _) => "upper bound".to_string(),
        (Kind::Estimate, _) => "estimate".to_string(),
        (Kind::MonteCarlo, Some(error)) => format!("sampled, ± {}", number::small(error)),
        (Kind::MonteCarlo, None) => "sampled".to_string(),
    }
}

fn held(network: &Network, spoken: &Spoken<'_>, clamp: &Clamp) -> Vec<String> {
    let units = network.units().iter().enumerate();
    units
        .filter_map(|(at, unit)| {
            let value = clamp.get(at)?;
            let word = words::name(spoken.word(at, value));
            Some(format!("{} = {word}", words::name(&unit.name)))
        })
        .collect()
}

fn units(network: &Network, spoken: &Spoken<'_>, clamp: &Clamp, found: &Answer) -> Table {
    let mut table = Table::new(&[
        ("unit", Align::Left),
        ("role", Align::Left),
        ("P(unit = 1)", Align::Right),
        ("", Align::Left),
    ]);
    for (at, unit) in network.units().iter().enumerate() {
        let role = match unit.role {
            Role::Visible => "visible",
            Role::Hidden => "hidden",
        };
        let name = words::name(&unit.name);
        table.row(vec![
            match spoken.has_words(at) {
                true => format!("{name} (1 is {})", words::name(spoken.word(at, true))),
                false => name,
            },
            role.to_string(),
            number::fixed(found.expectations.means[at], 4),
            match (clamp.get(at), &found.mean_errors) {
                (Some(_), _) => "(given)".to_string(),
                (None, Some(errors)) => format!("± {}", number::small(errors[at])),
                (None, None) => String::new(),
            },
        ]);
    }
    table
}

/// The terms on two and more units of largest weight either way.
fn strongest(network: &Network) -> Vec<usize> {
    let size = |term: &usize| network.weights()[*term].abs();
    let mut chosen: Vec<usize> = (0..network.terms().len())
        .filter(|&term| network.terms()[term].order() > 1)
        .collect();
    chosen.sort_by(|a, b| size(b).total_cmp(&size(a)));
    chosen.truncate(STRONGEST);
    chosen
}

fn terms(network: &Network, found: &Answer, chosen: &[usize]) -> Table {
    let head = match network.order() {
        2 => ("strongest pairs", Align::Left),
        _ => ("strongest terms", Align::Left),
    };
    let mut table = Table::new(&[
        head,
        ("weight", Align::Right),
        ("P(all are 1)", Align::Right),
        ("", Align::Left),
    ]);
    for &term in chosen {
        let error = |errors: &Vec<f64>| format!("± {}", number::small(errors[term]));
        table.row(vec![
            words::term(network, term),
            number::weight(network.weights()[term]),
            number::fixed(found.expectations.terms[term], 4),
            found.term_errors.as_ref().map_or_else(String::new, error),
        ]);
    }
    table
}
