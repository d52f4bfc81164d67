//! A fit: parameters to a request, the request to the library, the result to documents and arrays.

use crate::arrays::bytes_of;
use crate::data::Data;
use crate::failure::{of_json, raised};
use crate::network::Network;
use crate::parameters::Parameters;
use crate::remarks::{Warned, warned};
use crate::stopped::{Eyes, Watch};
use crate::wording::Keywords;
use crate::work;
use latentropy::data::{Coding, Dataset};
use latentropy::files::RunDirectory;
use latentropy::fit::Job;
use latentropy::fit::record::RunContext;
use latentropy::{Cancel, Control, Error};
use latentropy_report::fit::{Exhibits, RunFiles, TraceKeeper, in_the_way};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A fit that has ended.
#[pyclass(module = "latentropy._core", frozen)]
pub(crate) struct Fit {
    fit: Arc<latentropy::Fit>,
    /// The rows that were learned from.
    data: Arc<Dataset>,
    codings: Vec<Coding>,
    context: RunContext,
    /// What the report needs beyond the other files, gathered when it is first written.
    exhibits: Mutex<Gathered>,
}

enum Gathered {
    NotYet(TraceKeeper),
    Done(Box<Exhibits>),
}

/// Learns; `look` is told ten times a second how far it is.
#[pyfunction]
#[pyo3(signature = (data, parameters, threads, watch, kept=None, look=None, start=None))]
pub(crate) fn fit(
    py: Python<'_>,
    data: &Data,
    parameters: &str,
    threads: usize,
    watch: &Watch,
    kept: Option<&Data>,
    look: Option<Bound<'_, PyAny>>,
    start: Option<&Network>,
) -> PyResult<Fit> {
    let started = SystemTime::now().duration_since(UNIX_EPOCH);
    let parameters = Parameters::from_json(parameters)?;
    let request = parameters.request_of(data, kept, start)?;
    let eyes = Arc::new(Eyes::new(parameters.keep_traces()));
    watch.set(Some(Arc::clone(&eyes)));
    let cancel = Cancel::default();
    let (rows, stop, observer) = (Arc::clone(&data.dataset), cancel.clone(), Arc::clone(&eyes));
    let work = move || -> latentropy::Result<(latentropy::Fit, Dataset, usize)> {
        let control = Control {
            cancel: stop,
            observer: &*observer,
            ..Control::default()
        };
        let mut job = Job::new(&rows, &request)?;
        let clock = Instant::now();
        job.choose(&control)?;
        let choosing = clock.elapsed();
        let job = Arc::new(job);
        observer.begin(Arc::clone(&job));
        let mut fit = job.fit(&control)?;
        fit.timings.choosing = choosing;
        let rows = job.data().clone();
        Ok((fit, rows, rayon::current_num_threads()))
    };
    let seen = Arc::clone(&eyes);
    let looked = |_: Python<'_>| match &look {
        Some(look) => look.call1(seen.how_far()).map(drop),
        None => Ok(()),
    };
    let (found, rows, threads) = work::run(py, threads, &cancel, looked, work)?.map_err(raised)?;
    drop(seen);
    watch.set(None);
    let making = Making {
        parameters,
        codings: data.codings.clone(),
        started_unix: started.unwrap_or_default().as_secs_f64(),
    };
    Ok(making.fit(found, rows, threads, eyes))
}

/// What was known before a fit, and is written down with it.
pub(crate) struct Making {
    pub(crate) parameters: Parameters,
    pub(crate) codings: Vec<Coding>,
    pub(crate) started_unix: f64,
}

impl Making {
    /// The fit as Python holds it, with the traces that were kept.
    pub(crate) fn fit(
        &self,
        found: latentropy::Fit,
        rows: Dataset,
        threads: usize,
        eyes: Arc<Eyes>,
    ) -> Fit {
        let context = RunContext {
            bias: self.parameters.has_bias(&found.chosen().network),
            shape: found.shape.clone(),
            file: "X".to_string(),
            codings: self.codings.clone(),
            threads,
            started_unix: self.started_unix,
            ..RunContext::default()
        };
        let traces =
            Arc::try_unwrap(eyes).map_or_else(|_| TraceKeeper::default(), |eyes| eyes.traces);
        Fit {
            fit: Arc::new(found),
            data: Arc::new(rows),
            codings: self.codings.clone(),
            context,
            exhibits: Mutex::new(Gathered::NotYet(traces)),
        }
    }
}

