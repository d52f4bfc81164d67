//! The causes of a misfit: the condition of each, and its sentence.

use crate::fit::comparison::Comparison;

/// The ridge is blamed where so many of the pairs that misfit are nearer to independence than the data.
const MOST_PULLED: f64 = 0.75;

/// Why a machine may misfit.
#[derive(Clone, Debug, PartialEq)]
pub enum MisfitCause {
    /// A machine with more hidden units is ahead on rows held out, by more than its standard error.
    LargerIsAhead {
        /// Its shape.
        shape: String,
        /// Its hidden units.
        hidden: usize,
        /// By how much, in nats per row.
        ahead: f64,
        /// Standard error of that.
        std_err: f64,
    },
    /// The best of the machines compared is the largest that was tried.
    LargestIsBest,
    /// Weights are at the edge of the box.
    Box {
        /// How many.
        weights: usize,
        /// The box.
        bound: f64,
    },
    /// Most of the pairs that misfit are nearer to independence than the data, and the ridge is strong.
    Ridge {
        /// The ridge.
        ridge: f64,
        /// How many pairs are nearer.
        pulled: usize,
        /// Of how many that misfit.
        pairs: usize,
    },
    /// Machines were compared, and none of the above holds.
    Shape,
    /// No other machine was compared, and none of the above holds.
    NotCompared,
    /// Cells are missing, besides whatever else holds.
    MissingCells,
}

impl MisfitCause {
    /// A word for it.
    pub fn name(&self) -> &'static str {
        match self {
            MisfitCause::LargerIsAhead { .. } | MisfitCause::LargestIsBest => {
                "too few hidden units"
            }
            MisfitCause::Box { .. } => "box",
            MisfitCause::Ridge { .. } => "ridge",
            MisfitCause::Shape => "shape",
            MisfitCause::NotCompared => "not known",
            MisfitCause::MissingCells => "missing cells",
        }
    }

    /// The sentence, without its full stop.
    pub fn sentence(&self) -> String {
        match self {
            MisfitCause::LargerIsAhead {
                shape,
                hidden,
                ahead,
                std_err,
            } => format!(
                "likely cause: too few hidden units, since {shape} with {hidden} of them is ahead by {ahead:.4} ± \
                 {std_err:.4} nats per held-out row"
            ),
            MisfitCause::LargestIsBest => "likely cause: too few hidden units, since the best of the machines compared is \
                                           the largest that was tried"
                .to_string(),
            MisfitCause::Box { weights, bound } => {
                let (are, go) = match weights {
                    1 => ("1 weight is".to_string(), "goes"),
                    count => (format!("{count} weights are"), "go"),
                };
                format!("likely cause: the box, since {are} at its edge (±{bound}) and {go} no further")
            }
            MisfitCause::Ridge {
                ridge,
                pulled,
                pairs,
            } => format!(
                "likely cause: the ridge ({ridge}), since {pulled} of {} that misfit are pulled towards independence",
                counted(*pairs, "pair")
            ),
            MisfitCause::Shape => {
                "no machine that was compared is ahead, no weight is at the edge of the box, and the ridge is too weak to \
                 explain it: the shape itself may be wrong"
                    .to_string()
            }
            MisfitCause::NotCompared => {
                "no weight is at the edge of the box, and the ridge is too weak to explain it; whether there are too few \
                 hidden units is not known, since no other machine was compared: leave size and shape open to see"
                    .to_string()
            }
            MisfitCause::MissingCells => {
                "cells that are not missing at random can look like a misfit too, since only known cells are counted"
                    .to_string()
            }
        }
    }
}

/// What decides between the causes.
pub(super) struct Circumstances<'a> {
    pub(super) comparison: Option<&'a Comparison>,
    pub(super) at_the_edge: usize,
    pub(super) bound: f64,
    pub(super) ridge: f64,
    pub(super) ridge_is_strong: bool,
    pub(super) pairs_beyond: usize,
    pub(super) pulled: usize,
    pub(super) has_missing_cells: bool,
}

