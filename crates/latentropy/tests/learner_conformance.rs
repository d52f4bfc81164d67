//! One suite for all learners, each through every engine that it goes with: where converging learners end, what never
//! falls on the way, how near samples come, and what is refused.
//!
//! Every learner of the registry is asked, one that is new there too; [`forms`] adds special forms.

use latentropy::inference::Kind;
use latentropy::internals::mutual_information;
use latentropy::learning::{
    Course, EmGradient, Finish, Learner, Need, Objective, OptionValue, Outcome, Pcd, Problem,
    Sequential, SequentialRule, Step, StopReason, learn, learn_traced, random_start,
};
use latentropy::{Dataset, EngineId, Error, Network, Sampling, Setting, score};
use std::collections::HashSet;

/// All learners with their usual options, and some with others.
fn forms() -> Vec<Learner> {
    let mut forms = Learner::all();
    forms.push(Learner::EmGradient(EmGradient {
        step: Step::Fixed(0.5),
        ..EmGradient::default()
    }));
    forms.push(Learner::Sequential(Sequential {
        rule: SequentialRule::Collins,
        inner: 1,
    }));
    forms.push(Learner::Pcd(Pcd {
        batch: Some(10),
        // Few rows: longer steps than those for many.
        cd_rate: Some(0.5),
        cd_decay: Some(50.0),
        ..Pcd::default()
    }));
    forms
}

/// One hidden cause of four columns: a tree, on which messages are exact.
fn star() -> Network {
    Network::rbm(4, 1)
}

/// Four columns in a ring, none hidden: one loop, on which engines differ.
fn ring() -> Network {
    let names = ["y1", "y2", "y3", "y4"];
    let biases = names.iter().map(|&name| vec![name]);
    let pairs = (0..4).map(|at| vec![names[at], names[(at + 1) % 4]]);
    let terms: Vec<Vec<&str>> = biases.chain(pairs).collect();
    let terms: Vec<(&[&str], f64)> = terms.iter().map(|units| (&units[..], 0.0)).collect();
    Network::from_terms(&names, &[], &terms).unwrap()
}

/// Rows of a cause that is copied with errors, and one column that has little to do with it.
fn rows() -> Dataset {
    let mut state = 2003u32;
    let mut chance = |percent: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % 100 < percent
    };
    let rows: Vec<Vec<i8>> = (0..80)
        .map(|_| {
            let cause = chance(40);
            let copy = |flipped: bool| i8::from(cause != flipped);
            vec![
                copy(chance(15)),
                copy(chance(20)),
                copy(chance(15)),
                i8::from(chance(if cause { 60 } else { 45 })),
            ]
        })
        .collect();
    Dataset::from_rows(&rows).unwrap()
}

/// A weak ridge where a hidden unit has to find its place; a strong one where engines differ, so that weights stay where
/// all of them are of use.
fn posed(structure: &Network, learner: &Learner, engine: EngineId) -> Problem {
    let has_hidden = !structure.hidden().is_empty();
    let ridge = if has_hidden { 0.2 } else { 10.0 };
    let objective = Objective {
        bias_ridge: ridge,
        ..Objective::with_ridge(ridge)
    };
    let strata = learner.need() == Need::Strata;
    Problem::new(structure, &rows(), objective, engine, strata).unwrap()
}

/// Half of a usual random start.
fn start(problem: &Problem) -> Vec<f64> {
    let start = random_start(problem, 1, 0);
    start.into_iter().map(|weight| 0.5 * weight).collect()
}

/// The mean log-likelihood under learned weights, exact.
fn exactly(structure: &Network, outcome: &Outcome) -> f64 {
    let network = structure.with_weights(outcome.point.weights.clone());
    let exact = Some(EngineId::EXACT);
    let scores = score(&network.unwrap(), &rows(), exact, &Sampling::default());
    scores.unwrap().mean.value
}

/// What second-order steps find from here with exact sums.
fn solution(structure: &Network) -> Outcome {
    let learner = Learner::named("quasi-newton").unwrap();
    let problem = posed(structure, &learner, EngineId::EXACT);
    learn(&problem, start(&problem), &Course::new(learner)).unwrap()
}

/// The engines with an objective that go with a learner; em-is climbs none with those that estimate.
fn engines_of(learner: &Learner) -> Vec<EngineId> {
    let engines = EngineId::all().filter(|engine| engine.gives().objective);
    let climbs = |engine: &EngineId| learner.name() != "em-is" || engine.gives().curvature;
    engines
        .filter(|engine| learner.goes_with(*engine))
        .filter(climbs)
        .collect()
}

