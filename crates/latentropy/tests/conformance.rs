//! One suite for all engines, through the one trait: each against the literal enumeration, on the cases where engines
//! usually break, and against what it says of itself.
//!
//! Every engine of the registry is asked, one that is new there too; [`variants`] adds special forms. What is asked
//! follows from the kind of the values: exact values have to be exact, bounds on their side of the truth, Monte-Carlo
//! values within six standard errors, all else finite. [`allowance`] says what an engine may refuse.

mod common;

use latentropy::inference::{
    Answer, Demand, Engine, Expectations, Gives, Kind, Prepared, StratifiedSums, Sums, SumsWorth,
    Value,
};
use latentropy::internals::{
    AnswersAtOnce, Appearance, BeliefPropagation, GeneralisedBeliefPropagation, Regions, Settled,
    TreeReweighted, Way, literal,
};
use latentropy::network::{Clamp, Network, SpinNetwork, Term, Unit};
use latentropy::random::{Purpose, stream};
use latentropy::{EngineId, Error, Sampling, Setting, Wording};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::cell::RefCell;
use std::collections::HashSet;

/// What may be asked of an engine.
#[derive(Clone, Copy)]
struct Allowance {
    /// How far exact values may be off, relative to their size: rounding, or where messages stop changing.
    tolerance: f64,
    /// Whether it takes terms of three and more units.
    any_order: bool,
    /// Whether it may give up with a reason and the next thing to try.
    may_fail: bool,
    /// Whether all its answers are exact.
    exact: bool,
}

/// By the engine's name; one that is not listed may refuse orders and give up, as long as it says what else to do.
fn allowance(name: &str) -> Allowance {
    let exact = Allowance {
        tolerance: 1e-12,
        any_order: true,
        may_fail: false,
        exact: true,
    };
    let pairwise = Allowance {
        tolerance: 1e-11,
        any_order: false,
        exact: false,
        ..exact
    };
    match name {
        "exact" | "junction-tree" | "enumeration" | "factorisation" => exact,
        "gibbs" => Allowance {
            exact: false,
            ..exact
        },
        "mean-field" | "trw" => pairwise,
        "gbp" => Allowance {
            tolerance: 1e-8,
            any_order: true,
            may_fail: true,
            exact: false,
        },
        _ => Allowance {
            may_fail: true,
            ..pairwise
        },
    }
}

/// An engine under test.
enum Subject {
    Listed(EngineId),
    Variant(Box<dyn Engine>),
}

impl Subject {
    fn engine(&self) -> &dyn Engine {
        match self {
            Subject::Listed(id) => id.engine(),
            Subject::Variant(engine) => &**engine,
        }
    }

    fn name(&self) -> &'static str {
        self.engine().name()
    }

    /// Whether its values depend on a seed.
    fn is_sampled(&self) -> bool {
        !self.engine().gives().objective
    }

    fn allowance(&self) -> Allowance {
        allowance(self.name())
    }

    fn prepare(
        &self,
        network: &Network,
        clamp: &Clamp,
        strata: bool,
    ) -> latentropy::Result<Box<dyn Prepared>> {
        let demand = Demand {
            strata,
            sampling: sampling(),
        };
        self.engine().prepare(network, clamp, &demand)
    }

    fn answer(&self, network: &Network, clamp: &Clamp) -> latentropy::Result<Answer> {
        self.prepare(network, clamp, false)?
            .answer(network.weights())
    }
}

/// Modest, to be quick: the suite looks at errors, not at precision.
fn sampling() -> Sampling {
    Sampling {
        seed: 11,
        chains: 256,
        sweeps: Some(512),
        ..Sampling::default()
    }
}

/// One of the two exact ways as an engine of its own.
#[derive(Debug)]
struct OneWay(Way);

impl Engine for OneWay {
    fn name(&self) -> &'static str {
        self.0.method()
    }

    fn about(&self) -> &'static str {
        "One exact way, whatever it costs"
    }

    fn gives(&self) -> Gives {
        Gives {
            objective: true,
            ..Gives::default()
        }
    }

    fn method(&self, _: &Network, _: &Clamp) -> latentropy::Result<&'static str> {
        Ok(self.0.method())
    }

    fn prepare(
        &self,
        structure: &Network,
        clamp: &Clamp,
        _: &Demand,
    ) -> latentropy::Result<Box<dyn Prepared>> {
        Ok(Box::new(OneWayPrepared(
            self.0,
            structure.clone(),
            clamp.clone(),
        )))
    }
}

#[derive(Debug)]
struct OneWayPrepared(Way, Network, Clamp);

