//! The machines that are compared: shapes with numbers of hidden units, from the simplest on, and how far they grow.

use super::many_columns::machines_of_many_columns;
use super::request::{Hidden, Request, Ridge, Structure};
use super::screening::screened;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::inference::{Way, choose_engine_to_learn, exact_way, is_in_two_layers};
use crate::learning::MOST_SAMPLED_TERMS;
use crate::message::{Setting, words};
use crate::network::{Clamp, Network, Shape, Term, TermOptions, units_of};
use serde::{Deserialize, Serialize};

/// More hidden units than this are a slip of the keyboard, whatever the shape.
const MOST_HIDDEN: usize = 10_000;
/// Where no number is given, at most so many hidden units are tried.
const MOST_GROWN: usize = 8;
/// And where rows are kept for validation, so many more, by samples.
const MORE_GROWN: [usize; 4] = [16, 32, 64, 128];
/// Of these, with pairs of visible units beside the hidden ones.
const GROWN_WITH_PAIRS: [usize; 2] = [16, 64];
/// With pairs of visible units and a table of validation rows, these are tried where they are summed quickly.
const SUMMED_WITH_PAIRS: [usize; 4] = [4, 8, 12, 16];
/// Quickly: so many states times hidden units, some milliseconds per pass.
const MOST_FIELDS: usize = 1 << 20;
/// Where nothing is given, machines whose sums take longer than 2^this states are left out of the comparison.
const MOST_COMPARED: usize = 20;
/// Without hidden units there is one solution, and one start finds it: two more columns are affordable.
const MOST_VISIBLE_COMPARED: usize = 22;
/// Where rows are kept for validation a machine is learned once instead of six times: two more units are affordable.
const EXTRA_UNITS: usize = 2;
/// And those with more terms than this: 100 columns with eight hidden units, or 200 with four, are affordable.
const MOST_COMPARED_TERMS: usize = 1010;

/// Tables of so many cells are large.
const MANY_CELLS: usize = 50_000;

/// One machine that may be fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Its shape's name; `listed` where its terms were.
    pub shape: String,
    /// Its hidden units.
    pub hidden: usize,
    /// Units and terms; all weights are zero.
    pub network: Network,
    /// True if it is tried only while the smaller machine of its shape was worth it.
    pub grows: bool,
    /// The ridge that it is tried with where it is not the usual one; only if it is chosen at that.
    pub ridge: Option<f64>,
    /// Whether it is learned in mini-batches because machines of every size are compared.
    pub in_batches: bool,
}

impl Machine {
    /// A machine that is tried, and learned as suits it.
    pub(super) fn new(shape: impl ToString, hidden: usize, network: Network) -> Self {
        Machine {
            shape: shape.to_string(),
            hidden,
            network,
            grows: false,
            ridge: None,
            in_batches: false,
        }
    }

    /// How it is called in a table: `independent`, `visible`, `rbm 2`, `rbm 2 at ridge 0.2`.
    pub fn name(&self) -> String {
        let name = match self.hidden {
            0 => self.shape.clone(),
            hidden => format!("{} {hidden}", self.shape),
        };
        match self.ridge {
            Some(ridge) => format!("{name} at ridge {ridge}"),
            None => name,
        }
    }

    /// How many weights it has.
    pub fn parameters(&self) -> usize {
        self.network.terms().len()
    }
}

