//! The Rust side of `bench/`: one JSON job a line on standard input, one JSON answer a line on standard output.

use latentropy::data::{Cell, Dataset};
use latentropy::fit::{Ridge, Structure};
use latentropy::inference::{StratifiedSums, Sums};
use latentropy::internals::Enumerator;
use latentropy::learning::{Course, EmIs, Learner, Objective, Problem, learn};
use latentropy::network::{Network, Term, TermOptions, Unit};
use latentropy::{EngineId, Request, fit};
use serde_json::{Value, json};
use std::error::Error;
use std::io::BufRead;
use std::time::Instant;

type Answer = Result<Value, Box<dyn Error>>;

fn main() -> Result<(), Box<dyn Error>> {
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let job: Value = serde_json::from_str(&line)?;
        let answer = match job["job"].as_str() {
            Some("exact") => exact(&job)?,
            Some("em-is") => em_is(&job)?,
            Some("restarts") => restarts(&job)?,
            other => return Err(format!("no such job: {other:?}").into()),
        };
        println!("{answer}");
    }
    Ok(())
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .map(|list| list.iter().filter_map(Value::as_f64).collect())
        .unwrap_or_default()
}

fn count(job: &Value, name: &str, default: u64) -> usize {
    job[name].as_u64().unwrap_or(default) as usize
}

/// Calls `work` often enough to be timed, `repeats` times over; seconds a call.
fn time(repeats: usize, mut work: impl FnMut()) -> Vec<f64> {
    work();
    let started = Instant::now();
    work();
    let calls = (2e-3 / started.elapsed().as_secs_f64().max(1e-9)).clamp(1.0, 1e5) as usize;
    (0..repeats)
        .map(|_| {
            let started = Instant::now();
            for _ in 0..calls {
                work();
            }
            started.elapsed().as_secs_f64() / calls as f64
        })
        .collect()
}

/// Peak resident memory of this process in bytes, where the system tells.
fn peak_bytes() -> f64 {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| {
            let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
            line.split_whitespace().nth(1)?.parse::<f64>().ok()
        })
        .map_or(f64::NAN, |kilobytes| kilobytes * 1024.0)
}

fn exact(job: &Value) -> Answer {
    let biases = numbers(&job["biases"]);
    let pairs: Vec<Vec<f64>> = job["pairs"]
        .as_array()
        .map(|list| list.iter().map(numbers).collect())
        .unwrap_or_default();
    let units = biases.len();
    let mut masks: Vec<u64> = (0..units).map(|u| 1 << u).collect();
    let mut coefficients = biases.clone();
    for pair in &pairs {
        masks.push(1 << pair[0] as u64 | 1 << pair[1] as u64);
        coefficients.push(pair[2]);
    }
    let before = peak_bytes();
    let enumerator = Enumerator::new(units, &masks)?;
    let repeats = count(job, "repeats", 5);
    let (seconds, log_partition, by_mask) = if job["strata"].as_bool() == Some(true) {
        let enumerator = enumerator.with_strata(&vec![1; masks.len()], 0);
        let mut out = StratifiedSums::default();
        let mut failure = None;
        let seconds = time(repeats, || {
            failure = enumerator.stratified(&coefficients, &mut out).err();
        });
        if let Some(error) = failure {
            return Err(error.into());
        }
        let by_mask = (0..masks.len())
            .map(|at| out.sums.iter().skip(at).step_by(out.width).sum())
            .collect();
        (seconds, out.log_partition, by_mask)
    } else {
        let mut out = Sums::default();
        let seconds = time(repeats, || {
            enumerator.sums(&coefficients, &mut out);
            let energy: f64 = coefficients
                .iter()
                .zip(&out.terms)
                .map(|(c, m)| c * m)
                .sum();
            std::hint::black_box(out.log_partition - energy);
        });
        (seconds, out.log_partition, out.terms)
    };
    let energy: f64 = coefficients
        .iter()
        .zip(&by_mask)
        .map(|(c, m): (&f64, &f64)| c * m)
        .sum();
    Ok(json!({
        "seconds": seconds,
        "log_partition": log_partition,
        "entropy": log_partition - energy,
        "means": by_mask[..units],
        "pairs": by_mask[units..],
        "peak_extra_bytes": peak_bytes() - before,
    }))
}

