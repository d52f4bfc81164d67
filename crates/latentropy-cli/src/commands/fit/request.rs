//! From the flags of `fit` to the library's request.

use crate::args::FitArgs;
use crate::failure::{Failure, Outcome};
use crate::wording::Flags;
use latentropy::data::Dataset;
use latentropy::fit::{Hidden, Resamples, Structure};
use latentropy::learning::OptionValue;
use latentropy::network::{Network, Shape, TermOptions, path_terms, read_terms, units_of};
use latentropy::{Remark, Request, Setting, Wording};
use std::collections::BTreeMap;
use std::path::Path;

/// What does not need the data: everything but terms from a file.
pub(super) fn request(args: &FitArgs) -> Outcome<Request> {
    refuse_flags_without_their_partner(args)?;
    let mut learner = args.learning.learner.0.clone();
    let mut learner_options = Vec::new();
    for (option, value) in options(args) {
        match &mut learner {
            Some(learner) => learner.set(option, value)?,
            None => learner_options.push((option, value)),
        }
    }
    if args.search.paper {
        return paper(args);
    }
    let request = Request {
        hidden: args.machine.hidden.as_ref().map(|hidden| hidden.0.clone()),
        structure: structure(args),
        learner,
        learner_options,
        anneal: args.learning.anneal,
        engine: args.learning.engine.named(),
        ridge: args.learning.ridge.0,
        bias_ridge: args.learning.bias_ridge,
        bound: args.learning.bound,
        tolerance: args.learning.tol,
        max_iterations: args.learning.max_iter,
        search: args.search.search,
        start: start(args)?,
        restarts: args.search.restarts,
        seed: args.search.seed,
        select: args.search.select,
        folds: args.search.folds,
        bootstrap: resamples(args),
        keep_traces: args.output.trace.is_some(),
        ..Request::default()
    };
    request.check()?;
    Ok(request)
}

/// The paper's setting, with what it leaves open as it was typed.
fn paper(args: &FitArgs) -> Outcome<Request> {
    let paper = Request::of_the_paper();
    let request = Request {
        hidden: args.machine.hidden.as_ref().map(|hidden| hidden.0.clone()),
        engine: args.learning.engine.named(),
        bound: args.learning.bound,
        tolerance: args.learning.tol.or(paper.tolerance),
        max_iterations: args.learning.max_iter,
        seed: args.search.seed,
        folds: args.search.folds,
        bootstrap: resamples(args),
        keep_traces: args.output.trace.is_some(),
        ..paper
    };
    request.check()?;
    Ok(request)
}

fn resamples(args: &FitArgs) -> Option<Resamples> {
    let kind = args.uncertainty.bootstrap_kind;
    args.uncertainty.bootstrap.map(|count| Resamples {
        count,
        kind: kind.map(Into::into).unwrap_or_default(),
    })
}

/// The weights that the first restart begins at, if a file has them.
fn start(args: &FitArgs) -> Outcome<Option<Network>> {
    let read = |path: &Path| -> Outcome<Network> { Ok(latentropy::read_network(path)?.network) };
    args.search.start.as_deref().map(read).transpose()
}

/// The learner's options that were typed.
fn options(args: &FitArgs) -> Vec<(Setting, OptionValue)> {
    let learning = &args.learning;
    let count = |value: Option<usize>| value.map(OptionValue::Count);
    let number = |value: Option<f64>| value.map(OptionValue::Number);
    [
        (Setting::Inner, count(learning.inner)),
        (
            Setting::Step,
            learning.step.as_ref().map(|step| step.0.clone()),
        ),
        (
            Setting::Rule,
            learning
                .rule
                .map(|rule| OptionValue::Word(rule.name().to_string())),
        ),
        (Setting::CdSteps, count(learning.cd_steps)),
        (Setting::Chains, count(learning.chains)),
        (Setting::Within, number(learning.within)),
        (Setting::Batch, count(learning.batch)),
        (Setting::CdRate, number(learning.cd_rate)),
        (Setting::CdDecay, number(learning.cd_decay)),
    ]
    .into_iter()
    .filter_map(|(option, value)| Some((option, value?)))
    .collect()
}

fn refuse_flags_without_their_partner(args: &FitArgs) -> Outcome {
    if args.uncertainty.bootstrap_kind.is_some() && args.uncertainty.bootstrap.is_none() {
        return Err(Failure::Request(
            "--bootstrap-kind is for --bootstrap; add it, such as --bootstrap 200".to_string(),
        ));
    }
    if args.output.resume && args.output.out.is_none() {
        return Err(Failure::Request(
            "--resume goes on with the run in a directory; name it with --out".to_string(),
        ));
    }
    if args.share.shard.is_some() && args.output.out.is_none() {
        return Err(Failure::Request(
            "--shard writes its share into a directory; name it with --out".to_string(),
        ));
    }
    if args.share.shard.is_some() && args.output.resume {
        return Err(Failure::Request(
            "--resume is for a run in one place; a shard that is run again goes on by itself: leave --resume out"
                .to_string(),
        ));
    }
    if args.output.image.is_some() && args.output.out.is_none() {
        return Err(Failure::Request(
            "--image is for the report; name the directory that it is written to with --out"
                .to_string(),
        ));
    }
    Ok(())
}

/// What is to be learned or compared; a file's terms take its place later, once the columns are known.
fn structure(args: &FitArgs) -> Structure {
    let options = |shape: Shape| TermOptions {
        shape,
        bias: !args.machine.no_bias,
        order: args.machine.order.unwrap_or(TermOptions::default().order),
    };
    let is_open = !args.machine.no_bias && args.machine.order.is_none();
    match shapes(args).as_deref() {
        None | Some([]) if is_open => Structure::Auto,
        None | Some([]) => Structure::Named(options(Shape::default())),
        Some([only]) => Structure::Named(options(*only)),
        Some(several) => Structure::Several(several.iter().copied().map(options).collect()),
    }
}

