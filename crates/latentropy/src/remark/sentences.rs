//! The sentence of each remark, with the settings that it names.

use super::kinds::Remark;
use crate::error::shortened;
use crate::message::{Message, Setting, Wording, words};
use std::fmt;

/// Less than this many nats is hardly anything.
const LEAST_GAIN: f64 = 5e-4;

impl Remark {
    /// The sentence, with the settings it names.
    pub fn message(&self) -> Message {
        match self {
            Remark::ModelFile(text) => Message::from(text),
            Remark::UnusedWeights { file } => Message::from(format!(
                "{file}: its weights are not used: every restart draws its own start"
            )),
            Remark::OfEngine { engine, remark } => {
                words![format!("{engine}: "), &remark.message()]
            }
            _ => self
                .about_data()
                .or_else(|| self.about_sampling())
                .or_else(|| self.about_the_choice())
                .or_else(|| self.about_the_bootstrap())
                .unwrap_or_else(|| self.about_ridge_and_box()),
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
            Remark::SampledRows {
                sampled,
                rows,
                largest_error,
                doubtful,
            } => {
                let mut message = Message::from(match sampled {
                    1 => format!(
                        "1 of {rows} distinct rows leaves too much open for exact sums: its sum is annealed, with a \
                         standard error of {largest_error:.2}"
                    ),
                    _ => format!(
                        "{sampled} of {rows} distinct rows leave too much open for exact sums: theirs are annealed, with \
                         standard errors up to {largest_error:.2}"
                    ),
                });
                if *doubtful > 0 {
                    message.push(words![
                        format!(
                            "; doubtful, since chains or annealed runs disagree or are too few: {doubtful} of them; \
                             confirm by another "
                        ),
                        Setting::Seed,
                        " and a longer ",
                        Setting::Annealing,
                    ]);
                }
                message
            }
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
            Remark::FewRenewals { renewals, ladders } => words![
                format!(
                    "log Z is doubtful: of the replicas of {ladders} tempered ladders only {renewals} came from independent \
                     units to the machine; "
                ),
                "modes may be missing; a larger machine of this kind wants exact sums on its smaller side, or a stronger ridge",
            ],
            Remark::LaddersApart { errors } => Message::from(format!(
                "log Z is doubtful: tempered ladders that began at independent units and ladders that began at other states \
                 differ by {errors:.1} standard errors, so that they have not forgotten where they began"
            )),
            Remark::LogPartitionBetween {
                at_least,
                at_most,
                mass_bound,
                lowest,
            } => {
                let mut message = words![format!(
                    "log Z is not settled: its estimates do not agree, and it lies between {at_least:.4} and {at_most:.4} as \
                     far as they tell"
                )];
                if lowest < mass_bound {
                    message.push(format!(
                        "; the lowest of them, {lowest:.4}, cannot be: the states that were seen alone weigh {mass_bound:.4}"
                    ));
                }
                message
            }
            Remark::LikelihoodBetween { at_least, at_most } => Message::from(format!(
                "the log-likelihood is not settled: the ways to log Z do not agree, and it lies between {at_least:.4} and \
                 {at_most:.4} per row as far as they tell"
            )),
            Remark::FarAboveBound { value, at_least } => words![
                format!(
                    "the mean log-likelihood of {value:.4} is not confirmed from below: annealing backward from the rows \
                     vouches for {at_least:.4} only; anneal longer with "
                ),
                Setting::Annealing,
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

    fn about_the_choice(&self) -> Option<Message> {
        Some(match self {
            Remark::OnlySaddles => Message::from(
                "every feasible candidate is a saddle, not a maximum; the one shown is the best of them: \
                 try more restarts",
            ),
            Remark::SearchIncomplete {
                unseen,
                gain,
                by_entropy,
                restarts,
            } => {
                let ranked = match by_entropy {
                    true => "entropy",
                    false => "log-likelihood per row",
                };
                let gain = match gain {
                    Some(gain) if *gain >= LEAST_GAIN => {
                        format!(
                            ", and twice the search might raise the {ranked} by about {gain:.3} nats"
                        )
                    }
                    Some(_) => format!(", though twice the search would hardly raise the {ranked}"),
                    None => String::new(),
                };
                words![
                    format!(
                        "the search is not complete: about {:.0} % of random starts end in solutions that its own have not \
                         met{gain}; search longer with ",
                        100.0 * unseen
                    ),
                    Setting::Restarts.at(2 * restarts),
                ]
            }
            Remark::BestIsLast { shape, hidden } => words![
                format!(
                    "the best on rows held out is the largest machine that was tried ({shape} with {hidden} hidden \
                     units), so that a larger one may be better still; try more with "
                ),
                Setting::Hidden,
            ],
            Remark::EntropyAgainstRows {
                per_row,
                std_err,
                all_rows,
            } => words![
                format!(
                    "highest entropy gives up {per_row:.4} ± {std_err:.4} nats per row in likelihood, {all_rows:.1} over \
                     all rows: the rows speak clearly for the solution of highest likelihood; see "
                ),
                Setting::Select.at("mle"),
                ", or let rows held out decide with ",
                Setting::Select.at("held-out"),
            ],
            Remark::SilentUnits { units, others } => {
                let named = shortened(units);
                let (says, is) = match units.len() {
                    1 => ("says", "its"),
                    _ => ("say", "their"),
                };
                let mut message = words![format!(
                    "{named} {says} nothing: {is} posterior is the same for every row, so that a machine with fewer \
                     hidden units tells as much"
                )];
                if *others {
                    message.push(
                        "; there are solutions without such units, and the principle chose this one all the same",
                    );
                }
                message
            }
            Remark::Copies { units } => words![format!(
                "{} have the same (or the opposite) posterior for every row: together they are one cause with {} grades, not \
                 {} causes",
                shortened(units),
                units.len() + 1,
                units.len()
            )],
            Remark::FewHeldOut { rows } => Message::from(format!(
                "only {rows} rows could be held out, so that the standard errors of what was compared on them mean little: \
                 take the choice as a hint"
            )),
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
            Remark::NotMetBySamples {
                largest,
                share,
                by_validation,
            } => not_met_by_samples(*largest, *share, *by_validation),
            Remark::MixedKinds { ranked } => Message::from(format!(
                "the candidates' values are of different kinds, which are not ranked against each other; the one shown \
                 is the best of those whose value is of the kind: {ranked}"
            )),
            Remark::Tied { chosen, others } => {
                let names: Vec<String> = others.iter().map(usize::to_string).collect();
                Message::from(format!(
                    "the chosen candidate ({chosen}) ties with {} within the errors of sampling, so that the choice \
                     between them is not settled",
                    shortened(&names)
                ))
            }
            _ => return None,
        })
    }

    fn about_the_bootstrap(&self) -> Option<Message> {
        Some(match self {
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
            _ => return None,
        })
    }

    fn about_ridge_and_box(&self) -> Message {
        match self {
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
            Remark::EvidenceUnsettled { ridge, rounds } => words![
                format!(
                    "the ridge by evidence was still moving after {rounds} rounds, at {ridge:.2}; give one yourself, \
                     such as "
                ),
                Setting::Ridge.at(format!("{ridge:.2}")),
                ", or ",
                Setting::Ridge.at("auto"),
                " to cross-validate it",
            ],
            Remark::NoEvidence { ridge } => words![
                format!(
                    "the ridge, {}, is not by evidence: there was no curvature of a maximum to find it by; give one \
                     yourself, or ",
                    typed(*ridge)
                ),
                Setting::Ridge.at("auto"),
                " to cross-validate it",
            ],
            Remark::RidgeFarBelowEvidence { ridge, evidence } => words![
                format!(
                    "the ridge, {}, is far below what the weights themselves speak for ({evidence:.2} and more, by evidence): \
                     hidden units may tell noise, several standard errors from nothing; ",
                    typed(*ridge)
                ),
                Setting::Ridge.at("evidence"),
                " finds one",
            ],
            Remark::FlatSet => words![
                "the rows leave a continuum of equally likely machines, not one; along it the entropy was raised as far as it would \
                 go: add a ",
                Setting::Ridge,
                " for one solution",
            ],
            Remark::DependsOnBox {
                bound,
                wider,
                entropies: (here, there),
                is_other,
            } => words![
                format!(
                    "the choice by entropy depends on the box: with ±{} ",
                    typed(*wider)
                ),
                match is_other {
                    true => format!(
                        "another solution has the highest entropy, {there:.3} nats in place of"
                    ),
                    false =>
                        format!("the entropy of the same solution is {there:.3} nats in place of"),
                },
                format!(
                    " {here:.3} with ±{}; at the edge solutions satisfy the conditions of the box (KKT), not the constraints \
                     (2): add a ",
                    typed(*bound)
                ),
                Setting::Ridge,
                " for a choice that does not depend on ",
                Setting::Box,
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

/// A number as it would be typed.
fn typed(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-3 {
        return format!("{value:e}");
    }
    format!("{value}")
}

/// How far a machine learned by samples is from a solution.
fn not_met_by_samples(largest: f64, share: f64, by_validation: bool) -> Message {
    let far = format!(
        "learned by samples; the largest residual is {largest:.1} of its constraint's standard error in the data, and at \
         most {share} counts as met"
    );
    match by_validation {
        true => words![
            "the weights are those that foretell the validation rows best, not a solution of the constraints (",
            far,
            ")",
        ],
        false => words![
            far,
            ": more ",
            Setting::MaxIterations,
            " or a ",
            Setting::Ridge,
            " bring it nearer",
        ],
    }
}
