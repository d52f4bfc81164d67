//! Multiple imputation: missing cells drawn together, as the network has them given what is known of the row.

use crate::data::{Cell, Dataset};
use crate::error::{Error, Result};
use crate::inference::{Demand, Sampling, choose_engine};
use crate::network::Network;
use crate::random::{Purpose, named_seed, stream};
use crate::remark::Remark;
use crate::rows::{clamp_of_row, units_of_columns};
use rayon::prelude::*;

/// Completed rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Completed {
    /// For each draw, for each original row, one value per column; known cells are as they are.
    pub draws: Vec<Vec<Vec<bool>>>,
    /// What is to be doubted about the draws' independence, each said once.
    pub remarks: Vec<Remark>,
}

/// Completes the data `draws` times: every row's missing cells are drawn together from their joint distribution given
/// its known cells, hidden units summed out by being drawn along. The same seed gives the same draws.
///
/// Exact and independent where an exact engine holds what a row leaves open, else by Markov chains, with a remark.
///
/// ```
/// use latentropy::{Dataset, Network, answers::impute_draws};
/// let data = Dataset::from_rows(&[[1, -1], [0, 1]])?;
/// let completed = impute_draws(&Network::full(2, 1), &data, 5, 7)?;
/// assert_eq!(completed.draws.len(), 5);
/// assert!(completed.draws.iter().all(|rows| rows[0][0] && rows[1] == [false, true]));
/// # Ok::<(), latentropy::Error>(())
/// ```
pub fn impute_draws(
    network: &Network,
    data: &Dataset,
    draws: usize,
    seed: u64,
) -> Result<Completed> {
    let units = units_of_columns(network, data)?;
    // A seed of its own, so that the draws have nothing to do with what the same seed draws elsewhere.
    let seed = named_seed(seed, "draws of missing cells");
    let drawn: Vec<Drawn> = (0..data.rows().len())
        .into_par_iter()
        .map(|distinct| draw(network, data, &units, distinct, draws, seed))
        .collect::<Result<_>>()?;
    let mut remarks: Vec<Remark> = Vec::new();
    for remark in drawn.iter().flat_map(|drawn| &drawn.remarks) {
        if !remarks.contains(remark) {
            remarks.push(remark.clone());
        }
    }
    // Rows that are alike take turns at the states that were drawn for them.
    let mut taken = vec![0; drawn.len()];
    let mut completed = vec![Vec::with_capacity(data.len()); draws];
    for (row, &distinct) in data.distinct_of().iter().enumerate() {
        let distinct = distinct as usize;
        for table in &mut completed {
            let states = &drawn[distinct].states;
            let state = states.get(taken[distinct]);
            taken[distinct] += 1;
            let cell = |column: usize| match data.cell(row, column) {
                Cell::Zero => false,
                Cell::One => true,
                Cell::Missing => state.is_some_and(|state| state[column]),
            };
            table.push((0..units.len()).map(cell).collect());
        }
    }
    Ok(Completed {
        draws: completed,
        remarks,
    })
}

/// States of one distinct row's columns, as many as its occurrences need; none where nothing is missing.
struct Drawn {
    states: Vec<Vec<bool>>,
    remarks: Vec<Remark>,
}

fn draw(
    network: &Network,
    data: &Dataset,
    units: &[usize],
    distinct: usize,
    draws: usize,
    seed: u64,
) -> Result<Drawn> {
    let row = &data.rows()[distinct];
    let wanted = draws * data.counts()[distinct] as usize;
    if row.missing.is_empty() {
        return Ok(Drawn {
            states: Vec::new(),
            remarks: Vec::new(),
        });
    }
    let clamp = clamp_of_row(network.units().len(), units, row);
    let mut random = stream(seed, Purpose::Alone, distinct as u64);
    let demand = Demand {
        sampling: Sampling {
            seed: seed ^ distinct as u64,
            ..Sampling::default()
        },
        ..Demand::default()
    };
    let engine = choose_engine(network, &clamp)?.engine.engine();
    let prepared = engine.prepare(network, &clamp, &demand)?;
    let sampler = prepared.sampler(network.weights())?;
    let mut sampler = sampler
        .ok_or_else(|| Error::failed(format!("engine {} draws no states", engine.name())))?;
    let mut states = Vec::with_capacity(wanted);
    while states.len() < wanted {
        let drawn = sampler.draw(wanted - states.len(), &mut random);
        let of_columns = |state: Vec<bool>| units.iter().map(|&unit| state[unit]).collect();
        states.extend(drawn.into_iter().map(of_columns));
    }
    Ok(Drawn {
        states,
        remarks: sampler.remarks().to_vec(),
    })
}
