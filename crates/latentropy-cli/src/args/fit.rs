//! Arguments of `fit`.

use super::choices::{
    ResampleChoice, RuleChoice, engines_to_learn, learners, table_of_learners_and_engines,
};
use super::{DataArgs, EngineArg, LearnerArg, RunArgs, ShardArgs, WeightArgs, values};
use clap::Args;
use latentropy::Request;
use latentropy::fit::{Hidden, Ridge, Search, Select};
use latentropy::learning::OptionValue;
use latentropy_report::fit::Grid;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

const EXAMPLES: &str = "\
Examples:
  Two latent causes behind votes, the column of words left out:
    latentropy fit votes.csv --columns '!party' --hidden 2 --ridge 1 --out run

  The paper's setting: every pair, no biases, no ridge, EM-IS with S = 4, 100 random starts:
    latentropy fit data.csv --hidden 3 --paper

  Nothing chosen by hand: the number of hidden units and the ridge by cross-validation:
    latentropy fit votes.csv --columns '!party' --hidden 0..3 --ridge auto

  How far to trust it: standard errors, and 200 refits to rows drawn anew:
    latentropy fit votes.csv --columns '!party' --hidden 1 --ridge 1 --bootstrap 200

  A restricted machine too large for exact sums, by Gibbs chains in mini-batches:
    latentropy fit digits.csv --hidden 64 --shape rbm --engine gibbs --batch 10 --ridge 0

  The same, stopped by a fifth of the rows, which it is not learned from:
    latentropy fit digits.csv --hidden 64 --shape rbm --engine gibbs --batch 10 --validation 0.2 \
      --trace curve.csv

  Columns that are the pixels of images of 8 rows and 8 columns; the report shows weights as images:
    latentropy fit digits.csv --hidden 64 --shape rbm --validation 0.2 --image 8x8 --out run

  One of eight shares, on whatever machine; `latentropy merge run` puts them together:
    latentropy fit votes.csv --columns '!party' --hidden 3 --restarts 800 --search restarts --shard 3/8 --out run

  A restricted machine, which stays exact with many more units:
    latentropy fit baskets.csv --hidden 12 --shape rbm --restarts 20 --ridge 1

--out DIR writes:
  model.json      the chosen machine, for infer, score, sample, impute and convert
  candidates.csv  every restart's result, one row each
  candidates.jsonl  the weights that every restart began at and ended with, one line each, in the
                  order of model.json's terms
  start.json      the weights that the chosen machine's restart began at, for --start
  weights.csv     every weight of the chosen machine, one row each: units, weight, standard error,
                  the weight in the {-1,+1} view, whether it is at the edge of the box
  run.json        settings, version, seed, data fingerprint, timings, and the uncertainty of
                  every weight of the chosen machine
  report.html     all of this in pictures and words, in one file; what it needs beyond the
                  other files is in report.json
All files appear together once the run is done, and carry its name; a run that is stopped leaves
the files of the run before, and a journal (restarts.jsonl) to go on with.

If no restart meets the constraints of the data within --tol, the best of the unfinished ones
is still shown and written, with a warning and \"selected_is_feasible\": false.";

/// The most numbers of hidden units that one run compares.
const MOST_SIZES: usize = 100;

/// How many hidden units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HiddenArg(pub(crate) Hidden);

impl FromStr for HiddenArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(count) = text.parse() {
            return Ok(HiddenArg(Hidden::One(count)));
        }
        let refused = || {
            "must be a whole number of at least 0, a range such as 0..5 (0 to 5), or a list such \
             as 1,2,4"
                .to_string()
        };
        let number = |part: &str| part.parse::<usize>().map_err(|_| refused());
        let range = ["..=", "..", "-"]
            .iter()
            .find_map(|between| text.split_once(between));
        let sizes = match range {
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if first > last || last - first >= MOST_SIZES {
                    return Err(format!(
                        "a range goes from fewer to more, over at most {MOST_SIZES} numbers"
                    ));
                }
                (first..=last).collect()
            }
            None if text.contains(',') => text.split(',').map(number).collect::<Result<_, _>>()?,
            None => return Err(refused()),
        };
        Ok(HiddenArg(Hidden::Several(sizes)))
    }
}

