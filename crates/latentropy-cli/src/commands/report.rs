//! `report`: the page on a run, made again from the files of its directory, and its figures as files.

use crate::args::ReportArgs;
use crate::failure::{Failure, Outcome};
use crate::output::{self, ResultDirectory};
use latentropy::plain::plain_path;

/// Writes `report.html`, and the figures where they are asked for, and says where.
pub(super) fn run(args: &ReportArgs) -> Outcome {
    let place = args.figures.as_deref();
    let mut place = place
        .map(|path| ResultDirectory::prepare(path, "--figures"))
        .transpose()?;
    let path = latentropy_report::fit::write(&args.directory, args.image)?;
    let mut text = format!("wrote {}\n", plain_path(&path));
    if let Some(place) = &mut place {
        let written =
            latentropy_report::fit::write_figures(&args.directory, place.path(), args.image)
                .map_err(|error| Failure::from(error).while_running())?;
        place.keep();
        text += &format!(
            "wrote {} in {}\n",
            written.join(", "),
            plain_path(place.path())
        );
    }
    output::print(&text)
}
