//! Learning through engines that are not exact sums: the same solutions where they are exact, honest kinds where not.

use latentropy::data::{Cell, Dataset};
use latentropy::fit::{Hidden, Ridge, Structure};
use latentropy::inference::{Demand, Kind, Sums};
use latentropy::internals::learn_restart;
use latentropy::learning::{
    Course, EmGis, EmGradient, EmIs, Finish, Learner, Need, Objective, OptionValue, Outcome, Pcd,
    Problem, QuasiNewton, Sequential, Step, learn,
};
use latentropy::network::{Clamp, Network, Shape, Term, TermOptions, Unit};
use latentropy::{EngineId, Error, Request, Sampling, Setting, fit, infer, score};

/// `visible` and `hidden` units with biases and the given pairs, without weights.
fn machine(visible: usize, hidden: usize, pairs: &[(usize, usize)]) -> Network {
    let mut units: Vec<Unit> = (1..=visible)
        .map(|u| Unit::visible(format!("y{u}")))
        .collect();
    units.extend((1..=hidden).map(|u| Unit::hidden(format!("z{u}"))));
    let mut terms: Vec<Term> = (0..units.len()).map(|u| Term::new(vec![u])).collect();
    terms.extend(pairs.iter().map(|&(a, b)| Term::new(vec![a, b])));
    Network::new(units, terms.into_iter().map(|term| (term, 0.0))).unwrap()
}

fn all_pairs(units: usize) -> Vec<(usize, usize)> {
    (0..units)
        .flat_map(|a| (a + 1..units).map(move |b| (a, b)))
        .collect()
}

fn restricted(visible: usize, hidden: usize) -> Network {
    let pairs = (0..visible).flat_map(|v| (0..hidden).map(move |h| (v, visible + h)));
    machine(visible, hidden, &pairs.collect::<Vec<_>>())
}

/// Rows in which neighbours go together, all different from each other in how much.
fn rows(columns: usize, count: u32) -> Dataset {
    let cells = (0..count).map(|row| {
        let mut state = row.wrapping_mul(2_654_435_761).rotate_left(7) ^ 0x9e37_79b9;
        let mut last = false;
        (0..columns)
            .map(|column| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let uniform = f64::from(state >> 8) / f64::from(1u32 << 24);
                let likely = if last {
                    0.75
                } else {
                    0.25 + 0.02 * column as f64
                };
                last = uniform < likely;
                if last { Cell::One } else { Cell::Zero }
            })
            .collect::<Vec<_>>()
    });
    let names = (1..=columns).map(|c| format!("y{c}")).collect();
    Dataset::from_cells(names, true, cells).unwrap()
}

/// Two causes, each copied three times with one error in ten.
fn causes(count: u32) -> Dataset {
    let mut state = 12_345u32;
    let mut uniform = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1u32 << 24)
    };
    let cells: Vec<Vec<Cell>> = (0..count)
        .map(|_| {
            let causes = [uniform() < 0.4, uniform() < 0.6];
            let cell = |column: usize| match causes[column / 3] != (uniform() < 0.1) {
                true => Cell::One,
                false => Cell::Zero,
            };
            (0..6).map(cell).collect()
        })
        .collect();
    let names = (1..=6).map(|c| format!("y{c}")).collect();
    Dataset::from_cells(names, true, cells).unwrap()
}

/// The problem of a machine under an engine, with a ridge of one.
fn posed(structure: &Network, data: &Dataset, engine: EngineId, learner: &Learner) -> Problem {
    let objective = Objective {
        ridge: 1.0,
        ..Objective::default()
    };
    let strata = learner.need() == Need::Strata;
    Problem::new(structure, data, objective, engine, strata).unwrap()
}

/// The better of two restarts, by its objective.
fn learned(structure: &Network, data: &Dataset, engine: EngineId, learner: Learner) -> Outcome {
    let problem = posed(structure, data, engine, &learner);
    let course = Course {
        finish: (learner.name() == "quasi-newton").then(Finish::default),
        tolerance: 1e-7,
        max_iterations: 100_000,
        ..Course::new(learner)
    };
    let course = course.checked(engine).unwrap();
    let restarts = (0..2).map(|index| learn_restart(&problem, &course, 1, index, false).unwrap());
    let better = |a: Outcome, b: Outcome| match a.point.objective >= b.point.objective {
        true => a,
        false => b,
    };
    restarts.reduce(better).unwrap()
}

fn quasi_newton() -> Learner {
    Learner::QuasiNewton(QuasiNewton::default())
}

fn engine(name: &str) -> EngineId {
    name.parse().unwrap()
}

