//! One suite for all engines: each against the literal enumeration, and on the cases where engines usually break.
//!
//! To add an engine, add a line to [`subjects`]. What is asked of it follows from the kind of its values: exact values
//! have to be exact, bounds on their side of the truth, Monte-Carlo values within six standard errors, all else finite.

mod common;

use latentropy::Error;
use latentropy::inference::{
    Appearance, BeliefPropagation, Clamp, Enumeration, Expectations, Factorised,
    FeatureExpectations, GeneralisedBeliefPropagation, JunctionTree, Kind, MeanField,
    PairCovariances, Regions, Settled, Tap, TreeReweighted, Value, literal,
};
use latentropy::network::{Network, SpinNetwork, Term, Unit, from_spins};
use proptest::prelude::*;

/// An engine and what may be asked of it.
struct Subject {
    engine: Box<dyn FeatureExpectations>,
    /// How far exact values may be off, relative to their size: rounding, or where messages stop changing.
    tolerance: f64,
    /// Whether it takes terms of three and more units.
    any_order: bool,
    /// Whether it may give up with a reason and the next thing to try.
    may_fail: bool,
    /// Whether all its answers are exact.
    exact: bool,
}

/// All engines, for a network of this many units.
fn subjects(units: usize) -> Vec<Subject> {
    let exact = |engine: Box<dyn FeatureExpectations>| Subject {
        engine,
        tolerance: 1e-12,
        any_order: true,
        may_fail: false,
        exact: true,
    };
    let pairwise = |engine: Box<dyn FeatureExpectations>, may_fail: bool| Subject {
        engine,
        tolerance: 1e-11,
        any_order: false,
        may_fail,
        exact: false,
    };
    let regions = |regions: Regions| Subject {
        engine: Box::new(GeneralisedBeliefPropagation { regions }),
        tolerance: 1e-8,
        any_order: true,
        may_fail: true,
        exact: false,
    };
    let appearance = Appearance::SpanningTrees;
    vec![
        exact(Box::new(Enumeration)),
        exact(Box::new(Factorised)),
        exact(Box::new(JunctionTree)),
        pairwise(Box::new(MeanField), false),
        pairwise(Box::new(Tap), false),
        pairwise(Box::new(BeliefPropagation), true),
        pairwise(Box::new(TreeReweighted { appearance }), false),
        pairwise(Box::<TreeReweighted>::default(), false),
        regions(Regions::Loops),
        regions(Regions::Pairs),
        regions(Regions::Given(vec![
            (0..4.min(units)).collect(),
            (2..7.min(units)).collect(),
        ])),
    ]
}

/// The largest order of a term once units are held.
fn order(network: &Network, clamp: &Clamp) -> usize {
    let alive = |term: &&Term| term.units().iter().all(|&u| clamp.get(u) != Some(false));
    let left = |term: &Term| {
        term.units()
            .iter()
            .filter(|&&u| clamp.get(u).is_none())
            .count()
    };
    network
        .terms()
        .iter()
        .filter(alive)
        .map(left)
        .max()
        .unwrap_or(0)
}

/// Checks a value by its kind.
fn check_value(
    what: &str,
    found: Value,
    truth: f64,
    tolerance: f64,
    scale: f64,
) -> Result<(), String> {
    let (value, slack) = (found.value, tolerance * (1.0 + scale));
    let right = value.is_finite()
        && match found.kind {
            Kind::Exact => (value - truth).abs() <= slack,
            // The truth itself is a rounded sum.
            Kind::LowerBound => value <= truth + 1e-15 * (1.0 + scale),
            Kind::UpperBound => value >= truth - 1e-15 * (1.0 + scale),
            Kind::Estimate => true,
            Kind::MonteCarlo => found
                .std_err
                .is_some_and(|error| (value - truth).abs() <= 6.0 * error + slack),
        };
    match right {
        true => Ok(()),
        false => Err(format!("{what} {found:?} where the truth is {truth}")),
    }
}

