//! Remarks: what a user should know about data, a model or a fit although nothing is wrong with the request.

use crate::message::{Message, Setting, Wording, words};
use std::fmt;

/// One thing worth knowing; its [`Display`](fmt::Display) is a sentence for people.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Remark {
    /// Columns that hold one value only, with that value.
    ConstantColumns(Vec<(String, bool)>),
    /// Columns without a single known cell.
    UnknownColumns(Vec<String>),
    /// Rows without a single known cell.
    UnknownRows {
        /// How many.
        count: u64,
        /// Where the first of them is.
        first: String,
    },
    /// Blank lines between the rows of a text file.
    BlankLines {
        /// How many.
        count: u64,
        /// The first one.
        line: u64,
    },
    /// What a reader or writer of a model file had to decide, or could not keep.
    ModelFile(String),
    /// A list of terms came with weights, which a fit does not use.
    UnusedWeights {
        /// The file.
        file: String,
    },
    /// Markov chains that do not agree with each other.
    ChainsDisagree {
        /// The largest R̂.
        r_hat: f64,
        /// Above this, values are not to be trusted.
        limit: f64,
        /// The unit or term at which it was found.
        at: String,
    },
    /// Some expectation rests on few independent samples.
    FewSamples {
        /// How many.
        count: f64,
    },
    /// Rows drawn by Markov chains, not independently.
    NearlyIndependent {
        /// How many chains.
        chains: usize,
        /// Sweeps between two rows of a chain.
        apart: usize,
    },
    /// Few of the annealed runs carry the estimate of log Z.
    FewAnnealedRuns {
        /// How many count.
        effective: f64,
        /// Of how many.
        runs: usize,
        /// `forward` or `backward`.
        direction: &'static str,
    },
    /// The two directions of annealing give values of log Z that their errors do not explain.
    AnnealingApart {
        /// Log Z annealed forward.
        forward: f64,
        /// Log Z annealed backward.
        backward: f64,
    },
    /// An engine's own remark, named by the engine.
    OfEngine {
        /// Its name.
        engine: &'static str,
        /// What it remarks.
        remark: Box<Remark>,
    },
    /// No feasible candidate is a maximum.
    OnlySaddles,
    /// No feasible candidate's hidden units have to do with the visible ones.
    OnlyTrivial,
    /// No candidate reached the tolerance.
    NoneFeasible,
    /// Values of different kinds are not ranked against each other.
    MixedKinds {
        /// The kind that was ranked, in words.
        ranked: &'static str,
    },
    /// Candidates that the errors of sampling do not tell apart from the chosen one.
    Tied {
        /// The chosen one's index.
        chosen: usize,
        /// The others'.
        others: Vec<usize>,
    },
    /// The chosen ridge is an end of those compared.
    RidgeAtEnd {
        /// The ridge.
        ridge: f64,
        /// True of the largest, false of the smallest.
        largest: bool,
    },
    /// Weights of the chosen machine that are at the edge of the box.
    AtTheEdge {
        /// How many.
        weights: usize,
        /// The box.
        bound: f64,
        /// The plainest causes, each with the terms that it drives.
        causes: Vec<(Vec<String>, String)>,
        /// How many weights these causes leave out.
        more: usize,
        /// Whether the objective has a ridge already.
        has_ridge: bool,
    },
    /// Why weights are at the edge cannot be told.
    CausesUnknown(Message),
    /// A bootstrap was asked for, and the machine shown is not a solution.
    NoBootstrap,
    /// Refits that did not converge.
    RefitsLost {
        /// How many.
        lost: usize,
        /// Of how many.
        refits: usize,
    },
    /// Refits with weights at the edge, where the chosen machine has none.
    RefitsAtTheEdge {
        /// How many.
        at_the_edge: usize,
        /// Of how many that converged.
        converged: usize,
    },
}

impl Remark {
    /// The sentence, with the settings it names.
    pub fn message(&self) -> Message {
        match self {
            Remark::ConstantColumns(columns) => {
                let what = match columns.len() {
                    1 => "column never varies",
                    _ => "columns never vary",
                };
                let named =
                    |(name, one): &(String, bool)| format!("{name} (always {})", u8::from(*one));
                let names: Vec<String> = columns.iter().map(named).collect();
                Message::from(format!("{} {what}: {}", columns.len(), list(&names)))
            }
            Remark::UnknownColumns(columns) => {
                let what = match columns.len() {
                    1 => "column has",
                    _ => "columns have",
                };
                Message::from(format!(
                    "{} {what} no known cell: {}",
                    columns.len(),
                    list(columns)
                ))
            }
            Remark::UnknownRows { count, first } => {
                let what = if *count == 1 { "row has" } else { "rows have" };
                Message::from(format!("{count} {what} no known cell (the first: {first})"))
            }
            Remark::BlankLines { count, line } => {
                let what = match count {
                    1 => "blank line was",
                    _ => "blank lines were",
                };
                Message::from(format!(
                    "{count} {what} skipped between the rows (the first: line {line})"
                ))
            }
            Remark::ModelFile(text) => Message::from(text),
            Remark::UnusedWeights { file } => Message::from(format!(
                "{file}: its weights are not used: every restart draws its own start"
            )),
            Remark::OfEngine { engine, remark } => {
                words![format!("{engine}: "), &remark.message()]
            }
            _ => self.about_sampling().unwrap_or_else(|| self.about_a_fit()),
        }
    }

