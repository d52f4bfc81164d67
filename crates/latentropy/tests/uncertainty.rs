//! Standard errors and the bootstrap against closed forms, numerical derivatives, simulation and each other.

mod common;

use common::fits::{request_for, with_threads};
use common::{close, literal_penalty};
use faer::linalg::solvers::{Llt, Solve};
use faer::{Mat, Side};
use latentropy::data::{Cell, Dataset};
use latentropy::fit::{Bootstrap, BootstrapKind, Job, Resamples, Ridge, Silent};
use latentropy::internals::ExactSampler;
use latentropy::learning::{Cd, Learner, Objective};
use latentropy::network::{Clamp, Network, Shape, Term, TermOptions, Unit, named_terms};
use latentropy::selection::CertificateKind;
use latentropy::{
    Candidate, Control, EngineId, Fit, Observer, Request, Sampling, fit, infer, score,
};
use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::sync::atomic::{AtomicUsize, Ordering};

fn machine(visible: usize, hidden: usize, shape: Shape, order: usize) -> Network {
    let units: Vec<Unit> = (1..=visible)
        .map(|u| Unit::visible(format!("y{u}")))
        .chain((1..=hidden).map(|u| Unit::hidden(format!("z{u}"))))
        .collect();
    let options = TermOptions {
        shape,
        bias: true,
        order,
    };
    let terms = named_terms(&units, &options).unwrap();
    Network::new(units, terms.into_iter().map(|t| (t, 0.0))).unwrap()
}

/// A machine with random weights of this size.
fn random(structure: &Network, size: f64, rng: &mut ChaCha8Rng) -> Network {
    let weights = structure.weights().iter();
    let weights = weights.map(|_| size * (2.0 * rng.random::<f64>() - 1.0));
    structure.with_weights(weights.collect()).unwrap()
}

/// Rows of the visible units, drawn from a machine; each cell is missing with this probability.
fn rows(truth: &Network, count: usize, missing: f64, rng: &mut ChaCha8Rng) -> Dataset {
    let sampler = ExactSampler::new(truth, &Clamp::none(truth.units().len())).unwrap();
    let visible = truth.visible();
    let states = sampler.sample(count, rng);
    let cells: Vec<Vec<Cell>> = states
        .iter()
        .map(|state| {
            let cells = visible.iter().map(|&unit| match state[unit] {
                _ if rng.random::<f64>() < missing => Cell::Missing,
                true => Cell::One,
                false => Cell::Zero,
            });
            cells.collect()
        })
        .collect();
    let names = visible.iter().map(|&u| truth.units()[u].name.clone());
    Dataset::from_cells(names.collect(), true, cells).unwrap()
}

fn request(structure: &Network, ridge: f64, restarts: usize) -> Request {
    Request {
        ridge: Ridge::Value(ridge),
        tolerance: Some(1e-9),
        restarts: Some(restarts),
        ..request_for(structure)
    }
}

fn chosen(structure: &Network, data: &Dataset, ridge: f64, restarts: usize) -> Candidate {
    let found = fit(data, &request(structure, ridge, restarts)).unwrap();
    found.chosen().clone()
}

/// T times the objective.
fn total_objective(network: &Network, data: &Dataset, ridge: f64) -> f64 {
    let scores = score(network, data, Some(EngineId::EXACT), &Sampling::default());
    let objective = Objective::with_ridge(ridge);
    let penalty = literal_penalty(network, data, network.weights(), objective);
    // The mean is over all rows: one without a known cell counts with 0.
    scores.unwrap().mean.value * data.len() as f64 - penalty * data.known_weight()
}

/// The network with some weights moved.
fn moved(network: &Network, moves: &[(usize, f64)]) -> Network {
    let mut weights = network.weights().to_vec();
    for &(at, by) in moves {
        weights[at] += by;
    }
    network.with_weights(weights).unwrap()
}

/// The inverse of minus the Hessian of `value`.
fn numerical_covariance(network: &Network, value: impl Fn(&Network) -> f64) -> Mat<f64> {
    let information = numerical_information(network, value);
    let factor = Llt::new(information.as_ref(), Side::Lower).expect("a maximum");
    let terms = network.terms().len();
    factor.solve(Mat::<f64>::identity(terms, terms))
}

