//! A study in cells: what the driver holds and a worker runs.

use crate::failure::{of_json, raised};
use crate::work;
use latentropy_study::{
    Cell, Journal, Observer, Results, Share, Spec, Summary, cells_table, verdicts,
    verdicts_document,
};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

struct Silent;

impl Observer for Silent {}

/// A study and what there is of it.
#[pyclass(module = "latentropy._core", frozen)]
pub(crate) struct Study {
    inner: Arc<latentropy_study::Study>,
    cells: Vec<Cell>,
    results: Mutex<Results>,
    journal: Mutex<Option<Journal>>,
}

#[pymethods]
impl Study {
    #[new]
    #[pyo3(signature = (spec, name, seed=None, figure=None))]
    fn new(spec: &str, name: &str, seed: Option<u64>, figure: Option<u32>) -> PyResult<Self> {
        let mut spec = Spec::parse(spec, Path::new(name)).map_err(raised)?;
        spec.seed = seed.unwrap_or(spec.seed);
        let inner = latentropy_study::Study::new(spec).map_err(raised)?;
        Ok(Study {
            cells: Cell::all(inner.spec(), figure),
            inner: Arc::new(inner),
            results: Mutex::default(),
            journal: Mutex::new(None),
        })
    }

    /// The settings of the paper's experiments, or of the quick look at them.
    #[staticmethod]
    fn built_in(quick: bool) -> &'static str {
        match quick {
            true => latentropy_study::QUICK,
            false => latentropy_study::PAPER,
        }
    }

    /// What results depend on.
    #[getter]
    fn fingerprint(&self) -> PyResult<String> {
        self.inner.fingerprint().map_err(raised)
    }

    /// The seed of all random numbers.
    #[getter]
    fn seed(&self) -> u64 {
        self.inner.spec().seed
    }

    /// The numbers of the cells that have not been run.
    #[getter]
    fn left(&self) -> Vec<usize> {
        let results = lock(&self.results);
        let cells = self.cells.iter().enumerate();
        let left = cells.filter(|(_, cell)| !results.contains(cell));
        left.map(|(at, _)| at).collect()
    }

    /// Runs some cells: their share as it travels.
    fn run<'py>(
        &self,
        py: Python<'py>,
        cells: Vec<usize>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let cells = cells.into_iter().map(|at| {
            let cell = self.cells.get(at).cloned();
            cell.ok_or_else(|| PyIndexError::new_err(at))
        });
        let cells = cells.collect::<PyResult<Vec<Cell>>>()?;
        let study = Arc::clone(&self.inner);
        let work = move || study.share(&cells, &Silent)?.to_bytes();
        let bytes = work::answer(py, threads, work)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Takes a share in and notes it.
    fn take(&self, share: &[u8]) -> PyResult<()> {
        let share = Share::from_bytes(share).map_err(raised)?;
        let mut results = lock(&self.results);
        let names: Vec<String> = share.cells().map(str::to_string).collect();
        self.inner.take(share, true, &mut results).map_err(raised)?;
        if let Some(journal) = &*lock(&self.journal) {
            for (cell, record) in results.iter() {
                let name = cell.key(self.inner.spec());
                if names.contains(&name) {
                    journal.add(&name, record).map_err(raised)?;
                }
            }
        }
        Ok(())
    }

    /// Notes cells in this file from now on; one that is there is gone on with. Says how many cells it knew.
    fn note_in(&self, path: PathBuf) -> PyResult<usize> {
        let (journal, known) = match path.exists() {
            true => {
                let anew = "remove the file to start anew";
                self.inner.resume_journal(&path, anew).map_err(raised)?
            }
            false => (
                self.inner.create_journal(&path).map_err(raised)?,
                Results::default(),
            ),
        };
        let count = known.len();
        *lock(&self.results) = known;
        *lock(&self.journal) = Some(journal);
        Ok(count)
    }

    /// All estimates as csv, and the verdicts as JSON; the journal is closed in the study's order.
    fn finish(&self) -> PyResult<(String, String)> {
        let results = lock(&self.results);
        if let Some(journal) = lock(&self.journal).take() {
            self.inner
                .close_journal(journal, &results)
                .map_err(raised)?;
        }
        let spec = self.inner.spec();
        let summary = Summary::new(spec, &results);
        let found = verdicts(spec, &results, &summary);
        let found = serde_json::to_string(&verdicts_document(&found)).map_err(of_json)?;
        Ok((cells_table(spec, &results).to_csv(), found))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
