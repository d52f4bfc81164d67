//! Remarks in Python's words, each with the category that it is warned under.

use crate::wording::Keywords;
use latentropy::Remark;

/// A category of warnings, and a sentence.
pub(crate) type Warned = (&'static str, String);

/// What data are read for: it decides what is remarkable about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To learn from.
    Learning,
    /// To be scored.
    Scoring,
    /// For what a model says about each row.
    Answering,
}

impl Purpose {
    /// By its name in Python.
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "learning" => Purpose::Learning,
            "scoring" => Purpose::Scoring,
            _ => Purpose::Answering,
        }
    }
}

/// The remarks, as they are warned of.
pub(crate) fn warned(remarks: &[Remark]) -> Vec<Warned> {
    let told = |remark: &Remark| (category(remark), remark.worded(&Keywords));
    remarks.iter().map(told).collect()
}

/// The remarks of the data's reader with what they mean for the purpose.
pub(crate) fn warned_of_data(remarks: &[Remark], purpose: Purpose) -> Vec<Warned> {
    let told = |remark: &Remark| {
        let meaning = meaning(remark, purpose)?;
        let sentence = format!("X: {}{meaning}", remark.worded(&Keywords));
        Some((category(remark), sentence))
    };
    remarks.iter().filter_map(told).collect()
}

/// What a remark on data means for the purpose; none where it means nothing.
fn meaning(remark: &Remark, purpose: Purpose) -> Option<String> {
    match (remark, purpose) {
        (Remark::ConstantColumns(columns), Purpose::Learning) => {
            let it = if columns.len() == 1 { "it" } else { "them" };
            Some(format!(
                "; no finite weight is the best for {it}: leave {it} out of X, or keep weights small with ridge"
            ))
        }
        (Remark::ConstantColumns(_), _) => None,
        (Remark::UnknownRows { count, .. }, _) => {
            let (such, is, says) = match count {
                1 => ("such a row", "is", "says"),
                _ => ("such rows", "are", "say"),
            };
            Some(match purpose {
                Purpose::Learning => format!("; {such} {says} nothing and {is} not counted"),
                Purpose::Scoring => {
                    format!(
                        "; {such} {is} certain: the log-likelihood is 0, and counts in the mean"
                    )
                }
                Purpose::Answering => format!("; {such} {is} given the model's own probabilities"),
            })
        }
        _ => Some(String::new()),
    }
}

/// `data`, `convergence` or `fit`.
fn category(remark: &Remark) -> &'static str {
    match remark {
        Remark::ConstantColumns(_)
        | Remark::UnknownColumns(_)
        | Remark::UnknownRows { .. }
        | Remark::CopiedRows { .. }
        | Remark::BlankLines { .. }
        | Remark::Recognised(_)
        | Remark::UnusedRecodings(_)
        | Remark::RowNames { .. }
        | Remark::Weighted { .. } => "data",
        Remark::ChainsDisagree { .. }
        | Remark::FewSamples { .. }
        | Remark::FewAnnealedRuns { .. }
        | Remark::AnnealingApart { .. }
        | Remark::FewRenewals { .. }
        | Remark::LaddersApart { .. }
        | Remark::LogPartitionBetween { .. }
        | Remark::FarAboveBound { .. }
        | Remark::LikelihoodBetween { .. }
        | Remark::OnlySaddles
        | Remark::NoneFeasible
        | Remark::NotMetBySamples { .. }
        | Remark::EvidenceUnsettled { .. }
        | Remark::NoEvidence { .. }
        | Remark::RefitsLost { .. } => "convergence",
        Remark::OfEngine { remark, .. } => category(remark),
        _ => "fit",
    }
}
