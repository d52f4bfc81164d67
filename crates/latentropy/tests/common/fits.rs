//! Fits of machines that a test builds itself: the request for a structure, and the fit.

use latentropy::data::Dataset;
use latentropy::fit::{Hidden, Ridge, Structure};
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
