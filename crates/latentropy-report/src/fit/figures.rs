//! Every figure of the report on a fit as a file of its own.

use super::run::Run;
use super::{Grid, candidates, checks, convergence, drawing, hidden, images, machine, quality};
use crate::charts::{Figure, write_picture};
use latentropy::Result;
use std::path::Path;

/// Writes the figures of the report on a run directory into another directory, as SVG and, with the feature `png`, as PNG;
/// returns the names of the files.
///
/// A grid that its columns form counts for the one that the run may have itself.
pub fn write_figures(directory: &Path, figures: &Path, grid: Option<Grid>) -> Result<Vec<String>> {
    let run = Run::read(directory, grid)?;
    let mut written = Vec::new();
    for (name, figure) in all(&run) {
        written.extend(figure.write(figures, name)?);
    }
    if let Some(svg) = drawing::svg(&run) {
        written.extend(write_picture(figures, "machine", &svg)?);
    }
    written.sort();
    Ok(written)
}

/// The figures that the report shows, by the names of their files.
fn all(run: &Run) -> Vec<(&'static str, Figure)> {
    let units = run.network.hidden();
    let has_hidden = !units.is_empty();
    let figures = [
        (
            "candidates",
            (run.candidates.len() > 1).then(|| candidates::figure(run)),
        ),
        ("hidden-weights", machine::of_hidden_units(run)),
        ("column-weights", machine::between_columns(run)),
        (
            "posteriors",
            has_hidden.then(|| hidden::histograms(run, &units)),
        ),
        (
            "rows",
            has_hidden.then(|| hidden::rows(run, &units)).flatten(),
        ),
        ("quality", Some(quality::figure(run))),
        ("ones-in-a-row", ones_in_a_row(run)),
        ("convergence", convergence::figure(run)),
        ("weight-images", images::weights(run)),
        ("sample-images", images::samples(run)),
    ];
    let shown = figures.into_iter();
    shown
        .filter_map(|(name, figure)| Some((name, figure?)))
        .collect()
}

/// How many columns are one in a row, P(K); none without a complete row.
fn ones_in_a_row(run: &Run) -> Option<Figure> {
    let checks = run.exhibits.findings.checks.as_ref()?;
    checks.sum_score.as_ref().map(checks::figure)
}
