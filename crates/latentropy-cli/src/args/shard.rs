//! Which share of a run to do (`--shard`), and the arguments of `merge`.

use super::RunArgs;
use clap::Args;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Most shards of one run.
const MOST_SHARDS: usize = 100_000;

/// One share of several: number `index` of `count`, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    pub(crate) index: usize,
    pub(crate) count: usize,
}

/// A share as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShardArg {
    /// This one.
    Given(Shard),
    /// The one that the batch system names, of so many where it does not say.
    Auto(Option<usize>),
}

impl FromStr for ShardArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || {
            "must be I/N with I from 1 to N, such as 3/8, or auto or auto/N in an array job"
                .to_string()
        };
        if text == "auto" {
            return Ok(ShardArg::Auto(None));
        }
        let (index, count) = text.split_once('/').ok_or_else(refused)?;
        let count: usize = count.parse().map_err(|_| refused())?;
        if !(1..=MOST_SHARDS).contains(&count) {
            return Err(format!("there can be 1 to {MOST_SHARDS} shards"));
        }
        if index == "auto" {
            return Ok(ShardArg::Auto(Some(count)));
        }
        let index: usize = index.parse().map_err(|_| refused())?;
        match (1..=count).contains(&index) {
            true => Ok(ShardArg::Given(Shard { index, count })),
            false => Err(refused()),
        }
    }
}

/// How a batch system tells a task which one it is.
struct System {
    name: &'static str,
    index: &'static str,
    /// The first number, by a variable or for good.
    first: First,
    last: Option<&'static str>,
    count: Option<&'static str>,
    step: Option<&'static str>,
}

