//! Times belief propagation a message update: `cargo run --release --example bench_messages [side]`.

use latentropy::internals::BeliefPropagation;
use latentropy::network::{Network, Term, Unit};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let side: usize = match std::env::args().nth(1) {
        Some(text) => text.parse()?,
        None => 100,
    };
    let mut terms = Vec::new();
    for r in 0..side {
        for c in 0..side {
            let unit = r * side + c;
            let weight = |k: usize| ((unit * 37 + k * 11) % 101) as f64 / 50.0 - 1.0;
            terms.push((Term::new(vec![unit]), weight(0)));
            if c + 1 < side {
                terms.push((Term::new(vec![unit, unit + 1]), weight(1)));
            }
            if r + 1 < side {
                terms.push((Term::new(vec![unit, unit + side]), weight(2)));
            }
        }
    }
    let units = (0..side * side).map(|u| Unit::visible(format!("x{u}")));
    let network = Network::new(units.collect(), terms)?;
    // The setup is timed apart, with no rounds at all.
    let time = |rounds: usize| -> Result<(f64, usize, f64), latentropy::Error> {
        let mut best = f64::INFINITY;
        let mut last = (0, 0.0);
        for _ in 0..5 {
            let start = std::time::Instant::now();
            last = BeliefPropagation::rounds(&network, rounds, 0.0)?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        Ok((best, last.0, last.1))
    };
    let (setup, _, _) = time(0)?;
    let (whole, updates, change) = time(200)?;
    println!(
        "{side}x{side} grid, one thread: {:.2} ns a message update ({updates} updates, last change {change:.1e})",
        (whole - setup) / updates as f64 * 1e9
    );
    Ok(())
}
