//! The request: what a user asks of a fit; what is left open is decided by the plan.

use super::cross_validation::CrossValidation;
use super::evidence::USUAL_RIDGE;
use super::machines::compares;
use super::search::Search;
use super::uncertainty::BootstrapKind;
use super::validation::ValidationRows;
use crate::error::{Error, Result};
use crate::inference::EngineId;
use crate::learning::{Course, EmIs, Finish, Learner, Objective, OptionValue};
use crate::message::{Setting, words};
use crate::network::{Network, Shape, Term, TermOptions};
use crate::random::Digest;
use crate::selection::Principle;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// How many hidden units.
///
/// ```
/// use latentropy::Request;
/// use latentropy::fit::Hidden;
/// let request = Request { hidden: Some(Hidden::Several(vec![0, 1, 2])), ..Request::default() };
/// assert_eq!(Request::with_hidden(3).hidden, Some(3.into()));
/// # request.check()?;
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Hidden {
    /// So many.
    One(usize),
    /// Several numbers to choose from by cross-validation.
    Several(Vec<usize>),
}

impl From<usize> for Hidden {
    fn from(count: usize) -> Self {
        Hidden::One(count)
    }
}

/// Which terms the machine has.
///
/// ```
/// use latentropy::Request;
/// use latentropy::fit::Structure;
/// use latentropy::network::{Shape, TermOptions};
/// let options = TermOptions { shape: Shape::Rbm, ..TermOptions::default() };
/// let request = Request { structure: Structure::Named(options), ..Request::with_hidden(2) };
/// # request.check()?;
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Structure {
    /// Those of a named shape.
    Named(TermOptions),
    /// Several named shapes, to be compared.
    Several(Vec<TermOptions>),
    /// Left open: where the number of hidden units is open too, independent columns, visible pairs, restricted and full
    /// machines are compared; else every pair.
    Auto,
    /// These, for each number of hidden units that is asked for; units are the columns, then the hidden units.
    Listed(BTreeMap<usize, Vec<Term>>),
}

/// The ridge: a number, or how to choose it.
///
/// ```
/// use latentropy::Request;
/// use latentropy::fit::Ridge;
/// let request = Request { ridge: Ridge::Value(0.5), ..Request::with_hidden(2) };
/// # request.check()?;
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ridge {
    /// This one.
    Value(f64),
    /// The one that makes the data most likely, the weights summed out.
    Evidence,
    /// The one that foretells held-out rows.
    CrossValidated,
}

/// Who chooses among the solutions that the restarts found.
///
/// ```
/// use latentropy::Request;
/// use latentropy::fit::Select;
/// let request = Request { select: Select::HeldOut, ..Request::with_hidden(1) };
/// assert_eq!(request.select.to_string(), "held-out");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Select {
    /// Highest entropy; where a table of validation rows is given, the solution that foretells its rows best, if that is ahead of
    /// the one of highest entropy by half a nat over all of them.
    #[default]
    Auto,
    /// A principle.
    By(Principle),
    /// The principle whose choice foretells rows held out better, those kept for validation where there are any; highest
    /// entropy, where they are level.
    HeldOut,
}

impl From<Principle> for Select {
    fn from(principle: Principle) -> Self {
        Select::By(principle)
    }
}

impl Select {
    /// The principle that is named, or, within folds, the one that both are compared by.
    pub(crate) fn principle(self) -> Principle {
        match self {
            Select::By(principle) => principle,
            Select::Auto | Select::HeldOut => Principle::default(),
        }
    }
}

impl fmt::Display for Select {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Select::Auto => f.write_str("auto"),
            Select::By(principle) => principle.fmt(f),
            Select::HeldOut => f.write_str("held-out"),
        }
    }
}

impl FromStr for Select {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "auto" => Ok(Select::Auto),
            "held-out" => Ok(Select::HeldOut),
            _ => text.parse().map(Select::By).map_err(|_| {
                Error::invalid(format!(
                    "there is no principle \"{text}\"; there are auto, lme, mle and held-out"
                ))
            }),
        }
    }
}

/// Refits of the chosen machine to resamples.
///
/// ```
/// use latentropy::Request;
/// use latentropy::fit::{BootstrapKind, Resamples};
/// let resamples = Resamples { count: 200, kind: BootstrapKind::Parametric };
/// let request = Request { bootstrap: Some(resamples), ..Request::with_hidden(2) };
/// # request.check()?;
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resamples {
    /// How many, at least 2.
    pub count: usize,
    /// Where they come from.
    pub kind: BootstrapKind,
}

