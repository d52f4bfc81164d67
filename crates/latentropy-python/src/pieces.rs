//! A fit in pieces: what the driver holds, and what a worker runs.

use crate::data::Data;
use crate::failure::raised;
use crate::fitting::{Fit, Making};
use crate::network::Network;
use crate::parameters::Parameters;
use crate::stopped::{Eyes, documents};
use crate::work;
use latentropy::fit::{Identity, Job, Journal, Part, Round};
use latentropy::{Cancel, Control, Error};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The layout of a journal of parts.
const JOURNAL: &str = "latentropy-parts/1";

/// What is to be run next: the kind of pieces, their numbers, all that they lean on, and what that is recognised by.
type Next<'py> = (String, Vec<usize>, Bound<'py, PyBytes>, u64);

/// A fit on its way.
#[pyclass(module = "latentropy._core", frozen)]
pub(crate) struct Assembly {
    /// None once it is a fit.
    inner: Arc<Mutex<Option<latentropy::fit::Assembly>>>,
    job: Job,
    making: Making,
    eyes: Mutex<Option<Arc<Eyes>>>,
    journal: Mutex<Option<Journal<String>>>,
}

#[pymethods]
impl Assembly {
    #[new]
    #[pyo3(signature = (data, parameters, kept=None, start=None))]
    fn new(
        data: &Data,
        parameters: &str,
        kept: Option<&Data>,
        start: Option<&Network>,
    ) -> PyResult<Self> {
        let started = SystemTime::now().duration_since(UNIX_EPOCH);
        let parameters = Parameters::from_json(parameters)?;
        let request = parameters.request_of(data, kept, start)?;
        let job = Job::new(&data.dataset, &request).map_err(raised)?;
        let traced = parameters.keep_traces();
        // Executors may span kinds of processors; the driver says so where they do.
        let inner = latentropy::fit::Assembly::new(job.clone(), traced).taking_any_processor();
        Ok(Assembly {
            inner: Arc::new(Mutex::new(Some(inner))),
            job,
            eyes: Mutex::new(Some(Arc::new(Eyes::new(traced)))),
            making: Making {
                parameters,
                codings: data.codings.clone(),
                started_unix: started.unwrap_or_default().as_secs_f64(),
            },
            journal: Mutex::new(None),
        })
    }

    /// The job as it travels, and what it is recognised by.
    fn job<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>, u64)> {
        let bytes = self.job.to_bytes().map_err(raised)?;
        Ok((PyBytes::new(py, &bytes), self.job.digest()))
    }

    /// The pieces that are to be run next; none where the fit is whole. What has to be decided before is decided here.
    fn next<'py>(&self, py: Python<'py>, threads: usize) -> PyResult<Option<Next<'py>>> {
        let round = self.work(py, threads, |assembly, control| assembly.next(control))?;
        let Some(round) = round else {
            return Ok(None);
        };
        let bytes = round.to_bytes().map_err(raised)?;
        Ok(Some((
            round.kind().to_string(),
            round.pieces().to_vec(),
            PyBytes::new(py, &bytes),
            round.digest().map_err(raised)?,
        )))
    }

    /// Takes a part in and notes it; says which pieces it is of.
    fn take(&self, part: &[u8]) -> PyResult<Vec<(String, usize)>> {
        let taken = self.take_in(part).map_err(raised)?;
        let journal = lock(&self.journal);
        if let Some(journal) = &*journal {
            let names: Vec<String> = taken
                .iter()
                .map(|(kind, at)| format!("{kind} {at}"))
                .collect();
            journal
                .add(&names.join(", "), &hexadecimal(part))
                .map_err(raised)?;
        }
        Ok(taken)
    }

    /// Notes parts in this file from now on; one that is there is gone on with. Says how many pieces it knew.
    fn note_in(&self, path: PathBuf) -> PyResult<usize> {
        let identity = Identity {
            format: JOURNAL.to_string(),
            digest: format!("{:016x}", self.job.digest()),
            seed: self.making.parameters.seed(),
        };
        let (journal, known) = match path.exists() {
            true => {
                let anew = "remove the file to start anew";
                let readable = |_: &str, text: &String| match bytes_of(text) {
                    Some(_) => Ok(()),
                    None => Err("is no part of a fit".to_string()),
                };
                let journal: Journal<String> =
                    Journal::resume(&path, identity, anew, readable).map_err(raised)?;
                let mut known = 0;
                for text in journal.all_known().values() {
                    let part = bytes_of(text).unwrap_or_default();
                    known += self.take_in(&part).map_err(raised)?.len();
                }
                (journal, known)
            }
            false => (Journal::create(&path, identity).map_err(raised)?, 0),
        };
        *lock(&self.journal) = Some(journal);
        Ok(known)
    }

    /// The kinds of processors that parts came from.
    #[getter]
    fn processors(&self) -> Vec<String> {
        let inner = lock(&self.inner);
        let kinds = inner.as_ref().map(|assembly| assembly.processors());
        kinds.map_or(Vec::new(), |kinds| kinds.map(str::to_string).collect())
    }

    /// The whole fit; the journal is not needed any more.
    fn finish(&self, py: Python<'_>, threads: usize) -> PyResult<Fit> {
        let assembly = lock(&self.inner).take().ok_or_else(finished)?;
        let eyes = lock(&self.eyes)
            .take()
            .unwrap_or_else(|| Arc::new(Eyes::new(false)));
        let observer = Arc::clone(&eyes);
        let cancel = Cancel::default();
        let stop = cancel.clone();
        let work = move || {
            let control = Control {
                cancel: stop,
                observer: &*observer,
                ..Control::default()
            };
            (assembly.finish(&control), rayon::current_num_threads())
        };
        let (found, threads) = work::run(py, threads, &cancel, |_| Ok(()), work)?;
        let found = found.map_err(raised)?;
        if let Some(journal) = lock(&self.journal).take() {
            journal.remove();
        }
        Ok(self
            .making
            .fit(found, self.job.data().clone(), threads, eyes))
    }

    /// The restarts that have come: their records as JSON, and their machines.
    fn finished(&self, py: Python<'_>, threads: usize) -> PyResult<(String, Vec<Network>)> {
        let candidates = self.work(py, threads, |assembly, _| assembly.candidates())?;
        documents(candidates)
    }
}

