//! Where the machine misfits, in the headline, with the causes: all of it decided by the fit, and read from its record.

use super::run::Run;
use super::words;
use crate::charts::escape;

/// The paragraph of the headline; empty for a machine that fits, and for a file of an earlier program.
pub(super) fn html(run: &Run) -> String {
    let Some(misfit) = run.record.result.misfit.as_ref().filter(|m| m.misfits) else {
        return String::new();
    };
    let causes = misfit.causes.iter();
    let causes: String = causes
        .map(|cause| {
            format!(
                " {}.",
                words::sentence_case(&cause.why, run.network.units())
            )
        })
        .collect();
    let text = format!("The machine misfits: {}.{causes}", misfit.signs.join("; "));
    format!("<p class=\"notice\" role=\"note\">{}</p>\n", escape(&text))
}

/// The same in a sentence of the points on trust.
pub(super) fn verdict(run: &Run) -> &'static str {
    match &run.record.result.misfit {
        None => "It was not judged.",
        Some(misfit) if misfit.misfits => "It misfits, as said above; see the checks below.",
        Some(misfit) if misfit.can_tell => {
            "The checks below find no more misfit than chance explains."
        }
        Some(_) => "There are too few columns and rows to tell whether it misfits.",
    }
}

/// Whether the ridge moves a moment by a standard error and more.
pub(super) fn ridge_is_strong(run: &Run) -> bool {
    let misfit = run.record.result.misfit.as_ref();
    misfit.is_some_and(|misfit| misfit.ridge_is_strong)
}
