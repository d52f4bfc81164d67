//! Restricted machines in mini-batches for `bench/restricted.py`: time a pass, and held-out log-likelihood.
//!
//! `bench_restricted fit TRAIN HELD HIDDEN BATCH CHAINS PASSES RATE DECAY RIDGE` learns and scores, and
//! `bench_restricted score MODEL TRAIN HELD` scores a machine that somebody else learned; both print one JSON object.
//! log Z is exact where it can be, else by annealed importance sampling from the training rows' means.

use latentropy::EngineId;
use latentropy::data::{Dataset, ReadOptions, read_dataset};
use latentropy::internals::{
    AnnealedImportance, AnswersAtOnce, RowPosteriors, exact_way, learn_restart,
};
use latentropy::learning::{Course, Learner, Objective, Pcd, Problem};
use latentropy::network::{Clamp, Network, Term, Unit, read_network};
use std::path::Path;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["score", model, train, held] => {
            let network = read_network(Path::new(model))?.network;
            println!("{}", scored(&network, &read(train)?, &read(held)?)?);
        }
        [
            "fit",
            train,
            held,
            hidden,
            batch,
            chains,
            passes,
            rate,
            decay,
            ridge,
        ] => {
            let (train, held) = (read(train)?, read(held)?);
            // Mean field is asked twice, and quick: what is timed is the passes.
            let engine: EngineId = "mean-field".parse()?;
            let learner = Learner::Pcd(Pcd {
                batch: Some(batch.parse()?),
                chains: chains.parse()?,
                cd_rate: Some(rate.parse()?),
                cd_decay: Some(decay.parse()?),
                ..Pcd::default()
            });
            let course = Course {
                max_iterations: passes.parse()?,
                ..Course::new(learner)
            };
            let course = course.checked(engine)?;
            let objective = Objective {
                ridge: ridge.parse()?,
                ..Objective::default()
            };
            let structure = restricted(train.columns(), hidden.parse()?)?;
            let problem = Problem::new(&structure, &train, objective, engine, false)?;
            let seconds = |passes: usize| -> Outcome<(f64, Vec<f64>)> {
                let clock = Instant::now();
                let course = Course {
                    max_iterations: passes,
                    ..course.clone()
                };
                let outcome = learn_restart(&problem, &course, 0, 0, false)?;
                Ok((clock.elapsed().as_secs_f64(), outcome.point.weights))
            };
            // What is not learning is in both.
            let (once, _) = seconds(1)?;
            let (all, weights) = seconds(course.max_iterations)?;
            let network = structure.with_weights(weights)?;
            println!(
                "{{\"passes\": {}, \"seconds\": {:.4}, \"milliseconds_a_pass\": {:.4}, \"held_out\": {}}}",
                course.max_iterations,
                all,
                1e3 * (all - once) / (course.max_iterations - 1).max(1) as f64,
                scored(&network, &train, &held)?
            );
        }
        _ => return Err("see the first lines of the source for the arguments".into()),
    }
    Ok(())
}

fn read(path: &str) -> Outcome<Dataset> {
    Ok(read_dataset(Path::new(path), &ReadOptions::default())?.dataset)
}

fn restricted(columns: &[String], hidden: usize) -> Outcome<Network> {
    let visible = columns.len();
    let mut units: Vec<Unit> = columns.iter().cloned().map(Unit::visible).collect();
    units.extend((1..=hidden).map(|h| Unit::hidden(format!("z{h}"))));
    let mut terms: Vec<Term> = (0..units.len()).map(|u| Term::new(vec![u])).collect();
    for v in 0..visible {
        terms.extend((visible..visible + hidden).map(|h| Term::new(vec![v, h])));
    }
    Ok(Network::new(units, terms.into_iter().map(|t| (t, 0.0)))?)
}

/// The mean log-likelihood of the held-out rows and its Monte-Carlo error.
fn scored(network: &Network, train: &Dataset, held: &Dataset) -> Outcome<String> {
    let none = Clamp::none(network.units().len());
    let (log_partition, error) = match exact_way(network, &none) {
        Ok(way) => (way.expectations(network, &none)?.log_partition.value, 0.0),
        Err(_) => {
            let mut base = vec![0.5; network.units().len()];
            for (column, &unit) in network.visible().iter().enumerate() {
                let ones = train.frequency(column, column).ones;
                base[unit] = (ones + 0.5) / (train.len() as f64 + 1.0);
            }
            let annealing = AnnealedImportance {
                base: Some(base),
                ..AnnealedImportance::default()
            };
            let (found, remarks) = annealing.log_partition(network, &none)?;
            for remark in remarks {
                eprintln!("{remark}");
            }
            let value = found.log_partition();
            (value.value, value.std_err.unwrap_or(0.0))
        }
    };
    let sums = RowPosteriors::new(network, held)?.log_sums(network.weights())?;
    let total: f64 = sums
        .iter()
        .zip(held.weights())
        .map(|(sum, weight)| sum * weight)
        .sum();
    let mean = total / held.len() as f64 - log_partition;
    Ok(format!(
        "{{\"log_likelihood\": {mean:.4}, \"std_err\": {error:.4}}}"
    ))
}
