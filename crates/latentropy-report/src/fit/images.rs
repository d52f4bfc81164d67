//! Columns that form a grid: the weights of each hidden unit as an image, and drawn states beside rows of the data.

use super::grid::Grid;
use super::machine::Weights;
use super::run::Run;
use super::words;
use crate::charts::{Figure, HeatScale, Images, Picture, label};
use crate::page::paragraph;

/// Most units whose weights are shown.
const MOST_UNITS: usize = 100;
/// Most cells in all of their images: a page of large images shows fewer units, and stays small.
const MOST_CELLS: usize = 40_000;
/// But so many units in any case.
const LEAST_UNITS: usize = 16;
/// One weight in so many may be beyond the scale.
const BEYOND: usize = 100;

/// The section; empty where the columns are not said to form a grid.
pub(super) fn html(run: &Run) -> String {
    let Some(grid) = run.grid else {
        return String::new();
    };
    let mut html = paragraph(&format!(
        "The columns in their order are the cells of an image of {} and {}, row by row from the upper left.",
        words::counted(grid.height as u64, "row"),
        words::counted(grid.width as u64, "column"),
    ));
    html += &match weights(run) {
        Some(figure) => figure.html(),
        None => paragraph(
            "No weight is on a pair of a unit and a column, so that there is none to show.",
        ),
    };
    html + &match samples(run) {
        Some(figure) => figure.html(),
        None => paragraph("The files of this run hold no drawn states."),
    }
}

/// The weights of every hidden unit to the columns; of a machine without any, of every column to the others. None where
/// nothing is connected.
pub(super) fn weights(run: &Run) -> Option<Figure> {
    let grid = run.grid?;
    let columns = run.units_of_columns()?;
    let hidden = run.network.hidden();
    let (units, noun) = match hidden.is_empty() {
        false => (&hidden, "hidden unit"),
        true => (&columns, "column"),
    };
    let pairs = Weights::new(run);
    let field = |unit: usize| -> Vec<f64> {
        let weights = columns.iter().map(|&column| pairs.pair(unit, column));
        weights.collect()
    };
    let is_connected = |&unit: &usize| field(unit).iter().any(|weight| weight.is_finite());
    let connected: Vec<usize> = units.iter().copied().filter(is_connected).collect();
    let most = (MOST_CELLS / columns.len().max(1)).clamp(LEAST_UNITS, MOST_UNITS);
    let shown = run.strongest(&connected, most);
    if shown.is_empty() {
        return None;
    }
    let fields: Vec<Vec<f64>> = shown.iter().map(|&unit| field(unit)).collect();
    let end = end_of_scale(&fields);
    let pictures = shown.iter().zip(fields);
    let pictures = pictures.map(|(&unit, field)| picture(run, unit, field));
    let mut images = Images::new("", (grid.height, grid.width), pictures.collect());
    images.end = end;
    images.unit = "weight, on one scale for all images".to_string();
    let caption = caption(noun, shown.len(), connected.len());
    let figure = Figure::new("Weights as images");
    Some(figure.panel(images).caption(caption))
}

/// Where the scale ends, so that a few large weights do not leave all others pale: at the weight that one in a hundred
/// exceeds. None where the largest is about as large.
fn end_of_scale(fields: &[Vec<f64>]) -> Option<f64> {
    let weights = fields.iter().flatten();
    let mut sizes: Vec<f64> = weights.map(|weight| weight.abs()).collect();
    sizes.retain(|size| size.is_finite());
    sizes.sort_by(f64::total_cmp);
    let end = sizes.get(sizes.len() - sizes.len().div_ceil(BEYOND))?;
    (*end > 0.0 && sizes.last()? / end > 1.25).then_some(*end)
}

/// A unit's weights to the columns.
fn picture(run: &Run, unit: usize, weights: Vec<f64>) -> Picture {
    let name = run.name(unit).to_string();
    let found = weights.iter().filter(|weight| weight.is_finite());
    let range = found.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), weight| {
        (low.min(*weight), high.max(*weight))
    });
    Picture {
        tip: format!(
            "{name}\non with probability {}\nweights from {} to {}",
            words::percent(run.exhibits.unit_means[unit]),
            label(range.0, 2),
            label(range.1, 2),
        ),
        name,
        values: weights,
    }
}

fn caption(noun: &str, shown: usize, all: usize) -> String {
    let to = match noun {
        "column" => "the other columns, itself being grey",
        _ => "the columns",
    };
    let which = match shown < all {
        true => format!(
            "The {} of {} that are most strongly connected, the strongest first",
            words::grouped(shown as u64),
            words::counted(all as u64, noun),
        ),
        false => "The most strongly connected first".to_string(),
    };
    let left_out = match all - shown {
        0 => String::new(),
        count => format!("; {} are left out", words::grouped(count as u64)),
    };
    format!("One image per {noun}: its weights to {to}. {which}{left_out}.")
}

/// States drawn from the machine beside rows of the data; none where no states were kept.
pub(super) fn samples(run: &Run) -> Option<Figure> {
    let Grid { height, width } = run.grid?;
    let states = &run.exhibits.states;
    if states.drawn.is_empty() {
        return None;
    }
    let panel = |title: &str, states: &[String]| {
        let pictures = states.iter().map(|state| Picture {
            values: state.chars().map(value).collect(),
            ..Picture::default()
        });
        let mut images = Images::new(title, (height, width), pictures.collect());
        images.scale = HeatScale::Sequential(0.0, 1.0);
        (images.side, images.room) = (48.0, 470.0);
        images
    };
    let is_missing = states.rows.iter().any(|row| row.contains('?'));
    let missing = if is_missing {
        "; grey cells are missing"
    } else {
        ""
    };
    let figure = Figure::new("Samples as images")
        .panel(panel("Drawn from the machine", &states.drawn))
        .panel(panel("Rows of the data", &states.rows))
        .caption(format!(
            "Filled cells are 1{missing}. The rows are picked evenly from those that it was learned from. A machine that has learned the \
             rows draws states that look like them, and as different from each other."
        ));
    Some(figure)
}

/// A cell's number; a missing one has none.
fn value(cell: char) -> f64 {
    match cell {
        '0' => 0.0,
        '1' => 1.0,
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_said() {
        let all = caption("hidden unit", 64, 64);
        assert_eq!(
            all,
            "One image per hidden unit: its weights to the columns. The most strongly connected first."
        );
        let some = caption("column", 100, 144);
        assert_eq!(
            some,
            "One image per column: its weights to the other columns, itself being grey. The 100 of 144 columns that are \
             most strongly connected, the strongest first; 44 are left out."
        );
    }

    #[test]
    fn a_scale_ends_early_only_for_few_large_weights() {
        let mut fields = vec![vec![1.0, -1.0]; 200];
        assert_eq!(end_of_scale(&fields), None);
        // One in a hundred: the next one below ends the scale, whatever its sign.
        fields[7] = vec![-9.0, f64::NAN];
        assert_eq!(end_of_scale(&fields), Some(1.0));
        assert_eq!(end_of_scale(&[vec![f64::NAN]]), None);
        assert_eq!(end_of_scale(&[vec![0.0; 300]]), None);
        assert_eq!(end_of_scale(&[vec![1.0, 5.0]]), None);
    }
}
