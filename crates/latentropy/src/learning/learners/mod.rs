//! The learners by name, each in a file of its own; this file is their registry.
//!
//! To add one, implement [`Method`] in a new file and add a line to `learners!` below: the conformance suite asks all of them.

mod contrastive;
mod coordinate;
mod em_gis;
mod em_gradient;
mod em_is;
mod need;
mod options;
mod sampled;
mod second_order;
mod sequential;
mod state_table;

pub use contrastive::{Cd, Pcd, Schedule};
pub use em_gis::EmGis;
pub use em_gradient::{EmGradient, Step};
pub use em_is::EmIs;
pub use need::Need;
pub use options::OptionValue;
pub use second_order::QuasiNewton;
pub(crate) use second_order::SecondOrder;
pub use sequential::{Sequential, SequentialRule};

use super::problem::Problem;
use super::stepper::Stepper;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::inference::EngineId;
use crate::message::{Message, Setting, words};
use crate::network::Network;
use serde::{Deserialize, Serialize};

/// Where and for how long a learner begins.
pub(crate) struct Begin {
    /// Steps that it will make at most.
    pub(crate) steps: usize,
    /// A residual at or below this is a solution.
    pub(crate) tolerance: f64,
    /// Whether its way will be looked at.
    pub(crate) traced: bool,
    pub(crate) seed: u64,
    pub(crate) index: u64,
}

/// What a learner is: its name, what it needs, its options, and the steps that it makes.
pub(crate) trait Method {
    /// As users type it.
    fn name(&self) -> &'static str;

    /// What it is, in a few words for lists of learners.
    fn about(&self) -> &'static str;

    /// What it needs of the engine.
    fn need(&self) -> Need;

    /// Sets one of its options; false where it has no such option.
    fn set(&mut self, _option: Setting, _value: &OptionValue) -> Result<bool> {
        Ok(false)
    }

    /// Its options and their values, as records show them.
    fn options(&self) -> Vec<(Setting, OptionValue)> {
        Vec::new()
    }

    /// Refuses options that make no sense.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Refuses options that would be ignored with this engine.
    fn check_with(&self, _engine: EngineId) -> Result<()> {
        Ok(())
    }

    /// What to change about it where an engine does not give what it needs.
    fn advice(&self) -> Option<Message> {
        None
    }

    /// Refuses machines and data that it does not know.
    fn check_data(&self, _structure: &Network, _data: &Dataset) -> Result<()> {
        Ok(())
    }

    /// The same of a problem that is prepared already.
    fn check_problem(&self, _problem: &Problem) -> Result<()> {
        Ok(())
    }

    /// Iterations after which a restart stops, unless users say otherwise.
    fn usual_iterations(&self) -> usize {
        20_000
    }

    /// False of learners by samples, whose residual does not go to zero.
    fn converges(&self) -> bool {
        true
    }

    /// Begins a restart.
    fn begin(&self, problem: &Problem, begin: &Begin) -> Box<dyn Stepper>;
}

macro_rules! learners {
    ($($(#[$doc:meta])* $variant:ident),* $(,)?) => {
        /// A learning algorithm with its options.
        ///
        /// ```
        /// use latentropy::learning::{EmIs, Learner};
        /// let learner = Learner::EmIs(EmIs { inner: 1, ..EmIs::default() });
        /// assert_eq!(learner.name(), "em-is");
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
