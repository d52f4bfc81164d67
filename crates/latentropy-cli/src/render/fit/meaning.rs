//! The chosen machine in words: what goes with each hidden unit, and what goes against it.

use super::{Style, number, words};
use crate::failure::Outcome;
use latentropy::{Candidate, EngineId, Error, Sampling, infer};

/// How many of the strongest weights are shown, either way.
const STRONGEST: usize = 4;
/// Weights that are smaller than this say little.
const WEAK: f64 = 0.05;
/// A weight is told as meaning where it is more than this many standard errors away from nothing.
const STANDS_OUT: f64 = 2.0;

/// What the hidden units, or else the strongest pairs, stand for.
pub(super) fn paragraphs(candidate: &Candidate, style: Style) -> Outcome<String> {
    let network = &candidate.network;
    let hidden = network.hidden();
    if hidden.is_empty() {
        let pairs = strongest(candidate, None);
        let told = pairs.iter().filter(|found| found.stands_out());
        let list = listed(told.take(2 * STRONGEST));
        let mut text = match list.is_empty() {
            true => String::new(),
            false => paragraph("  strongest  ", &list),
        };
        text += &within_their_errors(&pairs, "pair");
        return Ok(text);
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
        if let Some(said) = says(candidate, unit) {
            text += &said;
            continue;
        }
        text += &scale(candidate, unit);
        let weights = strongest(candidate, Some(unit));
        let side = |up: bool| {
            weights
                .iter()
                .filter(move |found| found.stands_out() && (found.weight > 0.0) == up)
                .take(STRONGEST)
        };
        let (up, down) = (listed(side(true)), listed(side(false)));
        if weights.is_empty() {
            text += "  is hardly connected to any other unit\n";
        }
        if !up.is_empty() {
            text += &paragraph("  goes with     ", &up);
        }
        if !down.is_empty() {
            text += &paragraph("  goes against  ", &down);
        }
        text += &within_their_errors(&weights, "weight");
    }
    Ok(text)
}

/// What there is to say of a unit in place of its weights: that it says nothing, or that it is a copy.
fn says(candidate: &Candidate, unit: usize) -> Option<String> {
    let known = candidate.hidden_units.as_ref()?;
    let own = known.units.iter().find(|known| known.unit == unit)?;
    if own.says_nothing {
        return Some("  says nothing: its posterior is the same for every row\n".to_string());
    }
    let first = words::name(&candidate.network.units()[own.copy_of?].name);
    Some(format!(
        "  has the posterior of {first} for every row: the two are grades of one cause\n"
    ))
}

/// With which unit before it a unit forms a scale.
fn scale(candidate: &Candidate, unit: usize) -> String {
    let known = candidate.hidden_units.as_ref();
    let own = known.and_then(|known| known.units.iter().find(|known| known.unit == unit));
    match own.and_then(|own| own.scale_with) {
        Some((other, h)) => format!(
            "  forms a scale with {} (H = {}): grades of one cause rather than two causes\n",
            words::name(&candidate.network.units()[other].name),
            number::fixed(h, 2)
        ),
        None => String::new(),
    }
}

/// How many weights are not told, since they may well be nothing.
fn within_their_errors(weights: &[Strong], what: &str) -> String {
    match weights.iter().filter(|found| !found.stands_out()).count() {
        0 => String::new(),
        count => format!(
            "  {} within two standard errors of nothing, and not told\n",
            words::counted(count as u64, what)
        ),
    }
}

/// A term on two and more units.
struct Strong {
    name: String,
    weight: f64,
    error: Option<f64>,
}

impl Strong {
    /// True of a weight that is more than its error allows for; without a known error, of every one.
    fn stands_out(&self) -> bool {
        self.error
            .is_none_or(|error| self.weight.abs() > STANDS_OUT * error)
    }
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