impl Assembly {
    fn take_in(&self, part: &[u8]) -> latentropy::Result<Vec<(String, usize)>> {
        let part = Part::from_bytes(part)?;
        let mut inner = lock(&self.inner);
        let assembly = inner.as_mut();
        let assembly = assembly.ok_or_else(|| Error::failed("this fit is whole already"))?;
        let taken = assembly.take(part)?.into_iter();
        Ok(taken.map(|(kind, at)| (kind.to_string(), at)).collect())
    }

    /// Asks the assembly for something that may take a while.
    fn work<T: Send + 'static>(
        &self,
        py: Python<'_>,
        threads: usize,
        ask: impl FnOnce(&mut latentropy::fit::Assembly, &Control<'_>) -> latentropy::Result<T>
        + Send
        + 'static,
    ) -> PyResult<T> {
        let inner = Arc::clone(&self.inner);
        let eyes = lock(&self.eyes).clone();
        let cancel = Cancel::default();
        let stop = cancel.clone();
        let work = move || {
            let silent = Eyes::new(false);
            let control = Control {
                cancel: stop,
                observer: eyes.as_deref().unwrap_or(&silent),
                ..Control::default()
            };
            let mut inner = lock(&inner);
            let assembly = inner.as_mut();
            let assembly = assembly.ok_or_else(|| Error::failed("this fit is whole already"))?;
            ask(assembly, &control)
        };
        work::run(py, threads, &cancel, |_| Ok(()), work)?.map_err(raised)
    }
}

/// A job made ready for one round.
#[pyclass(module = "latentropy._core", frozen)]
pub(crate) struct Worker {
    inner: Arc<latentropy::fit::Worker>,
}

#[pymethods]
impl Worker {
    #[new]
    fn new(job: &[u8], round: &[u8]) -> PyResult<Self> {
        let job = Job::from_bytes(job).map_err(raised)?;
        let round = Round::from_bytes(round).map_err(raised)?;
        let inner = latentropy::fit::Worker::new(&job, round).map_err(raised)?;
        Ok(Worker {
            inner: Arc::new(inner),
        })
    }

    /// Runs some pieces of the round: their part as it travels.
    fn run<'py>(
        &self,
        py: Python<'py>,
        pieces: Vec<usize>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let inner = Arc::clone(&self.inner);
        let cancel = Cancel::default();
        let stop = cancel.clone();
        let work = move || {
            let control = Control {
                cancel: stop,
                ..Control::default()
            };
            inner.run(&pieces, &control)?.to_bytes()
        };
        let bytes = work::run(py, threads, &cancel, |_| Ok(()), work)?.map_err(raised)?;
        Ok(PyBytes::new(py, &bytes))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn finished() -> PyErr {
    PyRuntimeError::new_err("this fit is whole already")
}

/// Bytes as text, for a journal of lines.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes again.
fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let places = (0..text.len()).step_by(2);
    places
        .map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok())
        .collect()
}

/// The kind of the processor that this runs on.
#[pyfunction]
pub(crate) fn processor() -> String {
    latentropy::fit::processor()
}
