//! SVG to PNG, with a font that is part of the program: nothing has to be installed.

use latentropy::{Error, Result};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use std::sync::{Arc, LazyLock};

/// DejaVu Sans; the licence is beside the files.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    for face in [
        include_bytes!("../../fonts/DejaVuSans.ttf").as_slice(),
        include_bytes!("../../fonts/DejaVuSans-Bold.ttf").as_slice(),
    ] {
        fonts.load_font_source(fontdb::Source::Binary(Arc::new(face)));
    }
    fonts.set_sans_serif_family("DejaVu Sans");
    Arc::new(fonts)
});

/// No picture is larger than this, either way.
const MOST_PIXELS: f64 = 16_000.0;

/// The picture with `scale` pixels per unit.
pub(super) fn png(svg: &str, scale: f64) -> Result<Vec<u8>> {
    let failed = |problem: String| Error::failed(format!("cannot draw the picture: {problem}"));
    let options = Options {
        fontdb: FONTS.clone(),
        font_family: "DejaVu Sans".to_string(),
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options).map_err(|error| failed(error.to_string()))?;
    let (width, height) = (
        f64::from(tree.size().width()),
        f64::from(tree.size().height()),
    );
    let scale = if scale.is_finite() {
        scale.max(0.1)
    } else {
        1.0
    };
    let scale = scale.min(MOST_PIXELS / width.max(height));
    let pixels = |length: f64| (length * scale).ceil().max(1.0) as u32;
    let mut picture = Pixmap::new(pixels(width), pixels(height))
        .ok_or_else(|| failed("it would have no size".to_string()))?;
    let transform = Transform::from_scale(scale as f32, scale as f32);
    resvg::render(&tree, transform, &mut picture.as_mut());
    picture
        .encode_png()
        .map_err(|error| failed(error.to_string()))
}