/// All machines that a request may end with, in the order in which they are tried.
pub(super) fn machines(request: &Request, data: &Dataset) -> Result<Vec<Machine>> {
    let columns = data.columns();
    let budget = Budget::new(request, data);
    let named = |shape: Shape| TermOptions {
        shape,
        ..TermOptions::default()
    };
    let shapes: Vec<TermOptions> = match &request.structure {
        Structure::Listed(by_size) => {
            let listed = request.sizes()?.into_iter().map(|hidden| {
                let terms: &Vec<Term> = by_size.get(&hidden).ok_or_else(|| {
                    Error::invalid(format!("no terms are listed for {hidden} hidden units"))
                })?;
                let weighted = terms.iter().map(|term| (term.clone(), 0.0));
                let network = Network::new(units_of(columns, hidden), weighted)?;
                Ok(Machine::new("listed", hidden, network))
            });
            return listed.collect();
        }
        Structure::Named(options) => vec![options.clone()],
        Structure::Several(options) => options.clone(),
        Structure::Auto if request.hidden.is_some() => vec![TermOptions::default()],
        Structure::Auto => {
            if budget.has_batches && are_many(data) {
                return machines_of_many_columns(data, request.ridge == Ridge::Evidence);
            }
            let shapes = [Shape::Rbm, Shape::Full, Shape::SemiRestricted];
            return from_nothing(data, &shapes.map(named), budget);
        }
    };
    let mut found: Vec<Machine> = Vec::new();
    let (sizes, grows) = match &request.hidden {
        Some(_) => (request.sizes()?, false),
        None => (std::iter::once(0).chain(budget.sizes()).collect(), true),
    };
    for hidden in sizes {
        for options in &shapes {
            // Shapes without hidden units are one machine, whatever the sizes of the others.
            let has_none = matches!(options.shape, Shape::Visible | Shape::Independent);
            if has_none && hidden > 0 && (shapes.len() > 1 || grows) {
                continue;
            }
            if hidden > MOST_HIDDEN {
                return Err(too_many(hidden));
            }
            let mut machine = named_machine(data, hidden, options, grows && hidden > 0)?;
            if !compares(request) {
                machine.shape = options.shape.to_string();
            }
            let is_known = |known: &Machine| known.network.terms() == machine.network.terms();
            if grows && !budget.allows(&machine.network) && !found.is_empty() {
                continue;
            }
            if !found.iter().any(is_known) {
                found.push(machine);
            }
        }
    }
    Ok(found)
}

fn too_many(hidden: usize) -> Error {
    Error::invalid(words![
        Setting::Hidden.at(hidden),
        format!(
            " is more than any engine can hold; at most {MOST_HIDDEN}, and far fewer for exact inference"
        ),
    ])
}

/// The shape with so many hidden units; without any, under the name of what it then is.
fn named_machine(
    data: &Dataset,
    hidden: usize,
    options: &TermOptions,
    grows: bool,
) -> Result<Machine> {
    let shape = match (options.shape, hidden) {
        (Shape::Full | Shape::SemiRestricted, 0) if options.order > 1 => Shape::Visible,
        (Shape::Rbm, 0) if options.bias => Shape::Independent,
        (shape, _) => shape,
    };
    let network = match shape {
        Shape::Screened => screened(data, hidden, options)?,
        _ => Network::on_columns(data.columns(), hidden, options)?,
    };
    Ok(Machine {
        grows,
        ..Machine::new(shape, hidden, network)
    })
}

/// Independent columns, visible pairs, and the shapes with 1, 2, … hidden units, as far as they are summed in reasonable time.
fn from_nothing(data: &Dataset, shapes: &[TermOptions], budget: Budget) -> Result<Vec<Machine>> {
    let without = |shape| TermOptions {
        shape,
        ..TermOptions::default()
    };
    let mut found = vec![named_machine(data, 0, &without(Shape::Independent), false)?];
    let mut add = |machine: Machine| {
        let is_known = |known: &Machine| known.network.terms() == machine.network.terms();
        if budget.allows(&machine.network) && !found.iter().any(is_known) {
            found.push(machine);
        }
    };
    add(named_machine(data, 0, &without(Shape::Visible), false)?);
    for hidden in budget.sizes() {
        for options in shapes {
            let has_pairs = options.shape == Shape::SemiRestricted;
            let is_tried = GROWN_WITH_PAIRS.contains(&hidden) && !budget.sums_pairs(data);
            if !has_pairs || is_tried {
                add(named_machine(data, hidden, options, true)?);
            }
        }
    }
    if budget.sums_pairs(data) {
        for hidden in SUMMED_WITH_PAIRS {
            add(named_machine(
                data,
                hidden,
                &without(Shape::SemiRestricted),
                false,
            )?);
        }
    }
    Ok(found)
}

