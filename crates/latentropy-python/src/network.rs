//! Machines and what they are asked.

use crate::arrays::{bytes_of, bytes_of_states, numbers};
use crate::data::Data;
use crate::failure::{of_json, raised};
use crate::remarks::{Warned, warned};
use crate::wording::Keywords;
use crate::work;
use latentropy::answers::{
    impute_draws, most_probable_states, posterior_means_of_any_size, units_of_columns,
};
use latentropy::data::{Cell, Coding, Words};
use latentropy::fit::record::ModelDocument;
use latentropy::inference::{Answer, EngineComparison, Value, Within, compare_engines};
use latentropy::network::{
    Clamp, Format, Role, SpinNetwork, TermOptions, network_from_bytes, network_to_bytes,
    read_network,
};
use latentropy::{EngineId, Error, Remark, Sampling, impute, infer, sample, score};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// Units, terms and weights, and the words of columns that have their own.
#[pyclass(module = "latentropy._core", frozen)]
#[derive(Clone, Debug)]
pub(crate) struct Network {
    pub(crate) network: Arc<latentropy::Network>,
    codings: Vec<Coding>,
}

/// A value that a unit is held at: a number, or a word of its column.
#[derive(FromPyObject)]
pub(crate) enum Held {
    Number(bool),
    Word(String),
}

/// A joint state of hidden units, and its probability.
type LikelyState = (Vec<bool>, f64);

/// How engines that sample do it: seed, chains, sweeps and annealing steps.
type Sampled = (u64, Option<usize>, Option<usize>, Option<usize>);

/// What an engine found.
#[derive(Serialize)]
struct Found<'a> {
    engine: &'static str,
    reason: String,
    method: &'static str,
    log_partition: Within,
    entropy: Value,
    means: &'a [f64],
    mean_std_errs: Option<&'a [f64]>,
    terms: &'a [f64],
    term_std_errs: Option<&'a [f64]>,
    notes: &'a [String],
    warnings: Vec<Warned>,
}

/// What one engine of several found.
#[derive(Serialize)]
struct Compared<'a> {
    engine: &'static str,
    seconds: f64,
    log_partition: Option<Value>,
    entropy: Option<Value>,
    means: Option<&'a [f64]>,
    largest_difference_of_means: Option<f64>,
    error: Option<String>,
    is_best: bool,
    warnings: Vec<Warned>,
}

/// What rows are worth under a machine.
#[derive(Serialize)]
struct Scored {
    mean: Within,
    /// Of the mean over rows, by what they differ.
    std_err_over_rows: Option<f64>,
    log_partition: Within,
    engine: &'static str,
    reason: String,
    warnings: Vec<Warned>,
}

impl Network {
    pub(crate) fn new(network: latentropy::Network, codings: Vec<Coding>) -> Self {
        Network {
            network: Arc::new(network),
            codings,
        }
    }

    /// How data that come with the machine are read.
    pub(crate) fn words(&self) -> Words {
        let visible = self.network.visible().into_iter();
        let name = |unit: usize| self.network.units()[unit].name.clone();
        Words::OfModel {
            units: visible.map(name).collect(),
            codings: self.codings.clone(),
        }
    }

    /// What units are held at; a word is one of the column's own, or a usual spelling.
    pub(crate) fn held(&self, given: Vec<(String, Held)>) -> PyResult<Vec<(String, bool)>> {
        let value = |(name, held): (String, Held)| {
            let word = match held {
                Held::Number(value) => return Ok((name, value)),
                Held::Word(word) => word,
            };
            let own = self.codings.iter().find(|coding| coding.column == name);
            let cell = own.map_or_else(|| Cell::parse(&word), |coding| coding.read(&word));
            match cell {
                Some(Cell::One) => Ok((name, true)),
                Some(Cell::Zero) => Ok((name, false)),
                Some(Cell::Missing) | None => Err(PyValueError::new_err(format!(
                    "given: {name} cannot be '{word}'; it is {} or {}",
                    own.map_or("0", |coding| coding.word(false)),
                    own.map_or("1", |coding| coding.word(true)),
                ))),
            }
        };
        given.into_iter().map(value).collect()
    }
}

pub(crate) fn by_name(given: &[(String, bool)]) -> Vec<(&str, bool)> {
    let given = given.iter();
    given.map(|(name, value)| (name.as_str(), *value)).collect()
}

fn engine_named(name: Option<&str>) -> PyResult<Option<EngineId>> {
    name.map(str::parse).transpose().map_err(raised)
}

