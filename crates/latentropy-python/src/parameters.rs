//! From the parameters of an estimator to the library's request.

use crate::data::Data;
use crate::failure::{of_json, raised};
use crate::network::Network as Machine;
use latentropy::data::Dataset;
use latentropy::fit::{BootstrapKind, Hidden, Resamples, Ridge, Select, Structure, ValidationRows};
use latentropy::learning::OptionValue;
use latentropy::network::{Network, Role, Shape, Term, TermOptions, units_of};
use latentropy::{EngineId, Error, Learner, Request, Result, Setting, Wording};
use pyo3::PyResult;
use serde::Deserialize;
use std::collections::BTreeMap;

/// One or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Some_<T> {
    One(T),
    Several(Vec<T>),
}

/// A number or a word.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Value {
    Count(usize),
    Number(f64),
    Word(String),
}

/// What an estimator asks for; null where it leaves something open.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameters {
    n_hidden: Option<Some_<usize>>,
    shape: Option<Some_<String>>,
    terms: Option<Vec<Vec<String>>>,
    bias: bool,
    order: Option<usize>,
    select: String,
    ridge: Value,
    bias_ridge: Option<f64>,
    bound: Option<f64>,
    n_init: Option<usize>,
    engine: Option<String>,
    learner: Option<String>,
    learner_options: BTreeMap<String, Value>,
    anneal: bool,
    tol: Option<f64>,
    max_iter: Option<usize>,
    n_folds: Option<usize>,
    validation: Option<f64>,
    n_bootstrap: Option<usize>,
    bootstrap: Option<String>,
    keep_traces: bool,
    seed: u64,
    search: Option<String>,
}

impl Parameters {
    /// From the document that Python writes.
    pub(crate) fn from_json(text: &str) -> PyResult<Self> {
        serde_json::from_str(text).map_err(of_json)
    }

    /// Whether candidates keep their traces.
    pub(crate) fn keep_traces(&self) -> bool {
        self.keep_traces
    }

    /// The seed of all random numbers.
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// Whether units have biases, where that is not a matter of listed terms.
    pub(crate) fn has_bias(&self, network: &Network) -> bool {
        match self.terms {
            Some(_) => network.terms().iter().any(|term| term.order() == 1),
            None => self.bias,
        }
    }

    /// The request on a table of Python's, with its rows kept for validation and its machine to start at.
    pub(crate) fn request_of(
        &self,
        data: &Data,
        kept: Option<&Data>,
        start: Option<&Machine>,
    ) -> PyResult<Request> {
        let kept = kept.map(|kept| Dataset::clone(&kept.dataset));
        let start = start.map(|start| Network::clone(&start.network));
        self.request(&data.dataset, kept, start).map_err(raised)
    }

    /// The request; rows kept for validation that are a table of their own and weights to start at come beside it.
    fn request(
        &self,
        data: &Dataset,
        kept: Option<Dataset>,
        start: Option<Network>,
    ) -> Result<Request> {
        let mut learner = self.learner.as_deref().map(Learner::named).transpose()?;
        let mut learner_options = Vec::new();
        for (name, value) in &self.learner_options {
            let (option, value) = (option_named(name)?, value.option());
            match &mut learner {
                Some(learner) => learner.set(option, value)?,
                None => learner_options.push((option, value)),
            }
        }
        let usual = Request::default();
        let kept = kept.map(ValidationRows::Table);
        let request = Request {
            hidden: self.hidden(),
            structure: self.structure(data)?,
            learner,
            learner_options,
            anneal: self.anneal,
            start,
            engine: self.engine.as_deref().map(str::parse).transpose()?,
            ridge: self.ridge()?,
            bias_ridge: self.bias_ridge,
            bound: self.bound.unwrap_or(usual.bound),
            tolerance: self.tol,
            max_iterations: self.max_iter,
            restarts: self.n_init,
            seed: self.seed,
            select: self.select.parse::<Select>()?,
            folds: self.n_folds,
            validation_rows: kept.or(self.validation.map(ValidationRows::Fraction)),
            bootstrap: self.resamples()?,
            keep_traces: self.keep_traces,
            search: match self.search.as_deref() {
                None => usual.search,
                Some(name) => name.parse()?,
            },
            ..usual
        };
        request.check()?;
        Ok(request)
    }

    fn hidden(&self) -> Option<Hidden> {
        Some(match self.n_hidden.clone()? {
            Some_::One(count) => Hidden::One(count),
            Some_::Several(counts) => Hidden::Several(counts),
        })
    }

