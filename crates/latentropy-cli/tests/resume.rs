//! A fit that is killed and goes on.

mod common;

use common::{Place, SMALL, names_in, run_line};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn an_interrupted_fit_goes_on_where_it_stopped() {
    let place = Place::new();
    let data = place.file("d.csv", SMALL);
    let (out, whole) = (place.path("out"), place.path("whole"));
    let arguments = format!("fit {data} --hidden 1 --ridge 0.1 --restarts 400 --threads 1");
    run_line(&format!("{arguments} --out {whole}")).succeeded();
    let names = names_in(Path::new(&whole));
    assert!(!names.contains(&"restarts.jsonl".to_string()), "{names:?}");

    // Killed as soon as some restarts are noted, long before its end; the last line may be cut short. How many restarts
    // there are to be changes none of them.
    let endless = arguments.replace("--restarts 400", "--restarts 1000000");
    let mut child = Command::new(env!("CARGO_BIN_EXE_latentropy"))
        .args(format!("{endless} --out {out} --quiet").split(' '))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let journal = Path::new(&out).join("restarts.jsonl");
    let lines = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    while lines() < 5 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let noted = lines();
    assert!(noted >= 5, "{noted}");
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, &text[..text.len() - 20]).unwrap();

    let other = arguments.replace("--ridge 0.1", "--ridge 0.2");
    run_line(&format!("{other} --out {out} --resume"))
        .refused(&["other data, machine or settings"]);
    let ran = run_line(&format!("{arguments} --out {out} --resume"));
    ran.says(&["restarts are taken from the interrupted run"]);
    for name in ["model.json", "candidates.csv"] {
        let read = |directory: &str| std::fs::read(Path::new(directory).join(name)).unwrap();
        assert_eq!(read(&out), read(&whole), "{name}");
    }
    assert_eq!(names_in(Path::new(&out)), names);
    run_line(&format!("{arguments} --out {out} --resume")).says(&["no interrupted run"]);
    run_line(&format!("fit {data} --hidden 1 --resume")).refused(&["--out"]);
}

#[test]
fn a_fit_that_fails_at_once_leaves_no_journal() {
    let place = Place::new();
    let data = place.file("d.csv", "1,?\n0,1\n1,1\n");
    let out = place.path("out");
    let line = format!("fit {data} --hidden 1 --shape rbm --engine gibbs --batch 2 --out {out}");
    run_line(&line).refused(&["--batch"]);
    assert_eq!(place.names(), ["d.csv"]);
}

#[cfg(unix)]
#[test]
fn a_restart_that_is_cut_off_goes_on_in_its_middle() {
    let place = Place::new();
    // Without a ridge the weights run off, and EM-IS alone is busy with them until its iterations are used up.
    let data = place.file("d.csv", "a,b,c\n1,0,1\n0,1,0\n1,0,0\n0,1,1\n0,0,1\n");
    let (out, whole) = (place.path("out"), place.path("whole"));
    let arguments = format!(
        "fit {data} --hidden 2 --ridge 0 --box 500 --tol 1e-300 --learner em-is --max-iter 60000 --restarts 1 --threads 1"
    );
    run_line(&format!("{arguments} --out {whole}")).succeeded();
    let mut child = Command::new(env!("CARGO_BIN_EXE_latentropy"))
        .args(format!("{arguments} --out {out} --quiet").split(' '))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let journal = Path::new(&out).join("restarts.jsonl");
    while !journal.exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(20));
    let id = child.id().to_string();
    Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let kept = "restarts.jsonl.restart-0.checkpoint".to_string();
    assert_eq!(
        names_in(Path::new(&out)),
        ["restarts.jsonl".to_string(), kept]
    );

    let ran = run_line(&format!("{arguments} --out {out} --resume"));
    ran.says(&["0 of 1 restarts are taken", "1 more goes on in its middle"]);
    for name in ["model.json", "candidates.csv"] {
        let read = |directory: &str| std::fs::read(Path::new(directory).join(name)).unwrap();
        assert_eq!(read(&out), read(&whole), "{name}");
    }
    assert_eq!(names_in(Path::new(&out)), names_in(Path::new(&whole)));
}