/// The paper's machine: visible and hidden units, every pair, no biases.
fn problem(job: &Value) -> Result<(Network, Dataset), Box<dyn Error>> {
    let (visible, hidden) = (count(job, "visible", 5), count(job, "hidden", 3));
    let units: Vec<Unit> = (0..visible)
        .map(|u| Unit::visible(format!("y{}", u + 1)))
        .chain((0..hidden).map(|u| Unit::hidden(format!("z{}", u + 1))))
        .collect();
    let all = units.len();
    let terms = (0..all).flat_map(|a| (a + 1..all).map(move |b| (Term::new(vec![a, b]), 0.0)));
    let rows: Vec<Vec<Cell>> = job["rows"]
        .as_array()
        .map(|rows| {
            rows.iter()
                .map(|row| {
                    numbers(row)
                        .iter()
                        .map(|&x| if x == 1.0 { Cell::One } else { Cell::Zero })
                        .collect()
                })
                .collect()
        })
        .unwrap_or_default();
    let names = (1..=visible).map(|u| format!("y{u}")).collect();
    Ok((
        Network::new(units, terms)?,
        Dataset::from_cells(names, false, rows)?,
    ))
}

fn em_is(job: &Value) -> Answer {
    let (structure, data) = problem(job)?;
    let learner = Learner::EmIs(EmIs {
        inner: count(job, "inner", 4),
        ..EmIs::default()
    });
    let course = Course {
        tolerance: f64::MIN_POSITIVE,
        max_iterations: count(job, "iterations", 100),
        ..Course::new(learner)
    };
    let objective = Objective::default();
    let problem = Problem::new(&structure, &data, objective, EngineId::EXACT, true)?;
    let start = numbers(&job["start"]);
    let outcome = learn(&problem, start.clone(), &course)?;
    let seconds = time(count(job, "repeats", 5), || {
        std::hint::black_box(learn(&problem, start.clone(), &course).ok());
    });
    Ok(json!({
        "seconds": seconds,
        "weights": outcome.point.weights,
        "log_likelihood": outcome.point.log_likelihood,
    }))
}

fn restarts(job: &Value) -> Answer {
    let (_, data) = problem(job)?;
    let name = job["learner"].as_str().unwrap_or("em-is");
    // `auto` is what `fit` does by itself: EM-IS with the second-order finish.
    let learner = match name {
        "auto" => None,
        name => Some(Learner::named(name)?),
    };
    let request = Request {
        structure: Structure::Named(TermOptions {
            bias: false,
            ..TermOptions::default()
        }),
        learner,
        engine: Some(EngineId::EXACT),
        ridge: Ridge::Value(0.0),
        tolerance: Some(job["tolerance"].as_f64().unwrap_or(1e-8)),
        max_iterations: Some(count(job, "max_iter", 1000)),
        restarts: Some(count(job, "restarts", 100)),
        seed: job["seed"].as_u64().unwrap_or(0),
        ..Request::with_hidden(count(job, "hidden", 3))
    };
    let threads = count(job, "threads", 1);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let mut seconds = Vec::new();
    let mut result = None;
    for _ in 0..count(job, "repeats", 1) {
        let started = Instant::now();
        result = Some(pool.install(|| fit(&data, &request))?);
        seconds.push(started.elapsed().as_secs_f64());
    }
    let fit = result.ok_or("no repeat was asked for")?;
    Ok(json!({
        "seconds": seconds,
        "threads": threads,
        "lme_entropy": fit.chosen().entropy.value,
        "distinct_solutions": fit.distinct_solutions,
        "converged": fit.candidates.iter().filter(|c| c.feasible).count(),
        "iterations": fit.candidates.iter().map(|c| c.iterations).collect::<Vec<_>>(),
        "residuals": fit.candidates.iter().map(|c| c.residual).collect::<Vec<_>>(),
        "certificates": fit.candidates.iter().map(|c| c.certificate.kind.to_string()).collect::<Vec<_>>(),
        "entropies": fit.candidates.iter().map(|c| c.entropy.value).collect::<Vec<_>>(),
        "log_likelihoods": fit.candidates.iter().map(|c| c.log_likelihood).collect::<Vec<_>>(),
    }))
}
