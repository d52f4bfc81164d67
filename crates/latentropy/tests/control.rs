//! Control over a fit: it is watched within restarts, stops within one iteration, and goes on where it stopped.

mod common;

use common::fits::{assert_same, noisy_rows, with_threads};
use latentropy::data::Dataset;
use latentropy::fit::{
    BootstrapKind, CrossValidation, Job, Journal, Resamples, Ridge, Stage, Structure,
    ValidationRows,
};
use latentropy::learning::{EmGis, Learner, Outcome, Pcd, Progress};
use latentropy::network::{Shape, TermOptions};
use latentropy::{
    Cancel, Candidate, Control, EngineId, Error, Observer, Request, Setting, fit, fit_with,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;
use tempfile::TempDir;

fn request(hidden: usize, restarts: usize) -> Request {
    Request {
        ridge: Ridge::Value(0.5),
        restarts: Some(restarts),
        seed: 4,
        ..Request::with_hidden(hidden)
    }
}

/// What was seen of a fit.
#[derive(Clone, Debug, Default)]
struct Seen {
    stages: Vec<Stage>,
    /// Restart and iterations of every report since the last stage began.
    reports: Vec<(u64, usize)>,
    /// Reports after the fit was asked to stop.
    late: usize,
    ended: Vec<(usize, usize)>,
    certified: BTreeSet<usize>,
    refits: usize,
}

/// Whether a stage is the one that is meant.
type IsStage = fn(Stage) -> bool;

/// Watches a fit, and may ask it to stop.
#[derive(Default)]
struct Watch {
    cancel: Cancel,
    /// After so many reports of this stage, counted from 1.
    stop_in: Option<(IsStage, usize)>,
    /// After so many restarts.
    stop_after: Option<usize>,
    seen: Mutex<Seen>,
}

impl Watch {
    fn stopping_in(stage: IsStage, reports: usize) -> Self {
        Watch {
            stop_in: Some((stage, reports)),
            ..Watch::default()
        }
    }

    fn control(&self) -> Control<'_> {
        Control {
            cancel: self.cancel.clone(),
            observer: self,
            ..Control::default()
        }
    }

    fn seen(&self) -> Seen {
        self.seen.lock().unwrap().clone()
    }
}

impl Observer for Watch {
    fn stage(&self, stage: Stage) {
        let mut seen = self.seen.lock().unwrap();
        seen.stages.push(stage);
        seen.reports.clear();
    }

    fn progress(&self, progress: &Progress<'_>) {
        let mut seen = self.seen.lock().unwrap();
        assert!(!progress.weights.is_empty());
        if self.cancel.is_cancelled() {
            seen.late += 1;
        }
        seen.reports.push((progress.restart, progress.iterations));
        if let (Some((wanted, reports)), Some(stage)) = (self.stop_in, seen.stages.last().cloned())
            && wanted(stage)
            && seen.reports.len() == reports
        {
            self.cancel.cancel();
        }
    }

    fn restart_done(&self, index: usize, outcome: &Outcome) {
        let mut seen = self.seen.lock().unwrap();
        seen.ended.push((index, outcome.iterations));
        if self.stop_after == Some(seen.ended.len()) {
            self.cancel.cancel();
        }
    }

    fn candidate_done(&self, candidate: &Candidate) {
        self.seen.lock().unwrap().certified.insert(candidate.index);
    }

    fn refit_done(&self) {
        self.seen.lock().unwrap().refits += 1;
    }
}

/// A fit that is asked to stop in a stage stops there, with at most one more report from each thread.
fn assert_stops(data: &Dataset, request: &Request, stage: IsStage, reports: usize) {
    for threads in [1, 3] {
        let watch = Watch::stopping_in(stage, reports);
        let stopped = with_threads(threads, || fit_with(data, request, &watch.control()));
        assert!(
            matches!(stopped, Err(Error::Cancelled)),
            "{:?}",
            watch.seen()
        );
        let seen = watch.seen();
        assert!(stage(seen.stages.last().unwrap().clone()), "{seen:?}");
        assert!(seen.late < threads, "{} late reports", seen.late);
        assert_eq!(seen.reports.len(), reports + seen.late);
    }
}

