//! The assembly of a job: hands out round after round of pieces, takes parts in, and ends as a fit.

use super::round::{Kind, LeansOn, Round};
use super::rounds::Made;
use super::{Decided, Done, Job, Part};
use crate::error::{Error, Result};
use crate::fit::choice::Choices;
use crate::fit::control::Control;
use crate::fit::result::Fit;
use crate::fit::uncertainty::Refit;
use crate::learning::Outcome;
use crate::remark::Remark;
use crate::selection::Candidate;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// A job on its way: which pieces can be run now, and what those that have come say.
///
/// ```
/// use latentropy::fit::{Assembly, Control, Job, Worker};
/// use latentropy::{Dataset, Request, fit};
/// let data = Dataset::from_rows(&[[0, 0], [1, 1], [1, 1], [0, 1]])?;
/// let request = Request { restarts: Some(24), ..Request::with_hidden(1) };
/// let control = Control::default();
/// let job = Job::new(&data, &request)?;
/// let mut assembly = Assembly::new(job.clone(), false);
/// while let Some(round) = assembly.next(&control)? {
///     // Elsewhere, each piece by itself, the last one first.
///     let worker = Worker::new(&job, round.clone())?;
///     for piece in round.pieces().iter().rev() {
///         assembly.take(worker.run(&[*piece], &control)?)?;
///     }
/// }
/// let found = assembly.finish(&control)?;
/// assert_eq!(found.chosen().network, fit(&data, &request)?.chosen().network);
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Debug)]
pub struct Assembly {
    job: Job,
    takes_any_processor: bool,
    processors: BTreeSet<String>,
    folds: BTreeMap<usize, Part>,
    restarts: BTreeMap<usize, Outcome>,
    refits: BTreeMap<usize, Refit>,
    made: Made,
    fit: Option<Fit>,
    began: Instant,
    /// How long the choices took.
    choosing: Duration,
}

impl Assembly {
    /// Of a job none of whose choices are made yet; restarts keep their traces where that is asked for here or by the request.
    pub fn new(job: Job, traced: bool) -> Self {
        Assembly {
            job: Job {
                traced,
                decided: None,
                ..job
            },
            takes_any_processor: false,
            processors: BTreeSet::new(),
            folds: BTreeMap::new(),
            restarts: BTreeMap::new(),
            refits: BTreeMap::new(),
            made: Made::default(),
            fit: None,
            began: Instant::now(),
            choosing: Duration::ZERO,
        }
    }

    /// Takes parts from processors of every kind: the result then is that of one kind to a tolerance, not bit for bit.
    pub fn taking_any_processor(self) -> Self {
        Assembly {
            takes_any_processor: true,
            ..self
        }
    }

    /// The job, with its choices once they are made.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// The kinds of processors that parts came from.
    pub fn processors(&self) -> impl Iterator<Item = &str> {
        self.processors.iter().map(String::as_str)
    }

    /// The pieces that are to be run next and have not come yet; none where the fit is whole.
    ///
    /// What has to be decided before is decided here.
    ///
    /// For an example of a [`Round`] see [`Assembly`].
    pub fn next(&mut self, control: &Control<'_>) -> Result<Option<Round>> {
        if self.job.decided.is_none() {
            let folds: Vec<Part> = self.folds.values().cloned().collect();
            let open = self.job.open_comparisons(&folds)?;
            if !open.is_empty() {
                let beginnings = self.job.beginnings(&open, &folds)?;
                let leans_on = LeansOn::Beginnings(beginnings);
                return Ok(Some(Round::new(&self.job, open, leans_on)));
            }
            self.job.decide(&folds, control)?;
            self.choosing = self.began.elapsed();
        }
        if self.fit.is_none()
            && let Some(round) = self.next_restarts(control)?
        {
            return Ok(Some(round));
        }
        self.next_refits()
    }

