//! Fits whose power is lost at random moments: what was reported as done is there, the journal is read, and the resumed run is
//! the uninterrupted one. `LATENTROPY_CRASHES=1000` makes the run a long one.

use latentropy::files::{Manifest, RunDirectory, SimulatedDisk};
use latentropy::fit::record::ModelDocument;
use latentropy::fit::{Control, Job, Journal, Ridge};
use latentropy::learning::Outcome;
use latentropy::random::{Purpose, Random, stream};
use latentropy::{Dataset, Error, Request};
use rand::RngExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const FOLDER: &str = "run";
const JOURNAL: &str = "run/restarts.jsonl";

fn crashes() -> usize {
    let asked = std::env::var("LATENTROPY_CRASHES").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(120)
}

fn job() -> Job {
    let rows = [
        [0, 0, 1],
        [1, 1, 0],
        [1, 1, 1],
        [0, 1, 0],
        [0, 0, 0],
        [1, -1, 1],
        [1, 0, 0],
    ];
    let data = Dataset::from_rows(&rows).unwrap();
    let request = Request {
        restarts: Some(4),
        ridge: Ridge::Value(0.1),
        max_iterations: Some(40),
        ..Request::with_hidden(2)
    };
    let mut job = Job::new(&data, &request).unwrap();
    job.choose(&Control::default()).unwrap();
    job
}

/// One run on a disk that may lose its power: a new journal or the one that is there, the restarts, the files of the run.
fn run(job: &Job, disk: &SimulatedDisk) -> Result<Vec<u8>, Error> {
    let directory = RunDirectory::on(Arc::new(disk.clone()), Path::new(FOLDER))?;
    let (path, disk) = (Path::new(JOURNAL), Arc::new(disk.clone()));
    let identity = job.identity(false)?;
    let is_begun = !disk.content(path).is_empty();
    let journal: Journal<Outcome> = match is_begun {
        true => Journal::resume_on(
            disk.clone(),
            path,
            identity,
            "start anew",
            job.noted_check()?,
        )?,
        false => Journal::create_on(disk.clone(), path, identity)?,
    };
    let control = Control {
        journal: Some(&journal),
        // A checkpoint at every iteration: as many writes as there can be.
        checkpoint_interval: Duration::ZERO,
        ..Control::default()
    };
    let found = job.fit(&control)?;
    let mut staging = directory.stage()?;
    let model = ModelDocument::new(&found.chosen().network).text();
    let run = Manifest::name_of([model.as_bytes()]);
    staging.put("model.json", model.as_bytes())?;
    staging.put("weights.csv", format!("{run}\n{model}").as_bytes())?;
    let manifest = staging.manifest("fit", &run, &[]);
    staging.put("run.json", &serde_json::to_vec(&manifest).unwrap())?;
    staging.commit()?;
    journal.remove();
    Ok(model.into_bytes())
}

/// The model of the run in the directory, if there is a run; its files are of one run.
fn found(disk: &SimulatedDisk) -> Option<Vec<u8>> {
    RunDirectory::on(Arc::new(disk.clone()), Path::new(FOLDER)).unwrap();
    let read = |name: &str| disk.content(&Path::new(FOLDER).join(name));
    let manifest: Manifest = serde_json::from_slice(&read("run.json")).ok()?;
    for (name, digest) in &manifest.files {
        assert_eq!(&latentropy::files::digest_of(&read(name)), digest, "{name}");
    }
    Some(read("model.json"))
}

#[test]
fn a_fit_that_loses_its_power_ends_as_if_it_had_not() {
    let job = job();
    let whole = SimulatedDisk::with_directory(Path::new(FOLDER));
    let expected = run(&job, &whole).unwrap();
    let asked = whole.asked();
    let mut random: Random = stream(14, Purpose::Start, 2);
    let (mut lost, mut resumed, mut were_whole) = (0, 0, 0);
    for _ in 0..crashes() {
        let mut disk = SimulatedDisk::with_directory(Path::new(FOLDER));
        // Several losses in a row, in the first run and in those that go on.
        for _ in 0..random.random_range(1..4) {
            disk.lose_power_after(random.random_range(0..asked));
            let ended = run(&job, &disk);
            let is_killed = random.random_bool(0.3);
            disk = match is_killed {
                true => disk.after_kill(),
                false => disk.after_power_loss(&mut random),
            };
            lost += 1;
            let after = found(&disk);
            if let Some(model) = &after {
                assert_eq!(model, &expected);
                were_whole += 1;
            }
            // A run that said it was done is there.
            assert!(ended.is_err() || after.is_some());
        }
        if !disk.content(Path::new(JOURNAL)).is_empty() {
            resumed += 1;
        }
        assert_eq!(run(&job, &disk).unwrap(), expected);
        let names: Vec<String> = disk
            .files()
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        assert_eq!(names, ["run/model.json", "run/run.json", "run/weights.csv"]);
    }
    println!(
        "{lost} losses of power or kills: {were_whole} after the run was whole; {resumed} runs had a journal to go on with"
    );
    assert!(resumed > 0 && were_whole > 0);
}

