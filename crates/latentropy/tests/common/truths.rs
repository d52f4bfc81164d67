//! Machines without biases, and rows drawn from them with random weights.

use latentropy::data::{Cell, Dataset};
use latentropy::internals::ExactSampler;
use latentropy::network::{Clamp, Network, Shape, TermOptions, Unit, named_terms};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// Visible units y1, …, hidden units z1, …, pairs only; the full shape is the paper's machine.
pub fn machine(visible: usize, hidden: usize, shape: Shape) -> Network {
    let units: Vec<Unit> = (1..=visible)
        .map(|y| Unit::visible(format!("y{y}")))
        .chain((1..=hidden).map(|z| Unit::hidden(format!("z{z}"))))
        .collect();
    let options = TermOptions {
        shape,
        bias: false,
        order: 2,
    };
    let terms = named_terms(&units, &options).expect("terms");
    Network::new(units, terms.into_iter().map(|term| (term, 0.0))).expect("a network")
}

/// Rows drawn from the structure with normal weights of a given scale.
pub fn rows_of(structure: &Network, scale: f64, rows: usize, seed: u64) -> Dataset {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let weights = (0..structure.terms().len())
        .map(|_| scale * Distribution::<f64>::sample(&StandardNormal, &mut rng))
        .collect();
    let truth = structure.with_weights(weights).expect("weights");
    let sampler = ExactSampler::new(&truth, &Clamp::none(truth.units().len())).expect("a sampler");
    let visible = truth.visible().len();
    let cells = sampler.sample(rows, &mut rng).into_iter().map(|state| {
        let cell = |&on: &bool| if on { Cell::One } else { Cell::Zero };
        state[..visible].iter().map(cell).collect::<Vec<Cell>>()
    });
    let names = (1..=visible).map(|y| format!("y{y}")).collect();
    Dataset::from_cells(names, true, cells).expect("data")
}
