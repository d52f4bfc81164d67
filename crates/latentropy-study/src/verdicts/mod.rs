//! Verdicts: each claim of the paper against what was found, with the numbers.
//!
//! A claim is a sign: one estimate, or one learner, is ahead of another. It is tested at every level (sample size or
//! checkpoint) and over all of them together. It holds where the whole says so and no level says the contrary.

mod document;
mod estimates;
mod speed;

pub use document::verdicts_document;

use crate::results::Results;
use crate::spec::Spec;
use crate::summary::{PairedTest, Samples, Summary};
use estimates::Estimates;
use speed::Speed;
use std::fmt;

/// How a claim stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// As claimed.
    Holds,
    /// The contrary of what is claimed.
    DoesNotHold,
    /// Here one way, there the other.
    Depends,
    /// Nothing that could not be chance.
    NotShown,
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ruling::Holds => "holds",
            Ruling::DoesNotHold => "does not hold",
            Ruling::Depends => "depends",
            Ruling::NotShown => "not shown",
        })
    }
}

/// A claim and how it stands in one experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// In words.
    pub claim: String,
    /// The experiment.
    pub about: String,
    /// Over all findings that count.
    pub ruling: Ruling,
    /// One per arm.
    pub findings: Vec<Finding>,
}

/// How a claim stands for one arm.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The arm, or the pair of arms.
    pub subject: String,
    /// Whether the claim is about this arm: the paper's is about estimates without a ridge.
    pub counts: bool,
    /// How it stands.
    pub ruling: Ruling,
    /// What was found.
    pub numbers: String,
}

impl Verdict {
    fn new(
        claim: impl Into<String>,
        about: impl Into<String>,
        findings: Vec<Finding>,
    ) -> Option<Self> {
        let any = findings.iter().any(|finding| finding.counts);
        let counted = findings.iter().filter(|finding| finding.counts || !any);
        let rulings: Vec<Ruling> = counted.map(|finding| finding.ruling).collect();
        Some(Verdict {
            claim: claim.into(),
            about: about.into(),
            ruling: together(&rulings)?,
            findings,
        })
    }
}

/// How a claim stands over several arms.
fn together(rulings: &[Ruling]) -> Option<Ruling> {
    let first = *rulings.first()?;
    let nothing_for_it = rulings
        .iter()
        .all(|ruling| matches!(ruling, Ruling::DoesNotHold | Ruling::NotShown));
    Some(if rulings.iter().all(|&ruling| ruling == first) {
        first
    } else if nothing_for_it {
        Ruling::DoesNotHold
    } else {
        Ruling::Depends
    })
}

/// A level's name and what was found there.
type Tested = (String, PairedTest);

/// All verdicts of a study.
pub fn verdicts(spec: &Spec, results: &Results, summary: &Summary) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    if let Some(convergence) = &spec.convergence {
        let speed = Speed {
            spec,
            convergence,
            results,
            summary,
        };
        verdicts.extend(speed.verdicts());
    }
    for (at, experiment) in spec.experiments.iter().enumerate() {
        let samples = Samples::new(spec, results, at, experiment);
        if !samples.is_empty() {
            let estimates = Estimates {
                spec,
                experiment,
                samples: &samples,
                summary,
            };
            verdicts.extend(estimates.verdicts());
        }
    }
    verdicts
}

/// What the tests of one subject say: of the `whole`, called `name`, and of its levels.
fn finding(
    spec: &Spec,
    subject: String,
    name: &str,
    whole: &PairedTest,
    levels: &[Tested],
) -> Finding {
    let mut numbers = format!(
        "{name}: {} ± {}, median {}, ahead in {}, behind in {} of {}, p = {}",
        signed(whole.mean),
        short(whole.std_err),
        signed(whole.median),
        whole.ahead,
        whole.behind,
        whole.count,
        short(whole.p_value)
    );
    for (level, test) in levels {
        let (mean, median, p) = (signed(test.mean), signed(test.median), short(test.p_value));
        numbers += &format!("; {level}: {mean}, median {median}, p = {p}");
    }
    Finding {
        subject,
        counts: true,
        ruling: ruling(spec.significance, whole, levels),
        numbers,
    }
}

/// How a claim stands by these tests.
fn ruling(significance: f64, whole: &PairedTest, levels: &[Tested]) -> Ruling {
    let says =
        |test: &PairedTest, sign: f64| test.p_value <= significance && test.effect * sign > 0.0;
    let any = |sign: f64| levels.iter().any(|(_, test)| says(test, sign));
    match (says(whole, 1.0), says(whole, -1.0)) {
        (true, _) if !any(-1.0) => Ruling::Holds,
        (_, true) if !any(1.0) => Ruling::DoesNotHold,
        _ if any(1.0) || any(-1.0) => Ruling::Depends,
        _ => Ruling::NotShown,
    }
}

