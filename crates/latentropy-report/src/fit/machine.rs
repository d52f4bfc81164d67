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
    let network = &run.network;
    let (visible, hidden) = (network.visible(), network.hidden());
    let mut html = paragraph(
        "A positive weight makes two units more likely to be on together than each alone would have it, a negative \
         weight less likely; a bias does so for one unit by itself.",
    );
    html += "<div class=\"side\">";
    html += &drawing::html(run);
    let weights = Weights::new(run);
    let rows = strongest(&weights, &visible, visible.len() + hidden.len());
    let name = |unit: usize| run.name(unit).to_string();
    let width = |columns: usize| (420.0 / columns.max(1) as f64).clamp(24.0, 52.0);
    if !hidden.is_empty() {
        let columns: Vec<usize> = hidden.iter().copied().take(MOST_UNITS).collect();
        let mut names: Vec<String> = columns.iter().map(|&unit| name(unit)).collect();
        let mut rows = rows.clone();
        let among = |&unit: &usize| {
            columns
                .iter()
                .any(|&other| weights.pair(unit, other).is_finite())
        };
        rows.extend(hidden.iter().copied().take(MOST_UNITS).filter(among));
        let mut values: Vec<Vec<f64>> = rows
            .iter()
            .map(|&row| {
                columns
                    .iter()
                    .map(|&column| weights.pair(row, column))
                    .collect()
            })
            .collect();
        if rows.iter().any(|&row| weights.bias(row).is_finite()) {
            names.insert(0, "bias".to_string());
            for (values, &row) in values.iter_mut().zip(&rows) {
                values.insert(0, weights.bias(row));
            }
        }
        let mut map = HeatMap::new(
            "",
            rows.iter().map(|&row| name(row)).collect(),
            names,
            values,
        );
        map.cell = (width(map.columns.len()), 24.0);
        map.unit = "weight".to_string();
        map.decimals = Some(1);
        html += &Figure::new("Weights of the hidden units")
            .panel(map)
            .caption(cut(&visible, &rows))
            .html();
    }
    html += "</div>\n";
    let connected = |&a: &usize| visible.iter().any(|&b| weights.pair(a, b).is_finite());
    let mut among: Vec<usize> = rows
        .iter()
        .copied()
        .filter(|unit| visible.contains(unit))
        .collect();
    among.retain(connected);
    if among.len() > 1 {
        let row = |a: &usize| {
            let cell = |b: &usize| {
                if b < a {
                    weights.pair(*a, *b)
                } else {
                    f64::NAN
                }
            };
            among[..among.len() - 1]
                .iter()
                .map(cell)
                .collect::<Vec<f64>>()
        };
        let names: Vec<String> = among.iter().map(|&unit| name(unit)).collect();
        let values = among[1..].iter().map(row).collect();
        let last = names.len() - 1;
        let mut map = HeatMap::new("", names[1..].to_vec(), names[..last].to_vec(), values);
        map.cell = ((480.0 / names.len() as f64).clamp(15.0, 30.0), 20.0);
        map.unit = "weight".to_string();
        html += &Figure::new("Weights between the columns")
            .panel(map)
            .caption(cut(&visible, &rows))
            .html();
    }
    html + &larger(run)
}

fn cut(visible: &[usize], rows: &[usize]) -> String {
    let shown = rows.iter().filter(|unit| visible.contains(unit)).count();
    match shown < visible.len() {
        true => format!(
            "The {shown} most strongly connected of {} columns.",
            visible.len()
        ),
        false => String::new(),
    }
}

/// Weights by units.
struct Weights {
    pairs: HashMap<(usize, usize), f64>,
    biases: HashMap<usize, f64>,
}

impl Weights {
    fn new(run: &Run) -> Self {
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
    fn pair(&self, a: usize, b: usize) -> f64 {
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
