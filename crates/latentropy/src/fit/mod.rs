//! Fit: from data and a request to the chosen machine and how far to trust it.
//!
//! [`fit()`] does a whole fit; [`fit_with`] lets it be watched, stopped and resumed; [`Job`] cuts it into pieces that run
//! anywhere. What a [`Request`] leaves open is decided by a plan that says why.

mod batches;
mod boundary;
mod bytes;
mod choice;
mod coding;
mod comparison;
mod control;
mod cross_validation;
mod evidence;
mod evidence_by_samples;
mod folds;
mod held_out;
mod job;
mod journal;
mod machines;
mod many_columns;
mod meaning;
mod misfit;
mod pieces;
mod plan;
#[doc(hidden)]
pub mod record;
mod request;
mod result;
mod screening;
mod search;
mod setup;
mod start;
mod uncertainty;
mod validation;
mod wider;

pub use comparison::Comparison;
pub use control::{Control, Observer, Stage};
pub use job::{Assembly, Job, Part, Round, Worker};
pub use journal::Journal;
pub use request::{Hidden, Request, Resamples, Ridge, Select, Structure};
pub use result::Fit;
pub use search::Search;
pub use uncertainty::BootstrapKind;
pub use validation::ValidationRows;

// What the programs beside this library need and a user does not; no part of its face.
#[doc(hidden)]
pub use self::{
    choice::Standing,
    comparison::{Compared, Rule},
    cross_validation::CrossValidation,
    job::{Done, Kind, Origin, processor},
    journal::Identity,
    machines::Machine,
    meaning::{Connection, Untold, Weights},
    misfit::{Judged, Misfit, MisfitCause},
    search::{Completeness, Ending},
    uncertainty::{Bootstrap, Spread},
};

// What the face does not need to name: types of fields.
#[cfg(not(feature = "internals"))]
pub(crate) use self::{
    boundary::{BoundaryTerm, Cause, Grounds, PatternUnit, boundary_causes},
    choice::{Choices, PrincipleChoice, RidgeChoice, RidgeScore, SolutionChoice},
    comparison::Gain,
    control::Silent,
    evidence::{EvidenceChoice, EvidenceRound, USUAL_RIDGE},
    job::Decided,
    plan::Plan,
    result::{Cost, Timings},
    uncertainty::{BootstrapSettings, Refit, Spreads},
    validation::Validated,
};
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use self::{
    boundary::{BoundaryTerm, Cause, Grounds, PatternUnit, boundary_causes},
    choice::{Choices, PrincipleChoice, RidgeChoice, RidgeScore, SolutionChoice},
    comparison::Gain,
    control::Silent,
    evidence::{EvidenceChoice, EvidenceRound, USUAL_RIDGE},
    job::Decided,
    plan::Plan,
    result::{Cost, Timings},
    uncertainty::{BootstrapSettings, Refit, Spreads},
    validation::Validated,
};

use crate::data::Dataset;
use crate::error::Result;
use std::time::Instant;

/// A whole fit: plan, choices, restarts, certificates, clusters, selection, standard errors, bootstrap, causes at the edge.
///
/// The same seed gives the same result, whatever the number of threads, and the same as the program gives.
///
/// ```
/// use latentropy::{Dataset, Request, fit};
/// let data = Dataset::from_rows(&[[0, 0], [1, 1], [1, 1], [0, 1]])?;
/// let found = fit(&data, &Request { restarts: Some(3), ..Request::with_hidden(1) })?;
/// assert!(found.selected_is_feasible);
/// # Ok::<(), latentropy::Error>(())
/// ```
pub fn fit(data: &Dataset, request: &Request) -> Result<Fit> {
    fit_with(data, request, &Control::default())
}

/// The same, watched, stopped and noted by `control`.
///
/// For examples see [`Observer`] and [`Cancel`](crate::Cancel).
pub fn fit_with(data: &Dataset, request: &Request, control: &Control<'_>) -> Result<Fit> {
    let clock = Instant::now();
    let mut job = Job::new(data, request)?;
    job.choose(control)?;
    let choosing = clock.elapsed();
    let mut fit = job.fit(control)?;
    fit.timings.choosing = choosing;
    Ok(fit)
}

/// What tests reach into; no part of the library's face.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    use super::evidence::Beginning;
    pub use super::evidence::EvidenceChoice;
    pub use super::folds::folds;
    pub use super::held_out::HeldOut;
    pub use super::setup::Setup;
    use super::{Control, CrossValidation};
    use crate::error::Result;

    /// The held-out scores of one machine at every ridge, from the largest to the smallest.
    pub fn held_out(
        setup: &Setup<'_>,
        validation: &CrossValidation,
        control: &Control<'_>,
    ) -> Result<Vec<HeldOut>> {
        let folds = folds(setup.data, validation.folds, setup.seed)?.len();
        let ridges = super::pieces::Ridges::Listed(validation.descending()?);
        let parts = (0..folds)
            .map(|fold| {
                let piece = super::pieces::Piece {
                    machine: 0,
                    fold,
                    both_principles: false,
                    every_solution: false,
                    is_trial: false,
                };
                let split =
                    super::pieces::Split::of_fold(setup.data, validation, setup.seed, fold)?;
                super::pieces::score_fold(
                    setup,
                    &split,
                    validation,
                    &ridges,
                    piece,
                    &Beginning::Anywhere,
                    control,
                )
            })
            .collect::<Result<Vec<_>>>()?;
        super::held_out::assemble(setup.data, setup.seed, validation, &parts)
    }

    /// The ridge by evidence.
    pub fn ridge_by_evidence(
        setup: &Setup<'_>,
        control: &Control<'_>,
    ) -> Result<Option<EvidenceChoice>> {
        super::evidence::ridge_alone(setup, control)
    }
}
