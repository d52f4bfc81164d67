//! Fits of machines that a test builds itself: the request for a structure, and the fit.

use latentropy::data::Dataset;
use latentropy::fit::{Hidden, Ridge, Structure};
use latentropy::message::PlainWording;
use latentropy::{EngineId, Fit, Network, Request, fit};

/// A request for this very machine, its units the columns in order and then hidden ones: exact, without a ridge.
pub fn request_for(structure: &Network) -> Request {
    let hidden = structure.hidden().len();
    let visible = structure.units().len() - hidden;
    assert!(
        structure.visible().into_iter().eq(0..visible),
        "hidden units come last"
    );
    let terms = structure.terms().to_vec();
    Request {
        hidden: Some(Hidden::One(hidden)),
        structure: Structure::Listed([(hidden, terms)].into()),
        engine: Some(EngineId::EXACT),
        ridge: Ridge::Value(0.0),
        ..Request::default()
    }
}

/// The fit of this machine by so many restarts.
pub fn fit_structure(structure: &Network, data: &Dataset, ridge: f64, restarts: usize) -> Fit {
    let request = Request {
        ridge: Ridge::Value(ridge),
        restarts: Some(restarts),
        ..request_for(structure)
    };
    fit(data, &request).expect("a fit")
}

/// What `run` gives with so many threads.
pub fn with_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads").install(run)
}

/// Rows of two kinds with noise; every seventh cell is missing where `missing` says so.
pub fn noisy_rows(columns: usize, count: usize, missing: bool) -> Dataset {
    let mut state = 12_345u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 16
    };
    let rows = (0..count).map(|_| {
        let kind = next() % 2;
        let cells = (0..columns).map(|column| {
            let flipped = next() % 5 == 0;
            match missing && next() % 7 == 0 {
                true => -1,
                false => i8::from((column as u32 % 2 == kind) != flipped),
            }
        });
        cells.collect::<Vec<i8>>()
    });
    Dataset::from_rows(&rows.collect::<Vec<_>>()).expect("data")
}

/// Fails unless both fits are the same in every bit that is not a time.
pub fn assert_same(a: &Fit, b: &Fit, at: &str) {
    assert_eq!(
        a.document(Vec::new(), &PlainWording),
        b.document(Vec::new(), &PlainWording),
        "{at}"
    );
    assert_eq!(a.remarks, b.remarks, "{at}");
    assert_eq!(a.choices, b.choices, "{at}");
    assert_eq!(a.bootstrap, b.bootstrap, "{at}");
    assert_eq!(a.boundary, b.boundary, "{at}");
    assert_eq!((a.objective, &a.course), (b.objective, &b.course), "{at}");
    assert_eq!(a.candidates.len(), b.candidates.len(), "{at}");
    for (a, b) in a.candidates.iter().zip(&b.candidates) {
        assert_eq!(a.network, b.network, "{at}, candidate {}", a.index);
        assert_eq!(
            a.standard_errors, b.standard_errors,
            "{at}, candidate {}",
            a.index
        );
        assert_eq!(a.trace, b.trace, "{at}, candidate {}", a.index);
    }
}