/// Everything that holds of any engine's answer; `None` where it gave up in an orderly way.
fn check(
    subject: &Subject,
    network: &Network,
    clamp: &Clamp,
) -> Result<Option<Expectations>, String> {
    let name = subject.engine.name();
    let found = match subject.engine.expectations(network, clamp) {
        Ok(found) => found,
        Err(error @ Error::Invalid(_)) if !subject.any_order && order(network, clamp) > 2 => {
            let text = error.to_string();
            let clear = text.contains(name) && text.contains("--engine");
            return clear.then_some(None).ok_or(text);
        }
        Err(error @ (Error::Failed(_) | Error::TooLarge(_))) if subject.may_fail => {
            let text = error.to_string();
            return text.contains("use --engine").then_some(None).ok_or(text);
        }
        Err(error) => return Err(format!("{name}: {error}")),
    };
    let truth = literal::expectations(network, clamp);
    let scale = network.weights().iter().map(|w| w.abs()).sum::<f64>();
    let context = |problem: String| format!("{name}: {problem}");
    check_value(
        "log Z",
        found.log_partition,
        truth.log_partition.value,
        subject.tolerance,
        scale,
    )
    .map_err(context)?;
    check_value(
        "entropy",
        found.entropy,
        truth.entropy.value,
        subject.tolerance,
        scale,
    )
    .map_err(context)?;
    if found.means.len() != truth.means.len() || found.terms.len() != truth.terms.len() {
        return Err(context("one entry a unit and a term".to_string()));
    }
    let exact = found.log_partition.kind == Kind::Exact;
    if subject.exact && !exact {
        return Err(context("an exact engine says that it is not".to_string()));
    }
    let ours = found.means.iter().chain(&found.terms);
    for (at, (ours, theirs)) in ours.zip(truth.means.iter().chain(&truth.terms)).enumerate() {
        let near = (ours - theirs).abs() <= subject.tolerance * (1.0 + scale);
        if !(0.0..=1.0).contains(ours) || (exact && !near) {
            return Err(context(format!(
                "expectation {at} is {ours}, the truth is {theirs}"
            )));
        }
    }
    for unit in 0..clamp.len() {
        if clamp
            .get(unit)
            .is_some_and(|held| found.means[unit] != f64::from(held))
        {
            return Err(context(format!(
                "unit {unit} is held, its mean is {}",
                found.means[unit]
            )));
        }
    }
    Ok(Some(found))
}

fn check_all(network: &Network, clamp: &Clamp) {
    for subject in subjects(network.units().len()) {
        check(&subject, network, clamp).unwrap();
    }
}

fn units(count: usize) -> Vec<Unit> {
    (0..count).map(|u| Unit::visible(format!("x{u}"))).collect()
}

fn network(count: usize, terms: &[(&[usize], f64)]) -> Network {
    let terms = terms
        .iter()
        .map(|(units, w)| (Term::new(units.to_vec()), *w));
    Network::new(units(count), terms).unwrap()
}