/// The ridge: a number, or how to choose it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RidgeArg(pub(crate) Ridge);

impl FromStr for RidgeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(RidgeArg(Ridge::CrossValidated)),
            "evidence" => Ok(RidgeArg(Ridge::Evidence)),
            _ => match values::not_negative(text) {
                Ok(ridge) => Ok(RidgeArg(Ridge::Value(ridge))),
                Err(_) => Err("must be a number of at least 0, `evidence` or `auto`".to_string()),
            },
        }
    }
}

impl fmt::Display for RidgeArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Ridge::Value(ridge) => write!(f, "{ridge}"),
            Ridge::CrossValidated => f.write_str("auto"),
            Ridge::Evidence => f.write_str("evidence"),
        }
    }
}

/// Rows kept for validation: a fraction, or else a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ValidationArg {
    Fraction(f64),
    File(PathBuf),
}

impl FromStr for ValidationArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<f64>() {
            Ok(share) if share > 0.0 && share < 1.0 => Ok(ValidationArg::Fraction(share)),
            Ok(_) => Err("must be a file or a fraction between 0 and 1, such as 0.2".to_string()),
            Err(_) if text.is_empty() => Err("must name a file or a fraction".to_string()),
            Err(_) => Ok(ValidationArg::File(text.into())),
        }
    }
}

/// The step rule of `em-gradient`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StepArg(pub(crate) OptionValue);

impl FromStr for StepArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "controlled" => Ok(StepArg(OptionValue::Word(text.to_string()))),
            _ => match values::positive(text) {
                Ok(step) => Ok(StepArg(OptionValue::Number(step))),
                Err(_) => Err("must be `controlled` or a number above 0".to_string()),
            },
        }
    }
}

/// Examples, files, and the table of what goes with what.
fn after_help() -> String {
    format!("{EXAMPLES}\n\n{}", table_of_learners_and_engines())
}

/// Arguments of `fit`.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,

    #[command(flatten)]
    pub(crate) weights: WeightArgs,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) machine: MachineArgs,

    #[command(flatten)]
    pub(crate) learning: LearningArgs,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    #[command(flatten)]
    pub(crate) uncertainty: UncertaintyArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) share: ShardArgs,
}

/// Which machine to learn.
#[derive(Debug, Args)]
#[command(next_help_heading = "Machine")]
pub(crate) struct MachineArgs {
    /// How many hidden units; 0 only learns the visible ones; 0..5 chooses from 0 to 5 by
    /// cross-validation [default: as many as pay on rows held out].
    ///
    /// A range (0..5, both ends included) or a list (1,2,4) compares each machine by the mean
    /// log-likelihood of rows that it was not learned from, and fits the one with the fewest weights
    /// that is within one standard error of the best, or within half a nat over all rows; each has
    /// its own ridge. Without --hidden, units are added one at a time, up to 8, as long as one gains
    /// more than that; without --shape too, independent columns, visible pairs, rbm and full machines
    /// are compared.
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    pub(crate) hidden: Option<HiddenArg>,

    /// Which units are connected: full (every pair), rbm (visible–hidden), semi-restricted (rbm and
    /// visible–visible), screened (semi-restricted with associated columns only), visible (no
    /// hidden unit), independent (biases alone), a FILE that lists the terms, or paths:GRAPH
    /// [default: full; without --hidden, what foretells rows held out best].
    ///
    /// screened keeps a pair of columns where their 2 × 2 table shows an association: where no two columns are
    /// associated, the chance that it keeps any pair is one in a hundred. It is for many columns and few
    /// rows, where most pairs would learn noise.
    ///
    /// A FILE has one term a line, its units' names separated by blanks (`#` starts a comment), or
    /// is JSON: a model, or {"terms": [{"units": ["a", "z1"]}, …]}. Hidden units are z1, z2, …
    ///
    /// paths:GRAPH has a term for every path of up to --order units of a graph: full, rbm, semi-restricted
    /// or a FILE with one edge a line. A path visits no unit twice; paths through the same units are one
    /// term.
    ///
    /// A list (rbm,full) compares shapes as a range of --hidden compares sizes.
    #[arg(long, value_name = "SHAPE|LIST|FILE")]
    pub(crate) shape: Option<String>,

