//! Whether the choice by highest entropy depends on the box, where no ridge keeps weights finite.
//!
//! The best solutions are learned on in a box twice as wide. Where another of them then has the highest entropy, or the
//! chosen one's has moved, the choice is that of the box as much as that of the data.

use super::setup::Setup;
use crate::error::Result;
use crate::learning::{Course, Finish, Objective, Outcome, Problem, StopReason, learn};
use crate::remark::Remark;
use crate::selection::{Candidate, Principle};

/// So many of the best solutions are looked at.
const MOST: usize = 5;
/// An entropy that moves by less has not.
const MOVED: f64 = 0.01;
const WIDER: f64 = 2.0;
/// The widest box there is.
const WIDEST: f64 = 500.0;

/// What there is to say, if anything.
pub(super) fn dependence_on_box(
    setup: &Setup<'_>,
    problem: &Problem,
    outcomes: &[Outcome],
    candidates: &[Candidate],
    selected: usize,
) -> Result<Option<Remark>> {
    let bound = setup.objective.bound;
    let wider = (WIDER * bound).min(WIDEST);
    let by_entropy = setup.principle == Principle::LatentMaximumEntropy;
    let is_at_edge = !candidates[selected].certificate.boundary_terms.is_empty();
    let can_be_told = setup.course.finish.is_some() && candidates[selected].feasible;
    if !(by_entropy && is_at_edge && can_be_told && setup.objective.ridge == 0.0 && wider > bound) {
        return Ok(None);
    }
    let objective = Objective {
        bound: wider,
        ..setup.objective
    };
    let problem = problem.with_objective(objective)?;
    let course = Course {
        finish: Some(Finish { warm_up: 0 }),
        anneal: false,
        path: false,
        ..setup.course.clone()
    };
    let mut found: Vec<(usize, f64)> = Vec::new();
    for at in setup.principle.best_solutions(candidates, MOST) {
        let Some(outcome) = outcomes.get(candidates[at].index) else {
            continue;
        };
        let further = learn(&problem, outcome.point.weights.clone(), &course)?;
        if further.stop == StopReason::Converged {
            found.push((candidates[at].solution, further.point.entropy));
        }
    }
    let chosen = candidates[selected].solution;
    let Some(&(_, own)) = found.iter().find(|(solution, _)| *solution == chosen) else {
        return Ok(None);
    };
    let highest = found
        .iter()
        .map(|(_, entropy)| *entropy)
        .fold(own, f64::max);
    let here = candidates[selected].entropy.value;
    let is_other = highest > own + MOVED;
    let there = if is_other { highest } else { own };
    let has_moved = is_other || (there - here).abs() > MOVED;
    Ok(has_moved.then_some(Remark::DependsOnBox {
        bound,
        wider,
        entropies: (here, there),
        is_other,
    }))
}
