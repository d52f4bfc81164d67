//! Verdicts: each claim of the paper against what was found, with the numbers.
//!
//! A claim is a sign: one estimate, or one learner, is ahead of another. It is tested at every level (sample size or
//! checkpoint) and over all of them together. It holds where the whole says so and no level says the contrary.

use crate::arm::Arm;
use crate::results::Results;
use crate::spec::{Convergence, Experiment, Spec};
use crate::statistics::Clustered;
use crate::summary::{Metric, NO_DIFFERENCE, PairedTest, Samples, Summary, is_run};
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
    /// One an arm.
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
    /// The evidence.
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

/// All verdicts of a study.
pub fn verdicts(spec: &Spec, results: &Results, summary: &Summary) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    if let Some(convergence) = &spec.convergence {
        verdicts.extend(speed(spec, convergence, results, summary));
    }
    for (at, experiment) in spec.experiments.iter().enumerate() {
        let samples = Samples::new(spec, results, at, experiment);
        if !samples.is_empty() {
            verdicts.extend(estimates(spec, experiment, &samples, summary));
        }
    }
    verdicts
}

fn speed(
    spec: &Spec,
    convergence: &Convergence,
    results: &Results,
    summary: &Summary,
) -> Vec<Verdict> {
    let label = |name: &str| {
        let arm = convergence.arms.iter().find(|arm| arm.name == name);
        arm.map_or(name, |arm| arm.label()).to_string()
    };
    let step = |name: &str| {
        summary
            .curves
            .iter()
            .find(|c| c.arm == name)
            .and_then(|c| c.step)
    };
    let mut verdicts = Vec::new();
    for claim in &convergence.claims {
        let mut findings = Vec::new();
        for slower in &claim.slower {
            for (unit, by_passes) in [("iterations", false), ("passes over the states", true)] {
                let mut levels = Vec::new();
                let mut together = Vec::new();
                for (nth, checkpoint) in convergence.checkpoints.iter().enumerate() {
                    let at = |name: &str, record: &crate::ConvergenceRecord| {
                        let run = record
                            .runs
                            .iter()
                            .find(|run| is_run(run, name, step(name)))?;
                        let values = if by_passes {
                            &run.by_passes
                        } else {
                            &run.by_iterations
                        };
                        values.get(nth).copied()
                    };
                    let gains = results.convergence().filter_map(|((truth, _), record)| {
                        let gain = at(&claim.faster, record)? - at(slower, record)?;
                        Some(Clustered {
                            cluster: truth,
                            value: if gain.abs() < NO_DIFFERENCE {
                                0.0
                            } else {
                                gain
                            },
                        })
                    });
                    let gains: Vec<Clustered> = gains.collect();
                    if !gains.is_empty() {
                        levels.push((
                            format!("after {checkpoint}"),
                            PairedTest::new(&gains, spec.seed),
                        ));
                        together.extend(gains);
                    }
                }
                if !together.is_empty() {
                    let whole = PairedTest::new(&together, spec.seed);
                    let subject = format!("against {}, by {unit}", label(slower));
                    findings.push(finding(spec, subject, "all checkpoints", &whole, &levels));
                }
            }
        }
        let about = format!(
            "{} truths × {} starts, T = {}",
            convergence.truths, convergence.starts, convergence.rows
        );
        verdicts.extend(Verdict::new(&claim.claim, about, findings));
    }
    verdicts
}