enum First {
    Variable(&'static str),
    Fixed(usize),
}

/// Those that are known, each by the variables that it sets.
const SYSTEMS: [System; 7] = [
    System {
        name: "Slurm",
        index: "SLURM_ARRAY_TASK_ID",
        first: First::Variable("SLURM_ARRAY_TASK_MIN"),
        last: Some("SLURM_ARRAY_TASK_MAX"),
        count: Some("SLURM_ARRAY_TASK_COUNT"),
        step: Some("SLURM_ARRAY_TASK_STEP"),
    },
    System {
        name: "SGE",
        index: "SGE_TASK_ID",
        first: First::Variable("SGE_TASK_FIRST"),
        last: Some("SGE_TASK_LAST"),
        count: None,
        step: Some("SGE_TASK_STEPSIZE"),
    },
    System {
        name: "PBS",
        index: "PBS_ARRAY_INDEX",
        first: First::Fixed(1),
        last: None,
        count: None,
        step: None,
    },
    System {
        name: "Torque",
        index: "PBS_ARRAYID",
        first: First::Fixed(1),
        last: None,
        count: None,
        step: None,
    },
    System {
        name: "LSF",
        index: "LSB_JOBINDEX",
        first: First::Fixed(1),
        last: Some("LSB_JOBINDEX_END"),
        count: None,
        step: None,
    },
    System {
        name: "AWS Batch",
        index: "AWS_BATCH_JOB_ARRAY_INDEX",
        first: First::Fixed(0),
        last: None,
        count: Some("AWS_BATCH_JOB_ARRAY_SIZE"),
        step: None,
    },
    System {
        name: "Kubernetes",
        index: "JOB_COMPLETION_INDEX",
        first: First::Fixed(0),
        last: None,
        count: None,
        step: None,
    },
];

impl ShardArg {
    /// The share, asked of the environment where it is not typed.
    pub(crate) fn resolve(self) -> Result<Shard, String> {
        match self {
            ShardArg::Given(shard) => Ok(shard),
            ShardArg::Auto(count) => of_environment(count, |name| std::env::var(name).ok()),
        }
    }
}

fn of_environment(
    typed: Option<usize>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Shard, String> {
    // Tasks outside of an array have the variable empty, 0 (LSF) or "undefined" (SGE).
    let number = |name: &str| variable(name).and_then(|text| text.trim().parse::<usize>().ok());
    let is_task = |system: &&System| match system.name {
        "LSF" => number(system.index).is_some_and(|index| index > 0),
        _ => number(system.index).is_some(),
    };
    let Some(system) = SYSTEMS.iter().find(is_task) else {
        let names: Vec<&str> = SYSTEMS.iter().map(|system| system.index).collect();
        return Err(format!(
            "--shard auto: this is no task of an array, for none of {} is set; say --shard I/N",
            names.join(", ")
        ));
    };
    let System { name, index, .. } = system;
    let task = number(index).unwrap_or_default();
    let first = match system.first {
        First::Variable(first) => number(first).unwrap_or(1),
        First::Fixed(first) => first,
    };
    let step = system.step.and_then(number).unwrap_or(1).max(1);
    let told = system.count.and_then(number).or_else(|| {
        let last = number(system.last?)?;
        Some(last.checked_sub(first)? / step + 1)
    });
    let count = match (typed, told) {
        (Some(typed), Some(told)) if typed != told => {
            return Err(format!(
                "--shard auto/{typed}: the array of {name} has {told} tasks; say --shard auto"
            ));
        }
        (Some(count), _) | (None, Some(count)) => count,
        (None, None) => {
            return Err(format!(
                "--shard auto: {name} says which task this is ({index}={task}), not how many there are; say --shard \
                 auto/N"
            ));
        }
    };
    let place = task.checked_sub(first).map(|place| place / step);
    match place.filter(|&place| place < count && count <= MOST_SHARDS) {
        Some(place) => Ok(Shard {
            index: place + 1,
            count,
        }),
        None => Err(format!(
            "--shard auto: {index}={task} of {name} is not one of {count} tasks from {first} on; number the array \
             {first}-{}",
            first + (count - 1) * step
        )),
    }
}

/// Flags of a command that can do one share of a run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Shares of a run")]
pub(crate) struct ShardArgs {
    /// Do share I of N (from 1) and write it into --out; `latentropy merge` puts the shares together. `auto` asks the batch
    /// system; auto/N where it does not say how many tasks there are.
    ///
    /// Known are arrays of Slurm, SGE, LSF and AWS Batch, and with auto/N those of PBS, Torque (numbered from 1) and
    /// Kubernetes. All shares take the same arguments and may share one directory. A share is written whole or not at
    /// all, and one that is there is not done again. Where later work leans on earlier work (the rounds of an iterated search,
    /// machines that grow, the bootstrap) a share does its part of the first round, and of the next one if all others are
    /// there: run the shares again for it, give --wait, or leave the rest to `merge`. The result is that of one run, bit
    /// for bit (docs/cluster.md).
    #[arg(long, value_name = "I/N|auto")]
    pub(crate) shard: Option<ShardArg>,

    /// Wait up to this long for the other shares after each round, such as 30s, 10m or 2h, and go on with the next round
    /// [default: do not wait].
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "shard")]
    pub(crate) wait: Option<Duration>,
}

fn duration(text: &str) -> Result<Duration, String> {
    let refused = || "must be a time such as 30s, 10m or 2h".to_string();
    let (digits, unit) = match text.find(|c: char| !c.is_ascii_digit()) {
        Some(at) => text.split_at(at),
        None => (text, "s"),
    };
    let count: u64 = digits.parse().map_err(|_| refused())?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return Err(refused()),
    };
    count
        .checked_mul(seconds)
        .map(Duration::from_secs)
        .ok_or_else(refused)
}

const MERGE_EXAMPLES: &str = "\
Examples:
  latentropy fit votes.csv --columns '!party' --hidden 2 --restarts 48 --shard 1/2 --out run
  latentropy fit votes.csv --columns '!party' --hidden 2 --restarts 48 --shard 2/2 --out run
  latentropy merge run

  Shares that were written in several places:
    latentropy merge here/run there/run --out whole";

