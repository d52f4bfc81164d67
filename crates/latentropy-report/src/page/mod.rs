//! One self-contained HTML file: style and script inside, light and dark, for screens, phones and paper.

mod policy;

use crate::charts::escape;
use std::collections::BTreeSet;

/// A page in the making: a heading, then sections.
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    lead: String,
    sections: Vec<Section>,
    run: String,
}

#[derive(Clone, Debug)]
struct Section {
    id: String,
    heading: String,
    html: String,
}

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

impl Page {
    /// A page with this heading (plain text).
    pub fn new(title: impl Into<String>) -> Self {
        Page {
            title: title.into(),
            lead: String::new(),
            sections: Vec::new(),
            run: String::new(),
        }
    }

    /// What stands under the heading (HTML).
    pub fn lead(mut self, html: impl Into<String>) -> Self {
        self.lead = html.into();
        self
    }

    /// The run that the page is about, for programs.
    pub fn of_run(mut self, run: &str) -> Self {
        self.run = escape(run);
        self
    }

    /// One more section (plain heading, HTML below); an empty one is left out. `id` is a plain word.
    pub fn section(mut self, id: &str, heading: &str, html: impl Into<String>) -> Self {
        let html = html.into();
        if !html.is_empty() {
            self.sections.push(Section {
                id: escape(id),
                heading: escape(heading),
                html,
            });
        }
        self
    }

    /// The whole file.
    pub fn html(&self) -> String {
        let links: String = self
            .sections
            .iter()
            .map(|section| format!("<a href=\"#{}\">{}</a>", section.id, section.heading))
            .collect();
        let sections: String = self
            .sections
            .iter()
            .map(|Section { id, heading, html }| {
                format!("<section id=\"{id}\" aria-labelledby=\"h-{id}\"><h2 id=\"h-{id}\">{heading}</h2>\n{html}</section>\n")
            })
            .collect();
        let title = escape(&self.title);
        let style = format!("\n{STYLE}{}", widths(&sections));
        let script = format!("\n{SCRIPT}");
        let policy = policy::policy(&style, &script);
        let run = match self.run.as_str() {
            "" => String::new(),
            run => format!("<meta name=\"latentropy-run\" content=\"{run}\">\n"),
        };
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n{run}<title>{title}</title>\n\
             <link rel=\"icon\" href=\"data:,\">\n<style>{style}</style>\n</head>\n<body>\n\
             <header><div class=\"top\"><h1>{title}</h1>\
             <button type=\"button\" id=\"theme\" aria-label=\"switch between light and dark\">◐</button></div>\n\
             {}\n<nav aria-label=\"sections\">{links}</nav></header>\n<main>\n{sections}</main>\n\
             <div id=\"tooltip\" role=\"tooltip\" hidden></div>\n<script>{script}</script>\n</body>\n</html>\n",
            self.lead
        )
    }
}

/// Rules for the natural widths of all pictures: the policy allows no style on an element of its own.
fn widths(html: &str) -> String {
    let all = html.split("data-natural=\"").skip(1);
    let all: BTreeSet<&str> = all.filter_map(|rest| rest.split('"').next()).collect();
    let is_number = |width: &&&str| {
        width
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    let rule =
        |width: &&str| format!("svg[data-natural=\"{width}\"] {{ --natural: {width}px; }}\n");
    all.iter().filter(is_number).map(rule).collect()
}

/// A paragraph of plain text.
pub fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", escape(text))
}

/// A table that scrolls by itself where it is too wide. Columns whose heading ends in `#` hold numbers.
pub fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    let numeric: Vec<bool> = heads.iter().map(|head| head.ends_with('#')).collect();
    let class = |at: usize| match numeric.get(at) {
        Some(true) => " class=\"number\"",
        _ => "",
    };
    let heads: String = heads
        .iter()
        .enumerate()
        .map(|(at, head)| {
            let name = escape(head.trim_end_matches('#'));
            format!("<th scope=\"col\"{}>{name}</th>", class(at))
        })
        .collect();
    let rows: String = rows
        .iter()
        .map(|row| {
            let cell =
                |(at, cell): (usize, &String)| format!("<td{}>{}</td>", class(at), escape(cell));
            let cells: String = row.iter().enumerate().map(cell).collect();
            format!("<tr>{cells}</tr>\n")
        })
        .collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n"
    )
}

/// Something that is folded away until it is asked for (plain summary, HTML below).
pub fn folded(summary: &str, html: &str) -> String {
    format!(
        "<details><summary>{}</summary>\n{html}</details>\n",
        escape(summary)
    )
}
