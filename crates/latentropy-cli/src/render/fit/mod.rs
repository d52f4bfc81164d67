//! The result of `fit` for people: data, machine, search, distinct solutions, and the chosen one in words.

mod choices;
mod meaning;
mod solutions;
mod uncertainty;

use super::{Align, Style, Table, number, words};
use crate::failure::Outcome;
use latentropy::data::Dataset;
use latentropy::learning::{Learner, LearningSettings, Step, StopReason};
use latentropy::selection::{
    Bootstrap, Candidate, CertificateKind, EvidenceChoice, Fit, FitSettings, Principle,
    RidgeChoice, SizeChoice,
};
use std::path::Path;
use std::time::Duration;

/// What there is to tell.
pub(crate) struct Summary<'a> {
    pub(crate) path: &'a Path,
    pub(crate) data: &'a Dataset,
    pub(crate) shape: &'a str,
    pub(crate) settings: &'a FitSettings,
    /// Where none was named.
    pub(crate) engine_reason: Option<&'a str>,
    pub(crate) size: Option<&'a SizeChoice>,
    pub(crate) ridge: Option<&'a RidgeChoice>,
    /// With --ridge evidence.
    pub(crate) evidence: Option<&'a EvidenceChoice>,
    pub(crate) fit: &'a Fit,
    pub(crate) bootstrap: Option<&'a Bootstrap>,
    pub(crate) choosing: Duration,
    pub(crate) fitting: Duration,
    pub(crate) resampling: Duration,
}

/// The whole text.
pub(crate) fn text(summary: &Summary<'_>, style: Style) -> Outcome<String> {
    let mut text = head(summary);
    text += &choices::tables(summary, style);
    text += &format!("\n{}", solutions::table(summary, style));
    text += &format!("\n{}", chosen(summary));
    text += &uncertainty::lines(summary.fit.chosen());
    text += &meaning::paragraphs(summary.fit.chosen(), style)?;
    text += &uncertainty::table(summary, style);
    Ok(text)
}

fn head(summary: &Summary<'_>) -> String {
    let Summary {
        data,
        settings,
        fit,
        ..
    } = summary;
    let learning = &settings.learning;
    let cells = data.len() as f64 * data.columns().len() as f64;
    let missing = match data.missing_cells() {
        0 => "no cell missing".to_string(),
        count => format!(
            "{} missing ({})",
            words::counted(count, "cell"),
            number::percent(count as f64 / cells)
        ),
    };
    let stopped = |reason: StopReason| {
        let candidates = fit.candidates.iter();
        candidates
            .filter(|candidate| candidate.stop == reason)
            .count()
    };
    let converged = stopped(StopReason::Converged);
    let ends = match converged {
        0 => "distinct end point",
        _ => "distinct solution",
    };
    [
        format!("data      {}", summary.path.display()),
        format!(
            "          {} ({} distinct) of {}, {missing}",
            words::counted(data.len() as u64, "row"),
            data.rows().len(),
            words::counted(data.columns().len() as u64, "column"),
        ),
        format!(
            "machine   {}: {}",
            summary.shape,
            words::machine(&fit.chosen().network)
        ),
        format!("engine    {}", engine(summary)),
        format!("learning  {}", learner(learning)),
        format!(
            "          ridge {}, weights within ±{}, tolerance {}, at most {}",
            match summary.evidence {
                Some(_) => format!("{} (by evidence)", number::fixed(learning.ridge, 3)),
                None => number::typed(learning.ridge),
            },
            number::typed(learning.bound),
            number::typed(learning.tolerance),
            words::counted(learning.max_iterations as u64, "iteration"),
        ),
        format!(
            "search    {} from seed {} in {:.1?}: {converged} converged, {}",
            words::counted(settings.restarts as u64, "restart"),
            settings.seed,
            summary.fitting,
            words::counted(fit.distinct_solutions as u64, ends),
        ),
    ]
    .map(|line| line + "\n")
    .concat()
}

/// Who sums over states, and why, where that was left open.
fn engine(summary: &Summary<'_>) -> String {
    let name = summary.settings.learning.engine.name();
    match summary.engine_reason {
        Some(reason) => format!("{name}: {reason}"),
        None => name.to_string(),
    }
}

fn learner(learning: &LearningSettings) -> String {
    let updates = words::counted(learning.inner as u64, "update");
    let step = match (learning.learner, learning.step) {
        (Learner::EmGradient, Step::Controlled) => ", controlled step".to_string(),
        (Learner::EmGradient, Step::Fixed(step)) => {
            format!(", fixed step {}", number::typed(step))
        }
        _ => String::new(),
    };
    let cooled = if learning.anneal { ", annealed" } else { "" };
    match learning.learner {
        Learner::QuasiNewton => format!("quasi-newton{cooled}"),
        sampler if sampler.is_stochastic() => {
            let sweeps = words::counted(learning.cd_steps as u64, "sweep");
            match learning.batch {
                Some(batch) => format!(
                    "{sampler} (batches of {}, {sweeps} a batch, {} chains)",
                    words::counted(batch as u64, "row"),
                    learning.chains
                ),
                None => format!(
                    "{sampler} ({sweeps} a pass, about {} chains)",
                    learning.chains
                ),
            }
        }
        em if learning.finish => {
            let steps = words::counted(learning.warm_up as u64, "step");
            format!("{steps} of {em} ({updates} a step{step}), then second-order steps{cooled}")
        }
        em => format!("{em} ({updates} a step{step}){cooled}"),
    }
}

/// Which candidate is the chosen one, and why.
fn chosen(summary: &Summary<'_>) -> String {
    let fit = summary.fit;
    let candidate = fit.chosen();
    let count = |is: &dyn Fn(&Candidate) -> bool| fit.candidates.iter().filter(|c| is(c)).count();
    let is_saddle = |c: &Candidate| c.certificate.kind == CertificateKind::Saddle;
    let feasible = count(&|c| c.feasible);
    let principle = summary.settings.principle;
    let why = match principle {
        _ if !fit.selected_is_feasible => {
            "the best of the unfinished ones, not a solution".to_string()
        }
        _ if feasible == 1 => "the only feasible candidate".to_string(),
        Principle::LatentMaximumEntropy => {
            format!("highest entropy of {feasible} feasible candidates")
        }
        Principle::MaximumLikelihood => {
            format!("highest likelihood of {feasible} feasible candidates")
        }
    };
    let mut text = format!(
        "chosen    restart {} (solution {}) by {principle}: {why}\n",
        candidate.index, candidate.solution,
    );
    // Where there is something better than these, they were not in the running.
    let trivial = count(&|c| c.feasible && c.trivial);
    let saddles = count(&|c| c.feasible && !c.trivial && is_saddle(c));
    let mut aside = Vec::new();
    if fit.selected_is_feasible && !candidate.trivial && trivial > 0 {
        aside.push(words::counted(trivial as u64, "trivial candidate"));
    }
    if fit.selected_is_feasible && !candidate.trivial && !is_saddle(candidate) && saddles > 0 {
        aside.push(words::counted(saddles as u64, "saddle"));
    }
    if !aside.is_empty() {
        text += &format!("          set aside: {}\n", aside.join(", "));
    }
    text
}
