//! The work proper: tile by tile of A the three matrix products, their lines added up by state and code.

use super::super::super::vector;
use super::Groups;
use super::factors::Factors;
use super::lines::{Lines, zeros};
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

/// Buffers that are kept from one evaluation to the next.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct GroupScratch {
    factors: Factors,
    product: Vec<f64>,
    pub(super) run: Run,
    pub(super) joint: Lines,
}

impl GroupScratch {
    /// Sums all tiles into `run` and P(r,c) into `joint`.
    pub(super) fn sum_tiles(&mut self, groups: &Groups, coefficients: &[f64]) {
        self.factors.prepare(groups, coefficients);
        let tiles = 1usize << groups.outer_steps.len();
        let runs = tiles.min(RUNS);
        if runs == 1 {
            self.run.reset(groups);
            self.run
                .visit(groups, 0, &mut self.factors, &mut self.product);
        } else {
            let mut partial: Vec<Run> = (0..runs)
                .into_par_iter()
                .map(|at| {
                    let (mut run, mut product) = (Run::default(), Vec::new());
                    let mut factors = self.factors.clone();
                    run.reset(groups);
                    for tile in tiles * at / runs..tiles * (at + 1) / runs {
                        run.visit(groups, tile, &mut factors, &mut product);
                    }
                    run
                })
                .collect();
            self.run = partial.remove(0);
            for other in &partial {
                self.run.merge(other);
            }
        }
        self.sum_joint(groups);
    }

    /// P(r,c) by r: T times the products.
    fn sum_joint(&mut self, groups: &Groups) {
        let (r, c) = (groups.rows.len(), groups.columns.len());
        let a_codes = groups.last_a_code() + 1;
        self.joint.reset(
            &groups.rows,
            c,
            a_codes + groups.rows.last_code(),
            groups.codes,
            true,
        );
        for code in 0..a_codes {
            let product = &mut self.run.products[code * r * c..(code + 1) * r * c];
            if product[0] == 0.0 {
                // No state of A has this code (sums of positive numbers vanish only together).
                continue;
            }
            vector::multiply(product, &self.factors.table, 1.0);
            for (row, line) in product.chunks_exact(c).enumerate() {
                let here = code + groups.rows.codes[row];
                self.joint
                    .add(&groups.rows, row, here, line, &groups.columns);
            }
        }
    }
}

impl Groups {
    /// The largest code of A.
    fn last_a_code(&self) -> usize {
        self.tile.last_code() + self.outer_steps.iter().sum::<usize>()
    }
}

impl Run {
    fn reset(&mut self, groups: &Groups) {
        let a_codes = groups.last_a_code() + 1;
        let (r, c, codes) = (groups.rows.len(), groups.columns.len(), groups.codes);
        let row_codes = a_codes + groups.columns.last_code();
        let column_codes = a_codes + groups.rows.last_code();
        self.rows.reset(&groups.tile, r, row_codes, codes, true);
        self.columns
            .reset(&groups.tile, c, column_codes, codes, false);
        let outer = groups.outer_steps.len();
        self.outer_rows = vec![vec![0.0; row_codes * r]; outer];
        self.outer_columns = vec![vec![0.0; column_codes * c]; outer];
        self.outer_totals = vec![vec![0.0; groups.tile.len() * codes]; outer];
        self.outer_pairs = vec![vec![0.0; codes]; outer * outer.saturating_sub(1) / 2];
        zeros(&mut self.products, a_codes * r * c);
    }

    fn merge(&mut self, other: &Run) {
        self.rows.merge(&other.rows);
        self.columns.merge(&other.columns);
        let add_all = |mine: &mut [Vec<f64>], theirs: &[Vec<f64>]| {
            for (m, t) in mine.iter_mut().zip(theirs) {
                vector::add_scaled(m, t, 1.0);
            }
        };
        add_all(&mut self.outer_rows, &other.outer_rows);
        add_all(&mut self.outer_columns, &other.outer_columns);
        add_all(&mut self.outer_totals, &other.outer_totals);
        add_all(&mut self.outer_pairs, &other.outer_pairs);
        vector::add_scaled(&mut self.products, &other.products, 1.0);
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
        let mut alone = Run::default();
        std::mem::swap(&mut alone.products, &mut self.products);
        let a_codes = groups.last_a_code() + 1;
        let row_codes = a_codes + groups.columns.last_code();
        let column_codes = a_codes + groups.rows.last_code();
        let (r, c) = (groups.rows.len(), groups.columns.len());
        alone
            .rows
            .reset(&groups.tile, r, row_codes, groups.codes, true);
        alone
            .columns
            .reset(&groups.tile, c, column_codes, groups.codes, false);
        alone.visit_tile(groups, outer_code, factors, product);
        std::mem::swap(&mut alone.products, &mut self.products);
        self.rows.merge(&alone.rows);
        self.columns.merge(&alone.columns);
        let (all_rows, all_columns) = (alone.rows.all(), alone.columns.all());
        for high in on(tile, groups) {
            vector::add_scaled(&mut self.outer_rows[high], &all_rows, 1.0);
            vector::add_scaled(&mut self.outer_columns[high], &all_columns, 1.0);
            vector::add_scaled(&mut self.outer_totals[high], &alone.rows.totals, 1.0);
            for low in on(tile, groups).take_while(|&low| low < high) {
                let pair = &mut self.outer_pairs[high * (high - 1) / 2 + low];
                for line in alone.rows.totals.chunks_exact(groups.codes) {
                    vector::add_scaled(pair, line, 1.0);
                }
            }
        }
    }

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
            vector::multiply(lines, &factors.row_factors, 1.0);
            for (at, line) in lines.chunks_exact(r).enumerate() {
                let here = outer_code + groups.tile.codes[at] + code;
                self.rows.add(&groups.tile, at, here, line, &groups.rows);
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
            vector::multiply(lines, &factors.column_factors, 1.0);
            for (at, line) in lines.chunks_exact(c).enumerate() {
                let here = outer_code + groups.tile.codes[at] + code;
                self.columns
                    .add(&groups.tile, at, here, line, &groups.columns);
            }
        }
        // Σ_h K_AR K_AC by the code of h.
        for &(code, start, end) in &groups.tile.runs {
            let at = (outer_code + code) * r * c;
            matmul(
                MatMut::from_row_major_slice_mut(&mut self.products[at..at + r * c], r, c),
                Accum::Add,
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
