//! A panel of small pictures of one size and on one scale: numbers on a grid of cells, row by row from the upper left.

use super::heat_scale::{BAR_ROOM, HeatScale, Shades};
use super::plot_drawing::{TICK, TITLE};
use super::style::Colour;
use super::svg::{Anchor, Canvas, CellRun, Stroke};
use super::text::{shortened, width};
use std::collections::BTreeMap;

/// One of the pictures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// Below it; may be empty.
    pub name: String,
    /// What a page shows on hover, focus or tap; may be empty.
    pub tip: String,
    /// The cells, row by row from the upper left; NaN, which is grey, for one that is not known.
    pub values: Vec<f64>,
}

/// Small pictures, side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Images {
    /// Above the panel; may be empty.
    pub title: String,
    /// How many cells a picture is high and wide.
    pub grid: (usize, usize),
    /// The pictures, row by row.
    pub pictures: Vec<Picture>,
    /// What the colours mean, in all of the pictures.
    pub scale: HeatScale,
    /// Where a diverging scale ends, if not at the largest value: a few large ones would leave all others pale.
    pub end: Option<f64>,
    /// What the numbers are, for the colour bar; there is none where it is empty.
    pub unit: String,
    /// How large a picture is to be, about, in pixels.
    pub side: f64,
    /// How wide the panel may be.
    pub room: f64,
}

/// Shades of one colour that are told apart; more would only make the file larger.
const SHADES: f64 = 16.0;
/// Least room between pictures, in pixels.
const GAP: f64 = 6.0;

/// Where things are, counted in cells.
struct Layout {
    cell: f64,
    across: usize,
    /// From one picture to the next, to the right and down.
    pitch: (usize, usize),
}

impl Images {
    /// Pictures of `grid` cells, height first, on a diverging scale.
    pub fn new(title: impl Into<String>, grid: (usize, usize), pictures: Vec<Picture>) -> Self {
        Images {
            title: title.into(),
            grid,
            pictures,
            scale: HeatScale::Diverging,
            end: None,
            unit: String::new(),
            side: 64.0,
            room: 940.0,
        }
    }

    fn layout(&self) -> Layout {
        let (height, width) = (self.grid.0.max(1), self.grid.1.max(1));
        // Whole pixels; long pictures are as large as square ones, as long as they fit.
        let cell = (self.side / ((height * width) as f64).sqrt()).ceil();
        let most = self.room / width as f64;
        let cell = cell.min(if most < 1.0 { most } else { most.floor() });
        let cells = |pixels: f64| (pixels / cell).ceil() as usize;
        let has_names = self.pictures.iter().any(|picture| !picture.name.is_empty());
        let below = if has_names { TICK + 7.0 } else { GAP };
        let pitch = (width + cells(GAP), height + cells(below));
        let across = (self.room + GAP) / (pitch.0 as f64 * cell);
        Layout {
            cell,
            across: (across as usize).clamp(1, self.pictures.len().max(1)),
            pitch,
        }
    }

    fn top(&self) -> f64 {
        match self.title.is_empty() {
            true => 4.0,
            false => TITLE + 14.0,
        }
    }

    /// Width and height of all pictures, with the room below the last ones.
    fn extent(&self, layout: &Layout) -> (f64, f64) {
        let down = self.pictures.len().div_ceil(layout.across);
        (
            (layout.pitch.0 * layout.across) as f64 * layout.cell,
            (layout.pitch.1 * down) as f64 * layout.cell,
        )
    }

    /// The size that the pictures ask for.
    pub(super) fn size(&self) -> (f64, f64) {
        let (wide, high) = self.extent(&self.layout());
        let bar = if self.unit.is_empty() { 0.0 } else { BAR_ROOM };
        let least = width(&self.title, TITLE * 1.1).max(if bar > 0.0 { 210.0 } else { 0.0 });
        (wide.max(least) + 2.0, self.top() + high + bar)
    }

    pub(super) fn draw(&self, canvas: &mut Canvas) {
        let layout = self.layout();
        let corner = (1.0, self.top());
        canvas.bold((0.0, TITLE + 2.0), Anchor::Start, TITLE, &self.title);
        let values = self.pictures.iter().flat_map(|picture| &picture.values);
        let shades = Shades::of(self.scale, values.copied()).ending_at(self.end);
        self.draw_cells(canvas, corner, &layout, &shades);
        self.draw_frames(canvas, corner, &layout);
        if !self.unit.is_empty() {
            let below = corner.1 + self.extent(&layout).1 + 8.0;
            shades.draw_bar(canvas, (corner.0, below), &self.unit);
        }
    }

    /// The cells of all pictures: one element for each shade.
    fn draw_cells(
        &self,
        canvas: &mut Canvas,
        corner: (f64, f64),
        layout: &Layout,
        shades: &Shades,
    ) {
        // What is not known comes first; zero is the ground itself.
        let shade = |value: f64| -> Option<(bool, u8)> {
            let (colour, strength) = shades.of_value(value);
            let level = (strength * SHADES).round() as u8;
            (level > 0).then_some((colour == Colour::Negative, level))
        };
        let mut unknown = Vec::new();
        let mut known: BTreeMap<(bool, u8), Vec<CellRun>> = BTreeMap::new();
        let width = self.grid.1.max(1);
        for (at, picture) in self.pictures.iter().enumerate() {
            let left = at % layout.across * layout.pitch.0;
            let top = at / layout.across * layout.pitch.1;
            let lines = picture.values.chunks(width).take(self.grid.0);
            for (y, line) in lines.enumerate() {
                let (mut x, y) = (left, top + y);
                let alike = |a: &f64, b: &f64| a.is_nan() == b.is_nan() && shade(*a) == shade(*b);
                for run in line.chunk_by(alike) {
                    let place = (x, y, run.len());
                    x += run.len();
                    match run.first() {
                        Some(value) if value.is_nan() => unknown.push(place),
                        Some(value) => {
                            let shade = shade(*value).map(|shade| known.entry(shade).or_default());
                            shade.into_iter().for_each(|runs| runs.push(place));
                        }
                        None => {}
                    }
                }
            }
        }
        canvas.runs(corner, layout.cell, &unknown, Colour::Frame, 0.45);
        for ((is_negative, level), runs) in known {
            let colour = match is_negative {
                true => Colour::Negative,
                false => Colour::Positive,
            };
            let opacity = f64::from(level) / SHADES;
            canvas.runs(corner, layout.cell, &runs, colour, opacity);
        }
    }