/// Refuses what an engine that does not sample would ignore.
fn sampling_of(sampled: Sampled, engine: Option<EngineId>) -> PyResult<Sampling> {
    let (seed, chains, sweeps, annealing) = sampled;
    let is_given = [chains, sweeps, annealing].iter().any(Option::is_some);
    if let Some(engine) = engine.filter(|engine| !engine.gives().chains && is_given) {
        return Err(PyValueError::new_err(format!(
            "engine '{engine}' does not sample, so chains, sweeps and annealing mean nothing to it; leave them out, or \
             take engine='gibbs'"
        )));
    }
    let usual = Sampling::default();
    Ok(Sampling {
        seed,
        chains: chains.unwrap_or(usual.chains),
        sweeps,
        annealing,
        ..usual
    })
}

#[pymethods]
impl Network {
    /// From the names of units, and terms on them with their weights.
    #[staticmethod]
    fn from_terms(
        visible: Vec<String>,
        hidden: Vec<String>,
        terms: Vec<(Vec<String>, f64)>,
    ) -> PyResult<Self> {
        fn words(names: &[String]) -> Vec<&str> {
            names.iter().map(String::as_str).collect()
        }
        let spelled: Vec<(Vec<&str>, f64)> = terms
            .iter()
            .map(|(names, weight)| (words(names), *weight))
            .collect();
        let terms: Vec<(&[&str], f64)> = spelled
            .iter()
            .map(|(names, weight)| (&names[..], *weight))
            .collect();
        let network = latentropy::Network::from_terms(&words(&visible), &words(&hidden), &terms);
        Ok(Network::new(network.map_err(raised)?, Vec::new()))
    }

    /// A named shape on these columns, all weights zero.
    #[staticmethod]
    fn shaped(
        columns: Vec<String>,
        hidden: usize,
        shape: &str,
        bias: bool,
        order: Option<usize>,
    ) -> PyResult<Self> {
        let options = TermOptions {
            shape: shape.parse().map_err(raised)?,
            bias,
            order: order.unwrap_or(TermOptions::default().order),
        };
        let network = latentropy::Network::on_columns(&columns, hidden, &options);
        Ok(Network::new(network.map_err(raised)?, Vec::new()))
    }

    /// From a file (json, uai, bqm), with what its reader had to decide.
    #[staticmethod]
    fn read(path: std::path::PathBuf) -> PyResult<(Self, Vec<Warned>)> {
        let loaded = read_network(&path).map_err(raised)?;
        let remarks = warned(&loaded.remarks);
        Ok((Network::new(loaded.network, loaded.codings), remarks))
    }

    /// From the text of a file; `name` says by its extension of which format it is.
    #[staticmethod]
    fn from_text(name: &str, text: &str) -> PyResult<Self> {
        let loaded = network_from_bytes(Path::new(name), text.as_bytes()).map_err(raised)?;
        Ok(Network::new(loaded.network, loaded.codings))
    }

    /// The text of a file of this name, with what the format cannot hold.
    fn text(&self, name: &str) -> PyResult<(String, Vec<Warned>)> {
        let format = Format::of_path(Path::new(name)).map_err(raised)?;
        if format == Format::Json {
            let document = ModelDocument {
                codings: self.codings.clone(),
                ..ModelDocument::new(&self.network)
            };
            return Ok((document.text(), Vec::new()));
        }
        let (bytes, remarks) = network_to_bytes(format, &self.network).map_err(raised)?;
        Ok((String::from_utf8(bytes)?, warned(&remarks)))
    }

    /// Writes a file, whole or not at all; returns what the format cannot hold.
    fn write(&self, path: std::path::PathBuf) -> PyResult<Vec<Warned>> {
        let (text, remarks) = self.text(&path.to_string_lossy())?;
        latentropy::files::write_atomically(&path, text.as_bytes()).map_err(raised)?;
        Ok(remarks)
    }

    /// Names of the units, and whether each is hidden.
    #[getter]
    fn units(&self) -> Vec<(String, bool)> {
        let units = self.network.units().iter();
        units
            .map(|unit| (unit.name.clone(), unit.role == Role::Hidden))
            .collect()
    }

    /// The places of the units of every term.
    #[getter]
    fn terms(&self) -> Vec<Vec<usize>> {
        let terms = self.network.terms().iter();
        terms.map(|term| term.units().to_vec()).collect()
    }

