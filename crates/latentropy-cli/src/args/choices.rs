//! Named choices of the documented interface.

use clap::ValueEnum;
use latentropy::inference::Engine;
use latentropy::learning::{Learner, LearningEngine, SequentialRule};
use latentropy::selection::BootstrapKind;

/// Inference engines of `fit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineChoice {
    /// Exact where a pass over the states takes a moment, else exact or a junction tree, whichever is quicker, up to half a
    /// second a pass, else gibbs; says which and why.
    Auto,
    /// Exact: by enumeration or by factorisation, whichever visits less.
    Exact,
    /// Exact on sparse graphs of any size (treewidth up to about 22).
    JunctionTree,
    /// Mean field: an upper bound on the likelihood.
    MeanField,
    /// Mean field with Onsager's correction: an estimate.
    Tap,
    /// Belief propagation: an estimate; exact on trees.
    Bp,
    /// Generalised belief propagation on loops of three and four: a better estimate.
    Gbp,
    /// Tree-reweighted: a lower bound on the likelihood.
    Trw,
    /// Gibbs chains, for any machine; likelihood and entropy with standard errors. Learners pcd, cd, em-is, em-gis, and
    /// em-gradient with a fixed step.
    Gibbs,
}

impl EngineChoice {
    /// The library's engine, if one is named.
    pub(crate) fn engine(self) -> Option<LearningEngine> {
        let engine = match self {
            EngineChoice::Auto => return None,
            EngineChoice::Exact => Engine::Exact,
            EngineChoice::JunctionTree => Engine::JunctionTree,
            EngineChoice::MeanField => Engine::MeanField,
            EngineChoice::Tap => Engine::Tap,
            EngineChoice::Bp => Engine::Bp,
            EngineChoice::Gbp => Engine::Gbp,
            EngineChoice::Trw => Engine::Trw,
            EngineChoice::Gibbs => Engine::Gibbs,
        };
        Some(LearningEngine::from(engine))
    }
}

/// Inference engines of `infer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InferEngine {
    /// Exact where that is quick, else a junction tree, else sampling; says which and why.
    Auto,
    /// Exact: by enumeration or by factorisation, whichever visits less.
    Exact,
    /// Exact on sparse graphs of any size (treewidth up to about 22).
    JunctionTree,
    /// Sampling by Markov chains, log Z by annealing: any machine, with standard errors.
    Gibbs,
    /// Mean field: a lower bound on log Z.
    MeanField,
    /// Mean field with Onsager's correction: an estimate.
    Tap,
    /// Belief propagation: an estimate; exact on trees.
    Bp,
    /// Generalised belief propagation on loops of three and four: a better estimate.
    Gbp,
    /// Tree-reweighted: an upper bound on log Z.
    Trw,
    /// Every engine, in a table.
    All,
}

impl InferEngine {
    /// Whether all engines are asked for.
    pub(crate) fn is_all(self) -> bool {
        self == InferEngine::All
    }

    /// The engine that is named, if one is.
    pub(crate) fn engine(self) -> Option<Engine> {
        match self {
            InferEngine::Exact => Some(Engine::Exact),
            InferEngine::JunctionTree => Some(Engine::JunctionTree),
            InferEngine::Gibbs => Some(Engine::Gibbs),
            InferEngine::MeanField => Some(Engine::MeanField),
            InferEngine::Tap => Some(Engine::Tap),
            InferEngine::Bp => Some(Engine::Bp),
            InferEngine::Gbp => Some(Engine::Gbp),
            InferEngine::Trw => Some(Engine::Trw),
            InferEngine::Auto | InferEngine::All => None,
        }
    }
}

/// Learners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LearnerChoice {
    /// em-is for a while (em-gis for large restricted machines), then second-order steps to the end;
    /// quasi-newton with an engine that is not exact, pcd with gibbs.
    Auto,
    /// EM with improved iterative scaling: no learning rate, never lowers the likelihood; slow.
    EmIs,
    /// EM with generalised iterative scaling: smaller steps, nothing to stratify.
    EmGis,
    /// EM by gradient ascent; see --step.
    EmGradient,
    /// Second-order steps from the start.
    QuasiNewton,
    /// EM that updates one weight at a time; see --rule.
    Sequential,
    /// Contrastive divergence, by sampling; see --cd-steps.
    Cd,
    /// Persistent contrastive divergence; see --chains.
    Pcd,
}

impl LearnerChoice {
    /// The library's learner, and whether second-order steps finish what it began.
    pub(crate) fn learner(self, engine: LearningEngine) -> (Learner, bool) {
        match self {
            LearnerChoice::Auto => match engine {
                LearningEngine::Exact => (Learner::EmIs, true),
                LearningEngine::Deterministic(_) => (Learner::QuasiNewton, true),
                LearningEngine::Gibbs => (Learner::Pcd, false),
            },
            LearnerChoice::EmIs => (Learner::EmIs, false),
            LearnerChoice::EmGis => (Learner::EmGis, false),
            LearnerChoice::EmGradient => (Learner::EmGradient, false),
            LearnerChoice::QuasiNewton => (Learner::QuasiNewton, true),
            LearnerChoice::Sequential => (Learner::Sequential, false),
            LearnerChoice::Cd => (Learner::Cd, false),
            LearnerChoice::Pcd => (Learner::Pcd, false),
        }
    }
}

/// Update rules of `sequential`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleChoice {
    /// The exact best value of each weight in turn (Byrne 1992).
    Byrne,
    /// A bound that never lowers the likelihood (Collins, Schapire and Singer 2002).
    Collins,
}

impl From<RuleChoice> for SequentialRule {
    fn from(rule: RuleChoice) -> Self {
        match rule {
            RuleChoice::Byrne => SequentialRule::Byrne,
            RuleChoice::Collins => SequentialRule::Collins,
        }
    }
}

/// Kinds of bootstrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResampleChoice {
    /// Rows drawn with replacement, their missing cells with them: trusts the rows alone.
    Rows,
    /// Rows drawn from the chosen machine, with the missing cells of the data: trusts the machine.
    Parametric,
}

impl From<ResampleChoice> for BootstrapKind {
    fn from(choice: ResampleChoice) -> Self {
        match choice {
            ResampleChoice::Rows => BootstrapKind::Rows,
            ResampleChoice::Parametric => BootstrapKind::Parametric,
        }
    }
}
