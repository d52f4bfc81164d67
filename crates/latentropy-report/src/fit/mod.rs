//! The report on a run of `latentropy fit`: `report.html`, made from the files of the run directory alone.
//!
//! While the data are at hand, [`Exhibits::gather`] takes what the other files do not hold, and `fit` keeps it as
//! `report.json`; [`write()`] then makes the page, at once or any time later.

mod candidate_table;
mod candidates;
mod checks;
mod convergence;
mod data;
mod drawing;
mod exhibits;
mod figures;
mod files;
mod findings;
mod grid;
mod headline;
mod hidden;
mod images;
mod learned;
mod machine;
mod misfit;
mod quality;
mod run;
mod settings;
mod states;
mod traces;
mod trust;
mod words;

pub use exhibits::Exhibits;
pub use figures::write_figures;
pub use files::{FILES, RunFiles, in_the_way};
pub use grid::Grid;
pub use traces::{Trace, TraceKeeper};

use crate::page::Page;
use files::REPORT;
use latentropy::Result;
use latentropy::files::RunDirectory;
use run::Run;
use std::path::{Path, PathBuf};

/// The page for a run directory. A grid that its columns form counts for the one that the run may have itself.
pub fn html(directory: &Path, grid: Option<Grid>) -> Result<String> {
    let run = Run::read(directory, grid)?;
    let page = Page::new(headline::title(&run))
        .of_run(&run.record.manifest.run)
        .lead(headline::html(&run))
        .section("learned", "What was learned", learned::html(&run))
        .section(
            "images",
            "Weights and samples as images",
            images::html(&run),
        )
        .section("trust", "How far to trust it", trust::html(&run))
        .section("data", "The data", data::html(&run))
        .section("candidates", "The candidates", candidates::html(&run))
        .section("machine", "The machine", machine::html(&run))
        .section(
            "hidden",
            "What the hidden units say of the rows",
            hidden::html(&run),
        )
        .section(
            "quality",
            "How well it fits",
            quality::html(&run) + &checks::html(&run),
        )
        .section(
            "convergence",
            "How the search went",
            convergence::html(&run),
        )
        .section("settings", "How it was made", settings::html(&run));
    Ok(page.html())
}

/// Writes `report.html` into a run directory, whole or not at all, and finishes a run that was cut off as its files were put in
/// place; returns the page's path.
pub fn write(directory: &Path, grid: Option<Grid>) -> Result<PathBuf> {
    run::check_place(directory)?;
    let mut place = RunDirectory::open(directory)?;
    place.keep();
    let page = html(directory, grid)?;
    place.replace(REPORT, page.as_bytes())
}
