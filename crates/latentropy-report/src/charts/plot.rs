//! A panel with two axes: its series and its lines of reference.

use super::axis::Axis;
use super::series::Series;

/// A thin line that the eye can hold on to.
#[derive(Clone, Debug, PartialEq)]
pub enum Reference {
    /// y = x.
    Identity,
    /// At this x, with a word beside it.
    Vertical(f64, String),
    /// At this y, with a word beside it.
    Horizontal(f64, String),
}

/// A panel of lines, points, bands or bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Above the panel; may be empty.
    pub title: String,
    /// The axis below.
    pub x: Axis,
    /// The axis at the left.
    pub y: Axis,
    /// What is drawn, the first below the others.
    pub series: Vec<Series>,
    /// Thin lines under the series.
    pub references: Vec<Reference>,
}

impl Plot {
    /// An empty panel.
    pub fn new(title: impl Into<String>) -> Self {
        Plot {
            title: title.into(),
            x: Axis::linear(""),
            y: Axis::linear(""),
            series: Vec::new(),
            references: Vec::new(),
        }
    }

    /// With this axis below.
    pub fn x(mut self, axis: Axis) -> Self {
        self.x = axis;
        self
    }

    /// With this axis at the left.
    pub fn y(mut self, axis: Axis) -> Self {
        self.y = axis;
        self
    }

    /// With one more series.
    pub fn series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// With one more line of reference.
    pub fn reference(mut self, reference: Reference) -> Self {
        self.references.push(reference);
        self
    }
}