#[test]
fn a_damaged_line_costs_itself_alone_and_contradictions_are_refused() {
    let job = job();
    let path = Path::new(JOURNAL);
    let disk = Arc::new(SimulatedDisk::with_directory(Path::new(FOLDER)));
    let identity = job.identity(false).unwrap();
    let journal: Journal<Outcome> =
        Journal::create_on(disk.clone(), path, identity.clone()).unwrap();
    let control = Control {
        journal: Some(&journal),
        ..Control::default()
    };
    job.fit(&control).unwrap();
    drop(journal);
    let whole = disk.content(path);
    let read = |bytes: &[u8]| {
        let disk = Arc::new(SimulatedDisk::with_directory(Path::new(FOLDER)));
        disk.put(path, bytes);
        Journal::<Outcome>::resume_on(
            disk,
            path,
            identity.clone(),
            "start anew",
            job.noted_check().unwrap(),
        )
    };
    let lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
    assert_eq!(read(&whole).unwrap().all_known().len(), lines.len() - 1);
    // One byte of the third line, not even text any more.
    let mut damaged = whole.clone();
    damaged[lines[0].len() + lines[1].len() + 60] = 0xff;
    let found = read(&damaged).unwrap();
    assert_eq!(found.all_known().len(), lines.len() - 2);
    assert!(
        found.damaged()[0].starts_with("line 3 is damaged"),
        "{:?}",
        found.damaged()
    );
    // The head: nobody knows what it is of.
    let mut headless = whole.clone();
    headless[20] ^= 1;
    let refusal = read(&headless).unwrap_err().to_string();
    assert!(refusal.contains("restarts.jsonl, line 1"), "{refusal}");

    // Lines that are sealed well and say what cannot be.
    let text = String::from_utf8(lines[1].to_vec()).unwrap();
    let sealed = |text: &str| {
        let rest = &text.trim_end()[r#"{"sum":"0123456789abcdef","#.len()..];
        let line = format!(
            "{{\"sum\":\"{}\",{rest}\n",
            latentropy::files::digest_of(rest.as_bytes())
        );
        [lines[0], line.as_bytes()].concat()
    };
    assert!(read(&sealed(&text)).is_ok());
    let value = text.split("\"log_likelihood\":").nth(1).unwrap();
    let value = &value[..value.find(',').unwrap()];
    for (from, to, why) in [
        (
            format!("\"log_likelihood\":{value}"),
            "\"log_likelihood\":0.5".to_string(),
            "above",
        ),
        (
            format!("\"log_likelihood\":{value}"),
            "\"log_likelihood\":-90.5".to_string(),
            "by its log Z",
        ),
        (
            "\"weights\":[".to_string(),
            "\"weights\":[0.0,".to_string(),
            "terms",
        ),
        (
            // Whichever restart ended first.
            "\"restart ".to_string(),
            "\"fold ".to_string(),
            "is no restart",
        ),
    ] {
        let changed = text.replacen(&from, &to, 1);
        assert_ne!(changed, text, "{from}");
        let refusal = read(&sealed(&changed)).unwrap_err().to_string();
        assert!(
            refusal.contains("line 2") && refusal.contains(why),
            "{refusal}"
        );
    }
}

#[test]
fn journals_do_not_grow_with_iterations() {
    let data = Dataset::from_rows(&[[0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 0]]).unwrap();
    let size = |iterations: usize| {
        let request = Request {
            learner: Some(latentropy::Learner::named("em-is").unwrap()),
            restarts: Some(1),
            ridge: Ridge::Value(0.0),
            max_iterations: Some(iterations),
            tolerance: Some(1e-300),
            ..Request::with_hidden(1)
        };
        let mut job = Job::new(&data, &request).unwrap();
        job.choose(&Control::default()).unwrap();
        let disk = Arc::new(SimulatedDisk::with_directory(Path::new(FOLDER)));
        let identity = job.identity(true).unwrap();
        let journal = Journal::create_on(disk.clone(), Path::new(JOURNAL), identity).unwrap();
        let control = Control {
            journal: Some(&journal),
            observer: &Traced,
            ..Control::default()
        };
        job.fit(&control).unwrap();
        drop(journal);
        disk.content(Path::new(JOURNAL)).len()
    };
    let (short, long) = (size(1_000), size(20_000));
    assert!(long < short + short / 4, "{short} and {long}");
}

struct Traced;

impl latentropy::Observer for Traced {
    fn wants_traces(&self) -> bool {
        true
    }
}
