//! Times the junction tree on grids and tori: `cargo run --release --example bench_junction_tree`.

use latentropy::internals::{AnswersAtOnce, JunctionTree};
use latentropy::network::{Clamp, Network, Term, Unit};

fn lattice(rows: usize, columns: usize, torus: bool) -> Result<Network, latentropy::Error> {
    let mut terms = Vec::new();
    for r in 0..rows {
        for c in 0..columns {
            let unit = r * columns + c;
            terms.push((Term::new(vec![unit]), 0.1 * (unit % 7) as f64 - 0.9));
            if c + 1 < columns || torus {
                let right = r * columns + (c + 1) % columns;
                terms.push((Term::new(vec![unit, right]), 0.6));
            }
            if r + 1 < rows || torus {
                let below = (r + 1) % rows * columns + c;
                terms.push((Term::new(vec![unit, below]), 0.4));
            }
        }
    }
    let units = (0..rows * columns).map(|u| Unit::visible(format!("x{u}")));
    Network::new(units.collect(), terms)
}

fn main() -> Result<(), latentropy::Error> {
    for (rows, columns, torus) in [(10, 10, false), (10, 10, true), (20, 20, false)] {
        let network = lattice(rows, columns, torus)?;
        let none = Clamp::none(rows * columns);
        let start = std::time::Instant::now();
        let cost = JunctionTree::cost(&network, &none)?;
        let planned = start.elapsed().as_secs_f64();
        let found = JunctionTree.expectations(&network, &none)?;
        println!(
            "{rows}x{columns}{}: width {}, {:.2} GB, {:.2} s guessed; planned in {planned:.2} s, done in {:.2} s; log Z {:.12}",
            if torus { " torus" } else { "" },
            cost.width,
            cost.bytes / 1e9,
            cost.seconds,
            start.elapsed().as_secs_f64() - planned,
            found.log_partition.value
        );
    }
    Ok(())
}