/// Everything that a user may ask of a fit; the defaults are those of the program.
///
/// ```
/// use latentropy::{Dataset, Request, fit};
/// let data = Dataset::from_rows(&[[0, 0, 1], [1, 1, 0], [1, 1, 1], [0, 0, 0], [1, -1, 0]])?;
/// let found = fit(&data, &Request { restarts: Some(5), ..Request::with_hidden(1) })?;
/// assert_eq!(found.candidates.len(), 5);
/// println!("{}: log-likelihood {:.3}", found.chosen().certificate.kind, found.chosen().log_likelihood);
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// How many hidden units; may be left out for a machine of visible units only.
    pub hidden: Option<Hidden>,
    /// Which terms the machine has.
    pub structure: Structure,
    /// The learner; by default EM-IS finished by second-order steps, or what suits the engine.
    pub learner: Option<Learner>,
    /// Options for the learner that is taken where none is named; refused where it has no such option.
    pub learner_options: Vec<(Setting, OptionValue)>,
    /// Whether each restart is one annealed run in place of a run from random weights.
    pub anneal: bool,
    /// Who sums over states; by default the best that is quick.
    pub engine: Option<EngineId>,
    /// The ridge.
    pub ridge: Ridge,
    /// The ridge on biases in the centred view; left open, 0.1 beside a ridge, and 0 where the ridge is 0.
    pub bias_ridge: Option<f64>,
    /// Weights stay within ± this.
    pub bound: f64,
    /// A residual at or below this is a solution; by default 1e-8, or 1e-6 with an engine that is not exact.
    pub tolerance: Option<f64>,
    /// Iterations after which a restart stops unconverged; by default as many as suit the learner.
    pub max_iterations: Option<usize>,
    /// A whole course, for what the fields above cannot say, such as a learner of one's own with second-order steps after
    /// it; refused together with learner, options, annealing, tolerance and iterations, which it brings itself.
    pub course: Option<Course>,
    /// Where restarts begin.
    pub search: Search,
    /// Weights that the first restart begins at; by default it is then the only one.
    pub start: Option<Network>,
    /// How many restarts; by default 100, fewer where they are costly.
    pub restarts: Option<usize>,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Who chooses among the solutions.
    pub select: Select,
    /// How many folds, where something is cross-validated; 5 if not given.
    pub folds: Option<usize>,
    /// Ridges, folds and their restarts of a cross-validated ridge, in place of the usual ones; refused together with
    /// `folds`, which it brings itself.
    pub validation: Option<CrossValidation>,
    /// Rows that are not learned from, to stop learners by samples and to score the chosen machine, if any.
    pub validation_rows: Option<ValidationRows>,
    /// Refits of the chosen machine, if any.
    pub bootstrap: Option<Resamples>,
    /// Whether candidates keep their traces.
    pub keep_traces: bool,
}

impl Default for Request {
    fn default() -> Self {
        Request {
            hidden: None,
            structure: Structure::Auto,
            learner: None,
            learner_options: Vec::new(),
            anneal: false,
            engine: None,
            ridge: Ridge::Evidence,
            bias_ridge: None,
            bound: Objective::default().bound,
            tolerance: None,
            max_iterations: None,
            course: None,
            search: Search::default(),
            start: None,
            restarts: None,
            seed: 0,
            select: Select::default(),
            folds: None,
            validation: None,
            validation_rows: None,
            bootstrap: None,
            keep_traces: false,
        }
    }
}

impl Request {
    /// The defaults with so many hidden units.
    pub fn with_hidden(count: usize) -> Self {
        Request {
            hidden: Some(Hidden::One(count)),
            ..Request::default()
        }
    }