fn restarts(stage: Stage) -> bool {
    matches!(stage, Stage::Restarts { .. })
}

/// EM-IS alone towards weights that have no limit within the box: it would go on for hours.
fn endless() -> (Dataset, Request) {
    let data =
        Dataset::from_rows(&[[1, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]]).unwrap();
    let request = Request {
        learner: Some(Learner::default()),
        ridge: Ridge::Value(0.0),
        bound: 500.0,
        tolerance: Some(1e-300),
        max_iterations: Some(usize::MAX),
        ..request(2, 3)
    };
    (data, request)
}

#[test]
fn a_restart_stops_within_one_iteration() {
    let (data, request) = endless();
    assert_stops(&data, &request, restarts, 57);
}

#[test]
fn a_fit_that_is_asked_to_stop_before_it_begins_does_nothing() {
    let (data, request) = endless();
    let watch = Watch::default();
    watch.cancel.cancel();
    let stopped = fit_with(&data, &request, &watch.control());
    assert!(matches!(stopped, Err(Error::Cancelled)));
    assert!(watch.seen().reports.is_empty());
}

#[test]
fn cross_validation_stops() {
    let request = Request {
        ridge: Ridge::CrossValidated,
        validation: Some(CrossValidation {
            folds: 3,
            ..CrossValidation::default()
        }),
        ..request(2, 4)
    };
    let stage = |stage| matches!(stage, Stage::Comparing { .. });
    for reports in [1, 100, 700] {
        assert_stops(&noisy_rows(4, 30, true), &request, stage, reports);
    }
}

#[test]
fn the_evidence_stops() {
    let request = Request {
        ridge: Ridge::Evidence,
        ..request(2, 4)
    };
    let stage = |stage| matches!(stage, Stage::Evidence);
    for reports in [1, 40] {
        assert_stops(&noisy_rows(4, 30, true), &request, stage, reports);
    }
}

#[test]
fn the_bootstrap_stops() {
    let request = Request {
        bootstrap: Some(Resamples {
            count: 50,
            kind: BootstrapKind::Rows,
        }),
        ..request(1, 3)
    };
    let stage = |stage| matches!(stage, Stage::Refits { .. });
    for reports in [1, 60] {
        assert_stops(&noisy_rows(4, 30, true), &request, stage, reports);
    }
}

#[test]
fn annealing_stops() {
    let request = Request {
        anneal: true,
        ..request(2, 3)
    };
    for reports in [1, 40] {
        assert_stops(&noisy_rows(4, 30, true), &request, restarts, reports);
    }
}

#[test]
fn learning_by_samples_stops() {
    let data = noisy_rows(3, 20, true);
    let many = Some(usize::MAX);
    let contrastive = Request {
        learner: Some(Learner::Pcd(Pcd::default())),
        max_iterations: many,
        ..request(1, 2)
    };
    assert_stops(&data, &contrastive, restarts, 30);
    let chains = Request {
        engine: Some(EngineId::GIBBS),
        learner: Some(Learner::EmGis(EmGis::default())),
        max_iterations: many,
        ..request(1, 2)
    };
    assert_stops(&data, &chains, restarts, 4);
}

