//! Runs that are killed at random moments: what they leave is a whole run, an earlier one or none, and going on ends at the same
//! bytes. `LATENTROPY_CRASHES=1000 cargo test -p latentropy-cli --test crash -- --nocapture` prints the table of a long run.
#![cfg(unix)]

mod common;

use common::{Place, SMALL, names_in, run, run_line};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How many runs are killed, of all kinds together, unless the environment says otherwise.
const CRASHES: usize = 36;

fn crashes() -> usize {
    let asked = std::env::var("LATENTROPY_CRASHES").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(CRASHES)
}

/// A stream of numbers; the moments of a run are never the same twice, but the seed tells what was tried.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    /// A moment within a stretch of time.
    fn moment(&mut self, within: Duration) -> Duration {
        within.mul_f64(self.next() as f64 / (1u64 << 31) as f64)
    }
}

const SIGNALS: [&str; 3] = ["KILL", "TERM", "INT"];

fn start(line: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_latentropy"))
        .args(line.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// Sends a signal after a while, if the program has not ended by then.
fn struck(mut child: Child, signal: &str, after: Duration) -> ExitStatus {
    let started = Instant::now();
    while started.elapsed() < after {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    let id = child.id().to_string();
    let signal = format!("-{signal}");
    let _ = Command::new("kill")
        .args([signal.as_str(), &id])
        .stderr(Stdio::null())
        .status();
    child.wait().unwrap()
}

/// The bytes of all files of a directory, but for times.
fn contents(directory: &str) -> BTreeMap<String, Vec<u8>> {
    let names = names_in(Path::new(directory)).into_iter();
    let lasting = names.filter(|name| name != "run.json" && name != "timings");
    let mut all: BTreeMap<String, Vec<u8>> = lasting
        .map(|name| {
            let bytes = std::fs::read(Path::new(directory).join(&name)).unwrap();
            (name, bytes)
        })
        .collect();
    // The page tells how long the run took.
    if all.contains_key("report.json") {
        all.insert("report.html".to_string(), Vec::new());
    }
    all
}

/// The one run whose files these are; none where there is no run.
fn run_in(directory: &str) -> Option<String> {
    // Whoever comes next finishes what was committed; a directory without a run is no more than that.
    let reported = run_line(&format!("report {directory}"));
    if reported.code != 0 {
        reported.says(&["has no run.json"]);
        return None;
    }
    let text = std::fs::read_to_string(Path::new(directory).join("run.json")).unwrap();
    let run = serde_json::from_str::<serde_json::Value>(&text).unwrap();
    let name = run["run"].as_str().unwrap().to_string();
    for file in [
        "model.json",
        "start.json",
        "candidates.csv",
        "candidates.jsonl",
        "weights.csv",
        "report.json",
        "report.html",
    ] {
        let text = std::fs::read_to_string(Path::new(directory).join(file)).unwrap();
        assert!(text.contains(&name), "{file} is not of {name}");
    }
    Some(name)
}

/// What became of the runs of one kind that were struck by one signal.
#[derive(Default)]
struct Outcomes {
    struck: usize,
    ended_before: usize,
    without_a_run: usize,
    earlier_run: usize,
    new_run: usize,
}

type Table = BTreeMap<(&'static str, &'static str), Outcomes>;

/// Two fits of one table: the one that is done, and the one that comes in its place.
struct Fits {
    place: Place,
    old: String,
    new: String,
    runs: [String; 2],
    /// What the new one leaves when nobody disturbs it, and how long it takes.
    whole: BTreeMap<String, Vec<u8>>,
    takes: Duration,
}

impl Fits {
    fn new() -> Self {
        let place = Place::new();
        let data = place.file("d.csv", SMALL);
        let old = format!("fit {data} --hidden 1 --ridge 1 --restarts 2 --threads 1 --quiet");
        let new = format!(
            "fit {data} --hidden 2 --ridge 0.1 --restarts 30 --search restarts --threads 1 --quiet"
        );
        let (first, second) = (place.path("first"), place.path("second"));
        run_line(&format!("{old} --out {first}")).succeeded();
        let clock = Instant::now();
        run_line(&format!("{new} --out {second}")).succeeded();
        let takes = clock.elapsed();
        let runs = [&first, &second].map(|directory| run_in(directory).unwrap());
        let whole = contents(&second);
        Fits {
            place,
            old,
            new,
            runs,
            whole,
            takes,
        }
    }

    /// Strikes a fit into a directory that may hold an earlier run; then it goes on, and ends as if nothing had been.
    fn strike(
        &self,
        number: usize,
        signal: &'static str,
        over: bool,
        again: bool,
        random: &mut Random,
    ) -> Seen {
        let out = self.place.path(&format!("out-{number}"));
        if over {
            run_line(&format!("{} --out {out}", self.old)).succeeded();
        }
        let command = format!("{} --out {out}", self.new);
        let mut status = struck(start(&command), signal, random.moment(self.takes));
        if again && !status.success() {
            status = struck(
                start(&format!("{command} --resume")),
                signal,
                random.moment(self.takes),
            );
        }
        let seen = self.look(&out, over, status.success());
        run_line(&format!("{command} --resume")).succeeded();
        assert_eq!(run_in(&out).as_ref(), Some(&self.runs[1]), "{signal}");
        let (found, whole) = (contents(&out), &self.whole);
        assert!(found.keys().eq(whole.keys()), "{:?}", found.keys());
        for (name, bytes) in &found {
            assert_eq!(bytes, &whole[name], "{name} after {signal}");
        }
        std::fs::remove_dir_all(&out).unwrap();
        seen
    }

    /// What is there after the blow.
    fn look(&self, out: &str, over: bool, has_ended: bool) -> Seen {
        let found = match Path::new(out).exists() {
            true => run_in(out),
            false => None,
        };
        match (found, has_ended) {
            (found, true) => {
                assert_eq!(found.as_ref(), Some(&self.runs[1]));
                Seen::EndedBefore
            }
            (None, _) => {
                assert!(!over, "the earlier run is lost");
                Seen::Nothing
            }
            (Some(run), _) if run == self.runs[0] => Seen::Earlier,
            (Some(run), _) => {
                assert_eq!(run, self.runs[1]);
                Seen::New
            }
        }
    }
}

enum Seen {
    EndedBefore,
    Nothing,
    Earlier,
    New,
}

fn count(table: &mut Table, kind: &'static str, signal: &'static str, seen: Seen) {
    let entry = table.entry((kind, signal)).or_default();
    entry.struck += 1;
    match seen {
        Seen::EndedBefore => entry.ended_before += 1,
        Seen::Nothing => entry.without_a_run += 1,
        Seen::Earlier => entry.earlier_run += 1,
        Seen::New => entry.new_run += 1,
    }
}

fn print(table: &Table) {
    println!(
        "| what was struck | by | times | had ended | no run yet | the run before | the new run |"
    );
    println!("|---|---|---|---|---|---|---|");
    for ((kind, signal), found) in table {
        println!(
            "| {kind} | SIG{signal} | {} | {} | {} | {} | {} |",
            found.struck, found.ended_before, found.without_a_run, found.earlier_run, found.new_run
        );
    }
}

#[test]
fn fits_that_are_struck_leave_whole_runs_and_go_on() {
    let (fits, mut random, mut table) = (Fits::new(), Random(14), Table::new());
    for number in 0..crashes() * 7 / 12 {
        let signal = SIGNALS[number % 3];
        let (kind, over, again) = match number / 3 % 3 {
            0 => ("a fit", false, false),
            1 => ("a fit over an earlier run", true, false),
            _ => ("a fit and its resume", true, true),
        };
        let seen = fits.strike(number, signal, over, again, &mut random);
        count(&mut table, kind, signal, seen);
    }
    print(&table);
}

#[test]
fn fits_side_by_side_never_mix_their_files() {
    let (fits, mut random, mut table) = (Fits::new(), Random(15), Table::new());
    for number in 0..crashes() / 4 {
        let signal = SIGNALS[number % 3];
        let out = fits.place.path(&format!("both-{number}"));
        let mut children = [&fits.new, &fits.old].map(|line| start(&format!("{line} --out {out}")));
        if number % 2 == 0 {
            children.reverse();
        }
        let [one, other] = children;
        let after = random.moment(fits.takes);
        let first = struck(one, signal, after);
        let second = struck(other, "KILL", fits.takes * 20);
        let found = Path::new(&out).exists().then(|| run_in(&out)).flatten();
        // Who ended well is there, or was replaced by the other; nobody reports success for a mixture.
        assert!(
            found.is_some() || !(first.success() || second.success()),
            "{number}"
        );
        assert!(
            found.as_ref().is_none_or(|run| fits.runs.contains(run)),
            "{number}"
        );
        let seen = match (found, first.success() && second.success()) {
            (_, true) => Seen::EndedBefore,
            (None, _) => Seen::Nothing,
            (Some(run), _) if run == fits.runs[0] => Seen::Earlier,
            _ => Seen::New,
        };
        count(
            &mut table,
            "one of two fits into one directory",
            signal,
            seen,
        );
        if Path::new(&out).exists() {
            std::fs::remove_dir_all(&out).unwrap();
        }
    }
    print(&table);
}

const STUDY: &str = "title = \"t\"\nseed = 1\n[[arm]]\nname = \"a\"\n[[experiment]]\nname = \"e\"\ntitle = \"e\"\n\
                     fitted = { hidden = 1 }\ntruth = { visible = 3, hidden = 1 }\ntrials = 12\nrestarts = 4\nrows = [20, 40]\n\
                     arms = [\"a\"]\n";

#[test]
fn studies_that_are_struck_go_on_and_end_alike() {
    let (place, mut random, mut table) = (Place::new(), Random(16), Table::new());
    let spec = place.file("s.toml", STUDY);
    let whole = place.path("whole");
    let clock = Instant::now();
    run_line(&format!("study {spec} --threads 1 --quiet --out {whole}")).succeeded();
    let takes = clock.elapsed();
    let expected = contents(&whole);
    for number in 0..crashes() / 6 {
        let signal = SIGNALS[number % 3];
        let out = place.path(&format!("out-{number}"));
        let command = format!("study {spec} --threads 1 --quiet --out {out}");
        let status = struck(start(&command), signal, random.moment(takes));
        let is_whole = Path::new(&out).join("run.json").exists();
        let seen = match (status.success(), is_whole) {
            (true, _) => Seen::EndedBefore,
            (false, true) => Seen::New,
            (false, false) => Seen::Nothing,
        };
        run_line(&format!("{command} --resume")).succeeded();
        let found = contents(&out);
        assert!(found.keys().eq(expected.keys()), "{:?}", found.keys());
        for (name, bytes) in &found {
            assert_eq!(bytes, &expected[name], "{name} after {signal}");
        }
        count(&mut table, "a study", signal, seen);
        std::fs::remove_dir_all(&out).unwrap();
    }
    print(&table);
}

#[test]
fn a_second_run_is_told_of_the_first() {
    let place = Place::new();
    let data = place.file("d.csv", SMALL);
    let out = place.path("out");
    let long = format!(
        "fit {data} --hidden 2 --restarts 1000000 --search restarts --threads 1 --quiet --out {out}"
    );
    let mut first = start(&long);
    while !Path::new(&out).join("restarts.jsonl").exists() {
        assert!(first.try_wait().unwrap().is_none(), "it ended");
        std::thread::sleep(Duration::from_millis(2));
    }
    let refused = run_line(&format!("fit {data} --hidden 1 --out {out}"));
    refused.refused(&[
        "another run is writing into this directory",
        "wait until it has ended",
    ]);
    run_line(&format!("report {out}")).refused(&["another run is writing"]);
    let id = first.id().to_string();
    Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert_eq!(first.wait().unwrap().code(), Some(1));
    // The lock is gone with its process; what it has done is not taken away without a word.
    run(&["fit", &data, "--hidden", "1", "--out", &out]).refused(&[
        "interrupted run",
        "--resume",
        "--force",
    ]);
    run_line(&format!(
        "fit {data} --hidden 1 --restarts 2 --quiet --force --out {out}"
    ))
    .succeeded();
    assert!(
        !names_in(Path::new(&out))
            .iter()
            .any(|name| name.starts_with('.'))
    );
}
