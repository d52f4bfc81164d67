//! What both forms of contrastive divergence share: their make-up, their options, and when they are evaluated.

use super::schedule::Schedule;
use crate::error::{Error, Result};
use crate::learning::learners::method::Begin;
use crate::learning::learners::options::{
    OptionValue, above_zero, at_least_one, finite_above_zero,
};
use crate::message::{Setting, words};

/// Passes of a restart, unless users say otherwise.
pub(super) const USUAL_PASSES: usize = 2000;

/// What both forms are made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) persistent: bool,
    /// k.
    pub(super) sweeps: usize,
    pub(super) chains: usize,
    pub(super) schedule: Schedule,
}

/// Passes between two exact evaluations: without a trace they are left to the beginning and the end.
pub(super) fn stride(begin: &Begin) -> usize {
    match begin.traced {
        true => begin.steps.div_ceil(100).max(1),
        false => usize::MAX,
    }
}

/// Options that make sense, of either form.
pub(super) fn check(cd_steps: usize, chains: usize, schedule: Schedule) -> Result<()> {
    at_least_one(Setting::CdSteps, cd_steps)?;
    if !(1..=1_000_000).contains(&chains) {
        return Err(Error::invalid(words![
            Setting::Chains,
            format!(" must lie between 1 and 1000000, not {chains}")
        ]));
    }
    let Schedule { first, decay } = schedule;
    finite_above_zero(Setting::CdRate, first)?;
    above_zero(Setting::CdDecay, decay)
}

/// The options of either form, as records show them.
pub(super) fn options(
    cd_steps: usize,
    chains: usize,
    schedule: Schedule,
) -> Vec<(Setting, OptionValue)> {
    vec![
        (Setting::CdSteps, OptionValue::Count(cd_steps)),
        (Setting::Chains, OptionValue::Count(chains)),
        (Setting::CdRate, OptionValue::Number(schedule.first)),
        (Setting::CdDecay, OptionValue::Number(schedule.decay)),
    ]
}