/// The shapes that are named, if they are not a file; none where `--shape` is not given.
fn shapes(args: &FitArgs) -> Option<Vec<Shape>> {
    let Some(text) = &args.machine.shape else {
        return Some(Vec::new());
    };
    text.split(',').map(|name| name.parse().ok()).collect()
}

/// Puts the terms of a file into the request, where `--shape` names one.
pub(super) fn with_listed_terms(
    args: &FitArgs,
    request: &mut Request,
    data: &Dataset,
    warnings: &mut Vec<String>,
) -> Outcome {
    let (None, Some(name)) = (shapes(args), &args.machine.shape) else {
        return Ok(());
    };
    if let Some(graph) = name.strip_prefix(PATHS) {
        return with_terms_of_paths(args, graph, request, data);
    }
    let path = Path::new(name);
    if !path.exists() {
        return Err(Failure::Request(format!(
            "--shape {name}: there is neither a shape nor a file of this name; the shapes are full, rbm, \
             semi-restricted, screened, visible, independent and paths:GRAPH"
        )));
    }
    if args.machine.no_bias || args.machine.order.is_some() {
        return Err(Failure::Request(format!(
            "--no-bias and --order are for named shapes; {name} lists its terms itself: leave the flags out"
        )));
    }
    let sizes = request_sizes(request, name)?;
    let mut by_size = BTreeMap::new();
    let mut has_weights = false;
    for hidden in sizes {
        let listed = read_terms(path, &units_of(data.columns(), hidden))?;
        has_weights |= listed.iter().any(|(_, weight)| weight.is_some());
        by_size.insert(hidden, listed.into_iter().map(|(term, _)| term).collect());
    }
    if has_weights {
        let file = name.clone();
        warnings.push(Remark::UnusedWeights { file }.worded(&Flags));
    }
    request.structure = Structure::Listed(by_size);
    Ok(())
}

/// What comes before the graph whose paths are the terms.
const PATHS: &str = "paths:";

/// Puts the terms of all paths of a graph into the request: a shape's pairs, or those that a file lists.
fn with_terms_of_paths(
    args: &FitArgs,
    graph: &str,
    request: &mut Request,
    data: &Dataset,
) -> Outcome {
    let path = Path::new(graph);
    let shape = graph.parse::<Shape>().ok();
    if shape.is_none() && !path.exists() {
        return Err(Failure::Request(format!(
            "--shape {PATHS}{graph}: there is neither a shape nor a file of this name; the graph is full, rbm, \
             semi-restricted, or a FILE with one edge a line, its two units' names separated by blanks"
        )));
    }
    let order = args.machine.order.unwrap_or(TermOptions::default().order);
    let mut by_size = BTreeMap::new();
    for hidden in request_sizes(request, &format!("{PATHS}{graph}"))? {
        let units = units_of(data.columns(), hidden);
        let pairs: Vec<Vec<usize>> = match shape {
            Some(shape) => {
                let options = TermOptions {
                    shape,
                    bias: false,
                    order: 2,
                };
                let machine = Network::on_columns(data.columns(), hidden, &options)?;
                machine
                    .terms()
                    .iter()
                    .map(|term| term.units().to_vec())
                    .collect()
            }
            None => read_terms(path, &units)?
                .into_iter()
                .map(|(term, _)| term.units().to_vec())
                .collect(),
        };
        let edges = pairs.iter().map(|pair| match pair[..] {
            [a, b] => Ok((a, b)),
            _ => Err(Failure::Request(format!(
                "--shape {PATHS}{graph}: an edge has two units, and {} has a line of {}; list pairs alone, and say \
                 --no-bias if there are to be no biases",
                path.display(),
                pair.len()
            ))),
        });
        let edges = edges.collect::<Outcome<Vec<(usize, usize)>>>()?;
        let terms = path_terms(units.len(), &edges, order, !args.machine.no_bias)?;
        by_size.insert(hidden, terms);
    }
    request.structure = Structure::Listed(by_size);
    Ok(())
}

/// The numbers of hidden units, which terms that are listed need.
fn request_sizes(request: &Request, name: &str) -> Outcome<Vec<usize>> {
    match &request.hidden {
        Some(Hidden::One(count)) => Ok(vec![*count]),
        Some(Hidden::Several(counts)) => Ok(counts.clone()),
        None => Err(Failure::Request(format!(
            "--shape {name} lists terms, and how many hidden units there are is not given; add --hidden L, such as \
             --hidden 2"
        ))),
    }
}

/// A column without a single known cell would be one more hidden unit under a visible one's name.
pub(super) fn refuse_unknown_columns(path: &Path, data: &Dataset) -> Outcome {
    let unknown = data.unknown_columns();
    if unknown.is_empty() {
        return Ok(());
    }
    let file = path.display();
    if unknown.len() == data.columns().len() {
        return Err(Failure::Request(format!(
            "{file}: has no known cell at all; give data with cells that are 0 or 1"
        )));
    }
    let flags = unknown
        .iter()
        .map(|name| Flags.at(Setting::Columns, &format!("!{name}")));
    let flags: Vec<String> = flags.collect();
    Err(Failure::Request(format!(
        "{file}, column {}: has no known cell, so nothing can be learned about it; leave it out with {}",
        unknown.join(", "),
        flags.join(" ")
    )))
}

/// Whether the machine has biases: of a file, whether it lists one.
pub(super) fn has_bias(args: &FitArgs, network: &Network) -> bool {
    match shapes(args) {
        Some(_) => !args.machine.no_bias && !args.search.paper,
        None => network.terms().iter().any(|term| term.order() == 1),
    }
}
