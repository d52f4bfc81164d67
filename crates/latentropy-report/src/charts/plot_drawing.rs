//! Draws a [`Plot`]: margins for its labels, grid, references, series, frame.

use super::axis::{Axis, Placed, Ruler};
use super::figure::{Margins, Styles};
use super::plot::{Plot, Reference};
use super::series::{Kind, Point, Series};
use super::style::{Colour, Marker, dash};
use super::svg::{Anchor, Canvas, Stroke};
use super::text::{shortened, width};

/// Font sizes.
pub(super) const TICK: f64 = 12.5;
pub(super) const LABEL: f64 = 13.5;
pub(super) const TITLE: f64 = 14.5;
/// The radius of a marker.
pub(super) const RADIUS: f64 = 4.2;

/// About one tick for so many pixels.
const A_TICK_ACROSS: f64 = 72.0;
const A_TICK_UP: f64 = 48.0;

type Pixel = (f64, f64);

impl Plot {
    fn rulers(&self) -> (Ruler, Ruler) {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let xs = self.series.iter().flat_map(|series| {
            let half = match series.kind {
                Kind::Bars(width) => width / 2.0,
                _ => 0.0,
            };
            let xs = series.points.iter().map(|point| point.x);
            xs.flat_map(move |x| [x - half, x + half])
        });
        let ys = points().flat_map(|point| {
            let (low, high) = point.ends.unwrap_or((point.y, point.y));
            // On a logarithmic axis, a bar that reaches below zero does not stretch it.
            [point.y, low, high]
        });
        let bars = |series: &Series| matches!(series.kind, Kind::Bars(_));
        let zero = self.series.iter().any(bars).then_some(0.0);
        // References keep out of the range, but for the one that compares the axes.
        let identity = self.references.contains(&Reference::Identity);
        if identity && self.x.range.is_none() && self.y.range.is_none() {
            let both: Vec<f64> = xs.chain(ys).collect();
            let ruler = |axis: &Axis| Ruler::new(axis, both.iter().copied());
            return (ruler(&self.x), ruler(&self.y));
        }
        let mut y = Ruler::new(&self.y, ys.chain(zero));
        if zero.is_some() && self.y.range.is_none() && points().all(|point| point.y >= 0.0) {
            y.start_at_zero();
        }
        (Ruler::new(&self.x, xs), y)
    }

    /// Room for labels around a panel of this size.
    pub(super) fn margins(&self, size: Pixel) -> Margins {
        let (_, y) = self.rulers();
        let ticks = |height: f64| {
            y.clone()
                .between(height, 0.0)
                .ticks(((height / A_TICK_UP) as usize).max(3))
        };
        // The frame is lower than the panel and may have other ticks, with more digits.
        let widest = [size.1, size.1 - TITLE - TICK - LABEL - 35.0]
            .into_iter()
            .flat_map(ticks)
            .collect::<Vec<_>>()
            .iter()
            .map(|(_, name)| width(name, TICK))
            .fold(0.0, f64::max)
            .min(size.0 / 2.0);
        Margins {
            left: widest
                + 10.0
                + if self.y.label.is_empty() {
                    2.0
                } else {
                    LABEL + 8.0
                },
            right: 14.0,
            top: if self.title.is_empty() {
                10.0
            } else {
                TITLE + 16.0
            },
            bottom: TICK
                + 12.0
                + if self.x.label.is_empty() {
                    0.0
                } else {
                    LABEL + 7.0
                },
        }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, size: Pixel, margins: Margins, styles: &Styles) {
        let (left, top) = (margins.left, margins.top);
        let (right, bottom) = (size.0 - margins.right, size.1 - margins.bottom);
        let (x, y) = self.rulers();
        let area = Area {
            x: x.between(left, right),
            y: y.between(bottom, top),
            corners: (left, top, right, bottom),
        };
        let middle = (left + right) / 2.0;
        let title = shortened(&self.title, TITLE * 1.1, right - left + 20.0);
        canvas.bold((middle, top - 9.0), Anchor::Middle, TITLE, &title);
        self.draw_axes(canvas, &area, size);
        for reference in &self.references {
            area.reference(canvas, reference);
        }
        let frame = Stroke::plain(Colour::Frame, 1.0);
        canvas.frame((left, top), (right - left, bottom - top), frame);
        let is_band = |series: &&Series| series.kind == Kind::Band;
        let bands = self.series.iter().filter(is_band);
        let others = self.series.iter().filter(|series| !is_band(series));
        for series in bands.chain(others) {
            area.series(canvas, series, styles);
        }
        if self.series.iter().all(|series| series.points.is_empty()) {
            let place = (middle, (top + bottom) / 2.0);
            canvas.text(
                place,
                Anchor::Middle,
                LABEL,
                Colour::Faint,
                "nothing to show",
            );
        }
    }

