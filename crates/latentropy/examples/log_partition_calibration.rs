//! Measures how far log Z by sampling can be believed: z-scores against exact answers over many seeds, machine by machine.
//!
//! `cargo run --release -p latentropy --example log_partition_calibration -- SEEDS [MODEL...]`: models are files of machines
//! that an exact engine holds. The table is that of docs/log_partition.md. With `score MODEL ROWS SEEDS` machines without an exact
//! answer are scored seed by seed, so that the seeds can be compared.

#[path = "../tests/common/multimodal.rs"]
mod multimodal;

use latentropy::data::ReadOptions;
use latentropy::inference::Kind;
use latentropy::network::{Clamp, Network};
use latentropy::{Sampling, infer, read_dataset, read_network, score};
use multimodal::{hopfield, learned_bars_and_stripes, well_mixing};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if_eq("score").is_some() {
        let given: Vec<String> = arguments.collect();
        let [model, rows, seeds] = &given[..] else {
            return Err("score takes a model, rows and a number of seeds".into());
        };
        return compare(model, rows, seeds.parse()?);
    }
    let seeds: u64 = arguments.next().map_or(Ok(200), |text| text.parse())?;
    let models: Vec<String> = arguments.collect();
    println!(
        "| machine | log Z | mean error | root mean square z | beyond 3 errors, unwarned | beyond 3 errors | trusted | within the interval | mass bound below log Z by | seconds |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    if models.is_empty() {
        measure(
            "well mixing, 14 units, all pairs",
            &well_mixing(14, 0.8),
            seeds,
        )?;
        measure(
            "Hopfield, 16 units, 2 patterns",
            &hopfield(16, 2, 2.0),
            seeds,
        )?;
        measure(
            "Hopfield, 20 units, 3 patterns, strong",
            &hopfield(20, 3, 5.0),
            seeds,
        )?;
        measure(
            "bars and stripes 3×3, 6 hidden",
            &learned_bars_and_stripes(3, 6),
            seeds,
        )?;
        measure(
            "bars and stripes 4×4, 10 hidden",
            &learned_bars_and_stripes(4, 10),
            seeds,
        )?;
    }
    for model in &models {
        measure(
            model,
            &read_network(std::path::Path::new(model))?.network,
            seeds,
        )?;
    }
    Ok(())
}

/// Rows under a machine, seed by seed.
fn compare(model: &str, rows: &str, seeds: u64) -> Result<(), Box<dyn std::error::Error>> {
    let network = read_network(std::path::Path::new(model))?.network;
    let rows = read_dataset(std::path::Path::new(rows), &ReadOptions::default())?.dataset;
    for seed in 0..seeds {
        let start = Instant::now();
        let sampling = Sampling {
            seed,
            ..Sampling::default()
        };
        let found = score(&network, &rows, Some("gibbs".parse()?), &sampling)?;
        let within = found.mean_within();
        println!(
            "seed {seed}: {:.4} ± {:.4}, between {:.4} and {:.4}, trusted: {:?}, RAISE {:?}, {:.1} s",
            found.mean.value,
            found.mean.std_err.unwrap_or(f64::NAN),
            within.at_least.unwrap_or(f64::NAN),
            within.at_most.unwrap_or(f64::NAN),
            within.trusted,
            found.at_least,
            start.elapsed().as_secs_f64()
        );
        if let Some(witnesses) = &found.witnesses {
            println!("  {:?}", witnesses.ladder);
            println!("  {}", witnesses.notes().join("\n  "));
        }
        for remark in &found.remarks {
            println!("  {remark}");
        }
    }
    Ok(())
}

fn measure(name: &str, network: &Network, seeds: u64) -> latentropy::Result<()> {
    let exact = infer(network, &[], None, &Sampling::default())?;
    let exact = exact.answer.expectations.log_partition;
    assert_eq!(exact.kind, Kind::Exact, "{name} has no exact answer");
    let truth = exact.value;
    let none = Clamp::none(network.units().len());
    let (mut errors, mut squares, mut far, mut unwarned) = (0.0, 0.0, 0, 0);
    let (mut trusted, mut inside, mut below) = (0, 0, 0.0);
    let start = Instant::now();
    for seed in 0..seeds {
        let sampling = Sampling {
            seed,
            ..Sampling::default()
        };
        let found = sampling.sample(network, &none)?;
        let value = found.expectations.log_partition;
        let error = value.std_err.unwrap_or(f64::NAN);
        let z = (value.value - truth) / error;
        errors += error;
        squares += z * z;
        far += usize::from(z.abs() > 3.0);
        unwarned += usize::from(z.abs() > 3.0 && found.remarks.is_empty());
        let witnesses = found.witnesses;
        trusted += usize::from(witnesses.trusted);
        inside += usize::from(witnesses.at_least <= truth && truth <= witnesses.at_most);
        below += truth - witnesses.mass_bound;
    }
    let count = seeds as f64;
    println!(
        "| {name} | {truth:.4} | {:.4} | {:.2} | {unwarned} | {far} | {trusted} | {inside} | {:.4} | {:.2} |",
        errors / count,
        (squares / count).sqrt(),
        below / count,
        start.elapsed().as_secs_f64() / count
    );
    Ok(())
}
