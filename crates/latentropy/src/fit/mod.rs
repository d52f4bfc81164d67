//! Fit: from data and a request to the chosen machine and how far to trust it.
//!
//! [`fit()`] does a whole fit; [`fit_with`] lets it be watched, stopped and resumed; [`Job`] cuts it into pieces that run
//! anywhere. What a request leaves open is decided in [`Plan`].

mod boundary;
mod choice;
mod coding;
mod comparison;
mod control;
mod evidence;
mod folds;
mod held_out;
mod job;
mod journal;
mod machines;
mod plan;
pub mod record;
mod request;
mod result;
mod search;
mod setup;
mod uncertainty;

pub use choice::Standing;
pub use comparison::{Compared, Comparison};
pub use control::{Control, Observer, Stage};
pub use held_out::CrossValidation;
pub use job::{Job, Part};
pub use journal::{Identity, Journal};
pub use machines::Machine;
pub use plan::Plan;
pub use request::{Hidden, Request, Resamples, Ridge, Select, Structure};
pub use result::Fit;
pub use search::Search;
pub use uncertainty::{Bootstrap, BootstrapKind, Spread};

// What the face does not need to name: types of fields.
#[cfg(not(feature = "internals"))]
pub(crate) use self::{
    boundary::{BoundaryTerm, Cause, Grounds, PatternUnit, boundary_causes},
    choice::{Choices, PrincipleChoice, RidgeChoice, RidgeScore},
    comparison::Gain,
    control::Silent,
    evidence::{EvidenceChoice, EvidenceRound, USUAL_RIDGE},
    job::{Decided, Done},
    result::{Cost, Timings},
    uncertainty::{BootstrapSettings, Refit, Spreads},
};
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use self::{
    boundary::{BoundaryTerm, Cause, Grounds, PatternUnit, boundary_causes},
    choice::{Choices, PrincipleChoice, RidgeChoice, RidgeScore},
    comparison::Gain,
    control::Silent,
    evidence::{EvidenceChoice, EvidenceRound, USUAL_RIDGE},
    job::{Decided, Done},
    result::{Cost, Timings},
    uncertainty::{BootstrapSettings, Refit, Spreads},
};

use crate::data::Dataset;
use crate::error::Result;
use crate::remark::Remark;
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
pub fn fit_with(data: &Dataset, request: &Request, control: &Control<'_>) -> Result<Fit> {
    let clock = Instant::now();
    let mut job = Job::new(data, request)?;
    decide(&mut job, control)?;
    let choosing = clock.elapsed();
    let mut fit = fit_decided(&job, control)?;
    fit.timings.choosing = choosing;
    Ok(fit)
}

/// Makes a job's choices here and now.
pub fn decide(job: &mut Job, control: &Control<'_>) -> Result<()> {
    let mut parts = Vec::new();
    while let Some(range) = job.next_comparison(&parts)? {
        control.observer.stage(Stage::Comparing {
            machine: job.machine_of(range.start),
            pieces: range.len(),
        });
        let part = job.compare(range, &parts, control)?;
        parts.push(part);
    }
    job.decide(&parts, control)
}

/// Runs all restarts and refits of a job whose choices are made.
pub fn fit_decided(job: &Job, control: &Control<'_>) -> Result<Fit> {
    let clock = Instant::now();
    let count = job.restarts();
    control.observer.stage(Stage::Restarts { count });
    let mut parts = Vec::new();
    let mut fit = loop {
        let from = job.restarts_in(&parts);
        parts.push(job.run(from..job.next_check(from), control)?);
        if let Some(fit) = job.assemble_if_enough(&parts, control)? {
            break fit;
        }
    };
    fit.timings.fitting = clock.elapsed();
    let clock = Instant::now();
    if job.refits() > 0 {
        if fit.selected_is_feasible {
            let count = job.refits();
            control.observer.stage(Stage::Refits { count });
            let part = job.refit(&fit, 0..count, control)?;
            job.assemble_refits(&mut fit, &[part])?;
        } else {
            fit.remarks.push(Remark::NoBootstrap);
        }
    }
    fit.timings.resampling = clock.elapsed();
    Ok(fit)
}

/// What tests reach into; no part of the library's face.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
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
        let ridges = super::held_out::Ridges::Listed(validation.descending()?);
        let parts = (0..folds)
            .map(|fold| {
                let piece = super::held_out::Piece {
                    machine: 0,
                    fold,
                    both_principles: false,
                };
                super::held_out::score_fold(setup, validation, &ridges, piece, None, control)
            })
            .collect::<Result<Vec<_>>>()?;
        super::held_out::assemble(setup.data, setup.seed, validation, &parts)
    }

    /// The ridge by evidence.
    pub fn ridge_by_evidence(
        setup: &Setup<'_>,
        control: &Control<'_>,
    ) -> Result<Option<EvidenceChoice>> {
        let found = super::evidence::ridge_by_evidence(setup, None, control)?;
        Ok(found.map(|found| found.choice))
    }
}