/// A network of biases and pairs on 1 to `most` units, pairs with the given probability, and a random clamp.
fn pairwise(most: usize, density: f64, scale: f64) -> impl Strategy<Value = (Network, Clamp)> {
    (1..=most)
        .prop_flat_map(move |count| {
            let pairs = count * (count - 1) / 2;
            (
                prop::collection::vec(-scale..scale, count + pairs),
                prop::collection::vec(prop::bool::weighted(density), pairs),
                prop::collection::vec(prop::option::weighted(0.2, any::<bool>()), count),
                -3.0..3.0f64,
            )
        })
        .prop_map(|(weights, present, clamp, constant)| {
            let count = clamp.len();
            let mut terms = vec![(Term::new(vec![]), constant)];
            terms.extend((0..count).map(|u| (Term::new(vec![u]), weights[u])));
            let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| vec![a, b]));
            for (at, pair) in pairs.enumerate() {
                if present[at] {
                    terms.push((Term::new(pair), weights[count + at]));
                }
            }
            (
                Network::new(units(count), terms).unwrap(),
                Clamp::new(clamp),
            )
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn terms_of_any_order((network, clamp) in common::network_and_clamp(12, 3.0)) {
        for subject in subjects(network.units().len()) {
            check(&subject, &network, &clamp).map_err(TestCaseError::fail)?;
        }
    }

    #[test]
    fn sparse_pairs((network, clamp) in pairwise(11, 0.25, 3.0)) {
        for subject in subjects(network.units().len()) {
            check(&subject, &network, &clamp).map_err(TestCaseError::fail)?;
        }
    }

    #[test]
    fn dense_pairs((network, clamp) in pairwise(8, 0.9, 2.0)) {
        for subject in subjects(network.units().len()) {
            check(&subject, &network, &clamp).map_err(TestCaseError::fail)?;
        }
    }

    #[test]
    fn hard_pairs((network, clamp) in pairwise(7, 0.4, 1000.0)) {
        for subject in subjects(network.units().len()) {
            check(&subject, &network, &clamp).map_err(TestCaseError::fail)?;
        }
    }

    #[test]
    fn forests_are_exact(
        parents in prop::collection::vec(any::<prop::sample::Index>(), 1..11),
        weights in prop::collection::vec(-4.0..4.0f64, 24),
        cut in prop::collection::vec(prop::bool::weighted(0.2), 11),
    ) {
        let count = parents.len() + 1;
        let mut terms: Vec<(Term, f64)> = (0..count).map(|u| (Term::new(vec![u]), weights[u])).collect();
        for (at, parent) in parents.iter().enumerate() {
            if !cut[at] {
                terms.push((Term::new(vec![at + 1, parent.index(at + 1)]), weights[12 + at]));
            }
        }
        let network = Network::new(units(count), terms).unwrap();
        let none = Clamp::none(count);
        prop_assert_eq!(BeliefPropagation::settles_by(&network, &none).unwrap(), Settled::Forest);
        for subject in subjects(network.units().len()) {
            let name = subject.engine.name();
            let found = check(&subject, &network, &none).map_err(TestCaseError::fail)?;
            if ["bp", "trw"].contains(&name) {
                prop_assert_eq!(found.unwrap().log_partition.kind, Kind::Exact);
            }
        }
        // Linear response is exact on a forest, for pairs that are no terms, too.
        let covariances = BeliefPropagation.covariances(&network, &none).unwrap();
        let states = literal::states(&network, &none);
        let truth = literal::expectations(&network, &none);
        for a in 0..count {
            for b in 0..count {
                let both: f64 = states.iter().filter(|(x, _)| x[a] && x[b])
                    .map(|(_, e)| (e - truth.log_partition.value).exp()).sum();
                let exact = both - truth.means[a] * truth.means[b];
                prop_assert!((covariances[a * count + b] - exact).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn linear_response_is_the_derivative_of_the_means((network, _) in pairwise(6, 0.5, 0.8)) {
        let derivatives = |engine: &dyn FeatureExpectations, covariances: Vec<f64>| {
            let count = network.units().len();
            let none = Clamp::none(count);
            let step = 1e-4;
            for b in 0..count {
                let at = network.terms().iter().position(|t| t.units() == [b]).unwrap();
                let means = |sign: f64| {
                    let mut weights = network.weights().to_vec();
                    weights[at] += sign * step;
                    engine.expectations(&network.with_weights(weights).unwrap(), &none).unwrap().means
                };
                let (up, down) = (means(1.0), means(-1.0));
                for a in 0..count {
                    let slope = (up[a] - down[a]) / (2.0 * step);
                    let found = covariances[a * count + b];
                    prop_assert!((found - slope).abs() < 1e-6, "{}: {found} {slope}", engine.name());
                }
            }
            Ok(())
        };
        let none = Clamp::none(network.units().len());
        derivatives(&MeanField, MeanField.covariances(&network, &none).unwrap())?;
        derivatives(&Tap, Tap.covariances(&network, &none).unwrap())?;
        derivatives(&BeliefPropagation, BeliefPropagation.covariances(&network, &none).unwrap())?;
    }
}

#[test]
fn a_single_unit() {
    for weight in [0.0, 2.5, -1000.0] {
        let one = network(1, &[(&[0], weight)]);
        check_all(&one, &Clamp::none(1));
        check_all(&one, &Clamp::new(vec![Some(true)]));
    }
    check_all(&network(1, &[]), &Clamp::none(1));
}

#[test]
fn a_disconnected_graph_with_isolated_units() {
    let parts = network(
        9,
        &[
            (&[0, 1], 1.5),
            (&[1, 2], -0.5),
            (&[0, 2], 0.7),
            (&[4, 5], 2.0),
            (&[6], -0.3),
            (&[7, 8], -1.2),
        ],
    );
    check_all(&parts, &Clamp::none(9));
}

#[test]
fn all_units_held() {
    let triangle = network(3, &[(&[0, 1], 1.5), (&[1, 2], -0.5), (&[0], 0.7)]);
    check_all(
        &triangle,
        &Clamp::new(vec![Some(true), Some(true), Some(false)]),
    );
}

#[test]
fn hard_constraints() {
    for sign in [1.0, -1.0] {
        let loops = network(
            5,
            &[
                (&[0, 1], sign * 1000.0),
                (&[1, 2], -sign * 1000.0),
                (&[2, 3], 1000.0),
                (&[3, 0], 0.5),
                (&[0], -sign * 1000.0),
                (&[1], 0.3),
                (&[2], 1000.0),
                (&[3, 4], -1000.0),
            ],
        );
        check_all(&loops, &Clamp::none(5));
    }
    // Exponents that cancel: what one table would round away decides in the next.
    let cancelling = network(
        3,
        &[
            (&[0], -1000.0),
            (&[0, 1], 1000.0),
            (&[1], -1000.0),
            (&[1, 2], 1000.0),
        ],
    );
    check_all(&cancelling, &Clamp::none(3));
}

/// Signs of the couplings of ten spins, row by row above the diagonal, drawn once at random.
const SIGNS: &str = "+-+----++-+++-++---+-+++-+-+-----+++-+-+--+-+";
const FIELDS: [f64; 10] = [
    0.09, -0.007, -0.058, -0.046, 0.055, 0.038, 0.064, -0.046, -0.017, -0.06,
];

/// A dense graph of strong couplings of both signs, on which messages keep turning round.
fn frustrated() -> Network {
    let mut terms: Vec<(Term, f64)> = Vec::new();
    let pairs = (0..10).flat_map(|a| (a + 1..10).map(move |b| vec![a, b]));
    for (pair, sign) in pairs.zip(SIGNS.chars()) {
        terms.push((Term::new(pair), if sign == '+' { 1.0 } else { -1.0 }));
    }
    terms.extend(
        FIELDS
            .iter()
            .enumerate()
            .map(|(u, h)| (Term::new(vec![u]), *h)),
    );
    from_spins(&SpinNetwork {
        units: units(10),
        terms,
        constant: 0.0,
    })
    .unwrap()
}

#[test]
fn a_frustrated_dense_graph() {
    let network = frustrated();
    let none = Clamp::none(10);
    check_all(&network, &none);
    // Messages keep turning round here; the descent of the Bethe free energy does not.
    let settled = BeliefPropagation::settles_by(&network, &none).unwrap();
    assert!(
        matches!(settled, Settled::Residuals | Settled::Minimisation),
        "{settled:?}"
    );
    let found = BeliefPropagation.expectations(&network, &none).unwrap();
    assert_eq!(found.log_partition.kind, Kind::Estimate);
}

#[test]
fn junction_tree_samples_follow_the_exact_means() {
    use latentropy::inference::JunctionTreeSampler;
    use rand::SeedableRng;
    let network = frustrated();
    let mut clamp = Clamp::none(10);
    clamp.hold(4, true);
    let truth = literal::expectations(&network, &clamp);
    let sampler = JunctionTreeSampler::new(&network, &clamp).unwrap();
    let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(5);
    let count = 20_000;
    let samples = sampler.sample(count, &mut rng);
    for (at, term) in network.terms().iter().enumerate() {
        let on = |state: &&Vec<bool>| term.units().iter().all(|&u| state[u]);
        let share = samples.iter().filter(on).count() as f64 / count as f64;
        let exact = truth.terms[at];
        let error = (exact * (1.0 - exact).max(0.0) / count as f64).sqrt();
        assert!(
            (share - exact).abs() <= 5.0 * error + 1e-12,
            "term {at}: {share} {exact}"
        );
    }
    assert!(samples.iter().all(|state| state[4]));
}
