//! Populations of an iterated search: where nothing better is found for long, a new one begins at random weights.
//!
//! Four parents that are near each other lead nowhere new, however many proposals follow. So a population that has stood still for
//! [`PATIENCE`] restarts is left alone, and the next round begins another; when that stands still too, all are joined, and what the new
//! one found is crossed with what was known. Which population a round is of follows from the restarts before it.

use super::ending::{FIRST, STRIDE};

/// So many restarts without anything better are enough: half of what a search of a few hundred makes.
const PATIENCE: usize = 150;
/// Less than this, in nats, is nothing better.
const BETTER: f64 = 1e-4;

/// Which of the restarts so far the next round goes on from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::fit) enum Population {
    /// Those from this one on.
    Since(usize),
    /// None: it begins at random weights.
    Begins,
}

/// The population of the round that follows restarts of these values, what did not converge having none.
pub(in crate::fit) fn population(values: impl Iterator<Item = Option<f64>>) -> Population {
    let mut state = State {
        population: Population::Since(0),
        is_joined: true,
        best: f64::NEG_INFINITY,
        best_of_all: f64::NEG_INFINITY,
        moved: FIRST,
    };
    let mut count = 0;
    for value in values {
        state.look(count);
        if let Some(value) = value {
            state.take(value, count);
        }
        count += 1;
    }
    state.look(count);
    state.population
}

/// What is known of the population that restarts are of.
struct State {
    population: Population,
    is_joined: bool,
    best: f64,
    best_of_all: f64,
    /// The restart from which on nothing better was found.
    moved: usize,
}

impl State {
    /// Before restart `at`, where a round begins there: whether another population does.
    fn look(&mut self, at: usize) {
        if at < FIRST || !(at - FIRST).is_multiple_of(STRIDE) {
            return;
        }
        if self.population == Population::Begins {
            self.population = Population::Since(at - STRIDE);
        }
        if at.saturating_sub(self.moved) < PATIENCE {
            return;
        }
        self.is_joined = !self.is_joined;
        (self.population, self.best, self.moved) = match self.is_joined {
            true => (Population::Since(0), self.best_of_all, at),
            false => (Population::Begins, f64::NEG_INFINITY, at + STRIDE),
        };
    }

    /// Restart `at` has ended.
    fn take(&mut self, value: f64, at: usize) {
        if value > self.best + BETTER {
            self.best = value;
            self.moved = self.moved.max(at);
        }
        self.best_of_all = self.best_of_all.max(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The population after so many restarts, of which those of the list were better than all before.
    fn after(count: usize, better: &[usize]) -> Population {
        let value = |at: usize| better.iter().filter(|&&b| b <= at).count() as f64;
        population((0..count).map(|at| Some(value(at))))
    }

    #[test]
    fn a_search_that_moves_keeps_its_population() {
        assert_eq!(after(0, &[]), Population::Since(0));
        assert_eq!(after(FIRST + PATIENCE - STRIDE, &[]), Population::Since(0));
        let often: Vec<usize> = (0..40).map(|k| 50 * k).collect();
        assert_eq!(after(2000, &often), Population::Since(0));
    }

    #[test]
    fn one_that_stands_still_begins_anew_and_is_joined_again() {
        let begun = FIRST + PATIENCE;
        assert_eq!(after(begun, &[]), Population::Begins);
        assert_eq!(after(begun + STRIDE, &[]), Population::Since(begun));
        let still = begun + STRIDE + PATIENCE;
        assert_eq!(after(still - STRIDE, &[]), Population::Since(begun));
        assert_eq!(after(still, &[]), Population::Since(0));
        assert_eq!(after(still + PATIENCE, &[]), Population::Begins);
    }

    #[test]
    fn what_did_not_converge_is_no_better() {
        let values = (0..FIRST + PATIENCE).map(|_| None);
        assert_eq!(population(values), Population::Begins);
    }
}
