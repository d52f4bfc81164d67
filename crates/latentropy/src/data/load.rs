//! Rows of any data file gathered into a data set: once as they are, and once more by the words that a second look finds.

use super::builder::Builder;
use super::cell::{Cell, number};
use super::limits::{check_columns, check_rows};
use super::loaded::{Loaded, ReadOptions, RowNames};
use super::plan::Plan;
use super::remarks;
use super::source::{Line, Source};
use super::survey::{Survey, shown};
use crate::error::{Error, Result, shortened};
use crate::plain::plain_name;
use crate::remark::Remark;
use std::path::Path;

/// Reads a data file whose layout is known.
pub(super) fn load(path: &Path, source: &dyn Source, options: &ReadOptions) -> Result<Loaded> {
    check_columns(path, source.names().len())?;
    let mut plan = Plan::new(path, source, options)?;
    let mut gathering = Gathering::new(path, source, &plan);
    let remarks = source.each(&mut |line| gathering.take(line))?;
    if gathering.stop.is_none() {
        return gathering.finish(options, remarks);
    }
    // A cell that cannot be read: the whole file tells what the column holds.
    let chosen = plan.chosen.clone();
    let mut survey = survey(source, &plan, &chosen)?;
    plan.recognise(source, &mut survey, &options.words);
    let mut gathering = Gathering::new(path, source, &plan);
    let remarks = source.each(&mut |line| gathering.take(line))?;
    match gathering.stop {
        Some(stop) => Err(unreadable(path, source, &plan, &survey, &stop)),
        None => gathering.finish(options, remarks),
    }
}

/// What the chosen columns hold.
fn survey<'a>(source: &'a dyn Source, plan: &Plan, chosen: &'a [usize]) -> Result<Survey<'a>> {
    let mut survey = Survey::new(source.names(), chosen);
    source.each(&mut |line| {
        for at in 0..chosen.len() {
            survey.observe(at, cell(plan, line, at), &line.text(chosen[at]));
        }
        Ok(true)
    })?;
    Ok(survey)
}

/// What a cell of chosen column `at` says.
#[inline]
fn cell(plan: &Plan, line: &dyn Line, at: usize) -> Option<Cell> {
    match &plan.codings[at] {
        None => line.cell(plan.chosen[at]),
        Some(coding) => coding.read(&line.text(plan.chosen[at])),
    }
}

/// The error for a cell that is not a value; the rest of the file tells what may be wrong.
fn unreadable(
    path: &Path,
    source: &dyn Source,
    plan: &Plan,
    survey: &Survey<'_>,
    stop: &Stop,
) -> Error {
    let at = stop.column;
    let name = &source.names()[plan.chosen[at]];
    let remedy = match &plan.codings[at] {
        Some(coding) if coding.has_values() => {
            let known: Vec<&str> = coding
                .one
                .iter()
                .chain(&coding.zero)
                .map(String::as_str)
                .collect();
            format!(
                "the column is read by the words {}: give this one a value, too",
                shortened(&known)
            )
            .into()
        }
        _ => {
            let remedy = survey.remedy(at);
            match survey.is_slip(at) {
                true => source.slip_remedy(remedy, stop.is_first_row),
                false => remedy,
            }
        }
    };
    Error::file(
        path,
        format!("{}{}, column {name}", source.prefix(), stop.place),
        format!("{} is not a binary value", shown(&stop.value)),
        remedy,
    )
}

/// The first cell that cannot be read.
struct Stop {
    place: String,
    column: usize,
    value: String,
    is_first_row: bool,
}

/// Rows on their way into a data set.
struct Gathering<'a> {
    path: &'a Path,
    source: &'a dyn Source,
    plan: &'a Plan,
    builder: Builder,
    rows: usize,
    first_unknown: Option<String>,
    names: Vec<String>,
    weights: Vec<f64>,
    /// Which columns hold a word of their coding.
    coded: Vec<bool>,
    stop: Option<Stop>,
}

impl<'a> Gathering<'a> {
    fn new(path: &'a Path, source: &'a dyn Source, plan: &'a Plan) -> Self {
        let names = plan
            .chosen
            .iter()
            .map(|&column| source.names()[column].clone());
        Gathering {
            path,
            source,
            plan,
            builder: Builder::new(names.collect(), source.has_header()),
            rows: 0,
            first_unknown: None,
            names: Vec::new(),
            weights: Vec::new(),
            coded: vec![false; plan.chosen.len()],
            stop: None,
        }
    }

