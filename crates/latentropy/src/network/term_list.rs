//! A machine's terms listed in a file, as JSON or as text, with or without start weights.

use super::definition::{LARGEST_WEIGHT, is_allowed};
use super::files::{Fault, from_document, is_network, parse_json, shown};
use super::term::Term;
use super::unit::Unit;
use crate::error::{Error, Result, shortened};
use crate::files::read_bounded;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// Most bytes of a list of terms.
const LARGEST_FILE: u64 = 256 << 20;

type Parsed<T> = std::result::Result<T, Fault>;
type ListedTerm = (Term, Option<f64>);

/// Terms from a file, each with its start weight where the file gives one.
///
/// * JSON (by extension, or where the file starts with `{` or `[`): a model file, whose units are
///   matched by name and whose constant is left out; `{"terms": [{"units": ["y1", "z1"],
///   "weight": 0.3}, …]}`; or such a list alone. A term may also be just its list of units. A text
///   is a unit's name, a number its position, from 0.
/// * Text: one term per line, its units separated by blanks, `*` or commas; then `= weight` or
///   nothing; `#` starts a comment. A unit is a name or, where no unit has this name, a position.
pub fn read_terms(path: &Path, units: &[Unit]) -> Result<Vec<(Term, Option<f64>)>> {
    terms_from_bytes(path, &read_bounded(path, LARGEST_FILE)?, units)
}

/// The same from a file's content; `path` is what messages name.
pub fn terms_from_bytes(
    path: &Path,
    bytes: &[u8],
    units: &[Unit],
) -> Result<Vec<(Term, Option<f64>)>> {
    let names = Names::new(units);
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    let named_json = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let terms = if named_json || matches!(first, Some(b'{' | b'[')) {
        parse_json(bytes).and_then(|document| from_json(&document, &names))
    } else {
        from_text(bytes, &names)
    };
    let terms = terms.map_err(|fault| fault.in_file(path))?;
    if terms.is_empty() {
        return Err(Error::file(
            path,
            None,
            "there are no terms",
            "list at least one",
        ));
    }
    Ok(terms)
}

fn from_json(document: &Value, names: &Names<'_>) -> Parsed<Vec<ListedTerm>> {
    if is_network(document) {
        return from_model(document, names);
    }
    let (items, prefix) = match (document, document.get("terms")) {
        (Value::Array(items), _) => (items, ""),
        (_, Some(Value::Array(items))) => (items, "terms"),
        _ => {
            let remedy = "write {\"terms\": [{\"units\": [\"y1\", \"z1\"]}, …]}, or a model file";
            return Err(Fault::whole("there is no list of terms", remedy));
        }
    };
    let mut collected = Collected::default();
    for (at, item) in items.iter().enumerate() {
        let place = format!("{prefix}[{at}]");
        let (list, list_place) = match item {
            Value::Object(term) => (term.get("units"), format!("{place}.units")),
            other => (Some(other), place.clone()),
        };
        let Some(Value::Array(list)) = list else {
            let problem = format!("{} is not a term", shown(item));
            let remedy = "write a list of units, such as [\"y1\", \"z1\"]";
            return Err(Fault::at(place, problem, remedy));
        };
        let units = list.iter().enumerate().map(|(at, unit)| {
            let found = match unit {
                Value::String(name) => names.find(name),
                other => other
                    .as_u64()
                    .and_then(|index| names.at(usize::try_from(index).ok()?)),
            };
            found.ok_or_else(|| names.unknown(format!("{list_place}[{at}]"), &shown(unit)))
        });
        let units = units.collect::<Parsed<Vec<usize>>>()?;
        let weight = item.get("weight").map(|weight| {
            let value = weight.as_f64().filter(|&value| is_allowed(value));
            value.ok_or_else(|| bad_weight(format!("{place}.weight"), &shown(weight)))
        });
        collected.add(place, units, weight.transpose()?)?;
    }
    Ok(collected.terms)
}

