//! A figure: panels in a grid under one title, with one legend and a caption; drawn for paper or for a page.

use super::heat_map::HeatMap;
use super::images::Images;
use super::plot::Plot;
use super::plot_drawing::{LABEL, RADIUS, TICK};
#[cfg(feature = "png")]
use super::raster;
use super::series::{Kind, Series};
use super::style::{self, Colour, Marker, Medium};
use super::svg::{Anchor, Canvas, Stroke};
use super::text::{escape, width};
use latentropy::Result;
use latentropy::files::write_atomically;
use std::path::Path;

/// One picture of a figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Panel {
    /// With two axes.
    Plot(Plot),
    /// Coloured cells.
    HeatMap(HeatMap),
    /// Small pictures.
    Images(Images),
}

impl From<Plot> for Panel {
    fn from(plot: Plot) -> Self {
        Panel::Plot(plot)
    }
}

impl From<HeatMap> for Panel {
    fn from(map: HeatMap) -> Self {
        Panel::HeatMap(map)
    }
}

impl From<Images> for Panel {
    fn from(images: Images) -> Self {
        Panel::Images(images)
    }
}

/// Panels in a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Above everything; may be empty.
    pub title: String,
    /// Below everything; may be empty.
    pub caption: String,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// Panels in a row.
    pub columns: usize,
    /// Width and height of a panel with axes, labels included.
    pub panel_size: (f64, f64),
}

/// Room around the inside of a panel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Margins {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// Which style each name has.
#[derive(Debug, Default)]
pub(super) struct Styles {
    names: Vec<(String, usize)>,
}

impl Styles {
    fn new<'a>(series: impl Iterator<Item = &'a Series>) -> Self {
        let mut names: Vec<(String, usize)> = Vec::new();
        let mut next = 0;
        for series in series {
            if names.iter().all(|(name, _)| *name != series.name) {
                let style = series.style.unwrap_or(next);
                next = next.max(style + 1);
                names.push((series.name.clone(), style));
            }
        }
        Styles { names }
    }

    /// The style of a series.
    pub(super) fn of(&self, series: &Series) -> usize {
        let named = self.names.iter().find(|(name, _)| *name == series.name);
        series.style.or(named.map(|(_, style)| *style)).unwrap_or(0)
    }
}

/// An entry of the legend.
struct Key {
    name: String,
    style: usize,
    kind: Kind,
    marker: Marker,
    size: f64,
    solid: bool,
}

const TITLE_SIZE: f64 = 18.0;
const KEY_WIDTH: f64 = 30.0;
const GAP: f64 = 18.0;
const MARGIN: f64 = 14.0;
/// The name that marks at the frame have in the legend.
const BEYOND: &str = "beyond the frame, or infinite";

impl Figure {
    /// An empty figure.
    pub fn new(title: impl Into<String>) -> Self {
        Figure {
            title: title.into(),
            caption: String::new(),
            panels: Vec::new(),
            columns: 2,
            panel_size: (440.0, 330.0),
        }
    }

    /// With these words below.
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// With one more panel.
    pub fn panel(mut self, panel: impl Into<Panel>) -> Self {
        self.panels.push(panel.into());
        self
    }

