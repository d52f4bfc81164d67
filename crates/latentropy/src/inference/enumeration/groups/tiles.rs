//! The work proper: tile by tile of A the three matrix products, their lines added up by state and code.

use super::factors::Factors;
use super::layout::Groups;
use super::lines::{Lines, zeros};
use crate::inference::kernels;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Tiles are cut into at most this many runs, whatever the number of threads, so that sums do not depend on it.
const RUNS: usize = 16;

/// Sums of one run of tiles.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    /// P(h,r) by h, and P(h,c) by h.
    pub(super) rows: Lines,
    pub(super) columns: Lines,
    /// For each unit of A beyond the tile, the lines and totals of the tiles in which it is on.
    pub(super) outer_rows: Vec<Vec<f64>>,
    pub(super) outer_columns: Vec<Vec<f64>>,
    pub(super) outer_totals: Vec<Vec<f64>>,
    /// For each pair of such units, totals by code.
    pub(super) outer_pairs: Vec<Vec<f64>>,
    /// Σ_h K_AR[h,r] K_AC[h,c] by code of A; T is multiplied in at the end.
    products: Vec<f64>,
}

/// A run and the buffers it works in.
#[derive(Clone, Debug, Default)]
struct Worker {
    run: Run,
    factors: Factors,
    product: Vec<f64>,
}

/// Buffers that are kept from one evaluation to the next.
#[derive(Clone, Debug, Default)]
pub(in crate::inference::enumeration) struct GroupScratch {
    factors: Factors,
    /// The first one ends up with the sums of all.
    workers: Vec<Worker>,
    pub(super) joint: Lines,
}

impl GroupScratch {
    /// The sums of all tiles, after [`GroupScratch::sum_tiles`].
    pub(super) fn run(&self) -> &Run {
        &self.workers[0].run
    }

    /// Sums all tiles, and P(r,c) into `joint`.
    pub(super) fn sum_tiles(&mut self, groups: &Groups, coefficients: &[f64]) {
        self.factors.prepare(groups, coefficients);
        let tiles = 1usize << groups.outer_steps.len();
        let runs = tiles.min(RUNS);
        self.workers.resize_with(runs, Worker::default);
        if let [only] = &mut self.workers[..] {
            only.run.reset(groups);
            only.run
                .visit(groups, 0, &mut self.factors, &mut only.product);
        } else {
            let prepared = &self.factors;
            self.workers
                .par_iter_mut()
                .enumerate()
                .for_each(|(at, worker)| {
                    worker.run.reset(groups);
                    worker.factors.clone_from(prepared);
                    for tile in tiles * at / runs..tiles * (at + 1) / runs {
                        worker
                            .run
                            .visit(groups, tile, &mut worker.factors, &mut worker.product);
                    }
                });
        }
        if let [first, others @ ..] = &mut self.workers[..] {
            for other in others {
                first.run.merge(&other.run);
            }
        }
        self.sum_joint(groups);
    }

    /// P(r,c) by r: T times the products.
    fn sum_joint(&mut self, groups: &Groups) {
        let (r, c) = (groups.rows.len(), groups.columns.len());
        let a_codes = groups.a_code_count();
        self.joint.reset(
            &groups.rows,
            c,
            a_codes + groups.rows.last_code(),
            groups.codes,
            false,
        );
        for &code in &groups.a_codes {
            let product = &mut self.workers[0].run.products[code * r * c..(code + 1) * r * c];
            for &piece in &groups.rows.pieces {
                let here = code + groups.rows.codes[piece.0];
                let range = piece.0 * c..piece.1 * c;
                let table = &self.factors.table[range.clone()];
                let lines = &mut product[range];
                self.joint
                    .add(&groups.rows, piece, here, lines, table, &groups.columns);
            }
        }
    }
}

impl Run {
    fn reset(&mut self, groups: &Groups) {
        let a_codes = groups.a_code_count();
        let (r, c, codes) = (groups.rows.len(), groups.columns.len(), groups.codes);
        let row_codes = a_codes + groups.columns.last_code();
        let column_codes = a_codes + groups.rows.last_code();
        self.rows.reset(&groups.tile, r, row_codes, codes, true);
        self.columns
            .reset(&groups.tile, c, column_codes, codes, false);
        let outer = groups.outer_steps.len();
        let reset_all = |tables: &mut Vec<Vec<f64>>, count: usize, length: usize| {
            tables.resize_with(count, Vec::new);
            for table in tables {
                zeros(table, length);
            }
        };
        reset_all(&mut self.outer_rows, outer, row_codes * r);
        reset_all(&mut self.outer_columns, outer, column_codes * c);
        reset_all(&mut self.outer_totals, outer, groups.tile.len() * codes);
        let pairs = outer * outer.saturating_sub(1) / 2;
        reset_all(&mut self.outer_pairs, pairs, codes);
        if outer == 0 {
            // Written before it is read: see `visit_tile`.
            self.products.resize(a_codes * r * c, 0.0);
        } else {
            zeros(&mut self.products, a_codes * r * c);
        }
    }

