//! `report`: the page on a run, made again from the files of its directory.

use crate::args::ReportArgs;
use crate::failure::Outcome;
use crate::output;

/// Writes `report.html` and says where.
pub(super) fn run(args: &ReportArgs) -> Outcome {
    let path = latentropy_report::fit::write(&args.directory)?;
    output::print(&format!("wrote {}\n", path.display()))
}
