//! Numbers on their way between NumPy and Rust.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

/// The numbers of a contiguous array of doubles.
pub(crate) fn numbers(py: Python<'_>, array: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let buffer = PyBuffer::<f64>::get(array)?;
    match buffer.is_c_contiguous() {
        true => buffer.to_vec(py),
        false => Err(PyValueError::new_err("the array is not contiguous")),
    }
}

/// Numbers as bytes that NumPy reads in place.
pub(crate) fn bytes_of<'py>(
    py: Python<'py>,
    numbers: impl ExactSizeIterator<Item = f64>,
) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, numbers.len() * size_of::<f64>(), |bytes| {
        for (place, number) in bytes.chunks_exact_mut(size_of::<f64>()).zip(numbers) {
            place.copy_from_slice(&number.to_ne_bytes());
        }
        Ok(())
    })
}

/// Binary values as bytes, row after row.
pub(crate) fn bytes_of_states<'py>(
    py: Python<'py>,
    states: &[Vec<bool>],
    width: usize,
) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, states.len() * width, |bytes| {
        let cells = states.iter().flatten();
        for (place, cell) in bytes.iter_mut().zip(cells) {
            *place = u8::from(*cell);
        }
        Ok(())
    })
}