/// Minus the Hessian of `value`, by second differences.
fn numerical_information(network: &Network, value: impl Fn(&Network) -> f64) -> Mat<f64> {
    const STEP: f64 = 2e-3;
    let terms = network.terms().len();
    let mut information = Mat::<f64>::zeros(terms, terms);
    for a in 0..terms {
        for b in 0..=a {
            let at = |da: f64, db: f64| value(&moved(network, &[(a, da * STEP), (b, db * STEP)]));
            let second = at(1.0, 1.0) - at(1.0, -1.0) - at(-1.0, 1.0) + at(-1.0, -1.0);
            information[(a, b)] = -second / (4.0 * STEP * STEP);
            information[(b, a)] = information[(a, b)];
        }
    }
    information
}

fn entropy(network: &Network) -> f64 {
    let found = infer(network, &[], Some(EngineId::EXACT), &Sampling::default());
    found.unwrap().answer.expectations.entropy.value
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn standard_errors_are_those_of_the_numerical_hessian(
        seed in any::<u64>(),
        hidden in 0usize..=1,
        shape in prop::sample::select(vec![Shape::Full, Shape::Rbm]),
        missing in prop::sample::select(vec![0.0, 0.1]),
        ridge in 0.5..3.0f64,
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let structure = machine(4, hidden, shape, 2);
        let data = rows(&random(&structure, 1.5, &mut rng), 80, missing, &mut rng);
        let found = chosen(&structure, &data, ridge, 3);
        prop_assume!(found.certificate.kind == CertificateKind::InteriorLocalMaximum);
        let network = &found.network;
        let covariance = numerical_covariance(network, |n| total_objective(n, &data, ridge));
        let errors = &found.standard_errors;
        prop_assume!(errors.undetermined.is_empty());
        for (term, error) in errors.weights.iter().enumerate() {
            let expected = covariance[(term, term)].sqrt();
            let error = error.expect("a standard error");
            prop_assert!(close(error, expected, 2e-4, 1e-3), "{error} against {expected}");
        }
        // The delta method, with the gradient of the entropy by differences.
        let slope = |term: usize| {
            let step = 1e-5;
            (entropy(&moved(network, &[(term, step)])) - entropy(&moved(network, &[(term, -step)])))
                / (2.0 * step)
        };
        let slopes: Vec<f64> = (0..network.terms().len()).map(slope).collect();
        let mut variance = 0.0;
        for (a, x) in slopes.iter().enumerate() {
            for (b, y) in slopes.iter().enumerate() {
                variance += x * y * covariance[(a, b)];
            }
        }
        let error = errors.entropy.expect("a standard error of the entropy");
        prop_assert!(close(error, variance.sqrt(), 1e-3, 1e-3), "{error} against {}", variance.sqrt());
    }
}

/// Biases only, on the visible units.
fn independent(units: usize) -> Network {
    let names = (1..=units).map(|u| Unit::visible(format!("y{u}")));
    let biases = (0..units).map(|u| (Term::new(vec![u]), 0.0));
    Network::new(names.collect(), biases).unwrap()
}

#[test]
fn independent_bits_have_their_closed_form() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let structure = independent(3);
    let data = rows(&random(&structure, 2.0, &mut rng), 150, 0.0, &mut rng);
    let found = chosen(&structure, &data, 0.0, 1);
    let count = data.len() as f64;
    let mut entropy_variance = 0.0;
    for (unit, error) in found.standard_errors.weights.iter().enumerate() {
        let ones = (0..data.len()).filter(|&row| data.cell(row, unit) == Cell::One);
        let mean = ones.count() as f64 / count;
        let information = count * mean * (1.0 - mean);
        assert!(close(error.unwrap(), information.powf(-0.5), 1e-8, 1e-8));
        // dH/dλ = −λ m (1 − m).
        let weight = (mean / (1.0 - mean)).ln();
        entropy_variance += (weight * mean * (1.0 - mean)).powi(2) / information;
    }
    let error = found.standard_errors.entropy.unwrap();
    assert!(close(error, entropy_variance.sqrt(), 1e-8, 1e-8));
    // The mean log-likelihood: the rows' standard deviation over √T, row by row.
    let by_row: Vec<f64> = (0..data.len())
        .map(|row| {
            let state = |unit: usize| data.cell(row, unit) == Cell::One;
            found.network.exponent(state)
        })
        .collect();
    let mean = by_row.iter().sum::<f64>() / count;
    let squares: f64 = by_row.iter().map(|x| (x - mean).powi(2)).sum();
    let expected = (squares / (count - 1.0) / count).sqrt();
    assert!(close(
        found.standard_errors.log_likelihood.unwrap(),
        expected,
        1e-10,
        1e-10
    ));
}

