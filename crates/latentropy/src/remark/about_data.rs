//! The sentences of remarks on data: what was recognised, what never varies, what is not there.

use super::kinds::{ReadAs, Remark};
use crate::error::shortened;
use crate::message::{Message, Setting, words};

/// How many pairs of words a remark tells before it only counts the others.
const MOST_PAIRS: usize = 4;

impl Remark {
    pub(super) fn about_data(&self) -> Option<Message> {
        if let Some(message) = self.about_columns() {
            return Some(message);
        }
        Some(match self {
            Remark::ConstantColumns(columns) => {
                let what = match columns.len() {
                    1 => "column never varies",
                    _ => "columns never vary",
                };
                let named =
                    |(name, one): &(String, bool)| format!("{name} (always {})", u8::from(*one));
                let names: Vec<String> = columns.iter().map(named).collect();
                Message::from(format!("{} {what}: {}", columns.len(), shortened(&names)))
            }
            Remark::UnknownColumns(columns) => {
                let what = match columns.len() {
                    1 => "column has",
                    _ => "columns have",
                };
                Message::from(format!(
                    "{} {what} no known cell: {}",
                    columns.len(),
                    shortened(columns)
                ))
            }
            Remark::UnknownRows { count, first } => {
                let what = if *count == 1 { "row has" } else { "rows have" };
                Message::from(format!("{count} {what} no known cell (the first: {first})"))
            }
            Remark::CopiedRows { times } => Message::from(format!(
                "every row is there {times} times, or a multiple of that: if rows were copied, take them once, since \
                 copies held out look foretold, and errors look smaller than they are"
            )),
            Remark::BlankLines { count, line } => {
                let what = match count {
                    1 => "blank line was",
                    _ => "blank lines were",
                };
                Message::from(format!(
                    "{count} {what} skipped between the rows (the first: line {line})"
                ))
            }
            Remark::Weighted {
                column,
                rows,
                sum,
                effective,
            } => Message::from(format!(
                "rows weigh what column {column} says: {rows} rows count as {sum:.1}, the sum of their weights, and are \
                 worth about {effective:.1} rows of equal weight"
            )),
            _ => return None,
        })
    }

    fn about_columns(&self) -> Option<Message> {
        Some(match self {
            Remark::Recognised(pairs) => recognised(pairs),
            Remark::UnusedRecodings(unused) => Message::from(format!(
                "no cell is read by these words of the recoding: {}",
                shortened(unused)
            )),
            Remark::RowNames { column, is_unnamed } => {
                let which = match is_unnamed {
                    true => "the first column has no name and no value twice".to_string(),
                    false => format!("the first column, {column}, has no value twice"),
                };
                words![
                    which,
                    ": it is taken as the names of the rows, as with ",
                    Setting::Id.at(column),
                    ", and not as data",
                ]
            }
            _ => return None,
        })
    }
}

fn recognised(pairs: &[ReadAs]) -> Message {
    let mut message = Message::default();
    for (at, pair) in pairs.iter().take(MOST_PAIRS).enumerate() {
        if at > 0 {
            message.push("; ");
        }
        let ReadAs {
            columns, zero, one, ..
        } = pair;
        let which = match columns.len() {
            1 => format!("column {} holds", columns[0]),
            count => format!("{count} columns ({}) hold", shortened(columns)),
        };
        message.push(words![
            format!(
                "{which} {zero} and {one}: {one} is read as 1 and {zero} as 0; to turn this round, "
            ),
            Setting::Recode.at(&pair.turned),
        ]);
    }
    if pairs.len() > MOST_PAIRS {
        message.push(words![
            format!(
                "; and {} more pairs of words (see ",
                pairs.len() - MOST_PAIRS
            ),
            Setting::Json,
            ")"
        ]);
    }
    message
}
