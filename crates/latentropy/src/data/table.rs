//! A table in memory as a source of rows: columns of numbers or of words, as other languages hand them over.

use super::cell::Cell;
use super::columns::made_up_names;
use super::load::load;
use super::loaded::{Loaded, ReadOptions};
use super::numpy::row_place;
use super::source::{Line, Source};
use crate::error::{Error, Result};
use crate::message::Message;
use crate::plain::plain_name;
use crate::remark::Remark;
use std::borrow::Cow;
use std::path::Path;

/// The cells of a table.
#[derive(Clone, Debug)]
pub enum Cells<'a> {
    /// Numbers row by row; NaN is missing.
    Matrix(&'a [f64]),
    /// Column by column.
    Columns(Vec<Column<'a>>),
}

/// One column of a table.
#[derive(Clone, Debug)]
pub enum Column<'a> {
    /// Numbers; NaN is missing.
    Numbers(Cow<'a, [f64]>),
    /// Words; `None` is missing.
    Words(Vec<Option<String>>),
}

impl Column<'_> {
    fn len(&self) -> usize {
        match self {
            Column::Numbers(numbers) => numbers.len(),
            Column::Words(words) => words.len(),
        }
    }
}

/// A table in memory.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    names: Vec<String>,
    has_names: bool,
    rows: usize,
    cells: Cells<'a>,
}

impl<'a> Table<'a> {
    /// A table of so many columns; without names they are y1, y2, …
    pub fn new(names: Option<Vec<String>>, columns: usize, cells: Cells<'a>) -> Result<Self> {
        let count = names.as_ref().map_or(columns, Vec::len);
        let rows = match &cells {
            Cells::Matrix(numbers) => numbers.len().checked_div(columns).unwrap_or(0),
            Cells::Columns(columns) => columns.first().map_or(0, Column::len),
        };
        let is_whole = match &cells {
            Cells::Matrix(numbers) => numbers.len() == rows * columns,
            Cells::Columns(all) => {
                all.len() == columns && all.iter().all(|column| column.len() == rows)
            }
        };
        if count != columns || !is_whole {
            return Err(Error::invalid(format!(
                "a table of {columns} columns has {count} names or columns of different lengths"
            )));
        }
        Ok(Table {
            has_names: names.is_some(),
            names: names.map_or_else(|| made_up_names(columns), plain_names),
            rows,
            cells,
        })
    }
}

fn plain_names(names: Vec<String>) -> Vec<String> {
    let plain = |name: String| plain_name(&name).into_owned();
    names.into_iter().map(plain).collect()
}

/// Reads a table in memory by the rules that data files are read by; `name` is what messages call it.
pub fn read_table(name: &Path, table: &Table<'_>, options: &ReadOptions) -> Result<Loaded> {
    let mut names: Vec<&String> = table.names.iter().collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        let problem = format!("two columns are named \"{}\"", twice[0]);
        return Err(Error::file(name, None, problem, "rename one of them"));
    }
    load(name, table, options)
}

/// One row of it.
struct TableRow<'a> {
    table: &'a Table<'a>,
    row: usize,
}

/// A cell as it is handed over.
enum Value<'a> {
    Number(f64),
    Word(&'a str),
    Missing,
}

impl TableRow<'_> {
    #[inline]
    fn value(&self, column: usize) -> Value<'_> {
        match &self.table.cells {
            Cells::Matrix(numbers) => {
                Value::Number(numbers[self.row * self.table.names.len() + column])
            }
            Cells::Columns(columns) => match &columns[column] {
                Column::Numbers(numbers) => Value::Number(numbers[self.row]),
                Column::Words(words) => words[self.row]
                    .as_deref()
                    .map_or(Value::Missing, Value::Word),
            },
        }
    }
}