impl Prepared for OneWayPrepared {
    fn answer(&self, weights: &[f64]) -> latentropy::Result<Answer> {
        self.0
            .answer(&self.1.with_weights(weights.to_vec())?, &self.2)
    }

    fn sums(&self, weights: &[f64], out: &mut Sums) -> latentropy::Result<()> {
        let found = self.answer(weights)?.expectations;
        out.worth = SumsWorth::default();
        out.log_partition = found.log_partition.value;
        out.terms = found.terms;
        Ok(())
    }
}

/// Special forms that the registry does not list, for a network of this many units.
fn variants(units: usize) -> Vec<Box<dyn Engine>> {
    let regions = |regions| Box::new(GeneralisedBeliefPropagation { regions });
    let reweighted = |appearance| Box::new(TreeReweighted { appearance });
    let given = vec![(0..4.min(units)).collect(), (2..7.min(units)).collect()];
    vec![
        Box::new(OneWay(Way::Enumeration)),
        Box::new(OneWay(Way::Factorisation)),
        reweighted(Appearance::SpanningTrees),
        reweighted(Appearance::Constant),
        regions(Regions::Pairs),
        regions(Regions::Given(given)),
    ]
}

/// All engines, for a network of this many units.
fn subjects(units: usize) -> Vec<Subject> {
    let listed = EngineId::all().map(Subject::Listed);
    let variants = variants(units).into_iter().map(Subject::Variant);
    listed.chain(variants).collect()
}

/// The engines that an error names as remedies.
fn remedies(error: &Error) -> Vec<EngineId> {
    struct Recorder(RefCell<Vec<EngineId>>);
    impl Wording for Recorder {
        fn name(&self, setting: Setting) -> String {
            setting.plain_name().to_string()
        }

        fn at(&self, setting: Setting, value: &str) -> String {
            if setting == Setting::Engine {
                let engine = value.parse().expect("the name of an engine");
                self.0.borrow_mut().push(engine);
            }
            value.to_string()
        }
    }
    let recorder = Recorder(RefCell::new(Vec::new()));
    error.worded(&recorder);
    recorder.0.into_inner()
}

/// The largest order of a term once units are held.
fn order(network: &Network, clamp: &Clamp) -> usize {
    let alive = |term: &&Term| term.units().iter().all(|&u| clamp.get(u) != Some(false));
    let left = |term: &Term| {
        term.units()
            .iter()
            .filter(|&&u| clamp.get(u).is_none())
            .count()
    };
    network
        .terms()
        .iter()
        .filter(alive)
        .map(left)
        .max()
        .unwrap_or(0)
}

/// Checks a value by its kind.
fn check_value(
    what: &str,
    found: Value,
    truth: f64,
    tolerance: f64,
    scale: f64,
) -> Result<(), String> {
    let (value, slack) = (found.value, tolerance * (1.0 + scale));
    let right = value.is_finite()
        && match found.kind {
            Kind::Exact => (value - truth).abs() <= slack,
            // The truth itself is a rounded sum.
            Kind::LowerBound => value <= truth + 1e-15 * (1.0 + scale),
            Kind::UpperBound => value >= truth - 1e-15 * (1.0 + scale),
            Kind::Estimate => true,
            Kind::MonteCarlo => found
                .std_err
                .is_some_and(|error| (value - truth).abs() <= 6.0 * error + slack),
        };
    match right {
        true => Ok(()),
        false => Err(format!("{what} {found:?} where the truth is {truth}")),
    }
}

/// Beyond this size of a weight a state is as good as impossible.
const HARD: f64 = 100.0;

/// Everything that holds of any engine's answer; `None` where it gave up in an orderly way.
fn check(
    subject: &Subject,
    network: &Network,
    clamp: &Clamp,
) -> Result<Option<Expectations>, String> {
    let (name, allowed) = (subject.name(), subject.allowance());
    let context = |problem: String| format!("{name}: {problem}");
    let prepared = subject.prepare(network, clamp, false);
    let found = prepared.and_then(|prepared| {
        let answer = prepared.answer(network.weights())?;
        Ok((prepared, answer))
    });
    let (prepared, answer) = match found {
        Ok(found) => found,
        Err(error) => {
            let text = context(error.to_string());
            let is_orderly = match error {
                Error::Invalid(_) => !allowed.any_order && order(network, clamp) > 2,
                Error::Failed(_) | Error::TooLarge { .. } => allowed.may_fail,
                _ => false,
            };
            // It says who refuses, and which engine does it instead.
            let others = remedies(&error);
            let is_clear = matches!(error, Error::Failed(_)) || text[name.len()..].contains(name);
            let helps = !others.is_empty() && others.iter().all(|other| other.name() != name);
            return (is_orderly && is_clear && helps)
                .then_some(None)
                .ok_or(text);
        }
    };
    let truth = literal::expectations(network, clamp);
    check_answer(subject, network, clamp, &answer, &truth).map_err(context)?;
    if !subject.is_sampled() {
        check_sums(&*prepared, network, &answer.expectations, &truth, allowed).map_err(context)?;
    }
    Ok(Some(answer.expectations))
}

