//! A small writer of SVG: escaped text, finite coordinates, colours by what they are for.

use super::style::{Colour, Marker, Medium};
use super::text::escape;
use std::fmt::Write;

/// Where a text is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// At its beginning.
    Start,
    /// In the middle.
    Middle,
    /// At its end.
    End,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stroke<'a> {
    pub(crate) colour: Colour,
    pub(crate) width: f64,
    pub(crate) dash: &'a str,
    pub(crate) opacity: f64,
}

impl Stroke<'_> {
    pub(crate) fn plain(colour: Colour, width: f64) -> Self {
        Stroke {
            colour,
            width,
            dash: "",
            opacity: 1.0,
        }
    }
}

/// Cells of one colour beside each other: (x, y) of the first one, counted in cells, and how many there are.
pub(crate) type CellRun = (usize, usize, usize);

/// A picture that is being written.
#[derive(Debug)]
pub(crate) struct Canvas {
    medium: Medium,
    body: String,
}

/// A coordinate, rounded to what can be seen.
fn coordinate(value: f64) -> f64 {
    let value = if value.is_finite() { value } else { 0.0 };
    let rounded = (value.clamp(-1e6, 1e6) * 100.0).round() / 100.0;
    // No negative zero.
    rounded + 0.0
}

impl Canvas {
    pub(crate) fn new(medium: Medium) -> Self {
        Canvas {
            medium,
            body: String::new(),
        }
    }

    /// What was drawn, without a root element.
    pub(crate) fn into_body(self) -> String {
        self.body
    }

    /// Draws what another canvas holds, moved.
    pub(crate) fn place(&mut self, other: Canvas, x: f64, y: f64) {
        let (x, y) = (coordinate(x), coordinate(y));
        self.push(&format!(
            "<g transform=\"translate({x} {y})\">{}</g>",
            other.body
        ));
    }

    fn push(&mut self, text: &str) {
        self.body.push_str(text);
    }

    fn colour(&self, colour: Colour) -> String {
        colour.text(self.medium)
    }

    /// The attribute that a page's script turns into a tooltip; nothing on paper.
    fn tip(&self, tip: &str) -> String {
        match self.medium {
            Medium::Page if !tip.is_empty() => {
                format!(" class=\"tip\" data-tip=\"{}\"", escape(tip))
            }
            _ => String::new(),
        }
    }

    pub(crate) fn path(&mut self, points: &[(f64, f64)], stroke: Stroke<'_>) {
        let Some((first, rest)) = points.split_first() else {
            return;
        };
        let mut d = format!("M{} {}", coordinate(first.0), coordinate(first.1));
        for point in rest {
            let _ = write!(d, "L{} {}", coordinate(point.0), coordinate(point.1));
        }
        self.stroke(&d, stroke);
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke<'_>) {
        self.path(&[from, to], stroke);
    }

    /// A curve from one point to another through the pull of two more.
    pub(crate) fn curve(&mut self, points: [(f64, f64); 4], stroke: Stroke<'_>, tip: &str) {
        let [a, b, c, d] = points.map(|(x, y)| format!("{} {}", coordinate(x), coordinate(y)));
        let text = format!("M{a}C{b} {c} {d}");
        let tip = self.tip(tip);
        self.stroke_with(&text, stroke, &tip);
    }

    fn stroke(&mut self, d: &str, stroke: Stroke<'_>) {
        self.stroke_with(d, stroke, "");
    }

    fn stroke_with(&mut self, d: &str, stroke: Stroke<'_>, more: &str) {
        let dash = match stroke.dash {
            "" => String::new(),
            dash => format!(" stroke-dasharray=\"{dash}\""),
        };
        let opacity = match stroke.opacity {
            1.0 => String::new(),
            opacity => format!(" stroke-opacity=\"{}\"", coordinate(opacity)),
        };
        let text = format!(
            "<path d=\"{d}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{dash}{opacity}{more}/>",
            self.colour(stroke.colour),
            coordinate(stroke.width),
        );
        self.push(&text);
    }

