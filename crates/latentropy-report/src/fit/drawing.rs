//! A drawing of the machine: hidden units at the left, columns at the right, weights as lines.

use super::run::Run;
use super::words;
use crate::charts::{Anchor, Canvas, Colour, Marker, Medium, Stroke, escape, shortened, width};

/// Lines that are drawn, the strongest first.
const MOST_EDGES: usize = 60;
/// Of these, lines between columns where there are hidden units: more would hide what the hidden units do.
const MOST_BETWEEN_COLUMNS: usize = 14;
/// Columns that are drawn.
const MOST_UNITS: usize = 40;
/// Lines weaker than this share of the strongest are left out.
const WEAK: f64 = 0.04;
const SPACING: f64 = 25.0;
const NAME: f64 = 172.0;
const ACROSS: f64 = 190.0;
const FONT: f64 = 13.0;

/// What the lines mean.
const LEGEND: [(Colour, &str, &str); 2] = [
    (Colour::Positive, "", "positive: more often together"),
    (Colour::Negative, "9 3", "negative: less often together"),
];

/// A weight between two units: a line.
#[derive(Clone, Copy)]
struct Edge {
    ends: (usize, usize),
    weight: f64,
    term: usize,
}

/// The drawing; empty for a machine without pairs.
pub(super) fn html(run: &Run) -> String {
    let all = edges(run);
    let Some(drawing) = Drawing::new(run, &all) else {
        return String::new();
    };
    let picture = drawing.picture(Medium::Page);
    let shown = match drawing.edges.len() {
        count if count < all.len() => {
            format!("the {count} strongest of {} weights", all.len())
        }
        _ => "all weights".to_string(),
    };
    format!(
        "<figure class=\"chart\"><p class=\"chart-title\">Who is connected with whom</p>{}<div class=\"panels\"><div class=\"scroll\">{picture}</div></div>\
         <figcaption>{}</figcaption></figure>\n",
        legend(),
        escape(&format!(
            "Thicker lines are stronger weights; {shown} are drawn. Point at a line to read it."
        ))
    )
}

/// The drawing as an SVG file of its own; none for a machine without pairs.
pub(super) fn svg(run: &Run) -> Option<String> {
    Some(Drawing::new(run, &edges(run))?.picture(Medium::Paper))
}

/// Every pair that has a weight.
fn edges(run: &Run) -> Vec<Edge> {
    let weighted = run.network.terms().iter().zip(run.network.weights());
    weighted
        .enumerate()
        .filter_map(|(at, (term, &weight))| match *term.units() {
            [a, b] => Some(Edge {
                ends: (a, b),
                weight,
                term: at,
            }),
            _ => None,
        })
        .collect()
}

/// What is drawn, and where.
struct Drawing<'a> {
    run: &'a Run,
    hidden: Vec<usize>,
    visible: Vec<usize>,
    /// The strongest first, at least one.
    edges: Vec<Edge>,
    largest: f64,
    left: f64,
    right: f64,
    height: f64,
}

impl<'a> Drawing<'a> {
    /// Chooses units and lines; `None` where no pair has a weight.
    fn new(run: &'a Run, all: &[Edge]) -> Option<Self> {
        let hidden: Vec<usize> = run.network.hidden().into_iter().take(MOST_UNITS).collect();
        let visible = drawn_columns(&run.network.visible(), all);
        let edges = drawn_edges(all, &hidden, &visible);
        let largest = edges.first().map_or(0.0, |edge| edge.weight.abs());
        if largest == 0.0 {
            return None;
        }
        let names = hidden.iter().map(|&unit| width(run.name(unit), FONT));
        let left = names.fold(0.0, f64::max).min(NAME / 2.0) + 28.0;
        Some(Drawing {
            run,
            largest,
            left,
            right: if hidden.is_empty() {
                170.0
            } else {
                left + ACROSS
            },
            height: SPACING * visible.len().max(hidden.len() * 2) as f64 + 16.0,
            hidden,
            visible,
            edges,
        })
    }

    fn place(&self, unit: usize) -> (f64, f64) {
        let side = |units: &[usize], x: f64| {
            let at = units.iter().position(|&other| other == unit)?;
            Some((x, self.height * (at as f64 + 0.5) / units.len() as f64))
        };
        side(&self.hidden, self.left)
            .or_else(|| side(&self.visible, self.right))
            .unwrap_or((0.0, 0.0))
    }

    fn picture(&self, medium: Medium) -> String {
        let mut canvas = Canvas::new(medium);
        // The strongest on top.
        for edge in self.edges.iter().rev() {
            self.draw_edge(&mut canvas, edge);
        }
        for &unit in &self.visible {
            let (x, y) = self.place(unit);
            canvas.marker((x, y), Marker::Circle, 5.5, Colour::Frame, 1.0, "");
            let name = shortened(self.run.name(unit), FONT, NAME);
            let at = (x + 12.0, y + FONT * 0.36);
            canvas.text(at, Anchor::Start, FONT, Colour::Ink, &name);
        }
        for &unit in &self.hidden {
            let (x, y) = self.place(unit);
            canvas.marker((x, y), Marker::Circle, 9.0, Colour::Ink, 1.0, "");
            let name = shortened(self.run.name(unit), FONT, NAME / 2.0);
            let at = (x - 16.0, y + FONT * 0.36);
            canvas.text(at, Anchor::End, FONT, Colour::Ink, &name);
        }
        let size = (self.right + NAME + 16.0, self.height);
        let size = match medium {
            Medium::Page => size,
            Medium::Paper => self.draw_legend(&mut canvas, size),
        };
        canvas.finish(size, "drawing of the machine")
    }

