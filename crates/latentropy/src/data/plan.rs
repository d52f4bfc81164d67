//! Which columns of a file are data, which one names the rows, which one weighs them, and by what words each is read.

use super::coding::Coding;
use super::columns::choose_columns;
use super::loaded::{ReadOptions, Words};
use super::recognise;
use super::source::Source;
use super::survey::Survey;
use crate::error::{Error, Result, shortened};
use std::path::Path;

/// Names of a first column that holds names or numbers of rows, as R and Python write tables.
const NAMES_OF_ROW_NAMES: [&str; 6] =
    ["rownames", "row.names", "unnamed: 0", "...1", "index", "id"];

/// What is read of a file, and how.
#[derive(Debug)]
pub(super) struct Plan {
    /// Positions of the data's columns.
    pub(super) chosen: Vec<usize>,
    /// The words of each of them, where it has its own.
    pub(super) codings: Vec<Option<Coding>>,
    /// Which of them have words that were told of them alone, or that a model has.
    pub(super) told: Vec<bool>,
    /// Which of them were recognised, not told.
    pub(super) recognised: Vec<bool>,
    pub(super) id: Option<usize>,
    /// True where the column of row names was recognised, not told.
    pub(super) id_is_recognised: bool,
    pub(super) weights: Option<usize>,
}

impl Plan {
    /// What was asked for.
    pub(super) fn new(path: &Path, source: &dyn Source, options: &ReadOptions) -> Result<Self> {
        let names = source.names();
        let named = |name: &Option<String>| {
            let found = name.as_ref().map(|name| one_column(path, names, name));
            found.transpose()
        };
        let (id, weights) = (named(&options.id)?, named(&options.weights)?);
        if let (Some(id), true) = (id, id == weights) {
            let problem = format!(
                "column `{}` cannot both name the rows and weigh them",
                names[id]
            );
            return Err(Error::file(
                path,
                None,
                problem,
                "name another column for one of the two",
            ));
        }
        let mut chosen = choose_columns(path, names, options.columns.as_deref())?;
        chosen.retain(|&column| Some(column) != id && Some(column) != weights);
        if chosen.is_empty() {
            let remedy = format!("the columns are {}", shortened(names));
            return Err(Error::file(
                path,
                None,
                "no column is left for the data",
                remedy,
            ));
        }
        let mut plan = Plan {
            codings: vec![None; chosen.len()],
            told: vec![false; chosen.len()],
            recognised: vec![false; chosen.len()],
            chosen,
            id,
            id_is_recognised: false,
            weights,
        };
        plan.take_model(source, &options.words);
        plan.take_recodings(path, names, options)?;
        Ok(plan)
    }

    /// The words of a model's columns: by name, or by position where the data have no names.
    fn take_model(&mut self, source: &dyn Source, words: &Words) {
        let Words::OfModel { units, codings } = words else {
            return;
        };
        for (at, &column) in self.chosen.iter().enumerate() {
            let name = match source.has_header() {
                true => Some(&source.names()[column]),
                false => units.get(at),
            };
            let coding = codings.iter().find(|coding| Some(&coding.column) == name);
            self.told[at] = coding.is_some();
            self.codings[at] = coding.cloned();
        }
    }

    /// What is said of some columns comes after what is said of all.
    fn take_recodings(
        &mut self,
        path: &Path,
        names: &[String],
        options: &ReadOptions,
    ) -> Result<()> {
        let is_general = |general: bool| {
            let all = options.recode.iter();
            all.filter(move |recode| recode.columns.is_none() == general)
        };
        for recode in is_general(true).chain(is_general(false)) {
            for column in recode.concerns(path, names)? {
                let Some(at) = self.chosen.iter().position(|&other| other == column) else {
                    continue;
                };
                let coding =
                    self.codings[at].get_or_insert_with(|| Coding::of_column(&names[column]));
                recode.enter(coding);
                self.told[at] |= recode.columns.is_some();
            }
        }
        Ok(())
    }

