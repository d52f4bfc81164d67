//! What a fit leaves for itself: journals of restarts and parts that were learned elsewhere.
//!
//! Their checksums would turn away every change at the door: half of the cases are sealed anew, to get in.

use latentropy::files::SimulatedDisk;
use latentropy::fit::{Control, Job, Journal, Part};
use latentropy::learning::Outcome;
use latentropy::random::Digest;
use latentropy::{Dataset, Request};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A small fit, its journal and a part of it.
struct Example {
    job: Job,
    journal: Vec<u8>,
    part: Vec<u8>,
}

const FOLDER: &str = "run";
const JOURNAL: &str = "run/restarts.jsonl";

fn example() -> &'static Example {
    static MADE: OnceLock<Example> = OnceLock::new();
    MADE.get_or_init(|| {
        let rows = [
            [0, 0, 1],
            [1, 1, 0],
            [1, 1, 1],
            [0, 1, 0],
            [0, 0, 0],
            [1, -1, 1],
        ];
        let data = Dataset::from_rows(&rows).expect("rows");
        let request = Request {
            restarts: Some(3),
            ..Request::with_hidden(1)
        };
        let mut job = Job::new(&data, &request).expect("a job");
        job.choose(&Control::default()).expect("its choices");
        let disk = Arc::new(SimulatedDisk::with_directory(Path::new(FOLDER)));
        let identity = job.identity(false).expect("an identity");
        let journal = Journal::<Outcome>::create_on(disk.clone(), Path::new(JOURNAL), identity);
        let journal = journal.expect("a journal");
        let control = Control {
            journal: Some(&journal),
            ..Control::default()
        };
        let part = job.run(0..job.restarts(), &control).expect("its restarts");
        drop(journal);
        Example {
            part: part.to_bytes().expect("bytes"),
            journal: disk.content(Path::new(JOURNAL)),
            job,
        }
    })
}

/// A whole journal, one that ends early, and one without a line.
pub(super) fn journals() -> Vec<Vec<u8>> {
    let whole = example().journal.clone();
    let first = whole.iter().position(|&byte| byte == b'\n').unwrap_or(0) + 1;
    let cut = whole[..whole.len() - 40].to_vec();
    let empty = whole[..first].to_vec();
    vec![whole, cut, empty]
}

/// Goes on with a journal; what it then says of a restart does not contradict the job.
pub(super) fn journal(bytes: &[u8]) -> Result<(), String> {
    let job = &example().job;
    let path = Path::new(JOURNAL);
    let bytes = match bytes.len() % 2 {
        0 => bytes.to_vec(),
        _ => sealed_lines(bytes),
    };
    let disk = Arc::new(SimulatedDisk::with_directory(Path::new(FOLDER)));
    disk.put(path, &bytes);
    let identity = job.identity(false).map_err(|error| error.to_string())?;
    let check = job.noted_check().map_err(|error| error.to_string())?;
    let journal = Journal::resume_on(disk.clone(), path, identity.clone(), "start anew", check);
    let journal = match journal {
        Ok(journal) => journal,
        Err(error) => {
            // What cannot be read is left as it is.
            assert_eq!(disk.content(path), bytes);
            return Err(error.to_string());
        }
    };
    let known: Vec<(String, Outcome)> = journal
        .all_known()
        .iter()
        .map(|(piece, outcome)| (piece.clone(), outcome.clone()))
        .collect();
    // A line that is added is read again beside those that were there.
    if let Some((_, outcome)) = known.first() {
        journal
            .add("restart 2000", outcome)
            .expect("it can be added to");
        drop(journal);
        let check = job.noted_check().map_err(|error| error.to_string())?;
        let again = Journal::resume_on(disk, path, identity, "start anew", check);
        let again = again.expect("it is read again");
        assert!(again.all_known().contains_key("restart 2000"));
        assert!(again.all_known().len() >= known.len());
    }
    Ok(())
}

/// The part of all restarts, and one of a beginning.
pub(super) fn parts() -> Vec<Vec<u8>> {
    let whole = example().part.clone();
    let job = &example().job;
    let some = job
        .run(0..1, &Control::default())
        .and_then(|part| part.to_bytes());
    vec![whole, some.expect("a part")]
}

/// Reads a part, and puts a fit together of it alone.
pub(super) fn part(bytes: &[u8]) -> Result<(), String> {
    let sealed = match bytes.len() % 2 {
        0 => bytes.to_vec(),
        _ => sealed_body(bytes),
    };
    let part = Part::from_bytes(&sealed).map_err(|error| error.to_string())?;
    let found = example().job.assemble(vec![part], &Control::default());
    // A part of too few restarts is refused by the job, and was read nevertheless.
    let _ = found.map_err(|error| error.to_string());
    Ok(())
}

fn digest(bytes: &[u8]) -> u64 {
    let mut digest = Digest::default();
    digest.eat(bytes);
    digest.value()
}

/// Lines with checksums that are right again.
fn sealed_lines(bytes: &[u8]) -> Vec<u8> {
    const START: &[u8] = b"{\"sum\":\"";
    const REST: usize = START.len() + 16 + 2;
    let seal = |line: &[u8]| match line.get(REST..) {
        Some(rest) if line.starts_with(START) => {
            let sum = format!("{:016x}", digest(rest));
            [START, sum.as_bytes(), b"\",", rest].concat()
        }
        _ => line.to_vec(),
    };
    let lines: Vec<Vec<u8>> = bytes.split(|&byte| byte == b'\n').map(seal).collect();
    lines.join(&b'\n')
}

/// A body with a checksum that is right again, behind its head.
fn sealed_body(bytes: &[u8]) -> Vec<u8> {
    // What it is and the version of the program, a line each.
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let head = ends.map(|(at, _)| at + 1).nth(1).unwrap_or(0);
    match bytes.get(head + 8..) {
        Some(body) => [&bytes[..head], &digest(body).to_le_bytes(), body].concat(),
        None => bytes.to_vec(),
    }
}
