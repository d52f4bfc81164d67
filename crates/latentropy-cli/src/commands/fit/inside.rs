//! What goes on inside the restarts that run: where each has come, and how long it will take.

use crate::pace::{self, Fall};
use latentropy::learning::Progress;
use std::collections::HashMap;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// A restart is told of only if it takes longer than this.
const WORTH_TELLING: Duration = Duration::from_secs(1);
/// Marks of the residual are taken no more often than this, and every other one is dropped where they are this many.
const BETWEEN_MARKS: f64 = 0.05;
const MOST_MARKS: usize = 256;

/// The restarts that run, each by its thread.
#[derive(Debug, Default)]
pub(super) struct Inside(HashMap<ThreadId, Course>);

/// One restart on its way.
#[derive(Debug)]
struct Course {
    restart: u64,
    began: Instant,
    /// Steps that it had made when it was first seen: those of an earlier run.
    before: usize,
    /// Seconds since it began, and the residual.
    marks: Vec<(f64, f64)>,
    told: Told,
}

/// Where a restart has come.
#[derive(Debug, Default, PartialEq)]
struct Told {
    words: String,
    /// When it will end, in seconds since it began, where that can be told.
    end: Option<f64>,
    /// Whether it may end earlier.
    may_end_earlier: bool,
}

impl Told {
    /// The words, and the time that is left by now.
    fn at(&self, seconds: f64) -> String {
        let left = self.end.map(|end| end - seconds).filter(|left| *left > 0.0);
        let at_most = if self.may_end_earlier { "at most " } else { "" };
        let left = left.map(|left| format!(", {at_most}{}", pace::about(left)));
        format!("{}{}", self.words, left.unwrap_or_default())
    }
}

impl Inside {
    /// Takes in how far the restart of this thread has come.
    pub(super) fn take(&mut self, progress: &Progress<'_>) {
        let course = self.0.entry(thread::current().id());
        let course = course.or_insert_with(|| Course::new(progress));
        // Steps of a temperature begin anew, too.
        let last = course.marks.len();
        if course.restart != progress.restart || (progress.iterations == 0 && last > 0) {
            *course = Course::new(progress);
        }
        course.take(progress);
    }

    /// The restart of this thread is over.
    pub(super) fn done(&mut self) {
        self.0.remove(&thread::current().id());
    }

    /// All of them are.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The number of the one that runs longest, and what is to be told of it by now.
    pub(super) fn told(&self) -> Option<(u64, String)> {
        let longest = self.0.values().min_by_key(|course| course.began)?;
        let elapsed = longest.began.elapsed();
        let told = || (longest.restart, longest.told.at(elapsed.as_secs_f64()));
        (elapsed >= WORTH_TELLING).then(told)
    }
}

impl Course {
    fn new(progress: &Progress<'_>) -> Self {
        Course {
            restart: progress.restart,
            began: Instant::now(),
            before: progress.iterations,
            marks: Vec::new(),
            told: Told::default(),
        }
    }

    fn take(&mut self, progress: &Progress<'_>) {
        let seconds = self.began.elapsed().as_secs_f64();
        let last = self.marks.last().map(|mark| mark.0);
        if last.is_some_and(|last| seconds < last + BETWEEN_MARKS) {
            return;
        }
        if let (1.., Some(residual)) = (progress.iterations, measured(progress)) {
            if self.marks.len() >= MOST_MARKS {
                let mut at = 0;
                self.marks.retain(|_| {
                    at += 1;
                    at % 2 == 0
                });
            }
            self.marks.push((seconds, residual));
        }
        self.told = told(progress, &self.marks, seconds, self.before);
    }
}

/// The residual that falls towards a target.
fn measured(progress: &Progress<'_>) -> Option<f64> {
    progress.target?;
    let residual = progress.residual_in_errors.unwrap_or(progress.residual);
    (residual > 0.0 && residual.is_finite()).then_some(residual)
}

