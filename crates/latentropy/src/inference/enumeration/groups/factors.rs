//! The three factor tables K_AR, K_AC and T, made of products of exponentiated coefficients.

use super::layout::{Groups, Place};
use super::lines::zeros;
use super::side::Side;
use crate::inference::kernels;

/// The exponentiated coefficients, laid out by group, and the current tile's K_AR and K_AC.
#[derive(Clone, Debug, Default)]
pub(super) struct Factors {
    /// T[r,c], rows and columns in the order of their codes.
    pub(super) table: Vec<f64>,
    /// K_AR[h,r] and K_AC[h,c] of a tile; the weight of A's own state is in K_AC.
    pub(super) row_factors: Vec<f64>,
    pub(super) column_factors: Vec<f64>,
    /// Weight of every state of A by itself, tile bits lowest.
    own: Vec<f64>,
    /// e^coefficient of (unit of A, unit of R), and of (unit of A, unit of C).
    row_pairs: Vec<f64>,
    column_pairs: Vec<f64>,
    natural: Vec<f64>,
    line: Vec<f64>,
}

impl Factors {
    /// Everything that does not depend on the tile.
    pub(super) fn prepare(&mut self, groups: &Groups, coefficients: &[f64]) {
        let (rows, columns) = (&groups.rows, &groups.columns);
        let a_bits = groups.tile.bits + groups.outer_steps.len();
        ones(&mut self.natural, rows.len() * columns.len());
        ones(&mut self.own, 1 << a_bits);
        ones(&mut self.row_pairs, a_bits * rows.bits);
        ones(&mut self.column_pairs, a_bits * columns.bits);
        for (place, coefficient) in groups.places.iter().zip(coefficients) {
            let factor = coefficient.exp();
            match *place {
                Place::InA(first, last) => self.own[1 << first | 1 << last] = factor,
                Place::InRc(row, column) => {
                    self.natural[(row as usize) << columns.bits | column as usize] = factor;
                }
                Place::Ar(unit, bit) => self.row_pairs[unit * rows.bits + bit] = factor,
                Place::Ac(unit, bit) => self.column_pairs[unit * columns.bits + bit] = factor,
            }
        }
        kernels::subset_products(&mut self.natural);
        kernels::subset_products(&mut self.own);
        self.table.clear();
        for &row in &rows.states {
            let line = &self.natural[(row as usize) << columns.bits..];
            self.table
                .extend(columns.states.iter().map(|&column| line[column as usize]));
        }
        zeros(&mut self.row_factors, groups.tile.len() * rows.len());
        zeros(&mut self.column_factors, groups.tile.len() * columns.len());
        zeros(&mut self.line, rows.len().max(columns.len()));
    }

    /// K_AR and K_AC of a tile.
    pub(super) fn fill(&mut self, groups: &Groups, tile: usize) {
        for (at, &state) in groups.tile.states.iter().enumerate() {
            let a_state = tile << groups.tile.bits | state as usize;
            product_line(
                a_state,
                1.0,
                &groups.rows,
                &self.row_pairs,
                &mut self.line,
                &mut self.row_factors[at * groups.rows.len()..(at + 1) * groups.rows.len()],
            );
            product_line(
                a_state,
                self.own[a_state],
                &groups.columns,
                &self.column_pairs,
                &mut self.line,
                &mut self.column_factors
                    [at * groups.columns.len()..(at + 1) * groups.columns.len()],
            );
        }
    }
}

/// first · Π_{bits of s} e^{field} for every state s of a side, by doubling, in the order of codes.
fn product_line(
    a_state: usize,
    first: f64,
    side: &Side,
    pairs: &[f64],
    natural: &mut [f64],
    out: &mut [f64],
) {
    natural[0] = first;
    for bit in 0..side.bits {
        let mut factor = 1.0;
        let mut rest = a_state;
        while rest != 0 {
            factor *= pairs[rest.trailing_zeros() as usize * side.bits + bit];
            rest &= rest - 1;
        }
        let (done, next) = natural.split_at_mut(1 << bit);
        for (n, d) in next.iter_mut().zip(done.iter()) {
            *n = d * factor;
        }
    }
    for (value, &s) in out.iter_mut().zip(&side.states) {
        *value = natural[s as usize];
    }
}

fn ones(buffer: &mut Vec<f64>, length: usize) {
    buffer.clear();
    buffer.resize(length, 1.0);
}
