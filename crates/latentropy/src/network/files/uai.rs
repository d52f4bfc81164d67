//! Models of the UAI inference competitions: `MARKOV` and `BAYES` files of binary variables.
//!
//! Reading turns every table into terms (see [`super::mobius`]); terms that several tables share
//! are added up. The units are x0, x1, …, all visible. Writing makes one table per term, all ones but
//! e^λ in its last entry, which is where all its variables are 1.

use super::fault::{Fault, shown};
use super::loaded::LoadedNetwork;
use super::mobius::terms_of_table;
use super::tokens::Tokens;
use crate::error::{Error, Result};
use crate::network::sums::TermSums;
use crate::network::{Network, Role, Unit};
use crate::remark::Remark;

/// Tables of more variables are neither read nor written: 2^20 entries is large enough.
const LARGEST_SCOPE: usize = 20;

/// e^±500 is well within the doubles, also times a few like it.
const LARGEST_LOG_ENTRY: f64 = 500.0;

/// One weight is spread over this many factors at most, which keeps its digits: every addition on
/// reading rounds once.
const MOST_FACTORS_OF_A_TERM: f64 = 1000.0;

/// A file of more entries than this would take hundreds of megabytes.
const MOST_ENTRIES: u64 = 1 << 26;

/// Log entries that the terms may miss by more than this deserve a warning.
const GOOD_ENOUGH: f64 = 1e-8;

type Parsed<T> = std::result::Result<T, Fault>;

/// The network of a file's content.
pub(super) fn read(bytes: &[u8]) -> Parsed<LoadedNetwork> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let problem = format!("byte {} is not text", error.valid_up_to());
        Fault::whole(problem, "a UAI file holds words and numbers alone")
    })?;
    let mut tokens = Tokens::new(text.trim_start_matches('\u{feff}'));
    let variables = read_variables(&mut tokens)?;
    let scopes = read_scopes(&mut tokens, variables)?;

    let (mut sums, mut zeros, mut remarks) = (TermSums::default(), 0, Vec::new());
    for (factor, scope) in scopes.iter().enumerate() {
        let entries = read_table(&mut tokens, factor, scope)?;
        let Some(table) = terms_of_table(scope, &entries) else {
            let problem = format!("all entries of the table of factor {factor} are 0");
            return Err(tokens.fault(problem, "no state is possible then; mend the table"));
        };
        zeros += table.zeros;
        if table.largest_error > GOOD_ENOUGH {
            remarks.push(Remark::ModelFile(format!(
                "the terms of factor {factor} hold the logarithms of its table to {:.0e} only: the \
                 table is large and its entries, zeros above all, differ widely",
                table.largest_error
            )));
        }
        for (term, weight) in table.terms {
            sums.add(term, weight);
        }
    }
    if let Some(word) = tokens.next() {
        let problem = format!("`{}` comes after the last table", shown(word));
        return Err(tokens.fault(
            problem,
            "check the number of factors near the top of the file",
        ));
    }
    if zeros > 0 {
        remarks.push(Remark::ModelFile(format!(
            "{zeros} table entries are 0; each became e^-1000 times the largest entry of its table"
        )));
    }
    let units = (0..variables).map(standard_unit).collect();
    let network = Network::new(units, sums.in_order_of_arrival()).map_err(Fault::network)?;
    Ok(LoadedNetwork {
        network,
        codings: Vec::new(),
        remarks,
    })
}

fn standard_unit(variable: usize) -> Unit {
    Unit::visible(format!("x{variable}"))
}

/// The header: the kind of model and the numbers of states.
fn read_variables(tokens: &mut Tokens<'_>) -> Parsed<usize> {
    let kind = tokens.word(|| "the kind of model, MARKOV or BAYES".to_string())?;
    if !["MARKOV", "BAYES"]
        .iter()
        .any(|known| kind.eq_ignore_ascii_case(known))
    {
        let problem = format!("`{}` is not a kind of model", shown(kind));
        return Err(tokens.fault(problem, "a UAI file starts with MARKOV or BAYES"));
    }
    let variables = tokens.count(|| "the number of variables".to_string())?;
    for variable in 0..variables {
        // Nothing is allocated on the word of a header: each variable must first show its states.
        let states = tokens.count(|| format!("the number of states of variable {variable}"))?;
        if states != 2 {
            let problem = format!("variable {variable} has {states} states");
            return Err(tokens.fault(problem, "only models of binary variables can be read"));
        }
    }
    if variables == 0 {
        return Err(tokens.fault("there are no variables", "a network needs at least one"));
    }
    Ok(variables)
}