    /// Give the units no biases [default: every unit has one].
    #[arg(long)]
    pub(crate) no_bias: bool,

    /// The most units in a term: 2 for pairs, 3 and more for higher-order machines [default: 2].
    #[arg(long, value_name = "K", value_parser = values::order, allow_negative_numbers = true)]
    pub(crate) order: Option<usize>,
}

/// How each restart learns.
#[derive(Debug, Args)]
#[command(next_help_heading = "Learning")]
pub(crate) struct LearningArgs {
    /// How to learn: auto is em-is for a while, then second-order steps; a named learner goes all
    /// the way itself.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = learners())]
    pub(crate) learner: LearnerArg,

    /// How many M-step updates follow each E step of an EM learner [default: 4].
    #[arg(long, value_name = "S", value_parser = values::count, allow_negative_numbers = true)]
    pub(crate) inner: Option<usize>,

    /// Step of em-gradient: `controlled` never lowers the objective, a number is a fixed multiple
    /// of the gradient [default: controlled].
    #[arg(long, value_name = "RULE", allow_negative_numbers = true)]
    pub(crate) step: Option<StepArg>,

    /// How to sum over states; what is not exact learns its own estimate or bound of the likelihood,
    /// and says so. A bound on log Z is one on the likelihood from the other side.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = engines_to_learn())]
    pub(crate) engine: EngineArg,

    /// Ridge: subtract A/(2 rows) Σ pair² from the mean log-likelihood, so that no weight runs off to
    /// infinity. 0 is the principle as printed; evidence and auto choose A from the data.
    ///
    /// It is on interactions alone, so that the answer does not depend on which answer is called 1;
    /// biases have a weak ridge of their own (--bias-ridge). With --no-bias it is on all weights.
    ///
    /// evidence takes the A under which the data are most likely, the weights being normal with
    /// variance 1/A and summed out (by Laplace's approximation): a few fits, and on synthetic truths
    /// as good as cross-validation or better (docs/decisions.md). Machines of more than 30,000 terms
    /// and those learned through an engine without curvature, or by cd or pcd through gibbs, get 1.
    ///
    /// auto tries 0.01 to 100 in half decades on --folds folds, with at most 8 restarts each, and
    /// takes the largest ridge whose held-out log-likelihood is within one standard error (of the
    /// difference, row by row) of the best, or half a nat over all rows. The final fit is then made
    /// on all rows.
    #[arg(long, value_name = "A|evidence|auto", default_value_t = RidgeArg(Request::default().ridge))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) ridge: RidgeArg,

    /// The same for biases, on the log odds of a unit whose neighbours are at their means: it keeps
    /// columns finite that are hardly ever (or nearly always) 1 [default: 0.1, or 0 with --ridge 0].
    #[arg(long, value_name = "B", allow_negative_numbers = true)]
    pub(crate) bias_ridge: Option<f64>,

    /// Keep every interaction within ±B; weights that press against it are reported.
    #[arg(long = "box", value_name = "B", default_value_t = Request::default().bound)]
    #[arg(value_parser = values::positive, allow_negative_numbers = true)]
    pub(crate) bound: f64,

    /// Which update `sequential` makes [default: byrne].
    #[arg(long, value_name = "RULE")]
    pub(crate) rule: Option<RuleChoice>,

    /// How many sweeps cd and pcd sample for each pass over the data [default: 1].
    #[arg(long, value_name = "K", value_parser = values::count, allow_negative_numbers = true)]
    pub(crate) cd_steps: Option<usize>,