    /// The setting of the paper's experiments (sections 5 and 6): every pair, no biases, no ridge, EM-IS with S = 4, 100 random
    /// starts, the solution of highest entropy. How many hidden units there are is open, and the paper gives no tolerance: here
    /// it is 1e-4, which EM-IS reaches.
    ///
    /// ```
    /// use latentropy::fit::{Ridge, Search};
    /// use latentropy::Request;
    /// let paper = Request { hidden: Some(3.into()), ..Request::of_the_paper() };
    /// assert_eq!((paper.ridge, paper.restarts, paper.search), (Ridge::Value(0.0), Some(100), Search::Restarts));
    /// # paper.check()?;
    /// # Ok::<(), latentropy::Error>(())
    /// ```
    pub fn of_the_paper() -> Self {
        Request {
            structure: Structure::Named(TermOptions {
                shape: Shape::Full,
                bias: false,
                order: 2,
            }),
            learner: Some(Learner::EmIs(EmIs {
                inner: 4,
                ..EmIs::default()
            })),
            ridge: Ridge::Value(0.0),
            tolerance: Some(1e-4),
            search: Search::Restarts,
            restarts: Some(100),
            select: Select::By(Principle::LatentMaximumEntropy),
            ..Request::default()
        }
    }

    /// The numbers of hidden units that are asked for.
    pub(crate) fn sizes(&self) -> Result<Vec<usize>> {
        match (&self.hidden, &self.structure) {
            (Some(Hidden::One(count)), _) => Ok(vec![*count]),
            (Some(Hidden::Several(counts)), _) if counts.is_empty() => {
                Err(Error::invalid(words![Setting::Hidden, " names no number"]))
            }
            (Some(Hidden::Several(counts)), _) => {
                let mut counts = counts.clone();
                counts.sort_unstable();
                counts.dedup();
                Ok(counts)
            }
            (None, Structure::Named(_) | Structure::Several(_) | Structure::Auto) => Ok(vec![0]),
            (None, _) => Err(Error::invalid(words![
                "the number of hidden units is not given; add ",
                Setting::Hidden.at("L"),
                ", such as ",
                Setting::Hidden.at(2),
                ", or ",
                Setting::Shape.at("visible"),
                " for none",
            ])),
        }
    }

    /// True where machines of several sizes are to be compared.
    pub(crate) fn compares(&self) -> bool {
        compares(self)
    }

    /// True where rows that were not learned from choose between the principles.
    pub(crate) fn rows_choose_principle(&self) -> bool {
        self.select == Select::HeldOut
    }

    /// True where a table of validation rows decides all that is left open: the machine, its ridge and the solution.
    pub(crate) fn table_decides(&self) -> bool {
        self.select == Select::Auto
            && matches!(self.validation_rows, Some(ValidationRows::Table(_)))
    }

    /// What to cross-validate, if anything: ridges, sizes or both.
    pub(crate) fn validation(&self) -> Option<CrossValidation> {
        let (several, by_folds) = (self.compares(), self.select == Select::HeldOut);
        let mut validation = self.validation.clone().unwrap_or_default();
        validation.folds = self.folds.unwrap_or(validation.folds);
        match self.ridge {
            Ridge::CrossValidated => Some(validation),
            Ridge::Value(ridge) if several => Some(validation.with_ridge(ridge)),
            // Each fold finds its own by evidence, where the machine has one.
            Ridge::Evidence if several => Some(validation.with_ridge(USUAL_RIDGE)),
            Ridge::Value(ridge) if by_folds => Some(validation.with_ridge(ridge)),
            Ridge::Evidence if by_folds => Some(validation.with_ridge(USUAL_RIDGE)),
            Ridge::Value(_) | Ridge::Evidence => None,
        }
    }

    /// The objective, with the usual ridge until one is chosen.
    pub(crate) fn objective(&self) -> Objective {
        let usual = Objective::with_ridge(match self.ridge {
            Ridge::Value(ridge) => ridge,
            Ridge::CrossValidated | Ridge::Evidence => USUAL_RIDGE,
        });
        Objective {
            bias_ridge: self.bias_ridge.unwrap_or(usual.bias_ridge),
            bound: self.bound,
            ..usual
        }
    }