    /// The weights of the terms.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        bytes_of(py, self.network.weights().iter().copied())
    }

    /// The constant, which changes no probability.
    #[getter]
    fn constant(&self) -> f64 {
        self.network.constant()
    }

    /// The words of columns that have their own: column, what means 0, what means 1.
    #[getter]
    fn words_of_columns(&self) -> Vec<(String, String, String)> {
        let told = |coding: &Coding| {
            let word = |value: bool| coding.word(value).to_string();
            (coding.column.clone(), word(false), word(true))
        };
        self.codings.iter().map(told).collect()
    }

    /// The same machine with other weights.
    fn with_weights(&self, py: Python<'_>, weights: &Bound<'_, PyAny>) -> PyResult<Self> {
        let network = self.network.with_weights(numbers(py, weights)?);
        Ok(Network::new(network.map_err(raised)?, self.codings.clone()))
    }

    /// The weights of the terms in the {−1,+1} view, and its constant.
    fn spins<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyByteArray>, f64)> {
        let spins = SpinNetwork::of(&self.network).map_err(raised)?;
        let weights: Vec<f64> = spins.terms.iter().map(|(_, weight)| *weight).collect();
        Ok((bytes_of(py, weights.into_iter())?, spins.constant))
    }

    /// The exponent Σ λ_V Π x_v of states, one value per unit.
    fn exponents<'py>(
        &self,
        py: Python<'py>,
        states: Vec<Vec<bool>>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let exponents: Vec<f64> = states
            .iter()
            .map(|state| self.network.exponent(|unit| state[unit]))
            .collect();
        bytes_of(py, exponents.into_iter())
    }

    /// What an engine says, as JSON.
    fn infer(
        &self,
        py: Python<'_>,
        given: Vec<(String, Held)>,
        engine: Option<&str>,
        sampled: Sampled,
        threads: usize,
    ) -> PyResult<String> {
        let (given, engine) = (self.held(given)?, engine_named(engine)?);
        let sampling = sampling_of(sampled, engine)?;
        let network = Arc::clone(&self.network);
        let held = given.clone();
        let found = work::answer(py, threads, move || {
            infer(&network, &by_name(&held), engine, &sampling)
        })?;
        let clamp = Clamp::by_name(&self.network, &by_name(&given)).map_err(raised)?;
        let by = found.choice.engine;
        let method = by.method(&self.network, &clamp).map_err(raised)?;
        let reason = found.choice.reason.worded(&Keywords);
        json_of_answer(by, reason, method, &found.answer)
    }

    /// What every engine says, as JSON.
    fn compare(
        &self,
        py: Python<'_>,
        given: Vec<(String, Held)>,
        sampled: Sampled,
        threads: usize,
    ) -> PyResult<String> {
        let given = self.held(given)?;
        let sampling = sampling_of(sampled, None)?;
        let network = Arc::clone(&self.network);
        let found = work::answer(py, threads, move || {
            let clamp = Clamp::by_name(&network, &by_name(&given))?;
            compare_engines(&network, &clamp, &sampling)
        })?;
        serde_json::to_string(&compared(&found)).map_err(of_json)
    }

    /// The log-likelihoods of rows, their errors (NaN where exact), and the rest as JSON.
    fn score<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        engine: Option<&str>,
        sampled: Sampled,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>, String)> {
        let engine = engine_named(engine)?;
        let sampling = sampling_of(sampled, engine)?;
        let (network, rows) = (Arc::clone(&self.network), Arc::clone(&data.dataset));
        let scores = work::answer(py, threads, move || {
            score(&network, &rows, engine, &sampling)
        })?;
        let errors: Vec<f64> = (0..scores.by_distinct_row.len())
            .map(|row| scores.std_err(row, data.dataset.is_known(row)))
            .map(|error| error.unwrap_or(f64::NAN))
            .collect();
        let document = Scored {
            mean: scores.mean_within(),
            std_err_over_rows: scores.std_err_over_rows(&data.dataset),
            log_partition: scores.log_partition_within(),
            engine: scores.choice.engine.name(),
            reason: scores.choice.reason.worded(&Keywords),
            warnings: warned(&scores.remarks),
        };
        Ok((
            bytes_of(py, data.by_row(&scores.by_distinct_row).copied())?,
            bytes_of(py, data.by_row(&errors).copied())?,
            serde_json::to_string(&document).map_err(of_json)?,
        ))
    }

    /// States, hidden units included, one byte per unit; and what is to be doubted about them.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        given: Vec<(String, Held)>,
        seed: u64,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyByteArray>, Vec<Warned>)> {
        let given = self.held(given)?;
        let network = Arc::clone(&self.network);
        let (states, remarks) = work::answer(py, threads, move || {
            let mut draws = sample(&network, &by_name(&given), seed)?;
            let mut states: Vec<Vec<bool>> = Vec::with_capacity(count);
            while states.len() < count {
                states.extend(draws.next(count - states.len()));
            }
            Ok((states, draws.remarks().to_vec()))
        })?;
        let width = self.network.units().len();
        Ok((bytes_of_states(py, &states, width)?, warned(&remarks)))
    }

    /// P(1 | known cells) of every cell, and how many distinct rows are estimates.
    fn impute<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyByteArray>, usize)> {
        let (network, rows) = (Arc::clone(&self.network), Arc::clone(&data.dataset));
        let found = work::answer(py, threads, move || impute(&network, &rows))?;
        Ok((
            flattened(py, data, &found.by_distinct_row)?,
            found.inexact_rows,
        ))
    }

    /// The data completed so many times, one byte per cell.
    fn draws<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        count: usize,
        seed: u64,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyByteArray>, Vec<Warned>)> {
        let (network, rows) = (Arc::clone(&self.network), Arc::clone(&data.dataset));
        let found = work::answer(py, threads, move || {
            impute_draws(&network, &rows, count, seed)
        })?;
        let width = data.dataset.columns().len();
        let all: Vec<Vec<bool>> = found.draws.into_iter().flatten().collect();
        Ok((bytes_of_states(py, &all, width)?, warned(&found.remarks)))
    }

    /// P(x = 1 | row) of every unit, hidden ones included.
    fn posterior<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        threads: usize,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let (network, rows) = (Arc::clone(&self.network), Arc::clone(&data.dataset));
        let found = work::answer(py, threads, move || {
            posterior_means_of_any_size(&network, &rows)
        })?;
        let means: Vec<Vec<f64>> = found.into_iter().map(|row| row.means).collect();
        flattened(py, data, &means)
    }

    /// The most probable joint state of the hidden units of each row with its probability; None where it is not known.
    fn states(
        &self,
        py: Python<'_>,
        data: &Data,
        threads: usize,
    ) -> PyResult<Vec<Option<LikelyState>>> {
        let (network, rows) = (Arc::clone(&self.network), Arc::clone(&data.dataset));
        let found = work::answer(py, threads, move || most_probable_states(&network, &rows))?;
        let told = data.by_row(&found).map(|state| {
            let state = state.as_ref();
            state.map(|state| (state.values.clone(), state.probability))
        });
        Ok(told.collect())
    }

    /// The visible units that a table has no column for: they are summed out.
    fn absent(&self, data: &Data) -> PyResult<Vec<String>> {
        let units = units_of_columns(&self.network, &data.dataset).map_err(raised)?;
        let visible = self.network.visible().into_iter();
        let absent = visible.filter(|unit| !units.contains(unit));
        Ok(absent
            .map(|unit| self.network.units()[unit].name.clone())
            .collect())
    }
}