    fn structure(&self, data: &Dataset) -> Result<Structure> {
        if let Some(terms) = &self.terms {
            return self.listed(terms, data);
        }
        let options = |shape: Shape| TermOptions {
            shape,
            bias: self.bias,
            order: self.order.unwrap_or(TermOptions::default().order),
        };
        let named = |name: &String| name.parse::<Shape>().map(options);
        let is_open = self.bias && self.order.is_none();
        Ok(match &self.shape {
            None if is_open => Structure::Auto,
            None => Structure::Named(options(Shape::default())),
            Some(Some_::One(name)) => Structure::Named(named(name)?),
            Some(Some_::Several(names)) => {
                Structure::Several(names.iter().map(named).collect::<Result<_>>()?)
            }
        })
    }

    /// Terms by the names of their units, for each number of hidden units.
    fn listed(&self, terms: &[Vec<String>], data: &Dataset) -> Result<Structure> {
        let sizes = match self.n_hidden.clone() {
            Some(Some_::One(count)) => vec![count],
            Some(Some_::Several(counts)) => counts,
            None => {
                let name = crate::wording::Keywords.name(Setting::Hidden);
                return Err(Error::invalid(format!(
                    "the shape lists terms, and how many hidden units there are is not given; give {name}, such as \
                     {name}=2"
                )));
            }
        };
        let mut by_size: BTreeMap<usize, Vec<Term>> = BTreeMap::new();
        for hidden in sizes {
            let units = units_of(data.columns(), hidden);
            let names = |role: Role| {
                let units = units.iter().filter(|unit| unit.role == role);
                units.map(|unit| unit.name.as_str()).collect::<Vec<_>>()
            };
            let spelled: Vec<Vec<&str>> = terms
                .iter()
                .map(|term| term.iter().map(String::as_str).collect())
                .collect();
            let weighted: Vec<(&[&str], f64)> =
                spelled.iter().map(|term| (&term[..], 0.0)).collect();
            let network =
                Network::from_terms(&names(Role::Visible), &names(Role::Hidden), &weighted)?;
            by_size.insert(hidden, network.terms().to_vec());
        }
        Ok(Structure::Listed(by_size))
    }

    fn ridge(&self) -> Result<Ridge> {
        match &self.ridge {
            Value::Count(count) => Ok(Ridge::Value(*count as f64)),
            Value::Number(number) => Ok(Ridge::Value(*number)),
            Value::Word(word) => match word.as_str() {
                "evidence" => Ok(Ridge::Evidence),
                "auto" => Ok(Ridge::CrossValidated),
                other => Err(Error::invalid(format!(
                    "ridge must be a number of at least 0, 'evidence' or 'auto', not '{other}'"
                ))),
            },
        }
    }

    fn resamples(&self) -> Result<Option<Resamples>> {
        let kind = match self.bootstrap.as_deref() {
            None => BootstrapKind::default(),
            Some(name) => name.parse()?,
        };
        Ok(self.n_bootstrap.map(|count| Resamples { count, kind }))
    }
}

impl Value {
    fn option(&self) -> OptionValue {
        match self {
            Value::Count(count) => OptionValue::Count(*count),
            Value::Number(number) => OptionValue::Number(*number),
            Value::Word(word) => OptionValue::Word(word.clone()),
        }
    }
}

/// The learner's option of this name.
fn option_named(name: &str) -> Result<Setting> {
    let learners = Learner::all();
    let options = || {
        let all = learners.iter().flat_map(Learner::options);
        let optional = [
            Setting::Chains,
            Setting::Batch,
            Setting::CdRate,
            Setting::CdDecay,
            Setting::Within,
        ];
        all.map(|(option, _)| option).chain(optional)
    };
    let found = options().find(|option| option.plain_name() == name);
    found.ok_or_else(|| {
        let mut names: Vec<&str> = options().map(Setting::plain_name).collect();
        names.sort_unstable();
        names.dedup();
        Error::invalid(format!(
            "learner_options: there is no option \"{name}\"; the options are {}",
            names.join(", ")
        ))
    })
}

/// A name, and what it is.
type Named = (&'static str, &'static str);

/// The engines and the learners, each with what it is.
#[pyo3::pyfunction]
pub(crate) fn names() -> (Vec<Named>, Vec<Named>) {
    let engines = EngineId::all().map(|engine| (engine.name(), engine.about()));
    let learners = Learner::all();
    let learners = learners
        .iter()
        .map(|learner| (learner.name(), learner.about()));
    (engines.collect(), learners.collect())
}
