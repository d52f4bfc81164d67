//! The chosen machine in words: what goes with each hidden unit, and what goes against it.

use super::{Style, number, words};
use crate::failure::Outcome;
use latentropy::data::Coding;
use latentropy::fit::{Connection, Untold, Weights};
use latentropy::inference::Kind;
use latentropy::{Candidate, EngineId, Error, Network, Sampling, infer};

/// How many of the strongest weights are shown, either way.
const STRONGEST: usize = 4;
/// More hidden units than the first number would not stay on one screen: the second number of them is told of.
const MOST_UNITS: usize = 8;
const OF_MANY: usize = 5;
/// So many units are summed in no time.
const MOST_SUMMED: usize = 20;
/// A machine and the words of its columns.
pub(super) struct Told<'a> {
    pub(super) candidate: &'a Candidate,
    pub(super) codings: &'a [Coding],
}

impl Told<'_> {
    /// The coding of a unit whose two values have words to be told by.
    fn coding(&self, unit: usize) -> Option<&Coding> {
        let name = &self.candidate.network.units()[unit].name;
        let mut codings = self.codings.iter();
        codings.find(|coding| coding.column == *name && coding.is_in_words())
    }

    /// A unit by its name, with the word of a value where it has one.
    fn named(&self, unit: usize, value: Option<bool>) -> String {
        let name = words::name(&self.candidate.network.units()[unit].name);
        match (value, self.coding(unit)) {
            (Some(value), Some(coding)) => {
                format!("{name} = {}", words::name(&coding.words(value)))
            }
            _ => name,
        }
    }
}

/// What the hidden units, or else the strongest pairs, stand for.
pub(super) fn paragraphs(told: &Told<'_>, style: Style) -> Outcome<String> {
    let candidate = told.candidate;
    let network = &candidate.network;
    let hidden = network.hidden();
    if hidden.is_empty() {
        let (pairs, untold) = connections(told, None);
        let strong = pairs.iter().filter(|found| found.stands_out());
        let list = listed(told, strong.take(2 * STRONGEST));
        let mut text = match list.is_empty() {
            true => String::new(),
            false => paragraph("  strongest  ", &list),
        };
        let what = match network.order() > 2 {
            true => "term",
            false => "pair",
        };
        text += &not_told(&pairs, &untold, what);
        return Ok(text);
    }
    // What was not learned by exact sums is shown without probabilities, unless they take no time.
    let is_quick =
        told.candidate.worth.log_likelihood == Kind::Exact || network.units().len() <= MOST_SUMMED;
    let exact = is_quick.then(|| infer(network, &[], Some(EngineId::EXACT), &Sampling::default()));
    let means = match exact {
        Some(Ok(found)) => Some(found.answer.expectations.means),
        None | Some(Err(Error::TooLarge { .. })) => None,
        Some(Err(error)) => return Err(error.into()),
    };
    let shown = strongest(network, &hidden);
    let mut text = match hidden.len() - shown.len() {
        0 => String::new(),
        _ => format!(
            "\nthe {} most strongly connected of {} hidden units; --out writes every weight (weights.csv)\n",
            shown.len(),
            hidden.len()
        ),
    };
    for unit in shown {
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
        let (weights, untold) = connections(told, Some(unit));
        let side = |up: bool| {
            weights
                .iter()
                .filter(move |found| found.stands_out() && (found.weight > 0.0) == up)
                .take(STRONGEST)
        };
        let (up, down) = (listed(told, side(true)), listed(told, side(false)));
        if weights.is_empty() {
            text += "  is hardly connected to any other unit\n";
        }
        if !up.is_empty() {
            text += &paragraph("  goes with     ", &up);
        }
        if !down.is_empty() {
            text += &paragraph("  goes against  ", &down);
        }
        text += &not_told(&weights, &untold, "weight");
    }
    Ok(text)
}

/// All hidden units, or where there are many those of the largest sum of squared weights, in their order.
fn strongest(network: &Network, hidden: &[usize]) -> Vec<usize> {
    let strength = |unit: usize| -> f64 {
        let terms = network.terms().iter().zip(network.weights());
        let own = terms.filter(|(term, _)| term.order() > 1 && term.units().contains(&unit));
        own.map(|(_, weight)| weight * weight).sum()
    };
    if hidden.len() <= MOST_UNITS {
        return hidden.to_vec();
    }
    let mut ranked: Vec<(f64, usize)> = hidden.iter().map(|&unit| (strength(unit), unit)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut shown: Vec<usize> = ranked.iter().take(OF_MANY).map(|(_, unit)| *unit).collect();
    shown.sort_unstable();
    shown
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
        "  has the same posterior as {first} for every row, or the opposite one: the two are grades of one cause\n"
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

/// How many weights are not told, since they may well be nothing, or are next to it; nothing where none would be told.
fn not_told(found: &[Connection], untold: &Untold, what: &str) -> String {
    if found.is_empty() {
        return String::new();
    }
    let reasons = untold.reasons().into_iter();
    let line = |(count, why): (usize, String)| {
        let counted = words::counted(count as u64, what);
        format!("  {counted} {why}, and not told\n")
    };
    reasons.map(line).collect()
}

/// Terms on two and more units, strongest first: all of them, or those with a unit, by their other units; and those that are
/// not told.
fn connections(told: &Told<'_>, with: Option<usize>) -> (Vec<Connection>, Untold) {
    let errors = &told.candidate.standard_errors;
    let weights = Weights {
        network: &told.candidate.network,
        error: &|term| errors.weights[term],
        undetermined: &errors.undetermined,
        has_words: &|unit| told.coding(unit).is_some(),
    };
    (weights.connections(with), weights.untold(with))
}

fn listed<'a>(told: &Told<'_>, found: impl Iterator<Item = &'a Connection>) -> Vec<String> {
    found
        .map(|found| {
            let names = found.units.iter();
            let names: Vec<String> = names
                .map(|&(unit, value)| told.named(unit, value))
                .collect();
            let (name, weight) = (names.join(" * "), number::weight(found.weight));
            match found.error {
                Some(error) => format!("{name} ({weight} ± {})", number::fixed(error, 2)),
                None => format!("{name} ({weight})"),
            }
        })
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