    /// How many chains pcd keeps, and EM with --engine gibbs; for cd, about how many start at the rows [default: 100].
    #[arg(long, value_name = "N", value_parser = values::count, allow_negative_numbers = true)]
    pub(crate) chains: Option<usize>,

    /// For quasi-newton by Gibbs chains: converged when every constraint is met within this share of
    /// its own standard error in the data [default: 0.1].
    #[arg(long, value_name = "F", value_parser = values::positive, allow_negative_numbers = true)]
    pub(crate) within: Option<f64>,

    /// Rows in a mini-batch of pcd, for complete rows and machines without pairs of hidden units
    /// (--shape rbm, semi-restricted, visible); a pass is then every row once, with a step after each
    /// batch [default: 1/350 of the rows, from 10 to 100, where neither --learner nor an option of it
    /// is given and such a machine is learned through gibbs; else all rows at once].
    #[arg(long, value_name = "N", value_parser = values::count, allow_negative_numbers = true)]
    pub(crate) batch: Option<usize>,

    /// First step length of cd and pcd; it falls as 1/(1 + pass/--cd-decay) [default: 1; 0.05 with
    /// --batch].
    #[arg(long, value_name = "E", value_parser = values::positive, allow_negative_numbers = true)]
    pub(crate) cd_rate: Option<f64>,

    /// Passes after which the step of cd and pcd has halved [default: 500; 100 with --batch].
    #[arg(long, value_name = "N", value_parser = values::positive, allow_negative_numbers = true)]
    pub(crate) cd_decay: Option<f64>,

    /// Begin each run at a high temperature and cool it (deterministic annealing), in place of a
    /// random start; one run, unless --restarts says otherwise.
    #[arg(long)]
    pub(crate) anneal: bool,

    /// A restart has converged when no constraint is violated by more than E, or than the errors of
    /// its samples [default: 1e-8; 1e-6 with an engine that is not exact].
    #[arg(long, value_name = "E", value_parser = values::tolerance, allow_negative_numbers = true)]
    pub(crate) tol: Option<f64>,

    /// A restart that has not converged after N iterations stops there, and is marked so
    /// [default: 20000; 500 for EM with --engine gibbs; 2000 passes for cd and pcd, 200 with --batch].
    #[arg(long, value_name = "N", value_parser = values::count, allow_negative_numbers = true)]
    pub(crate) max_iter: Option<usize>,
}

/// How many restarts, and how one is chosen.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search and choice")]
pub(crate) struct SearchArgs {
    /// Where restarts begin: restarts (all at random weights), iterated (20 at random, then from the best
    /// solutions), anneal (one cooled run), path (at a large ridge, followed to the one asked for).
    ///
    /// iterated goes on after 20 random starts in rounds of 10 restarts, each of which begins at one
    /// of the best solutions so far with a random share of its weights redrawn, or at two of them crossed.
    /// For the cost of 100 random starts it finds higher entropies than 1000 of them in most problems
    /// (docs/search.md). What is best is what --select ranks by.
    #[arg(long, value_name = "WAY", default_value_t = Request::default().search)]
    #[arg(value_parser = searches())]
    pub(crate) search: Search,

    /// Begin the first restart at the weights of this model FILE, such as start.json or model.json of
    /// another run; it is the only one, unless --restarts says otherwise.
    ///
    /// Units are matched by name; terms that the file does not have begin at zero.
    #[arg(long, value_name = "FILE")]
    pub(crate) start: Option<PathBuf>,