    /// Takes in what the whole file shows: a column of row names, columns of two words.
    pub(super) fn recognise(
        &mut self,
        source: &dyn Source,
        survey: &mut Survey<'_>,
        words: &Words,
    ) {
        if self.names_rows(source, survey) {
            self.id = Some(0);
            self.id_is_recognised = true;
            self.chosen.remove(0);
            self.codings.remove(0);
            self.told.remove(0);
            self.recognised.remove(0);
            survey.leave_out_first();
        }
        if *words == Words::Recognise {
            self.recognise_pairs(source, survey);
        }
        for (column, _) in survey
            .columns
            .iter_mut()
            .zip(&self.recognised)
            .filter(|(_, is)| **is)
        {
            column.settle();
        }
    }

    /// Whether the first column holds names or numbers of rows.
    fn names_rows(&self, source: &dyn Source, survey: &Survey<'_>) -> bool {
        let first = &survey.columns[0];
        if !source.may_name_rows() {
            return false;
        }
        if self.chosen[0] != 0 || self.chosen.len() < 2 || self.id.is_some() || !first.names_rows()
        {
            return false;
        }
        let name = source.names()[0].to_lowercase();
        let counts = || {
            let mut numbers = first.values.iter().zip(1..);
            !source.has_header()
                && first.known() > 2
                && numbers.all(|(value, at)| *value == at.to_string())
        };
        source.is_first_unnamed() || NAMES_OF_ROW_NAMES.contains(&name.as_str()) || counts()
    }

    fn recognise_pairs(&mut self, source: &dyn Source, survey: &Survey<'_>) {
        for (at, found) in survey.columns.iter().enumerate() {
            let is_told = |coding: &Coding| coding.has_values();
            let may_be_named = !source.has_header() && found.begins_oddly();
            if !found.is_unreadable()
                || may_be_named
                || self.codings[at].as_ref().is_some_and(is_told)
            {
                continue;
            }
            if let [a, b] = &found.values[..]
                && let Some((zero, one)) = recognise::order(a, b)
            {
                self.enter_pair(source.names(), at, zero, one);
            }
        }
        self.spread_to_constant_columns(source.names(), survey);
    }

    fn enter_pair(&mut self, names: &[String], at: usize, zero: &str, one: &str) {
        let name = &names[self.chosen[at]];
        let coding = self.codings[at].get_or_insert_with(|| Coding::of_column(name));
        coding.zero.push(zero.to_string());
        coding.one.push(one.to_string());
        self.recognised[at] = true;
    }

    /// A column that always says 1 in a file of 1 and 2 means what a 1 means in the others.
    fn spread_to_constant_columns(&mut self, names: &[String], survey: &Survey<'_>) {
        let mut pairs = (0..self.chosen.len())
            .filter(|&at| survey.columns[at].values.len() > 1)
            .map(|at| match (&self.codings[at], self.recognised[at]) {
                (Some(coding), true) => Some((coding.zero.clone(), coding.one.clone())),
                _ => None,
            });
        let Some(Some((zero, one))) = pairs.next() else {
            return;
        };
        if !pairs.all(|pair| pair.as_ref() == Some(&(zero.clone(), one.clone()))) {
            return;
        }
        for at in 0..self.chosen.len() {
            if let [only] = &survey.columns[at].values[..]
                && self.codings[at].is_none()
                && (*only == zero[0] || *only == one[0])
            {
                self.enter_pair(names, at, &zero[0], &one[0]);
            }
        }
    }
}

/// The one column of this name.
fn one_column(path: &Path, names: &[String], name: &str) -> Result<usize> {
    match choose_columns(path, names, Some(&[name.to_string()]))?[..] {
        [only] => Ok(only),
        _ => Err(Error::file(
            path,
            None,
            format!("`{name}` is not one column"),
            format!("name one of {}", shortened(names)),
        )),
    }
}
