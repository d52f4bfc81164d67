//! The weights: a drawing of the machine, and heat maps.

use super::drawing;
use super::run::Run;
use super::words;
use crate::charts::{Figure, HeatMap};
use crate::page::{paragraph, table};
use std::collections::HashMap;

/// Most units along a side of a heat map.
const MOST_UNITS: usize = 40;
/// Lines of the table of higher-order terms.
const MOST_TERMS: usize = 15;

pub(super) fn html(run: &Run) -> String {
    let html_of = |figure: Option<Figure>| figure.map_or_else(String::new, |figure| figure.html());
    let mut html = paragraph(
        "A positive weight makes two units more likely to be on together than each alone would have it, a negative \
         weight less likely; a bias does so for one unit by itself.",
    );
    html += "<div class=\"side\">";
    html += &drawing::html(run);
    html += &html_of(of_hidden_units(run));
    html += "</div>\n";
    html += &html_of(between_columns(run));
    html + &larger(run)
}

/// The most strongly connected columns, and all weights.
fn shown(run: &Run) -> (Weights, Vec<usize>) {
    let weights = Weights::new(run);
    let columns = strongest(&weights, &run.network.visible(), run.network.units().len());
    (weights, columns)
}

/// The heat map of the hidden units' weights; none where there are no hidden units.
pub(super) fn of_hidden_units(run: &Run) -> Option<Figure> {
    let (weights, visible) = shown(run);
    let hidden = run.network.hidden().into_iter().take(MOST_UNITS);
    let hidden: Vec<usize> = hidden.collect();
    if hidden.is_empty() {
        return None;
    }
    let has_pair = |&unit: &usize| {
        let mut pairs = hidden.iter().map(|&other| weights.pair(unit, other));
        pairs.any(f64::is_finite)
    };
    let rows: Vec<usize> = visible
        .iter()
        .copied()
        .chain(hidden.iter().copied().filter(has_pair))
        .collect();
    let row = |&row: &usize| -> Vec<f64> {
        let pairs = hidden.iter().map(|&column| weights.pair(row, column));
        pairs.collect()
    };
    let mut values: Vec<Vec<f64>> = rows.iter().map(row).collect();
    let mut names = names(run, &hidden);
    if rows.iter().any(|&row| weights.bias(row).is_finite()) {
        names.insert(0, "bias".to_string());
        for (values, &row) in values.iter_mut().zip(&rows) {
            values.insert(0, weights.bias(row));
        }
    }
    let mut map = HeatMap::new("", self::names(run, &rows), names, values);
    let width = 420.0 / map.columns.len().max(1) as f64;
    map.cell = (width.clamp(24.0, 52.0), 24.0);
    map.unit = "weight".to_string();
    map.decimals = Some(1);
    let figure = Figure::new("Weights of the hidden units")
        .panel(map)
        .caption(cut(&run.network.visible(), &visible));
    Some(figure)
}

/// The heat map of the weights between columns; none where there are no such weights.
pub(super) fn between_columns(run: &Run) -> Option<Figure> {
    let (weights, visible) = shown(run);
    let all = run.network.visible();
    let connected = |&a: &usize| all.iter().any(|&b| weights.pair(a, b).is_finite());
    let among: Vec<usize> = visible.iter().copied().filter(connected).collect();
    let [first_to_last @ .., _] = &among[..] else {
        return None;
    };
    let second_on = &among[1..];
    if second_on.is_empty() {
        return None;
    }
    // Each pair once: below the diagonal.
    let row = |a: &usize| -> Vec<f64> {
        let cell = |b: &usize| match b < a {
            true => weights.pair(*a, *b),
            false => f64::NAN,
        };
        first_to_last.iter().map(cell).collect()
    };
    let values = second_on.iter().map(row).collect();
    let mut map = HeatMap::new("", names(run, second_on), names(run, first_to_last), values);
    map.cell = ((480.0 / among.len() as f64).clamp(15.0, 30.0), 20.0);
    map.unit = "weight".to_string();
    let figure = Figure::new("Weights between the columns")
        .panel(map)
        .caption(cut(&all, &visible));
    Some(figure)
}

fn names(run: &Run, units: &[usize]) -> Vec<String> {
    units
        .iter()
        .map(|&unit| run.name(unit).to_string())
        .collect()
}

/// Says which columns are shown, where some are not.
fn cut(all: &[usize], shown: &[usize]) -> String {
    let (all, shown) = (all.len(), shown.len());
    match shown < all {
        true => format!("The {shown} most strongly connected of {all} columns."),
        false => String::new(),
    }
}

/// Weights by units.
pub(super) struct Weights {
    pairs: HashMap<(usize, usize), f64>,
    biases: HashMap<usize, f64>,
}

impl Weights {
    pub(super) fn new(run: &Run) -> Self {
        let (mut pairs, mut biases) = (HashMap::new(), HashMap::new());
        for (term, &weight) in run.network.terms().iter().zip(run.network.weights()) {
            match *term.units() {
                [a] => {
                    biases.insert(a, weight);
                }
                [a, b] => {
                    pairs.insert((a, b), weight);
                }
                _ => {}
            }
        }
        Weights { pairs, biases }
    }

    /// NaN where there is no such term.
    pub(super) fn pair(&self, a: usize, b: usize) -> f64 {
        let found = self.pairs.get(&(a.min(b), a.max(b)));
        found.copied().unwrap_or(f64::NAN)
    }

    fn bias(&self, unit: usize) -> f64 {
        self.biases.get(&unit).copied().unwrap_or(f64::NAN)
    }
}

/// The visible units in their order, without the most weakly connected where there are too many.
fn strongest(weights: &Weights, visible: &[usize], units: usize) -> Vec<usize> {
    let strength = |unit: usize| -> f64 {
        let weights = (0..units).map(|other| weights.pair(unit, other));
        weights
            .filter(|weight| weight.is_finite())
            .map(f64::abs)
            .sum()
    };
    let mut found = visible.to_vec();
    found.sort_by(|&a, &b| strength(b).total_cmp(&strength(a)));
    found.truncate(MOST_UNITS);
    found.sort_unstable();
    found
}

fn larger(run: &Run) -> String {
    let network = &run.network;
    let mut terms: Vec<usize> = (0..network.terms().len())
        .filter(|&term| network.terms()[term].order() > 2)
        .collect();
    if terms.is_empty() {
        return String::new();
    }
    let count = terms.len();
    let weight = |term: usize| network.weights()[term];
    terms.sort_by(|&a, &b| weight(b).abs().total_cmp(&weight(a).abs()));
    terms.truncate(MOST_TERMS);
    let rows: Vec<Vec<String>> = terms
        .iter()
        .map(|&term| {
            let units = network.terms()[term].units().iter();
            let names: Vec<&str> = units.map(|&unit| run.name(unit)).collect();
            vec![
                names.join(", "),
                words::weight_with(weight(term), run.weight_error(term)),
            ]
        })
        .collect();
    format!("<h3>The strongest of {count} terms on three and more units</h3>\n")
        + &table(&["units", "weight#"], &rows)
}
