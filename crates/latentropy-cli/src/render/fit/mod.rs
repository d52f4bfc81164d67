//! The result of `fit` for people: data, machine, search, distinct solutions, and the chosen one in words.

mod choices;
mod meaning;
mod misfit;
mod solutions;
#[cfg(test)]
mod tests;
mod uncertainty;
mod validation;

use super::{Align, Style, Table, number, words};
use crate::failure::Outcome;
use crate::wording::Flags;
use latentropy::data::{Coding, Dataset};
use latentropy::fit::{Ending, Select};
use latentropy::learning::{Course, Learner, Step, StopReason};
use latentropy::plain::plain_path;
use latentropy::selection::CertificateKind;
use latentropy::{Candidate, Fit, Principle};
use std::path::Path;

/// What there is to tell.
pub(crate) struct Summary<'a> {
    pub(crate) path: &'a Path,
    pub(crate) data: &'a Dataset,
    pub(crate) codings: &'a [Coding],
    pub(crate) shape: &'a str,
    pub(crate) fit: &'a Fit,
}

/// The whole text.
pub(crate) fn text(summary: &Summary<'_>, style: Style) -> Outcome<String> {
    let mut text = head(summary);
    text += &choices::tables(summary, style);
    text += &format!("\n{}", solutions::table(summary, style));
    text += &format!("\n{}", chosen(summary));
    text += &uncertainty::lines(summary.fit.chosen(), style);
    text += &validation::lines(summary.fit, style);
    let told = meaning::Told {
        candidate: summary.fit.chosen(),
        codings: summary.codings,
    };
    text += &meaning::paragraphs(&told, style)?;
    text += &uncertainty::table(summary, style);
    Ok(text)
}

fn head(summary: &Summary<'_>) -> String {
    let Summary { data, fit, .. } = summary;
    let stopped = |reason: StopReason| {
        let candidates = fit.candidates.iter();
        candidates
            .filter(|candidate| candidate.stop == reason)
            .count()
    };
    let converged = stopped(StopReason::Converged);
    let ends = match converged == fit.candidates.len() {
        true => "distinct solution",
        false => "distinct end point",
    };
    [
        format!("data      {}", plain_path(summary.path)),
        format!("          {}{}", rows(data), words_of(summary.codings)),
        format!(
            "machine   {}: {}",
            summary.shape,
            words::machine(&fit.chosen().network)
        ),
        format!("engine    {}", engine(fit)),
        format!("learning  {}", learner(&fit.course)),
        format!(
            "          ridge {}, weights within ±{}, tolerance {}, at most {}",
            match fit.choices.evidence {
                Some(_) => format!("{} (by evidence)", number::fixed(fit.objective.ridge, 3)),
                None => number::typed(fit.objective.ridge),
            },
            number::typed(fit.objective.bound),
            number::typed(fit.course.tolerance),
            words::counted(fit.course.max_iterations as u64, "iteration"),
        ),
        format!(
            "search    {}{} from seed {} in {:.1?}: {}, {}{}",
            words::counted(fit.candidates.len() as u64, "restart"),
            early_stop(fit),
            fit.seed,
            fit.timings.fitting,
            ended(fit, converged),
            words::counted(fit.distinct_solutions as u64, ends),
            match fit.chosen().certificate.only_maximum {
                true => ", the only maximum: the problem is concave",
                false => "",
            },
        ),
    ]
    .map(|line| line + "\n")
    .concat()
        + &misfit::lines(fit)
}

/// How many restarts came to a solution; learners by samples have no end of their own.
fn ended(fit: &Fit, converged: usize) -> String {
    let by_validation = fit.candidates.iter();
    let by_validation = by_validation.filter(|c| c.stop == StopReason::Validation);
    match by_validation.count() {
        0 if converged == 0 && !fit.course.learner.converges() => {
            format!("learned by samples in {} passes", fit.course.max_iterations)
        }
        0 => {
            let given_up = fit.candidates.iter();
            let given_up = given_up.filter(|c| c.stop == StopReason::GivenUp).count();
            match given_up {
                0 => format!("{converged} converged"),
                _ => format!("{converged} converged, {given_up} proposals given up early"),
            }
        }
        stopped => format!("{stopped} stopped by the validation rows, {converged} converged"),
    }
}

