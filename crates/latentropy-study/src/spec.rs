//! A study's settings: what is fitted to what, how often and how; read from TOML, unknown keys refused.

use crate::arm::Arm;
use latentropy::network::{Shape, TermOptions};
use latentropy::random::Digest;
use latentropy::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::Path;

/// The paper's experiments and what goes beyond them.
pub const PAPER: &str = include_str!("paper.toml");
/// The same in a few seconds.
pub const QUICK: &str = include_str!("quick.toml");

/// Machines up to this many units are summed state by state when an estimate is compared with its truth.
pub(crate) const MOST_UNITS: usize = 24;

/// Everything that a study does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// What reports call it.
    pub title: String,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Losses above this, in nats, are counted.
    #[serde(default = "one")]
    pub threshold: f64,
    /// Differences whose p-value is above this count as chance.
    #[serde(default = "five_percent")]
    pub significance: f64,
    /// The comparison of learners, step by step.
    #[serde(default)]
    pub convergence: Option<Convergence>,
    /// The ways to make estimates.
    #[serde(default, rename = "arm")]
    pub arms: Vec<Arm>,
    /// The comparisons of estimates.
    #[serde(default, rename = "experiment")]
    pub experiments: Vec<Experiment>,
}

/// Learners from the same starts on the same rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Convergence {
    /// Where the rows come from.
    pub truth: Truth,
    /// What is learned.
    pub fitted: Fitted,
    /// How many truths, each with its own rows.
    pub truths: usize,
    /// Rows per truth.
    pub rows: usize,
    /// Starts per truth; the first one of the first truth is drawn.
    pub starts: usize,
    /// Iterations of every learner.
    pub iterations: usize,
    /// Learners are compared after so many iterations, and after so many passes over the states.
    pub checkpoints: Vec<usize>,
    /// The learners.
    #[serde(rename = "arm")]
    pub arms: Vec<Arm>,
    /// Who is said to be faster than whom.
    #[serde(default, rename = "claim")]
    pub claims: Vec<SpeedClaim>,
}

/// A claim about two learners.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeedClaim {
    /// In words.
    pub claim: String,
    /// The arm said to be faster.
    pub faster: String,
    /// The arms said to be slower.
    pub slower: Vec<String>,
}

/// A random machine: independent normal weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Truth {
    /// Visible units.
    pub visible: usize,
    /// Hidden units.
    pub hidden: usize,
    /// Which pairs have a term.
    #[serde(default)]
    pub shape: Shape,
    /// Whether units have biases.
    #[serde(default)]
    pub bias: bool,
    /// Standard deviation of the weights.
    #[serde(default = "one")]
    pub scale: f64,
}

/// Real rows: some are learned from, the others score the estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// `house-votes-84`, which is built in, or a data file.
    pub file: String,
    /// The columns; all if empty.
    #[serde(default)]
    pub columns: Vec<String>,
}

/// The machine that is learned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fitted {
    /// Hidden units.
    pub hidden: usize,
    /// Which pairs have a term.
    #[serde(default)]
    pub shape: Shape,
    /// Whether units have biases.
    #[serde(default)]
    pub bias: bool,
}

impl Fitted {
    /// Its terms.
    pub(crate) fn term_options(&self) -> TermOptions {
        pairs(self.shape, self.bias)
    }
}

/// One comparison of estimates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// A short name: letters, digits, `-` and `+`.
    pub name: String,
    /// What reports call it.
    pub title: String,
    /// Which figures of the paper show it.
    #[serde(default)]
    pub figures: Vec<u32>,
    /// Random machines that the rows are drawn from …
    #[serde(default)]
    pub truth: Option<Truth>,
    /// … or real rows.
    #[serde(default)]
    pub data: Option<Source>,
    /// What is learned.
    pub fitted: Fitted,
    /// How many truths; 1 for real rows.
    #[serde(default = "one_truth")]
    pub truths: usize,
    /// Samples per truth and size.
    pub trials: usize,
    /// Sample sizes T.
    pub rows: Vec<usize>,
    /// Restarts, where an arm does not say otherwise.
    pub restarts: usize,
    /// Names of arms.
    pub arms: Vec<String>,
}

fn one() -> f64 {
    1.0
}

fn five_percent() -> f64 {
    0.05
}

fn one_truth() -> usize {
    1
}

impl Spec {
    /// Reads and checks a spec; `path` is what messages call it.
    pub fn parse(text: &str, path: &Path) -> Result<Self> {
        let spec: Spec = toml::from_str(text).map_err(|error| {
            let line = error
                .span()
                .map(|span| 1 + text[..span.start.min(text.len())].matches('\n').count());
            let remedy = "correct it (`latentropy reproduce --print-spec` prints a complete spec)";
            // Its own message may run over several lines; a message here is one.
            let problem = error.message().replace('\n', " ");
            Error::file(
                path,
                line.map(|line| format!("line {line}")),
                problem,
                remedy,
            )
        })?;
        spec.check()
            .map_err(|problem| Error::file(path, None, problem, "correct it in the spec"))?;
        Ok(spec)
    }

