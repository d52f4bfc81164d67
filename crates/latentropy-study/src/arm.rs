//! An arm of a study: one way to make estimates, with all settings that could change the answer.

use latentropy::learning::{
    Learner, LearningEngine, LearningSettings, Schedule, SequentialRule, Step,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::Display;
use std::str::FromStr;

/// One way to make estimates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Arm {
    /// A short name: letters, digits, `-` and `+`.
    pub name: String,
    /// What figures call it; the name if empty.
    pub title: String,
    /// The algorithm.
    #[serde(deserialize_with = "from_text", serialize_with = "as_text")]
    pub learner: Learner,
    /// Whether second-order steps finish what the learner began.
    pub finish: bool,
    /// With a finish: iterations of the learner before it.
    pub warm_up: usize,
    /// S, updates for each E step.
    pub inner: usize,
    /// Fixed lengths of gradient steps, the best of which is shown; controlled if empty.
    pub steps: Vec<f64>,
    /// Rule of sequential updates.
    #[serde(deserialize_with = "from_text", serialize_with = "as_text")]
    pub rule: SequentialRule,
    /// Whether each run is annealed.
    pub anneal: bool,
    /// Ridge α.
    pub ridge: f64,
    /// Ridges to choose from by cross-validation, in place of `ridge`.
    pub ridges: Vec<f64>,
    /// Whether the ridge is chosen by evidence, in place of `ridge`.
    pub evidence: bool,
    /// Folds of the cross-validation.
    pub folds: usize,
    /// Restarts for each fold and ridge.
    pub fold_restarts: usize,
    /// Weights stay within ± this.
    #[serde(rename = "box")]
    pub bound: f64,
    /// A residual at or below this is a solution.
    pub tolerance: f64,
    /// Iterations after which a restart stops unconverged.
    pub max_iterations: usize,
    /// k of contrastive divergence.
    pub cd_steps: usize,
    /// Chains of contrastive divergence.
    pub chains: usize,
    /// Restarts, where they differ from the experiment's.
    pub restarts: Option<usize>,
    /// Whether there is one estimate, the likeliest candidate, in place of LME and MLE.
    pub single: bool,
}

impl Default for Arm {
    fn default() -> Self {
        let learning = LearningSettings::default();
        Arm {
            name: String::new(),
            title: String::new(),
            learner: learning.learner,
            finish: learning.finish,
            warm_up: learning.warm_up,
            inner: learning.inner,
            steps: Vec::new(),
            rule: learning.rule,
            anneal: learning.anneal,
            ridge: learning.ridge,
            ridges: Vec::new(),
            evidence: false,
            folds: 5,
            fold_restarts: 4,
            bound: learning.bound,
            tolerance: learning.tolerance,
            max_iterations: learning.max_iterations,
            cd_steps: learning.cd_steps,
            chains: learning.chains,
            restarts: None,
            single: false,
        }
    }
}

impl Arm {
    /// What figures call it.
    pub fn label(&self) -> &str {
        if self.title.is_empty() {
            &self.name
        } else {
            &self.title
        }
    }

    /// Whether it chooses its ridge by the data.
    pub(crate) fn chooses_ridge(&self) -> bool {
        self.evidence || !self.ridges.is_empty()
    }

    /// Whether its objective is the likelihood alone.
    pub(crate) fn is_unpenalised(&self) -> bool {
        self.ridge == 0.0 && !self.chooses_ridge()
    }

    /// The names of its estimates.
    pub fn estimates(&self) -> &'static [&'static str] {
        if self.single {
            &["single"]
        } else {
            &["lme", "mle"]
        }
    }

    /// The steps that it tries; `None` is the controlled one.
    pub(crate) fn step_grid(&self) -> Vec<Option<f64>> {
        if self.steps.is_empty() {
            vec![None]
        } else {
            self.steps.iter().copied().map(Some).collect()
        }
    }

    /// The learner's settings at one step length.
    pub(crate) fn learning(&self, step: Option<f64>) -> LearningSettings {
        LearningSettings {
            learner: self.learner,
            engine: LearningEngine::Exact,
            batch: None,
            inner: self.inner,
            step: step.map_or(Step::Controlled, Step::Fixed),
            rule: self.rule,
            cd_steps: self.cd_steps,
            chains: self.chains,
            schedule: Schedule {
                ..LearningSettings::default().schedule
            },
            anneal: self.anneal,
            ridge: self.ridge,
            bound: self.bound,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            finish: self.finish && !self.learner.is_stochastic(),
            warm_up: self.warm_up,
        }
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        let named = |problem: String| format!("arm \"{}\": {problem}", self.name);
        for step in self.step_grid() {
            // The library speaks of flags; a spec has keys of the same names.
            let plain = |error: latentropy::Error| named(error.to_string().replace("--", ""));
            self.learning(step).checked().map_err(plain)?;
        }
        if let Some(bad) = self.ridges.iter().find(|r| !(r.is_finite() && **r >= 0.0)) {
            return Err(named(format!(
                "a ridge must be a number of at least 0, not {bad}"
            )));
        }
        let ways = [self.ridge != 0.0, !self.ridges.is_empty(), self.evidence];
        if ways.iter().filter(|&&way| way).count() > 1 {
            return Err(named(
                "give one of `ridge`, `ridges` and `evidence`".to_string(),
            ));
        }
        if self.chooses_ridge() && (self.anneal || self.learner.is_stochastic()) {
            return Err(named(
                "`ridges` and `evidence` are for learners that converge, without `anneal`"
                    .to_string(),
            ));
        }
        if !self.steps.is_empty() && self.learner != Learner::EmGradient {
            return Err(named("`steps` are for the learner em-gradient".to_string()));
        }
        if self.folds < 2 || self.fold_restarts == 0 {
            return Err(named(
                "`folds` must be at least 2 and `fold_restarts` at least 1".to_string(),
            ));
        }
        if self.restarts == Some(0) {
            return Err(named("`restarts` must be at least 1".to_string()));
        }
        if self.learner.is_stochastic() && !self.single {
            return Err(named(format!(
                "{} meets no constraint exactly, so that nothing is feasible; set `single = true`",
                self.learner
            )));
        }
        Ok(())
    }
}

fn from_text<'de, D: Deserializer<'de>, T: FromStr<Err = latentropy::Error>>(
    from: D,
) -> Result<T, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map_err(serde::de::Error::custom)
}

fn as_text<S: Serializer, T: Display>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}
