//! A long run: `cargo run --release -p latentropy-fuzz -- CASES [SEED] [TARGET]`; a case that breaks a reader is kept as a file.

use latentropy_fuzz::{TARGETS, run};
use std::process::ExitCode;
use std::time::Instant;

/// Cases between two lines of progress.
const STRETCH: u64 = 100_000;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let cases = arguments.next().and_then(|text| text.parse::<u64>().ok());
    let seed = arguments
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    let only = arguments.next();
    let Some(cases) = cases else {
        eprintln!(
            "usage: latentropy-fuzz CASES [SEED] [TARGET]; CASES are divided among all readers"
        );
        return ExitCode::from(2);
    };
    // A panic is caught and told with its case.
    std::panic::set_hook(Box::new(|_| {}));
    let chosen: Vec<_> = TARGETS
        .iter()
        .filter(|target| only.as_ref().is_none_or(|only| only == target.name))
        .collect();
    let shares: u64 = chosen.iter().map(|target| target.share).sum();
    println!("| reader | cases | read | refused | slowest case | seconds |");
    println!("|---|---|---|---|---|---|");
    let (mut all, mut is_whole) = (0, true);
    for target in chosen {
        let own = (cases * target.share).div_ceil(shares);
        let started = Instant::now();
        let (mut done, mut read, mut refused) = (0, 0, 0);
        let mut slowest = std::time::Duration::ZERO;
        while done < own {
            let end = own.min(done + STRETCH);
            match run(target, seed, done..end) {
                Ok(tally) => {
                    read += tally.read;
                    refused += tally.refused;
                    slowest = slowest.max(tally.slowest);
                    done = end;
                }
                Err(broken) => {
                    let file = format!("broken-{}-{seed}-{}", broken.target, broken.case);
                    println!(
                        "{} case {}: {} ({file})",
                        broken.target, broken.case, broken.what
                    );
                    let _ = std::fs::write(&file, &broken.bytes);
                    is_whole = false;
                    done = broken.case + 1;
                }
            }
        }
        all += own;
        let seconds = started.elapsed().as_secs_f64();
        println!(
            "| {} | {own} | {read} | {refused} | {:.1} ms | {seconds:.0} |",
            target.name,
            slowest.as_secs_f64() * 1e3
        );
    }
    println!("| all | {all} | | | | |");
    match is_whole {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
