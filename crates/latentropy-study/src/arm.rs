//! An arm of a study: one way to make estimates, with all settings that could change the answer.

use crate::spec::Fitted;
use crate::wording::SpecWording;
use latentropy::fit::{CrossValidation, Hidden, Ridge, Search, Structure};
use latentropy::learning::{Course, Finish, Objective, OptionValue, SequentialRule};
use latentropy::{EngineId, Learner, Request, Result, Setting};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One way to make estimates; what is left out is as in `latentropy fit`, but for the ridge, which is 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Arm {
    /// A short name: letters, digits, `-` and `+`.
    pub name: String,
    /// What figures call it; the name if empty.
    pub title: String,
    /// The algorithm, with its usual options; `inner`, `steps`, `rule`, `cd_steps` and `chains` change them.
    #[serde(deserialize_with = "learner_named", serialize_with = "learner_name")]
    pub learner: Learner,
    /// Whether second-order steps finish what the learner began; by default they do where it converges.
    pub finish: Option<bool>,
    /// With a finish: iterations of the learner before it.
    pub warm_up: Option<usize>,
    /// S, updates for each E step.
    pub inner: Option<usize>,
    /// Fixed lengths of gradient steps, the best of which is shown; controlled if empty.
    pub steps: Vec<f64>,
    /// Rule of sequential updates.
    pub rule: Option<SequentialRule>,
    /// Whether each run is annealed.
    pub anneal: bool,
    /// Ridge α.
    pub ridge: Option<f64>,
    /// Ridges to choose from by cross-validation, in place of `ridge`.
    pub ridges: Vec<f64>,
    /// Whether the ridge is chosen by evidence, in place of `ridge`.
    pub evidence: bool,
    /// Folds of the cross-validation; 5 if not given.
    pub folds: Option<usize>,
    /// Restarts for each fold and ridge; 4 if not given.
    pub fold_restarts: Option<usize>,
    /// Weights stay within ± this.
    #[serde(rename = "box")]
    pub bound: Option<f64>,
    /// A residual at or below this is a solution.
    pub tolerance: Option<f64>,
    /// Iterations after which a restart stops unconverged.
    pub max_iterations: Option<usize>,
    /// k of contrastive divergence.
    pub cd_steps: Option<usize>,
    /// Chains of contrastive divergence.
    pub chains: Option<usize>,
    /// Restarts, where they differ from the experiment's.
    pub restarts: Option<usize>,
    /// Whether there is one estimate, the likeliest candidate, in place of LME and MLE.
    pub single: bool,
}

