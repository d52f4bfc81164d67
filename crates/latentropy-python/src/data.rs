//! Rows from tables of Python's.

use crate::arrays::{bytes_of, numbers};
use crate::failure::raised;
use crate::network::Network;
use crate::remarks::{Purpose, Warned, warned_of_data};
use latentropy::data::{
    Cell, Cells, Coding, Column, Dataset, Loaded, ReadOptions, Recode, Table, Words, read_table,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyList};
use std::path::Path;
use std::sync::Arc;

/// What messages call the table.
const NAME: &str = "X";

/// Rows of cells that are 0, 1 or missing.
#[pyclass(module = "latentropy._core", frozen)]
#[derive(Debug)]
pub(crate) struct Data {
    pub(crate) dataset: Arc<Dataset>,
    pub(crate) codings: Vec<Coding>,
    warnings: Vec<Warned>,
}

#[pymethods]
impl Data {
    /// Numbers row by row, as an array of doubles.
    #[staticmethod]
    #[pyo3(signature = (array, width, names, purpose, recode=None, model=None, like=None))]
    fn from_matrix(
        py: Python<'_>,
        array: &Bound<'_, PyAny>,
        width: usize,
        names: Option<Vec<String>>,
        purpose: &str,
        recode: Option<&str>,
        model: Option<&Network>,
        like: Option<&Data>,
    ) -> PyResult<Self> {
        let cells = numbers(py, array)?;
        let table = Table::new(names, width, Cells::Matrix(&cells)).map_err(raised)?;
        read(&table, purpose, recode, words(model, like))
    }

    /// Columns, each an array of doubles or a list of words and None.
    #[staticmethod]
    #[pyo3(signature = (columns, names, purpose, recode=None, model=None, like=None))]
    fn from_columns(
        py: Python<'_>,
        columns: Vec<Bound<'_, PyAny>>,
        names: Vec<String>,
        purpose: &str,
        recode: Option<&str>,
        model: Option<&Network>,
        like: Option<&Data>,
    ) -> PyResult<Self> {
        let column = |column: &Bound<'_, PyAny>| match column.cast::<PyList>() {
            Ok(words) => Ok(Column::Words(words.extract()?)),
            Err(_) => Ok(Column::Numbers(numbers(py, column)?.into())),
        };
        let cells: Vec<Column<'_>> = columns.iter().map(column).collect::<PyResult<_>>()?;
        let width = cells.len();
        let table = Table::new(Some(names), width, Cells::Columns(cells)).map_err(raised)?;
        read(&table, purpose, recode, words(model, like))
    }

    /// The same rows, each with a weight.
    fn with_weights(&self, py: Python<'_>, weights: &Bound<'_, PyAny>) -> PyResult<Self> {
        let weights = numbers(py, weights)?;
        let dataset = Dataset::clone(&self.dataset);
        Ok(Data {
            dataset: Arc::new(dataset.with_row_weights(weights).map_err(raised)?),
            codings: self.codings.clone(),
            warnings: self.warnings.clone(),
        })
    }

    /// How many rows there are.
    fn __len__(&self) -> usize {
        self.dataset.len()
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.dataset.columns().to_vec()
    }

    /// The words of the columns that have their own: column, what means 0, what means 1.
    #[getter]
    fn words(&self) -> Vec<(String, String, String)> {
        let told = |coding: &Coding| {
            let word = |value: bool| coding.word(value).to_string();
            (coding.column.clone(), word(false), word(true))
        };
        self.codings.iter().map(told).collect()
    }

    /// What is remarkable about them: categories and sentences.
    #[getter]
    fn warnings(&self) -> Vec<Warned> {
        self.warnings.clone()
    }

    /// The cells row by row as numbers; NaN is missing.
    fn cells<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        let number = |cell: Cell| match cell {
            Cell::Zero => 0.0,
            Cell::One => 1.0,
            Cell::Missing => f64::NAN,
        };
        let width = self.dataset.columns().len();
        let cells = 0..self.dataset.len() * width;
        bytes_of(
            py,
            cells.map(|at| number(self.dataset.cell(at / width, at % width))),
        )
    }

    /// How many cells are missing.
    #[getter]
    fn missing_cells(&self) -> u64 {
        self.dataset.missing_cells()
    }
}

impl Data {
    /// A value for each original row from one for each distinct row.
    pub(crate) fn by_row<'a, T>(
        &'a self,
        by_distinct_row: &'a [T],
    ) -> impl ExactSizeIterator<Item = &'a T> {
        let rows = self.dataset.distinct_of().iter();
        rows.map(move |&distinct| &by_distinct_row[distinct as usize])
    }
}

/// What the words of a table mean: what they mean to a model, or in another table, or what they look like.
fn words(model: Option<&Network>, like: Option<&Data>) -> Words {
    match (model, like) {
        (Some(model), _) => model.words(),
        (None, Some(other)) => Words::OfModel {
            units: other.dataset.columns().to_vec(),
            codings: other.codings.clone(),
        },
        (None, None) => Words::Recognise,
    }
}

fn read(table: &Table<'_>, purpose: &str, recode: Option<&str>, words: Words) -> PyResult<Data> {
    let recode = match recode {
        Some(text) => Recode::list(text)
            .map_err(|error| PyValueError::new_err(format!("recode={text:?}: {error}")))?,
        None => Vec::new(),
    };
    let options = ReadOptions {
        recode,
        words,
        ..ReadOptions::default()
    };
    let loaded = read_table(Path::new(NAME), table, &options).map_err(raised)?;
    let Loaded {
        dataset,
        remarks,
        codings,
        ..
    } = loaded;
    Ok(Data {
        dataset: Arc::new(dataset),
        codings,
        warnings: warned_of_data(&remarks, Purpose::named(purpose)),
    })
}
