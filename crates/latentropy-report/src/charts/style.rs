//! How things look: a colour-blind safe set of colours, markers, dashes; and the two media that they are drawn for.

/// What a picture is drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Medium {
    /// Stands alone, on white: colours are written out.
    Paper,
    /// Part of a page: colours are the page's variables, which follow light and dark.
    Page,
}

/// A colour by what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    /// Text.
    Ink,
    /// Text that matters less.
    Faint,
    /// Grid lines.
    Grid,
    /// Frames and axes.
    Frame,
    /// What is drawn upon.
    Ground,
    /// A series.
    Series(usize),
    /// Positive numbers.
    Positive,
    /// Negative numbers.
    Negative,
}

/// Okabe and Ito (2008), without yellow and black, which vanish on one of the grounds; a grey and a brown in their place.
const SERIES: [&str; 8] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#6E7781", "#8A5A2B",
];

impl Colour {
    /// The colour as an attribute's value.
    pub(crate) fn text(self, medium: Medium) -> String {
        if medium == Medium::Page {
            return match self {
                Colour::Ink => "var(--ink)".to_string(),
                Colour::Faint => "var(--faint)".to_string(),
                Colour::Grid => "var(--grid)".to_string(),
                Colour::Frame => "var(--frame)".to_string(),
                Colour::Ground => "var(--card)".to_string(),
                Colour::Series(at) => format!("var(--s{})", at % SERIES.len()),
                Colour::Positive => "var(--positive)".to_string(),
                Colour::Negative => "var(--negative)".to_string(),
            };
        }
        match self {
            Colour::Ink => "#1b1f24",
            Colour::Faint => "#57606a",
            Colour::Grid => "#e4e7eb",
            Colour::Frame => "#8b949e",
            Colour::Ground => "#ffffff",
            Colour::Series(at) => SERIES[at % SERIES.len()],
            Colour::Positive => "#0072B2",
            Colour::Negative => "#D55E00",
        }
        .to_string()
    }
}

/// The shape of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// ●
    Circle,
    /// ■
    Square,
    /// ▲
    Triangle,
    /// ◆
    Diamond,
    /// ▼
    TriangleDown,
    /// ✕
    Cross,
    /// ○
    Ring,
    /// ★
    Star,
}

const MARKERS: [Marker; 6] = [
    Marker::Circle,
    Marker::Square,
    Marker::Triangle,
    Marker::Diamond,
    Marker::TriangleDown,
    Marker::Cross,
];

const DASHES: [&str; 6] = ["", "7 4", "2 3", "10 3 2 3", "5 2", "1 4"];

/// The marker of a style.
pub(super) fn marker(style: usize) -> Marker {
    // After six styles the colours come again, with the next marker.
    MARKERS[(style + style / SERIES.len()) % MARKERS.len()]
}

/// The dash of a style; empty for a solid line.
pub(super) fn dash(style: usize) -> &'static str {
    DASHES[(style + style / SERIES.len()) % DASHES.len()]
}
