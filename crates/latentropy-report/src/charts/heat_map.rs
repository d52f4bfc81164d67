//! A panel of coloured cells with named rows and columns.

use super::figure::Margins;
use super::heat_scale::{BAR_ROOM, HeatScale, Shades};
use super::plot_drawing::{LABEL, TICK, TITLE};
use super::style::Colour;
use super::svg::{Anchor, Canvas, Stroke};
use super::text::{label, shortened, width};

/// Coloured cells.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// Above the panel; may be empty.
    pub title: String,
    /// What the rows are.
    pub row_label: String,
    /// What the columns are.
    pub column_label: String,
    /// Names of the rows, from the top.
    pub rows: Vec<String>,
    /// Names of the columns, from the left.
    pub columns: Vec<String>,
    /// One list per row; NaN for a cell that is not there.
    pub values: Vec<Vec<f64>>,
    /// What the colours mean.
    pub scale: HeatScale,
    /// What the numbers are, for the colour bar.
    pub unit: String,
    /// Decimals of the numbers in the cells; none are written where it is not given or the cells are too small.
    pub decimals: Option<usize>,
    /// Cells (row, column) with a small dash in them: what is not known, as against what is not there.
    pub dashes: Vec<(usize, usize)>,
    /// The size of a cell in pixels, across and down.
    pub cell: (f64, f64),
}

const LONGEST_NAME: f64 = 170.0;

impl HeatMap {
    /// A map of these values.
    pub fn new(
        title: impl Into<String>,
        rows: Vec<String>,
        columns: Vec<String>,
        values: Vec<Vec<f64>>,
    ) -> Self {
        HeatMap {
            title: title.into(),
            row_label: String::new(),
            column_label: String::new(),
            rows,
            columns,
            values,
            scale: HeatScale::Diverging,
            unit: String::new(),
            decimals: None,
            dashes: Vec::new(),
            cell: (44.0, 26.0),
        }
    }

    fn names_are_turned(&self) -> bool {
        let names = self.columns.iter();
        names.map(|name| width(name, TICK)).fold(0.0, f64::max) > self.cell.0 - 4.0
    }

    pub(super) fn margins(&self) -> Margins {
        let widest = |names: &[String]| {
            let widths = names.iter().map(|name| width(name, TICK));
            widths.fold(0.0, f64::max).min(LONGEST_NAME)
        };
        let title = if self.title.is_empty() {
            4.0
        } else {
            TITLE + 14.0
        };
        let columns = if self.names_are_turned() {
            widest(&self.columns) * 0.83 + TICK + 6.0
        } else {
            TICK + 9.0
        };
        let label = |label: &str| if label.is_empty() { 0.0 } else { LABEL + 6.0 };
        Margins {
            // Rows too low for their names only tell them on hover.
            left: if self.cell.1 >= TICK {
                widest(&self.rows) + 10.0
            } else {
                4.0
            } + label(&self.row_label),
            right: if self.names_are_turned() {
                widest(&self.columns) * 0.56 + 4.0
            } else {
                10.0
            },
            top: title + columns + label(&self.column_label),
            bottom: BAR_ROOM,
        }
    }

    /// The size that the cells ask for.
    pub(super) fn size(&self) -> (f64, f64) {
        let margins = self.margins();
        let cells = (
            self.cell.0 * self.columns.len() as f64,
            self.cell.1 * self.rows.len().max(1) as f64,
        );
        (
            (margins.left + cells.0 + margins.right)
                .max(width(&self.title, TITLE * 1.1))
                .max(margins.left + 210.0),
            margins.top + cells.1 + margins.bottom,
        )
    }

    pub(super) fn draw(&self, canvas: &mut Canvas) {
        let margins = self.margins();
        let corner = (margins.left, margins.top);
        let (wide, high) = self.cell;
        let size = (
            wide * self.columns.len() as f64,
            high * self.rows.len() as f64,
        );
        let shades = Shades::of(self.scale, self.values.iter().flatten().copied());
        self.labels(canvas, corner, size);
        self.column_names(canvas, corner);
        self.cells(canvas, corner, &shades);
        canvas.frame(corner, size, Stroke::plain(Colour::Frame, 1.0));
        let under = (corner.0, corner.1 + size.1 + 14.0);
        shades.draw_bar(canvas, under, &self.unit);
    }

