//! The paper's comparators and annealing: sequential updates, contrastive divergence, the tempered E step.

use latentropy::data::{Cell, Dataset};
use latentropy::inference::{Clamp, Clamped, ExactSampler, RowPosteriors, literal};
use latentropy::inference::{mutual_information, score};
use latentropy::learning::{
    Learner, LearningSettings, Outcome, Penalty, Problem, SequentialRule, anneal, hessian, learn,
    learn_restart,
};
use latentropy::network::{Network, Shape, Term, TermOptions, Unit, named_terms};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

fn machine(visible: usize, hidden: usize, shape: Shape, bias: bool) -> Network {
    let units: Vec<Unit> = (1..=visible)
        .map(|u| Unit::visible(format!("y{u}")))
        .chain((1..=hidden).map(|u| Unit::hidden(format!("z{u}"))))
        .collect();
    let options = TermOptions {
        shape,
        bias,
        order: 2,
    };
    let terms = named_terms(&units, &options).unwrap();
    Network::new(units, terms.into_iter().map(|t| (t, 0.0))).unwrap()
}

/// Rows of the visible units from the structure with normal weights.
fn sampled(structure: &Network, scale: f64, rows: usize, seed: u64) -> Dataset {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let weights = (0..structure.terms().len())
        .map(|_| {
            let normal: f64 = StandardNormal.sample(&mut rng);
            scale * normal
        })
        .collect();
    let truth = structure.with_weights(weights).unwrap();
    let sampler = ExactSampler::new(&truth, &Clamp::none(truth.units().len())).unwrap();
    let states = sampler.sample(rows, &mut rng);
    let visible = truth.visible();
    let cells = states.into_iter().map(|state| {
        let cell = |&u: &usize| if state[u] { Cell::One } else { Cell::Zero };
        visible.iter().map(cell).collect::<Vec<_>>()
    });
    let names = (1..=visible.len()).map(|u| format!("y{u}")).collect();
    Dataset::from_cells(names, true, cells).unwrap()
}

fn constant_rows(visible: usize, rows: &[&[u8]]) -> Dataset {
    let names = (1..=visible).map(|u| format!("y{u}")).collect();
    let cell = |&value: &u8| [Cell::Zero, Cell::One, Cell::Missing][usize::from(value)];
    let cells = rows.iter().map(|row| row.iter().map(cell).collect());
    Dataset::from_cells(names, true, cells).unwrap()
}

/// Two kinds of rows that only hidden units can tell apart in a restricted machine, and a few odd ones.
fn two_kinds() -> Dataset {
    let mut rows: Vec<&[u8]> = vec![&[0, 0, 0, 0, 0]; 20];
    rows.extend([&[1u8, 1, 1, 1, 1] as &[u8]; 20]);
    rows.extend([
        &[0u8, 0, 0, 0, 1] as &[u8],
        &[1, 0, 1, 1, 1],
        &[0, 1, 0, 0, 2],
    ]);
    constant_rows(5, &rows)
}

fn posed(network: &Network, data: &Dataset, ridge: f64, learner: Learner) -> Problem {
    let penalty = Penalty { ridge, bound: 15.0 };
    Problem::new(network, data, penalty, learner == Learner::EmIs).unwrap()
}

/// The learner alone, without a finish.
fn alone(learner: Learner, iterations: usize, ridge: f64) -> LearningSettings {
    LearningSettings {
        finish: false,
        max_iterations: iterations,
        ridge,
        ..LearningSettings::of(learner)
    }
}