fn scale_of(network: &Network) -> f64 {
    network.weights().iter().map(|w| w.abs()).sum()
}

fn check_answer(
    subject: &Subject,
    network: &Network,
    clamp: &Clamp,
    answer: &Answer,
    truth: &Expectations,
) -> Result<(), String> {
    let allowed = subject.allowance();
    let (found, scale) = (&answer.expectations, scale_of(network));
    let slack = allowed.tolerance * (1.0 + scale);
    if found.means.len() != truth.means.len() || found.terms.len() != truth.terms.len() {
        return Err("one entry per unit and per term".to_string());
    }
    if allowed.exact && found.log_partition.kind != Kind::Exact {
        return Err("an exact engine says that it is not".to_string());
    }
    let sampled = found.log_partition.kind == Kind::MonteCarlo;
    if sampled != subject.is_sampled() || sampled != answer.mean_errors.is_some() {
        return Err("Monte-Carlo values come with errors, and others do not".to_string());
    }
    for unit in 0..clamp.len() {
        let held = clamp.get(unit).map(f64::from);
        if held.is_some_and(|held| found.means[unit] != held) {
            return Err(format!(
                "unit {unit} is held, its mean is {}",
                found.means[unit]
            ));
        }
    }
    let ours = || found.means.iter().chain(&found.terms);
    if let Some(outside) = ours().find(|ours| !(0.0..=1.0).contains(*ours)) {
        return Err(format!("{outside} is no probability"));
    }
    let values = [found.log_partition, found.entropy];
    if let Some(odd) = values.iter().find(|value| !value.value.is_finite()) {
        return Err(format!("{odd:?}"));
    }
    // Chains have no error for what they cannot see: between two states that a thousand keeps apart no flip of one unit
    // leads, and a run may have met only one of them. There they have to say so; what they say is checked elsewhere.
    let is_hard = network.weights().iter().any(|weight| weight.abs() >= HARD);
    if sampled && is_hard && !answer.remarks.is_empty() {
        return Ok(());
    }
    let tolerance = allowed.tolerance;
    check_value(
        "log Z",
        found.log_partition,
        truth.log_partition.value,
        tolerance,
        scale,
    )?;
    check_value(
        "entropy",
        found.entropy,
        truth.entropy.value,
        tolerance,
        scale,
    )?;
    let most: Vec<f64> = match (&answer.mean_errors, &answer.term_errors) {
        (Some(means), Some(terms)) => {
            let errors = means.iter().chain(terms);
            errors.map(|error| 6.0 * error + slack).collect()
        }
        _ if found.log_partition.kind == Kind::Exact => vec![slack; ours().count()],
        _ => vec![1.0; ours().count()],
    };
    let theirs = truth.means.iter().chain(&truth.terms);
    for (at, ((ours, theirs), most)) in ours().zip(theirs).zip(&most).enumerate() {
        if (ours - theirs).abs() > *most {
            return Err(format!(
                "expectation {at} is {ours} ± {}, the truth is {theirs}",
                most / 6.0
            ));
        }
    }
    Ok(())
}

