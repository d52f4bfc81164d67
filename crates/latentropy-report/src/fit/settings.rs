//! How the run was made: the command, the settings, the versions, so that it can be repeated.

use super::run::Run;
use super::words;
use crate::charts::{escape, label};
use crate::page::table;
use serde_json::Value;

pub(super) fn html(run: &Run) -> String {
    let record = &run.record;
    let mut html = String::new();
    if !record.arguments.is_empty() {
        let command: Vec<String> = record.arguments.iter().map(|word| quoted(word)).collect();
        html += &format!(
            "<p><code>latentropy {}</code></p>\n",
            escape(&command.join(" "))
        );
    }
    let seconds = |name: &str| record.timings.get(name).and_then(Value::as_f64);
    let time = seconds("fitting_seconds").map(|s| {
        format!(
            "{} seconds on {}",
            label(s, 1),
            words::counted(record.threads, "thread")
        )
    });
    let mut rows = vec![
        vec!["data".to_string(), record.data.file.clone()],
        vec![
            "fingerprint of the data".to_string(),
            record.data.fingerprint.clone(),
        ],
        vec!["seed".to_string(), record.seed.to_string()],
        vec!["version".to_string(), record.version.clone()],
        vec![
            "chosen by".to_string(),
            words::principle(&run.setting("select")).to_string(),
        ],
    ];
    if let Some(time) = time {
        rows.push(vec!["time".to_string(), time]);
    }
    for (name, what) in [
        ("shape", "shape"),
        ("hidden", "hidden units"),
        ("bias", "biases"),
        ("order", "largest order of a term"),
        ("learner", "learner"),
        ("finish", "second-order finish"),
        ("ridge", "ridge"),
        ("box", "largest weight allowed"),
        ("tol", "tolerance"),
        ("max_iter", "most steps"),
        ("restarts", "restarts"),
        ("anneal", "annealed"),
        ("folds", "folds of the cross-validation"),
        ("engine", "inference"),
    ] {
        let value = run.setting(name);
        if !value.is_empty() {
            let value = match value.as_str() {
                "true" => "yes".to_string(),
                "false" => "no".to_string(),
                _ => value.parse().map_or(value, words::typed),
            };
            rows.push(vec![what.to_string(), value]);
        }
    }
    html + &table(&["", ""], &rows)
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./=,:+".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