/// The mean score of the data under learned weights, exact.
fn truth(structure: &Network, data: &Dataset, outcome: &Outcome) -> f64 {
    let network = structure
        .with_weights(outcome.point.weights.clone())
        .unwrap();
    let exactly = Some(EngineId::EXACT);
    let scores = score(&network, data, exactly, &Sampling::default()).unwrap();
    scores.mean.value
}

fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
    for (at, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x - y).abs() <= tolerance, "entry {at}: {x} against {y}");
    }
}

#[test]
fn on_a_chain_belief_propagation_learns_the_exact_fit() {
    let chain = machine(5, 0, &[(0, 1), (1, 2), (2, 3), (3, 4)]);
    let data = rows(5, 60);
    let exact = learned(&chain, &data, EngineId::EXACT, quasi_newton()).point;
    for engine in ["bp", "trw", "junction-tree", "gbp"].map(engine) {
        let learners = [
            quasi_newton(),
            Learner::EmGis(EmGis::default()),
            Learner::EmGradient(EmGradient::default()),
        ];
        for learner in learners {
            let name = learner.name();
            let found = learned(&chain, &data, engine, learner).point;
            assert!(
                found.is_stationary(1e-7),
                "{engine} {name}: {}",
                found.residual
            );
            assert_eq!(found.worth.log_likelihood, Kind::Exact, "{engine}");
            assert_eq!(found.worth.entropy, Kind::Exact, "{engine}");
            assert_close(&found.weights, &exact.weights, 1e-4);
            assert!((found.log_likelihood - exact.log_likelihood).abs() < 1e-5);
            assert!((found.entropy - exact.entropy).abs() < 1e-5);
        }
    }
}

#[test]
fn hidden_units_are_learned_through_an_engine_too() {
    // One hidden cause of everything is a tree.
    let star = restricted(5, 1);
    let data = rows(5, 60);
    let exact = learned(&star, &data, EngineId::EXACT, quasi_newton()).point;
    let found = learned(&star, &data, engine("bp"), quasi_newton()).point;
    assert_eq!(found.worth.log_likelihood, Kind::Exact);
    let gap = exact.log_likelihood - found.log_likelihood;
    assert!(gap.abs() < 1e-6, "{gap}");
}

#[test]
fn bounds_and_estimates_are_called_what_they_are() {
    let dense = machine(6, 0, &all_pairs(6));
    let data = rows(6, 80);
    let kinds = [
        ("trw", Kind::LowerBound),
        ("mean-field", Kind::UpperBound),
        ("bp", Kind::Estimate),
        ("tap", Kind::Estimate),
        ("junction-tree", Kind::Exact),
    ];
    for (name, kind) in kinds {
        let outcome = learned(&dense, &data, engine(name), quasi_newton());
        let truth = truth(&dense, &data, &outcome);
        let found = outcome.point;
        assert_eq!(found.worth.log_likelihood, kind, "{name}");
        match kind {
            Kind::LowerBound => assert!(found.log_likelihood <= truth + 1e-12, "{name}"),
            Kind::UpperBound => assert!(found.log_likelihood >= truth - 1e-12, "{name}"),
            Kind::Exact => assert!((found.log_likelihood - truth).abs() < 1e-9),
            _ => {}
        }
    }
}

#[test]
fn gradients_of_engines_are_those_of_their_own_log_partition_function() {
    let units = 6;
    let count = units + all_pairs(units).len();
    let weights: Vec<f64> = (0..count)
        .map(|i| 0.6 * (1.7 * i as f64 + 0.3).sin())
        .collect();
    let network = machine(units, 0, &all_pairs(units));
    let none = Clamp::none(units);
    for engine in EngineId::all().filter(|engine| engine.gives().objective) {
        let prepared = engine.engine();
        let prepared = prepared.prepare(&network, &none, &Demand::default());
        let prepared = prepared.unwrap();
        let at = |weights: &[f64]| {
            let mut sums = Sums::default();
            prepared.sums(weights, &mut sums).unwrap();
            sums
        };
        let slopes = at(&weights).terms;
        let step = 1e-4;
        for term in 0..count {
            let moved = |by: f64| {
                let mut moved = weights.clone();
                moved[term] += by;
                at(&moved).log_partition
            };
            let difference = (moved(step) - moved(-step)) / (2.0 * step);
            let error = (difference - slopes[term]).abs();
            assert!(
                error < 1e-6,
                "{engine}, term {term}: {difference} against {}",
                slopes[term]
            );
        }
    }
}