    /// Takes a row in; false at the first cell that cannot be read.
    fn take(&mut self, line: &dyn Line) -> Result<bool> {
        let plan = self.plan;
        for (at, &column) in plan.chosen.iter().enumerate() {
            match cell(plan, line, at) {
                Some(cell) => self.builder.set(at, cell),
                None => {
                    self.stop = Some(Stop {
                        place: line.place(),
                        column: at,
                        value: line.text(column).into_owned(),
                        is_first_row: self.rows == 0,
                    });
                    return Ok(false);
                }
            }
            if let (Some(coding), false) = (&plan.codings[at], self.coded[at]) {
                self.coded[at] = coding.own(&line.text(column)).is_some();
            }
        }
        if !self.builder.end_row() && self.first_unknown.is_none() {
            self.first_unknown = Some(line.place());
        }
        if let Some(id) = plan.id {
            self.names
                .push(plain_name(line.text(id).trim()).into_owned());
        }
        if let Some(weights) = plan.weights {
            let weight = self.weight(line, weights)?;
            self.weights.push(weight);
        }
        self.rows += 1;
        check_rows(self.path, self.rows)?;
        Ok(true)
    }

    fn weight(&self, line: &dyn Line, column: usize) -> Result<f64> {
        let text = line.text(column);
        let problem = match number(text.trim()) {
            Some(weight) if weight.is_finite() && weight >= 0.0 => return Ok(weight),
            _ if Cell::parse(&text) == Some(Cell::Missing) => {
                "the row's weight is missing".to_string()
            }
            _ => format!("{} is not a weight", shown(&text)),
        };
        let name = &self.source.names()[column];
        Err(Error::file(
            self.path,
            format!("{}{}, column {name}", self.source.prefix(), line.place()),
            problem,
            "give every row a number of at least 0; 0 leaves the row out",
        ))
    }

    fn finish(self, options: &ReadOptions, of_file: Vec<Remark>) -> Result<Loaded> {
        let (plan, all) = (self.plan, self.source.names());
        if self.rows == 0 {
            let problem = format!("holds a header ({}) and no rows", shortened(all));
            return Err(Error::file(
                self.path,
                None,
                problem,
                "add rows of cells below it",
            ));
        }
        let mut dataset = self.builder.finish();
        let mut found = Vec::new();
        if let Some(column) = plan.weights {
            if self.weights.iter().all(|&weight| weight == 0.0) {
                let problem = format!("column {}: all rows weigh 0", all[column]);
                let remedy = "give at least one row a weight above 0";
                return Err(Error::file(self.path, None, problem, remedy));
            }
            found.push(remarks::weighted(&all[column], &self.weights));
            dataset = dataset.with_row_weights(self.weights)?;
        }
        if let (Some(id), true) = (plan.id, plan.id_is_recognised) {
            found.push(Remark::RowNames {
                column: all[id].clone(),
                is_unnamed: self.source.is_first_unnamed(),
            });
        }
        let chosen = |is: &dyn Fn(usize) -> bool| {
            let columns = (0..plan.chosen.len()).filter(|&at| is(at));
            columns
                .filter_map(|at| plan.codings[at].clone())
                .collect::<Vec<_>>()
        };
        let recognised = chosen(&|at| plan.recognised[at]);
        if !recognised.is_empty() {
            found.push(remarks::recognised(&recognised, plan.chosen.len()));
        }
        let unused = unused_words(options, &self.coded, plan, all);
        if !unused.is_empty() {
            found.push(Remark::UnusedRecodings(unused));
        }
        found.extend(remarks::describe(&dataset, self.first_unknown));
        found.extend(of_file);
        Ok(Loaded {
            dataset,
            remarks: found,
            codings: chosen(&|at| self.coded[at] || plan.told[at] || plan.recognised[at]),
            row_names: plan.id.map(|id| RowNames {
                column: all[id].clone(),
                names: self.names,
            }),
        })
    }
}

/// Recodings none of whose columns holds a word of theirs: most likely a slip in what was asked for.
fn unused_words(
    options: &ReadOptions,
    coded: &[bool],
    plan: &Plan,
    names: &[String],
) -> Vec<String> {
    let mut unused = Vec::new();
    for recode in &options.recode {
        let concerned = recode.concerns(Path::new(""), names).unwrap_or_default();
        let is_used = (0..coded.len()).any(|at| coded[at] && concerned.contains(&plan.chosen[at]));
        if !is_used {
            unused.extend(recode.words.iter().map(|(word, _)| word.clone()));
        }
    }
    unused
}