/// Restarts for each fold and ridge, where an arm does not say otherwise.
const FOLD_RESTARTS: usize = 4;

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
        self.objective().ridge == 0.0 && !self.chooses_ridge()
    }

    /// Whether second-order steps finish its work.
    pub(crate) fn finishes(&self) -> bool {
        self.finish.unwrap_or(self.learner.converges())
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

    /// What it maximises, where the ridge is not chosen by the data.
    pub(crate) fn objective(&self) -> Objective {
        let usual = Objective::with_ridge(self.ridge.unwrap_or(0.0));
        Objective {
            bound: self.bound.unwrap_or(usual.bound),
            ..usual
        }
    }

    /// How its restarts go at one step length.
    pub(crate) fn course(&self, step: Option<f64>) -> Result<Course> {
        let rule = self.rule.map(|rule| rule.to_string());
        let options = [
            (Setting::Inner, self.inner.map(OptionValue::Count)),
            (Setting::Step, step.map(OptionValue::Number)),
            (Setting::Rule, rule.map(OptionValue::Word)),
            (Setting::CdSteps, self.cd_steps.map(OptionValue::Count)),
            (Setting::Chains, self.chains.map(OptionValue::Count)),
        ];
        let mut learner = self.learner.clone();
        for (option, value) in options {
            if let Some(value) = value {
                learner.set(option, value)?;
            }
        }
        let warm_up = self.warm_up.unwrap_or(Finish::default().warm_up);
        let usual = Course::new(learner);
        Ok(Course {
            finish: self.finishes().then_some(Finish { warm_up }),
            anneal: self.anneal,
            tolerance: self.tolerance.unwrap_or(usual.tolerance),
            max_iterations: self.max_iterations.unwrap_or(usual.max_iterations),
            ..usual
        })
    }

    /// The fit that it makes; its states are always summed exactly.
    pub(crate) fn request(
        &self,
        step: Option<f64>,
        fitted: &Fitted,
        restarts: usize,
        seed: u64,
    ) -> Result<Request> {
        let objective = self.objective();
        let validation = (!self.ridges.is_empty()).then(|| CrossValidation {
            folds: self.folds.unwrap_or(CrossValidation::default().folds),
            restarts: self.fold_restarts.unwrap_or(FOLD_RESTARTS),
            ridges: self.ridges.clone(),
        });
        Ok(Request {
            hidden: Some(Hidden::One(fitted.hidden)),
            structure: Structure::Named(fitted.term_options()),
            course: Some(self.course(step)?),
            engine: Some(EngineId::EXACT),
            ridge: match () {
                () if self.evidence => Ridge::Evidence,
                () if validation.is_some() => Ridge::CrossValidated,
                () => Ridge::Value(objective.ridge),
            },
            bound: objective.bound,
            validation,
            // As in the paper: every start at random.
            search: Search::Restarts,
            restarts: Some(restarts),
            seed,
            ..Request::default()
        })
    }

    /// Refuses what makes no sense; the learner's own part is refused by the library.
    pub(crate) fn check(&self) -> std::result::Result<(), String> {
        let named = |problem: &str| format!("arm \"{}\": {problem}", self.name);
        self.check_together().map_err(|problem| named(&problem))?;
        for step in self.step_grid() {
            let any = Fitted::default();
            let checked = self.request(step, &any, 1, 0).and_then(|r| r.check());
            checked.map_err(|error| named(&error.worded(&SpecWording)))?;
        }
        Ok(())
    }

    /// Refuses keys that exclude each other, or that would be ignored.
    fn check_together(&self) -> std::result::Result<(), String> {
        let ways = [self.ridge.is_some(), !self.ridges.is_empty(), self.evidence];
        let problem = if ways.iter().filter(|&&way| way).count() > 1 {
            "give one of `ridge`, `ridges` and `evidence`"
        } else if self.chooses_ridge() && (self.anneal || !self.learner.converges()) {
            "`ridges` and `evidence` are for learners that converge, without `anneal`"
        } else if self.ridges.is_empty() && (self.folds.is_some() || self.fold_restarts.is_some()) {
            "`folds` and `fold_restarts` are for `ridges`, which are to be compared"
        } else if self.fold_restarts == Some(0) {
            "`fold_restarts` must be at least 1"
        } else if self.restarts == Some(0) {
            "`restarts` must be at least 1"
        } else if self.warm_up.is_some() && !self.finishes() {
            "`warm_up` is for what comes before second-order steps, and there are none; set `finish = true`"
        } else if !self.learner.converges() && !self.single {
            return Err(format!(
                "{} meets no constraint exactly, so that nothing is feasible; set `single = true`",
                self.learner.name()
            ));
        } else {
            return Ok(());
        };
        Err(problem.to_string())
    }

    /// Refuses an arm that cannot be followed step by step, and keys that mean nothing there.
    pub(crate) fn check_in_convergence(&self) -> std::result::Result<(), String> {
        let named = |problem: String| Err(format!("arm \"{}\": {problem}", self.name));
        if !self.learner.converges() {
            let learner = self.learner.name();
            return named(format!(
                "{learner} works by samples, which have no passes to count"
            ));
        }
        let keys = [
            ("ridges", !self.ridges.is_empty()),
            ("evidence", self.evidence),
            ("restarts", self.restarts.is_some()),
            ("single", self.single),
            ("max_iterations", self.max_iterations.is_some()),
            // All make the same number of iterations, unless second-order steps know that nothing is left to gain.
            ("tolerance", self.tolerance.is_some() && !self.finishes()),
        ];
        match keys.iter().find(|(_, is_given)| *is_given) {
            Some((key, _)) => named(format!(
                "`{key}` means nothing to an arm of [convergence] like this; leave it out"
            )),
            None => self.check(),
        }
    }
}

fn learner_named<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Learner, D::Error> {
    Learner::named(&String::deserialize(from)?).map_err(serde::de::Error::custom)
}

fn learner_name<S: Serializer>(learner: &Learner, to: S) -> std::result::Result<S::Ok, S::Error> {
    to.serialize_str(learner.name())
}
