//! Times Gibbs chains on one thread: one JSON job a line in, one JSON reply a line out; `bench/sampling.py` is the caller.
//!
//! `{"job":"dense","units":1000,"chains":128,"sweeps":20,"scale":1.0,"repeats":5}`: every pair, normal weights of standard
//! deviation scale / √units. `{"job":"rbm","visible":784,"hidden":500,…}`: visible–hidden pairs only.
//! `{"job":"grid","side":64,…}`: a torus; with `"steps"` it is annealed instead. The reply has seconds a repeat for all sweeps, and the mean of the units.

use latentropy::Sampling;
use latentropy::inference::Tempering;
use latentropy::internals::{AnnealedImportance, Chains};
use latentropy::network::{Clamp, Network, Term, Unit};
use rand::RngExt;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::{Value, json};
use std::io::BufRead;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if !line.trim().is_empty() {
            println!("{}", run(&serde_json::from_str(&line)?)?);
        }
    }
    Ok(())
}

fn run(job: &Value) -> Result<Value, Box<dyn std::error::Error>> {
    let number = |key: &str, default: u64| job[key].as_u64().unwrap_or(default) as usize;
    let pairs: Vec<(usize, usize)> = match job["job"].as_str() {
        Some("dense") => {
            let units = number("units", 1000);
            (0..units)
                .flat_map(|a| (a + 1..units).map(move |b| (a, b)))
                .collect()
        }
        Some("rbm") => {
            let (visible, hidden) = (number("visible", 784), number("hidden", 500));
            (0..visible)
                .flat_map(|v| (0..hidden).map(move |h| (v, visible + h)))
                .collect()
        }
        Some("grid") => {
            let side = number("side", 64);
            let at = move |r: usize, c: usize| r % side * side + c % side;
            (0..side * side)
                .flat_map(|u| {
                    let (r, c) = (u / side, u % side);
                    [(u, at(r + 1, c)), (u, at(r, c + 1))]
                })
                .collect()
        }
        _ => return Ok(json!({"error": "unknown job"})),
    };
    let units = pairs.iter().map(|p| p.0.max(p.1)).max().unwrap_or(0) + 1;
    let scale = job["scale"].as_f64().unwrap_or(1.0);
    let degree = 2.0 * pairs.len() as f64 / units as f64;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    // Sums of twelve uniform numbers are normal enough for a benchmark.
    let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
    let mut terms: Vec<(Term, f64)> = (0..units)
        .map(|u| (Term::new(vec![u]), 0.1 * normal()))
        .collect();
    let coupling = job["coupling"].as_f64();
    for (a, b) in pairs {
        let weight = coupling.map_or_else(|| scale / degree.sqrt() * normal(), |k| 4.0 * k);
        terms.push((Term::new(vec![a, b]), weight));
    }
    // With a coupling: spins without a field, in {0,1}.
    if let Some(coupling) = coupling {
        for term in &mut terms[..units] {
            term.1 = -2.0 * degree * coupling;
        }
    }
    let names = (0..units).map(|u| Unit::visible(format!("x{u}"))).collect();
    let network = Network::new(names, terms)?;
    if let Some(steps) = job["steps"].as_u64() {
        let annealing = AnnealedImportance {
            chains: Sampling {
                chains: number("chains", 128),
                sweeps: Some(number("sweeps", 20)),
                tempering: Tempering::Never,
                ..Sampling::default()
            },
            base: Some(vec![0.5; units]),
            steps: Some(steps as usize),
        };
        let start = std::time::Instant::now();
        let (found, _) = annealing.log_partition(&network, &Clamp::none(units))?;
        let value = found.log_partition();
        return Ok(json!({
            "seconds": [start.elapsed().as_secs_f64()],
            "updates": (2 * steps as usize * units * number("chains", 128)) as f64,
            "log_partition": value,
            "forward": found.forward.value,
            "reverse": found.reverse.value,
            "effective_runs": [found.forward.effective_runs, found.reverse.effective_runs],
        }));
    }
    let mut chains = Chains::new(&network, &Clamp::none(units), number("chains", 128), 1)?;
    let sweeps = number("sweeps", 20);
    chains.sweep(sweeps);
    let mut seconds = Vec::new();
    for _ in 0..number("repeats", 5) {
        let start = std::time::Instant::now();
        chains.sweep(sweeps);
        seconds.push(start.elapsed().as_secs_f64());
    }
    let before = chains.states();
    chains.sweep(1);
    let after = chains.states();
    let flips = before
        .iter()
        .flatten()
        .zip(after.iter().flatten())
        .filter(|(a, b)| a != b)
        .count();
    let all = (units * chains.count()) as f64;
    let on = after.iter().flatten().filter(|&&x| x).count();
    Ok(json!({
        "seconds": seconds,
        "updates": all * sweeps as f64,
        "chains": chains.count(),
        "flip_rate": flips as f64 / all,
        "mean": on as f64 / all,
    }))
}
