//! Machines whose weights are as large and as small as a file may hold them, through every engine: finite answers or refusals.

use latentropy::inference::Kind;
use latentropy::network::{Term, Unit};
use latentropy::{Dataset, EngineId, Error, Network, Sampling, infer, score};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Sizes of weights, up to the largest that is read.
const SIZES: [f64; 10] = [
    1e-300, 1e-12, 1.0, 40.0, 800.0, 1e5, 1e10, 1e20, 1e60, 1e100,
];

/// Machines of different graphs; the sign of every third weight is turned.
fn machines(size: f64) -> Vec<(&'static str, Network)> {
    let shapes = [
        ("one unit", Network::visible_pairs(1)),
        ("pairs", Network::visible_pairs(5)),
        ("restricted", Network::rbm(4, 2)),
        ("full", Network::full(3, 2)),
        ("semi-restricted", Network::semi_restricted(3, 2)),
        ("chain", chain()),
        ("order 3", of_order_three()),
    ];
    let weighted = |network: Network| {
        let sign = |at: usize| if at % 3 == 2 { -size } else { size };
        let weights = (0..network.terms().len()).map(sign).collect();
        network.with_weights(weights).unwrap()
    };
    shapes
        .map(|(name, network)| (name, weighted(network)))
        .to_vec()
}

fn chain() -> Network {
    let units = (0..6).map(|at| Unit::visible(format!("y{at}"))).collect();
    let pairs = (0..5).map(|at| (Term::new(vec![at, at + 1]), 0.0));
    Network::new(units, pairs).unwrap()
}

fn of_order_three() -> Network {
    let units = (0..4).map(|at| Unit::visible(format!("y{at}"))).collect();
    let terms = [vec![0, 1, 2], vec![1, 2, 3], vec![0], vec![3]];
    Network::new(units, terms.map(|units| (Term::new(units), 0.0))).unwrap()
}

fn quick() -> Sampling {
    Sampling {
        chains: 64,
        sweeps: Some(20),
        annealing: Some(20),
        ..Sampling::default()
    }
}

#[test]
fn every_engine_answers_or_refuses_machines_of_any_weights() {
    let rows = |columns: usize| {
        let row = |ones: bool| vec![i8::from(ones); columns];
        Dataset::from_rows(&[row(true), row(false)]).unwrap()
    };
    let (mut asked, mut answered) = (0, 0);
    for size in SIZES {
        for (shape, network) in machines(size) {
            for engine in EngineId::all() {
                let what = format!("{shape} of {size:e} by {}", engine.name());
                asked += 1;
                let clock = Instant::now();
                let found = catch_unwind(AssertUnwindSafe(|| {
                    infer(&network, &[], Some(engine), &quick())
                }));
                let found = found.unwrap_or_else(|_| panic!("{what} panicked"));
                assert!(clock.elapsed() < Duration::from_secs(60), "{what}");
                match found {
                    Ok(found) => {
                        check(&what, &network, &found.answer.expectations);
                        answered += 1;
                    }
                    Err(error) => refused(&what, &error),
                }
                let data = rows(network.visible().len());
                let scored = catch_unwind(AssertUnwindSafe(|| {
                    score(&network, &data, Some(engine), &quick())
                }));
                match scored.unwrap_or_else(|_| panic!("score of {what} panicked")) {
                    Ok(found) => assert!(found.mean.value.is_finite(), "{what}"),
                    Err(error) => refused(&what, &error),
                }
            }
        }
    }
    // 10 sizes, 7 machines, 9 engines.
    assert_eq!(asked, 630);
    assert!(2 * answered > asked, "{answered} of {asked}");
}

fn check(what: &str, network: &Network, found: &latentropy::inference::Expectations) {
    let (log_partition, entropy) = (found.log_partition, found.entropy);
    assert!(
        log_partition.value.is_finite() && entropy.value.is_finite(),
        "{what}"
    );
    let is_probability = |value: &f64| (-1e-6..=1.0 + 1e-6).contains(value);
    assert!(
        found.means.iter().all(is_probability),
        "{what}: {:?}",
        found.means
    );
    assert!(found.terms.iter().all(|value| value.is_finite()), "{what}");
    let most = network.units().len() as f64 * 2f64.ln();
    if entropy.kind == Kind::Exact {
        assert!(
            (-1e-6..=most + 1e-6).contains(&entropy.value),
            "{what}: {}",
            entropy.value
        );
    }
    // No sum of exponentials is below its largest term, and none above as many of those as there are states.
    let literal = latentropy::internals::literal::expectations(
        network,
        &latentropy::network::Clamp::none(network.units().len()),
    );
    let slack = 1e-9 * (1.0 + literal.log_partition.value.abs());
    let (value, truth) = (log_partition.value, literal.log_partition.value);
    match log_partition.kind {
        Kind::Exact => assert!(
            (value - truth).abs() <= slack,
            "{what}: {value} for {truth}"
        ),
        Kind::LowerBound => assert!(value <= truth + 1e-6 + slack, "{what}: {value} for {truth}"),
        Kind::UpperBound => assert!(value >= truth - 1e-6 - slack, "{what}: {value} for {truth}"),
        Kind::Estimate | Kind::MonteCarlo => {}
    }
}

/// A refusal is a sentence.
fn refused(what: &str, error: &Error) {
    let message = error.to_string();
    assert!(
        !message.contains("NaN") && !message.contains('\n'),
        "{what}: {message}"
    );
}

#[test]
fn what_is_larger_is_refused_on_reading() {
    for weight in [1.1e100, -1e200, 1e300, f64::INFINITY, f64::NAN] {
        let units = vec![Unit::visible("a"), Unit::visible("b")];
        let made = Network::new(units, [(Term::new(vec![0, 1]), weight)]);
        let message = made.unwrap_err().to_string();
        assert!(message.contains("1e100"), "{message}");
    }
    // A constant that adds up beyond it, too.
    let terms = vec![(Term::new(vec![]), 9e99); 2];
    assert!(Network::new(vec![Unit::visible("a")], terms).is_err());
}

#[test]
fn the_public_face_does_not_panic_on_places_that_are_not_there() {
    use latentropy::data::Cell;
    let data = Dataset::from_rows(&[[0, 1], [1, 1]]).unwrap();
    assert_eq!(data.cell(9, 0), Cell::Missing);
    assert_eq!(data.cell(0, 9), Cell::Missing);
    assert!(data.select(&[0, 5]).is_err());
    assert_eq!(data.rows_subset(&[1, 7, 0]).len(), 2);
    assert_eq!(data.rows()[0].cell(100_000), Cell::Zero);
    assert_eq!(data.row_weight(12), 0.0);
    assert!(!data.is_known(3));
    let network = Network::full(2, 0);
    assert_eq!(network.label(99), "term 99");
    let clamp = latentropy::network::Clamp::none(2);
    let chains = latentropy::internals::Chains::new(&network, &clamp, usize::MAX, 1);
    assert!(matches!(chains, Err(Error::TooLarge { .. })));
    assert!(data.with_row_weights(vec![f64::MAX, f64::MAX]).is_err());
}