fn read_scopes(tokens: &mut Tokens<'_>, variables: usize) -> Parsed<Vec<Vec<usize>>> {
    let factors = tokens.count(|| "the number of factors".to_string())?;
    let mut scopes = Vec::new();
    for factor in 0..factors {
        let size = tokens.count(|| format!("the number of variables of factor {factor}"))?;
        if size > LARGEST_SCOPE {
            let problem = format!("factor {factor} has {size} variables");
            let remedy = format!("tables of up to {LARGEST_SCOPE} variables can be read");
            return Err(tokens.fault(problem, remedy));
        }
        let mut scope = Vec::new();
        for _ in 0..size {
            let variable = tokens.count(|| format!("a variable of factor {factor}"))?;
            if variable >= variables {
                let problem = format!("factor {factor} names variable {variable}");
                let remedy = format!("the variables are 0 to {}", variables - 1);
                return Err(tokens.fault(problem, remedy));
            }
            if scope.contains(&variable) {
                let problem = format!("factor {factor} names variable {variable} twice");
                return Err(tokens.fault(problem, "name every variable of a factor once"));
            }
            scope.push(variable);
        }
        scopes.push(scope);
    }
    Ok(scopes)
}

fn read_table(tokens: &mut Tokens<'_>, factor: usize, scope: &[usize]) -> Parsed<Vec<f64>> {
    let given = tokens.count(|| format!("the number of table entries of factor {factor}"))?;
    let size = 1usize << scope.len();
    if given != size {
        let problem = format!(
            "the table of factor {factor} has {given} entries for {} variables",
            scope.len()
        );
        return Err(tokens.fault(problem, format!("it must have {size}")));
    }
    (0..size)
        .map(|entry| tokens.entry(|| format!("entry {entry} of the table of factor {factor}")))
        .collect()
}

/// The text of a file, and what it cannot hold.
pub(super) fn write(network: &Network) -> Result<(String, Vec<Remark>)> {
    let (mut factors, mut entries) = (0, 0u64);
    let (mut scopes, mut tables) = (String::new(), String::new());
    for table in tables_of(network) {
        let repeats = table.repeats()?;
        let size = 1u64 << table.scope.len();
        factors += repeats;
        entries += repeats as u64 * size;
        if entries > MOST_ENTRIES {
            return Err(Error::too_large(
                format!("the tables have more than {MOST_ENTRIES} entries in all"),
                "write a .json file, which has one number per term",
            ));
        }
        let last = format!("{:.16e}", (table.weight / repeats as f64).exp());
        let other = if table.is_constant { &last } else { "1" };
        let others = vec![other; size as usize - 1].join(" ");
        let scope: Vec<String> = table.scope.iter().map(usize::to_string).collect();
        let scope = format!("{} {}\n", scope.len(), scope.join(" "));
        scopes.push_str(&scope.repeat(repeats));
        tables.push_str(&format!("\n{size}\n{others} {last}\n").repeat(repeats));
    }
    let units = network.units().len();
    let states = vec!["2"; units].join(" ");
    let text = format!("MARKOV\n{units}\n{states}\n{factors}\n{scopes}{tables}");
    Ok((text, losses(network)))
}

/// A table to be written: e^weight where all variables are 1, or everywhere for the constant.
struct Table<'a> {
    name: String,
    scope: &'a [usize],
    weight: f64,
    is_constant: bool,
}

/// The constant, if any, on the first variable; then the terms.
fn tables_of(network: &Network) -> impl Iterator<Item = Table<'_>> {
    let constant = Table {
        name: "the constant".to_string(),
        scope: &[0],
        weight: network.constant(),
        is_constant: true,
    };
    let terms = (0..network.terms().len()).map(|at| Table {
        name: format!("term {}", shown(network.label(at))),
        scope: network.terms()[at].units(),
        weight: network.weights()[at],
        is_constant: false,
    });
    let constant = Some(constant).filter(|table| table.weight != 0.0);
    constant.into_iter().chain(terms)
}

impl Table<'_> {
    /// In how many equal factors the weight is written so that no entry over- or underflows.
    fn repeats(&self) -> Result<usize> {
        let Table { name, weight, .. } = self;
        if self.scope.len() > LARGEST_SCOPE {
            return Err(Error::too_large(
                format!(
                    "{name} has order {}, and tables of up to {LARGEST_SCOPE} variables are written",
                    self.scope.len()
                ),
                "write a .json file, which holds any order",
            ));
        }
        let repeats = (weight.abs() / LARGEST_LOG_ENTRY).ceil().max(1.0);
        if repeats > MOST_FACTORS_OF_A_TERM {
            return Err(Error::too_large(
                format!(
                    "the weight {weight:e} of {name} is beyond ±{:e}, which UAI tables cannot hold well",
                    LARGEST_LOG_ENTRY * MOST_FACTORS_OF_A_TERM
                ),
                "write a .json file, which holds any weight",
            ));
        }
        Ok(repeats as usize)
    }
}

fn losses(network: &Network) -> Vec<Remark> {
    let units = network.units();
    let unnamed = (0..units.len()).all(|unit| units[unit].name == standard_unit(unit).name);
    if unnamed && units.iter().all(|unit| unit.role == Role::Visible) {
        return Vec::new();
    }
    vec![Remark::ModelFile(format!(
        "a UAI file holds neither names nor roles: its variables 0 to {} are the units in order, \
         and are read as visible units x0, x1, …",
        units.len() - 1
    ))]
}