fn estimates(
    spec: &Spec,
    experiment: &Experiment,
    samples: &Samples<'_>,
    summary: &Summary,
) -> Vec<Verdict> {
    let closer = if experiment.data.is_some() {
        "LME foretells rows held out better than MLE"
    } else {
        "LME has a lower cross entropy to the truth than MLE"
    };
    let label = |name: &str| spec.arm(name).map_or(name, |arm| arm.label()).to_string();
    let mut verdicts = Vec::new();
    let claims = [
        (
            "MLE has the higher log-likelihood (by construction)",
            Metric::LogLikelihood,
        ),
        (
            "LME has the higher entropy (by construction)",
            Metric::Entropy,
        ),
        (closer, Metric::Loss),
    ];
    for (claim, metric) in claims {
        let findings = experiment.arms.iter().filter_map(|arm| {
            let paired = summary.paired_of(&experiment.name, metric, arm);
            let (whole, levels) = paired.split_last()?;
            let levels: Vec<(String, PairedTest)> = levels
                .iter()
                .map(|p| (format!("T={}", p.rows.unwrap_or(0)), p.test))
                .collect();
            Some(about_arm(spec, arm, "all T", &whole.test, &levels))
        });
        verdicts.extend(Verdict::new(claim, &experiment.title, findings.collect()));
    }
    if let [smallest, .., largest] = experiment.rows[..] {
        let trends = experiment.arms.iter().filter_map(|arm| {
            let fallen = fall(samples, arm, smallest, largest)?;
            let test = PairedTest::new(&fallen, spec.seed);
            Some(about_arm(
                spec,
                arm,
                &format!("T={smallest} less T={largest}"),
                &test,
                &[],
            ))
        });
        let claim = format!("LME's advantage is larger at T = {smallest} than at T = {largest}");
        verdicts.extend(Verdict::new(claim, &experiment.title, trends.collect()));
        let last = experiment.arms.iter().filter_map(|arm| {
            let paired = summary.paired_of(&experiment.name, Metric::Loss, arm);
            let at = paired.iter().find(|p| p.rows == Some(largest))?;
            Some(about_arm(spec, arm, &format!("T={largest}"), &at.test, &[]))
        });
        let claim = format!("LME's advantage is still there at T = {largest}");
        verdicts.extend(Verdict::new(claim, &experiment.title, last.collect()));
    }
    if let Some((reference, others)) = experiment.arms.split_first() {
        let findings = others.iter().filter_map(|arm| {
            let of = |p: &&crate::Paired| {
                p.experiment == experiment.name && p.first.0 == *arm && p.second.0 == *reference
            };
            let paired: Vec<&crate::Paired> = summary.paired.iter().filter(of).collect();
            let (whole, levels) = paired.split_last()?;
            let levels: Vec<(String, PairedTest)> = levels
                .iter()
                .map(|p| (format!("T={}", p.rows.unwrap_or(0)), p.test))
                .collect();
            Some(finding(spec, label(arm), "all T", &whole.test, &levels))
        });
        let claim = format!(
            "Beyond the paper: the estimate of another arm has a lower loss than LME {}",
            label(reference)
        );
        verdicts.extend(Verdict::new(claim, &experiment.title, findings.collect()));
    }
    verdicts
}

/// By how much LME's advantage in loss falls from the smallest to the largest T, trial by trial.
fn fall(
    samples: &Samples<'_>,
    arm: &str,
    smallest: usize,
    largest: usize,
) -> Option<Vec<Clustered>> {
    let advantages = samples.advantages(Metric::Loss, (arm, "lme"), (arm, "mle"))?;
    let at = |rows: usize| advantages.iter().filter(move |(s, _)| s.rows == rows);
    let falls = at(smallest).filter_map(|(small, before)| {
        let same = |(s, _): &&(&crate::summary::Sample, f64)| {
            s.cluster == small.cluster && s.trial == small.trial
        };
        let (_, after) = at(largest).find(same)?;
        Some(Clustered {
            cluster: small.cluster,
            value: before - after,
        })
    });
    let falls: Vec<Clustered> = falls.collect();
    (!falls.is_empty()).then_some(falls)
}

/// A finding about LME and MLE of one arm.
fn about_arm(
    spec: &Spec,
    name: &str,
    whole_name: &str,
    whole: &PairedTest,
    levels: &[(String, PairedTest)],
) -> Finding {
    let arm = spec.arm(name);
    let label = arm.map_or(name, |arm| arm.label()).to_string();
    Finding {
        counts: arm.is_none_or(Arm::is_unpenalised),
        ..finding(spec, label, whole_name, whole, levels)
    }
}

fn finding(
    spec: &Spec,
    subject: String,
    name: &str,
    whole: &PairedTest,
    levels: &[(String, PairedTest)],
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

fn ruling(significance: f64, whole: &PairedTest, levels: &[(String, PairedTest)]) -> Ruling {
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
