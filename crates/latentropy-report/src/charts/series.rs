//! What a plot shows: points, and how they are joined.

use super::style::Marker;

/// One point of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Along.
    pub x: f64,
    /// Up; infinite values are marked at the frame, NaN is a gap.
    pub y: f64,
    /// The ends of the error bar, or of the band.
    pub ends: Option<(f64, f64)>,
    /// What a page shows on hover, focus or tap: lines of text, the first one a heading; empty for nothing.
    pub tip: String,
}

impl Point {
    /// A point.
    pub fn new(x: f64, y: f64) -> Self {
        Point {
            x,
            y,
            ends: None,
            tip: String::new(),
        }
    }

    /// With a bar of this length to each side.
    pub fn error(self, error: f64) -> Self {
        let ends = (self.y - error, self.y + error);
        self.between(ends.0, ends.1)
    }

    /// With a bar from `low` to `high`.
    pub fn between(mut self, low: f64, high: f64) -> Self {
        self.ends = Some((low, high));
        self
    }

    /// With a text to show on hover.
    pub fn tip(mut self, tip: impl Into<String>) -> Self {
        self.tip = tip.into();
        self
    }
}

impl From<(f64, f64)> for Point {
    fn from((x, y): (f64, f64)) -> Self {
        Point::new(x, y)
    }
}

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Joined, with markers.
    LineAndMarkers,
    /// Joined, without markers.
    Line,
    /// Markers alone.
    Markers,
    /// The area between the points' ends.
    Band,
    /// A bar from zero up to y, this wide in units of x: histograms.
    Bars(f64),
}

/// Points under one name.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name in the legend; empty to leave it out.
    pub name: String,
    /// The points, in the order in which they are joined.
    pub points: Vec<Point>,
    /// How they are drawn.
    pub kind: Kind,
    /// Which style (colour, marker, dash), from 0; by the order of names where it is not given.
    pub style: Option<usize>,
    /// Another marker than the style's.
    pub marker: Option<Marker>,
    /// Size of the markers relative to the usual one.
    pub size: f64,
    /// 0 invisible to 1 opaque.
    pub opacity: f64,
    /// A solid line, whatever the style's dash.
    pub solid: bool,
}

impl Series {
    /// A series of any kind.
    pub fn new<P: Into<Point>>(
        name: impl Into<String>,
        kind: Kind,
        points: impl IntoIterator<Item = P>,
    ) -> Self {
        Series {
            name: name.into(),
            points: points.into_iter().map(Into::into).collect(),
            kind,
            style: None,
            marker: None,
            size: 1.0,
            opacity: 1.0,
            solid: false,
        }
    }

    /// Joined points with markers.
    pub fn line<P: Into<Point>>(
        name: impl Into<String>,
        points: impl IntoIterator<Item = P>,
    ) -> Self {
        Series::new(name, Kind::LineAndMarkers, points)
    }

    /// Points alone.
    pub fn markers<P: Into<Point>>(
        name: impl Into<String>,
        points: impl IntoIterator<Item = P>,
    ) -> Self {
        Series::new(name, Kind::Markers, points)
    }

    /// In this style, whatever the name.
    pub fn style(mut self, style: usize) -> Self {
        self.style = Some(style);
        self
    }

    /// With this marker.
    pub fn marker(mut self, marker: Marker) -> Self {
        self.marker = Some(marker);
        self
    }

    /// With markers of this relative size.
    pub fn size(mut self, size: f64) -> Self {
        self.size = size;
        self
    }

    /// With a solid line, whatever the style.
    pub fn solid(mut self) -> Self {
        self.solid = true;
        self
    }

    /// Translucent.
    pub fn opacity(mut self, opacity: f64) -> Self {
        self.opacity = opacity;
        self
    }
}
