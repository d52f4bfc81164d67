//! The chosen machine in words: what goes with each hidden unit, and what goes against it.

use super::{Style, number, words};
use crate::failure::Outcome;
use latentropy::{Candidate, EngineId, Error, Sampling, infer};

/// How many of the strongest weights are shown, either way.
const STRONGEST: usize = 4;
/// Weights that are smaller than this say little.
const WEAK: f64 = 0.05;

/// What the hidden units, or else the strongest pairs, stand for.
pub(super) fn paragraphs(candidate: &Candidate, style: Style) -> Outcome<String> {
    let network = &candidate.network;
    let hidden = network.hidden();
    if hidden.is_empty() {
        let pairs = strongest(candidate, None);
        let list = listed(pairs.iter().take(2 * STRONGEST));
        return Ok(if list.is_empty() {
            String::new()
        } else {
            paragraph("  strongest  ", &list)
        });
    }
    // What no exact engine holds is shown without probabilities.
    let means = match infer(network, &[], Some(EngineId::EXACT), &Sampling::default()) {
        Ok(found) => Some(found.answer.expectations.means),
        Err(Error::TooLarge { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let mut text = String::new();
    for unit in hidden {
        let name = style.bold(&words::name(&network.units()[unit].name));
        text += &match &means {
            Some(means) => {
                let mean = number::fixed(means[unit], 3);
                format!("\n{name}, on with probability {mean}\n")
            }
            None => format!("\n{name}\n"),
        };
        let weights = strongest(candidate, Some(unit));
        let side = |up: bool| {
            weights
                .iter()
                .filter(move |found| (found.weight > 0.0) == up)
                .take(STRONGEST)
        };
        let (up, down) = (listed(side(true)), listed(side(false)));
        if up.is_empty() && down.is_empty() {
            text += "  is hardly connected to any other unit\n";
        }
        if !up.is_empty() {
            text += &paragraph("  goes with     ", &up);
        }
        if !down.is_empty() {
            text += &paragraph("  goes against  ", &down);
        }
    }
    Ok(text)
}

/// A term on two and more units.
struct Strong {
    name: String,
    weight: f64,
    error: Option<f64>,
}

/// Terms on two and more units, strongest first: all of them, or those with a unit, by their other units.
fn strongest(candidate: &Candidate, with: Option<usize>) -> Vec<Strong> {
    let network = &candidate.network;
    let mut found: Vec<Strong> = network
        .terms()
        .iter()
        .zip(network.weights())
        .zip(&candidate.standard_errors.weights)
        .filter(|((term, weight), _)| {
            let concerns = with.is_none_or(|unit| term.units().contains(&unit));
            term.order() > 1 && concerns && weight.abs() >= WEAK
        })
        .map(|((term, &weight), &error)| {
            let others = term.units().iter().filter(|&&unit| Some(unit) != with);
            let names: Vec<String> = others
                .map(|&unit| words::name(&network.units()[unit].name))
                .collect();
            Strong {
                name: names.join(" * "),
                weight,
                error,
            }
        })
        .collect();
    found.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
    found
}

fn listed<'a>(found: impl Iterator<Item = &'a Strong>) -> Vec<String> {
    found
        .map(
            |Strong {
                 name,
                 weight,
                 error,
             }| {
                let weight = number::weight(*weight);
                match error {
                    Some(error) => format!("{name} ({weight} ± {})", number::fixed(*error, 2)),
                    None => format!("{name} ({weight})"),
                }
            },
        )
        .collect()
}

/// Items after a label, broken into lines that begin under the first item.
fn paragraph(label: &str, items: &[String]) -> String {
    const WIDTH: usize = 92;
    let indent = label.chars().count();
    let (mut text, mut used) = (label.to_string(), indent);
    for (at, item) in items.iter().enumerate() {
        let item = if at + 1 < items.len() {
            format!("{item}, ")
        } else {
            item.clone()
        };
        let length = item.trim_end().chars().count();
        if at > 0 && used + length > WIDTH {
            text = format!("{}\n{}", text.trim_end(), " ".repeat(indent));
            used = indent;
        }
        used += item.chars().count();
        text += &item;
    }
    text + "\n"
}
