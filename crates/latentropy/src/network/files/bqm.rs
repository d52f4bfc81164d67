//! Binary quadratic models of dimod, as the JSON document that its `to_serializable` makes.
//!
//! A BQM is an energy to be minimised: p(x) ∝ e^−E(x), at temperature 1. So every bias is minus a
//! weight, and the offset is minus the constant. Models over spins are read through the exact
//! conversion; models over {0,1} are written. Every variable has a linear bias there, so that a
//! bias of 0 is read as no term.
//!
//! dimod has no roles. They are kept in the document's `info` field, under `latentropy`; a model that
//! dimod (0.12) has loaded and saved has lost that field, and its units are then all visible.

use super::fault::{Fault, shown};
use super::loaded::LoadedNetwork;
use crate::error::{Error, Result};
use crate::network::definition::{LARGEST_WEIGHT, is_allowed};
use crate::network::sums::TermSums;
use crate::network::{Network, Role, SpinNetwork, Term, Unit};
use crate::plain::plain_name;
use crate::remark::Remark;
use serde_json::{Map, Value, json};

const TYPE: &str = "BinaryQuadraticModel";
const SCHEMA: &str = "3.0.0";
const SERIALIZE: &str = "save it with json.dump(bqm.to_serializable(), file)";

type Parsed<T> = std::result::Result<T, Fault>;

/// Whether a document says that it is a BQM.
pub(super) fn is_bqm(document: &Value) -> bool {
    document.get("type").and_then(Value::as_str) == Some(TYPE)
}

/// dimod's other, binary format is not JSON, and deserves a better message than a syntax error.
pub(super) fn refuse_binary(bytes: &[u8]) -> Parsed<()> {
    if bytes.starts_with(b"DIMODBQM") {
        return Err(Fault::whole("this is dimod's binary format", SERIALIZE));
    }
    Ok(())
}

/// The network of a document.
pub(super) fn read(document: &Value) -> Parsed<LoadedNetwork> {
    let Some(model) = document.as_object() else {
        return Err(Fault::whole("a BQM is a JSON object", SERIALIZE));
    };
    check_schema(model)?;
    let labels = list(model, "variable_labels")?;
    let units = read_units(model, labels)?;
    let is_spin = match model.get("variable_type").and_then(Value::as_str) {
        Some("BINARY") => false,
        Some("SPIN") => true,
        _ => {
            let given = model
                .get("variable_type")
                .map_or("missing".to_string(), shown);
            let problem = format!("the type is {given}");
            return Err(Fault::at(
                "variable_type",
                problem,
                "it must be BINARY or SPIN",
            ));
        }
    };
    let terms = read_terms(model, units.len(), is_spin)?;
    let network = if is_spin {
        let spins = SpinNetwork {
            units,
            terms,
            constant: 0.0,
        };
        spins.network()
    } else {
        Network::new(units, terms)
    };
    Ok(LoadedNetwork {
        codings: Vec::new(),
        network: network.map_err(Fault::network)?,
        remarks: Vec::new(),
    })
}

fn check_schema(model: &Map<String, Value>) -> Parsed<()> {
    let version = model
        .get("version")
        .and_then(|version| version.get("bqm_schema"));
    let version = version.and_then(Value::as_str).unwrap_or("missing");
    if !version.starts_with("2.") && !version.starts_with("3.") {
        let problem = format!("schema {} is not known", shown(version));
        let remedy = format!("schemas 2 and 3 are read; {SERIALIZE}");
        return Err(Fault::at("version.bqm_schema", problem, remedy));
    }
    if model
        .get("use_bytes")
        .is_some_and(|flag| *flag != Value::Bool(false))
    {
        return Err(Fault::at(
            "use_bytes",
            "biases are stored as bytes",
            SERIALIZE,
        ));
    }
    Ok(())
}

fn list<'a>(model: &'a Map<String, Value>, name: &str) -> Parsed<&'a [Value]> {
    match model.get(name).and_then(Value::as_array) {
        Some(items) => Ok(items),
        None => Err(Fault::at(name, "there is no such list", SERIALIZE)),
    }
}

/// Labels that are texts are names as they are; numbers and tuples are named by their JSON.
fn read_units(model: &Map<String, Value>, labels: &[Value]) -> Parsed<Vec<Unit>> {
    let roles = read_roles(model, labels.len())?;
    let mut names = std::collections::HashSet::new();
    let mut units = Vec::new();
    for (at, (label, role)) in labels.iter().zip(roles).enumerate() {
        let name = label
            .as_str()
            .map_or_else(|| label.to_string(), str::to_string);
        let name = plain_name(&name).into_owned();
        if name.is_empty() || !names.insert(name.clone()) {
            let place = format!("variable_labels[{at}]");
            let problem = format!("\"{}\" is empty or names two variables", shown(name));
            return Err(Fault::at(place, problem, "relabel the variables"));
        }
        units.push(Unit { name, role });
    }
    Ok(units)
}