#[test]
fn intervals_from_standard_errors_cover_the_truth() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let structure = machine(4, 0, Shape::Visible, 2);
    let truth = random(&structure, 1.0, &mut rng);
    let (truth_entropy, sets) = (entropy(&truth), 200);
    let (mut covered, mut entropies) = (0, 0);
    for _ in 0..sets {
        let data = rows(&truth, 300, 0.0, &mut rng);
        let found = chosen(&structure, &data, 0.0, 1);
        let errors = &found.standard_errors;
        let weights = truth.weights().iter().zip(found.network.weights());
        for ((truth, estimate), error) in weights.zip(&errors.weights) {
            covered += usize::from((truth - estimate).abs() <= 1.96 * error.unwrap());
        }
        let miss = (found.entropy.value - truth_entropy).abs();
        entropies += usize::from(miss <= 1.96 * errors.entropy.unwrap());
    }
    let share = covered as f64 / (sets * truth.terms().len()) as f64;
    assert!((0.93..0.97).contains(&share), "weights: {share}");
    let share = entropies as f64 / sets as f64;
    assert!((0.90..=0.98).contains(&share), "entropy: {share}");
}

#[test]
fn a_dead_hidden_unit_has_no_standard_error() {
    // Two independent pairs, and a hidden unit that sees only the first: nothing is left for it to explain
    // once the pair has its own weight, and its weights are not determined.
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let units = vec![
        Unit::visible("a"),
        Unit::visible("b"),
        Unit::visible("c"),
        Unit::hidden("z"),
    ];
    let terms = [
        vec![0],
        vec![1],
        vec![2],
        vec![0, 1],
        vec![3],
        vec![0, 3],
        vec![1, 3],
    ];
    let structure = Network::new(units, terms.map(|t| (Term::new(t), 0.0))).unwrap();
    let data = rows(&random(&structure, 1.0, &mut rng), 200, 0.0, &mut rng);
    let fit = fit(&data, &request(&structure, 0.0, 4)).unwrap();
    let found = fit.chosen();
    // A continuum: the unit's weights may be anything.
    assert!(found.is_of_flat_set);
    assert_eq!(found.certificate.kind, CertificateKind::Stationary);
    let errors = &found.standard_errors;
    // The bias of c stands apart from the rest.
    let known: Vec<usize> = (0..7).filter(|&t| errors.weights[t].is_some()).collect();
    assert_eq!(known, [2]);
    assert_eq!(errors.undetermined, [0, 1, 3, 4, 5, 6]);
    assert_eq!(errors.entropy, None);
    let spread = resampled(
        &fit,
        &data,
        &request(&structure, 0.0, 1),
        20,
        BootstrapKind::Rows,
    );
    let spreads = spread.spreads.unwrap();
    let known: Vec<usize> = (0..7).filter(|&t| spreads.weights[t].is_some()).collect();
    assert_eq!(known, [2]);
    assert_eq!(spreads.entropy, None);
    assert!(spreads.log_likelihood.std_err > 0.0);

    // A ridge determines them.
    let found = chosen(&structure, &data, 4.0, 4);
    let errors = found.standard_errors.weights;
    assert!(errors.iter().all(Option::is_some), "{errors:?}");
    // The pair of visible units has no way round the prior: its error is below the prior's 1/√α.
    assert!(errors[3].is_some_and(|e| e <= 0.5 + 1e-9), "{errors:?}");
}