    /// Frames, names, and what is told on hover.
    fn draw_frames(&self, canvas: &mut Canvas, (left, top): (f64, f64), layout: &Layout) {
        let cells = |count: usize| count as f64 * layout.cell;
        let size = (cells(self.grid.1), cells(self.grid.0));
        let place = |at: usize| {
            let x = cells(at % layout.across * layout.pitch.0);
            let y = cells(at / layout.across * layout.pitch.1);
            (left + x, top + y)
        };
        let corners: Vec<(f64, f64)> = (0..self.pictures.len()).map(place).collect();
        canvas.frames(&corners, size, Stroke::plain(Colour::Grid, 1.0));
        for (picture, &(x, y)) in self.pictures.iter().zip(&corners) {
            let name = shortened(&picture.name, TICK, cells(layout.pitch.0));
            let below = (x + size.0 / 2.0, y + size.1 + TICK + 1.0);
            canvas.text(below, Anchor::Middle, TICK, Colour::Faint, &name);
            if !picture.tip.is_empty() {
                canvas.rectangle((x, y), size, Colour::Ground, 0.0, &picture.tip);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::Figure;

    fn picture(values: &[f64]) -> Picture {
        Picture {
            values: values.to_vec(),
            ..Picture::default()
        }
    }

    /// The runs of a colour and opacity, as they are written.
    fn runs<'a>(svg: &'a str, colour: &str, opacity: &str) -> &'a str {
        let end = format!("fill=\"none\" stroke=\"{colour}\" stroke-opacity=\"{opacity}\"");
        let element = svg.split("<path ").find(|element| element.contains(&end));
        let data = element.and_then(|element| element.split("d=\"").nth(1));
        data.and_then(|data| data.split('"').next()).unwrap_or("")
    }

    #[test]
    fn cells_are_at_their_places_on_one_scale() {
        // Two high, three wide: the first three values are the upper row.
        let first = picture(&[4.0, 4.0, 0.0, 0.0, 0.0, -2.0]);
        let second = picture(&[0.0, 0.0, 2.0, f64::NAN, -4.0, 0.0]);
        let mut images = Images::new("", (2, 3), vec![first, second]);
        images.unit = "weight".to_string();
        let layout = images.layout();
        assert_eq!(
            (layout.cell, layout.across, layout.pitch),
            (27.0, 2, (4, 3))
        );
        let svg = Figure::new("").panel(images).svg();
        let (positive, negative) = ("#0072B2", "#D55E00");
        // Equal neighbours are one run; the second picture begins a pitch to the right.
        assert_eq!(runs(&svg, positive, "1"), "M0 0h2");
        assert_eq!(runs(&svg, positive, "0.5"), "M6 0h1");
        assert_eq!(runs(&svg, negative, "0.5"), "M2 1h1");
        assert_eq!(runs(&svg, negative, "1"), "M5 1h1");
        assert_eq!(runs(&svg, "#8b949e", "0.45"), "M4 1h1");
        // The scale is told by its ends.
        assert!(svg.contains(">−4.0<") && svg.contains(">4.0<") && svg.contains(">weight<"));
    }

    #[test]
    fn a_scale_may_end_before_the_largest_value_and_says_so() {
        let mut images = Images::new("", (1, 3), vec![picture(&[8.0, -1.0, 2.0])]);
        (images.end, images.unit) = (Some(2.0), "weight".to_string());
        let svg = Figure::new("").panel(images.clone()).svg();
        assert_eq!(runs(&svg, "#0072B2", "1"), "M0 0h1M2 0h1");
        assert_eq!(runs(&svg, "#D55E00", "0.5"), "M1 0h1");
        assert!(svg.contains(">≤ −2.0<") && svg.contains(">≥ 2.0<"));
        images.end = Some(9.0);
        let svg = Figure::new("").panel(images).svg();
        assert!(svg.contains(">−8.0<") && !svg.contains('≥'));
    }

    #[test]
    fn pictures_go_on_in_the_next_line() {
        let mut images = Images::new("", (1, 1), vec![picture(&[1.0]); 5]);
        (images.side, images.room) = (10.0, 40.0);
        assert_eq!(images.layout().across, 2);
        let svg = Figure::new("").panel(images).svg();
        assert_eq!(runs(&svg, "#0072B2", "1"), "M0 0h1M2 0h1M0 2h1M2 2h1M0 4h1");
    }

    #[test]
    fn strange_sizes_are_drawn() {
        for (grid, count) in [((1, 5000), 2), ((5000, 1), 2), ((2, 2), 0), ((0, 0), 1)] {
            let values = vec![f64::INFINITY; grid.0 * grid.1];
            let images = Images::new("a", grid, vec![picture(&values); count]);
            let (wide, high) = images.size();
            assert!(wide <= images.room + 20.0 && wide > 0.0 && high > 0.0);
            let svg = Figure::new("").panel(images).svg();
            assert!(!svg.contains("NaN") && !svg.contains("inf"));
        }
    }
}
