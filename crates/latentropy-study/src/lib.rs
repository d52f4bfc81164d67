//! Studies: the paper's experiments and a user's own, as cells of work that can be interrupted, and what they show.
//!
//! A [`Spec`] says what is compared. It falls into [`Cell`]s, each with its own random numbers; their records are
//! kept in a journal ([`run`]), summarised ([`Summary`]) and judged ([`verdicts`]).

#![forbid(unsafe_code)]

mod arm;
mod cell;
mod convergence;
mod estimate;
mod journal;
mod marginal;
mod results;
mod run;
mod share;
mod spec;
pub mod statistics;
mod streams;
mod summary;
mod tables;
mod truth;
mod verdicts;
mod wide;
mod wording;

pub use arm::Arm;
pub use cell::{Cell, Place};
pub use convergence::{ConvergenceRecord, RunRecord, TracePoint, convergence_seconds};
pub use estimate::{ComparisonRecord, EstimateRecord};
pub use journal::Journal;
pub use results::{Record, Results};
pub use run::{Observer, Study, run};
pub use share::Share;
pub use spec::{Convergence, Experiment, Fitted, PAPER, QUICK, Source, Spec, SpeedClaim, Truth};
pub use summary::{Curve, Level, Metric, Paired, PairedTest, Summary};
pub use tables::{Table, cells_table, curves_table, levels_table, paired_table, verdicts_table};
pub use verdicts::{Finding, Ruling, Verdict, verdicts, verdicts_document, verdicts_text};
pub use wording::SpecWording;
