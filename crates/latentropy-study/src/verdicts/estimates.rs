//! Verdicts on estimates: LME against MLE, and other arms against the first, in one experiment.

use super::{Finding, Tested, Verdict, finding};
use crate::arm::Arm;
use crate::spec::{Experiment, Spec};
use crate::statistics::Clustered;
use crate::summary::{Metric, Paired, PairedTest, Sample, Samples, Summary};

/// What the claims about one experiment's estimates are judged by.
pub(super) struct Estimates<'a> {
    pub(super) spec: &'a Spec,
    pub(super) experiment: &'a Experiment,
    pub(super) samples: &'a Samples<'a>,
    pub(super) summary: &'a Summary,
}

impl Estimates<'_> {
    /// The paper's claims, then what goes beyond them.
    pub(super) fn verdicts(&self) -> Vec<Verdict> {
        let closer = if self.experiment.data.is_some() {
            "LME foretells rows held out better than MLE"
        } else {
            "LME has a lower cross entropy to the truth than MLE"
        };
        let likelier = "MLE has the higher log-likelihood (by construction)";
        let wider = "LME has the higher entropy (by construction)";
        let mut verdicts = vec![
            self.ahead(likelier, Metric::LogLikelihood),
            self.ahead(wider, Metric::Entropy),
            self.ahead(closer, Metric::Loss),
        ];
        if let [smallest, .., largest] = self.experiment.rows[..] {
            verdicts.push(self.larger_at(smallest, largest));
            verdicts.push(self.still_there(largest));
        }
        verdicts.push(self.other_arms());
        verdicts.into_iter().flatten().collect()
    }

    fn verdict(&self, claim: impl Into<String>, findings: Vec<Finding>) -> Option<Verdict> {
        Verdict::new(claim, &self.experiment.title, findings)
    }

    /// One estimate of an arm ahead of the other, at all T together and at each.
    fn ahead(&self, claim: &str, metric: Metric) -> Option<Verdict> {
        let findings = self.experiment.arms.iter().filter_map(|arm| {
            let paired = self.summary.paired_of(&self.experiment.name, metric, arm);
            let (whole, levels) = whole_and_levels(&paired)?;
            Some(self.about_arm(arm, "all T", &whole, &levels))
        });
        self.verdict(claim, findings.collect())
    }

    /// The advantage in loss falls from the smallest to the largest T.
    fn larger_at(&self, smallest: usize, largest: usize) -> Option<Verdict> {
        let findings = self.experiment.arms.iter().filter_map(|arm| {
            let fallen = self.fall(arm, smallest, largest)?;
            let test = PairedTest::new(&fallen, self.spec.seed);
            let name = format!("T={smallest} less T={largest}");
            Some(self.about_arm(arm, &name, &test, &[]))
        });
        let claim = format!("LME's advantage is larger at T = {smallest} than at T = {largest}");
        self.verdict(claim, findings.collect())
    }

    /// The advantage in loss at the largest T.
    fn still_there(&self, largest: usize) -> Option<Verdict> {
        let findings = self.experiment.arms.iter().filter_map(|arm| {
            let paired = self
                .summary
                .paired_of(&self.experiment.name, Metric::Loss, arm);
            let at = paired.iter().find(|p| p.rows == Some(largest))?;
            Some(self.about_arm(arm, &format!("T={largest}"), &at.test, &[]))
        });
        let claim = format!("LME's advantage is still there at T = {largest}");
        self.verdict(claim, findings.collect())
    }

    /// Other arms ahead of the first one.
    fn other_arms(&self) -> Option<Verdict> {
        let (reference, others) = self.experiment.arms.split_first()?;
        let name = &self.experiment.name;
        let findings = others.iter().filter_map(|arm| {
            let of = |p: &&Paired| {
                p.experiment == *name && p.first.0 == *arm && p.second.0 == *reference
            };
            let paired: Vec<&Paired> = self.summary.paired.iter().filter(of).collect();
            let (whole, levels) = whole_and_levels(&paired)?;
            Some(finding(
                self.spec,
                self.label(arm),
                "all T",
                &whole,
                &levels,
            ))
        });
        let claim = format!(
            "Beyond the paper: the estimate of another arm has a lower loss than LME {}",
            self.label(reference)
        );
        self.verdict(claim, findings.collect())
    }

    fn label(&self, arm: &str) -> String {
        let found = self.spec.arm(arm);
        found.map_or(arm, |arm| arm.label()).to_string()
    }

    /// By how much LME's advantage in loss falls from the smallest to the largest T, trial by trial.
    fn fall(&self, arm: &str, smallest: usize, largest: usize) -> Option<Vec<Clustered>> {
        let advantages = self
            .samples
            .advantages(Metric::Loss, (arm, "lme"), (arm, "mle"))?;
        let at = |rows: usize| advantages.iter().filter(move |(s, _)| s.rows == rows);
        let falls = at(smallest).filter_map(|(small, before)| {
            let same =
                |(s, _): &&(&Sample, f64)| s.cluster == small.cluster && s.trial == small.trial;
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
        &self,
        name: &str,
        tested: &str,
        whole: &PairedTest,
        levels: &[Tested],
    ) -> Finding {
        Finding {
            counts: self.spec.arm(name).is_none_or(Arm::is_unpenalised),
            ..finding(self.spec, self.label(name), tested, whole, levels)
        }
    }
}

/// Tests by rising T and the one of all together, which comes last.
fn whole_and_levels(paired: &[&Paired]) -> Option<(PairedTest, Vec<Tested>)> {
    let (whole, levels) = paired.split_last()?;
    let named = |p: &&Paired| (format!("T={}", p.rows.unwrap_or(0)), p.test);
    Some((whole.test, levels.iter().map(named).collect()))
}
