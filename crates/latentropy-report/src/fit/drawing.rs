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

/// The drawing; empty for a machine without pairs.
pub(super) fn html(run: &Run) -> String {
    let network = &run.network;
    let hidden: Vec<usize> = network.hidden().into_iter().take(MOST_UNITS).collect();
    let mut edges: Vec<(usize, usize, f64, usize)> = network
        .terms()
        .iter()
        .zip(network.weights())
        .enumerate()
        .filter_map(|(at, (term, &weight))| match *term.units() {
            [a, b] => Some((a, b, weight, at)),
            _ => None,
        })
        .collect();
    let all = edges.len();
    let visible = drawn_columns(&network.visible(), &edges);
    edges.retain(|(a, b, ..)| {
        let there = |unit: &usize| hidden.contains(unit) || visible.contains(unit);
        there(a) && there(b)
    });
    edges.sort_by(|(_, _, a, _), (_, _, b, _)| b.abs().total_cmp(&a.abs()));
    let largest = edges.first().map_or(0.0, |(_, _, weight, _)| weight.abs());
    if largest == 0.0 {
        return String::new();
    }
    edges.retain(|(_, _, weight, _)| weight.abs() >= WEAK * largest);
    let mut between = 0;
    edges.retain(|(a, b, ..)| {
        let columns = visible.contains(a) && visible.contains(b);
        between += usize::from(columns);
        !columns || hidden.is_empty() || between <= MOST_BETWEEN_COLUMNS
    });
    edges.truncate(MOST_EDGES);
    let names = hidden.iter().map(|&unit| width(run.name(unit), FONT));
    let left = names.fold(0.0, f64::max).min(NAME / 2.0) + 28.0;
    let right = if hidden.is_empty() {
        170.0
    } else {
        left + ACROSS
    };
    let height = SPACING * visible.len().max(hidden.len() * 2) as f64 + 16.0;
    let place = |unit: usize| {
        let side = |units: &[usize], x: f64| {
            let at = units.iter().position(|&other| other == unit)?;
            Some((x, height * (at as f64 + 0.5) / units.len() as f64))
        };
        side(&hidden, left)
            .or_else(|| side(&visible, right))
            .unwrap_or((0.0, 0.0))
    };
    let mut canvas = Canvas::new(Medium::Page);
    // The strongest on top.
    for &(a, b, weight, term) in edges.iter().rev() {
        let (from, to) = (place(a), place(b));
        let share = weight.abs() / largest;
        let stroke = Stroke {
            colour: if weight < 0.0 {
                Colour::Negative
            } else {
                Colour::Positive
            },
            width: 0.8 + 6.2 * share,
            dash: if weight < 0.0 { "9 3" } else { "" },
            opacity: 0.3 + 0.6 * share,
        };
        let tip = format!(
            "{} – {}\nweight {}",
            run.name(a),
            run.name(b),
            words::weight_with(weight, run.weight_error(term))
        );
        let reach = if from.0 == left {
            -70.0
        } else if hidden.is_empty() {
            240.0
        } else {
            110.0
        };
        canvas.curve(bent(from, to, reach), stroke, &tip);
    }
    for &unit in &visible {
        let (x, y) = place(unit);
        canvas.marker((x, y), Marker::Circle, 5.5, Colour::Frame, 1.0, "");
        let name = shortened(run.name(unit), FONT, NAME);
        canvas.text(
            (x + 12.0, y + FONT * 0.36),
            Anchor::Start,
            FONT,
            Colour::Ink,
            &name,
        );
    }
    for &unit in &hidden {
        let (x, y) = place(unit);
        canvas.marker((x, y), Marker::Circle, 9.0, Colour::Ink, 1.0, "");
        let name = shortened(run.name(unit), FONT, NAME / 2.0);
        canvas.text(
            (x - 16.0, y + FONT * 0.36),
            Anchor::End,
            FONT,
            Colour::Ink,
            &name,
        );
    }
    let picture = canvas.finish((right + NAME + 16.0, height), "drawing of the machine");
    let shown = match edges.len() {
        count if count < all => format!("the {count} strongest of {all} weights"),
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

/// The most strongly connected columns, in their order.
fn drawn_columns(visible: &[usize], edges: &[(usize, usize, f64, usize)]) -> Vec<usize> {
    let strength = |unit: usize| -> f64 {
        let touching = edges.iter().filter(|(a, b, ..)| *a == unit || *b == unit);
        touching.map(|(_, _, weight, _)| weight.abs()).sum()
    };
    let mut found = visible.to_vec();
    if found.len() > MOST_UNITS {
        found.sort_by(|&a, &b| strength(b).total_cmp(&strength(a)));
        found.truncate(MOST_UNITS);
        found.sort_unstable();
    }
    found
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
    format!(
        "<div class=\"legend\">{}{}</div>",
        key(Colour::Positive, "", "positive: more often together"),
        key(Colour::Negative, "9 3", "negative: less often together")
    )
}