/// Why there are no more restarts, where the search ended by itself.
fn early_stop(fit: &Fit) -> String {
    match fit.ending {
        Ending::UntilUnlikely if fit.candidates.len() > 1 => format!(
            " (one more would find a new solution with a chance of about {} or less)",
            // None that was met once among n is no proof: one in n is what n restarts can tell.
            number::percent(
                fit.completeness
                    .unseen
                    .max(1.0 / fit.completeness.independent as f64)
            )
        ),
        _ => String::new(),
    }
}

/// How many rows there are, how many say nothing and were left out, and what is missing.
fn rows(data: &Dataset) -> String {
    let cells = data.len() as f64 * data.columns().len() as f64;
    let missing = match data.missing_cells() {
        0 => "no cell missing".to_string(),
        count => format!(
            "{} missing ({})",
            words::counted(count, "cell"),
            number::percent(count as f64 / cells)
        ),
    };
    let unknown = (data.len() - data.known_rows().len()) as u64;
    let left_out = match unknown {
        0 => String::new(),
        1 => "\n          1 row without a known cell is left out".to_string(),
        count => format!("\n          {count} rows without a known cell are left out"),
    };
    let weighed = match data.weights().iter().sum::<f64>() {
        sum if sum == data.len() as f64 => String::new(),
        sum => format!(", weighing {},", number::fixed(sum, 1)),
    };
    format!(
        "{} ({} distinct){weighed} of {}, {missing}{left_out}",
        words::counted(data.len() as u64, "row"),
        data.rows().len(),
        words::counted(data.columns().len() as u64, "column"),
    )
}

/// What the words of the columns mean, those with the same words together.
fn words_of(codings: &[Coding]) -> String {
    let mut kinds: Vec<(String, Vec<String>)> = Vec::new();
    for coding in codings {
        let meaning = |words: &[String], meaning: &str| {
            let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            let verb = if words.len() == 1 { "means" } else { "mean" };
            (!words.is_empty()).then(|| format!("{} {verb} {meaning}", quoted.join(", ")))
        };
        let meanings = [
            meaning(&coding.one, "1"),
            meaning(&coding.zero, "0"),
            meaning(&coding.missing, "missing"),
        ];
        let meanings: Vec<String> = meanings.into_iter().flatten().collect();
        let kind = meanings.join(" and ");
        let name = words::name(&coding.column);
        match kinds.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, columns)) => columns.push(name),
            None => kinds.push((kind, vec![name])),
        }
    }
    let line = |(kind, columns): &(String, Vec<String>)| match &columns[..] {
        [first, _, _, _, .., last] => {
            format!("{kind} in {} columns ({first} to {last})", columns.len())
        }
        few => format!("{kind} in {}", few.join(", ")),
    };
    let lines = kinds
        .iter()
        .map(|kind| format!("\n          {}", line(kind)));
    lines.collect()
}

/// Who sums over states, and why, where that was left open.
fn engine(fit: &Fit) -> String {
    match &fit.engine_reason {
        Some(reason) => format!("{}: {}", fit.engine, reason.worded(&Flags)),
        None => fit.engine.to_string(),
    }
}

fn learner(course: &Course) -> String {
    let cooled = if course.anneal { ", annealed" } else { "" };
    let name = course.learner.name();
    let em = |inner: usize, step: String| {
        let updates = words::counted(inner as u64, "update");
        match course.finish {
            Some(finish) => {
                let steps = words::counted(finish.warm_up as u64, "step");
                format!(
                    "{steps} of {name} ({updates} per step{step}), then second-order steps{cooled}"
                )
            }
            None => format!("{name} ({updates} per step{step}){cooled}"),
        }
    };
    match &course.learner {
        Learner::EmIs(learner) => em(learner.inner, String::new()),
        Learner::EmGis(learner) => em(learner.inner, String::new()),
        Learner::Sequential(learner) => em(learner.inner, String::new()),
        Learner::EmGradient(learner) => em(
            learner.inner,
            match learner.step {
                Step::Controlled => ", controlled step".to_string(),
                Step::Fixed(step) => format!(", fixed step {}", number::typed(step)),
            },
        ),
        Learner::Cd(learner) => {
            let sweeps = words::counted(learner.cd_steps as u64, "sweep");
            format!(
                "{name} ({sweeps} per pass, about {} chains)",
                learner.chains
            )
        }
        Learner::Pcd(learner) => {
            let sweeps = words::counted(learner.cd_steps as u64, "sweep");
            match learner.batch {
                Some(batch) => format!(
                    "{name} (batches of {}, {sweeps} per batch, {} chains)",
                    words::counted(batch as u64, "row"),
                    learner.chains
                ),
                None => format!(
                    "{name} ({sweeps} per pass, about {} chains)",
                    learner.chains
                ),
            }
        }
        _ => format!("{name}{cooled}"),
    }
}

