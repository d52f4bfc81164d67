//! Where a study's rows come from: random machines and their samples, or subsamples of real rows.

use crate::spec::{Fitted, Source, Truth};
use crate::streams::generator;
use latentropy::data::{Cell, Dataset, ReadOptions, read_dataset, read_dataset_bytes};
use latentropy::network::Network;
use latentropy::random::named_seed;
use latentropy::{Error, Result, sample};
use rand::seq::SliceRandom;
use rand_distr::{Distribution, StandardNormal};
use std::path::Path;

/// The built-in data: votes of 1984 (UCI Machine Learning Repository, CC BY 4.0; see `data/README.md`).
const HOUSE_VOTES: (&str, &[u8]) = (
    "house-votes-84",
    include_bytes!("../data/house-votes-84.csv"),
);

/// The machine to be learned from rows of these columns.
pub(crate) fn fitted(fitted: &Fitted, columns: &[String]) -> Result<Network> {
    Network::on_columns(columns, fitted.hidden, &fitted.term_options())
}

/// Truth number `index` of the name `name`.
pub(crate) fn truth(truth: &Truth, seed: u64, name: &str, index: usize) -> Result<Network> {
    let names: Vec<String> = (1..=truth.visible).map(|u| format!("y{u}")).collect();
    let machine = Network::on_columns(&names, truth.hidden, &truth.term_options())?;
    let mut rng = generator(seed, &format!("{name}/truth-{index}"));
    let weights = (0..machine.terms().len()).map(|_| {
        let normal: f64 = StandardNormal.sample(&mut rng);
        truth.scale * normal
    });
    let weights = weights.collect();
    machine.with_weights(weights)
}

/// Rows drawn from a truth: step 2 of the paper's section 6.
pub(crate) fn draw(truth: &Network, rows: usize, seed: u64, name: &str) -> Result<Dataset> {
    let visible = truth.visible();
    let mut draws = sample(truth, &[], named_seed(seed, name))?;
    let mut states = Vec::with_capacity(rows);
    while states.len() < rows {
        states.extend(draws.next(rows - states.len()));
    }
    let cells = states.into_iter().map(|state| {
        let cell = |&unit: &usize| if state[unit] { Cell::One } else { Cell::Zero };
        visible.iter().map(cell).collect::<Vec<Cell>>()
    });
    let names = visible.iter().map(|&unit| truth.units()[unit].name.clone());
    Dataset::from_cells(names.collect(), true, cells)
}

/// Reads real rows.
pub(crate) fn read(source: &Source) -> Result<Dataset> {
    let options = ReadOptions {
        columns: (!source.columns.is_empty()).then(|| source.columns.clone()),
        ..ReadOptions::default()
    };
    let loaded = if source.file == HOUSE_VOTES.0 {
        read_dataset_bytes(Path::new("house-votes-84.csv"), HOUSE_VOTES.1, &options)?
    } else {
        read_dataset(Path::new(&source.file), &options)?
    };
    Ok(loaded.dataset)
}

/// Rows to learn from, and the others to score by.
pub(crate) fn split(
    data: &Dataset,
    rows: usize,
    seed: u64,
    name: &str,
) -> Result<(Dataset, Dataset)> {
    if rows >= data.len() {
        return Err(Error::invalid(format!(
            "{name}: {rows} of {} rows leave none to score by; take smaller sizes",
            data.len()
        )));
    }
    let mut order: Vec<usize> = (0..data.len()).collect();
    order.shuffle(&mut generator(seed, name));
    let (learned, scored) = order.split_at(rows);
    Ok((data.rows_subset(learned), data.rows_subset(scored)))
}
