//! Named choices of the documented interface; engines and learners are those of the library's registries.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use latentropy::fit::BootstrapKind;
use latentropy::{EngineId, Learner};

/// Who sums over states: one engine, the best for the machine, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EngineArg {
    /// The best.
    Auto,
    /// This one.
    Named(EngineId),
    /// All of them, in a table.
    All,
}

impl EngineArg {
    /// The engine that is named, if one is.
    pub(crate) fn named(self) -> Option<EngineId> {
        match self {
            EngineArg::Named(engine) => Some(engine),
            EngineArg::Auto | EngineArg::All => None,
        }
    }
}

/// Engines of `fit`.
pub(super) fn engines_to_learn() -> impl TypedValueParser<Value = EngineArg> {
    engines(
        "Exact where a pass over the states takes a moment, else exact or a junction tree, whichever is quicker, up to \
         half a second per pass, else gibbs; says which and why",
        false,
    )
}

/// Engines of `infer` and `score`.
pub(super) fn engines_to_infer() -> impl TypedValueParser<Value = EngineArg> {
    engines(
        "Exact where that is quick, else a junction tree, else sampling; says which and why",
        true,
    )
}

fn engines(auto: &'static str, with_all: bool) -> impl TypedValueParser<Value = EngineArg> {
    let mut values = vec![PossibleValue::new("auto").help(auto)];
    values.extend(EngineId::all().map(|id| PossibleValue::new(id.name()).help(id.about())));
    if with_all {
        values.push(PossibleValue::new("all").help("Every engine, in a table"));
    }
    PossibleValuesParser::new(values).try_map(|name| match name.as_str() {
        "auto" => Ok(EngineArg::Auto),
        "all" => Ok(EngineArg::All),
        name => name.parse().map(EngineArg::Named),
    })
}

/// Learners of `fit`; none is named by `auto`.
pub(super) fn learners() -> impl TypedValueParser<Value = LearnerArg> {
    let auto = "em-is for a while (em-gis for large restricted machines), then second-order steps to the end; \
                quasi-newton with an engine that is not exact, pcd for restricted machines with gibbs";
    let mut values = vec![PossibleValue::new("auto").help(auto)];
    values.extend(
        Learner::all()
            .iter()
            .map(|learner| PossibleValue::new(learner.name()).help(learner.about())),
    );
    PossibleValuesParser::new(values).try_map(|name| match name.as_str() {
        "auto" => Ok(LearnerArg(None)),
        name => Learner::named(name).map(|learner| LearnerArg(Some(learner))),
    })
}

/// A learner, if one is named.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LearnerArg(pub(crate) Option<Learner>);

/// The one table of what goes with what, for `fit --help`.
pub(super) fn table_of_learners_and_engines() -> String {
    let learners = Learner::all();
    let width = learners.iter().map(|l| l.name().len()).max().unwrap_or(0);
    let mut text = "What goes with what:\n".to_string();
    for learner in learners {
        let engines = EngineId::all().filter(|&engine| learner.goes_with(engine));
        let engines: Vec<&str> = engines.map(EngineId::name).collect();
        let engines = match engines.len() == EngineId::all().count() {
            true => "every engine".to_string(),
            false => engines.join(", "),
        };
        text += &format!("  {:width$}  {engines}\n", learner.name());
    }
    text + "  em-gradient with a fixed --step goes with gibbs, too."
}

/// Update rules of `sequential`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleChoice {
    /// The exact best value of each weight in turn (Byrne 1992).
    Byrne,
    /// A bound that never lowers the likelihood (Collins, Schapire and Singer 2002).
    Collins,
}

impl RuleChoice {
    /// As the library spells it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            RuleChoice::Byrne => "byrne",
            RuleChoice::Collins => "collins",
        }
    }
}

/// Kinds of bootstrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResampleChoice {
    /// Rows drawn with replacement, their missing cells with them: trusts the rows alone.
    Rows,
    /// Rows drawn from the chosen machine, with the missing cells of the data: trusts the machine.
    Parametric,
}

impl From<ResampleChoice> for BootstrapKind {
    fn from(choice: ResampleChoice) -> Self {
        match choice {
            ResampleChoice::Rows => BootstrapKind::Rows,
            ResampleChoice::Parametric => BootstrapKind::Parametric,
        }
    }
}