    /// Refuses what makes no sense whatever the data are.
    pub fn check(&self) -> Result<()> {
        self.check_course()?;
        self.check_validation()?;
        self.check_validation_rows()?;
        if self.anneals() && self.validation().is_some() {
            return Err(Error::invalid(words![
                Setting::Anneal,
                " cannot be cross-validated; give ",
                Setting::Ridge,
                " and ",
                Setting::Hidden,
                " as numbers",
            ]));
        }
        if self.folds.is_some() && self.validation().is_none() {
            return Err(Error::invalid(words![
                Setting::Folds,
                " is for ",
                Setting::Ridge.at("auto"),
                ", ",
                Setting::Select.at("held-out"),
                " or several machines (",
                Setting::Hidden,
                ", ",
                Setting::Shape,
                "); there is nothing else to cross-validate",
            ]));
        }
        if self.start.is_some() && (self.anneals() || self.search() == Search::Path) {
            return Err(Error::invalid(words![
                Setting::Start,
                " gives the weights to begin at, and ",
                Setting::Search.at(self.search()),
                " begins elsewhere; leave one of them out",
            ]));
        }
        if self.restarts == Some(0) {
            return Err(Error::invalid(words![
                Setting::Restarts,
                " must be at least 1"
            ]));
        }
        if self.tolerance.is_some_and(|tolerance| tolerance > 1.0) {
            return Err(Error::invalid(words![
                Setting::Tolerance,
                " must be at most 1: constraints are on probabilities, and every machine would meet them"
            ]));
        }
        self.objective().checked()?;
        // What is wrong with learner and engine is said before the data are looked at, as far as it is known by then.
        match (self.engine, self.named_learner()) {
            (Some(engine), _) => {
                self.course(engine)?.checked(engine)?;
            }
            (None, Some(learner)) => {
                learner.check()?;
                let mut course = self.course(EngineId::EXACT)?;
                course.learner = Learner::default();
                course.checked(EngineId::EXACT)?;
            }
            (None, None) => {}
        }
        self.sizes()?;
        Ok(())
    }

    /// Refuses what a whole course would make ignored.
    fn check_course(&self) -> Result<()> {
        let settings = [
            (self.learner.is_some(), Setting::Learner),
            (self.anneal, Setting::Anneal),
            (
                matches!(self.search, Search::Anneal | Search::Path),
                Setting::Search,
            ),
            (self.tolerance.is_some(), Setting::Tolerance),
            (self.max_iterations.is_some(), Setting::MaxIterations),
        ];
        let options = self.learner_options.iter().map(|(option, _)| *option);
        let given = settings.iter().filter(|(given, _)| *given);
        let mut given = given.map(|(_, setting)| *setting).chain(options);
        match given.next().filter(|_| self.course.is_some()) {
            Some(setting) => Err(Error::invalid(words![
                "a whole course brings its own ",
                setting,
                "; set it there, or leave the course out",
            ])),
            None => Ok(()),
        }
    }

    /// Refuses a cross-validation that makes no sense, or that would be ignored.
    fn check_validation(&self) -> Result<()> {
        let Some(validation) = &self.validation else {
            return Ok(());
        };
        if self.ridge != Ridge::CrossValidated {
            return Err(Error::invalid(words![
                "ridges to compare are for ",
                Setting::Ridge.at("auto"),
                "; ask for that, or leave them out",
            ]));
        }
        if self.folds.is_some() {
            return Err(Error::invalid(words![
                "a whole cross-validation brings its own ",
                Setting::Folds,
                "; set it there",
            ]));
        }
        validation.check()
    }

    /// Refuses rows kept for validation that make no sense, or folds beside them.
    fn check_validation_rows(&self) -> Result<()> {
        let Some(rows) = &self.validation_rows else {
            return Ok(());
        };
        rows.check()?;
        match self.folds {
            Some(_) => Err(Error::invalid(words![
                Setting::ValidationRows,
                " keeps rows to compare by, and ",
                Setting::Folds,
                " would hold out others; leave one of the two out",
            ])),
            None => Ok(()),
        }
    }

    /// Whether rows kept for validation compare machines, ridges or principles, in place of folds.
    pub(crate) fn compares_on_kept_rows(&self) -> bool {
        self.validation_rows.is_some() && self.validation().is_some()
    }

    /// The learner that is asked for, alone or in a whole course.
    pub(crate) fn named_learner(&self) -> Option<&Learner> {
        let course = self.course.as_ref().map(|course| &course.learner);
        course.or(self.learner.as_ref())
    }

    /// Whether how a machine is learned is left to its size.
    pub(crate) fn leaves_learning_open(&self) -> bool {
        self.named_learner().is_none() && self.engine.is_none() && self.learner_options.is_empty()
    }