/// The learner alone to a solution, and the same finished by second-order steps; returns the way of the former.
fn solved(structure: &Network, learner: &Learner, engine: EngineId) -> Outcome {
    let at = format!("{learner:?} with {engine}");
    let problem = posed(structure, learner, engine);
    let course = Course {
        tolerance: 1e-6,
        ..Course::new(learner.clone())
    };
    let alone = learn_traced(&problem, start(&problem), &course).unwrap();
    assert_eq!(alone.stop, StopReason::Converged, "{at}");
    assert!(
        alone.point.residual <= 1e-6,
        "{at}: {}",
        alone.point.residual
    );
    assert_eq!(alone.trace.len(), alone.iterations + 1, "{at}");
    assert!(alone.iterations > 1 && alone.passes > 0, "{at}");
    let finished = Course {
        finish: Some(Finish::default()),
        ..Course::new(learner.clone())
    };
    let finished = learn(&problem, start(&problem), &finished).unwrap();
    assert_eq!(finished.stop, StopReason::Converged, "{at}, finished");
    assert!(finished.point.residual <= 1e-8, "{at}, finished");
    assert!(finished.trace.is_empty(), "nobody asked for the way");
    // The objective is flat to the second order where both ended.
    let gap = finished.point.objective - alone.point.objective;
    assert!(gap.abs() < 1e-4, "{at}: {gap}");
    alone
}

