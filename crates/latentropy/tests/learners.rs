//! The paper's comparators and annealing: sequential updates, contrastive divergence, the tempered E step.

use latentropy::data::{Cell, Dataset};
use latentropy::internals::{
    Clamped, ExactSampler, RowPosteriors, hessian, learn_restart, literal, mutual_information,
};
use latentropy::learning::{
    Cd, Course, EmIs, Finish, Learner, Need, Objective, Outcome, Pcd, Problem, QuasiNewton,
    Schedule, Sequential, SequentialRule, annealed_run, learn_traced,
};
use latentropy::network::{Clamp, Network, Shape, Term, TermOptions, Unit, named_terms};
use latentropy::{EngineId, Error, Sampling, score};
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

fn posed(network: &Network, data: &Dataset, ridge: f64, learner: &Learner) -> Problem {
    let objective = Objective::with_ridge(ridge);
    let strata = learner.need() == Need::Strata;
    Problem::new(network, data, objective, EngineId::EXACT, strata).unwrap()
}

/// The learner alone, without a finish.
fn alone(learner: &Learner, iterations: usize) -> Course {
    Course {
        max_iterations: iterations,
        ..Course::new(learner.clone())
    }
}

/// The learner, finished by second-order steps.
fn finished(learner: &Learner) -> Course {
    Course {
        finish: Some(Finish::default()),
        ..Course::new(learner.clone())
    }
}

fn em_is() -> Learner {
    Learner::EmIs(EmIs::default())
}

fn quasi_newton() -> Learner {
    Learner::QuasiNewton(QuasiNewton::default())
}

fn sequential(rule: SequentialRule) -> Learner {
    Learner::Sequential(Sequential {
        rule,
        ..Sequential::default()
    })
}