fn flattened<'py>(
    py: Python<'py>,
    data: &Data,
    by_distinct_row: &[Vec<f64>],
) -> PyResult<Bound<'py, PyByteArray>> {
    let rows = data.by_row(by_distinct_row);
    let all: Vec<f64> = rows.flatten().copied().collect();
    bytes_of(py, all.into_iter())
}

fn json_of_answer(
    engine: EngineId,
    reason: String,
    method: &'static str,
    answer: &Answer,
) -> PyResult<String> {
    let found = Found {
        engine: engine.name(),
        reason,
        method,
        log_partition: answer.log_partition_within(),
        entropy: answer.expectations.entropy,
        means: &answer.expectations.means,
        mean_std_errs: answer.mean_errors.as_deref(),
        terms: &answer.expectations.terms,
        term_std_errs: answer.term_errors.as_deref(),
        notes: &answer.notes,
        warnings: warned(&answer.remarks),
    };
    serde_json::to_string(&found).map_err(of_json)
}

fn compared(comparison: &EngineComparison) -> Vec<Compared<'_>> {
    let answers = comparison.answers.iter();
    answers
        .map(|answer| {
            let found = answer.found.as_ref().ok();
            let named = |remark: &Remark| Remark::OfEngine {
                engine: answer.engine.name(),
                remark: Box::new(remark.clone()),
            };
            let remarks: Vec<Remark> = answer.remarks.iter().map(named).collect();
            let error = answer.found.as_ref().err();
            Compared {
                engine: answer.engine.name(),
                seconds: answer.seconds,
                log_partition: found.map(|found| found.log_partition),
                entropy: found.map(|found| found.entropy),
                means: found.map(|found| &found.means[..]),
                largest_difference_of_means: comparison.largest_difference(answer),
                error: error.map(|error: &Error| error.worded(&Keywords)),
                is_best: answer.engine == comparison.best,
                warnings: warned(&remarks),
            }
        })
        .collect()
}