    /// The arm of this name.
    pub fn arm(&self, name: &str) -> Option<&Arm> {
        self.arms.iter().find(|arm| arm.name == name)
    }

    /// The experiment of this name.
    pub fn experiment(&self, name: &str) -> Option<&Experiment> {
        self.experiments.iter().find(|e| e.name == name)
    }

    /// What a result depends on: the settings, the seed and this program's version.
    pub fn fingerprint(&self) -> Result<String> {
        let text = serde_json::to_string(self)
            .map_err(|error| Error::failed(format!("cannot write the spec: {error}")))?;
        let mut digest = Digest::default();
        digest.eat(text.as_bytes());
        digest.eat(env!("CARGO_PKG_VERSION").as_bytes());
        Ok(format!("{:016x}", digest.value()))
    }

    fn check(&self) -> std::result::Result<(), String> {
        if !(self.threshold.is_finite() && self.threshold > 0.0) {
            return Err(format!("threshold must be above 0, not {}", self.threshold));
        }
        if !(self.significance > 0.0 && self.significance < 1.0) {
            let value = self.significance;
            return Err(format!(
                "significance must lie between 0 and 1, not {value}"
            ));
        }
        distinct("arm", self.arms.iter().map(|arm| arm.name.as_str()))?;
        for arm in &self.arms {
            arm.check()?;
            if arm.steps.len() > 1 {
                return Err(format!(
                    "arm \"{}\" has {} steps; only an arm of [convergence] may try several",
                    arm.name,
                    arm.steps.len()
                ));
            }
        }
        distinct(
            "experiment",
            self.experiments.iter().map(|e| e.name.as_str()),
        )?;
        for experiment in &self.experiments {
            let named = |problem| format!("experiment \"{}\": {problem}", experiment.name);
            self.check_experiment(experiment).map_err(named)?;
        }
        if let Some(convergence) = &self.convergence {
            convergence
                .check()
                .map_err(|problem| format!("convergence: {problem}"))?;
        }
        if self.experiments.is_empty() && self.convergence.is_none() {
            return Err("there is neither an [[experiment]] nor a [convergence]".to_string());
        }
        match self.cells() {
            cells if cells > MOST_CELLS => Err(format!(
                "there are {cells} cells; at most {MOST_CELLS}: lower trials, truths, rows or arms"
            )),
            _ => Ok(()),
        }
    }

    /// How many cells it has; no more than can be counted.
    fn cells(&self) -> usize {
        let of_experiment = |e: &Experiment| {
            let factors = [e.truths, e.trials, e.rows.len(), e.arms.len()];
            factors.into_iter().fold(1_usize, usize::saturating_mul)
        };
        let learners = self.convergence.as_ref();
        let learners = learners.map_or(0, |c| c.truths.saturating_mul(c.starts));
        let all = self.experiments.iter().map(of_experiment);
        all.fold(learners, usize::saturating_add)
    }

    fn check_experiment(&self, experiment: &Experiment) -> std::result::Result<(), String> {
        match (&experiment.truth, &experiment.data) {
            (Some(truth), None) => truth.check(experiment.fitted.hidden)?,
            (None, Some(_)) if experiment.truths != 1 => {
                return Err("real rows have no truths to vary; leave `truths` out".to_string());
            }
            (None, Some(_)) => {}
            _ => return Err("give either `truth` or `data`".to_string()),
        }
        positive("truths", experiment.truths)?;
        positive("trials", experiment.trials)?;
        positive("restarts", experiment.restarts)?;
        sizes("rows", &experiment.rows)?;
        if experiment.arms.is_empty() {
            return Err("`arms` is empty".to_string());
        }
        distinct("arm", experiment.arms.iter().map(String::as_str))?;
        match experiment.arms.iter().find(|name| self.arm(name).is_none()) {
            Some(name) => {
                let known: Vec<&str> = self.arms.iter().map(|arm| arm.name.as_str()).collect();
                Err(format!(
                    "there is no arm \"{name}\"; there are {}",
                    known.join(", ")
                ))
            }
            None => Ok(()),
        }
    }
}

impl Convergence {
    fn check(&self) -> std::result::Result<(), String> {
        self.truth.check(self.fitted.hidden)?;
        positive("truths", self.truths)?;
        positive("rows", self.rows)?;
        positive("starts", self.starts)?;
        positive("iterations", self.iterations)?;
        sizes("checkpoints", &self.checkpoints)?;
        let names = || self.arms.iter().map(|arm| arm.name.as_str());
        distinct("arm", names())?;
        self.arms.iter().try_for_each(Arm::check_in_convergence)?;
        for claim in &self.claims {
            for name in claim.slower.iter().chain([&claim.faster]) {
                if !names().any(|known| known == name) {
                    return Err(format!(
                        "a claim names the arm \"{name}\", which is not there"
                    ));
                }
            }
        }
        Ok(())
    }
}

impl Truth {
    /// Its terms.
    pub(crate) fn term_options(&self) -> TermOptions {
        pairs(self.shape, self.bias)
    }