    fn about_sampling(&self) -> Option<Message> {
        Some(match self {
            Remark::ChainsDisagree { r_hat, limit, at } => words![
                format!(
                    "the chains disagree: R-hat is {r_hat:.2} at {at} (above {limit} is not to be trusted); run longer with "
                ),
                Setting::Sweeps,
                ", or compare with ",
                Setting::Engine.at("all"),
                "; log Z, too, needs confirming, by another ",
                Setting::Seed,
                " and a longer ",
                Setting::Annealing,
            ],
            Remark::NearlyIndependent { chains, apart } => Message::from(format!(
                "rows are drawn by {chains} Markov chains, {apart} sweeps apart: nearly, not exactly, independent, since \
                 no exact engine holds this machine"
            )),
            Remark::FewSamples { count } => words![
                format!(
                    "some expectation rests on {count:.0} independent samples only; run longer with "
                ),
                Setting::Sweeps,
            ],
            Remark::FewAnnealedRuns {
                effective,
                runs,
                direction,
            } => words![
                format!(
                    "log Z is doubtful: only {effective:.1} of {runs} annealed runs {direction} count; anneal longer, or see "
                ),
                Setting::Engine.at("all"),
            ],
            Remark::AnnealingApart { forward, backward } => {
                let mut message = words![format!(
                    "log Z is doubtful: annealing gives {forward:.6} forward and {backward:.6} backward, "
                )];
                if forward > backward {
                    message.push(words![
                        "the wrong way round: the backward runs began at chains that do not represent the machine; run \
                         them longer with ",
                        Setting::Sweeps,
                    ]);
                } else {
                    message.push("the truth should lie between");
                }
                message
            }
            _ => return None,
        })
    }

    fn about_a_fit(&self) -> Message {
        match self {
            Remark::OnlySaddles => Message::from(
                "every feasible candidate is a saddle, not a maximum; the one shown is the best of them: \
                 try more restarts",
            ),
            Remark::OnlyTrivial => words![
                "every feasible candidate is trivial (its hidden units are independent of the visible ones), \
                 which the principle excludes; try more restarts, a smaller ridge, or ",
                Setting::Hidden.at(0),
            ],
            Remark::NoneFeasible => words![
                "no candidate reached the tolerance, so none is feasible; the one shown is the best of \
                 unfinished ones: raise ",
                Setting::MaxIterations,
                ", loosen ",
                Setting::Tolerance,
                " or add a ",
                Setting::Ridge,
            ],
            Remark::MixedKinds { ranked } => Message::from(format!(
                "the candidates' values are of different kinds, which are not ranked against each other; the one shown \
                 is the best of those whose value is of the kind: {ranked}"
            )),
            Remark::Tied { chosen, others } => {
                let names: Vec<String> = others.iter().map(usize::to_string).collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                Message::from(format!(
                    "the chosen candidate ({chosen}) ties with {} within the errors of sampling, so that the choice \
                     between them is not settled",
                    crate::error::shortened(&names)
                ))
            }
            Remark::RidgeAtEnd { ridge, largest } => {
                let (end, other, beyond) = match largest {
                    true => ("largest", "a larger one may do as well", 10.0 * ridge),
                    false => ("smallest", "a smaller one may do better", ridge / 10.0),
                };
                words![
                    format!(
                        "the chosen ridge, {}, is the {end} of those compared; {other}: try ",
                        typed(*ridge)
                    ),
                    Setting::Ridge.at(typed(beyond)),
                ]
            }
            Remark::NoBootstrap => Message::from(
                "there was no bootstrap: the machine shown is not a solution, so that refits would end elsewhere",
            ),
            Remark::RefitsLost { lost, refits } => words![
                format!(
                    "{lost} of {refits} refits of the bootstrap did not converge and are left out: raise "
                ),
                Setting::MaxIterations,
                ", loosen ",
                Setting::Tolerance,
                " or add a ",
                Setting::Ridge,
            ],
            Remark::RefitsAtTheEdge {
                at_the_edge,
                converged,
            } => words![
                format!(
                    "{at_the_edge} of {converged} refits of the bootstrap have weights at the edge of the box, so that \
                     spreads depend on "
                ),
                Setting::Box,
                ": add a ",
                Setting::Ridge,
                " for finite weights",
            ],
            Remark::CausesUnknown(why) => words![
                "why weights are at the edge of the box cannot be told: ",
                why,
            ],
            Remark::AtTheEdge {
                weights,
                bound,
                causes,
                more,
                has_ridge,
            } => at_the_edge(*weights, *bound, causes, *more, *has_ridge),
            // The others have been told before.
            _ => Message::default(),
        }
    }

    /// The sentence in the names of an interface.
    pub fn worded(&self, wording: &dyn Wording) -> String {
        self.message().worded(wording)
    }
}

fn at_the_edge(
    weights: usize,
    bound: f64,
    causes: &[(Vec<String>, String)],
    more: usize,
    has_ridge: bool,
) -> Message {
    let plural = if weights == 1 { "" } else { "s" };
    let parts: Vec<String> = causes
        .iter()
        .map(|(terms, cause)| format!("{}: {cause}", terms.join(", ")))
        .collect();
    let mut message = words![format!(
        "the chosen machine has {weights} weight{plural} at the edge of the box (±{}): {}",
        typed(bound),
        parts.join("; ")
    )];
    if more > 0 {
        message.push(words![
            format!("; and {more} more (see "),
            Setting::Json,
            ")"
        ]);
    }
    if has_ridge {
        message.push(words![
            "; their best values lie beyond it: widen ",
            Setting::Box,
            ", or raise ",
            Setting::Ridge,
        ]);
    } else {
        message.push(words![
            "; add ",
            Setting::Ridge.at(1),
            " for finite weights, or move the edge with ",
            Setting::Box,
        ]);
    }
    message
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

/// A list of names, cut where it grows long.
fn list(names: &[String]) -> String {
    crate::data::list_names(names)
}

/// A number as it would be typed.
fn typed(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-3 {
        return format!("{value:e}");
    }
    format!("{value}")
}
