//! The states of Gibbs chains, for those who judge mixing by themselves.

use crate::network::{Held, Network, by_name};
use crate::work;
use latentropy::answers::{ChainPlan, chain_states};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use std::sync::Arc;

/// Chain by chain, draw by draw, one byte per unit.
#[pyfunction]
pub(crate) fn chains<'py>(
    py: Python<'py>,
    network: &Network,
    given: Vec<(String, Held)>,
    plan: (usize, usize, usize, usize),
    seed: u64,
    threads: usize,
) -> PyResult<Bound<'py, PyByteArray>> {
    let given = network.held(given)?;
    let machine = Arc::clone(&network.network);
    let (chains, draws, burn_in, apart) = plan;
    let plan = ChainPlan {
        chains,
        draws,
        burn_in,
        apart,
        seed,
    };
    let states = work::answer(py, threads, move || {
        chain_states(&machine, &by_name(&given), &plan)
    })?;
    PyByteArray::new_with(py, states.len(), |bytes| {
        for (place, state) in bytes.iter_mut().zip(&states) {
            *place = u8::from(*state);
        }
        Ok(())
    })
}