#[test]
fn weights_at_the_edge_have_none_and_the_others_are_given_them() {
    // y1 and y2 never occur together; y3 is independent of both.
    let kinds = [
        [1, 0, 1],
        [0, 1, 0],
        [1, 0, 0],
        [0, 1, 1],
        [0, 0, 1],
        [0, 0, 0],
    ];
    let cells = kinds.iter().cycle().take(60).map(|row| {
        row.map(|x| if x == 1 { Cell::One } else { Cell::Zero })
            .to_vec()
    });
    let names = (1..=3).map(|u| format!("y{u}")).collect();
    let data = Dataset::from_cells(names, true, cells).unwrap();
    let structure = machine(3, 0, Shape::Visible, 2);
    let found = chosen(&structure, &data, 0.0, 1);
    assert_eq!(found.certificate.kind, CertificateKind::Boundary);
    let errors = &found.standard_errors;
    for (term, error) in errors.weights.iter().enumerate() {
        let at_edge = found.certificate.boundary_terms.contains(&term);
        assert_eq!(error.is_none(), at_edge, "{}", structure.label(term));
        assert!(error.is_none_or(|e| e.is_finite() && e < 15.0));
    }
    assert!(errors.entropy.is_some_and(f64::is_finite));
}

#[test]
fn unfinished_points_have_no_standard_errors_but_that_of_the_rows() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let structure = machine(4, 1, Shape::Full, 2);
    let data = rows(&random(&structure, 1.0, &mut rng), 50, 0.0, &mut rng);
    let few = Request {
        learner: Some(Learner::default()),
        max_iterations: Some(2),
        ..request(&structure, 0.0, 1)
    };
    let found = fit(&data, &few).unwrap();
    let errors = &found.chosen().standard_errors;
    assert!(errors.weights.iter().all(Option::is_none));
    assert_eq!(errors.entropy, None);
    assert!(errors.log_likelihood.is_some());
}

/// The bootstrap of a fit's chosen machine by `seed`, whatever the seed of the fit.
fn bootstrap(
    found: &Fit,
    data: &Dataset,
    request: &Request,
    resamples: Resamples,
    seed: u64,
    observer: &dyn Observer,
) -> Bootstrap {
    let control = Control {
        observer,
        ..Control::default()
    };
    let request = Request {
        bootstrap: Some(resamples),
        seed,
        ..request.clone()
    };
    let mut job = Job::new(data, &request).unwrap();
    job.choose(&control).unwrap();
    let part = job.refit(found, 0..job.refits(), &control).unwrap();
    let mut found = found.clone();
    job.assemble_refits(&mut found, &[part]).unwrap();
    found.bootstrap.unwrap()
}

fn resampled(
    found: &Fit,
    data: &Dataset,
    request: &Request,
    count: usize,
    kind: BootstrapKind,
) -> Bootstrap {
    bootstrap(found, data, request, Resamples { count, kind }, 7, &Silent)
}

#[test]
fn the_bootstrap_agrees_with_the_standard_errors() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let structure = machine(4, 0, Shape::Visible, 2);
    let truth = random(&structure, 1.0, &mut rng);
    let data = rows(&truth, 400, 0.0, &mut rng);
    let request = request(&structure, 0.0, 1);
    let fit = fit(&data, &request).unwrap();
    let found = fit.chosen();
    let errors = &found.standard_errors;
    for kind in [BootstrapKind::Rows, BootstrapKind::Parametric] {
        let made = resampled(&fit, &data, &request, 200, kind);
        assert_eq!((made.converged, made.at_the_edge), (200, 0));
        let spreads = made.spreads.unwrap();
        let near = |spread: f64, error: f64| {
            assert!(
                (spread / error - 1.0).abs() < 0.25,
                "{kind}: {spread} against {error}"
            );
        };
        for (term, spread) in spreads.weights.iter().enumerate() {
            let (spread, weight) = (spread.unwrap(), found.network.weights()[term]);
            near(spread.std_err, errors.weights[term].unwrap());
            assert!(spread.low < weight && weight < spread.high);
            assert!((spread.mean - weight).abs() < spread.std_err);
        }
        near(
            spreads.log_likelihood.std_err,
            errors.log_likelihood.unwrap(),
        );
        near(spreads.entropy.unwrap().std_err, errors.entropy.unwrap());
    }
}