/// Three digits.
fn short(value: f64) -> String {
    match value.abs() {
        _ if value.is_nan() => "?".to_string(),
        size if size.is_infinite() => "∞".to_string(),
        0.0 => "0".to_string(),
        size if size < 1e-3 => format!("{value:.1e}"),
        size if size < 1.0 => format!("{value:.3}"),
        size if size < 100.0 => format!("{value:.2}"),
        _ => format!("{value:.0}"),
    }
}

fn signed(value: f64) -> String {
    let text = short(value);
    if value > 0.0 {
        format!("+{text}")
    } else {
        text
    }
}

/// The verdicts as Markdown.
pub fn verdicts_text(spec: &Spec, verdicts: &[Verdict]) -> String {
    let mut text = format!("# Verdicts: {}\n\n", spec.title);
    text += &format!(
        "Seed {}. Advantages are in nats; ± is one standard error with truths as clusters. p-values: signed-rank test that \
         flips whole truths (with K truths none can be below 2/2^K), two-sided, not corrected for the number of tests. A \
         claim *holds* where all levels together say so (p ≤ {}) and no single level says the contrary; it *does not \
         hold* where the contrary is so, or where the contrary is so for some arms and no arm is for it; it *depends* \
         where levels or arms disagree; it is *not shown* where all may be chance. The paper's claims are about estimates without a ridge: arms with one are listed but do not count. \
         Differences below 1e-6 nats are ties: two runs to one solution.\n\n| claim | where | verdict |\n|---|---|---|\n",
        spec.seed, spec.significance
    );
    for verdict in verdicts {
        text += &format!(
            "| {} | {} | **{}** |\n",
            verdict.claim, verdict.about, verdict.ruling
        );
    }
    for verdict in verdicts {
        text += &format!(
            "\n## {} ({}): {}\n\n",
            verdict.claim, verdict.about, verdict.ruling
        );
        for finding in &verdict.findings {
            let aside = if finding.counts {
                ""
            } else {
                " (does not count)"
            };
            let (subject, ruling, numbers) = (&finding.subject, finding.ruling, &finding.numbers);
            text += &format!("- **{subject}**{aside}: {ruling}. {numbers}.\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(effect: f64, p_value: f64) -> PairedTest {
        PairedTest {
            count: 10,
            mean: effect,
            std_err: 0.1,
            median: effect,
            ahead: 5,
            behind: 5,
            effect,
            p_value,
        }
    }

    #[test]
    fn a_claim_stands_as_its_levels_say() {
        let levels = |tests: &[(f64, f64)]| -> Vec<(String, PairedTest)> {
            tests
                .iter()
                .map(|&(e, p)| ("T=1".to_string(), test(e, p)))
                .collect()
        };
        let stands = |whole: (f64, f64), of: &[(f64, f64)]| {
            ruling(0.05, &test(whole.0, whole.1), &levels(of))
        };
        assert_eq!(
            stands((0.5, 0.01), &[(0.5, 0.01), (-0.2, 0.4)]),
            Ruling::Holds
        );
        assert_eq!(
            stands((0.5, 0.01), &[(0.5, 0.01), (-0.2, 0.04)]),
            Ruling::Depends
        );
        assert_eq!(stands((-0.5, 0.01), &[(-0.5, 0.01)]), Ruling::DoesNotHold);
        assert_eq!(
            stands((0.1, 0.5), &[(0.5, 0.01), (-0.5, 0.01)]),
            Ruling::Depends
        );
        assert_eq!(stands((0.1, 0.5), &[(0.1, 0.6)]), Ruling::NotShown);
        use Ruling::{Depends, DoesNotHold, Holds, NotShown};
        assert_eq!(together(&[]), None);
        assert_eq!(together(&[NotShown, NotShown]), Some(NotShown));
        assert_eq!(together(&[NotShown, DoesNotHold]), Some(DoesNotHold));
        assert_eq!(together(&[Holds, DoesNotHold]), Some(Depends));
        assert_eq!(together(&[Holds, NotShown]), Some(Depends));
        assert_eq!(short(0.000123), "1.2e-4");
        assert_eq!(
            (signed(1.234), signed(-0.5), signed(f64::INFINITY)),
            ("+1.23".into(), "-0.500".into(), "+∞".into())
        );
    }
}