    /// Many runs of cells in one colour, on a grid of cells of this size.
    ///
    /// One element for all of them, its numbers counted in cells: a picture of thousands of cells stays small. Edges are
    /// not smoothed, so that neighbours show no seam.
    pub(crate) fn runs(
        &mut self,
        corner: (f64, f64),
        cell: f64,
        runs: &[CellRun],
        colour: Colour,
        opacity: f64,
    ) {
        if runs.is_empty() {
            return;
        }
        let mut d = String::new();
        for (x, y, length) in runs {
            let _ = write!(d, "M{x} {y}h{length}");
        }
        // A line lies about its middle: half a cell below the upper edge.
        let text = format!(
            "<path transform=\"translate({} {}) scale({})\" d=\"{d}\" fill=\"none\" stroke=\"{}\" stroke-opacity=\"{}\" \
             shape-rendering=\"crispEdges\"/>",
            coordinate(corner.0),
            coordinate(corner.1 + cell / 2.0),
            coordinate(cell),
            self.colour(colour),
            coordinate(opacity),
        );
        self.push(&text);
    }

    /// Many empty rectangles of one size, by their upper left corners, in one element.
    pub(crate) fn frames(&mut self, corners: &[(f64, f64)], size: (f64, f64), stroke: Stroke<'_>) {
        let mut d = String::new();
        let (wide, high) = (coordinate(size.0), coordinate(size.1));
        for corner in corners {
            let (x, y) = (coordinate(corner.0), coordinate(corner.1));
            let _ = write!(d, "M{x} {y}h{wide}v{high}h-{wide}z");
        }
        if !d.is_empty() {
            self.stroke(&d, stroke);
        }
    }

    /// A filled polygon.
    pub(crate) fn area(&mut self, points: &[(f64, f64)], colour: Colour, opacity: f64) {
        let corners: Vec<String> = points
            .iter()
            .map(|point| format!("{},{}", coordinate(point.0), coordinate(point.1)))
            .collect();
        let text = format!(
            "<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"{}\"/>",
            corners.join(" "),
            self.colour(colour),
            coordinate(opacity)
        );
        self.push(&text);
    }

