//! A study's figures: which numbers of its summary stand in which panel, and the tables that go beside them.

mod convergence;
mod levels;
mod page;
mod plain;

pub use convergence::convergence_by_time;
pub use page::page;

use crate::charts::Figure;
use latentropy_study::{
    Experiment, Metric, Spec, Summary, Table, curves_table, levels_table, paired_table,
};

/// A figure, the name of its files, and its numbers.
#[derive(Clone, Debug)]
pub struct StudyFigure {
    /// The files' name without an extension.
    pub name: String,
    /// What is drawn.
    pub figure: Figure,
    /// Every number that is drawn, under the names of their files.
    pub tables: Vec<(String, Table)>,
}

/// The figures of a study; only one where its number is given.
pub fn figures(spec: &Spec, summary: &Summary, number: Option<u32>) -> Vec<StudyFigure> {
    let mut figures = Vec::new();
    if let Some(settings) = &spec.convergence
        && !summary.curves.is_empty()
        && number.is_none_or(|number| number == 2)
    {
        figures.push(StudyFigure {
            name: "figure-2".to_string(),
            figure: convergence::convergence(spec, settings, summary),
            tables: vec![("figure-2.csv".to_string(), curves_table(summary))],
        });
        figures.extend(
            plain::convergence(settings, summary).map(|figure| StudyFigure {
                name: "figure-2-plain".to_string(),
                figure,
                tables: vec![("figure-2-plain.csv".to_string(), curves_table(summary))],
            }),
        );
    }
    for experiment in &spec.experiments {
        if !summary
            .levels
            .iter()
            .any(|level| level.experiment == experiment.name)
        {
            continue;
        }
        let wanted = |figure: &&u32| number.is_none_or(|number| number == **figure);
        for &figure in experiment.figures.iter().filter(wanted) {
            let metric = match figure {
                3 => Metric::LogLikelihood,
                4 => Metric::Entropy,
                _ => Metric::Loss,
            };
            let heading = format!("Figure {figure}. ");
            add(
                &mut figures,
                spec,
                summary,
                experiment,
                metric,
                format!("figure-{figure}"),
                &heading,
            );
            let plain = plain::levels(spec, summary, experiment, metric, figure);
            figures.extend(plain.map(|drawn| StudyFigure {
                name: format!("figure-{figure}-plain"),
                figure: drawn,
                tables: vec![(
                    format!("figure-{figure}-plain.csv"),
                    levels_table(summary, &experiment.name, metric),
                )],
            }));
        }
        if experiment.figures.is_empty() && number.is_none() {
            let name = format!("experiment-{}", experiment.name);
            add(
                &mut figures,
                spec,
                summary,
                experiment,
                Metric::Loss,
                name,
                "",
            );
        }
    }
    figures
}

fn add(
    figures: &mut Vec<StudyFigure>,
    spec: &Spec,
    summary: &Summary,
    experiment: &Experiment,
    metric: Metric,
    name: String,
    heading: &str,
) {
    figures.push(StudyFigure {
        figure: levels::levels(spec, summary, experiment, metric, heading),
        tables: vec![(
            format!("{name}.csv"),
            levels_table(summary, &experiment.name, metric),
        )],
        name: name.clone(),
    });
    figures.push(StudyFigure {
        figure: levels::advantages(spec, summary, experiment, metric, heading),
        tables: vec![(
            format!("{name}-paired.csv"),
            paired_table(summary, &experiment.name, metric),
        )],
        name: format!("{name}-paired"),
    });
    if metric == Metric::Loss && experiment.data.is_none() {
        figures.push(StudyFigure {
            figure: levels::tails(spec, summary, experiment, heading),
            tables: vec![(
                format!("{name}-tails.csv"),
                levels_table(summary, &experiment.name, metric),
            )],
            name: format!("{name}-tails"),
        });
    }
}