    fn merge(&mut self, other: &Run) {
        self.rows.merge(&other.rows);
        self.columns.merge(&other.columns);
        let add_all = |mine: &mut [Vec<f64>], theirs: &[Vec<f64>]| {
            for (m, t) in mine.iter_mut().zip(theirs) {
                kernels::add_scaled(m, t, 1.0);
            }
        };
        add_all(&mut self.outer_rows, &other.outer_rows);
        add_all(&mut self.outer_columns, &other.outer_columns);
        add_all(&mut self.outer_totals, &other.outer_totals);
        add_all(&mut self.outer_pairs, &other.outer_pairs);
        kernels::add_scaled(&mut self.products, &other.products, 1.0);
    }

    fn visit(
        &mut self,
        groups: &Groups,
        tile: usize,
        factors: &mut Factors,
        product: &mut Vec<f64>,
    ) {
        factors.fill(groups, tile);
        if groups.outer_steps.is_empty() {
            self.visit_tile(groups, 0, factors, product);
            return;
        }
        // The tile by itself, then into the sums of every outer unit that is on.
        let outer_code: usize = on(tile, groups).map(|unit| groups.outer_steps[unit]).sum();
        self.rows.begin_tile();
        self.columns.begin_tile();
        self.visit_tile(groups, outer_code, factors, product);
        self.rows.end_tile();
        self.columns.end_tile();
        for high in on(tile, groups) {
            kernels::add_scaled(&mut self.outer_rows[high], &self.rows.tile_all, 1.0);
            kernels::add_scaled(&mut self.outer_columns[high], &self.columns.tile_all, 1.0);
            kernels::add_scaled(&mut self.outer_totals[high], &self.rows.tile_totals, 1.0);
            for low in on(tile, groups).take_while(|&low| low < high) {
                let pair = &mut self.outer_pairs[high * (high - 1) / 2 + low];
                for line in self.rows.tile_totals.chunks_exact(groups.codes) {
                    kernels::add_scaled(pair, line, 1.0);
                }
            }
        }
    }

    /// The three products of one tile.
    ///
    /// They stay in one function on purpose: all three read the tile's factors and T while these are in cache.
    fn visit_tile(
        &mut self,
        groups: &Groups,
        outer_code: usize,
        factors: &Factors,
        product: &mut Vec<f64>,
    ) {
        let (h, r, c) = (groups.tile.len(), groups.rows.len(), groups.columns.len());
        product.resize(h * r.max(c), 0.0);
        let k_ar = MatRef::from_row_major_slice(&factors.row_factors, h, r);
        let k_ac = MatRef::from_row_major_slice(&factors.column_factors, h, c);
        let table = MatRef::from_row_major_slice(&factors.table, r, c);
        // P(h,r) by the code of c.
        for &(code, start, end) in &groups.columns.runs {
            let run = end - start;
            let lines = &mut product[..h * r];
            matmul(
                MatMut::from_row_major_slice_mut(lines, h, r),
                Accum::Replace,
                k_ac.subcols(start, run),
                table.subcols(start, run).transpose(),
                1.0,
                Par::Seq,
            );
            for &piece in &groups.tile.pieces {
                let here = outer_code + groups.tile.codes[piece.0] + code;
                let range = piece.0 * r..piece.1 * r;
                let own = &factors.row_factors[range.clone()];
                self.rows.add(
                    &groups.tile,
                    piece,
                    here,
                    &mut lines[range],
                    own,
                    &groups.rows,
                );
            }
        }
        // P(h,c) by the code of r.
        for &(code, start, end) in &groups.rows.runs {
            let run = end - start;
            let lines = &mut product[..h * c];
            matmul(
                MatMut::from_row_major_slice_mut(lines, h, c),
                Accum::Replace,
                k_ar.subcols(start, run),
                table.subrows(start, run),
                1.0,
                Par::Seq,
            );
            for &piece in &groups.tile.pieces {
                let here = outer_code + groups.tile.codes[piece.0] + code;
                let range = piece.0 * c..piece.1 * c;
                let own = &factors.column_factors[range.clone()];
                self.columns.add(
                    &groups.tile,
                    piece,
                    here,
                    &mut lines[range],
                    own,
                    &groups.columns,
                );
            }
        }
        // Σ_h K_AR K_AC by the code of h.
        for &(code, start, end) in &groups.tile.runs {
            let at = (outer_code + code) * r * c;
            matmul(
                MatMut::from_row_major_slice_mut(&mut self.products[at..at + r * c], r, c),
                // With a single tile every code is met once, and nothing was there before.
                if groups.outer_steps.is_empty() {
                    Accum::Replace
                } else {
                    Accum::Add
                },
                k_ar.subrows(start, end - start).transpose(),
                k_ac.subrows(start, end - start),
                1.0,
                Par::Seq,
            );
        }
    }
}

/// The units of A beyond the tile that are on in tile `tile`.
fn on(tile: usize, groups: &Groups) -> impl Iterator<Item = usize> + Clone {
    (0..groups.outer_steps.len()).filter(move |unit| tile >> unit & 1 == 1)
}