/// What the best of unfinished candidates is: by samples, how far it is from a solution.
fn unfinished(candidate: &Candidate) -> String {
    match candidate.worth.constraints {
        Some(found) => format!(
            "learned by samples; the largest residual is {} of its standard error",
            number::fixed(found.largest, 1)
        ),
        None => "the best of the unfinished ones, not a solution".to_string(),
    }
}

/// Which candidate is the chosen one, and why.
fn chosen(summary: &Summary<'_>) -> String {
    let fit = summary.fit;
    let candidate = fit.chosen();
    let count = |is: &dyn Fn(&Candidate) -> bool| fit.candidates.iter().filter(|c| is(c)).count();
    let is_saddle = |c: &Candidate| c.certificate.kind == CertificateKind::Saddle;
    let feasible = count(&|c| c.feasible);
    let principle = fit.principle;
    let why = match principle {
        _ if !fit.selected_is_feasible => unfinished(candidate),
        _ if feasible == 1 => "the only feasible candidate".to_string(),
        _ if fit.distinct_solutions == 1 => {
            format!("all {feasible} feasible candidates are one solution")
        }
        _ if fit.choices.solution.is_some() => {
            "it foretells the rows kept for validation best".to_string()
        }
        Principle::LatentMaximumEntropy => {
            format!("highest entropy of {feasible} feasible candidates")
        }
        Principle::MaximumLikelihood => {
            format!("highest likelihood of {feasible} feasible candidates")
        }
    };
    let mut text = format!(
        "chosen    restart {} (solution {}) by {}: {why}\n",
        candidate.index,
        candidate.solution,
        fit.chosen_by(),
    );
    if let Some(choice) = &fit.choices.solution {
        text += &format!(
            "          of {}; ahead of highest entropy by {} ± {} nats per row of these
",
            words::counted(choice.among as u64, "solution"),
            number::fixed(choice.ahead, 4),
            number::fixed(choice.std_err, 4),
        );
    }
    if let Some(cost) = &fit.cost {
        let gives_up = match fit.chosen_by() {
            Select::By(Principle::LatentMaximumEntropy) => "gives up",
            _ => "highest entropy would give up",
        };
        text += &format!(
            "          {gives_up} {} ± {} nats of likelihood per row ({} over all rows) against the likeliest solution
",
            number::fixed(cost.per_row, 4),
            number::fixed(cost.std_err, 4),
            number::fixed(cost.all_rows, 1),
        );
    } else if fit.selected_is_feasible && fit.distinct_solutions > 1 {
        text += "          it is both the solution of highest entropy and the likeliest one\n";
    }
    // Where there is something better than these, they were not in the running.
    let trivial = count(&|c| c.feasible && c.trivial);
    let saddles = count(&|c| c.feasible && !c.trivial && is_saddle(c));
    let mut aside = Vec::new();
    if fit.selected_is_feasible && !candidate.trivial && trivial > 0 {
        aside.push(words::counted(trivial as u64, "trivial candidate"));
    }
    if fit.selected_is_feasible && !candidate.trivial && !is_saddle(candidate) && saddles > 0 {
        aside.push(words::counted(saddles as u64, "saddle"));
    }
    if !aside.is_empty() {
        text += &format!("          set aside: {}\n", aside.join(", "));
    }
    text
}