/// How much the objective falls in the worst step.
fn largest_fall(outcome: &Outcome) -> f64 {
    let falls = outcome.trace.windows(2);
    falls
        .map(|pair| pair[0].objective - pair[1].objective)
        .fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn with_hidden_units_converging_learners_climb_to_a_solution() {
    let structure = star();
    let best = solution(&structure).point;
    let learned = structure.with_weights(best.weights.clone()).unwrap();
    let information = mutual_information(&learned).unwrap().unwrap();
    assert!(information > 0.2, "the hidden unit says {information} nats");
    let mut engines = HashSet::new();
    for learner in forms().into_iter().filter(Learner::converges) {
        for engine in engines_of(&learner) {
            // A tree, on which messages are exact. Where log Z is an estimate only, and hidden units let the likelihood
            // follow its errors, the objective has no solution worth the name: those engines have the ring.
            let problem = posed(&structure, &learner, engine);
            let look = Course {
                max_iterations: 1,
                ..Course::new(learner.clone())
            };
            let Ok(look) = learn(&problem, start(&problem), &look) else {
                // An estimate of log Z that cannot be is refused.
                continue;
            };
            if look.point.worth.log_likelihood != Kind::Exact {
                continue;
            }
            engines.insert(engine.name());
            let at = format!("{learner:?} with {engine}");
            let outcome = solved(&structure, &learner, engine);
            let fall = largest_fall(&outcome);
            assert!(fall <= 1e-12, "{at}: falls by {fall}");
            let gap = outcome.point.log_likelihood - exactly(&structure, &outcome);
            assert!(gap.abs() < 1e-10, "{at}: {gap}");
            let gap = outcome.point.objective - best.objective;
            assert!(gap.abs() < 1e-4, "{at}: {gap}");
        }
    }
    for engine in ["exact", "junction-tree", "bp", "trw", "gbp"] {
        assert!(engines.contains(engine), "{engine}");
    }
}

#[test]
fn converging_learners_reach_stationarity_through_every_engine_with_an_objective() {
    let structure = ring();
    let best = solution(&structure).point.log_likelihood;
    let mut engines = HashSet::new();
    for learner in forms().into_iter().filter(Learner::converges) {
        for engine in engines_of(&learner) {
            engines.insert(engine.name());
            let at = format!("{learner:?} with {engine}");
            let outcome = solved(&structure, &learner, engine);
            let point = &outcome.point;
            let truth = exactly(&structure, &outcome);
            match point.worth.log_likelihood {
                Kind::Exact => {
                    let fall = largest_fall(&outcome);
                    assert!(fall <= 1e-12, "{at}: falls by {fall}");
                    assert!((point.log_likelihood - truth).abs() < 1e-10, "{at}");
                    assert!((best - truth).abs() < 1e-4, "{at}: {truth} of {best}");
                }
                Kind::LowerBound => assert!(point.log_likelihood <= truth + 1e-12, "{at}"),
                Kind::UpperBound => assert!(point.log_likelihood >= truth - 1e-12, "{at}"),
                Kind::Estimate => {}
                Kind::MonteCarlo => panic!("{at} samples"),
            }
            // Nothing is learned so badly that the engine would be of no use.
            assert!(best - truth < 0.1, "{at}: {truth} of {best}");
        }
    }
    let all = EngineId::all().filter(|engine| engine.gives().objective);
    assert_eq!(engines, all.map(EngineId::name).collect());
}

#[test]
fn learners_by_samples_come_near_whatever_evaluates_them() {
    for structure in [star(), ring()] {
        let best = solution(&structure).point.objective;
        for learner in forms().iter().filter(|learner| !learner.converges()) {
            let is_in_batches = matches!(learner, Learner::Pcd(Pcd { batch: Some(_), .. }));
            if is_in_batches && structure.hidden().is_empty() {
                continue;
            }
            let mut weights: Option<Vec<f64>> = None;
            for engine in EngineId::all() {
                assert!(learner.goes_with(engine));
                let at = format!("{learner:?} with {engine}");
                let problem = posed(&structure, learner, engine);
                let course = Course::new(learner.clone());
                let outcome = match learn(&problem, start(&problem), &course) {
                    Ok(outcome) => outcome,
                    // An estimate of log Z that cannot be is refused.
                    Err(error) => {
                        assert!(error.to_string().contains("cannot be"), "{at}: {error}");
                        continue;
                    }
                };
                // Engines only evaluate: the samples are the same.
                let others = weights.get_or_insert_with(|| outcome.point.weights.clone());
                assert_eq!(*others, outcome.point.weights, "{at}");
                assert_eq!(outcome.iterations, course.max_iterations, "{at}");
                let truth = exactly(&structure, &outcome);
                match outcome.point.worth.log_likelihood {
                    Kind::Exact => {
                        let residual = outcome.point.residual;
                        assert!(residual < 0.05, "{at}: {residual}");
                        let gap = best - outcome.point.objective;
                        assert!(gap.abs() < 0.03, "{at}: {gap}");
                    }
                    Kind::MonteCarlo => {
                        let error = outcome.point.worth.log_likelihood_error.unwrap();
                        let off = outcome.point.log_likelihood - truth;
                        assert!(off.abs() <= 6.0 * error, "{at}: {off} ± {error}");
                    }
                    _ => {}
                }
            }
        }
    }
}

#[test]
fn by_samples_of_the_engine_converging_learners_end_within_the_noise() {
    let sampled = || EngineId::all().filter(|engine| !engine.gives().objective);
    let structure = ring();
    let best = solution(&structure).point.log_likelihood;
    let mut learners = HashSet::new();
    for engine in sampled() {
        for learner in forms().into_iter().filter(Learner::converges) {
            if !learner.goes_with(engine) {
                continue;
            }
            learners.insert(learner.name());
            let at = format!("{learner:?} with {engine}");
            let problem = posed(&structure, &learner, engine);
            let course = Course {
                max_iterations: 1000,
                ..Course::new(learner)
            };
            let outcome = learn(&problem, start(&problem), &course).unwrap();
            let point = &outcome.point;
            assert_eq!(outcome.stop, StopReason::Converged, "{at}");
            assert!(point.is_stationary(course.tolerance), "{at}");
            assert!(point.worth.noise > 0.0 && point.worth.noise < 0.02, "{at}");
            let truth = exactly(&structure, &outcome);
            // Weights are within 0.1 of their standard errors; under a ridge the likelihood changes with them in the first order.
            assert!((best - truth).abs() < 6e-3, "{at}: {truth} of {best}");
        }
    }
    for learner in ["em-is", "em-gis", "em-gradient"] {
        assert!(learners.contains(learner), "{learner}");
    }
}

#[test]
fn pairs_that_do_not_go_together_are_refused_by_both_names() {
    let mut refused = 0;
    for learner in forms() {
        for engine in EngineId::all() {
            let course = Course::new(learner.clone());
            let found = course.clone().checked(engine);
            if learner.goes_with(engine) {
                assert_eq!(found.unwrap(), course);
                continue;
            }
            refused += 1;
            let error = found.unwrap_err();
            assert!(matches!(error, Error::Invalid(_)), "{error:?}");
            let text = error.to_string();
            let names = [learner.name(), engine.name(), learner.need().words()];
            assert!(names.iter().all(|name| text.contains(name)), "{text}");
            // What goes with the engine instead, every one of them.
            let (_, remedy) = text.split_once("; use ").unwrap();
            for other in Learner::all() {
                let named = remedy.split([' ', ',']).any(|word| word == other.name());
                assert_eq!(named, other.goes_with(engine), "{text}");
            }
            let problem = posed(&ring(), &learner, engine);
            let error = learn(&problem, start(&problem), &course).unwrap_err();
            assert!(matches!(error, Error::Invalid(_)), "{error:?}");
        }
    }
    assert!(refused >= 14, "{refused}");
}

#[test]
fn courses_follow_the_same_table() {
    for learner in forms() {
        for engine in EngineId::all().filter(|engine| learner.goes_with(*engine)) {
            let annealed = Course {
                anneal: true,
                ..Course::new(learner.clone())
            };
            let may_anneal = learner.converges() && engine.gives().exact_sums;
            let found = annealed.checked(engine);
            assert_eq!(found.is_ok(), may_anneal, "{learner:?} with {engine}");
            if let Err(error) = found {
                assert!(error.to_string().contains("anneal"), "{error}");
            }
        }
        for engine in EngineId::all().filter(|engine| learner.goes_with(*engine)) {
            let finished = Course {
                finish: Some(Finish::default()),
                ..Course::new(learner.clone())
            };
            let may_finish = learner.converges() && engine.gives().objective;
            let found = finished.checked(engine);
            assert_eq!(found.is_ok(), may_finish, "{learner:?} with {engine}");
            if let Err(error) = found {
                let text = error.to_string();
                let names = [learner.name(), engine.name()];
                assert!(names.iter().any(|name| text.contains(name)), "{text}");
            }
        }
    }
}

#[test]
fn learners_can_be_told_apart_and_described() {
    let mut names = HashSet::new();
    for learner in Learner::all() {
        assert!(names.insert(learner.name()), "{learner:?} is listed twice");
        assert_eq!(Learner::named(learner.name()).unwrap(), learner);
        assert!(!learner.about().is_empty() && learner.usual_iterations() > 0);
        assert!(Course::new(learner).checked(EngineId::EXACT).is_ok());
    }
    let error = Learner::named("oracle").unwrap_err().to_string();
    assert!(names.iter().all(|name| error.contains(name)), "{error}");
}

/// Values of every kind; some are right for any option.
fn values() -> [OptionValue; 6] {
    [
        OptionValue::Count(3),
        OptionValue::Number(0.25),
        OptionValue::Word("controlled".into()),
        OptionValue::Word("collins".into()),
        OptionValue::Count(0),
        OptionValue::Word("nonsense".into()),
    ]
}

/// The options of the learners that are known here.
fn options_of(name: &str) -> Option<&'static [Setting]> {
    use Setting::{Batch, CdDecay, CdRate, CdSteps, Chains, Inner, Rule, Step, Within};
    Some(match name {
        "em-is" | "em-gis" => &[Inner, Chains],
        "em-gradient" => &[Inner, Chains, Step],
        "sequential" => &[Inner, Rule],
        "quasi-newton" => &[Within],
        "cd" => &[CdSteps, Chains, CdRate, CdDecay],
        "pcd" => &[CdSteps, Chains, CdRate, CdDecay, Batch],
        _ => return None,
    })
}

