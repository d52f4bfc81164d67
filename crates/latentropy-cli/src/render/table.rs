//! Tables with aligned columns.

use super::Style;

/// Where a column's text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// A table under construction.
#[derive(Debug)]
pub(crate) struct Table {
    heads: Vec<(&'static str, Align)>,
    rows: Vec<(Vec<String>, bool)>,
}

impl Table {
    /// No rows yet, under these heads.
    pub(crate) fn new(heads: &[(&'static str, Align)]) -> Self {
        Table {
            heads: heads.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; cells beyond the heads are dropped, missing ones are empty.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push((cells, false));
    }

    /// Adds a row that is emphasised.
    pub(crate) fn strong_row(&mut self, cells: Vec<String>) {
        self.rows.push((cells, true));
    }

    /// The table as lines, indented by two; columns are two blanks apart and as wide as they must be.
    pub(crate) fn render(&self, style: Style) -> String {
        let width = |at: usize| {
            let cells = self.rows.iter().filter_map(|(cells, _)| cells.get(at));
            let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
            widest.max(self.heads[at].0.chars().count())
        };
        let widths: Vec<usize> = (0..self.heads.len()).map(width).collect();
        let heads: Vec<String> = self
            .heads
            .iter()
            .map(|(head, _)| head.to_string())
            .collect();
        let mut text = String::new();
        if heads.iter().any(|head| !head.is_empty()) {
            text += &style.faint(&self.line(&heads, &widths));
            text.push('\n');
        }
        for (cells, strong) in &self.rows {
            let line = self.line(cells, &widths);
            text += &if *strong { style.bold(&line) } else { line };
            text.push('\n');
        }
        text
    }

    fn line(&self, cells: &[String], widths: &[usize]) -> String {
        let mut line = String::new();
        for (at, ((_, align), &width)) in self.heads.iter().zip(widths).enumerate() {
            let cell = cells.get(at).map_or("", String::as_str);
            line += match align {
                Align::Left => format!("  {cell:<width$}"),
                Align::Right => format!("  {cell:>width$}"),
            }
            .as_str();
        }
        line.trim_end().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_end_with_text() {
        let mut table = Table::new(&[
            ("unit", Align::Left),
            ("P", Align::Right),
            ("", Align::Left),
        ]);
        table.row(vec!["é".into(), "0.5".into(), "".into()]);
        table.strong_row(vec!["smokes".into(), "12".into(), "yes".into()]);
        assert_eq!(
            table.render(Style::plain()),
            "  unit      P\n  é       0.5\n  smokes   12  yes\n"
        );
    }
}