/// The terms of a whole network, its units matched by name.
fn from_model(document: &Value, names: &Names<'_>) -> Parsed<Vec<ListedTerm>> {
    let network = from_document(document)?.network;
    let mut terms = Vec::new();
    for (term, &weight) in network.terms().iter().zip(network.weights()) {
        let units = term.units().iter().map(|&unit| {
            let name = &network.units()[unit].name;
            let found = names.places.get(name.as_str()).copied();
            found.ok_or_else(|| names.unknown(format!("unit {unit} of the model"), name))
        });
        terms.push((Term::new(units.collect::<Parsed<_>>()?), Some(weight)));
    }
    Ok(terms)
}

fn from_text(bytes: &[u8], names: &Names<'_>) -> Parsed<Vec<ListedTerm>> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let problem = format!("byte {} is not text", error.valid_up_to());
        Fault::whole(problem, "save the file as UTF-8")
    })?;
    let mut collected = Collected::default();
    for (at, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let place = format!("line {}", at + 1);
        let line = without_comment(line);
        let (listed, weight) = match line.rsplit_once('=') {
            Some((listed, weight)) => (listed, Some(weight.trim())),
            None => (line, None),
        };
        let separates = |letter: char| letter.is_whitespace() || letter == '*' || letter == ',';
        let words = listed.split(separates).filter(|word| !word.is_empty());
        let units = words.map(|word| {
            let found = names.find(word).or_else(|| names.at(word.parse().ok()?));
            found.ok_or_else(|| names.unknown(place.clone(), word))
        });
        let units = units.collect::<Parsed<Vec<usize>>>()?;
        if units.is_empty() && weight.is_none() {
            continue;
        }
        let weight = weight.map(|weight| {
            let value = weight.parse().ok().filter(|&value: &f64| is_allowed(value));
            value.ok_or_else(|| bad_weight(place.clone(), weight))
        });
        collected.add(place, units, weight.transpose()?)?;
    }
    Ok(collected.terms)
}

/// A `#` inside a name is part of it: a comment starts a line or follows a blank.
fn without_comment(line: &str) -> &str {
    let starts = |&(at, _): &(usize, &str)| {
        line[..at]
            .chars()
            .next_back()
            .is_none_or(char::is_whitespace)
    };
    line.match_indices('#')
        .find(starts)
        .map_or(line, |(at, _)| &line[..at])
}

fn bad_weight(place: String, given: &str) -> Fault {
    let problem = format!("the weight is `{}`", shown(given));
    let remedy = format!("weights must be finite numbers, of at most {LARGEST_WEIGHT:e} in size");
    Fault::at(place, problem, remedy)
}

/// The terms so far, with the places of their first appearance.
#[derive(Default)]
struct Collected {
    terms: Vec<ListedTerm>,
    first_places: HashMap<Term, String>,
}

impl Collected {
    fn add(&mut self, place: String, units: Vec<usize>, weight: Option<f64>) -> Parsed<()> {
        let given = units.len();
        let term = Term::new(units);
        if given == 0 {
            return Err(Fault::at(
                place,
                "the term has no units",
                "name at least one unit",
            ));
        }
        if term.order() < given {
            return Err(Fault::at(
                place,
                "a unit is named twice in one term",
                "name it once",
            ));
        }
        if let Some(first) = self.first_places.get(&term) {
            let problem = format!("the term is already given at {first}");
            return Err(Fault::at(place, problem, "remove one of the two"));
        }
        self.first_places.insert(term.clone(), place);
        self.terms.push((term, weight));
        Ok(())
    }
}

/// The machine's units by name and by position.
struct Names<'a> {
    units: &'a [Unit],
    places: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    fn new(units: &'a [Unit]) -> Self {
        let places = units.iter().enumerate();
        let places = places
            .map(|(place, unit)| (unit.name.as_str(), place))
            .collect();
        Names { units, places }
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    fn at(&self, place: usize) -> Option<usize> {
        (place < self.units.len()).then_some(place)
    }

    fn unknown(&self, place: String, name: &str) -> Fault {
        let names: Vec<&str> = self.units.iter().map(|unit| unit.name.as_str()).collect();
        let problem = format!("there is no unit `{}`", shown(name));
        let mut remedy = format!("the units are {}", shortened(&names));
        let splits = |letter: char| letter.is_whitespace() || "*,=".contains(letter);
        if names.iter().any(|name| name.contains(splits)) {
            remedy.push_str("; names with blanks, commas, `*` or `=` need a JSON file");
        }
        Fault::at(place, problem, remedy)
    }
}