    fn check(&self, fitted_hidden: usize) -> std::result::Result<(), String> {
        positive("visible", self.visible)?;
        if !(0.0..=LARGEST_SCALE).contains(&self.scale) {
            return Err(format!(
                "scale must lie between 0 and {LARGEST_SCALE}, not {}",
                self.scale
            ));
        }
        let units = self.visible.saturating_add(self.hidden.max(fitted_hidden));
        if units > MOST_UNITS {
            return Err(format!(
                "{units} units are too many to compare a machine with its truth; at most {MOST_UNITS}"
            ));
        }
        Ok(())
    }
}

/// Machines of studies have pairs, as in the paper, and biases where these are asked for.
fn pairs(shape: Shape, bias: bool) -> TermOptions {
    TermOptions {
        shape,
        bias,
        order: 2,
    }
}

/// Most of anything that a study counts; one that asks for more would never end.
const MOST: usize = 10_000_000;
/// Most cells in all.
const MOST_CELLS: usize = 1_000_000;
/// Most names in a list, and letters in a name.
const MOST_NAMES: usize = 1000;
/// The largest standard deviation of weights.
const LARGEST_SCALE: f64 = 1e6;

fn positive(name: &str, value: usize) -> std::result::Result<(), String> {
    if value == 0 {
        return Err(format!("{name} must be at least 1"));
    }
    if value > MOST {
        return Err(format!("{name} must be at most {MOST}, not {value}"));
    }
    Ok(())
}

fn sizes(name: &str, values: &[usize]) -> std::result::Result<(), String> {
    let rising = values.windows(2).all(|pair| pair[0] < pair[1]);
    if values.is_empty() || values[0] == 0 || !rising {
        return Err(format!(
            "{name} must be whole numbers from 1 on, each larger than the one before"
        ));
    }
    if values.len() > MOST_NAMES {
        let count = values.len();
        return Err(format!("{name} has {count} entries; at most {MOST_NAMES}"));
    }
    values.iter().try_for_each(|&value| positive(name, value))
}

/// Names become parts of file names and of cells' names.
fn distinct<'a>(
    what: &str,
    names: impl Iterator<Item = &'a str>,
) -> std::result::Result<(), String> {
    let mut seen = HashSet::new();
    for name in names {
        if name.len() > MOST_NAMES || seen.len() >= MOST_NAMES {
            return Err(format!(
                "there are at most {MOST_NAMES} {what}s, with names of at most {MOST_NAMES} letters"
            ));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "-+.".contains(c);
        if name.is_empty() || !name.chars().all(plain) {
            return Err(format!(
                "the {what} name \"{name}\" must be made of letters, digits, -, + and ."
            ));
        }
        if !seen.insert(name) {
            return Err(format!("two {what}s are named \"{name}\""));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_specs_that_ship_are_valid_and_differ() {
        let paper = Spec::parse(PAPER, Path::new("paper.toml")).unwrap();
        let quick = Spec::parse(QUICK, Path::new("quick.toml")).unwrap();
        assert_ne!(paper.fingerprint().unwrap(), quick.fingerprint().unwrap());
        for figure in 3..=7 {
            assert!(
                paper
                    .experiments
                    .iter()
                    .any(|e| e.figures.contains(&figure))
            );
            assert!(
                quick
                    .experiments
                    .iter()
                    .any(|e| e.figures.contains(&figure))
            );
        }
        assert!(paper.convergence.is_some() && quick.convergence.is_some());
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let refused = |text: &str, parts: &[&str]| {
            let message = Spec::parse(text, Path::new("s.toml"))
                .unwrap_err()
                .to_string();
            for part in parts {
                assert!(message.contains(part), "`{part}` is not in `{message}`");
            }
            assert!(!message.contains('\n'), "{message}");
        };
        refused(
            "title = \"t\"\nseed = 1\nsed = 2\n",
            &["s.toml, line 3", "`sed`", "`seed`"],
        );
        refused("title = \"t\"\nseed = -1\n", &["line 2"]);
        refused("title = \"t\"\nseed = 1\n", &["neither"]);
        refused("title = \n", &["line 1"]);
        let arm = "title = \"t\"\nseed = 1\n[[arm]]\nname = \"a\"\nlearner = \"em-iss\"\n";
        refused(arm, &["line 5", "em-iss", "em-is, em-gis"]);
        let experiment = "title = \"t\"\nseed = 1\n[[arm]]\nname = \"a\"\n[[experiment]]\nname = \"e\"\ntitle = \"e\"\n\
                          fitted = { hidden = 1 }\ntruth = { visible = 3, hidden = 1 }\ntrials = 1\nrestarts = 2\n";
        refused(
            &format!("{experiment}rows = [10]\narms = [\"b\"]\n"),
            &["\"e\"", "no arm \"b\"", "there are a"],
        );
        refused(
            &format!("{experiment}rows = [10, 5]\narms = [\"a\"]\n"),
            &["rows must be"],
        );
        refused(
            &format!("{experiment}rows = [10]\narms = [\"a\"]\n[[experiment]]\nname = \"x y\""),
            &["line"],
        );
    }
}