#[test]
fn shared_evaluations_make_the_steps_of_sums_by_f() {
    let data = causes(80);
    // The junction tree has no sums by f#.
    let small = machine(6, 2, &all_pairs(8));
    let learner = || Learner::EmIs(EmIs::default());
    let steps = |engine: EngineId, start: Vec<f64>, max_iterations: usize| {
        let problem = posed(&small, &data, engine, &learner());
        let course = Course {
            max_iterations,
            ..Course::new(learner())
        };
        learn(&problem, start, &course).unwrap().point
    };
    // The first steps are cut short at other lengths.
    let start: Vec<f64> = (0..36).map(|i| 0.4 * (1.3 * i as f64).sin()).collect();
    let near = steps(EngineId::EXACT, start, 40).weights;
    let by_strata = steps(EngineId::EXACT, near.clone(), 10);
    let shared = steps(EngineId::JUNCTION_TREE, near, 10);
    assert_close(&shared.weights, &by_strata.weights, 1e-8);
    assert!((shared.log_likelihood - by_strata.log_likelihood).abs() < 1e-9);
}

#[test]
fn em_is_learns_through_engines_that_estimate() {
    let (dense, data) = (machine(6, 2, &all_pairs(8)), causes(200));
    let exact = learned(&dense, &data, EngineId::EXACT, quasi_newton());
    let best = truth(&dense, &data, &exact);
    for name in ["mean-field", "bp", "gbp", "gibbs"] {
        let learner = Learner::EmIs(EmIs::default());
        let problem = posed(&dense, &data, engine(name), &learner);
        let course = Course {
            max_iterations: 2_000,
            tolerance: 1e-6,
            ..Course::new(learner)
        };
        let course = course.checked(engine(name)).unwrap();
        let restarts =
            (0..2).map(|index| learn_restart(&problem, &course, 1, index, false).unwrap());
        let lost = restarts.map(|found| {
            assert_eq!(found.point.worth.log_likelihood, Kind::MonteCarlo, "{name}");
            assert!(found.point.log_likelihood < 0.0, "{name}");
            best - truth(&dense, &data, &found)
        });
        let lost = lost.fold(f64::INFINITY, f64::min);
        assert!(lost < 0.03, "{name} lost {lost}");
    }
}

#[test]
fn learners_that_an_engine_cannot_serve_are_refused() {
    let refusals = [
        (
            "trw",
            Learner::Sequential(Sequential::default()),
            "quasi-newton",
        ),
        // The controlled step compares objectives; a fixed one would do.
        ("gibbs", Learner::EmGradient(EmGradient::default()), "pcd"),
    ];
    for (name, learner, remedy) in refusals {
        let error = Course::new(learner).checked(engine(name)).unwrap_err();
        assert!(matches!(error, Error::Invalid(_)), "{error:?}");
        let text = error.to_string();
        let remedies = text.split("use ").last().unwrap();
        assert!(remedies.contains(remedy), "{text}");
    }
    let fixed = EmGradient {
        step: Step::Fixed(1.0),
        ..EmGradient::default()
    };
    let fixed = Course::new(Learner::EmGradient(fixed));
    assert!(fixed.checked(EngineId::GIBBS).is_ok());
    let mut gis = Learner::EmGis(EmGis::default());
    let refused = gis.set(Setting::Batch, OptionValue::Count(10)).unwrap_err();
    assert!(refused.to_string().contains("pcd"), "{refused}");
    // Mini-batches are for machines without pairs of hidden units only.
    let request = Request {
        learner: Some(Learner::Pcd(Pcd {
            batch: Some(10),
            ..Pcd::default()
        })),
        ridge: Ridge::Value(0.0),
        restarts: Some(1),
        ..Request::with_hidden(2)
    };
    let refused = fit(&rows(4, 20), &request).unwrap_err();
    assert!(matches!(refused, Error::Invalid(_)), "{refused:?}");
    assert!(refused.to_string().contains("shape rbm"), "{refused}");
    // And of whole rows: a pass takes each as often as it weighs.
    let restricted = Request {
        structure: Structure::Named(TermOptions {
            shape: Shape::Rbm,
            ..TermOptions::default()
        }),
        hidden: Some(Hidden::One(1)),
        max_iterations: Some(2),
        ..request
    };
    let weighing = |weight: f64| rows(4, 20).with_row_weights(vec![weight; 20]).unwrap();
    let refused = fit(&weighing(0.3), &restricted).unwrap_err();
    assert!(
        refused.to_string().contains("weigh a fraction"),
        "{refused}"
    );
    let gap = |cell: i8| Dataset::from_rows(&[[0, 1, 1], [1, cell, 0], [1, 0, 1]]).unwrap();
    let refused = fit(&gap(-1), &restricted).unwrap_err();
    assert!(
        refused.to_string().contains("cells are missing"),
        "{refused}"
    );
    for data in [weighing(2.0), gap(1)] {
        assert!(fit(&data, &restricted).is_ok());
    }
}