#[test]
fn options_are_those_of_the_learner_and_others_are_refused() {
    for usual in Learner::all() {
        let name = usual.name();
        for &option in Setting::ALL {
            let mut has = false;
            for value in values() {
                let mut learner = usual.clone();
                match learner.set(option, value.clone()) {
                    Ok(()) => {
                        has = true;
                        let shown = learner.options();
                        let shown = shown.iter().find(|(other, _)| *other == option);
                        let shown = shown.map(|(_, shown)| shown.to_string());
                        assert_eq!(shown, Some(value.to_string()), "{name} {option:?}");
                        let course = Course::new(learner);
                        let sampled = [Setting::Chains, Setting::Within].contains(&option);
                        let engine = if sampled && course.learner.need() != Need::Evaluation {
                            EngineId::GIBBS
                        } else {
                            EngineId::EXACT
                        };
                        if course.learner.goes_with(engine) {
                            assert!(course.checked(engine).is_ok(), "{name} {option:?} {value}");
                        }
                    }
                    Err(error) => {
                        assert_eq!(learner, usual, "{name} {option:?}: refused, and changed");
                        assert!(matches!(error, Error::Invalid(_)), "{error:?}");
                        let text = error.to_string();
                        assert!(text.contains(option.plain_name()), "{text}");
                    }
                }
            }
            if let Some(options) = options_of(name) {
                assert_eq!(has, options.contains(&option), "{name} {option:?}");
            }
            if !has {
                let refused = usual.clone().set(option, OptionValue::Count(3));
                let text = refused.unwrap_err().to_string();
                assert!(text.contains(name), "{text}");
            }
        }
        // What records show can be set again.
        let mut again = usual.clone();
        for (option, value) in usual.options() {
            again.set(option, value).unwrap();
        }
        assert_eq!(again.options(), usual.options(), "{name}");
    }
}

#[test]
fn chains_are_refused_where_the_engine_has_none() {
    for usual in Learner::all().into_iter().filter(Learner::converges) {
        let mut learner = usual.clone();
        if learner
            .set(Setting::Chains, OptionValue::Count(64))
            .is_err()
        {
            continue;
        }
        for engine in EngineId::all().filter(|engine| learner.goes_with(*engine)) {
            let found = Course::new(learner.clone()).checked(engine);
            assert_eq!(found.is_ok(), engine.gives().chains, "{learner:?} {engine}");
        }
    }
}
