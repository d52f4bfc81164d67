//! Lines times their factors, added up into a line that all share and into a line of each one's own.

use multiversion::multiversion;

/// Lines times their factors, entry by entry: each product is added to the shared line and to the own line of its
/// line, which begins at its start in `own` and is overwritten where it is fresh; with `KEEP` it also replaces the line.
/// The shared line is loaded and stored once for all lines.
#[inline]
pub(crate) fn add_products<const KEEP: bool>(
    lines: &mut [f64],
    factors: &[f64],
    shared: &mut [f64],
    own: &mut [f64],
    starts: &[(usize, bool)],
) {
    if KEEP {
        add_and_keep_products(lines, factors, shared, own, starts);
    } else {
        add_products_only(lines, factors, shared, own, starts);
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
fn add_and_keep_products(
    lines: &mut [f64],
    factors: &[f64],
    shared: &mut [f64],
    own: &mut [f64],
    starts: &[(usize, bool)],
) {
    products::<true>(lines, factors, shared, own, starts);
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
fn add_products_only(
    lines: &mut [f64],
    factors: &[f64],
    shared: &mut [f64],
    own: &mut [f64],
    starts: &[(usize, bool)],
) {
    products::<false>(lines, factors, shared, own, starts);
}

#[inline(always)]
fn products<const KEEP: bool>(
    lines: &mut [f64],
    factors: &[f64],
    shared: &mut [f64],
    own: &mut [f64],
    starts: &[(usize, bool)],
) {
    /// Entries of the shared line that are held in registers.
    const HELD: usize = 32;
    let length = shared.len();
    let (chunks, rest) = shared.as_chunks_mut::<HELD>();
    let tail = chunks.len() * HELD;
    for (chunk, sum) in chunks.iter_mut().enumerate() {
        let mut held = *sum;
        for (line, &(start, fresh)) in starts.iter().enumerate() {
            let from = line * length + chunk * HELD;
            let values = &mut lines[from..from + HELD];
            let factors = &factors[from..from + HELD];
            let into = start + chunk * HELD;
            let own = &mut own[into..into + HELD];
            let mut products = [0.0; HELD];
            for at in 0..HELD {
                products[at] = values[at] * factors[at];
                held[at] += products[at];
            }
            if KEEP {
                values.copy_from_slice(&products);
            }
            if fresh {
                own.copy_from_slice(&products);
            } else {
                for at in 0..HELD {
                    own[at] += products[at];
                }
            }
        }
        *sum = held;
    }
    for (line, &(start, fresh)) in starts.iter().enumerate() {
        let from = line * length + tail;
        for (at, sum) in rest.iter_mut().enumerate() {
            let product = lines[from + at] * factors[from + at];
            *sum += product;
            let own = &mut own[start + tail + at];
            *own = if fresh { product } else { *own + product };
            if KEEP {
                lines[from + at] = product;
            }
        }
    }
}