    /// Whether restarts are annealed runs.
    pub(crate) fn anneals(&self) -> bool {
        match &self.course {
            Some(course) => course.anneal,
            None => self.anneal || self.search == Search::Anneal,
        }
    }

    /// Where restarts begin.
    pub(crate) fn search(&self) -> Search {
        match &self.course {
            Some(course) if course.path => Search::Path,
            _ if self.anneals() => Search::Anneal,
            _ => self.search,
        }
    }

    /// How restarts go with this engine: the course or the learner that is named alone, or what suits the engine.
    pub(crate) fn course(&self, engine: EngineId) -> Result<Course> {
        if let Some(course) = &self.course {
            return Ok(course.clone());
        }
        let gives = engine.gives();
        let learner = match &self.learner {
            Some(learner) => learner.clone(),
            None if gives.exact_sums => Learner::default(),
            // Second-order steps follow an estimate to where its error helps most.
            None if gives.objective && !gives.curvature && !gives.upper_bound => Learner::default(),
            None if gives.objective || self.is_within() => Learner::QuasiNewton(Default::default()),
            None => Learner::Pcd(Default::default()),
        };
        self.course_with(learner, engine)
    }

    /// Whether an option is given that second-order steps by samples alone have.
    fn is_within(&self) -> bool {
        let mut options = self.learner_options.iter();
        options.any(|(option, _)| *option == Setting::Within)
    }

    /// The same with this learner in place of the usual one.
    pub(crate) fn course_with(&self, mut learner: Learner, engine: EngineId) -> Result<Course> {
        let gives = engine.gives();
        for (option, value) in &self.learner_options {
            learner.set(*option, value.clone())?;
        }
        let mut course = Course::new(learner);
        course.anneal = self.anneals();
        course.path = self.search == Search::Path;
        if self.learner.is_none() && gives.exact_sums {
            course.finish = Some(Finish { warm_up: WARM_UP });
        }
        if !gives.exact_sums && !gives.curvature {
            course.tolerance = TOLERANCE_OF_AN_ENGINE;
        }
        if !gives.objective && course.learner.converges() {
            course.max_iterations = match course.learner {
                Learner::EmIs(_) => ITERATIONS_ON_SAMPLES,
                _ => ITERATIONS_BY_SAMPLES,
            };
        }
        if gives.objective && !gives.exact_sums && matches!(course.learner, Learner::EmIs(_)) {
            course.max_iterations = ITERATIONS_OF_AN_ENGINE;
        }
        course.tolerance = self.tolerance.unwrap_or(course.tolerance);
        course.max_iterations = self.max_iterations.unwrap_or(course.max_iterations);
        Ok(course)
    }

    /// How many restarts with this engine, of machines with hidden units or without.
    pub(crate) fn restarts(&self, engine: EngineId, learner: &Learner, may_differ: bool) -> usize {
        let gives = engine.gives();
        let is_second_order = matches!(learner, Learner::QuasiNewton(_));
        self.restarts.unwrap_or(match () {
            () if self.start.is_some() => 1,
            () if gives.chains && is_second_order && may_differ => RESTARTS_BY_SAMPLES,
            // Only missing cells could make these differ, or each takes minutes: a second one shows whether they do.
            () if gives.chains && is_second_order => 2,
            () if self.anneals() => 1,
            // Each goes through several solutions.
            () if self.search() == Search::Path => 10,
            () if gives.exact_sums => 100,
            // An engine takes far longer than an exact sum of a small machine.
            () if gives.objective => 10,
            // What a run in mini-batches ends with depends on its chance; where a table is there to judge, two are made.
            () if self.table_decides() => 2,
            () => 1,
        })
    }

    /// What the request is recognised by.
    pub fn digest(&self) -> u64 {
        let mut digest = Digest::default();
        // Maps are ordered, and numbers are written in full: equal requests have equal bytes.
        digest.eat(&serde_json::to_vec(self).unwrap_or_default());
        digest.value()
    }
}

