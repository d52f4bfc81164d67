//! The words of columns, in what is printed and in what is typed: 0 and 1 where a column has no words of its own.

use crate::args::GivenArgs;
use crate::failure::{Failure, Outcome};
use crate::wording::Flags;
use latentropy::data::{Cell, Coding};
use latentropy::network::{Clamp, Network};
use std::path::Path;

/// What each of some columns, or units, says for 0 and 1.
pub(crate) struct Spoken<'a> {
    codings: Vec<Option<&'a Coding>>,
}

impl<'a> Spoken<'a> {
    /// Of these columns; those without a coding speak in numbers.
    pub(crate) fn new<'n>(
        columns: impl IntoIterator<Item = &'n str>,
        codings: &'a [Coding],
    ) -> Self {
        let own = |column: &str| codings.iter().find(|coding| coding.column == column);
        Spoken {
            codings: columns.into_iter().map(own).collect(),
        }
    }

    /// Of the units of a model; with no codings where numbers are asked for.
    pub(crate) fn of_units(network: &Network, codings: &'a [Coding], numbers: bool) -> Self {
        let names = network.units().iter().map(|unit| unit.name.as_str());
        Spoken::new(names, if numbers { &[] } else { codings })
    }

    /// The word for a value.
    pub(crate) fn word(&self, at: usize, value: bool) -> &'a str {
        match (self.codings.get(at).copied().flatten(), value) {
            (Some(coding), _) => coding.word(value),
            (None, true) => "1",
            (None, false) => "0",
        }
    }

    /// Whether a value has a word other than its number.
    pub(crate) fn has_words(&self, at: usize) -> bool {
        self.word(at, true) != "1" || self.word(at, false) != "0"
    }

    /// The units that are held, in the order typed; a value is a word of its column, or 0 or 1.
    pub(crate) fn held(
        &self,
        model: &Path,
        network: &Network,
        given: &GivenArgs,
    ) -> Outcome<Vec<(String, bool)>> {
        let file = model.display();
        given
            .all()
            .iter()
            .map(|text| {
                let (name, value) = parted(network, text);
                let value = match network.unit_named(name) {
                    Some(unit) => self.value(unit, name, value)?,
                    // What names no unit is refused with the names that there are, whatever its value.
                    None => {
                        let absent = Clamp::by_name(network, &[(name, false)]);
                        absent.map_err(|error| {
                            Failure::Request(format!("{file}: {}", error.worded(&Flags)))
                        })?;
                        false
                    }
                };
                Ok((name.to_string(), value))
            })
            .collect()
    }

    /// What a typed value of a unit means.
    fn value(&self, unit: usize, name: &str, text: &str) -> Outcome<bool> {
        let known = |cell: Option<Cell>| match cell {
            Some(Cell::Zero) => Some(false),
            Some(Cell::One) => Some(true),
            Some(Cell::Missing) | None => None,
        };
        let usual = known(Cell::parse(text));
        if !self.has_words(unit) {
            return usual.ok_or_else(|| {
                Failure::Request(format!(
                    "--given {name}={text}: the value of {name} must be 0 or 1"
                ))
            });
        }
        let coding = self.codings.get(unit).copied().flatten();
        let own = known(coding.and_then(|coding| coding.read(text)));
        let is_number = text.trim().parse::<f64>().is_ok();
        match (own, usual) {
            (Some(own), Some(usual)) if own != usual && is_number => {
                Err(Failure::Request(format!(
                    "--given {name}={text}: {text} is a word of column {name}, read as {}, and a number, too; write \
                 {name}={} for the word, or add --numbers for the number",
                    u8::from(own),
                    self.other_way(unit, own)
                )))
            }
            (Some(own), _) => Ok(own),
            // A 0 in a column of 1 and 2 is the number.
            (None, Some(usual)) if is_number => Ok(usual),
            _ => Err(Failure::Request(format!(
                "--given {name}={text}: column {name} has no word {text}; its words are {} (read as 1) and {} (read as \
                 0), and 0 and 1 are understood, too",
                words(coding.map_or(&[], |coding| &coding.one), "1"),
                words(coding.map_or(&[], |coding| &coding.zero), "0"),
            ))),
        }
    }

    /// How to type a value whose word would be taken for the other number: the number, unless that is a word, too.
    fn other_way(&self, unit: usize, value: bool) -> String {
        let number = if value { "1" } else { "0" };
        match self.word(unit, !value) == number {
            true => format!("{number} with --numbers"),
            false => number.to_string(),
        }
    }
}

/// A name and a value: the name is that of a unit where an equals sign is part of a name or of a word.
fn parted<'t>(network: &Network, text: &'t str) -> (&'t str, &'t str) {
    let parts = text
        .match_indices('=')
        .map(|(at, _)| (&text[..at], &text[at + 1..]));
    let is_unit = |(name, _): &(&str, &str)| network.unit_named(name).is_some();
    let last = text.rsplit_once('=').unwrap_or((text, ""));
    parts.rev().find(is_unit).unwrap_or(last)
}

fn words(words: &[String], number: &str) -> String {
    match words.is_empty() {
        true => number.to_string(),
        false => words.join(", "),
    }
}