#[test]
fn progress_is_reported_within_restarts() {
    let data = noisy_rows(4, 30, true);
    let alone = Request {
        learner: Some(Learner::default()),
        tolerance: Some(1e-4),
        ..request(2, 4)
    };
    for request in [alone, request(2, 4)] {
        let watch = Watch::default();
        let found = fit_with(&data, &request, &watch.control()).unwrap();
        let seen = watch.seen();
        assert_eq!(seen.stages, [Stage::Restarts { count: 4 }]);
        let mut by_restart: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (restart, iterations) in seen.reports {
            by_restart.entry(restart).or_default().push(iterations);
        }
        assert!(by_restart.keys().copied().eq(0..4));
        for (restart, mut iterations) in by_restart {
            let candidate = &found.candidates[restart as usize];
            assert!(iterations.is_sorted(), "{iterations:?}");
            // Second-order steps begin where the learner ended.
            iterations.dedup();
            assert!(
                iterations.iter().copied().eq(0..=candidate.iterations),
                "{iterations:?}"
            );
        }
        let mut ended = seen.ended;
        ended.sort_unstable();
        let iterations = found.candidates.iter().map(|c| (c.index, c.iterations));
        assert_eq!(ended, iterations.collect::<Vec<_>>());
        assert!(seen.certified.into_iter().eq(0..4));
    }
}

#[test]
fn stages_come_in_order_and_refits_are_counted() {
    let request = Request {
        hidden: Some(latentropy::fit::Hidden::Several(vec![0, 1])),
        ridge: Ridge::Evidence,
        folds: Some(3),
        structure: Structure::Named(TermOptions {
            shape: Shape::Rbm,
            ..TermOptions::default()
        }),
        bootstrap: Some(Resamples {
            count: 5,
            kind: BootstrapKind::Rows,
        }),
        ..request(0, 2)
    };
    let watch = Watch::default();
    let found = fit_with(&noisy_rows(4, 30, false), &request, &watch.control()).unwrap();
    assert!(found.bootstrap.is_some());
    let seen = watch.seen();
    // All rows of each machine, then its three folds; the ridge of the chosen one is known from there.
    let comparing = |machine: &str, pieces: usize| Stage::Comparing {
        machine: machine.to_string(),
        pieces,
    };
    let rest = [Stage::Restarts { count: 2 }, Stage::Refits { count: 5 }];
    let compared = ["independent", "rbm 1"];
    let compared = compared.map(|machine| [comparing(machine, 1), comparing(machine, 3)]);
    assert_eq!(seen.stages[..4], compared.concat());
    assert_eq!(seen.stages[4..], rest);
    assert_eq!(seen.ended.len(), 2);
    assert_eq!((seen.certified.len(), seen.refits), (2, 5));
}

/// A folder with the journal of one interrupted fit.
struct Interrupted {
    _folder: TempDir,
    path: PathBuf,
    data: Dataset,
    request: Request,
}

fn journal_of(
    data: &Dataset,
    request: &Request,
    path: &std::path::Path,
) -> (Job, Journal<Outcome>) {
    let mut job = Job::new(data, request).unwrap();
    job.choose(&Control::default()).unwrap();
    let identity = job.identity(request.keep_traces).unwrap();
    let journal = match path.exists() {
        true => {
            let check = job.noted_check().unwrap();
            Journal::resume(path, identity, "start anew", check).unwrap()
        }
        false => Journal::create(path, identity).unwrap(),
    };
    (job, journal)
}

impl Interrupted {
    /// A fit that is stopped when `after` of its restarts have ended.
    fn new(data: Dataset, request: Request, after: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("restarts.jsonl");
        let (job, journal) = journal_of(&data, &request, &path);
        let watch = Watch {
            stop_after: Some(after),
            ..Watch::default()
        };
        let control = Control {
            journal: Some(&journal),
            ..watch.control()
        };
        let stopped = with_threads(1, || job.fit(&control));
        assert!(matches!(stopped, Err(Error::Cancelled)));
        drop(journal);
        Interrupted {
            _folder: folder,
            path,
            data,
            request,
        }
    }

    fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.path).unwrap();
        text.lines().map(str::to_string).collect()
    }

    fn write(&self, lines: &[String]) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(&self.path, text).unwrap();
    }

    /// Goes on, and fails unless the result is that of a fit that nobody stopped and `known` restarts are not learned again.
    fn assert_resumes(&self, request: &Request, known: usize) {
        let (job, journal) = journal_of(&self.data, request, &self.path);
        let pieces: Vec<String> = (0..known).map(|index| format!("restart {index}")).collect();
        assert!(journal.all_known().keys().eq(&pieces));
        let watch = Watch::default();
        let control = Control {
            journal: Some(&journal),
            ..watch.control()
        };
        let found = job.fit(&control).unwrap();
        assert_same(&found, &fit(&self.data, request).unwrap(), "resumed");
        let learned: BTreeSet<u64> = watch.seen().reports.iter().map(|report| report.0).collect();
        assert!(learned.into_iter().eq(known as u64..job.restarts() as u64));
        // What was known before counts as ended, too.
        assert_eq!(watch.seen().ended.len(), job.restarts());
        // By now all restarts are in it.
        drop(journal);
        let (_, journal) = journal_of(&self.data, request, &self.path);
        assert_eq!(journal.all_known().len(), job.restarts());
        journal.remove();
        assert!(!self.path.exists());
    }

    /// What is said where this is no journal of the job.
    fn refusal(&self, data: &Dataset, request: &Request) -> String {
        let mut job = Job::new(data, request).unwrap();
        job.choose(&Control::default()).unwrap();
        let identity = job.identity(request.keep_traces).unwrap();
        let before = fs::read(&self.path).unwrap();
        let check = job.noted_check().unwrap();
        let refused = Journal::<Outcome>::resume(&self.path, identity, "start anew", check);
        let Err(error @ Error::File { .. }) = refused else {
            panic!("not refused: {refused:?}");
        };
        // A journal that is refused is left as it was.
        assert_eq!(fs::read(&self.path).unwrap(), before);
        error.to_string()
    }
}

#[test]
fn an_interrupted_fit_goes_on_where_it_stopped() {
    let data = noisy_rows(4, 40, true);
    let traced = Request {
        keep_traces: true,
        ..request(2, 7)
    };
    let by_evidence = Request {
        ridge: Ridge::Evidence,
        ..request(2, 6)
    };
    let annealed = Request {
        anneal: true,
        ..request(2, 4)
    };
    let at_the_edge = Request {
        ridge: Ridge::Value(0.0),
        ..request(2, 5)
    };
    let by_messages = Request {
        engine: Some("bp".parse().unwrap()),
        ..request(1, 4)
    };
    for request in [
        request(2, 6),
        traced,
        by_evidence,
        annealed,
        at_the_edge,
        by_messages,
    ] {
        Interrupted::new(data.clone(), request.clone(), 3).assert_resumes(&request, 3);
    }
}

#[test]
fn an_interrupted_fit_by_samples_goes_on_where_it_stopped() {
    let data = noisy_rows(3, 20, true);
    let chains = Request {
        engine: Some(EngineId::GIBBS),
        learner: Some(Learner::EmGis(EmGis::default())),
        max_iterations: Some(6),
        ..request(1, 3)
    };
    let contrastive = Request {
        learner: Some(Learner::Pcd(Pcd::default())),
        max_iterations: Some(30),
        ..request(1, 3)
    };
    for request in [chains, contrastive] {
        Interrupted::new(data.clone(), request.clone(), 1).assert_resumes(&request, 1);
    }
}

