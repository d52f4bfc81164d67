//! Products of matrices that are kept row by row.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};

/// left (rows × inner) · right (inner × columns).
pub(super) fn product(left: &[f64], right: &[f64], inner: usize, columns: usize) -> Vec<f64> {
    let rows = left.len() / inner;
    let mut out = vec![0.0; rows * columns];
    matmul(
        MatMut::from_row_major_slice_mut(&mut out, rows, columns),
        Accum::Replace,
        MatRef::from_row_major_slice(left, rows, inner),
        MatRef::from_row_major_slice(right, inner, columns),
        1.0,
        Par::Seq,
    );
    out
}

/// out (a × b) += leftᵀ (rows × a) · right (rows × b).
pub(super) fn add_transposed_product(
    out: &mut [f64],
    left: &[f64],
    right: &[f64],
    a: usize,
    b: usize,
) {
    let rows = left.len() / a;
    matmul(
        MatMut::from_row_major_slice_mut(out, a, b),
        Accum::Add,
        MatRef::from_row_major_slice(left, rows, a).transpose(),
        MatRef::from_row_major_slice(right, rows, b),
        1.0,
        Par::Seq,
    );
}

/// The lower half of out (size × size) += scale · leftᵀ · right, known to be symmetric.
pub(super) fn add_gram(out: &mut [f64], left: &[f64], right: &[f64], size: usize, scale: f64) {
    let rows = left.len() / size;
    triangular::matmul(
        MatMut::from_row_major_slice_mut(out, size, size),
        BlockStructure::TriangularLower,
        Accum::Add,
        MatRef::from_row_major_slice(left, rows, size).transpose(),
        BlockStructure::Rectangular,
        MatRef::from_row_major_slice(right, rows, size),
        BlockStructure::Rectangular,
        scale,
        Par::Seq,
    );
}