#[pymethods]
impl Fit {
    /// The whole fit as JSON: the document of `latentropy fit --json`.
    fn document(&self) -> PyResult<String> {
        let sentences = self.fit.warnings(&Keywords);
        let mut document = self.fit.document(sentences, &Keywords);
        document.model.codings.clone_from(&self.codings);
        serde_json::to_string(&document).map_err(of_json)
    }

    /// Everything that was set or decided, as JSON: the document run.json.
    fn record(&self) -> PyResult<String> {
        let record = self.fit.run_record(&self.data, &self.context, &Keywords);
        serde_json::to_string(&record).map_err(of_json)
    }

    /// What a user should know: categories and sentences.
    #[getter]
    fn warnings(&self) -> Vec<Warned> {
        warned(&self.fit.remarks)
    }

    /// The machine of a candidate.
    fn network(&self, candidate: usize) -> PyResult<Network> {
        let found = self.fit.candidates.get(candidate);
        let found = found.ok_or_else(|| pyo3::exceptions::PyIndexError::new_err(candidate))?;
        Ok(Network::new(found.network.clone(), self.codings.clone()))
    }

    /// The weights of all candidates, one after the other.
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        let candidates = self.fit.candidates.iter();
        let all: Vec<f64> = candidates
            .flat_map(|candidate| candidate.network.weights().iter().copied())
            .collect();
        bytes_of(py, all.into_iter())
    }

    /// The refits of a bootstrap, one after the other: whether it converged, log-likelihood, entropy, then its weights.
    fn refits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        let refits = self.fit.bootstrap.iter().flat_map(|found| &found.refits);
        let all: Vec<f64> = refits
            .flat_map(|refit| {
                let converged = f64::from(u8::from(refit.converged));
                let numbers = [converged, refit.log_likelihood, refit.entropy];
                numbers.into_iter().chain(refit.weights.iter().copied())
            })
            .collect();
        bytes_of(py, all.into_iter())
    }

    /// The way of a candidate, where traces were kept: log-likelihood, Q and residual of every evaluation.
    fn trace<'py>(&self, py: Python<'py>, candidate: usize) -> PyResult<Bound<'py, PyByteArray>> {
        let found = self.fit.candidates.get(candidate);
        let trace = found.map_or(&[][..], |found| &found.trace);
        let entries = trace.iter();
        let all: Vec<f64> = entries
            .flat_map(|entry| [entry.log_likelihood, entry.q, entry.residual])
            .collect();
        bytes_of(py, all.into_iter())
    }

    /// Writes the files of a run, the report among them, into a directory that is there; returns the report's path.
    fn write(&self, py: Python<'_>, directory: PathBuf, threads: usize) -> PyResult<PathBuf> {
        let mut run = self.fit.run_record(&self.data, &self.context, &Keywords);
        run.result.warnings = self.fit.warnings(&Keywords);
        let mut model = self.fit.model_document(&self.data);
        model.codings.clone_from(&self.codings);
        let (fit, to) = (Arc::clone(&self.fit), directory.clone());
        let exhibits = self.exhibits(py, threads)?;
        work::answer(py, threads, move || {
            let mut place = RunDirectory::open(&to)?;
            let foreign = in_the_way(&place);
            if !foreign.is_empty() {
                return Err(Error::file(
                    &to,
                    None,
                    format!(
                        "holds {} that no fit wrote as it is now",
                        foreign.join(", ")
                    ),
                    "give another directory, or remove it",
                ));
            }
            let files = RunFiles {
                fit: &fit,
                run,
                model,
                exhibits: Some(exhibits),
            };
            files.write(&place)??;
            place.keep();
            Ok(place.file("report.html"))
        })
    }
}

impl Fit {
    /// Gathered once.
    fn exhibits(&self, py: Python<'_>, threads: usize) -> PyResult<Exhibits> {
        let mut place = self.exhibits.lock().unwrap_or_else(PoisonError::into_inner);
        if let Gathered::Done(exhibits) = &*place {
            return Ok(Exhibits::clone(exhibits));
        }
        let before = std::mem::replace(&mut *place, Gathered::NotYet(TraceKeeper::default()));
        let Gathered::NotYet(traces) = before else {
            return Err(pyo3::exceptions::PyRuntimeError::new_err("gathered twice"));
        };
        let (fit, data) = (Arc::clone(&self.fit), Arc::clone(&self.data));
        let exhibits = work::answer(py, threads, move || Exhibits::gather(&fit, &data, traces))?;
        *place = Gathered::Done(Box::new(exhibits.clone()));
        Ok(exhibits)
    }
}
