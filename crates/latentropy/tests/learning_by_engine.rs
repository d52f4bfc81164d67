//! Learning through engines that are not exact sums: the same solutions where they are exact, honest kinds where not.

use latentropy::data::{Cell, Dataset};
use latentropy::inference::{Clamp, Engine, Kind, score};
use latentropy::learning::{Learner, LearningEngine, LearningSettings, Schedule, Step};
use latentropy::network::{Network, Term, Unit};
use latentropy::selection::{Fit, FitSettings, Silent, fit};

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

fn learned(structure: &Network, data: &Dataset, engine: Engine, learner: Learner) -> Fit {
    let learning = LearningSettings {
        engine: engine.into(),
        ridge: 1.0,
        tolerance: 1e-7,
        finish: learner == Learner::QuasiNewton,
        max_iterations: 100_000,
        ..LearningSettings::of(learner)
    };
    let settings = FitSettings {
        learning,
        restarts: 2,
        ..FitSettings::default()
    };
    fit(structure, data, &settings, &Silent).unwrap()
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
    let exact = learned(&chain, &data, Engine::Exact, Learner::QuasiNewton);
    for engine in [Engine::Bp, Engine::Trw, Engine::JunctionTree, Engine::Gbp] {
        for learner in [Learner::QuasiNewton, Learner::EmGis, Learner::EmGradient] {
            let found = learned(&chain, &data, engine, learner);
            let (found, exact) = (found.chosen(), exact.chosen());
            assert!(found.feasible, "{engine:?} {learner}: {}", found.residual);
            assert_eq!(found.worth.log_likelihood, Kind::Exact, "{engine:?}");
            assert_eq!(found.entropy.kind, Kind::Exact, "{engine:?}");
            assert_close(found.network.weights(), exact.network.weights(), 1e-4);
            assert!((found.log_likelihood - exact.log_likelihood).abs() < 1e-5);
            assert!((found.entropy.value - exact.entropy.value).abs() < 1e-5);
        }
    }
}

#[test]
fn hidden_units_are_learned_through_an_engine_too() {
    // One hidden cause of everything is a tree.
    let star = restricted(5, 1);
    let data = rows(5, 60);
    let exact = learned(&star, &data, Engine::Exact, Learner::QuasiNewton);
    let found = learned(&star, &data, Engine::Bp, Learner::QuasiNewton);
    assert_eq!(found.chosen().worth.log_likelihood, Kind::Exact);
    let gap = exact.chosen().log_likelihood - found.chosen().log_likelihood;
    assert!(gap.abs() < 1e-6, "{gap}");
}