    /// The paper's setting: every pair, no biases, no ridge, EM-IS with S = 4, 100 random starts, the
    /// solution of highest entropy. The paper gives no tolerance: --tol is 1e-4 unless given.
    #[arg(long, conflicts_with_all = [
        "shape", "no_bias", "order", "learner", "inner", "ridge", "bias_ridge", "restarts", "search", "start", "anneal",
        "select",
    ], requires = "hidden")]
    pub(crate) paper: bool,

    /// How many restarts; every one of them is kept as a candidate [default: at most 100 (10 with
    /// an engine that is not exact or --search path, 4 by second-order steps with --engine gibbs, 1 with
    /// --anneal, --start, cd and pcd), fewer where another solution is unlikely].
    ///
    /// The rule of the default: the search ends after 10 restarts if all ended in one solution; after 20
    /// of them, and every 10 from then on, it ends where at most 5 % of the restarts ended in a solution
    /// that no other one met, by Good and Turing's estimate the chance that the next one ends in a new
    /// solution. Without a hidden unit and a missing cell there is one solution, and one start.
    #[arg(long, value_name = "R", value_parser = values::count, allow_negative_numbers = true)]
    pub(crate) restarts: Option<usize>,

    /// The seed of all random starts: the same seed gives the same result.
    #[arg(long, value_name = "N", default_value_t = Request::default().seed)]
    #[arg(value_parser = values::seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// How many folds machines and ridges are compared on, and --select held-out; with fewer rows,
    /// one per row [default: 5].
    #[arg(long, value_name = "K", value_parser = values::folds, allow_negative_numbers = true)]
    pub(crate) folds: Option<usize>,

    /// Rows to judge the machine by, which it does not learn from: a FILE with the same columns, or a
    /// FRACTION of the rows, drawn by --seed.
    ///
    /// cd and pcd look at them 50 times in a run of its full length, at the mean of the weights over about the
    /// last fifth of the passes: at the log-likelihood of the rows (log Z by states that follow the weights, or
    /// by a short annealed run) and at the gap of the mean free energies. After 10 looks that are below the best
    /// one by more than half the error of log Z learning stops, and the weights of the last look that was not
    /// are kept; every number is theirs, and --trace writes the looks. Other learners go to their own
    /// end, and the chosen machine is scored on these rows.
    ///
    /// Where several machines, ridges or principles are to be compared, these rows take the place of the folds:
    /// each is learned once, as suits its size. Without --hidden and --shape, tables of more than 24 columns and 50,000 cells,
    /// none of them missing, are compared in mini-batches: short runs of visible pairs, restricted (16, 50, 150
    /// hidden units), screened (0 to 50) and semi-restricted machines (10, 50), of the chosen one at
    /// smaller or larger ridges, too, and then a long run of that. On smaller tables restricted
    /// machines of 16, 32, 64 and 128 hidden units and semi-restricted ones of 16 and 64 are among the machines where exact
    /// sums would be slower and no cell is missing (with missing cells, visible pairs up to 6,000 terms).
    ///
    /// A FILE is taken at its word: unless --select names a principle, the machine that foretells its rows
    /// best is chosen, or the one with the fewest weights within half a nat over all rows of it (where machines
    /// are learned in mini-batches, within one standard error), and of its solutions the one that does (see --select). With up to 16
    /// columns semi-restricted machines of 4, 8, 12 and 16 hidden units are then among those compared. A FRACTION of the rows
    /// takes the place of the folds alone: the simplest machine within one standard error of the best, and lme.
    #[arg(long, value_name = "FILE|FRACTION", allow_negative_numbers = true)]
    pub(crate) validation: Option<ValidationArg>,

    /// Of the candidates that meet the constraints, choose the one of highest entropy (lme) or of
    /// highest likelihood (mle), or let rows held out decide between the two (held-out): those
    /// of --validation, or folds. By default (auto) it is lme; with --validation FILE it is the
    /// solution that foretells the rows of that file best, or lme's where none is half a nat ahead.
    #[arg(long, value_name = "PRINCIPLE", default_value_t = Request::default().select)]
    #[arg(value_parser = principle())]
    pub(crate) select: Select,
}

/// How far the result is to be trusted.
#[derive(Debug, Args)]
#[command(next_help_heading = "Uncertainty")]
pub(crate) struct UncertaintyArgs {
    /// Refit the chosen machine to B resamples of the data, and report how far its weights, entropy
    /// and log-likelihood spread; 200 for standard errors, 1000 for intervals.
    ///
    /// Each refit begins at the chosen weights, so that it stays with the same solution and hidden
    /// units keep their names. Refits that do not converge are counted and left out. Without it,
    /// standard errors come from the curvature of the likelihood (with a ridge, of the posterior)
    /// at the maximum, which costs nothing.
    #[arg(long, value_name = "B", value_parser = values::resamples, allow_negative_numbers = true)]
    pub(crate) bootstrap: Option<usize>,

