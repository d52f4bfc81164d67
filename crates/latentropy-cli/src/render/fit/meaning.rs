//! The chosen machine in words: what goes with each hidden unit, and what goes against it.

use super::{Style, number, words};
use crate::failure::Outcome;
use latentropy::inference::{Clamp, FeatureExpectations, exact_engine};
use latentropy::network::Network;

/// How many of the strongest weights are shown, either way.
const STRONGEST: usize = 4;
/// Weights that are smaller than this say little.
const WEAK: f64 = 0.05;

/// What the hidden units, or else the strongest pairs, stand for.
pub(super) fn paragraphs(network: &Network, style: Style) -> Outcome<String> {
    let hidden = network.hidden();
    if hidden.is_empty() {
        let pairs = strongest(network, None);
        let list = listed(pairs.iter().take(2 * STRONGEST));
        return Ok(if list.is_empty() {
            String::new()
        } else {
            paragraph("  strongest  ", &list)
        });
    }
    let clamp = Clamp::none(network.units().len());
    let means = exact_engine(network, &clamp)?
        .expectations(network, &clamp)?
        .means;
    let mut text = String::new();
    for unit in hidden {
        let name = style.bold(&words::name(&network.units()[unit].name));
        text += &format!(
            "\n{name}, on with probability {}\n",
            number::fixed(means[unit], 3)
        );
        let weights = strongest(network, Some(unit));
        let side = |up: bool| {
            weights
                .iter()
                .filter(move |(_, weight)| (*weight > 0.0) == up)
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

/// Terms on two and more units, strongest first: all of them, or those with a unit, by their other units.
fn strongest(network: &Network, with: Option<usize>) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = network
        .terms()
        .iter()
        .zip(network.weights())
        .filter(|(term, weight)| {
            let concerns = with.is_none_or(|unit| term.units().contains(&unit));
            term.order() > 1 && concerns && weight.abs() >= WEAK
        })
        .map(|(term, &weight)| {
            let others = term.units().iter().filter(|&&unit| Some(unit) != with);
            let names: Vec<String> = others
                .map(|&unit| words::name(&network.units()[unit].name))
                .collect();
            (names.join(" * "), weight)
        })
        .collect();
    found.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
    found
}

fn listed<'a>(weights: impl Iterator<Item = &'a (String, f64)>) -> Vec<String> {
    weights
        .map(|(name, weight)| format!("{name} ({})", number::weight(*weight)))
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