    fn draw_axes(&self, canvas: &mut Canvas, area: &Area, size: Pixel) {
        let (left, top, right, bottom) = area.corners;
        let grid = Stroke::plain(Colour::Grid, 1.0);
        let mut free_from = f64::NEG_INFINITY;
        for (at, name) in area.x.ticks(((right - left) / A_TICK_ACROSS) as usize) {
            canvas.line((at, top), (at, bottom), grid);
            let half = width(&name, TICK) / 2.0;
            // Labels that would run into each other are left out.
            if at - half > free_from && half < right - left {
                canvas.text(
                    (at, bottom + TICK + 5.0),
                    Anchor::Middle,
                    TICK,
                    Colour::Faint,
                    &name,
                );
                free_from = at + half + 6.0;
            }
        }
        for (at, name) in area.y.ticks((((bottom - top) / A_TICK_UP) as usize).max(3)) {
            canvas.line((left, at), (right, at), grid);
            let name = shortened(&name, TICK, size.0 / 2.0);
            let place = (left - 7.0, at + TICK * 0.36);
            canvas.text(place, Anchor::End, TICK, Colour::Faint, &name);
        }
        let label = shortened(&self.x.label, LABEL, right - left + 40.0);
        let place = ((left + right) / 2.0, bottom + TICK + LABEL + 12.0);
        canvas.text(place, Anchor::Middle, LABEL, Colour::Ink, &label);
        let label = shortened(&self.y.label, LABEL, size.1 - 8.0);
        let place = (LABEL, (top + bottom) / 2.0);
        canvas.turned(place, Anchor::Middle, LABEL, Colour::Ink, -90.0, &label);
    }

    /// Whether any point lies beyond the frame or at infinity.
    pub(super) fn has_outliers(&self) -> bool {
        let (x, y) = self.rulers();
        let beyond = |placed: Placed| matches!(placed, Placed::Above(_) | Placed::Below(_));
        self.series
            .iter()
            .filter(|series| !matches!(series.kind, Kind::Band | Kind::Bars(_)))
            .flat_map(|series| &series.points)
            .any(|point| beyond(y.place(point.y)) && matches!(x.place(point.x), Placed::At(_)))
    }
}

/// The inside of a frame.
struct Area {
    x: Ruler,
    y: Ruler,
    corners: (f64, f64, f64, f64),
}

impl Area {
    fn reference(&self, canvas: &mut Canvas, reference: &Reference) {
        let (left, top, right, bottom) = self.corners;
        let stroke = Stroke {
            dash: "4 4",
            ..Stroke::plain(Colour::Frame, 1.2)
        };
        match reference {
            Reference::Identity => {
                let (low, high) = self.x.ends();
                let steps = (0..=64).map(|at| low + (high - low) * f64::from(at) / 64.0);
                let points: Vec<Option<Pixel>> = steps.map(|v| self.anywhere(v, v)).collect();
                self.joined(canvas, &points, stroke);
            }
            Reference::Vertical(value, word) => {
                if let Placed::At(at) = self.x.place(*value) {
                    canvas.line((at, top), (at, bottom), stroke);
                    canvas.text(
                        (at + 4.0, top + TICK),
                        Anchor::Start,
                        TICK,
                        Colour::Faint,
                        word,
                    );
                }
            }
            Reference::Horizontal(value, word) => {
                if let Placed::At(at) = self.y.place(*value) {
                    canvas.line((left, at), (right, at), stroke);
                    canvas.text(
                        (left + 5.0, at - 4.0),
                        Anchor::Start,
                        TICK,
                        Colour::Faint,
                        word,
                    );
                }
            }
        }
    }

    fn series(&self, canvas: &mut Canvas, series: &Series, styles: &Styles) {
        let style = styles.of(series);
        let colour = Colour::Series(style);
        let stroke = Stroke {
            colour,
            width: 2.0,
            dash: if series.solid { "" } else { dash(style) },
            opacity: series.opacity,
        };
        let marker = series.marker.unwrap_or(super::style::marker(style));
        match series.kind {
            Kind::Band => self.band(canvas, series, colour),
            Kind::Bars(width) => self.bars(canvas, series, width, colour),
            _ => {
                for point in &series.points {
                    self.error_bar(canvas, point, colour, series.opacity);
                }
            }
        }
        if matches!(series.kind, Kind::Line | Kind::LineAndMarkers) {
            let points = series.points.iter();
            let points: Vec<Option<Pixel>> = points.map(|p| self.anywhere(p.x, p.y)).collect();
            self.joined(canvas, &points, stroke);
        }
        if matches!(series.kind, Kind::Band | Kind::Bars(_)) {
            return;
        }
        let radius = RADIUS * series.size;
        let shown = series.kind != Kind::Line;
        let (_, top, _, bottom) = self.corners;
        for point in &series.points {
            let Placed::At(x) = self.x.place(point.x) else {
                continue;
            };
            let (tip, opacity) = (point.tip.as_str(), series.opacity);
            match self.y.place(point.y) {
                Placed::At(y) if shown => {
                    canvas.marker((x, y), marker, radius, colour, opacity, tip)
                }
                Placed::Above(_) => {
                    canvas.marker((x, top + 6.0), Marker::Triangle, 6.0, colour, 1.0, tip);
                }
                Placed::Below(_) => {
                    canvas.marker(
                        (x, bottom - 6.0),
                        Marker::TriangleDown,
                        6.0,
                        colour,
                        1.0,
                        tip,
                    );
                }
                _ => {}
            }
        }
    }