    /// Where the resamples of --bootstrap come from [default: rows].
    #[arg(long, value_name = "KIND")]
    pub(crate) bootstrap_kind: Option<ResampleChoice>,
}

/// Where results go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Write model.json, candidates.csv and .jsonl, weights.csv, start.json, run.json and report.html into this directory, made if it is not there.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// The columns in their order are the cells of an image of HEIGHT rows and WIDTH columns, row by row from the upper
    /// left: --image 8x8. The report then shows the weights of every hidden unit and drawn states as images.
    ///
    /// HEIGHT times WIDTH is the number of columns. run.json keeps it, so that `report` finds it again.
    #[arg(long, value_name = "HEIGHTxWIDTH", allow_hyphen_values = true)]
    pub(crate) image: Option<Grid>,

    /// Write every iteration of every restart to this csv file; with --validation and cd or pcd every
    /// look: pass, log-likelihood of the rows learned from and of the validation rows with the error
    /// that both have from log Z, the gap of the free energies, and whether its weights were kept.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Go on with the interrupted run in --out, given the same arguments: restarts that ended are not learned again, and those that were under way go on from their last checkpoint.
    #[arg(long)]
    pub(crate) resume: bool,

    /// Overwrite what lies in --out under the names of the run's files, an interrupted run among it.
    ///
    /// Without it, a finished run of fit is replaced as a whole, and anything else stops the program before it begins: files of your own, results that were
    /// changed by hand, a study, a run that was interrupted.
    #[arg(long, requires = "out")]
    pub(crate) force: bool,

    /// Show entropies and log-likelihoods in bits instead of nats; --json, files and the report stay in nats.
    #[arg(long)]
    pub(crate) bits: bool,

    /// Print one JSON document with every candidate instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The ways to search by name.
fn searches() -> impl clap::builder::TypedValueParser<Value = Search> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(["restarts", "iterated", "anneal", "path"])
        .try_map(|name| Search::from_str(&name))
}

/// The principles by name, so that help and completions list them.
fn principle() -> impl clap::builder::TypedValueParser<Value = Select> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(["auto", "lme", "mle", "held-out"])
        .try_map(|name| Select::from_str(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_hidden_units() {
        assert_eq!("3".parse(), Ok(HiddenArg(Hidden::One(3))));
        for (text, sizes) in [
            ("0..3", &[0, 1, 2, 3][..]),
            ("0..=2", &[0, 1, 2]),
            ("2-4", &[2, 3, 4]),
            ("3,1", &[3, 1]),
            ("2..2", &[2]),
        ] {
            let several = HiddenArg(Hidden::Several(sizes.to_vec()));
            assert_eq!(text.parse(), Ok(several), "{text}");
        }
        for text in [
            "-1",
            "x",
            "",
            "2.5.",
            "1.5e3",
            "99999999999999999999999",
            "4..1",
            "0..100",
            "0..",
            "..3",
            "1,",
            "1..2..3",
        ] {
            assert!(text.parse::<HiddenArg>().is_err(), "{text}");
        }
    }

    #[test]
    fn ridges() {
        assert_eq!("auto".parse(), Ok(RidgeArg(Ridge::CrossValidated)));
        assert_eq!("evidence".parse(), Ok(RidgeArg(Ridge::Evidence)));
        assert_eq!("0.5".parse(), Ok(RidgeArg(Ridge::Value(0.5))));
        for text in ["-1", "Auto", "", "inf"] {
            assert!(text.parse::<RidgeArg>().is_err(), "{text}");
        }
        for ridge in [RidgeArg(Ridge::CrossValidated), RidgeArg(Ridge::Value(0.5))] {
            assert_eq!(ridge.to_string().parse(), Ok(ridge));
        }
    }
}