/// The sums that learning follows are of the same worth as the answer, though not always of the same log Z: trw, for one,
/// learns by a bound that is smooth in the weights.
fn check_sums(
    prepared: &dyn Prepared,
    network: &Network,
    found: &Expectations,
    truth: &Expectations,
    allowed: Allowance,
) -> Result<(), String> {
    let mut sums = Sums::default();
    prepared
        .sums(network.weights(), &mut sums)
        .map_err(|error| format!("answers, and has no sums: {error}"))?;
    let slack = allowed.tolerance * (1.0 + scale_of(network));
    let (kind, worth) = (found.log_partition.kind, sums.worth);
    // An answer chooses its regions by the weights, sums that learning follows by the structure: either may be exact
    // where the other is an estimate. Sums that say so are held to it below.
    let by_other_regions = matches!(
        (kind, worth.log_partition),
        (Kind::Exact, Kind::Estimate) | (Kind::Estimate, Kind::Exact)
    );
    if by_other_regions && worth.log_partition == Kind::Estimate {
        return Ok(());
    }
    let agree = (worth.log_partition, worth.entropy) == (kind, found.entropy.kind);
    if worth.noise != 0.0 || !(agree || by_other_regions) {
        return Err(format!(
            "sums are said to be {worth:?}, the answer {kind:?}"
        ));
    }
    let log_partition = Value {
        value: sums.log_partition,
        kind: worth.log_partition,
        ..found.log_partition
    };
    let (tolerance, scale) = (allowed.tolerance, scale_of(network));
    let exact = truth.log_partition.value;
    check_value("log Z of sums", log_partition, exact, tolerance, scale)?;
    let near = |(ours, theirs): (&f64, &f64)| (ours - theirs).abs() <= slack;
    if sums.terms.len() != truth.terms.len() || sums.terms.iter().any(|term| !term.is_finite()) {
        return Err(format!("sums {:?}", sums.terms));
    }
    match worth.log_partition != Kind::Exact || sums.terms.iter().zip(&truth.terms).all(near) {
        true => Ok(()),
        false => Err(format!("sums {:?} of {:?}", sums.terms, truth.terms)),
    }
}

fn check_all(network: &Network, clamp: &Clamp) {
    for subject in subjects(network.units().len()) {
        check(&subject, network, clamp).unwrap();
    }
}

/// Those whose values do not depend on a seed; the others have cases that do not change from run to run.
fn check_noiseless(network: &Network, clamp: &Clamp) -> Result<(), TestCaseError> {
    let subjects = subjects(network.units().len()).into_iter();
    for subject in subjects.filter(|subject| !subject.is_sampled()) {
        check(&subject, network, clamp).map_err(TestCaseError::fail)?;
    }
    Ok(())
}

fn units(count: usize) -> Vec<Unit> {
    (0..count).map(|u| Unit::visible(format!("x{u}"))).collect()
}

fn network(count: usize, terms: &[(&[usize], f64)]) -> Network {
    let terms = terms
        .iter()
        .map(|(units, w)| (Term::new(units.to_vec()), *w));
    Network::new(units(count), terms).unwrap()
}