/// All files beside a journal, and itself.
fn files_beside(path: &std::path::Path) -> Vec<String> {
    let entries = fs::read_dir(path.parent().unwrap()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Steps of EM before the second-order ones.
const WARM_UP: usize = 20;

/// Stops a fit of one restart after each of these numbers of steps, one after the other, and fails unless it then ends at
/// the bits of a fit that nobody stopped; `carried` is false of a learner whose restarts are learned again.
fn assert_goes_on(data: &Dataset, request: &Request, stops: &[usize], carried: bool) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("restarts.jsonl");
    let name = format!("{:?}", request.learner);
    let mut first = 0;
    // Where the finish begins, the last point of the warm-up is reported once more.
    let goes_on_at = |report: (u64, usize), first: usize| {
        let is_turn = report == (0, WARM_UP) && first == report.1 + 1;
        assert!(
            report == (0, first) || is_turn,
            "{name}: {report:?}, {first}"
        );
    };
    for &stop in stops {
        let (job, journal) = journal_of(data, request, &path);
        assert_eq!(journal.is_under_way("restart 0"), first > 0, "{name}");
        let watch = Watch::stopping_in(restarts, stop - first);
        let control = Control {
            journal: Some(&journal),
            ..watch.control()
        };
        assert!(matches!(job.fit(&control), Err(Error::Cancelled)), "{name}");
        let reports = watch.seen().reports;
        goes_on_at(reports[0], first);
        if carried {
            first = reports.last().unwrap().1 + 1;
        }
    }
    let (job, journal) = journal_of(data, request, &path);
    let watch = Watch::default();
    let control = Control {
        journal: Some(&journal),
        ..watch.control()
    };
    let found = job.fit(&control).unwrap();
    goes_on_at(watch.seen().reports[0], first);
    let whole = fit(data, request).unwrap();
    assert_same(&found, &whole, &name);
    let steps = |fit: &latentropy::Fit| (fit.chosen().iterations, fit.chosen().stop);
    assert_eq!(steps(&found), steps(&whole), "{name}");
    assert!(whole.chosen().iterations > *stops.last().unwrap(), "{name}");
    // The checkpoint goes with the end of the restart.
    assert_eq!(files_beside(&path), ["restarts.jsonl"]);
}

#[test]
fn a_restart_that_is_cut_off_goes_on_in_its_middle() {
    let data = noisy_rows(4, 40, true);
    let one = Request {
        keep_traces: true,
        ..request(2, 1)
    };
    let alone = |name: &str| Request {
        learner: Some(Learner::named(name).unwrap()),
        max_iterations: Some(60),
        ..one.clone()
    };
    // In the warm-up, where the finish begins, and in the finish.
    assert_goes_on(
        &data,
        &one,
        &[7, WARM_UP - 1, WARM_UP, WARM_UP + 1, WARM_UP + 2],
        true,
    );
    for name in ["em-is", "em-gis", "em-gradient", "sequential"] {
        assert_goes_on(&data, &alone(name), &[1, 2, 40], true);
    }
    assert_goes_on(&data, &alone("quasi-newton"), &[2, 4], true);
    // No Hessian: the memory of the steps before.
    let by_messages = Request {
        hidden: Some(1.into()),
        engine: Some("bp".parse().unwrap()),
        ..alone("quasi-newton")
    };
    assert_goes_on(&data, &by_messages, &[3, 8], true);
}

#[test]
fn a_restart_by_samples_that_is_cut_off_goes_on_in_its_middle() {
    let data = noisy_rows(4, 40, false);
    let alone = |name: &str| Request {
        learner: Some(Learner::named(name).unwrap()),
        max_iterations: Some(30),
        ..request(2, 1)
    };
    for name in ["cd", "pcd"] {
        assert_goes_on(&data, &alone(name), &[1, 4, 20], true);
        let traced = Request {
            keep_traces: true,
            ..alone(name)
        };
        assert_goes_on(&data, &traced, &[5], true);
    }
    let batch = Learner::named("pcd").unwrap().with(Setting::Batch, 7);
    let in_batches = Request {
        learner: Some(batch.unwrap()),
        structure: Structure::Named(TermOptions {
            shape: Shape::Rbm,
            ..TermOptions::default()
        }),
        ..alone("pcd")
    };
    assert_goes_on(&data, &in_batches, &[1, 4, 20], true);
    // Watched by rows that it does not learn from, log Z summed or sampled.
    for engine in [EngineId::EXACT, EngineId::GIBBS] {
        let watched = Request {
            engine: Some(engine),
            validation_rows: Some(ValidationRows::Fraction(0.25)),
            ..in_batches.clone()
        };
        assert_goes_on(&data, &watched, &[1, 4, 7], true);
    }
    for name in ["em-is", "em-gis", "quasi-newton"] {
        let by_chains = Request {
            engine: Some(EngineId::GIBBS),
            max_iterations: Some(6),
            ..alone(name)
        };
        assert_goes_on(&data, &by_chains, &[1, 4], true);
    }
}

#[test]
fn an_annealed_run_that_is_cut_off_is_learned_again() {
    let annealed = Request {
        anneal: true,
        ..request(2, 1)
    };
    assert_goes_on(&noisy_rows(4, 40, true), &annealed, &[9, 30], false);
}

/// Looks at what is on the disk while a restart goes on.
struct Disk {
    path: PathBuf,
    seen: Mutex<Vec<(usize, bool)>>,
}

impl Observer for Disk {
    fn progress(&self, progress: &Progress<'_>) {
        let is_there = files_beside(&self.path).len() == 2;
        let mut seen = self.seen.lock().unwrap();
        seen.push((progress.iterations, is_there));
    }
}

#[test]
fn checkpoints_are_kept_at_their_interval() {
    let (data, request) = (noisy_rows(4, 40, true), request(2, 1));
    for (interval, from) in [(Duration::ZERO, 1), (Duration::MAX, usize::MAX)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("restarts.jsonl");
        let (job, journal) = journal_of(&data, &request, &path);
        let disk = Disk {
            path: path.clone(),
            seen: Mutex::default(),
        };
        let control = Control {
            journal: Some(&journal),
            observer: &disk,
            checkpoint_interval: interval,
            ..Control::default()
        };
        job.fit(&control).unwrap();
        for (iterations, is_there) in disk.seen.into_inner().unwrap() {
            assert_eq!(is_there, iterations >= from, "{iterations}");
        }
        assert_eq!(files_beside(&path), ["restarts.jsonl"]);
    }
}

#[test]
fn a_damaged_checkpoint_is_learned_again_and_a_new_journal_has_none() {
    let (data, request) = (noisy_rows(4, 40, true), request(2, 1));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("restarts.jsonl");
    let stopped = || {
        let (job, journal) = journal_of(&data, &request, &path);
        let watch = Watch::stopping_in(restarts, 5);
        let control = Control {
            journal: Some(&journal),
            ..watch.control()
        };
        assert!(job.fit(&control).is_err());
    };
    stopped();
    let names = files_beside(&path);
    assert_eq!(
        names,
        ["restarts.jsonl", "restarts.jsonl.restart-0.checkpoint"]
    );
    let checkpoint = folder.path().join(&names[1]);
    let mut bytes = fs::read(&checkpoint).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&checkpoint, bytes).unwrap();
    let (job, journal) = journal_of(&data, &request, &path);
    let watch = Watch::default();
    let control = Control {
        journal: Some(&journal),
        ..watch.control()
    };
    let found = job.fit(&control).unwrap();
    assert_eq!(watch.seen().reports[0], (0, 0));
    assert_same(&found, &fit(&data, &request).unwrap(), "damaged");
    journal.remove();
    stopped();
    let journal = Journal::<Outcome>::create(&path, job.identity(false).unwrap()).unwrap();
    assert!(!journal.is_under_way("restart 0"));
    drop(journal);
    assert!(files_beside(&path).is_empty());
}