impl Line for TableRow<'_> {
    fn place(&self) -> String {
        row_place(self.row)
    }

    #[inline]
    fn cell(&self, column: usize) -> Option<Cell> {
        match self.value(column) {
            Value::Number(0.0) => Some(Cell::Zero),
            Value::Number(1.0) => Some(Cell::One),
            Value::Number(number) => number.is_nan().then_some(Cell::Missing),
            Value::Word(word) => Cell::parse(word),
            Value::Missing => Some(Cell::Missing),
        }
    }

    fn text(&self, column: usize) -> Cow<'_, str> {
        match self.value(column) {
            Value::Number(number) => Cow::Owned(number.to_string()),
            Value::Word(word) => Cow::Borrowed(word),
            Value::Missing => Cow::Borrowed(""),
        }
    }
}

impl Source for Table<'_> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn has_header(&self) -> bool {
        self.has_names
    }

    /// Tables in memory keep the names of their rows beside their columns.
    fn may_name_rows(&self) -> bool {
        false
    }

    fn each(&self, see: &mut dyn FnMut(&dyn Line) -> Result<bool>) -> Result<Vec<Remark>> {
        for row in 0..self.rows {
            if !see(&TableRow { table: self, row })? {
                break;
            }
        }
        Ok(Vec::new())
    }

    fn slip_remedy(&self, usual: Message, _: bool) -> Message {
        usual
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::read_dataset_bytes;

    fn read(table: &Table<'_>) -> Result<Loaded> {
        read_table(Path::new("X"), table, &ReadOptions::default())
    }

    fn words(cells: &[&str]) -> Column<'static> {
        let word = |cell: &&str| (!cell.is_empty()).then(|| cell.to_string());
        Column::Words(cells.iter().map(word).collect())
    }

    #[test]
    fn a_table_is_read_as_a_file_of_the_same_cells_is() {
        let names = ["sex", "answer", "number"].map(String::from).to_vec();
        let columns = vec![
            words(&["M", "F", "", "M"]),
            words(&["agree", "disagree", "agree", "agree"]),
            Column::Numbers(vec![1.0, 2.0, f64::NAN, 2.0].into()),
        ];
        let table = Table::new(Some(names), 3, Cells::Columns(columns)).unwrap();
        let found = read(&table).unwrap();
        let text = "sex,answer,number\nM,agree,1\nF,disagree,2\n,agree,\nM,agree,2\n";
        let file = read_dataset_bytes(Path::new("X"), text.as_bytes(), &ReadOptions::default());
        let file = file.unwrap();
        assert_eq!(found.dataset, file.dataset);
        assert_eq!(found.codings, file.codings);
        assert_eq!(found.remarks, file.remarks);
    }

    #[test]
    fn numbers_row_by_row() {
        let cells = [0.0, 1.0, f64::NAN, 1.0, 1.0, 0.0];
        let table = Table::new(None, 2, Cells::Matrix(&cells)).unwrap();
        let found = read(&table).unwrap().dataset;
        assert_eq!((found.len(), found.missing_cells()), (3, 1));
        assert_eq!(found.columns(), ["y1", "y2"]);
    }

    #[test]
    fn what_is_not_binary_is_refused_by_its_place() {
        let cells = [0.0, 1.0, 0.5, 1.0, 1.0, 0.0];
        let table = Table::new(None, 2, Cells::Matrix(&cells)).unwrap();
        let message = read(&table).unwrap_err().to_string();
        let start = "X, row 2 (counting from 1), column y1: `0.5` is not a binary value; ";
        assert!(message.starts_with(start), "{message}");
        // Names of rows are beside a table, and not in it.
        let names = ["id", "a"].map(String::from).to_vec();
        let columns = vec![words(&["x", "y", "z"]), words(&["0", "1", "1"])];
        let table = Table::new(Some(names.clone()), 2, Cells::Columns(columns.clone())).unwrap();
        assert!(read(&table).is_err());
        let twice = vec!["a".to_string(); 2];
        let table = Table::new(Some(twice), 2, Cells::Columns(columns)).unwrap();
        assert!(
            read(&table)
                .unwrap_err()
                .to_string()
                .contains("two columns")
        );
        assert!(Table::new(Some(names), 2, Cells::Matrix(&cells[..3])).is_err());
    }
}