/// A network of biases and pairs on 1 to `most` units, pairs with the given probability, and a random clamp.
fn pairwise(most: usize, density: f64, scale: f64) -> impl Strategy<Value = (Network, Clamp)> {
    (1..=most)
        .prop_flat_map(move |count| {
            let pairs = count * (count - 1) / 2;
            (
                prop::collection::vec(-scale..scale, count + pairs),
                prop::collection::vec(prop::bool::weighted(density), pairs),
                prop::collection::vec(prop::option::weighted(0.2, any::<bool>()), count),
                -3.0..3.0f64,
            )
        })
        .prop_map(|(weights, present, clamp, constant)| {
            let count = clamp.len();
            let mut terms = vec![(Term::new(vec![]), constant)];
            terms.extend((0..count).map(|u| (Term::new(vec![u]), weights[u])));
            let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| vec![a, b]));
            for (at, pair) in pairs.enumerate() {
                if present[at] {
                    terms.push((Term::new(pair), weights[count + at]));
                }
            }
            (
                Network::new(units(count), terms).unwrap(),
                Clamp::new(clamp),
            )
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn terms_of_any_order((network, clamp) in common::network_and_clamp(12, 3.0)) {
        check_noiseless(&network, &clamp)?;
    }

    #[test]
    fn sparse_pairs((network, clamp) in pairwise(11, 0.25, 3.0)) {
        check_noiseless(&network, &clamp)?;
    }

    #[test]
    fn dense_pairs((network, clamp) in pairwise(8, 0.9, 2.0)) {
        check_noiseless(&network, &clamp)?;
    }

    #[test]
    fn hard_pairs((network, clamp) in pairwise(7, 0.4, 1000.0)) {
        check_noiseless(&network, &clamp)?;
    }

    #[test]
    fn forests_are_exact(
        parents in prop::collection::vec(any::<prop::sample::Index>(), 1..11),
        weights in prop::collection::vec(-4.0..4.0f64, 24),
        cut in prop::collection::vec(prop::bool::weighted(0.2), 11),
    ) {
        let count = parents.len() + 1;
        let mut terms: Vec<(Term, f64)> = (0..count).map(|u| (Term::new(vec![u]), weights[u])).collect();
        for (at, parent) in parents.iter().enumerate() {
            if !cut[at] {
                terms.push((Term::new(vec![at + 1, parent.index(at + 1)]), weights[12 + at]));
            }
        }
        let network = Network::new(units(count), terms).unwrap();
        let none = Clamp::none(count);
        prop_assert_eq!(BeliefPropagation::settles_by(&network, &none).unwrap(), Settled::Forest);
        for subject in subjects(network.units().len()).iter().filter(|subject| !subject.is_sampled()) {
            let found = check(subject, &network, &none).map_err(TestCaseError::fail)?;
            if ["bp", "trw"].contains(&subject.name()) {
                prop_assert_eq!(found.unwrap().log_partition.kind, Kind::Exact);
            }
        }
        // Linear response is exact on a forest, for pairs that are no terms, too.
        let covariances = BeliefPropagation.unit_covariances(&network, &none).unwrap().unwrap();
        let states = literal::states(&network, &none);
        let truth = literal::expectations(&network, &none);
        for a in 0..count {
            for b in 0..count {
                let both: f64 = states.iter().filter(|(x, _)| x[a] && x[b])
                    .map(|(_, e)| (e - truth.log_partition.value).exp()).sum();
                let exact = both - truth.means[a] * truth.means[b];
                prop_assert!((covariances[a * count + b] - exact).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn linear_response_is_the_derivative_of_the_means((network, _) in pairwise(6, 0.5, 0.8)) {
        let count = network.units().len();
        let none = Clamp::none(count);
        let mut have_it = Vec::new();
        for subject in subjects(count) {
            let prepared = subject.prepare(&network, &none, false).unwrap();
            let Some(covariances) = prepared.unit_covariances(network.weights()).unwrap() else {
                continue;
            };
            have_it.push(subject.name());
            let step = 1e-4;
            for b in 0..count {
                let at = network.terms().iter().position(|t| t.units() == [b]).unwrap();
                let means = |sign: f64| {
                    let mut weights = network.weights().to_vec();
                    weights[at] += sign * step;
                    prepared.answer(&weights).ok().map(|answer| answer.expectations.means)
                };
                // An estimate of log Z that cannot be is refused, and the means with it.
                let (Some(up), Some(down)) = (means(1.0), means(-1.0)) else {
                    continue;
                };
                for a in 0..count {
                    let slope = (up[a] - down[a]) / (2.0 * step);
                    let found = covariances[a * count + b];
                    prop_assert!((found - slope).abs() < 1e-6, "{}: {found} {slope}", subject.name());
                }
            }
        }
        for name in ["mean-field", "tap", "bp"] {
            prop_assert!(have_it.contains(&name), "{name}");
        }
    }

    #[test]
    fn strata_and_curvature_are_the_literal_ones((network, _) in common::network_and_clamp(9, 2.0)) {
        for subject in subjects(network.units().len()) {
            check_second_moments(&subject, &network).map_err(TestCaseError::fail)?;
        }
    }
}

/// Sums by f# and covariances of the features, where an engine has them.
fn check_second_moments(subject: &Subject, network: &Network) -> Result<(), String> {
    let none = Clamp::none(network.units().len());
    let terms = network.terms().len();
    let context = |problem: String| format!("{}: {problem}", subject.name());
    let prepared = subject.prepare(network, &none, true);
    let prepared = prepared.map_err(|error| context(error.to_string()))?;
    if let Some(stratified) = prepared.strata() {
        let (mut found, truth) = (StratifiedSums::default(), literal::strata(network, &none));
        stratified.strata(network.weights(), &mut found).unwrap();
        if !common::close(found.log_partition, truth.log_partition, 1e-12, 100.0) {
            return Err(context(format!("log Z of strata {}", found.log_partition)));
        }
        let ours = |value: f64, term: usize| {
            let at = found.values.iter().position(|&v| v == value);
            at.map_or(0.0, |at| found.sums[at * found.width + term])
        };
        let theirs = |value: f64, term: usize| {
            let at = truth.values.iter().position(|&v| v == value);
            at.map_or(0.0, |at| truth.sums[at * terms + term])
        };
        for &value in found.values.iter().chain(&truth.values) {
            for term in 0..terms {
                let (ours, theirs) = (ours(value, term), theirs(value, term));
                if !common::close(ours, theirs, 1e-12, 1e-290) {
                    return Err(context(format!("stratum {value}: {ours} for {theirs}")));
                }
            }
        }
    }
    let truth = literal::expectations(network, &none);
    let states = literal::states(network, &none);
    let covariance = |a: usize, b: usize| {
        let is_on =
            |term: usize, state: &[bool]| network.terms()[term].units().iter().all(|&u| state[u]);
        let both = states.iter().filter(|(x, _)| is_on(a, x) && is_on(b, x));
        let both: f64 = both
            .map(|(_, exponent)| (exponent - truth.log_partition.value).exp())
            .sum();
        both - truth.terms[a] * truth.terms[b]
    };
    let check = |a: usize, b: usize, found: f64| match covariance(a, b) {
        exact if (found - exact).abs() <= 1e-12 => Ok(()),
        exact => Err(context(format!("covariance {a}, {b}: {found} for {exact}"))),
    };
    if let Some(curvature) = prepared.curvature() {
        let mut found = vec![f64::NAN; terms * terms];
        curvature.covariances(network.weights(), &mut found);
        for a in 0..terms {
            for b in 0..=a {
                check(a, b, found[a * terms + b])?;
            }
        }
    }
    if let Some(products) = prepared.products(network.weights()).unwrap() {
        for b in 0..terms {
            let (mut unit, mut found) = (vec![0.0; terms], vec![0.0; terms]);
            unit[b] = 1.0;
            products.add_times(&unit, 1.0, &mut found);
            for (a, found) in found.iter().enumerate() {
                check(a, b, *found)?;
            }
        }
    }
    Ok(())
}

/// Random networks and clamps, the same in every run.
fn fixed(strategy: impl Strategy<Value = (Network, Clamp)>) -> Vec<(Network, Clamp)> {
    let mut runner = TestRunner::deterministic();
    (0..24)
        .map(|_| strategy.new_tree(&mut runner).unwrap().current())
        .collect()
}

#[test]
fn a_machine_without_terms_has_strata_and_no_curvature_to_speak_of() {
    for count in [1, 2, 3, 9, 16] {
        let nothing = network(count, &[]);
        for subject in subjects(count) {
            check_second_moments(&subject, &nothing).unwrap();
        }
    }
}

#[test]
fn engines_that_sample_are_within_their_errors() {
    let mut cases = fixed(common::network_and_clamp(12, 3.0));
    cases.extend(fixed(pairwise(11, 0.25, 3.0)));
    cases.extend(fixed(pairwise(8, 0.9, 2.0)));
    cases.extend(fixed(pairwise(7, 0.4, 1000.0)));
    for (network, clamp) in &cases {
        let subjects = subjects(network.units().len()).into_iter();
        for subject in subjects.filter(Subject::is_sampled) {
            check(&subject, network, clamp).unwrap();
        }
    }
}

/// Six units, terms of one and two of them, weights of some size.
fn small() -> Network {
    common::complete(6, true, &[0.7, -0.4, 1.1, -0.8, 0.2, 0.5, -1.0])
}

#[test]
fn engines_give_what_they_say() {
    let (network, none) = (small(), Clamp::none(6));
    let truth = literal::expectations(&network, &none);
    for subject in subjects(6) {
        let (name, gives) = (subject.name(), subject.engine().gives());
        let sums = |prepared: &dyn Prepared, seed: u64| {
            let mut sums = Sums::default();
            sums.seed = seed;
            prepared.sums(network.weights(), &mut sums).unwrap();
            sums
        };
        let plain = subject.prepare(&network, &none, false).unwrap();
        let demanding = subject.prepare(&network, &none, true).unwrap();
        // By f#, or by chains, which are measured by f# while they go on.
        if gives.exact_sums {
            assert_eq!(demanding.strata().is_some(), gives.strata, "{name}");
        }
        if demanding.strata().is_none() {
            assert_eq!(gives.strata, gives.chains, "{name}");
        }
        assert!(plain.strata().is_none(), "{name}: strata are on demand");
        for prepared in [&plain, &demanding] {
            let products = prepared.products(network.weights()).unwrap();
            assert_eq!(products.is_some(), gives.curvature, "{name}");
            assert!(prepared.curvature().is_none() || gives.curvature, "{name}");
            let found = sums(&**prepared, 1);
            assert_eq!(found.terms.len(), network.terms().len());
            assert_eq!(found.log_partition, sums(&**prepared, 1).log_partition);
            assert_eq!(found.terms, sums(&**prepared, 1).terms, "{name}");
            let other = sums(&**prepared, 2);
            assert_eq!(other.terms == found.terms, gives.objective, "{name}");
            let worth = found.worth;
            if gives.exact_sums {
                assert_eq!(worth, SumsWorth::default(), "{name}");
                let pairs = found.terms.iter().zip(&truth.terms);
                assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-14));
            }
            let is_sampled = worth.log_partition == Kind::MonteCarlo;
            assert_eq!(is_sampled, !gives.objective, "{name}");
            assert_eq!(worth.log_partition_error.is_some(), is_sampled, "{name}");
            assert_eq!(worth.entropy_error.is_some(), is_sampled, "{name}");
            assert_eq!(worth.noise > 0.0, is_sampled, "{name}");
            if is_sampled {
                let off = (found.log_partition - truth.log_partition.value).abs();
                assert!(off <= 6.0 * worth.log_partition_error.unwrap(), "{name}");
                // The noise is what the largest of all errors comes to.
                let worst = found.terms.iter().zip(&truth.terms);
                let worst = worst.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(worst <= 3.0 * worth.noise, "{name}: {worst}");
            }
        }
    }
}

#[test]
fn engines_can_be_told_apart_and_described() {
    let (network, none) = (small(), Clamp::none(6));
    let mut names = HashSet::new();
    for engine in EngineId::all() {
        assert!(names.insert(engine.name()), "{engine} is listed twice");
        assert_eq!(engine.name().parse::<EngineId>().unwrap(), engine);
        assert!(!engine.engine().about().is_empty());
        assert!(!engine.method(&network, &none).unwrap().is_empty());
    }
    for engine in [EngineId::EXACT, EngineId::JUNCTION_TREE, EngineId::GIBBS] {
        assert!(names.contains(engine.name()));
    }
    let error = "oracle".parse::<EngineId>().unwrap_err().to_string();
    assert!(names.iter().all(|name| error.contains(name)), "{error}");
}

#[test]
fn the_same_question_has_the_same_answer() {
    let network = small();
    let mut clamp = Clamp::none(6);
    clamp.hold(2, true).unwrap();
    for subject in subjects(6) {
        let prepared = subject.prepare(&network, &clamp, false).unwrap();
        let Ok(first) = prepared.answer(network.weights()) else {
            assert!(subject.allowance().may_fail, "{}", subject.name());
            continue;
        };
        prepared
            .answer(&vec![0.1; network.weights().len()])
            .unwrap();
        let again = prepared.answer(network.weights()).unwrap();
        assert_eq!(first, again, "{}", subject.name());
        let anew = subject.answer(&network, &clamp).unwrap();
        assert_eq!(first, anew, "{}", subject.name());
    }
}

#[test]
fn what_does_not_fit_the_network_is_refused() {
    let network = small();
    let none = Clamp::none(6);
    for subject in subjects(6) {
        let name = subject.name();
        for units in [0, 5, 7] {
            let error = subject.answer(&network, &Clamp::none(units)).unwrap_err();
            assert!(matches!(error, Error::Invalid(_)), "{name}: {error}");
            let mut held = Clamp::none(units.max(1));
            held.hold(0, true).unwrap();
            let error = subject.answer(&network, &held).unwrap_err();
            assert!(matches!(error, Error::Invalid(_)), "{name}: {error}");
        }
        let prepared = subject.prepare(&network, &none, true).unwrap();
        for count in [0, 20, 22] {
            let weights = vec![0.0; count];
            let error = prepared.answer(&weights).unwrap_err();
            assert!(matches!(error, Error::Invalid(_)), "{name}: {error}");
            let error = prepared.sums(&weights, &mut Sums::default()).unwrap_err();
            assert!(matches!(error, Error::Invalid(_)), "{name}: {error}");
            if let Some(stratified) = prepared.strata() {
                let error = stratified.strata(&weights, &mut StratifiedSums::default());
                assert!(matches!(error, Err(Error::Invalid(_))), "{name}");
            }
        }
    }
}

#[test]
fn a_single_unit() {
    for weight in [0.0, 2.5, -1000.0] {
        let one = network(1, &[(&[0], weight)]);
        check_all(&one, &Clamp::none(1));
        check_all(&one, &Clamp::new(vec![Some(true)]));
    }
    check_all(&network(1, &[]), &Clamp::none(1));
}

#[test]
fn a_disconnected_graph_with_isolated_units() {
    let parts = network(
        9,
        &[
            (&[0, 1], 1.5),
            (&[1, 2], -0.5),
            (&[0, 2], 0.7),
            (&[4, 5], 2.0),
            (&[6], -0.3),
            (&[7, 8], -1.2),
        ],
    );
    check_all(&parts, &Clamp::none(9));
}

#[test]
fn all_units_held() {
    let triangle = network(3, &[(&[0, 1], 1.5), (&[1, 2], -0.5), (&[0], 0.7)]);
    check_all(
        &triangle,
        &Clamp::new(vec![Some(true), Some(true), Some(false)]),
    );
}

#[test]
fn hard_constraints() {
    for sign in [1.0, -1.0] {
        let loops = network(
            5,
            &[
                (&[0, 1], sign * 1000.0),
                (&[1, 2], -sign * 1000.0),
                (&[2, 3], 1000.0),
                (&[3, 0], 0.5),
                (&[0], -sign * 1000.0),
                (&[1], 0.3),
                (&[2], 1000.0),
                (&[3, 4], -1000.0),
            ],
        );
        check_all(&loops, &Clamp::none(5));
    }
    // Exponents that cancel: what one table would round away decides in the next.
    let cancelling = network(
        3,
        &[
            (&[0], -1000.0),
            (&[0, 1], 1000.0),
            (&[1], -1000.0),
            (&[1, 2], 1000.0),
        ],
    );
    check_all(&cancelling, &Clamp::none(3));
}

/// Signs of the couplings of ten spins, row by row above the diagonal, drawn once at random.
const SIGNS: &str = "+-+----++-+++-++---+-+++-+-+-----+++-+-+--+-+";
const FIELDS: [f64; 10] = [
    0.09, -0.007, -0.058, -0.046, 0.055, 0.038, 0.064, -0.046, -0.017, -0.06,
];

/// A dense graph of strong couplings of both signs, on which messages keep turning round.
fn frustrated() -> Network {
    let mut terms: Vec<(Term, f64)> = Vec::new();
    let pairs = (0..10).flat_map(|a| (a + 1..10).map(move |b| vec![a, b]));
    for (pair, sign) in pairs.zip(SIGNS.chars()) {
        terms.push((Term::new(pair), if sign == '+' { 1.0 } else { -1.0 }));
    }
    terms.extend(
        FIELDS
            .iter()
            .enumerate()
            .map(|(u, h)| (Term::new(vec![u]), *h)),
    );
    SpinNetwork {
        units: units(10),
        terms,
        constant: 0.0,
    }
    .network()
    .unwrap()
}

#[test]
fn a_frustrated_dense_graph() {
    let network = frustrated();
    let none = Clamp::none(10);
    check_all(&network, &none);
    // Messages keep turning round here; the descent of the Bethe free energy does not.
    let settled = BeliefPropagation::settles_by(&network, &none).unwrap();
    assert!(
        matches!(settled, Settled::Residuals | Settled::Minimisation),
        "{settled:?}"
    );
    let found = BeliefPropagation.expectations(&network, &none).unwrap();
    assert_eq!(found.log_partition.kind, Kind::Estimate);
}

#[test]
fn samples_follow_the_exact_expectations() {
    let mut held = Clamp::none(10);
    held.hold(4, true).unwrap();
    let strange = Clamp::new((0..6).map(|u| (u == 3).then_some(false)).collect());
    let cases = [
        (frustrated(), held),
        (frustrated(), Clamp::none(10)),
        (small(), strange),
    ];
    for (network, clamp) in cases {
        let truth = literal::expectations(&network, &clamp);
        let mut drawing = Vec::new();
        for subject in subjects(clamp.len()) {
            let prepared = subject.prepare(&network, &clamp, false).unwrap();
            let Some(mut sampler) = prepared.sampler(network.weights()).unwrap() else {
                continue;
            };
            drawing.push(subject.name());
            let mut random = stream(5, Purpose::Alone, 0);
            let count = 20_000;
            let mut states: Vec<Vec<bool>> = Vec::new();
            while states.len() < count {
                let most = count - states.len();
                let drawn = sampler.draw(most, &mut random);
                assert!((1..=most).contains(&drawn.len()), "{}", subject.name());
                states.extend(drawn);
            }
            for unit in 0..clamp.len() {
                let is_held = |state: &Vec<bool>| clamp.get(unit).is_none_or(|v| state[unit] == v);
                assert!(states.iter().all(is_held), "{} {unit}", subject.name());
            }
            let near = |on: &dyn Fn(&Vec<bool>) -> bool, exact: f64| {
                let share = states.iter().filter(|state| on(state)).count() as f64 / count as f64;
                let error = (exact * (1.0 - exact).max(0.0) / count as f64).sqrt();
                assert!(
                    (share - exact).abs() <= 5.0 * error + 1e-12,
                    "{}: {share} {exact}",
                    subject.name()
                );
            };
            for unit in 0..clamp.len() {
                near(&|state| state[unit], truth.means[unit]);
            }
            for (at, term) in network.terms().iter().enumerate() {
                let on = |state: &Vec<bool>| term.units().iter().all(|&u| state[u]);
                near(&on, truth.terms[at]);
            }
            // States that are not independent come with a remark.
            assert_eq!(
                sampler.remarks().is_empty(),
                !subject.is_sampled(),
                "{}",
                subject.name()
            );
        }
        for name in ["exact", "junction-tree", "gibbs"] {
            assert!(drawing.contains(&name), "{name}");
        }
    }
}