#[test]
fn an_interrupted_fit_may_go_on_with_more_restarts() {
    let stopped = Interrupted::new(noisy_rows(4, 30, false), request(1, 4), 2);
    stopped.assert_resumes(&request(1, 9), 2);
}

#[test]
fn a_fit_that_is_stopped_before_its_first_step_leaves_no_journal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("restarts.jsonl");
    let (data, request) = endless();
    let (job, journal) = journal_of(&data, &request, &path);
    let watch = Watch::default();
    watch.cancel.cancel();
    let control = Control {
        journal: Some(&journal),
        ..watch.control()
    };
    assert!(job.fit(&control).is_err());
    drop(journal);
    assert!(!path.exists());
}

#[test]
fn a_journal_of_another_fit_is_refused() {
    let data = noisy_rows(4, 30, false);
    let own = request(1, 5);
    let stopped = Interrupted::new(data.clone(), own.clone(), 2);
    let said = stopped.refusal(
        &data,
        &Request {
            seed: 5,
            ..own.clone()
        },
    );
    assert!(
        said.contains("belongs to a run with seed 4, not 5"),
        "{said}"
    );
    assert!(said.ends_with("start anew"), "{said}");
    let others = [
        Request {
            ridge: Ridge::Value(0.6),
            ..own.clone()
        },
        Request {
            bound: 14.0,
            ..own.clone()
        },
        Request {
            tolerance: Some(1e-7),
            ..own.clone()
        },
        Request {
            max_iterations: Some(100),
            ..own.clone()
        },
        Request {
            learner: Some(Learner::default()),
            ..own.clone()
        },
        Request {
            engine: Some("junction-tree".parse().unwrap()),
            ..own.clone()
        },
        Request {
            keep_traces: true,
            ..own.clone()
        },
        Request {
            hidden: Some(2.into()),
            ..own.clone()
        },
    ];
    let mut refusals: Vec<String> = others
        .iter()
        .map(|other| stopped.refusal(&data, other))
        .collect();
    refusals.push(stopped.refusal(&noisy_rows(4, 31, false), &own));
    let weighted = data.clone().with_row_weights(vec![2.0; 30]).unwrap();
    refusals.push(stopped.refusal(&weighted, &own));
    for said in refusals {
        assert!(
            said.contains("belongs to a run with other data, machine or settings"),
            "{said}"
        );
    }
    // The principle chooses among restarts, and changes none of them.
    let select = latentropy::Principle::MaximumLikelihood.into();
    stopped.assert_resumes(&Request { select, ..own }, 2);
}