impl Circumstances<'_> {
    /// The causes whose conditions hold; what to do where none does.
    pub(super) fn causes(&self) -> Vec<MisfitCause> {
        let mut causes: Vec<MisfitCause> =
            [self.larger_is_ahead(), self.box_holds(), self.ridge_pulls()]
                .into_iter()
                .flatten()
                .collect();
        if causes.is_empty() {
            causes.push(match self.comparison {
                Some(_) => MisfitCause::Shape,
                None => MisfitCause::NotCompared,
            });
        }
        causes.extend(self.has_missing_cells.then_some(MisfitCause::MissingCells));
        causes
    }

    fn larger_is_ahead(&self) -> Option<MisfitCause> {
        let comparison = self.comparison?;
        let (chosen, best) = (comparison.chosen(), &comparison.table[comparison.best]);
        let (ahead, std_err) = (chosen.standing.behind, chosen.standing.behind_std_err);
        if best.hidden > chosen.hidden && ahead > std_err {
            return Some(MisfitCause::LargerIsAhead {
                shape: best.shape.clone(),
                hidden: best.hidden,
                ahead,
                std_err,
            });
        }
        (comparison.best_is_last && best.hidden > 0).then_some(MisfitCause::LargestIsBest)
    }

    fn box_holds(&self) -> Option<MisfitCause> {
        (self.at_the_edge > 0).then_some(MisfitCause::Box {
            weights: self.at_the_edge,
            bound: self.bound,
        })
    }

    fn ridge_pulls(&self) -> Option<MisfitCause> {
        let is_most =
            self.pairs_beyond > 0 && self.pulled as f64 >= MOST_PULLED * self.pairs_beyond as f64;
        (self.ridge_is_strong && is_most).then_some(MisfitCause::Ridge {
            ridge: self.ridge,
            pulled: self.pulled,
            pairs: self.pairs_beyond,
        })
    }
}

fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{Compared, Standing};

    /// A machine of one hidden unit that was chosen, and one of two that is ahead by so much, with an error of 0.01.
    fn compared(ahead: f64, best_is_last: bool) -> Comparison {
        let entry = |hidden: usize, behind: f64| Compared {
            shape: "rbm".to_string(),
            hidden,
            parameters: 10 * hidden,
            ridge: 0.1,
            standing: Standing {
                mean: -2.0 - behind,
                std_err: 0.1,
                behind,
                behind_std_err: 0.01,
                rows: 100.0,
            },
            log_likelihood: -1.9,
            silent: 0,
            bic: 100.0,
        };
        Comparison {
            rule: Default::default(),
            table: vec![entry(1, ahead), entry(2, 0.0)],
            chosen: 0,
            best: 1,
            gains: Vec::new(),
            best_is_last,
            ridge: None,
        }
    }

    /// Nothing that would be a cause.
    fn nothing() -> Circumstances<'static> {
        Circumstances {
            comparison: None,
            at_the_edge: 0,
            bound: 15.0,
            ridge: 0.5,
            ridge_is_strong: false,
            pairs_beyond: 8,
            pulled: 8,
            has_missing_cells: false,
        }
    }

    #[test]
    fn too_few_units_are_blamed_where_more_are_ahead_or_none_larger_was_tried() {
        let names = |comparison: &Comparison| {
            let causes = Circumstances {
                comparison: Some(comparison),
                ..nothing()
            }
            .causes();
            let names = causes.iter().map(MisfitCause::name);
            names.collect::<Vec<_>>()
        };
        assert_eq!(names(&compared(0.02, false)), ["too few hidden units"]);
        assert_eq!(names(&compared(0.005, true)), ["too few hidden units"]);
        assert_eq!(names(&compared(0.005, false)), ["shape"]);
        // Without a comparison it is not known.
        assert_eq!(nothing().causes(), [MisfitCause::NotCompared]);
    }

    #[test]
    fn the_box_is_blamed_where_weights_are_at_its_edge() {
        let causes = Circumstances {
            at_the_edge: 2,
            ..nothing()
        }
        .causes();
        let found = MisfitCause::Box {
            weights: 2,
            bound: 15.0,
        };
        assert_eq!(causes, [found]);
        let sentence = causes[0].sentence();
        assert!(sentence.contains("2 weights are at its edge (±15) and go no further"));
    }

    #[test]
    fn the_ridge_is_blamed_where_it_is_strong_and_three_in_four_pairs_are_pulled() {
        let is_blamed = |ridge_is_strong: bool, pulled: usize| {
            let causes = Circumstances {
                ridge_is_strong,
                pulled,
                ..nothing()
            }
            .causes();
            causes.iter().any(|cause| cause.name() == "ridge")
        };
        assert!(is_blamed(true, 6));
        assert!(!is_blamed(true, 5));
        assert!(!is_blamed(false, 8));
    }

    #[test]
    fn missing_cells_are_named_besides_every_other_cause() {
        let with = Circumstances {
            has_missing_cells: true,
            at_the_edge: 1,
            ..nothing()
        };
        let names: Vec<&str> = with.causes().iter().map(MisfitCause::name).collect();
        assert_eq!(names, ["box", "missing cells"]);
        let without = nothing().causes();
        assert!(!without.contains(&MisfitCause::MissingCells));
    }
}