    /// The next restarts; where the search has ended, the fit is made.
    fn next_restarts(&mut self, control: &Control<'_>) -> Result<Option<Round>> {
        while !self.job.is_enough(&self.made) {
            let from = self.made.outcomes.len();
            let search = self.job.plan.search;
            let to = search.stop_before(from, self.job.next_check(from));
            let known = |index: usize| match self.restarts.get(&index) {
                Some(outcome) => Some(outcome),
                None => self.job.learned(index),
            };
            let block: Vec<Option<Outcome>> =
                (from..to).map(|index| known(index).cloned()).collect();
            let missing = (from..to).zip(&block).filter(|(_, known)| known.is_none());
            let missing: Vec<usize> = missing.map(|(index, _)| index).collect();
            if !missing.is_empty() {
                let leans_on = LeansOn::Parents(self.settled()?, self.job.parents(&self.made));
                return Ok(Some(Round::new(&self.job, missing, leans_on)));
            }
            self.made.outcomes.extend(block.into_iter().flatten());
            self.job.certify_all(&mut self.made)?;
        }
        let fit = self
            .job
            .chosen_from(std::mem::take(&mut self.made), control)?;
        let fit = self.fit.insert(fit);
        fit.timings.choosing = self.choosing;
        fit.timings.fitting = self.began.elapsed().saturating_sub(self.choosing);
        Ok(None)
    }

    fn next_refits(&self) -> Result<Option<Round>> {
        let Some(fit) = self.fit.as_ref().filter(|fit| fit.selected_is_feasible) else {
            return Ok(None);
        };
        let all = 0..self.job.refits();
        let missing: Vec<usize> = all.filter(|at| !self.refits.contains_key(at)).collect();
        if missing.is_empty() {
            return Ok(None);
        }
        let chosen = Box::new(fit.chosen().network.clone());
        let leans_on = LeansOn::Chosen(self.settled()?, chosen);
        Ok(Some(Round::new(&self.job, missing, leans_on)))
    }

    /// What was decided, as far as pieces need it.
    fn settled(&self) -> Result<Decided> {
        let decided = self.job.decided.as_ref();
        let decided = decided.ok_or_else(|| Error::failed("nothing has been decided yet"))?;
        Ok(Decided {
            choices: Choices::default(),
            learned: Vec::new(),
            ..decided.clone()
        })
    }

    /// Takes a part in: of any round, in any order, and once more for nothing; returns what its pieces are.
    pub fn take(&mut self, part: Part) -> Result<Vec<(Kind, usize)>> {
        self.job.check(&part)?;
        let own = &self.job.origin().processor;
        let processor = &part.origin.processor;
        if processor != own && !self.takes_any_processor {
            return Err(Error::invalid(format!(
                "a part comes from another kind of processor: {processor}, and this is {own}; its last digits differ"
            )));
        }
        self.processors.insert(processor.clone());
        let Part { origin, done } = part;
        let mut taken = Vec::new();
        match done {
            Done::Folds(folds) => {
                for scores in folds {
                    let number = self.job.number_of(&scores);
                    taken.push((Kind::Fold, number));
                    let part = Part {
                        origin: origin.clone(),
                        done: Done::Folds(vec![scores]),
                    };
                    self.folds.entry(number).or_insert(part);
                }
            }
            Done::Restarts(restarts) => {
                for (index, outcome) in restarts {
                    taken.push((Kind::Restart, index));
                    self.restarts.entry(index).or_insert(outcome);
                }
            }
            Done::Refits(refits) => {
                for refit in refits {
                    taken.push((Kind::Refit, refit.index));
                    self.refits.entry(refit.index).or_insert(refit);
                }
            }
        }
        Ok(taken)
    }

    /// The restarts that have come, certified: what there is of a fit that was stopped.
    pub fn candidates(&self) -> Result<Vec<Candidate>> {
        if self.job.decided.is_none() {
            return Ok(Vec::new());
        }
        let ended = self.restarts.iter();
        let ended: Vec<(usize, Outcome)> = ended.map(|(at, found)| (*at, found.clone())).collect();
        self.job.candidates_of(&ended)
    }

    /// The whole fit; refused where pieces have not come.
    pub fn finish(mut self, control: &Control<'_>) -> Result<Fit> {
        if let Some(round) = self.next(control)? {
            let (kind, first) = (round.kind(), round.pieces()[0]);
            return Err(Error::invalid(format!("{kind} {first} has not come yet")));
        }
        let fit = self.fit.take();
        let mut fit = fit.ok_or_else(|| Error::failed("the search has not ended"))?;
        if self.job.refits() > 0 {
            match fit.selected_is_feasible {
                true => {
                    let refits = self.refits.into_values().collect();
                    let part = self.job.part(Done::Refits(refits));
                    self.job.assemble_refits(&mut fit, &[part])?;
                }
                false => fit.remarks.push(Remark::NoBootstrap),
            }
        }
        let before = fit.timings.choosing + fit.timings.fitting;
        fit.timings.resampling = self.began.elapsed().saturating_sub(before);
        Ok(fit)
    }
}
