//! latentropy's own model file, `latentropy/1`: all of a network, weights bit by bit.
//!
//! `{"format": "latentropy/1", "units": [{"name": "y1", "role": "visible"}, …],
//! "terms": [{"units": [0, 1], "weight": 0.7}, …]}`; the constant is a term without units, left out
//! when it is 0. A fit adds `codings`, what the words of its columns mean. Fields that are not known are ignored; a format that is not known is an error.

use super::fault::{Fault, shown};
use crate::data::Coding;
use crate::error::Result;
use crate::network::definition::{LARGEST_WEIGHT, is_allowed};
use crate::network::{Network, Role, Term, Unit};
use crate::plain::plain_name;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::fmt::Write;

/// The layout of model.json.
pub const FORMAT: &str = "latentropy/1";

type Parsed<T> = std::result::Result<T, Fault>;

/// The network as a JSON document, to which a caller may add fields of its own.
pub fn model_json(network: &Network) -> Value {
    json!({
        "format": FORMAT,
        "units": network.units(),
        "terms": terms_of(network)
            .map(|(units, weight)| json!({"units": units, "weight": weight}))
            .collect::<Vec<_>>(),
    })
}

/// The network of a JSON document as [`model_json`] makes it.
pub fn from_json_value(document: &Value) -> Result<Network> {
    read(document).map_err(Fault::in_value)
}

/// The text of a model file: fields in the order of the description above, one unit and one term
/// per line, so that people and line-based tools can read it.
pub(super) fn write(network: &Network) -> String {
    let units = network.units().iter().map(|unit| json!(unit).to_string());
    let terms = terms_of(network)
        .map(|(units, weight)| json!({"units": units, "weight": weight}).to_string());
    let mut text = format!("{{\n\"format\": \"{FORMAT}\",\n");
    write_list(&mut text, "units", units);
    text.push_str(",\n");
    write_list(&mut text, "terms", terms);
    text.push_str("\n}\n");
    text
}

fn write_list(text: &mut String, name: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.collect();
    // Writing into a string cannot fail.
    let _ = write!(text, "\"{name}\": [\n{}\n]", items.join(",\n"));
}

fn terms_of(network: &Network) -> impl Iterator<Item = (&[usize], f64)> {
    let constant = Some((&[][..], network.constant())).filter(|(_, weight)| *weight != 0.0);
    let units = network.terms().iter().map(Term::units);
    constant
        .into_iter()
        .chain(units.zip(network.weights().iter().copied()))
}

/// The JSON document in a file.
pub(in crate::network) fn parse(bytes: &[u8]) -> Parsed<Value> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(bytes).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        if error.is_eof() {
            return Fault::at(
                place,
                "the file looks cut off: its JSON ends too early",
                "write or fetch it again",
            );
        }
        let word = word_at(bytes, error.line(), error.column());
        let name = word.trim_start_matches(['-', '+']).to_ascii_lowercase();
        if ["nan", "inf", "infinity"].contains(&name.as_str()) {
            let problem = format!("`{word}` is not a number in JSON");
            return Fault::at(place, problem, "weights must be finite numbers");
        }
        let reason = error.to_string();
        if reason.starts_with("number out of range") {
            let problem = format!("the number {} is out of range", shown(word));
            return Fault::at(
                place,
                problem,
                format!("weights must be finite, of at most {LARGEST_WEIGHT:e} in size"),
            );
        }
        let reason = reason.split(" at line").next().unwrap_or_default();
        Fault::at(
            place,
            format!("this is not valid JSON: {reason}"),
            "mend it there",
        )
    })
}

/// The number or the word in which a line and column (from 1) lie.
fn word_at(bytes: &[u8], line: usize, column: usize) -> String {
    let line = bytes
        .split(|&byte| byte == b'\n')
        .nth(line.saturating_sub(1))
        .unwrap_or_default();
    let of_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let (before, after) = line.split_at(column.saturating_sub(1).min(line.len()));
    let head = before.iter().rev().take_while(|byte| of_word(byte)).count();
    let tail = after.iter().take_while(|byte| of_word(byte)).count();
    String::from_utf8_lossy(&line[before.len() - head..before.len() + tail]).into_owned()
}

/// The network of a document.
pub(super) fn read(document: &Value) -> Parsed<Network> {
    let Some(model) = document.as_object() else {
        let problem = format!("a model is a JSON object, but this is {}", shown(document));
        return Err(Fault::whole(problem, written_by_latentropy()));
    };
    check_format(model)?;
    let units = read_units(list(model, "units")?)?;
    let terms = read_terms(list(model, "terms")?, units.len())?;
    Network::new(units, terms).map_err(Fault::network)
}