    /// The title, and what the columns and the rows are.
    fn labels(&self, canvas: &mut Canvas, (left, top): (f64, f64), size: (f64, f64)) {
        canvas.bold((0.0, TITLE + 2.0), Anchor::Start, TITLE, &self.title);
        let above = if self.title.is_empty() {
            0.0
        } else {
            TITLE + 14.0
        };
        let over = (left + size.0 / 2.0, above + LABEL);
        let ink = Colour::Ink;
        canvas.text(over, Anchor::Middle, LABEL, ink, &self.column_label);
        let beside = (LABEL, top + size.1 / 2.0);
        canvas.turned(beside, Anchor::Middle, LABEL, ink, -90.0, &self.row_label);
    }

    fn column_names(&self, canvas: &mut Canvas, (left, top): (f64, f64)) {
        let turned = self.names_are_turned();
        for (at, name) in self.columns.iter().enumerate() {
            let name = shortened(name, TICK, LONGEST_NAME);
            let x = left + self.cell.0 * (at as f64 + 0.5);
            if turned {
                let place = (x + 2.0, top - 6.0);
                canvas.turned(place, Anchor::Start, TICK, Colour::Faint, -56.0, &name);
            } else {
                canvas.text((x, top - 6.0), Anchor::Middle, TICK, Colour::Faint, &name);
            }
        }
    }

    /// The rows with their names, and the dashes.
    fn cells(&self, canvas: &mut Canvas, (left, top): (f64, f64), shades: &Shades) {
        let (wide, high) = self.cell;
        for (row, values) in self.values.iter().enumerate() {
            let y = top + high * row as f64;
            let name = self.rows.get(row).map_or("", String::as_str);
            if high >= TICK {
                let name = shortened(name, TICK, LONGEST_NAME);
                let place = (left - 7.0, y + high / 2.0 + TICK * 0.36);
                canvas.text(place, Anchor::End, TICK, Colour::Faint, &name);
            }
            for (column, &value) in values.iter().enumerate().take(self.columns.len()) {
                let place = (left + wide * column as f64, y);
                self.cell(canvas, place, value, shades, (row, column));
            }
        }
        for &(row, column) in &self.dashes {
            let x = left + wide * (column as f64 + 0.5);
            let y = top + high * (row as f64 + 0.5);
            let reach = (wide * 0.22).min(5.0);
            let stroke = Stroke::plain(Colour::Frame, 1.2);
            canvas.line((x - reach, y), (x + reach, y), stroke);
        }
    }

    fn cell(
        &self,
        canvas: &mut Canvas,
        at: (f64, f64),
        value: f64,
        shades: &Shades,
        place: (usize, usize),
    ) {
        if value.is_nan() {
            return;
        }
        let (wide, high) = self.cell;
        let (colour, strength) = shades.of_value(value);
        let name = |names: &[String], at: usize| names.get(at).cloned().unwrap_or_default();
        let tip = format!(
            "{} – {}\n{}",
            name(&self.rows, place.0),
            name(&self.columns, place.1),
            label(value, 3)
        );
        canvas.rectangle(at, (wide, high), colour, strength, &tip);
        if let Some(decimals) = self.decimals {
            let text = label(value, decimals);
            let size = TICK - 1.0;
            if width(&text, size) + 4.0 <= wide && high >= TICK + 3.0 {
                let ink = if strength > 0.8 {
                    Colour::Ground
                } else {
                    Colour::Ink
                };
                let place = (at.0 + wide / 2.0, at.1 + high / 2.0 + size * 0.36);
                canvas.text(place, Anchor::Middle, size, ink, &text);
            }
        }
    }
}
