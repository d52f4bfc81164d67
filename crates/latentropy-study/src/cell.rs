//! Cells: the units of work of a study, each with a name of its own.

use crate::spec::Spec;
use std::fmt;

/// One unit of work.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cell {
    /// All learners from one start.
    Convergence {
        /// Which truth.
        truth: usize,
        /// Which start.
        start: usize,
    },
    /// One arm's estimates from one sample.
    Comparison {
        /// Which sample.
        place: Place,
        /// Position of the arm in the experiment's list.
        arm: usize,
    },
}

/// One sample of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Position of the experiment in the spec.
    pub experiment: usize,
    /// T.
    pub rows: usize,
    /// Which truth.
    pub truth: usize,
    /// Which trial.
    pub trial: usize,
}

impl Place {
    /// The name that its random numbers follow: the same for all arms, which are thus compared on the
    /// same rows and, with the same number of weights, from the same starts.
    pub(crate) fn name(&self, spec: &Spec) -> String {
        let experiment = &spec.experiments[self.experiment].name;
        let (truth, rows, trial) = (self.truth, self.rows, self.trial);
        format!("{experiment}/truth-{truth}/rows-{rows}/trial-{trial}")
    }
}

impl Cell {
    /// The cells of a study in a fixed order; of one figure only, where one is given.
    pub fn all(spec: &Spec, figure: Option<u32>) -> Vec<Cell> {
        let mut cells = Vec::new();
        if let Some(convergence) = &spec.convergence
            && figure.is_none_or(|figure| figure == 2)
        {
            for truth in 0..convergence.truths {
                let starts = 0..convergence.starts;
                cells.extend(starts.map(|start| Cell::Convergence { truth, start }));
            }
        }
        for (at, experiment) in spec.experiments.iter().enumerate() {
            if figure.is_some_and(|figure| !experiment.figures.contains(&figure)) {
                continue;
            }
            for &rows in &experiment.rows {
                for truth in 0..experiment.truths {
                    for trial in 0..experiment.trials {
                        let place = Place {
                            experiment: at,
                            rows,
                            truth,
                            trial,
                        };
                        let arms = 0..experiment.arms.len();
                        cells.extend(arms.map(|arm| Cell::Comparison { place, arm }));
                    }
                }
            }
        }
        cells
    }

    /// The cell's name in journals.
    pub fn key(&self, spec: &Spec) -> String {
        match self {
            Cell::Convergence { truth, start } => {
                format!("convergence/truth-{truth}/start-{start}")
            }
            Cell::Comparison { place, arm } => {
                let arm = &spec.experiments[place.experiment].arms[*arm];
                format!("{}/{arm}", place.name(spec))
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (truth, trial, rows) = (self.truth + 1, self.trial + 1, self.rows);
        write!(f, "truth {truth}, trial {trial}, T = {rows}")
    }
}