/// What the words of columns mean; most models have none of their own.
pub(super) fn read_codings(document: &Value) -> Parsed<Vec<Coding>> {
    let Some(codings) = document.get("codings") else {
        return Ok(Vec::new());
    };
    serde_json::from_value(codings.clone()).map_err(|error| {
        let remedy = "write a list of {\"column\": …, \"one\": [words], \"zero\": [words]}, or leave the field out";
        Fault::at("codings", error.to_string(), remedy)
    })
}

fn written_by_latentropy() -> String {
    format!("a model file has \"format\": \"{FORMAT}\", \"units\" and \"terms\"")
}

fn check_format(model: &Map<String, Value>) -> Parsed<()> {
    let problem = match model.get("format") {
        Some(Value::String(format)) if format == FORMAT => return Ok(()),
        Some(other) => format!("the format {} is not known", shown(other)),
        None => "there is no field \"format\"".to_string(),
    };
    let remedy = format!(
        "this version reads \"{FORMAT}\" alone; {}",
        written_by_latentropy()
    );
    Err(Fault::at("format", problem, remedy))
}

fn list<'a>(model: &'a Map<String, Value>, name: &str) -> Parsed<&'a [Value]> {
    match model.get(name) {
        Some(Value::Array(items)) => Ok(items),
        Some(other) => {
            let problem = format!("this is {}, not a list", shown(other));
            Err(Fault::at(name, problem, written_by_latentropy()))
        }
        None => {
            let problem = format!("there is no field \"{name}\"");
            Err(Fault::at(name, problem, written_by_latentropy()))
        }
    }
}

fn read_units(items: &[Value]) -> Parsed<Vec<Unit>> {
    let mut first_of_name = HashMap::new();
    let mut units = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let place = format!("units[{at}].name");
        let name = match item.get("name") {
            Some(Value::String(name)) if !name.is_empty() => plain_name(name).into_owned(),
            _ => {
                return Err(Fault::at(
                    place,
                    "the unit has no name",
                    "give it a non-empty text",
                ));
            }
        };
        if let Some(first) = first_of_name.insert(name.clone(), at) {
            let problem = format!("\"{}\" is also the name of units[{first}]", shown(name));
            return Err(Fault::at(place, problem, "rename one of the two"));
        }
        let role = match item.get("role").and_then(Value::as_str) {
            Some("visible") => Role::Visible,
            Some("hidden") => Role::Hidden,
            _ => {
                let given = item.get("role").map_or("missing".to_string(), shown);
                let place = format!("units[{at}].role");
                let problem = format!("the role is {given}");
                return Err(Fault::at(place, problem, "write \"visible\" or \"hidden\""));
            }
        };
        units.push(Unit { name, role });
    }
    Ok(units)
}

fn read_terms(items: &[Value], units: usize) -> Parsed<Vec<(Term, f64)>> {
    let mut first_of_term = HashMap::new();
    let mut terms = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let term = read_term(item, units, &format!("terms[{at}].units"))?;
        if let Some(first) = first_of_term.insert(term.clone(), at) {
            let problem = format!("the term has the same units as terms[{first}]");
            let remedy = "add the two weights into one term";
            return Err(Fault::at(format!("terms[{at}]"), problem, remedy));
        }
        let weight = item
            .get("weight")
            .and_then(Value::as_f64)
            .filter(|&weight| is_allowed(weight));
        let Some(weight) = weight else {
            let given = item.get("weight").map_or("missing".to_string(), shown);
            let place = format!("terms[{at}].weight");
            return Err(Fault::at(
                place,
                format!("the weight is {given}"),
                format!("weights must be finite numbers, of at most {LARGEST_WEIGHT:e} in size"),
            ));
        };
        terms.push((term, weight));
    }
    Ok(terms)
}

fn read_term(item: &Value, units: usize, place: &str) -> Parsed<Term> {
    let Some(items) = item.get("units").and_then(Value::as_array) else {
        let remedy = "write the positions of the term's units, such as [0, 1]";
        return Err(Fault::at(place, "the term has no list of units", remedy));
    };
    let mut chosen = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let index = item.as_u64().and_then(|index| usize::try_from(index).ok());
        match index.filter(|&index| index < units) {
            Some(index) => chosen.push(index),
            None => {
                let problem = format!("{} is not the position of a unit", shown(item));
                let remedy = match units {
                    0 => "there are no units".to_string(),
                    _ => format!("the units are 0 to {}", units - 1),
                };
                return Err(Fault::at(format!("{place}[{at}]"), problem, remedy));
            }
        }
    }
    let term = Term::new(chosen);
    if term.order() < items.len() {
        return Err(Fault::at(
            place,
            "a unit is named twice in one term",
            "name it once",
        ));
    }
    Ok(term)
}