/// Arguments of `merge`.
#[derive(Debug, Args)]
#[command(after_help = MERGE_EXAMPLES)]
pub(crate) struct MergeArgs {
    /// The directories that shares were written into (--out).
    #[arg(value_name = "DIR", required = true)]
    pub(crate) directories: Vec<PathBuf>,

    /// Write into this directory [default: the first DIR].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Take shares from another kind of processor, too: the result is then that of one kind to a tolerance, not bit for bit
    /// (docs/cluster.md).
    #[arg(long)]
    pub(crate) mixed: bool,

    /// Print one JSON document instead of tables.
    #[arg(long)]
    pub(crate) json: bool,

    /// Threads and silence.
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(typed: Option<usize>, variables: &[(&str, &str)]) -> Result<(usize, usize), String> {
        let found = of_environment(typed, |name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_string())
        });
        found.map(|shard| (shard.index, shard.count))
    }

    #[test]
    fn shares_as_they_are_typed() {
        let given = |index, count| Ok(ShardArg::Given(Shard { index, count }));
        assert_eq!("3/8".parse(), given(3, 8));
        assert_eq!("1/1".parse(), given(1, 1));
        assert_eq!("auto".parse(), Ok(ShardArg::Auto(None)));
        assert_eq!("auto/16".parse(), Ok(ShardArg::Auto(Some(16))));
        for text in [
            "", "3", "0/8", "9/8", "3/0", "a/b", "3/8/2", "auto/0", "-1/3",
        ] {
            assert!(text.parse::<ShardArg>().is_err(), "{text}");
        }
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("2h"), Ok(Duration::from_secs(7200)));
        for text in ["", "h", "5 m", "1.5h", "99999999999999999999d", "-1s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn batch_systems_say_which_share_it_is() {
        let slurm = [
            ("SLURM_ARRAY_TASK_ID", "7"),
            ("SLURM_ARRAY_TASK_MIN", "3"),
            ("SLURM_ARRAY_TASK_MAX", "9"),
            ("SLURM_ARRAY_TASK_STEP", "2"),
            ("SLURM_ARRAY_TASK_COUNT", "4"),
        ];
        assert_eq!(asked(None, &slurm), Ok((3, 4)));
        let sge = [
            ("SGE_TASK_ID", "5"),
            ("SGE_TASK_FIRST", "1"),
            ("SGE_TASK_LAST", "16"),
            ("SGE_TASK_STEPSIZE", "1"),
        ];
        assert_eq!(asked(None, &sge), Ok((5, 16)));
        assert_eq!(asked(Some(16), &sge), Ok((5, 16)));
        assert!(asked(Some(8), &sge).unwrap_err().contains("16 tasks"));
        let aws = [
            ("AWS_BATCH_JOB_ARRAY_INDEX", "0"),
            ("AWS_BATCH_JOB_ARRAY_SIZE", "10"),
        ];
        assert_eq!(asked(None, &aws), Ok((1, 10)));
        assert_eq!(asked(Some(4), &[("JOB_COMPLETION_INDEX", "3")]), Ok((4, 4)));
        assert_eq!(asked(Some(4), &[("PBS_ARRAY_INDEX", "4")]), Ok((4, 4)));
        assert_eq!(asked(Some(4), &[("PBS_ARRAYID", "1")]), Ok((1, 4)));
        let lsf = [("LSB_JOBINDEX", "2"), ("LSB_JOBINDEX_END", "3")];
        assert_eq!(asked(None, &lsf), Ok((2, 3)));
        for (typed, variables, told) in [
            (None, &[("JOB_COMPLETION_INDEX", "3")][..], "auto/N"),
            (Some(3), &[("JOB_COMPLETION_INDEX", "3")], "0-2"),
            (Some(3), &[("PBS_ARRAY_INDEX", "0")], "1-3"),
            (None, &[("SGE_TASK_ID", "undefined")], "no task of an array"),
            (None, &[("LSB_JOBINDEX", "0")], "no task of an array"),
        ] {
            let refused = asked(typed, variables).unwrap_err();
            assert!(refused.contains(told), "{refused}");
        }
    }
}
