//! How the run was made: the command, the settings, the versions, so that it can be repeated.

use super::run::Run;
use super::words;
use crate::charts::{escape, label};
use crate::page::table;
use latentropy::fit::record::SettingsRecord;

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
    let mut rows = vec![
        ("data", record.data.file.clone()),
        ("fingerprint of the data", record.data.fingerprint.clone()),
        ("seed", record.seed.to_string()),
        ("version", record.version.clone()),
        (
            "chosen by",
            words::principle(&record.settings.select).to_string(),
        ),
    ];
    let seconds = record.timings.fitting_seconds;
    if seconds > 0.0 {
        let threads = words::counted(record.threads as u64, "thread");
        rows.push((
            "time",
            format!("{} seconds on {threads}", label(seconds, 1)),
        ));
    }
    rows.extend(settings(&record.settings));
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .map(|(what, value)| vec![what.to_string(), value])
        .collect();
    html + &table(&["", ""], &rows)
}

/// The settings that matter to readers, in words.
fn settings(settings: &SettingsRecord) -> Vec<(&'static str, String)> {
    let yes_or_no = |is_so: bool| if is_so { "yes" } else { "no" }.to_string();
    let mut rows = vec![
        ("shape", settings.shape.clone()),
        ("hidden units", settings.hidden.to_string()),
        ("biases", yes_or_no(settings.bias)),
        ("largest order of a term", settings.order.to_string()),
        ("learner", settings.learner.clone()),
        ("second-order finish", yes_or_no(settings.finish)),
        ("ridge", words::typed(settings.ridge)),
        ("largest weight allowed", words::typed(settings.bound)),
        ("tolerance", words::typed(settings.tol)),
        ("most steps", settings.max_iter.to_string()),
        ("restarts", settings.restarts.to_string()),
        ("annealed", yes_or_no(settings.anneal)),
    ];
    if let Some(folds) = settings.folds {
        rows.push(("folds of the cross-validation", folds.to_string()));
    }
    rows.push(("inference", settings.engine.clone()));
    rows
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./=,:+".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