    /// With so many panels in a row.
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = columns;
        self
    }

    /// With panels of this width and height.
    pub fn panel_size(mut self, width: f64, height: f64) -> Self {
        self.panel_size = (width, height);
        self
    }

    fn plots(&self) -> impl Iterator<Item = &Plot> {
        self.panels.iter().filter_map(|panel| match panel {
            Panel::Plot(plot) => Some(plot),
            Panel::HeatMap(_) | Panel::Images(_) => None,
        })
    }

    fn styles(&self) -> Styles {
        Styles::new(self.plots().flat_map(|plot| &plot.series))
    }

    fn keys(&self, styles: &Styles) -> Vec<Key> {
        let mut keys: Vec<Key> = Vec::new();
        for series in self.plots().flat_map(|plot| &plot.series) {
            if !series.name.is_empty() && keys.iter().all(|key| key.name != series.name) {
                let style = styles.of(series);
                keys.push(Key {
                    name: series.name.clone(),
                    style,
                    kind: series.kind,
                    marker: series.marker.unwrap_or(style::marker(style)),
                    size: series.size,
                    solid: series.solid,
                });
            }
        }
        keys
    }

    fn size_of(&self, panel: &Panel) -> (f64, f64) {
        match panel {
            Panel::Plot(_) => (self.panel_size.0.max(160.0), self.panel_size.1.max(120.0)),
            Panel::HeatMap(map) => map.size(),
            Panel::Images(images) => images.size(),
        }
    }

    /// The same margins for all panels, so that their frames are in line.
    fn common_margins(&self) -> Margins {
        let size = (self.panel_size.0.max(160.0), self.panel_size.1.max(120.0));
        self.plots()
            .map(|plot| plot.margins(size))
            .fold(Margins::default(), |a, b| Margins {
                left: a.left.max(b.left),
                right: a.right.max(b.right),
                top: a.top.max(b.top),
                bottom: a.bottom.max(b.bottom),
            })
    }

    fn drawn(&self, panel: &Panel, medium: Medium, margins: Margins, styles: &Styles) -> Canvas {
        let mut canvas = Canvas::new(medium);
        match panel {
            Panel::Plot(plot) => plot.draw(&mut canvas, self.size_of(panel), margins, styles),
            Panel::HeatMap(map) => map.draw(&mut canvas),
            Panel::Images(images) => images.draw(&mut canvas),
        }
        canvas
    }

    /// The figure as an SVG file, on white.
    pub fn svg(&self) -> String {
        let (styles, margins) = (self.styles(), self.common_margins());
        let columns = self.columns.clamp(1, self.panels.len().max(1));
        let sizes: Vec<(f64, f64)> = self
            .panels
            .iter()
            .map(|panel| self.size_of(panel))
            .collect();
        let column_width = |column: usize| {
            let sizes = sizes.iter().skip(column).step_by(columns);
            sizes.map(|size| size.0).fold(0.0, f64::max)
        };
        let widths: Vec<f64> = (0..columns).map(column_width).collect();
        let inner = widths.iter().sum::<f64>() + GAP * (columns - 1) as f64;
        let inner = inner.max(width(&self.title, TITLE_SIZE * 1.1)).max(240.0);
        let mut canvas = Canvas::new(Medium::Paper);
        let mut y = MARGIN;
        if !self.title.is_empty() {
            y += TITLE_SIZE;
            canvas.bold((MARGIN, y), Anchor::Start, TITLE_SIZE, &self.title);
            y += 12.0;
        }
        y = self.draw_legend(&mut canvas, &styles, y, inner);
        for (row, panels) in self.panels.chunks(columns).enumerate() {
            let mut x = MARGIN;
            for (column, panel) in panels.iter().enumerate() {
                let drawn = self.drawn(panel, Medium::Paper, margins, &styles);
                canvas.place(drawn, x, y);
                x += widths[column] + GAP;
            }
            let heights = sizes[row * columns..].iter().take(columns);
            y += heights.map(|size| size.1).fold(0.0, f64::max) + GAP;
        }
        for line in wrapped(&self.caption, LABEL, inner) {
            canvas.text(
                (MARGIN, y + 4.0),
                Anchor::Start,
                LABEL,
                Colour::Faint,
                &line,
            );
            y += LABEL * 1.4;
        }
        canvas.finish((inner + 2.0 * MARGIN, y + MARGIN - 4.0), &self.title)
    }

    fn draw_legend(&self, canvas: &mut Canvas, styles: &Styles, from: f64, inner: f64) -> f64 {
        let mut entries: Vec<(String, Option<Key>)> = self
            .keys(styles)
            .into_iter()
            .map(|key| (key.name.clone(), Some(key)))
            .collect();
        if self.plots().any(Plot::has_outliers) {
            entries.push((BEYOND.to_string(), None));
        }
        if entries.is_empty() {
            return from;
        }
        let (mut x, mut y) = (MARGIN, from);
        for (name, key) in entries {
            let needed = KEY_WIDTH + 6.0 + width(&name, TICK) + 16.0;
            if x > MARGIN && x + needed > MARGIN + inner {
                (x, y) = (MARGIN, y + TICK + 8.0);
            }
            match key {
                Some(key) => draw_key(canvas, &key, (x, y + 8.0)),
                None => draw_beyond(canvas, (x, y + 8.0)),
            }
            let place = (x + KEY_WIDTH + 6.0, y + 8.0 + TICK * 0.36);
            canvas.text(place, Anchor::Start, TICK, Colour::Ink, &name);
            x += needed;
        }
        y + TICK + 16.0
    }

    /// The figure as an element of a page: a legend, panels that flow, and the caption.
    pub fn html(&self) -> String {
        let (styles, margins) = (self.styles(), self.common_margins());
        let mut html = "<figure class=\"chart\">".to_string();
        if !self.title.is_empty() {
            html += &format!("<p class=\"chart-title\">{}</p>", escape(&self.title));
        }
        html += &self.legend_html(&styles);
        html += "<div class=\"panels\">";
        for panel in &self.panels {
            let title = match panel {
                Panel::Plot(plot) => &plot.title,
                Panel::HeatMap(map) => &map.title,
                Panel::Images(images) => &images.title,
            };
            let title = if title.is_empty() { &self.title } else { title };
            let drawn = self.drawn(panel, Medium::Page, margins, &styles);
            // One plot alone may be larger than a panel among others.
            let alone = self.panels.len() == 1 && matches!(panel, Panel::Plot(_));
            let class = if alone { "scroll large" } else { "scroll" };
            html += &format!("<div class=\"{class}\">");
            html += &drawn.finish(self.size_of(panel), title);
            html += "</div>";
        }
        html += "</div>";
        if !self.caption.is_empty() {
            html += &format!("<figcaption>{}</figcaption>", escape(&self.caption));
        }
        html + "</figure>\n"
    }

    fn legend_html(&self, styles: &Styles) -> String {
        let entry = |canvas: Canvas, name: &str| {
            format!(
                "<span><svg viewBox=\"0 0 {KEY_WIDTH} 16\" width=\"{KEY_WIDTH}\" height=\"16\" aria-hidden=\"true\">{}</svg>{}</span>",
                canvas.into_body(),
                escape(name)
            )
        };
        let mut entries = Vec::new();
        for key in self.keys(styles) {
            let mut canvas = Canvas::new(Medium::Page);
            draw_key(&mut canvas, &key, (0.0, 8.0));
            entries.push(entry(canvas, &key.name));
        }
        if self.plots().any(Plot::has_outliers) {
            let mut canvas = Canvas::new(Medium::Page);
            draw_beyond(&mut canvas, (0.0, 8.0));
            entries.push(entry(canvas, BEYOND));
        }
        match entries.is_empty() {
            true => String::new(),
            false => format!("<div class=\"legend\">{}</div>", entries.concat()),
        }
    }

    /// The figure as a PNG file, on white, with `scale` pixels per unit.
    #[cfg(feature = "png")]
    pub fn png(&self, scale: f64) -> Result<Vec<u8>> {
        raster::png(&self.svg(), scale)
    }

    /// Writes `NAME.svg` and, with the feature `png`, `NAME.png` in a directory, each whole or not at all; returns the
    /// names of the files.
    pub fn write(&self, directory: &Path, name: &str) -> Result<Vec<String>> {
        write_picture(directory, name, &self.svg())
    }
}

