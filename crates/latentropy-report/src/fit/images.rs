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
            "No column is connected with another unit, so that there are no weights to show.",
        ),
    };
    html + &match samples(run) {
        Some(figure) => figure.html(),
        None => paragraph("The files of this run hold no drawn states."),
    }
}

/// A unit and its weights to the columns.
struct Field {
    unit: usize,
    weights: Vec<f64>,
    /// The root of their mean square, by which the strongest are told.
    strength: f64,
}

impl Field {
    fn new(weights: &Weights, columns: &[usize], unit: usize) -> Option<Self> {
        let field: Vec<f64> = columns
            .iter()
            .map(|&column| weights.pair(unit, column))
            .collect();
        let found = field.iter().filter(|weight| weight.is_finite());
        let squares: f64 = found.clone().map(|weight| weight * weight).sum();
        let count = found.count();
        (count > 0).then(|| Field {
            unit,
            weights: field,
            strength: (squares / count as f64).sqrt(),
        })
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
    let fields = units
        .iter()
        .filter_map(|&unit| Field::new(&pairs, &columns, unit));
    let mut fields: Vec<Field> = fields.collect();
    if fields.is_empty() {
        return None;
    }
    // Ties stay in the order of the units.
    fields.sort_by(|a, b| b.strength.total_cmp(&a.strength));
    let all = fields.len();
    fields.truncate((MOST_CELLS / columns.len().max(1)).clamp(LEAST_UNITS, MOST_UNITS));
    let caption = caption(noun, fields.len(), all, hidden.is_empty());
    let pictures = fields
        .into_iter()
        .map(|field| picture(run, field))
        .collect();
    let mut images = Images::new("", (grid.height, grid.width), pictures);
    images.unit = "weight, on one scale for all images".to_string();
    Some(
        Figure::new("Weights as images")
            .panel(images)
            .caption(caption),
    )
}

fn picture(run: &Run, field: Field) -> Picture {
    let name = run.name(field.unit).to_string();
    let found = field
        .weights
        .iter()
        .copied()
        .filter(|weight| weight.is_finite());
    let (low, high) = found.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), weight| {
        (low.min(weight), high.max(weight))
    });
    let mean = run.exhibits.unit_means[field.unit];
    Picture {
        tip: format!(
            "{name}\non with probability {}\nweights from {} to {}\nroot of their mean square {}",
            words::percent(mean),
            label(low, 2),
            label(high, 2),
            label(field.strength, 2),
        ),
        name,
        values: field.weights,
    }
}

fn caption(noun: &str, shown: usize, all: usize, among_columns: bool) -> String {
    let mut text = match among_columns {
        false => {
            format!("One image per {noun}: its weights to the columns, the strongest unit first.")
        }
        true => format!(
            "One image per {noun}: its weights to the other columns, the strongest one first; itself is grey."
        ),
    };
    if shown < all {
        text += &format!(
            " {} are shown; the {} with the smallest weights are left out.",
            words::grouped(shown as u64),
            words::counted((all - shown) as u64, noun),
        );
    }
    text
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
            "Filled cells are 1{missing}. The rows are picked evenly from the whole table. A machine that has learned the \
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