#[test]
fn a_last_line_that_was_cut_short_is_left_out() {
    let stopped = Interrupted::new(noisy_rows(4, 30, true), request(2, 6), 3);
    let whole = fs::read(&stopped.path).unwrap();
    // Without its end of line alone a line is whole: its checksum says so.
    for (cut, known) in [(1, 3), (2, 2), (100, 2)] {
        fs::write(&stopped.path, &whole[..whole.len() - cut]).unwrap();
        stopped.assert_resumes(&stopped.request, known);
    }
}

#[test]
fn a_damaged_line_is_named_and_costs_itself_alone() {
    let stopped = Interrupted::new(noisy_rows(4, 30, true), request(2, 6), 4);
    let lines = stopped.lines();
    assert_eq!(lines.len(), 5);
    for at in 1..5 {
        let mut damaged = lines.clone();
        let half = damaged[at].len() / 2;
        damaged[at].truncate(half);
        stopped.write(&damaged);
        let (job, journal) = journal_of(&stopped.data, &stopped.request, &stopped.path);
        let place = format!("line {} is damaged", at + 1);
        assert!(
            journal.damaged()[0].starts_with(&place),
            "{:?}",
            journal.damaged()
        );
        assert_eq!(journal.all_known().len(), 3);
        let control = Control {
            journal: Some(&journal),
            ..Control::default()
        };
        let found = job.fit(&control).unwrap();
        let whole = fit(&stopped.data, &stopped.request).unwrap();
        assert_same(&found, &whole, "after damage");
    }
    for head in ["", "{}", "[1, 2]", "not a journal"] {
        let mut damaged = lines.clone();
        damaged[0] = head.to_string();
        stopped.write(&damaged);
        let said = stopped.refusal(&stopped.data, &stopped.request);
        assert!(said.contains("not a journal of this version"), "{said}");
    }
    fs::write(&stopped.path, "").unwrap();
    assert!(
        stopped
            .refusal(&stopped.data, &stopped.request)
            .contains("not a journal")
    );
}