#[test]
fn bounds_and_estimates_are_called_what_they_are() {
    let dense = machine(6, 0, &all_pairs(6));
    let data = rows(6, 80);
    let kinds = [
        (Engine::Trw, Kind::LowerBound),
        (Engine::MeanField, Kind::UpperBound),
        (Engine::Bp, Kind::Estimate),
        (Engine::Tap, Kind::Estimate),
        (Engine::JunctionTree, Kind::Exact),
    ];
    for (engine, kind) in kinds {
        let found = learned(&dense, &data, engine, Learner::QuasiNewton);
        let found = found.chosen();
        assert_eq!(found.worth.log_likelihood, kind, "{engine:?}");
        let truth = score(&found.network, &data).unwrap().mean.value;
        match kind {
            Kind::LowerBound => assert!(found.log_likelihood <= truth + 1e-12, "{engine:?}"),
            Kind::UpperBound => assert!(found.log_likelihood >= truth - 1e-12, "{engine:?}"),
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
    for engine in [
        Engine::MeanField,
        Engine::Tap,
        Engine::Bp,
        Engine::Trw,
        Engine::Gbp,
    ] {
        let at = |weights: &[f64]| {
            let network = network.with_weights(weights.to_vec()).unwrap();
            let engine = engine.instance(&network, &none).unwrap();
            engine.gradient(&network, &none).unwrap()
        };
        let slopes = at(&weights).terms;
        let step = 1e-4;
        for term in 0..count {
            let moved = |by: f64| {
                let mut moved = weights.clone();
                moved[term] += by;
                at(&moved).log_partition.value
            };
            let difference = (moved(step) - moved(-step)) / (2.0 * step);
            let error = (difference - slopes[term]).abs();
            assert!(
                error < 1e-6,
                "{engine:?}, term {term}: {difference} against {}",
                slopes[term]
            );
        }
    }
}

#[test]
fn learners_that_an_engine_cannot_serve_are_refused() {
    let refusals = [
        (Engine::Bp, Learner::EmIs, "em-gis"),
        (Engine::Trw, Learner::Sequential, "quasi-newton"),
        (Engine::Gibbs, Learner::QuasiNewton, "--learner pcd"),
        (Engine::Gibbs, Learner::EmGradient, "--step 1"),
    ];
    for (engine, learner, remedy) in refusals {
        let settings = LearningSettings {
            engine: engine.into(),
            ..LearningSettings::of(learner)
        };
        let text = settings.checked().unwrap_err().to_string();
        assert!(text.contains(remedy), "{text}");
    }
    let batch = LearningSettings {
        batch: Some(10),
        ..LearningSettings::of(Learner::EmGis)
    };
    assert!(batch.checked().unwrap_err().to_string().contains("pcd"));
    // Mini-batches are for restricted machines only.
    let settings = FitSettings {
        learning: LearningSettings {
            batch: Some(10),
            ..LearningSettings::of(Learner::Pcd)
        },
        restarts: 1,
        ..FitSettings::default()
    };
    let refused = fit(
        &machine(4, 0, &all_pairs(4)),
        &rows(4, 20),
        &settings,
        &Silent,
    );
    assert!(refused.unwrap_err().to_string().contains("--shape rbm"));
}

fn in_batches(engine: LearningEngine, seed: u64) -> FitSettings {
    FitSettings {
        learning: LearningSettings {
            engine,
            batch: Some(10),
            chains: 40,
            ridge: 1.0,
            max_iterations: 600,
            schedule: Schedule {
                first: 0.3,
                decay: 30.0,
            },
            ..LearningSettings::of(Learner::Pcd)
        },
        restarts: 1,
        seed,
        ..FitSettings::default()
    }
}

#[test]
fn mini_batches_come_near_the_exact_fit() {
    let (machine, data) = (restricted(6, 2), causes(300));
    let exact = learned(&machine, &data, Engine::Exact, Learner::QuasiNewton);
    let found = fit(
        &machine,
        &data,
        &in_batches(LearningEngine::Exact, 3),
        &Silent,
    )
    .unwrap();
    // The ridge is the same, and so are the solutions; the noise of the last steps is what is left.
    let best = exact
        .candidates
        .iter()
        .map(|c| c.log_likelihood)
        .fold(f64::NEG_INFINITY, f64::max);
    let gap = best - found.chosen().log_likelihood;
    assert!(gap.abs() < 0.05, "{gap}");
    assert!(found.chosen().residual < 0.1, "{}", found.chosen().residual);
    let again = fit(
        &machine,
        &data,
        &in_batches(LearningEngine::Exact, 3),
        &Silent,
    )
    .unwrap();
    assert_eq!(
        found.chosen().network.weights(),
        again.chosen().network.weights()
    );
    let other = fit(
        &machine,
        &data,
        &in_batches(LearningEngine::Exact, 4),
        &Silent,
    )
    .unwrap();
    assert_ne!(
        found.chosen().network.weights(),
        other.chosen().network.weights()
    );
}

#[test]
fn by_samples_likelihood_and_entropy_have_errors_that_cover_the_truth() {
    let (machine, data) = (restricted(6, 2), causes(300));
    let found = fit(
        &machine,
        &data,
        &in_batches(LearningEngine::Gibbs, 3),
        &Silent,
    )
    .unwrap();
    let found = found.chosen();
    assert_eq!(found.worth.log_likelihood, Kind::MonteCarlo);
    let truth = score(&found.network, &data).unwrap().mean.value;
    let error = found.worth.log_likelihood_error.unwrap();
    assert!(error > 0.0 && error < 0.1);
    assert!(
        (found.log_likelihood - truth).abs() < 5.0 * error,
        "{truth}"
    );
    let none = Clamp::none(8);
    let exact = Engine::Exact.instance(&found.network, &none).unwrap();
    let exact = exact.expectations(&found.network, &none).unwrap();
    let error = found.entropy.std_err.unwrap();
    assert!((found.entropy.value - exact.entropy.value).abs() < 5.0 * error);
    assert!(found.worth.noise > 0.0);
}

#[test]
fn scaling_and_gradient_ascent_by_samples_end_within_their_noise_of_the_exact_fit() {
    let dense = machine(4, 0, &all_pairs(4));
    let data = rows(4, 200);
    let exact = learned(&dense, &data, Engine::Exact, Learner::QuasiNewton);
    let best = exact.chosen().log_likelihood;
    for learner in [Learner::EmIs, Learner::EmGis, Learner::EmGradient] {
        let settings = FitSettings {
            learning: LearningSettings {
                engine: LearningEngine::Gibbs,
                ridge: 1.0,
                finish: false,
                step: Step::Fixed(1.0),
                max_iterations: 400,
                chains: 128,
                ..LearningSettings::of(learner)
            }
            .checked()
            .unwrap(),
            restarts: 1,
            ..FitSettings::default()
        };
        let found = fit(&dense, &data, &settings, &Silent).unwrap();
        let chosen = found.chosen();
        assert!(chosen.iterations < 400, "{learner}: {}", chosen.iterations);
        assert!(chosen.feasible, "{learner}: residual {}", chosen.residual);
        let truth = score(&chosen.network, &data).unwrap().mean.value;
        assert!(
            (best - truth).abs() < 1e-2,
            "{learner}: {truth} below {best}"
        );
        // The same seed, the same bits.
        let again = fit(&dense, &data, &settings, &Silent).unwrap();
        assert_eq!(again.chosen().network.weights(), chosen.network.weights());
    }
}

#[test]
fn with_hidden_units_sampled_scaling_follows_the_exact_one() {
    let structure = restricted(6, 2);
    let data = causes(400);
    let after = |engine: LearningEngine| {
        let settings = FitSettings {
            learning: LearningSettings {
                engine,
                ridge: 1.0,
                finish: false,
                max_iterations: 30,
                chains: 256,
                ..LearningSettings::of(Learner::EmIs)
            }
            .checked()
            .unwrap(),
            restarts: 2,
            ..FitSettings::default()
        };
        fit(&structure, &data, &settings, &Silent).unwrap()
    };
    let (exact, sampled) = (after(LearningEngine::Exact), after(LearningEngine::Gibbs));
    for (a, b) in exact.candidates.iter().zip(&sampled.candidates) {
        let found = score(&b.network, &data).unwrap().mean.value;
        let gap = a.log_likelihood - found;
        assert!(gap.abs() < 0.02, "{found} is {gap} below the exact learner");
    }
}
