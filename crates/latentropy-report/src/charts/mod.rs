//! Charts from plain numbers: a [`Figure`] is a grid of panels, drawn as SVG, PNG or part of a page.
//!
//! ```
//! use latentropy_report::charts::{Axis, Figure, Plot, Point, Series};
//!
//! let rows = [10.0, 100.0, 1000.0];
//! let panel = Plot::new("5 visible, 3 hidden units")
//!     .x(Axis::log("rows of data"))
//!     .y(Axis::log("distance to the truth (nats)"))
//!     // An error bar is the distance to each side, or `between(low, high)`.
//!     .series(Series::line("LME", rows.map(|t| Point::new(t, 3.0 / t).error(0.4 / t))))
//!     // Infinite values are marked at the frame; NaN is a gap.
//!     .series(Series::line("MLE", [(10.0, f64::INFINITY), (100.0, 0.1), (1000.0, 0.01)]));
//! let figure = Figure::new("How far from the truth?")
//!     .caption("Means of ten trials, bars of one standard error; tolerance 1e-5.")
//!     .panel(panel);
//! let svg: String = figure.svg(); // stands alone, on white
//! let html: String = figure.html(); // for a `Page`: follows its light or dark colours, flows on a phone
//! # #[cfg(feature = "png")]
//! let png: Vec<u8> = figure.png(2.0)?; // two pixels per unit; the font is part of the program
//! # #[cfg(feature = "png")]
//! # assert!(png.starts_with(b"\x89PNG"));
//! # assert!(svg.starts_with("<svg") && html.starts_with("<figure"));
//! # Ok::<(), latentropy::Error>(())
//! ```
//!
//! - Series of the same name look the same in every panel, and the figure has one legend for all. Styles go by the
//!   order of first appearance (colour, marker and dash together: colour is never the only difference), unless
//!   [`Series::style`] fixes one.
//! - Panels: [`Plot`] (lines, points, bands, bars), [`HeatMap`] and [`Images`]; a grid of [`Figure::columns`] columns.
//! - Points may carry a [`Point::tip`], which a page shows on hover, focus or tap.
//! - [`Figure::write`] writes `NAME.svg` and `NAME.png`, each whole or not at all.
//! - PNG is the crate's feature `png`, on by default; without it there is no `Figure::png`, and no such file is written.
//!
//! Nothing here fails on strange numbers: ranges adapt, empty panels say that they are empty, and every coordinate
//! that is written is finite.

mod axis;
mod figure;
mod heat_map;
mod heat_scale;
mod images;
mod plot;
mod plot_drawing;
#[cfg(feature = "png")]
mod raster;
mod series;
mod style;
mod svg;
mod text;

pub use axis::{Axis, Scale};
pub(crate) use figure::write_picture;
pub use figure::{Figure, Panel};
pub use heat_map::HeatMap;
pub use heat_scale::HeatScale;
pub use images::{Images, Picture};
pub use plot::{Plot, Reference};
pub use series::{Kind, Point, Series};
pub use style::Marker;
pub(crate) use style::{Colour, Medium};
pub(crate) use svg::{Anchor, Canvas, Stroke};
pub use text::{escape, label};
pub(crate) use text::{shortened, width};