#[test]
fn with_a_ridge_refits_spread_less_than_the_posterior() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let structure = machine(4, 0, Shape::Visible, 2);
    let data = rows(&random(&structure, 1.0, &mut rng), 200, 0.0, &mut rng);
    let ridge = 12.0;
    let request = request(&structure, ridge, 1);
    let fit = fit(&data, &request).unwrap();
    let found = fit.chosen();
    let covariance = numerical_covariance(&found.network, |n| total_objective(n, &data, ridge));
    let likelihood = numerical_information(&found.network, |n| total_objective(n, &data, 0.0));
    let sandwich = &covariance * &likelihood * &covariance;
    let kind = BootstrapKind::Parametric;
    let made = resampled(&fit, &data, &request, 200, kind);
    for (term, spread) in made.spreads.unwrap().weights.iter().enumerate() {
        // (−∇²F)⁻¹ (−∇²L) (−∇²F)⁻¹ / T.
        let expected = sandwich[(term, term)].sqrt();
        let (spread, posterior) = (spread.unwrap().std_err, found.standard_errors.weights[term]);
        assert!(
            (spread / expected - 1.0).abs() < 0.25,
            "{spread} against {expected}"
        );
        assert!(spread < posterior.unwrap());
    }
}

#[test]
fn the_bootstrap_does_not_depend_on_the_threads_and_keeps_labels_and_masks() {
    struct Counting(AtomicUsize);
    impl Observer for Counting {
        fn refit_done(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let structure = machine(5, 2, Shape::Rbm, 2);
    let data = rows(&random(&structure, 3.0, &mut rng), 120, 0.1, &mut rng);
    let request = request(&structure, 1.0, 6);
    let found = fit(&data, &request).unwrap();
    for kind in [BootstrapKind::Rows, BootstrapKind::Parametric] {
        let by = |threads| with_threads(threads, || resampled(&found, &data, &request, 12, kind));
        assert_eq!(by(1), by(2));
        let seeded = |seed| {
            let counting = Counting(AtomicUsize::new(0));
            let resamples = Resamples { count: 12, kind };
            let made = bootstrap(&found, &data, &request, resamples, seed, &counting);
            assert_eq!(counting.0.into_inner(), 12);
            made.spreads.unwrap()
        };
        assert_ne!(seeded(1), seeded(2));
        assert_eq!(seeded(2), seeded(2));
        // A whole fit of the same seed makes the same bootstrap.
        let whole = Request {
            bootstrap: Some(Resamples { count: 12, kind }),
            ..request.clone()
        };
        let whole = fit(&data, &whole).unwrap().bootstrap.unwrap();
        assert_eq!(whole.spreads.unwrap(), seeded(0));
    }
}

#[test]
fn what_cannot_be_bootstrapped_is_refused() {
    let structure = machine(2, 0, Shape::Visible, 2);
    let one = |cells: Vec<Vec<Cell>>| {
        Dataset::from_cells(vec!["y1".to_string(), "y2".to_string()], true, cells).unwrap()
    };
    let data = one(vec![
        vec![Cell::One, Cell::Zero],
        vec![Cell::Zero, Cell::One],
        vec![Cell::One, Cell::One],
    ]);
    let refused = |data: &Dataset, learner: Option<Learner>, count| {
        let request = Request {
            learner,
            bootstrap: Some(Resamples {
                count,
                kind: BootstrapKind::Rows,
            }),
            ..request(&structure, 1.0, 1)
        };
        let error = fit(data, &request).unwrap_err();
        assert!(error.is_input());
        error.to_string()
    };
    assert!(refused(&data, None, 1).contains("at least 2, not 1"));
    let cd = Some(Learner::Cd(Cd::default()));
    assert!(refused(&data, cd, 9).contains("cd only comes near"));
    let single = one(vec![
        vec![Cell::One, Cell::Zero],
        vec![Cell::Missing, Cell::Missing],
    ]);
    assert!(refused(&single, None, 9).contains("the data have 1"));
    assert!("blocks".parse::<BootstrapKind>().is_err());
    for kind in [BootstrapKind::Rows, BootstrapKind::Parametric] {
        assert_eq!(kind.to_string().parse::<BootstrapKind>().unwrap(), kind);
    }
}
