//! Whether the standard errors of fits by samples cover the truth, and whether their ridge by evidence is the exact one.
//!
//! `cargo run --release --example coverage_by_samples [PROBLEMS]`: each problem is a random machine of visible pairs that
//! exact sums hold, with rows drawn from it. It is learned by samples; counted are the weights of the truth within 1.96
//! standard errors, for the exact fit, too. The ridges by evidence of both engines are compared on every fifth problem.
//!
//! `… --example coverage_by_samples table FILE [SEEDS]`: visible pairs of a table that exact sums hold, learned by samples with
//! many seeds (40); counted are the seeds whose log-likelihood and entropy are within 1.96 of their stated errors of the exact
//! fit's, and how far weights are from the exact ones in their own standard errors.

use latentropy::data::ReadOptions;
use latentropy::fit::{Ridge, Structure};
use latentropy::inference::Value;
use latentropy::network::{Shape, TermOptions};
use latentropy::{Dataset, EngineId, Fit, Network, Request, fit, read_dataset};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

const COLUMNS: usize = 6;
const ROWS: usize = 1000;

/// The standard deviation of the truth's weights.
const SPREAD: f64 = 0.5;

/// Rows of the machine, by enumeration.
fn rows_of(truth: &Network, random: &mut impl Rng) -> Vec<Vec<i8>> {
    let exponent = |state: usize| -> f64 {
        let terms = truth.terms().iter().zip(truth.weights());
        let on = terms.filter(|(term, _)| term.units().iter().all(|unit| state >> unit & 1 == 1));
        on.map(|(_, weight)| weight).sum()
    };
    let weights: Vec<f64> = (0..1 << COLUMNS)
        .map(|state| exponent(state).exp())
        .collect();
    let total: f64 = weights.iter().sum();
    let mut drawn = || {
        let mut left = total * random.random::<f64>();
        let mut state = 0;
        while state + 1 < weights.len() && left >= weights[state] {
            left -= weights[state];
            state += 1;
        }
        (0..COLUMNS).map(|unit| (state >> unit & 1) as i8).collect()
    };
    (0..ROWS).map(|_| drawn()).collect()
}

fn learned(
    data: &Dataset,
    engine: EngineId,
    ridge: Ridge,
    seed: u64,
) -> Result<Fit, latentropy::Error> {
    let request = Request {
        structure: Structure::Named(TermOptions {
            shape: Shape::Visible,
            ..TermOptions::default()
        }),
        engine: Some(engine),
        ridge,
        seed,
        ..Request::with_hidden(0)
    };
    fit(data, &request)
}

/// How many weights of the truth are within 1.96 standard errors of the fit's, and how many have an error.
fn covered(truth: &Network, found: &Fit) -> (usize, usize) {
    let chosen = found.chosen();
    let errors = chosen.standard_errors.weights.iter();
    let weights = truth.weights().iter().zip(chosen.network.weights());
    let judged = weights
        .zip(errors)
        .filter_map(|((a, b), error)| Some((a - b, (*error)?)));
    judged.fold((0, 0), |(within, all), (away, error)| {
        (within + usize::from(away.abs() <= 1.96 * error), all + 1)
    })
}

/// The table's exact fit, and how near to it fits by samples are, seed by seed.
fn beside_exact(path: &str, seeds: u64) -> Result<(), Box<dyn Error>> {
    let data = read_dataset(Path::new(path), &ReadOptions::default())?.dataset;
    let exact = learned(&data, EngineId::EXACT, Ridge::Evidence, 0)?;
    let ridge = Ridge::Value(exact.objective.ridge);
    let truth = exact.chosen();
    let (mut likely, mut entropic, mut farthest, mut largest) = (0, 0, 0.0f64, 0.0f64);
    let start = Instant::now();
    for seed in 0..seeds {
        let found = learned(&data, EngineId::GIBBS, ridge, seed)?;
        let chosen = found.chosen();
        let is_within = |value: Value, exact: f64| {
            let error = value.std_err.unwrap_or(0.0);
            usize::from((value.value - exact).abs() <= 1.96 * error)
        };
        likely += is_within(chosen.log_likelihood_value(), truth.log_likelihood);
        entropic += is_within(chosen.entropy, truth.entropy.value);
        let weights = chosen.network.weights().iter().zip(truth.network.weights());
        let away = weights.zip(&truth.standard_errors.weights);
        let away = away.filter_map(|((a, b), error)| Some(((a - b) / (*error)?).abs()));
        let away: Vec<f64> = away.collect();
        let square = away.iter().map(|a| a * a).sum::<f64>() / away.len() as f64;
        farthest = farthest.max(away.into_iter().fold(0.0, f64::max));
        largest = largest.max(square.sqrt());
    }
    println!(
        "{path}: {} terms, ridge {:.3}; of {seeds} seeds the log-likelihood of {likely} and the entropy of {entropic} are within 1.96 of their \
         errors of the exact fit; a weight is at most {farthest:.2} of its standard error away, {largest:.2} in the worst root mean \
         square of a seed; {:.1} s per seed",
        truth.network.terms().len(),
        exact.objective.ridge,
        start.elapsed().as_secs_f64() / seeds as f64
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if_eq("table").is_some() {
        let path = arguments.next().ok_or("a table is missing")?;
        return beside_exact(&path, arguments.next().map_or(Ok(40), |text| text.parse())?);
    }
    let problems: u64 = arguments.next().map_or(Ok(200), |text| text.parse())?;
    let (mut sampled, mut exact) = ((0, 0), (0, 0));
    let mut ratios = Vec::new();
    for problem in 0..problems {
        let mut random = ChaCha8Rng::seed_from_u64(problem);
        let structure = Network::full(COLUMNS, 0);
        let weights = structure.terms().iter().map(|_| {
            let normal: f64 = StandardNormal.sample(&mut random);
            SPREAD * normal
        });
        let weights = weights.collect();
        let truth = structure.with_weights(weights)?;
        let data = Dataset::from_rows(&rows_of(&truth, &mut random))?;
        for (engine, sum) in [
            (EngineId::GIBBS, &mut sampled),
            (EngineId::EXACT, &mut exact),
        ] {
            let (within, all) =
                covered(&truth, &learned(&data, engine, Ridge::Value(0.0), problem)?);
            *sum = (sum.0 + within, sum.1 + all);
        }
        if problem % 5 == 0 {
            let ridge = |engine| -> Result<f64, latentropy::Error> {
                let found = learned(&data, engine, Ridge::Evidence, problem)?;
                Ok(found
                    .choices
                    .evidence
                    .map_or(f64::NAN, |choice| choice.chosen))
            };
            ratios.push(ridge(EngineId::GIBBS)? / ridge(EngineId::EXACT)?);
        }
    }
    let share = |(within, all): (usize, usize)| 100.0 * within as f64 / all as f64;
    println!("{problems} problems of {COLUMNS} columns and {ROWS} rows, no ridge\n");
    println!(
        "| engine | weights with a standard error | of these cover the truth at 95 % |\n|---|---|---|"
    );
    println!("| samples | {} | {:.1} % |", sampled.1, share(sampled));
    println!("| exact | {} | {:.1} % |", exact.1, share(exact));
    ratios.sort_by(f64::total_cmp);
    if let (Some(least), Some(most)) = (ratios.first(), ratios.last()) {
        let middle = ratios[ratios.len() / 2];
        println!(
            "\nridge by evidence over the exact one, {} problems: {least:.3} to {most:.3}, median {middle:.3}",
            ratios.len()
        );
    }
    Ok(())
}
