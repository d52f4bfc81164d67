//! A restricted machine after so many passes over the rows, unmeasured: what `BernoulliRBM` asks for.

use crate::data::Data;
use crate::failure::raised;
use crate::network::Network;
use crate::work;
use latentropy::learning::{Course, Objective, OptionValue, Problem, learn_unmeasured};
use latentropy::network::{Shape, TermOptions};
use latentropy::{Cancel, EngineId, Learner, Setting};
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Persistent contrastive divergence in mini-batches, as many chains as rows in a batch; `look` is told ten times a second how
/// many passes are made.
#[pyfunction]
#[pyo3(signature = (data, hidden, batch, rate, passes, seed, threads, look=None))]
pub(crate) fn restricted(
    py: Python<'_>,
    data: &Data,
    hidden: usize,
    batch: usize,
    rate: f64,
    passes: usize,
    seed: u64,
    threads: usize,
    look: Option<Bound<'_, PyAny>>,
) -> PyResult<Network> {
    let (rows, cancel) = (Arc::clone(&data.dataset), Cancel::default());
    let made = Arc::new(AtomicUsize::new(0));
    let (stop, counter) = (cancel.clone(), Arc::clone(&made));
    let learning = move || -> latentropy::Result<latentropy::Network> {
        let options = TermOptions {
            shape: Shape::Rbm,
            ..TermOptions::default()
        };
        let structure = latentropy::Network::on_columns(rows.columns(), hidden, &options)?;
        let mut learner = Learner::named("pcd")?;
        learner.set(Setting::Batch, OptionValue::Count(batch))?;
        learner.set(Setting::Chains, OptionValue::Count(batch))?;
        learner.set(Setting::CdRate, OptionValue::Number(rate))?;
        let problem = Problem::new(
            &structure,
            &rows,
            Objective::default(),
            EngineId::GIBBS,
            false,
        )?;
        let course = Course {
            max_iterations: passes,
            ..Course::new(learner)
        };
        structure.with_weights(learn_unmeasured(
            &problem,
            &course,
            (seed, 0),
            &stop,
            &|progress| counter.store(progress.iterations, Ordering::Relaxed),
        )?)
    };
    let looked = |_: Python<'_>| match &look {
        Some(look) => {
            let nothing: (Option<f64>, Option<f64>) = (None, None);
            let told = (
                "passes",
                made.load(Ordering::Relaxed),
                passes,
                nothing.0,
                nothing.1,
            );
            look.call1(told).map(drop)
        }
        None => Ok(()),
    };
    let learned = work::run(py, threads, &cancel, looked, learning)?.map_err(raised)?;
    Ok(Network::new(learned, data.codings.clone()))
}