    /// A filled rectangle from its upper left corner.
    pub(crate) fn rectangle(
        &mut self,
        corner: (f64, f64),
        size: (f64, f64),
        colour: Colour,
        opacity: f64,
        tip: &str,
    ) {
        let text = format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" fill-opacity=\"{}\"{}/>",
            coordinate(corner.0),
            coordinate(corner.1),
            coordinate(size.0.max(0.0)),
            coordinate(size.1.max(0.0)),
            self.colour(colour),
            coordinate(opacity),
            self.tip(tip)
        );
        self.push(&text);
    }

    /// An empty rectangle.
    pub(crate) fn frame(&mut self, corner: (f64, f64), size: (f64, f64), stroke: Stroke<'_>) {
        let (x, y) = corner;
        let (right, bottom) = (x + size.0, y + size.1);
        self.path(
            &[(x, y), (right, y), (right, bottom), (x, bottom), (x, y)],
            stroke,
        );
    }

    pub(crate) fn text(
        &mut self,
        at: (f64, f64),
        anchor: Anchor,
        size: f64,
        colour: Colour,
        text: &str,
    ) {
        self.write(at, anchor, size, colour, "", text);
    }

    pub(crate) fn bold(&mut self, at: (f64, f64), anchor: Anchor, size: f64, text: &str) {
        let bold = " font-weight=\"700\"";
        self.write(at, anchor, size, Colour::Ink, bold, text);
    }

    /// Text turned by some degrees about its anchor.
    pub(crate) fn turned(
        &mut self,
        at: (f64, f64),
        anchor: Anchor,
        size: f64,
        colour: Colour,
        degrees: f64,
        text: &str,
    ) {
        let turn = format!(
            " transform=\"rotate({} {} {})\"",
            coordinate(degrees),
            coordinate(at.0),
            coordinate(at.1)
        );
        self.write(at, anchor, size, colour, &turn, text);
    }

    fn write(
        &mut self,
        at: (f64, f64),
        anchor: Anchor,
        size: f64,
        colour: Colour,
        more: &str,
        text: &str,
    ) {
        if text.is_empty() {
            return;
        }
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\" font-size=\"{}\" fill=\"{}\"{more}>{}</text>",
            coordinate(at.0),
            coordinate(at.1),
            coordinate(size),
            self.colour(colour),
            escape(text)
        );
        self.push(&text);
    }

    /// A marker of this radius.
    pub(crate) fn marker(
        &mut self,
        at: (f64, f64),
        marker: Marker,
        radius: f64,
        colour: Colour,
        opacity: f64,
        tip: &str,
    ) {
        let ink = self.colour(colour);
        let ground = self.colour(Colour::Ground);
        let tip = self.tip(tip);
        let (x, y, r) = (at.0, at.1, radius);
        let corners = |corners: &[(f64, f64)]| {
            let corners = corners.iter();
            let corners = corners
                .map(|(dx, dy)| format!("{},{}", coordinate(x + r * dx), coordinate(y + r * dy)));
            corners.collect::<Vec<String>>().join(" ")
        };
        let solid = format!(
            "fill=\"{ink}\" fill-opacity=\"{}\" stroke=\"{ground}\" stroke-width=\"1\"{tip}",
            coordinate(opacity)
        );
        let polygon =
            |points: &[(f64, f64)]| format!("<polygon points=\"{}\" {solid}/>", corners(points));
        let circle = |style: &str| {
            let (x, y, r) = (coordinate(x), coordinate(y), coordinate(r));
            format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" {style}/>")
        };
        let text = match marker {
            Marker::Circle => circle(&solid),
            Marker::Ring => circle(&format!(
                "fill=\"{ground}\" fill-opacity=\"0.01\" stroke=\"{ink}\" stroke-width=\"2\"{tip}"
            )),
            Marker::Square => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            Marker::Triangle => polygon(&[(0.0, -1.15), (1.05, 0.8), (-1.05, 0.8)]),
            Marker::TriangleDown => polygon(&[(0.0, 1.15), (1.05, -0.8), (-1.05, -0.8)]),
            Marker::Diamond => polygon(&[(0.0, -1.25), (1.05, 0.0), (0.0, 1.25), (-1.05, 0.0)]),
            Marker::Star => {
                let corner = |at: usize| {
                    let reach = if at.is_multiple_of(2) { 1.35 } else { 0.58 };
                    let turn = std::f64::consts::PI * at as f64 / 5.0;
                    (reach * turn.sin(), -reach * turn.cos())
                };
                polygon(&(0..10).map(corner).collect::<Vec<_>>())
            }
            Marker::Cross => {
                let reach = r * 0.85;
                let [left, right] = [x - reach, x + reach].map(coordinate);
                let [top, bottom] = [y - reach, y + reach].map(coordinate);
                format!(
                    "<path d=\"M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"2.2\"{tip}/>"
                )
            }
        };
        self.push(&text);
    }

    /// The whole picture, with a title for those who do not see it.
    pub(crate) fn finish(self, size: (f64, f64), title: &str) -> String {
        let (width, height) = (coordinate(size.0).ceil(), coordinate(size.1).ceil());
        let label = escape(title);
        match self.medium {
            Medium::Page => {
                let role = if self.body.contains("data-tip") {
                    "group"
                } else {
                    "img"
                };
                format!(
                    "<svg viewBox=\"0 0 {width} {height}\" data-natural=\"{width}\" role=\"{role}\" aria-label=\"{label}\">{}</svg>",
                    self.body
                )
            }
            Medium::Paper => format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
                 viewBox=\"0 0 {width} {height}\" font-family=\"'DejaVu Sans', Verdana, sans-serif\">\
                 <title>{label}</title><rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>{}</svg>\n",
                self.body
            ),
        }
    }
}