/// Where a restart has come after so many seconds.
fn told(progress: &Progress<'_>, marks: &[(f64, f64)], seconds: f64, before: usize) -> Told {
    let steps = progress.iterations;
    if let Some(all) = progress.steps {
        let left = pace::by_share(seconds, before, steps, all);
        return Told {
            words: match progress.validation {
                Some(value) => format!("pass {steps} of at most {all}, validation {value:.4}"),
                None => format!("pass {steps} of {all}"),
            },
            end: left.map(|left| seconds + left),
            may_end_earlier: progress.validation.is_some(),
        };
    }
    let (Some(target), Some(residual), 1..) = (progress.target, measured(progress), steps) else {
        return Told {
            words: format!("step {steps}"),
            ..Told::default()
        };
    };
    let (words, fall) = match progress.residual_in_errors {
        Some(_) => (
            format!("step {steps}, largest residual {residual:.2} standard errors (to {target})"),
            Fall::Power,
        ),
        None => (
            format!("step {steps}, residual {residual:.1e} (to {target:.0e})"),
            Fall::Exponential,
        ),
    };
    let left = pace::by_residual(marks, target, fall);
    Told {
        words,
        end: left.map(|left| seconds + left),
        may_end_earlier: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(iterations: usize) -> Progress<'static> {
        Progress {
            restart: 3,
            iterations,
            residual: 2.5e-4,
            residual_in_errors: None,
            target: Some(1e-8),
            steps: None,
            validation: None,
            weights: &[],
        }
    }

    fn sentence(
        progress: &Progress<'_>,
        marks: &[(f64, f64)],
        seconds: f64,
        before: usize,
    ) -> String {
        told(progress, marks, seconds, before).at(seconds)
    }

    #[test]
    fn the_time_left_runs_on_while_a_step_takes_long() {
        let told = Told {
            words: "step 7".to_string(),
            end: Some(20.0),
            may_end_earlier: false,
        };
        assert_eq!(told.at(12.0), "step 7, about 8 s left");
        assert_eq!(told.at(17.5), "step 7, about 3 s left");
        // Nothing is known once it is over.
        assert_eq!(told.at(20.5), "step 7");
    }

    #[test]
    fn every_kind_of_learning_tells_where_it_is() {
        let exact = progress(7);
        assert_eq!(
            sentence(&exact, &[], 0.5, 0),
            "step 7, residual 2.5e-4 (to 1e-8)"
        );
        let marks: Vec<(f64, f64)> = (0..9)
            .map(|at| (f64::from(at + 1), 0.1f64.powi(at)))
            .collect();
        let told = sentence(&exact, &marks[..5], 5.0, 0);
        assert_eq!(told, "step 7, residual 2.5e-4 (to 1e-8), about 4 s left");
        let by_samples = Progress {
            residual_in_errors: Some(0.342),
            target: Some(0.1),
            ..exact
        };
        let told = sentence(&by_samples, &[], 4.0, 0);
        assert_eq!(
            told,
            "step 7, largest residual 0.34 standard errors (to 0.1)"
        );
        let fixed = Progress {
            target: None,
            steps: Some(50),
            ..progress(10)
        };
        assert_eq!(
            sentence(&fixed, &[], 5.0, 0),
            "pass 10 of 50, about 20 s left"
        );
        assert_eq!(sentence(&fixed, &[], 0.5, 0), "pass 10 of 50");
        let watched = Progress {
            validation: Some(-5.12345),
            ..fixed
        };
        assert_eq!(
            sentence(&watched, &[], 5.0, 0),
            "pass 10 of at most 50, validation -5.1235, at most about 20 s left"
        );
        let nothing = Progress {
            target: None,
            ..progress(2)
        };
        assert_eq!(sentence(&nothing, &[], 5.0, 0), "step 2");
        assert_eq!(sentence(&progress(0), &[], 5.0, 0), "step 0");
    }

    #[test]
    fn a_restart_is_followed_until_it_ends() {
        let mut inside = Inside::default();
        inside.take(&progress(1));
        // Not yet worth telling.
        assert_eq!(inside.told(), None);
        assert_eq!(inside.0.len(), 1);
        let other = Progress {
            restart: 4,
            ..progress(5)
        };
        inside.take(&other);
        let course = inside.0.values().next().unwrap();
        assert_eq!((course.restart, course.before, inside.0.len()), (4, 5, 1));
        inside.done();
        assert!(inside.0.is_empty());
    }
}
