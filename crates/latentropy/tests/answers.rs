//! What is asked of a learned network: scores of rows and how they are weighted, and what cannot be asked.

use latentropy::inference::Kind;
use latentropy::{Dataset, EngineId, Error, Network, Sampling, infer, sample, score};

/// A machine of three columns and a hidden unit, weights of some size.
fn machine() -> Network {
    let network = Network::full(3, 1);
    let weights = (0..network.terms().len()).map(|at| (1.7 * at as f64 + 0.4).sin());
    network.with_weights(weights.collect()).unwrap()
}

fn scored(data: &Dataset) -> latentropy::Result<latentropy::answers::Scores> {
    score(&machine(), data, None, &Sampling::default())
}

#[test]
fn no_rows_have_no_score() {
    let rows = Dataset::from_rows(&[[0, 1, 1], [1, 0, 1]]).unwrap();
    let none: [[i8; 3]; 0] = [];
    let cases = [
        rows.rows_subset(&[]),
        Dataset::from_rows(&none).unwrap(),
        rows.with_row_weights(vec![0.0; 2]).unwrap(),
    ];
    for data in cases {
        for engine in [None, Some(EngineId::EXACT), Some(EngineId::GIBBS)] {
            let found = score(&machine(), &data, engine, &Sampling::default());
            let error = found.unwrap_err();
            assert!(matches!(error, Error::Invalid(_)), "{error:?}");
            assert!(error.to_string().contains("no rows to score"), "{error}");
        }
    }
}

#[test]
fn the_mean_score_counts_rows_by_their_weights() {
    let rows = Dataset::from_rows(&[[0, 1, 1], [1, 0, 1], [0, 1, 1], [1, -1, 0]]).unwrap();
    let plain = scored(&rows).unwrap();
    let [a, b, c] = plain.by_distinct_row[..] else {
        panic!("three distinct rows");
    };
    assert!((plain.mean.value - (2.0 * a + b + c) / 4.0).abs() < 1e-12);
    assert_eq!(plain.mean.kind, Kind::Exact);
    let weights = vec![0.5, 3.0, 0.0, 1.5];
    let weighted = scored(&rows.with_row_weights(weights).unwrap()).unwrap();
    assert_eq!(weighted.by_distinct_row, plain.by_distinct_row);
    let mean = (0.5 * a + 3.0 * b + 1.5 * c) / 5.0;
    assert!((weighted.mean.value - mean).abs() < 1e-12);
    // All probabilities of the columns, by scores of every row: one.
    let all: Vec<[i8; 3]> = (0..8).map(|s| [s & 1, s >> 1 & 1, s >> 2 & 1]).collect();
    let all = scored(&Dataset::from_rows(&all).unwrap()).unwrap();
    let total: f64 = all.by_distinct_row.iter().map(|score| score.exp()).sum();
    assert!((total - 1.0).abs() < 1e-12, "{total}");
}

#[test]
fn rows_without_a_known_cell_are_certain() {
    let rows = Dataset::from_rows(&[[-1, -1, -1], [0, 1, 1]]).unwrap();
    let scores = scored(&rows).unwrap();
    assert_eq!(scores.by_distinct_row[0], 0.0);
    assert_eq!(scores.mean.value, 0.5 * scores.by_distinct_row[1]);
    let unknown = scored(&rows.rows_subset(&[0, 0])).unwrap();
    assert_eq!((unknown.by_distinct_row[0], unknown.mean.value), (0.0, 0.0));
}

#[test]
fn units_that_are_not_there_cannot_be_given() {
    let error = infer(&machine(), &[("y9", true)], None, &Sampling::default()).unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error:?}");
    let error = sample(&machine(), &[("y1", true), ("y1", false)], 1).unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error:?}");
}
