//! A setup: one machine, its rows, and how it is learned; what restarts, folds and refits have in common.

use crate::data::Dataset;
use crate::error::Result;
use crate::inference::EngineId;
use crate::learning::{Course, Objective, Problem};
use crate::network::Network;
use crate::selection::Principle;

/// One machine to be learned from rows.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    /// The machine; its weights do not matter.
    pub structure: &'a Network,
    /// The rows.
    pub data: &'a Dataset,
    /// Who sums over states.
    pub engine: EngineId,
    /// Who sums for log Z where rows held out are scored.
    pub scored_by: EngineId,
    /// How each restart learns.
    pub course: &'a Course,
    /// What is maximised.
    pub objective: Objective,
    /// How many restarts.
    pub restarts: usize,
    /// Seed of all random numbers.
    pub seed: u64,
    /// How the winner is chosen.
    pub principle: Principle,
}

impl Setup<'_> {
    /// Whether its ridge can be found by evidence: it needs curvature, and where cd or pcd learn by chains, second-order steps
    /// by samples would take far longer than the fit itself.
    pub(super) fn has_evidence(&self) -> bool {
        let gives = self.engine.gives();
        gives.has_some_curvature() && (!gives.chains || self.course.learner.converges())
    }

    /// The problem of the machine and its rows.
    pub(crate) fn problem(&self) -> Result<Problem> {
        self.problem_of(self.data, self.objective)
    }

    /// The problem of the machine and other rows, under another objective.
    pub(crate) fn problem_of(&self, data: &Dataset, objective: Objective) -> Result<Problem> {
        self.course.learner.check_data(self.structure, data)?;
        let strata = self.course.needs_strata();
        Problem::new(self.structure, data, objective, self.engine, strata)
    }

    /// The problem under another ridge, watched by rows that it is not learned from.
    pub(crate) fn watched(&self, ridge: f64, held: &Dataset) -> Result<Problem> {
        let objective = Objective {
            ridge,
            ..self.objective
        };
        self.problem_of(self.data, objective)?.with_validation(held)
    }
}