/// True of tables whose machines are compared in mini-batches: visible pairs are beyond enumeration, and exact sums of small
/// restricted machines take longer than short runs of large ones.
fn are_many(data: &Dataset) -> bool {
    let (columns, rows) = (data.columns().len(), data.informative_rows().len());
    columns > MOST_VISIBLE_COMPARED + EXTRA_UNITS && columns * rows >= MANY_CELLS
}

/// Which machines a comparison can afford without being asked for them.
#[derive(Clone, Copy)]
struct Budget {
    /// Whether each is learned once, and judged by rows kept for validation, not by folds.
    is_learned_once: bool,
    /// Whether machines in two layers of any size can be learned in mini-batches.
    has_batches: bool,
    /// Whether a table of validation rows decides, which tells more machines apart than folds or a share of the rows do.
    has_table: bool,
}

impl Budget {
    fn new(request: &Request, data: &Dataset) -> Self {
        let is_learned_once = request.validation_rows.is_some();
        let is_whole = |weight: &f64| weight.fract() == 0.0;
        let has_batches = data.missing_cells() == 0 && data.weights().iter().all(is_whole);
        Budget {
            is_learned_once,
            has_batches: is_learned_once && has_batches && request.leaves_learning_open(),
            has_table: request.table_decides(),
        }
    }

    /// True where machines with pairs of visible units and many hidden ones are summed over the columns' states alone.
    fn sums_pairs(self, data: &Dataset) -> bool {
        let most = SUMMED_WITH_PAIRS.into_iter().max().unwrap_or(1);
        let columns = data.columns().len() as u32;
        let states = 1usize.checked_shl(columns).filter(|_| columns < 32);
        self.has_table && states.is_some_and(|states| states * most <= MOST_FIELDS)
    }

    /// The numbers of hidden units to try.
    fn sizes(self) -> impl Iterator<Item = usize> {
        let more: &[usize] = match self.is_learned_once {
            true => &MORE_GROWN,
            false => &[],
        };
        (1..=MOST_GROWN).chain(more.iter().copied())
    }

    /// True of machines that are summed in reasonable time, or learned by samples as quickly.
    fn allows(self, network: &Network) -> bool {
        let (units, terms) = (network.units().len(), network.terms().len());
        let has_none = network.hidden().is_empty();
        let extra = match self.is_learned_once {
            true => EXTRA_UNITS,
            false => 0,
        };
        let is_summed = match exact_way(network, &Clamp::none(units)) {
            Ok(Way::Enumeration) if has_none => units <= MOST_VISIBLE_COMPARED + extra,
            Ok(Way::Enumeration) => units <= MOST_COMPARED + extra,
            Ok(Way::Factorisation) => {
                let (columns, hidden) = (network.visible().len(), network.hidden().len());
                let is_quick = columns < 32 && hidden << columns <= MOST_FIELDS;
                hidden <= MOST_GROWN || self.has_table && is_quick
            }
            _ => false,
        };
        if is_summed && terms <= MOST_COMPARED_TERMS {
            return true;
        }
        if !choose_engine_to_learn(network).engine.gives().chains {
            return false;
        }
        match has_none {
            true => self.is_learned_once && (terms <= MOST_SAMPLED_TERMS || self.has_batches),
            false => self.has_batches && is_in_two_layers(network),
        }
    }
}

/// Whether a request leaves the machine open.
pub(super) fn compares(request: &Request) -> bool {
    match (&request.hidden, &request.structure) {
        (Some(Hidden::Several(_)), _) | (_, Structure::Several(_)) => true,
        (Some(Hidden::One(_)), _) => false,
        (None, Structure::Named(options)) => {
            !matches!(options.shape, Shape::Visible | Shape::Independent)
        }
        (None, Structure::Auto) => true,
        (None, Structure::Listed(_)) => false,
    }
}