/// A machine of up to 4 visible and 3 hidden units with terms of order 1 to 3, and rows with missing cells.
fn problem_strategy() -> impl Strategy<Value = (Network, Dataset)> {
    (2usize..=4, 0usize..=3)
        .prop_flat_map(|(visible, hidden)| {
            let units = visible + hidden;
            let term = prop::collection::btree_set(0..units, 1..=3.min(units));
            let cell = prop_oneof![4 => Just(0u8), 4 => Just(1u8), 1 => Just(2u8)];
            (
                Just((visible, hidden)),
                prop::collection::btree_set(term, units..3 * units),
                prop::collection::vec(-1.5..1.5f64, 3 * units),
                prop::collection::vec(prop::collection::vec(cell, visible), 3..25),
            )
        })
        .prop_map(|((visible, hidden), terms, weights, mut rows)| {
            rows[0][0] = 1;
            let units = (1..=visible)
                .map(|u| Unit::visible(format!("y{u}")))
                .chain((1..=hidden).map(|u| Unit::hidden(format!("z{u}"))))
                .collect();
            let terms = terms
                .into_iter()
                .map(|units| Term::new(units.into_iter().collect()));
            let network = Network::new(units, terms.zip(weights)).unwrap();
            let rows: Vec<&[u8]> = rows.iter().map(Vec::as_slice).collect();
            let data = constant_rows(visible, &rows);
            (network, data)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn sequential_updates_never_lower_the_objective(
        (network, data) in problem_strategy(),
        inner in 1usize..6,
        ridge in prop_oneof![Just(0.0), 0.01..5.0f64],
    ) {
        // Byrne's rule, too, whatever the number of sweeps: see the reading of the paper's remark below.
        for rule in SequentialRule::ALL {
            let problem = posed(&network, &data, ridge, Learner::Sequential);
            let settings = LearningSettings {
                rule, inner, tolerance: 1e-300, ..alone(Learner::Sequential, 30, ridge)
            };
            let outcome = learn(&problem, network.weights().to_vec(), &settings, true).unwrap();
            for pair in outcome.trace.windows(2) {
                // Rounding of a sum of some hundred terms of size |log p|.
                let slack = 1e-13 * (10.0 + pair[0].objective.abs());
                prop_assert!(pair[1].objective >= pair[0].objective - slack,
                    "{rule}: {} then {}", pair[0].objective, pair[1].objective);
            }
        }
    }

    #[test]
    fn samplers_stay_finite_and_in_the_box(
        (network, data) in problem_strategy(),
        ridge in prop_oneof![Just(0.0), 0.01..5.0f64],
        cd_steps in 1usize..4,
        chains in 1usize..20,
    ) {
        for learner in [Learner::Cd, Learner::Pcd] {
            let problem = posed(&network, &data, ridge, learner);
            let settings = LearningSettings { cd_steps, chains, ..alone(learner, 50, ridge) };
            let outcome = learn_restart(&problem, &settings, 5, 0, true).unwrap();
            prop_assert!(outcome.point.weights.iter().all(|w| w.abs() <= 15.0));
            prop_assert!(outcome.trace.iter().all(|entry| entry.objective.is_finite()));
            prop_assert_eq!(outcome.trace.len(), 51);
        }
    }
}

/// One sweep of exact coordinate steps towards η; `stale`: all with the expectations of the sweep's start.
fn literal_sweep(network: &Network, weights: &mut [f64], eta: &[f64], stale: bool) {
    let none = Clamp::none(network.units().len());
    let expectations = |weights: &[f64]| {
        let network = network.with_weights(weights.to_vec()).unwrap();
        literal::expectations(&network, &none).terms
    };
    let first = expectations(weights);
    for term in 0..weights.len() {
        let m = if stale {
            first[term]
        } else {
            expectations(weights)[term]
        };
        let step = (eta[term] * (1.0 - m) / (m * (1.0 - eta[term]))).ln();
        weights[term] = (weights[term] + step).clamp(-15.0, 15.0);
    }
}

#[test]
fn the_papers_remark_on_byrne_holds_for_fits_from_the_uniform_distribution() {
    let structure = machine(4, 2, Shape::Full, true);
    let data = sampled(&structure, 1.0, 200, 2);
    let problem = posed(&structure, &data, 0.0, Learner::Sequential);
    let some_way = alone(Learner::Sequential, 200, 0.0);
    let start = learn_restart(&problem, &some_way, 1, 0, false).unwrap();
    let weights = start.point.weights;
    let likelihood = |weights: &[f64]| {
        let network = structure.with_weights(weights.to_vec()).unwrap();
        score(&network, &data).unwrap().mean.value
    };
    let mut clamped = Clamped::default();
    let rows = RowPosteriors::new(&structure, &data).unwrap();
    rows.clamped(&weights, &mut clamped).unwrap();
    let after = |from: &[f64], sweeps: usize| {
        let mut weights = from.to_vec();
        for _ in 0..sweeps {
            literal_sweep(&structure, &mut weights, &clamped.expectations, false);
        }
        likelihood(&weights)
    };
    let here = likelihood(&weights);
    let uniform = vec![0.0; weights.len()];
    assert!(after(&uniform, 1) < here - 0.01);
    assert!(after(&uniform, 10) < here - 0.01);
    assert!(after(&uniform, 300) > here);
    // From the present weights one sweep is enough.
    assert!(after(&weights, 1) > here);
}

#[test]
fn sweeps_with_the_expectations_of_their_start_do_not_converge() {
    let structure = machine(6, 0, Shape::Full, true);
    let data = sampled(&structure, 0.5, 1000, 2);
    let mut clamped = Clamped::default();
    let rows = RowPosteriors::new(&structure, &data).unwrap();
    let mut weights = vec![0.0; structure.terms().len()];
    rows.clamped(&weights, &mut clamped).unwrap();
    let residual = |weights: &[f64]| {
        let network = structure.with_weights(weights.to_vec()).unwrap();
        let free = literal::expectations(&network, &Clamp::none(6)).terms;
        let gaps = free
            .iter()
            .zip(&clamped.expectations)
            .map(|(f, e)| (f - e).abs());
        gaps.fold(0.0, f64::max)
    };
    let before = residual(&weights);
    for _ in 0..20 {
        literal_sweep(&structure, &mut weights, &clamped.expectations, true);
    }
    assert!(
        residual(&weights) >= before,
        "{} after {before}",
        residual(&weights)
    );
}

#[test]
fn sequential_agrees_with_em_is_on_a_convex_problem() {
    let structure = machine(6, 0, Shape::Full, true);
    let data = sampled(&structure, 0.7, 300, 1);
    let solve = |learner, rule| {
        let settings = LearningSettings {
            rule,
            tolerance: 1e-9,
            ..alone(learner, 200_000, 2.0)
        };
        let problem = posed(&structure, &data, 2.0, learner);
        let outcome = learn_restart(&problem, &settings, 1, 0, false).unwrap();
        assert!(outcome.point.residual <= 1e-9);
        outcome.point.weights
    };
    let reference = solve(Learner::EmIs, SequentialRule::Byrne);
    for rule in SequentialRule::ALL {
        for (a, b) in reference.iter().zip(solve(Learner::Sequential, rule)) {
            assert!((a - b).abs() < 1e-6, "{rule}: {b} against {a}");
        }
    }
}

/// The diagonal of the inverse of −matrix, by elimination.
fn inverse_diagonal(matrix: &[f64]) -> Vec<f64> {
    let size = matrix.len().isqrt();
    let mut rows: Vec<Vec<f64>> = (0..size)
        .map(|i| {
            let left = matrix[i * size..(i + 1) * size].iter().map(|x| -x);
            left.chain((0..size).map(|j| f64::from(u8::from(i == j))))
                .collect()
        })
        .collect();
    // Definite: no pivot is zero.
    for pivot in 0..size {
        let scale = 1.0 / rows[pivot][pivot];
        rows[pivot].iter_mut().for_each(|x| *x *= scale);
        let leading = rows[pivot].clone();
        for row in (0..size).filter(|&row| row != pivot) {
            let factor = rows[row][pivot];
            for (x, y) in rows[row].iter_mut().zip(&leading) {
                *x -= factor * y;
            }
        }
    }
    (0..size).map(|i| rows[i][size + i]).collect()
}

#[test]
fn samplers_come_near_the_exact_maximum() {
    let structure = machine(6, 0, Shape::Full, true);
    let data = sampled(&structure, 0.5, 500, 3);
    let problem = posed(&structure, &data, 1.0, Learner::QuasiNewton);
    let exact = LearningSettings {
        ridge: 1.0,
        ..LearningSettings::of(Learner::QuasiNewton)
    };
    let exact = learn_restart(&problem, &exact, 1, 0, false).unwrap().point;
    // What the data leave open: the inverse of the observed information.
    let variances = inverse_diagonal(&hessian(&problem, &exact.weights).unwrap());
    let errors: Vec<f64> = variances.iter().map(|v| (v / 500.0).sqrt()).collect();
    let distance = |outcome: &Outcome| {
        let ratios = exact.weights.iter().zip(&outcome.point.weights);
        ratios
            .zip(&errors)
            .map(|((a, b), error)| (a - b).abs() / error)
            .fold(0.0, f64::max)
    };
    // CD-1 is biased, by no more than the data are uncertain; persistent chains are not.
    for (learner, most) in [(Learner::Cd, 2.0), (Learner::Pcd, 1.0)] {
        let settings = alone(learner, 2000, 1.0);
        let found = learn_restart(&problem, &settings, 2, 0, false).unwrap();
        assert!(
            distance(&found) < most,
            "{learner}: {} standard errors",
            distance(&found)
        );
        let start = learn_restart(&problem, &alone(learner, 1, 1.0), 2, 0, false).unwrap();
        assert!(distance(&start) > 5.0);
    }
}

#[test]
fn samplers_with_hidden_units_raise_the_likelihood() {
    for shape in [Shape::Rbm, Shape::Full] {
        let structure = machine(5, 2, shape, true);
        let data = two_kinds();
        for learner in [Learner::Cd, Learner::Pcd] {
            let problem = posed(&structure, &data, 0.5, learner);
            let settings = alone(learner, 500, 0.5);
            let outcome = learn_restart(&problem, &settings, 1, 0, true).unwrap();
            let independent = machine(5, 0, Shape::Rbm, true);
            let alone = posed(&independent, &data, 0.5, Learner::QuasiNewton);
            let base = LearningSettings {
                ridge: 0.5,
                ..LearningSettings::of(Learner::QuasiNewton)
            };
            let base = learn_restart(&alone, &base, 1, 0, false).unwrap();
            assert!(
                outcome.point.log_likelihood > base.point.log_likelihood + 0.5,
                "{shape} {learner}: {} against {} of independent columns",
                outcome.point.log_likelihood,
                base.point.log_likelihood
            );
        }
    }
}

#[test]
fn a_finish_after_samples_is_a_solution() {
    let structure = machine(5, 2, Shape::Full, true);
    let data = sampled(&structure, 1.0, 200, 6);
    for learner in [Learner::Cd, Learner::Pcd] {
        let problem = posed(&structure, &data, 1.0, learner);
        let settings = LearningSettings {
            learner,
            ridge: 1.0,
            ..LearningSettings::default()
        };
        let outcome = learn_restart(&problem, &settings, 1, 0, false).unwrap();
        assert!(outcome.point.residual <= settings.tolerance);
    }
}

#[test]
fn restarts_repeat_whatever_the_threads_and_differ_by_seed_and_index() {
    let structure = machine(5, 2, Shape::Full, true);
    let data = sampled(&structure, 1.0, 100, 7);
    let runs = [
        (Learner::Cd, false),
        (Learner::Pcd, false),
        (Learner::Sequential, false),
        (Learner::EmIs, true),
    ];
    for (learner, annealed) in runs {
        let problem = posed(&structure, &data, 0.5, learner);
        let settings = LearningSettings {
            anneal: annealed,
            ..alone(learner, 40, 0.5)
        };
        let run = |threads, seed, index| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let learned = || learn_restart(&problem, &settings, seed, index, false).unwrap();
            pool.build().unwrap().install(learned).point.weights
        };
        assert_eq!(run(1, 1, 0), run(2, 1, 0), "{learner}");
        assert_ne!(run(1, 1, 0), run(1, 2, 0), "{learner}");
        assert_ne!(run(1, 1, 0), run(1, 1, 1), "{learner}");
    }
}

#[test]
fn extreme_rows_end_in_the_box() {
    let rows: [&[&[u8]]; 4] = [
        &[&[1, 1, 1], &[1, 1, 1]],
        &[&[0, 0, 0], &[0, 0, 0]],
        &[&[1, 0, 1], &[1, 1, 0], &[1, 0, 2]],
        &[&[1, 2, 2]],
    ];
    let structure = machine(3, 2, Shape::Full, true);
    for rows in rows {
        let data = constant_rows(3, rows);
        let samplers = [Learner::Cd, Learner::Pcd].map(|learner| (learner, SequentialRule::Byrne));
        let sequential = SequentialRule::ALL.map(|rule| (Learner::Sequential, rule));
        for (learner, rule) in samplers.into_iter().chain(sequential) {
            let problem = posed(&structure, &data, 0.0, learner);
            let settings = LearningSettings {
                rule,
                ..alone(learner, 300, 0.0)
            };
            let outcome = learn_restart(&problem, &settings, 1, 0, true).unwrap();
            let point = &outcome.point;
            assert!(point.weights.iter().all(|w| w.abs() <= 15.0), "{learner}");
            let known = outcome.trace.iter().all(|e| e.objective.is_finite());
            assert!(known, "{learner} {rule} on {rows:?}");
        }
        let problem = posed(&structure, &data, 0.0, Learner::EmIs);
        let settings = LearningSettings::default();
        let annealed = anneal(&problem, &settings, 1, 0, false).unwrap().outcome;
        assert!(annealed.point.weights.iter().all(|w| w.abs() <= 15.0));
        assert!(annealed.point.objective.is_finite());
    }
}

#[test]
fn annealing_ends_at_a_maximum_and_breaks_the_symmetry() {
    let structure = machine(5, 2, Shape::Rbm, true);
    let data = two_kinds();
    for learner in [Learner::EmIs, Learner::Sequential, Learner::QuasiNewton] {
        let problem = posed(&structure, &data, 0.5, learner);
        let settings = LearningSettings {
            ridge: 0.5,
            ..LearningSettings::of(learner)
        };
        let annealed = anneal(&problem, &settings, 1, 0, false).unwrap();
        let point = &annealed.outcome.point;
        assert!(point.residual <= settings.tolerance);
        let network = structure.with_weights(point.weights.clone()).unwrap();
        let information = mutual_information(&network).unwrap().unwrap();
        assert!(information > 0.3, "I(Y;Z) = {information}");
        let betas: Vec<f64> = annealed.path.iter().map(|step| step.beta).collect();
        assert!(betas.is_sorted() && betas[0] < 0.5 && betas[betas.len() - 1] == 1.0);
        assert!(annealed.path.iter().all(|step| step.residual < 1e-4));
        // A negative definite Hessian: the inverse has positive entries on its diagonal.
        let enumerated = posed(&structure, &data, 0.5, Learner::EmIs);
        let variances = inverse_diagonal(&hessian(&enumerated, &point.weights).unwrap());
        assert!(variances.iter().all(|&v| v > 0.0), "{variances:?}");
    }
}

#[test]
fn annealing_without_a_finish_uses_the_learner_alone() {
    let structure = machine(4, 2, Shape::Rbm, true);
    let data = sampled(&structure, 2.0, 100, 8);
    let problem = posed(&structure, &data, 1.0, Learner::Sequential);
    let settings = LearningSettings {
        tolerance: 1e-7,
        ..alone(Learner::Sequential, 50_000, 1.0)
    };
    let annealed = anneal(&problem, &settings, 1, 0, true).unwrap();
    assert!(annealed.outcome.point.residual <= 1e-7);
    let objectives = annealed.outcome.trace.windows(2);
    assert!(
        objectives
            .into_iter()
            .all(|pair| pair[1].objective >= pair[0].objective - 1e-12)
    );
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let default = LearningSettings::default();
    let refused = |settings: LearningSettings, part: &str| {
        let text = settings.checked().unwrap_err().to_string();
        assert!(text.contains(part), "{text}");
    };
    let mut settings = LearningSettings {
        cd_steps: 0,
        ..default
    };
    refused(settings, "--cd-steps");
    settings = LearningSettings {
        chains: 0,
        ..default
    };
    refused(settings, "--chains");
    settings = default;
    settings.schedule.first = f64::NAN;
    refused(settings, "--cd-rate");
    settings = default;
    settings.schedule.decay = 0.0;
    refused(settings, "--cd-decay");
    settings = LearningSettings {
        anneal: true,
        ..LearningSettings::of(Learner::Pcd)
    };
    refused(settings, "--anneal");
    assert!("byrne".parse::<SequentialRule>().is_ok());
    assert!("riezler".parse::<SequentialRule>().is_err());
}
