//! The learners by name: one line each.

use super::contrastive::{Cd, Pcd};
use super::em_gis::EmGis;
use super::em_gradient::EmGradient;
use super::em_is::EmIs;
use super::method::{Begin, Method};
use super::need::Need;
use super::options::OptionValue;
use super::second_order::QuasiNewton;
use super::sequential::Sequential;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::inference::EngineId;
use crate::learning::problem::Problem;
use crate::learning::stepper::Stepper;
use crate::message::{Setting, words};
use crate::network::Network;
use serde::{Deserialize, Serialize};

macro_rules! learners {
    ($($(#[$doc:meta])* $variant:ident),* $(,)?) => {
        /// A learning algorithm with its options.
        ///
        /// ```
        /// use latentropy::{Learner, Setting};
        /// let learner = Learner::named("em-gradient")?.with(Setting::Inner, 2)?.with(Setting::Step, 0.5)?;
        /// assert_eq!(learner.name(), "em-gradient");
        /// for (option, value) in learner.options() {
        ///     println!("{} = {value}", option.plain_name());
        /// }
        /// # Ok::<(), latentropy::Error>(())
        /// ```
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Learner {
            $($(#[$doc])* $variant($variant),)*
        }

        impl Learner {
            /// All of them with their usual options, in the order in which messages list them.
            pub fn all() -> Vec<Learner> {
                vec![$(Learner::$variant($variant::default())),*]
            }

            fn method(&self) -> &dyn Method {
                match self {
                    $(Learner::$variant(learner) => learner,)*
                }
            }

            fn method_mut(&mut self) -> &mut dyn Method {
                match self {
                    $(Learner::$variant(learner) => learner,)*
                }
            }
        }
    };
}

learners! {
    /// EM with improved iterative scaling, the paper's algorithm.
    EmIs,
    /// EM with generalised iterative scaling.
    EmGis,
    /// EM with gradient steps (Ackley, Hinton and Sejnowski 1985).
    EmGradient,
    /// EM with updates of one term at a time (Byrne 1992; Collins, Schapire and Singer 2002).
    Sequential,
    /// Second-order steps alone: Newton with the exact Hessian, L-BFGS where it is too large.
    QuasiNewton,
    /// Contrastive divergence (Hinton 2002).
    Cd,
    /// Persistent contrastive divergence (Tieleman 2008).
    Pcd,
}

impl Default for Learner {
    fn default() -> Self {
        Learner::EmIs(EmIs::default())
    }
}

impl Learner {
    /// The learner of this name, with its usual options.
    pub fn named(name: &str) -> Result<Self> {
        let all = Learner::all();
        let found = all.iter().find(|learner| learner.name() == name).cloned();
        found.ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(Learner::name).collect();
            Error::invalid(format!(
                "there is no learner \"{name}\"; available are {}",
                names.join(", ")
            ))
        })
    }

    /// As it is typed.
    pub fn name(&self) -> &'static str {
        self.method().name()
    }

    /// What it is, in a few words.
    pub fn about(&self) -> &'static str {
        self.method().about()
    }

    /// What it needs of an engine.
    pub fn need(&self) -> Need {
        self.method().need()
    }

    /// The learner with one of its options set; refused where it has none of this name.
    pub fn with(mut self, option: Setting, value: impl Into<OptionValue>) -> Result<Self> {
        self.set(option, value.into())?;
        Ok(self)
    }

    /// Sets one of its options; refused where it has none of this name.
    pub fn set(&mut self, option: Setting, value: OptionValue) -> Result<()> {
        if self.method_mut().set(option, &value)? {
            return Ok(());
        }
        let takes = |learner: &Learner| {
            let options = learner.method().options();
            options.iter().any(|(has, _)| *has == option)
        };
        let all = Learner::all();
        let with: Vec<&str> = all.iter().filter(|l| takes(l)).map(Learner::name).collect();
        Err(Error::invalid(words![
            option,
            " is for ",
            Setting::Learner.at(joined(&with, "and")),
            format!("; {} has no such option", self.name()),
        ]))
    }

    /// Its options and their values.
    pub fn options(&self) -> Vec<(Setting, OptionValue)> {
        self.method().options()
    }

    /// False of learners by samples, whose residual does not go to zero.
    pub fn converges(&self) -> bool {
        self.method().converges()
    }

    /// Iterations after which a restart stops, unless users say otherwise.
    pub fn usual_iterations(&self) -> usize {
        self.method().usual_iterations()
    }

    /// Whether it can learn through this engine.
    pub fn goes_with(&self, engine: EngineId) -> bool {
        self.need().is_met_by(engine.gives())
    }

    pub(crate) fn check(&self) -> Result<()> {
        self.method().check()
    }

    /// Refuses an engine that does not give what the learner needs, and options that would be ignored with it.
    pub(crate) fn check_with(&self, engine: EngineId) -> Result<()> {
        if self.goes_with(engine) {
            return self.method().check_with(engine);
        }
        let all = Learner::all();
        let others = all.iter().filter(|other| other.goes_with(engine));
        let others: Vec<&str> = others.map(Learner::name).collect();
        let mut refusal = words![
            Setting::Learner.at(self.name()),
            format!(" needs {}, which ", self.need().words()),
            Setting::Engine.at(engine),
            " does not give; use ",
            Setting::Learner.at(joined(&others, "or")),
        ];
        if let Some(advice) = self.method().advice() {
            refusal.push(words![", or ", &advice]);
        }
        Err(Error::invalid(refusal))
    }

    pub(crate) fn check_data(&self, structure: &Network, data: &Dataset) -> Result<()> {
        self.method().check_data(structure, data)
    }

    pub(crate) fn check_problem(&self, problem: &Problem) -> Result<()> {
        self.method().check_problem(problem)
    }

    pub(crate) fn begin(&self, problem: &Problem, begin: &Begin) -> Box<dyn Stepper> {
        self.method().begin(problem, begin)
    }
}

/// `a, b and c`.
fn joined(names: &[&str], last: &str) -> String {
    match names.split_last() {
        None => String::new(),
        Some((only, [])) => only.to_string(),
        Some((end, others)) => format!("{} {last} {end}", others.join(", ")),
    }
}
