//! What EM-IS through each engine loses against the exact fit, on machines with hidden units.
//!
//! `cargo run --release -p latentropy --example em_is_by_engine [MACHINES [ENGINE…]]` draws that many machines (20) of
//! 5 + 3, 8 + 2 and 12 + 3 units, weights of scale 0.5 to 1.5, and 200 rows of each. The exact fit finds its ridge by
//! evidence, as `fit` does by default; every engine then learns at that ridge. Lost are nats per row, both machines scored
//! exactly. It ends with a Markdown table and exit code 1 where the bar is missed.

use latentropy::data::{Cell, Dataset};
use latentropy::fit::Ridge;
use latentropy::internals::ExactSampler;
use latentropy::learning::{EmIs, Learner};
use latentropy::network::{Clamp, Network};
use latentropy::{EngineId, Request, Sampling, fit, score};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const SHAPES: [(usize, usize); 3] = [(5, 3), (8, 2), (12, 3)];
const ROWS: usize = 200;
const RESTARTS: usize = 4;
/// Held back: no setting was chosen by machines from this seed on.
const FIRST_SEED: u64 = 1_000;
const ENGINES: [&str; 7] = ["mean-field", "tap", "bp", "gbp", "cbp", "trw", "gibbs"];
/// The bar: this in the median and never more than that, for these engines.
const MEDIAN: f64 = 0.03;
const WORST: f64 = 0.3;
const JUDGED: [&str; 4] = ["mean-field", "bp", "gbp", "gibbs"];

#[derive(Default)]
struct Tally {
    lost: Vec<f64>,
    seconds: f64,
    refused: usize,
    above_zero: usize,
    stops: BTreeMap<String, usize>,
}

fn main() -> Outcome<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    let machines: u64 = arguments.next().map_or(Ok(20), |text| text.parse())?;
    let named: Vec<String> = arguments.collect();
    let first = std::env::var("FIRST_SEED").map_or(Ok(FIRST_SEED), |text| text.parse())?;
    let engines: Vec<&str> = match named.is_empty() {
        true => ENGINES.to_vec(),
        false => named.iter().map(String::as_str).collect(),
    };
    let mut tallies: BTreeMap<(usize, usize), Tally> = BTreeMap::new();
    for (shape, (visible, hidden)) in SHAPES.into_iter().enumerate() {
        for seed in first..first + machines {
            one(shape, visible, hidden, seed, &engines, &mut tallies)?;
        }
    }
    Ok(table(&engines, &mut tallies))
}

/// One machine, learned exactly and through every engine.
fn one(
    shape: usize,
    visible: usize,
    hidden: usize,
    seed: u64,
    engines: &[&str],
    tallies: &mut BTreeMap<(usize, usize), Tally>,
) -> Outcome<()> {
    let data = rows(visible, hidden, seed)?;
    let request = Request {
        restarts: Some(RESTARTS),
        seed,
        ..Request::with_hidden(hidden)
    };
    let exact = fit(&data, &request)?;
    let best = exactly(&exact.chosen().network, &data)?;
    let ridge = exact.objective.ridge;
    for (at, name) in engines.iter().enumerate() {
        let tally = tallies.entry((at, shape)).or_default();
        let engine: EngineId = name.parse()?;
        let request = Request {
            engine: Some(engine),
            learner: Some(Learner::EmIs(EmIs::default())),
            ridge: Ridge::Value(ridge),
            ..request.clone()
        };
        let start = Instant::now();
        let found = fit(&data, &request);
        let seconds = start.elapsed().as_secs_f64();
        tally.seconds += seconds;
        match found {
            Err(error) => {
                tally.refused += 1;
                eprintln!("{visible}+{hidden} {seed} {name}: {error}");
            }
            Ok(found) => {
                let chosen = found.chosen();
                let lost = best - exactly(&chosen.network, &data)?;
                tally.lost.push(lost);
                tally.above_zero += usize::from(chosen.log_likelihood > 0.0);
                *tally.stops.entry(chosen.stop.to_string()).or_default() += 1;
                eprintln!(
                    "{visible}+{hidden} {seed} ridge {ridge:.2} {name}: lost {lost:.4}, own {:.3} of {best:.3}, entropy {:.3} of {:.3}, {} after {}, residual {:.1e}, {seconds:.2} s",
                    chosen.log_likelihood,
                    chosen.entropy.value,
                    exact.chosen().entropy.value,
                    chosen.stop,
                    chosen.iterations,
                    chosen.residual,
                );
            }
        }
    }
    Ok(())
}

/// Rows of a random machine.
fn rows(visible: usize, hidden: usize, seed: u64) -> Outcome<Dataset> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let scale = 0.5 + random.random::<f64>();
    let machine = Network::full(visible, hidden);
    let weights = machine.terms().iter().map(|_| {
        let normal: f64 = StandardNormal.sample(&mut random);
        scale * normal
    });
    let machine = machine.with_weights(weights.collect())?;
    let none = Clamp::none(visible + hidden);
    let states = ExactSampler::new(&machine, &none)?.sample(ROWS, &mut random);
    let cell = |on: &bool| if *on { Cell::One } else { Cell::Zero };
    let cells = states
        .iter()
        .map(|state| state[..visible].iter().map(cell).collect::<Vec<_>>());
    let names = (1..=visible).map(|column| format!("y{column}")).collect();
    Ok(Dataset::from_cells(names, true, cells)?)
}

/// The mean log-likelihood of a row, exact.
fn exactly(network: &Network, data: &Dataset) -> Outcome<f64> {
    let scores = score(network, data, Some(EngineId::EXACT), &Sampling::default())?;
    Ok(scores.mean.value)
}

fn table(engines: &[&str], tallies: &mut BTreeMap<(usize, usize), Tally>) -> ExitCode {
    println!("| engine | machine | median lost | worst | refused | stop | seconds per fit |");
    println!("|---|---|---|---|---|---|---|");
    let mut is_met = true;
    for ((at, shape), tally) in tallies {
        let (visible, hidden) = SHAPES[*shape];
        tally.lost.sort_by(f64::total_cmp);
        let fits = tally.lost.len() + tally.refused;
        let median = tally
            .lost
            .get(tally.lost.len() / 2)
            .copied()
            .unwrap_or(f64::NAN);
        let worst = tally.lost.last().copied().unwrap_or(f64::NAN);
        let stops = tally
            .stops
            .iter()
            .map(|(stop, count)| format!("{stop} {count}"));
        println!(
            "| {} | {visible}+{hidden} | {median:.4} | {worst:.4} | {} | {} | {:.2} |",
            engines[*at],
            tally.refused,
            stops.collect::<Vec<_>>().join(", "),
            tally.seconds / fits as f64,
        );
        if JUDGED.contains(&engines[*at]) {
            is_met &= median <= MEDIAN && worst <= WORST && tally.above_zero == 0;
        }
    }
    match is_met {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