fn read_roles(model: &Map<String, Value>, count: usize) -> Parsed<Vec<Role>> {
    let Some(roles) = model
        .get("info")
        .and_then(|info| info.get("latentropy")?.get("roles"))
    else {
        return Ok(vec![Role::Visible; count]);
    };
    let roles: Option<Vec<Role>> = serde_json::from_value(roles.clone()).ok();
    roles.filter(|roles| roles.len() == count).ok_or_else(|| {
        let problem = format!("this is not a list of {count} roles");
        let remedy = "write \"visible\" or \"hidden\" for every variable, or remove the field";
        Fault::at("info.latentropy.roles", problem, remedy)
    })
}

fn read_terms(model: &Map<String, Value>, units: usize, is_spin: bool) -> Parsed<Vec<(Term, f64)>> {
    let mut sums = TermSums::default();
    let offset = model.get("offset").unwrap_or(&Value::Null);
    sums.add(
        Term::new(Vec::new()),
        weight(offset, || "offset".to_string())?,
    );

    let linear = of_length(model, "linear_biases", units, "variables")?;
    for (unit, bias) in linear.iter().enumerate() {
        let weight = weight(bias, || format!("linear_biases[{unit}]"))?;
        if weight != 0.0 {
            sums.add(Term::new(vec![unit]), weight);
        }
    }
    let quadratic = list(model, "quadratic_biases")?;
    let heads = of_length(model, "quadratic_head", quadratic.len(), "quadratic biases")?;
    let tails = of_length(model, "quadratic_tail", quadratic.len(), "quadratic biases")?;
    for at in 0..quadratic.len() {
        let weight = weight(&quadratic[at], || format!("quadratic_biases[{at}]"))?;
        let head = variable(&heads[at], units, || format!("quadratic_head[{at}]"))?;
        let tail = variable(&tails[at], units, || format!("quadratic_tail[{at}]"))?;
        // A variable with itself: s² = 1 is a constant, x² = x a bias. Repeated pairs are added up.
        let pair = if is_spin && head == tail {
            Vec::new()
        } else {
            vec![head, tail]
        };
        sums.add(Term::new(pair), weight);
    }
    Ok(sums.in_order_of_arrival())
}

fn of_length<'a>(
    model: &'a Map<String, Value>,
    name: &str,
    length: usize,
    of: &str,
) -> Parsed<&'a [Value]> {
    let items = list(model, name)?;
    if items.len() != length {
        let problem = format!("{} items for {length} {of}", items.len());
        return Err(Fault::at(name, problem, SERIALIZE));
    }
    Ok(items)
}

/// Minus the energy.
fn weight(bias: &Value, place: impl Fn() -> String) -> Parsed<f64> {
    let energy = bias.as_f64().filter(|&energy| is_allowed(energy));
    energy.map(negated).ok_or_else(|| {
        let problem = format!("the bias is {}", shown(bias));
        let remedy =
            format!("biases must be finite numbers, of at most {LARGEST_WEIGHT:e} in size");
        Fault::at(place(), problem, remedy)
    })
}

fn variable(item: &Value, units: usize, place: impl Fn() -> String) -> Parsed<usize> {
    let index = item.as_u64().and_then(|index| usize::try_from(index).ok());
    index.filter(|&index| index < units).ok_or_else(|| {
        let problem = format!("{} is not the position of a variable", shown(item));
        Fault::at(
            place(),
            problem,
            format!("there are {units} variables, counted from 0"),
        )
    })
}

/// −value, without making a −0 of 0.
fn negated(value: f64) -> f64 {
    0.0 - value
}

/// The text of a file, and what it cannot hold.
pub(super) fn write(network: &Network) -> Result<(String, Vec<Remark>)> {
    let mut linear = vec![0.0; network.units().len()];
    let (mut heads, mut tails, mut quadratic) = (Vec::new(), Vec::new(), Vec::new());
    for (at, (term, &weight)) in network.terms().iter().zip(network.weights()).enumerate() {
        match *term.units() {
            [unit] => linear[unit] = negated(weight),
            [head, tail] => {
                heads.push(head);
                tails.push(tail);
                quadratic.push(negated(weight));
            }
            _ => {
                return Err(Error::invalid(format!(
                    "term {} has order {}, and a BQM holds terms up to order 2; \
                     write a .json or .uai file, which hold any order",
                    network.label(at),
                    term.order()
                )));
            }
        }
    }
    let names: Vec<&str> = network
        .units()
        .iter()
        .map(|unit| unit.name.as_str())
        .collect();
    let roles: Vec<Role> = network.units().iter().map(|unit| unit.role).collect();
    let has_hidden = roles.contains(&Role::Hidden);
    let document = json!({
        "type": TYPE,
        "version": {"bqm_schema": SCHEMA},
        "use_bytes": false,
        "index_type": "int32",
        "bias_type": "float64",
        "num_variables": names.len(),
        "num_interactions": quadratic.len(),
        "variable_labels": names,
        "variable_type": "BINARY",
        "offset": negated(network.constant()),
        "info": {"latentropy": {"roles": roles}},
        "linear_biases": linear,
        "quadratic_biases": quadratic,
        "quadratic_head": heads,
        "quadratic_tail": tails,
    });
    let warning = "a BQM has no roles: they are kept in its `info` field, which dimod drops when it \
                   saves the model again";
    let remarks = has_hidden
        .then(|| Remark::ModelFile(warning.to_string()))
        .into_iter()
        .collect();
    Ok((format!("{document}\n"), remarks))
}