/// Both forms of contrastive divergence.
fn samplers() -> [Learner; 2] {
    [Learner::Cd(Cd::default()), Learner::Pcd(Pcd::default())]
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
            let learner = Learner::Sequential(Sequential { inner, rule });
            let problem = posed(&network, &data, ridge, &learner);
            let course = Course { tolerance: 1e-300, ..alone(&learner, 30) };
            let outcome = learn_traced(&problem, network.weights().to_vec(), &course).unwrap();
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
        let cd = Learner::Cd(Cd { cd_steps, chains, ..Cd::default() });
        let pcd = Learner::Pcd(Pcd { cd_steps, chains, ..Pcd::default() });
        for learner in [cd, pcd] {
            let problem = posed(&network, &data, ridge, &learner);
            let outcome = learn_restart(&problem, &alone(&learner, 50), 5, 0, true).unwrap();
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
    let learner = sequential(SequentialRule::Byrne);
    let problem = posed(&structure, &data, 0.0, &learner);
    let some_way = alone(&learner, 200);
    let start = learn_restart(&problem, &some_way, 1, 0, false).unwrap();
    let weights = start.point.weights;
    let likelihood = |weights: &[f64]| {
        let network = structure.with_weights(weights.to_vec()).unwrap();
        score(&network, &data, None, &Sampling::default())
            .unwrap()
            .mean
            .value
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
    let solve = |learner: Learner| {
        let course = Course {
            tolerance: 1e-9,
            ..alone(&learner, 200_000)
        };
        let problem = posed(&structure, &data, 2.0, &learner);
        let outcome = learn_restart(&problem, &course, 1, 0, false).unwrap();
        assert!(outcome.point.residual <= 1e-9);
        outcome.point.weights
    };
    let reference = solve(em_is());
    for rule in SequentialRule::ALL {
        for (a, b) in reference.iter().zip(solve(sequential(rule))) {
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
    let problem = posed(&structure, &data, 1.0, &quasi_newton());
    let exact = learn_restart(&problem, &finished(&quasi_newton()), 1, 0, false);
    let exact = exact.unwrap().point;
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
    for (learner, most) in samplers().into_iter().zip([2.0, 1.0]) {
        let found = learn_restart(&problem, &alone(&learner, 2000), 2, 0, false).unwrap();
        assert!(
            distance(&found) < most,
            "{}: {} standard errors",
            learner.name(),
            distance(&found)
        );
        let start = learn_restart(&problem, &alone(&learner, 1), 2, 0, false).unwrap();
        assert!(distance(&start) > 5.0);
    }
}

#[test]
fn samplers_with_hidden_units_raise_the_likelihood() {
    for shape in [Shape::Rbm, Shape::Full] {
        let structure = machine(5, 2, shape, true);
        let data = two_kinds();
        for learner in samplers() {
            let problem = posed(&structure, &data, 0.5, &learner);
            let outcome = learn_restart(&problem, &alone(&learner, 500), 1, 0, true).unwrap();
            let independent = machine(5, 0, Shape::Rbm, true);
            let independent = posed(&independent, &data, 0.5, &quasi_newton());
            let base = finished(&quasi_newton());
            let base = learn_restart(&independent, &base, 1, 0, false).unwrap();
            assert!(
                outcome.point.log_likelihood > base.point.log_likelihood + 0.5,
                "{shape} {}: {} against {} of independent columns",
                learner.name(),
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
    for learner in samplers() {
        let problem = posed(&structure, &data, 1.0, &learner);
        let course = Course {
            learner,
            ..Course::default()
        };
        let outcome = learn_restart(&problem, &course, 1, 0, false).unwrap();
        assert!(outcome.point.residual <= course.tolerance);
        // Users are not offered it: the result would be that of the second-order steps.
        assert!(course.checked(EngineId::EXACT).is_err());
    }
}

#[test]
fn restarts_repeat_whatever_the_threads_and_differ_by_seed_and_index() {
    let structure = machine(5, 2, Shape::Full, true);
    let data = sampled(&structure, 1.0, 100, 7);
    let [cd, pcd] = samplers();
    let runs = [
        (cd, false),
        (pcd, false),
        (sequential(SequentialRule::Byrne), false),
        (em_is(), true),
    ];
    for (learner, annealed) in runs {
        let name = learner.name();
        let problem = posed(&structure, &data, 0.5, &learner);
        let course = Course {
            anneal: annealed,
            ..alone(&learner, 40)
        };
        let run = |threads, seed, index| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let learned = || learn_restart(&problem, &course, seed, index, false).unwrap();
            pool.build().unwrap().install(learned).point.weights
        };
        assert_eq!(run(1, 1, 0), run(2, 1, 0), "{name}");
        assert_ne!(run(1, 1, 0), run(1, 2, 0), "{name}");
        assert_ne!(run(1, 1, 0), run(1, 1, 1), "{name}");
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
    // A bias takes up what recoding moves to it from its four pairs.
    let bound = |term: &Term| if term.order() == 1 { 75.0 } else { 15.0 };
    let is_within = |weights: &[f64]| {
        let mut weighted = structure.terms().iter().zip(weights);
        weighted.all(|(term, weight)| weight.abs() <= bound(term))
    };
    for rows in rows {
        let data = constant_rows(3, rows);
        let in_turn = SequentialRule::ALL.map(sequential);
        for learner in samplers().into_iter().chain(in_turn) {
            let problem = posed(&structure, &data, 0.0, &learner);
            let outcome = learn_restart(&problem, &alone(&learner, 300), 1, 0, true).unwrap();
            let point = &outcome.point;
            assert!(is_within(&point.weights), "{learner:?}");
            let known = outcome.trace.iter().all(|e| e.objective.is_finite());
            assert!(known, "{learner:?} on {rows:?}");
        }
        let problem = posed(&structure, &data, 0.0, &em_is());
        let annealed = annealed_run(&problem, &Course::default(), 1, 0);
        let annealed = annealed.unwrap().outcome;
        assert!(is_within(&annealed.point.weights));
        assert!(annealed.point.objective.is_finite());
    }
}

#[test]
fn annealing_ends_at_a_maximum_and_breaks_the_symmetry() {
    let structure = machine(5, 2, Shape::Rbm, true);
    let data = two_kinds();
    for learner in [em_is(), sequential(SequentialRule::Byrne), quasi_newton()] {
        let problem = posed(&structure, &data, 0.5, &learner);
        let course = finished(&learner);
        let annealed = annealed_run(&problem, &course, 1, 0).unwrap();
        let point = &annealed.outcome.point;
        assert!(point.residual <= course.tolerance);
        let network = structure.with_weights(point.weights.clone()).unwrap();
        let information = mutual_information(&network).unwrap().unwrap();
        assert!(information > 0.3, "I(Y;Z) = {information}");
        let betas: Vec<f64> = annealed.path.iter().map(|step| step.beta).collect();
        assert!(betas.is_sorted() && betas[0] < 0.5 && betas[betas.len() - 1] == 1.0);
        assert!(annealed.path.iter().all(|step| step.residual < 1e-4));
        // A negative definite Hessian: the inverse has positive entries on its diagonal.
        let enumerated = posed(&structure, &data, 0.5, &em_is());
        let variances = inverse_diagonal(&hessian(&enumerated, &point.weights).unwrap());
        assert!(variances.iter().all(|&v| v > 0.0), "{variances:?}");
    }
}

#[test]
fn annealing_without_a_finish_uses_the_learner_alone() {
    let structure = machine(4, 2, Shape::Rbm, true);
    let data = sampled(&structure, 2.0, 100, 8);
    let learner = sequential(SequentialRule::Byrne);
    let problem = posed(&structure, &data, 1.0, &learner);
    let course = Course {
        tolerance: 1e-7,
        ..alone(&learner, 50_000)
    };
    let annealed = annealed_run(&problem, &course, 1, 0).unwrap();
    assert!(annealed.outcome.point.residual <= 1e-7);
    let objectives = annealed.outcome.trace.windows(2);
    assert!(
        objectives
            .into_iter()
            .all(|pair| pair[1].objective >= pair[0].objective - 1e-12)
    );
}

#[test]
fn courses_that_make_no_sense_are_refused() {
    let refused = |course: Course, part: &str| {
        let error = course.checked(EngineId::EXACT).unwrap_err();
        assert!(matches!(error, Error::Invalid(_)), "{error:?}");
        let text = error.to_string();
        assert!(text.contains(part), "{text}");
    };
    let cd = |cd: Cd| Course::new(Learner::Cd(cd));
    let usual = Cd::default();
    refused(
        cd(Cd {
            cd_steps: 0,
            ..usual.clone()
        }),
        "cd_steps",
    );
    refused(
        cd(Cd {
            chains: 0,
            ..usual.clone()
        }),
        "chains",
    );
    for (first, decay, part) in [(f64::NAN, 500.0, "cd_rate"), (1.0, 0.0, "cd_decay")] {
        let schedule = Schedule { first, decay };
        refused(
            cd(Cd {
                schedule,
                ..usual.clone()
            }),
            part,
        );
        let pcd = Pcd {
            cd_rate: Some(first),
            cd_decay: Some(decay),
            ..Pcd::default()
        };
        refused(Course::new(Learner::Pcd(pcd)), part);
    }
    for learner in samplers() {
        refused(
            Course {
                anneal: true,
                ..Course::new(learner)
            },
            "anneal",
        );
    }
    let em = |inner| EmIs {
        inner,
        ..EmIs::default()
    };
    refused(Course::new(Learner::EmIs(em(0))), "inner");
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(
            Course {
                tolerance,
                ..Course::default()
            },
            "tolerance",
        );
    }
    refused(
        Course {
            max_iterations: 0,
            ..Course::default()
        },
        "max_iterations",
    );
    assert!("byrne".parse::<SequentialRule>().is_ok());
    assert!("riezler".parse::<SequentialRule>().is_err());
}