/// Writes a picture as `NAME.svg` and, with the feature `png`, as `NAME.png`; returns the names of the files.
pub(crate) fn write_picture(directory: &Path, name: &str, svg: &str) -> Result<Vec<String>> {
    let files = [
        (format!("{name}.svg"), svg.as_bytes().to_vec()),
        #[cfg(feature = "png")]
        (format!("{name}.png"), raster::png(svg, 2.0)?),
    ];
    for (file, bytes) in &files {
        write_atomically(&directory.join(file), bytes)?;
    }
    Ok(files.map(|(file, _)| file).to_vec())
}

fn draw_key(canvas: &mut Canvas, key: &Key, (x, y): (f64, f64)) {
    let colour = Colour::Series(key.style);
    let middle = x + KEY_WIDTH / 2.0;
    if matches!(key.kind, Kind::Line | Kind::LineAndMarkers) {
        let stroke = Stroke {
            dash: if key.solid {
                ""
            } else {
                style::dash(key.style)
            },
            ..Stroke::plain(colour, 2.0)
        };
        canvas.line((x, y), (x + KEY_WIDTH, y), stroke);
    }
    match key.kind {
        Kind::LineAndMarkers | Kind::Markers => {
            let radius = (RADIUS * key.size).clamp(3.0, 6.0);
            canvas.marker((middle, y), key.marker, radius, colour, 1.0, "");
        }
        Kind::Band => canvas.rectangle(
            (x + 3.0, y - 6.0),
            (KEY_WIDTH - 6.0, 12.0),
            colour,
            0.25,
            "",
        ),
        Kind::Bars(_) => canvas.rectangle((x + 8.0, y - 6.0), (14.0, 12.0), colour, 0.8, ""),
        Kind::Line => {}
    }
}

fn draw_beyond(canvas: &mut Canvas, (x, y): (f64, f64)) {
    let middle = x + KEY_WIDTH / 2.0;
    canvas.marker(
        (middle - 7.0, y),
        Marker::Triangle,
        5.5,
        Colour::Faint,
        1.0,
        "",
    );
    canvas.marker(
        (middle + 7.0, y),
        Marker::TriangleDown,
        5.5,
        Colour::Faint,
        1.0,
        "",
    );
}

/// A text broken into lines of at most this width.
fn wrapped(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(word, size) + size * 0.32 <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}