    fn error_bar(&self, canvas: &mut Canvas, point: &Point, colour: Colour, opacity: f64) {
        let (Some((low, high)), Placed::At(x)) = (point.ends, self.x.place(point.x)) else {
            return;
        };
        if !matches!(self.y.place(point.y), Placed::At(_)) {
            return;
        }
        let (Some((low, low_cut)), Some((high, high_cut))) = (self.end(low), self.end(high)) else {
            return;
        };
        let stroke = Stroke {
            opacity,
            ..Stroke::plain(colour, 1.4)
        };
        canvas.line((x, low), (x, high), stroke);
        for (y, cut) in [(low, low_cut), (high, high_cut)] {
            if !cut {
                canvas.line((x - 3.5, y), (x + 3.5, y), stroke);
            }
        }
    }

    /// The coordinate of an end of a bar, held at the frame, and whether it was.
    fn end(&self, value: f64) -> Option<(f64, bool)> {
        let (_, top, _, bottom) = self.corners;
        match self.y.place(value) {
            Placed::At(y) => Some((y, false)),
            Placed::Above(_) => Some((top, true)),
            Placed::Below(_) => Some((bottom, true)),
            // Below zero on a logarithmic axis.
            Placed::Nowhere if value < 0.0 => Some((bottom, true)),
            Placed::Nowhere => None,
        }
    }

    fn band(&self, canvas: &mut Canvas, series: &Series, colour: Colour) {
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for point in &series.points {
            let (Placed::At(x), Some((low, high))) = (self.x.place(point.x), point.ends) else {
                continue;
            };
            if let (Some((low, _)), Some((high, _))) = (self.end(low), self.end(high)) {
                lower.push((x, low));
                upper.push((x, high));
            }
        }
        upper.reverse();
        lower.extend(upper);
        if lower.len() > 2 {
            canvas.area(&lower, colour, 0.2 * series.opacity);
        }
    }

    fn bars(&self, canvas: &mut Canvas, series: &Series, width: f64, colour: Colour) {
        let Some((zero, _)) = self.end(self.y.zero()) else {
            return;
        };
        for point in &series.points {
            let ends = (
                self.x.place(point.x - width / 2.0),
                self.x.place(point.x + width / 2.0),
            );
            let (Placed::At(left), Placed::At(right), Some((y, _))) =
                (ends.0, ends.1, self.end(point.y))
            else {
                continue;
            };
            let gap = ((right - left) * 0.06).min(2.0);
            let (corner, size) = (
                (left + gap, y.min(zero)),
                (right - left - 2.0 * gap, (y - zero).abs()),
            );
            canvas.rectangle(corner, size, colour, 0.8 * series.opacity, &point.tip);
        }
    }

    /// The pixel of a point, inside the frame or not.
    fn anywhere(&self, x: f64, y: f64) -> Option<Pixel> {
        let known = |placed: Placed| match placed {
            Placed::At(at) => Some(at),
            Placed::Above(at) | Placed::Below(at) => at,
            Placed::Nowhere => None,
        };
        Some((known(self.x.place(x))?, known(self.y.place(y))?))
    }

    /// Joins neighbours, cut at the frame, with gaps where a point is missing.
    fn joined(&self, canvas: &mut Canvas, points: &[Option<Pixel>], stroke: Stroke<'_>) {
        let mut run: Vec<Pixel> = Vec::new();
        for pair in points.windows(2) {
            let cut = match (pair[0], pair[1]) {
                (Some(a), Some(b)) => self.cut(a, b),
                _ => None,
            };
            match cut {
                Some((a, b)) if run.last() == Some(&a) => run.push(b),
                Some((a, b)) => {
                    canvas.path(&std::mem::take(&mut run), stroke);
                    run.extend([a, b]);
                }
                None => canvas.path(&std::mem::take(&mut run), stroke),
            }
        }
        canvas.path(&run, stroke);
    }

    /// The part of a segment inside the frame (Liang and Barsky 1984).
    fn cut(&self, a: Pixel, b: Pixel) -> Option<(Pixel, Pixel)> {
        let (left, top, right, bottom) = self.corners;
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        let sides = [
            (-dx, a.0 - left),
            (dx, right - a.0),
            (-dy, a.1 - top),
            (dy, bottom - a.1),
        ];
        for (towards, room) in sides {
            if towards == 0.0 {
                // A rounding error outside is inside.
                if room < -1e-6 {
                    return None;
                }
            } else if towards < 0.0 {
                enter = enter.max(room / towards);
            } else {
                leave = leave.min(room / towards);
            }
        }
        let at = |t: f64| (a.0 + t * dx, a.1 + t * dy);
        let from = if enter <= 0.0 { a } else { at(enter) };
        let to = if leave >= 1.0 { b } else { at(leave) };
        (enter <= leave).then_some((from, to))
    }
}