/// Steps of EM before the second-order ones, which take over where they are good at it: near a solution. Twice as many
/// end in the same solutions as often, and take longer (docs/decisions.md).
const WARM_UP: usize = 20;
/// What message passing reaches; exact sums reach more.
const TOLERANCE_OF_AN_ENGINE: f64 = 1e-6;
/// EM by samples stops by itself where it can; this is for where it cannot.
const ITERATIONS_BY_SAMPLES: usize = 500;
/// Iterations on a sample that is weighed anew take far less than a sample does.
const ITERATIONS_ON_SAMPLES: usize = 10_000;
/// EM-IS through an engine is stopped by its chains; this is for where they see no end.
const ITERATIONS_OF_AN_ENGINE: usize = 1_000;
/// Restarts of second-order steps by samples: each takes many seconds.
const RESTARTS_BY_SAMPLES: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset;
    use crate::fit::{Plan, fit};
    use crate::learning::Sequential;

    fn data() -> Dataset {
        let rows = [[0, 0, 1], [1, 1, 0], [1, 1, 1], [0, 0, 0], [1, 0, 0]];
        Dataset::from_rows(&rows).unwrap()
    }

    fn with_course(finish: Option<Finish>) -> Request {
        let learner = Learner::Sequential(Sequential::default());
        Request {
            course: Some(Course {
                finish,
                tolerance: 1e-5,
                ..Course::new(learner)
            }),
            ridge: Ridge::Value(1.0),
            restarts: Some(2),
            ..Request::with_hidden(1)
        }
    }

    #[test]
    fn a_whole_course_is_taken_as_it_is() {
        let finish = Some(Finish { warm_up: 3 });
        let request = with_course(finish);
        let found = fit(&data(), &request).unwrap();
        assert_eq!(Some(&found.course), request.course.as_ref());
        let alone = fit(&data(), &with_course(None)).unwrap();
        assert!(found.chosen().iterations < alone.chosen().iterations);
        let mut annealed = request.clone();
        annealed.course.as_mut().unwrap().anneal = true;
        annealed.restarts = None;
        assert_eq!(
            Plan::new(&data(), &annealed)
                .unwrap()
                .manner(0)
                .unwrap()
                .restarts,
            1
        );
        annealed.ridge = Ridge::CrossValidated;
        assert!(annealed.check().is_err());
    }

    #[test]
    fn nothing_beside_a_course_is_ignored() {
        let request = with_course(None);
        let refused = |request: Request, part: &str| {
            let message = request.check().unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        };
        let with = |change: fn(&mut Request)| {
            let mut request = request.clone();
            change(&mut request);
            request
        };
        refused(with(|r| r.learner = Some(Learner::default())), "learner");
        refused(with(|r| r.anneal = true), "anneal");
        refused(with(|r| r.tolerance = Some(1e-3)), "tolerance");
        refused(with(|r| r.max_iterations = Some(9)), "max_iterations");
        let inner = |r: &mut Request| {
            r.learner_options = vec![(Setting::Inner, OptionValue::Count(1))];
        };
        refused(with(inner), "inner");
    }

    #[test]
    fn a_cross_validation_of_ones_own() {
        let own = CrossValidation {
            folds: 2,
            restarts: 1,
            ridges: vec![3.0, 1.0],
        };
        let request = Request {
            ridge: Ridge::CrossValidated,
            validation: Some(own.clone()),
            restarts: Some(2),
            ..Request::with_hidden(1)
        };
        let plan = Plan::new(&data(), &request).unwrap();
        assert_eq!(plan.validation, Some(own.clone()));
        let table = fit(&data(), &request).unwrap().choices.ridge.unwrap().table;
        assert_eq!(
            table.iter().map(|s| s.ridge).collect::<Vec<_>>(),
            [3.0, 1.0]
        );
        let refused = |request: Request, part: &str| {
            let message = request.check().unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        };
        let with = |validation: CrossValidation| Request {
            validation: Some(validation),
            ..request.clone()
        };
        refused(
            with(CrossValidation {
                folds: 1,
                ..own.clone()
            }),
            "folds",
        );
        refused(
            with(CrossValidation {
                restarts: 0,
                ..own.clone()
            }),
            "restart",
        );
        refused(
            with(CrossValidation {
                ridges: vec![],
                ..own.clone()
            }),
            "no ridge",
        );
        refused(
            with(CrossValidation {
                ridges: vec![-1.0],
                ..own
            }),
            "-1",
        );
        let folds = Some(3);
        refused(
            Request {
                folds,
                ..request.clone()
            },
            "its own folds",
        );
        let ridge = Ridge::Value(1.0);
        refused(
            Request {
                ridge,
                ..request.clone()
            },
            "ridge auto",
        );
    }
}