fn in_batches(structure: &Network, data: &Dataset, engine: EngineId, seed: u64) -> Outcome {
    let learner = Learner::Pcd(Pcd {
        batch: Some(10),
        chains: 40,
        cd_rate: Some(0.3),
        cd_decay: Some(30.0),
        ..Pcd::default()
    });
    let problem = posed(structure, data, engine, &learner);
    let course = Course {
        max_iterations: 600,
        ..Course::new(learner)
    };
    let course = course.checked(engine).unwrap();
    learn_restart(&problem, &course, seed, 0, false).unwrap()
}

#[test]
fn mini_batches_come_near_the_exact_fit() {
    let (machine, data) = (restricted(6, 2), causes(300));
    let exact = learned(&machine, &data, EngineId::EXACT, quasi_newton()).point;
    let found = in_batches(&machine, &data, EngineId::EXACT, 3).point;
    // The ridge is the same, and so are the solutions; the noise of the last steps is what is left.
    let gap = exact.log_likelihood - found.log_likelihood;
    assert!(gap.abs() < 0.05, "{gap}");
    assert!(found.residual < 0.1, "{}", found.residual);
    let again = in_batches(&machine, &data, EngineId::EXACT, 3).point;
    assert_eq!(found.weights, again.weights);
    let other = in_batches(&machine, &data, EngineId::EXACT, 4).point;
    assert_ne!(found.weights, other.weights);
}

#[test]
fn by_samples_likelihood_and_entropy_have_errors_that_cover_the_truth() {
    let (machine, data) = (restricted(6, 2), causes(300));
    let outcome = in_batches(&machine, &data, EngineId::GIBBS, 3);
    let truth = truth(&machine, &data, &outcome);
    let found = outcome.point;
    assert_eq!(found.worth.log_likelihood, Kind::MonteCarlo);
    let error = found.worth.log_likelihood_error.unwrap();
    assert!(error > 0.0 && error < 0.1);
    assert!(
        (found.log_likelihood - truth).abs() < 5.0 * error,
        "{truth}"
    );
    let network = machine.with_weights(found.weights.clone()).unwrap();
    let exactly = Some(EngineId::EXACT);
    let exact = infer(&network, &[], exactly, &Sampling::default()).unwrap();
    let exact = exact.answer.expectations.entropy.value;
    let error = found.worth.entropy_error.unwrap();
    assert!((found.entropy - exact).abs() < 5.0 * error);
    assert!(found.worth.noise > 0.0);
}

#[test]
fn scaling_and_gradient_ascent_by_samples_end_within_their_noise_of_the_exact_fit() {
    let dense = machine(4, 0, &all_pairs(4));
    let data = rows(4, 200);
    let exact = learned(&dense, &data, EngineId::EXACT, quasi_newton());
    let best = exact.point.log_likelihood;
    let chains = Some(128);
    let learners = [
        Learner::EmIs(EmIs {
            chains,
            ..EmIs::default()
        }),
        Learner::EmGis(EmGis {
            chains,
            ..EmGis::default()
        }),
        Learner::EmGradient(EmGradient {
            chains,
            step: Step::Fixed(1.0),
            ..EmGradient::default()
        }),
    ];
    for learner in learners {
        let name = learner.name();
        let problem = posed(&dense, &data, EngineId::GIBBS, &learner);
        let course = Course {
            max_iterations: 400,
            ..Course::new(learner)
        };
        let course = course.checked(EngineId::GIBBS).unwrap();
        let found = learn_restart(&problem, &course, 1, 0, false).unwrap();
        assert!(found.iterations < 400, "{name}: {}", found.iterations);
        assert!(
            found.point.is_stationary(course.tolerance),
            "{name}: residual {}",
            found.point.residual
        );
        let truth = truth(&dense, &data, &found);
        assert!((best - truth).abs() < 1e-2, "{name}: {truth} below {best}");
        // The same seed, the same bits.
        let again = learn_restart(&problem, &course, 1, 0, false).unwrap();
        assert_eq!(again.point.weights, found.point.weights);
    }
}

#[test]
fn with_hidden_units_sampled_scaling_follows_the_exact_one() {
    let structure = restricted(6, 2);
    let data = causes(400);
    let after = |engine: EngineId, chains: Option<usize>, index: u64| {
        let learner = Learner::EmIs(EmIs {
            chains,
            ..EmIs::default()
        });
        let problem = posed(&structure, &data, engine, &learner);
        let course = Course {
            max_iterations: 30,
            ..Course::new(learner)
        };
        let course = course.checked(engine).unwrap();
        learn_restart(&problem, &course, 1, index, false).unwrap()
    };
    for index in 0..2 {
        let exact = after(EngineId::EXACT, None, index);
        let sampled = after(EngineId::GIBBS, Some(256), index);
        let found = truth(&structure, &data, &sampled);
        let gap = exact.point.log_likelihood - found;
        assert!(gap < 0.02, "{found} is {gap} below the exact learner");
    }
}