    /// What the lines mean, below the drawing: on a page it stands beside it. Returns the size of both.
    fn draw_legend(&self, canvas: &mut Canvas, (width, height): (f64, f64)) -> (f64, f64) {
        for (at, (colour, dash, name)) in LEGEND.into_iter().enumerate() {
            let y = height + 14.0 + 22.0 * at as f64;
            let stroke = Stroke {
                dash,
                ..Stroke::plain(colour, 4.0)
            };
            canvas.line((12.0, y), (42.0, y), stroke);
            canvas.text(
                (52.0, y + FONT * 0.36),
                Anchor::Start,
                FONT,
                Colour::Ink,
                name,
            );
        }
        (width.max(310.0), height + 52.0)
    }

    fn draw_edge(&self, canvas: &mut Canvas, edge: &Edge) {
        let (from, to) = (self.place(edge.ends.0), self.place(edge.ends.1));
        let share = edge.weight.abs() / self.largest;
        let is_negative = edge.weight < 0.0;
        let stroke = Stroke {
            colour: if is_negative {
                Colour::Negative
            } else {
                Colour::Positive
            },
            width: 0.8 + 6.2 * share,
            dash: if is_negative { "9 3" } else { "" },
            opacity: 0.3 + 0.6 * share,
        };
        let tip = format!(
            "{} – {}\nweight {}",
            self.run.name(edge.ends.0),
            self.run.name(edge.ends.1),
            words::weight_with(edge.weight, self.run.weight_error(edge.term))
        );
        let reach = if from.0 == self.left {
            -70.0
        } else if self.hidden.is_empty() {
            240.0
        } else {
            110.0
        };
        canvas.curve(bent(from, to, reach), stroke, &tip);
    }
}

/// The most strongly connected columns, in their order.
fn drawn_columns(visible: &[usize], edges: &[Edge]) -> Vec<usize> {
    let strength = |unit: usize| -> f64 {
        let touching = edges
            .iter()
            .filter(|edge| edge.ends.0 == unit || edge.ends.1 == unit);
        touching.map(|edge| edge.weight.abs()).sum()
    };
    let mut found = visible.to_vec();
    if found.len() > MOST_UNITS {
        found.sort_by(|&a, &b| strength(b).total_cmp(&strength(a)));
        found.truncate(MOST_UNITS);
        found.sort_unstable();
    }
    found
}

/// The strongest lines between these units, strongest first.
fn drawn_edges(all: &[Edge], hidden: &[usize], visible: &[usize]) -> Vec<Edge> {
    let both =
        |units: &[usize], edge: &Edge| units.contains(&edge.ends.0) && units.contains(&edge.ends.1);
    let drawn = [hidden, visible].concat();
    let mut edges: Vec<Edge> = all
        .iter()
        .copied()
        .filter(|edge| both(&drawn, edge))
        .collect();
    edges.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
    let largest = edges.first().map_or(0.0, |edge| edge.weight.abs());
    edges.retain(|edge| edge.weight.abs() >= WEAK * largest);
    let mut between = 0;
    edges.retain(|edge| {
        let is_between_columns = both(visible, edge);
        between += usize::from(is_between_columns);
        !is_between_columns || hidden.is_empty() || between <= MOST_BETWEEN_COLUMNS
    });
    edges.truncate(MOST_EDGES);
    edges
}

/// The curve between two places: across from side to side, or an arc within a side that reaches at most so far to
/// the left (to the right where it is negative).
fn bent(from: (f64, f64), to: (f64, f64), reach: f64) -> [(f64, f64); 4] {
    if (from.0 - to.0).abs() > 1.0 {
        let middle = (from.0 + to.0) / 2.0;
        return [from, (middle, from.1), (middle, to.1), to];
    }
    let bulge = (14.0 + 0.55 * (from.1 - to.1).abs()).min(reach.abs()) * reach.signum();
    [from, (from.0 - bulge, from.1), (to.0 - bulge, to.1), to]
}

fn legend() -> String {
    let key = |colour: Colour, dash: &str, name: &str| {
        let mut canvas = Canvas::new(Medium::Page);
        let stroke = Stroke {
            dash,
            ..Stroke::plain(colour, 4.0)
        };
        canvas.line((0.0, 8.0), (30.0, 8.0), stroke);
        format!(
            "<span><svg viewBox=\"0 0 30 16\" width=\"30\" height=\"16\" aria-hidden=\"true\">{}</svg>{name}</span>",
            canvas.into_body()
        )
    };
    let keys = LEGEND.map(|(colour, dash, name)| key(colour, dash, name));
    format!("<div class=\"legend\">{}</div>", keys.concat())
}
