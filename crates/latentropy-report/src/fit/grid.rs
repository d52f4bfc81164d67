//! Columns as the cells of an image: the grid that they form, as it is typed and as `run.json` keeps it.

use latentropy::{Error, Result};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A grid of columns, row by row from the upper left, in the order of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// How many rows of cells.
    pub height: usize,
    /// How many cells in a row.
    pub width: usize,
}

impl Grid {
    /// As `run.json` keeps it.
    pub fn record(self) -> [usize; 2] {
        [self.height, self.width]
    }

    /// As `run.json` kept it.
    pub(super) fn of_record([height, width]: [usize; 2]) -> Self {
        Grid { height, width }
    }

    /// Whether so many columns fill it.
    pub(super) fn holds(self, columns: usize) -> bool {
        self.height.checked_mul(self.width) == Some(columns)
    }

    /// Refuses a grid that the columns of a file or a run do not fill.
    pub fn check(self, path: &Path, columns: usize) -> Result<()> {
        if self.holds(columns) {
            return Ok(());
        }
        let cells = match self.height.checked_mul(self.width) {
            Some(cells) => cells.to_string(),
            None => "far too many".to_string(),
        };
        Err(Error::file(
            path,
            None,
            format!("an image of {self} has {cells} cells, and there are {columns} columns"),
            format!(
                "give the height and the width of the image, rows first, such as {}, or choose the columns that form it",
                Grid::squarest(columns)
            ),
        ))
    }

    /// The grid of so many columns that is nearest to a square.
    fn squarest(columns: usize) -> Self {
        let height = (1..=columns.isqrt()).rev();
        let height = height
            .into_iter()
            .find(|&height| columns.is_multiple_of(height));
        let height = height.unwrap_or(1);
        Grid {
            height,
            width: columns / height,
        }
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.height, self.width)
    }
}

impl FromStr for Grid {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let number = |text: &str| {
            let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
            let number = text.parse().ok().filter(|&number: &usize| number > 0);
            number.filter(|_| is_plain)
        };
        let sides = text.split_once(['x', 'X', '×']);
        let sides = sides.and_then(|(height, width)| Some((number(height)?, number(width)?)));
        match sides {
            Some((height, width)) => Ok(Grid { height, width }),
            None => Err(
                "must be HEIGHTxWIDTH, two whole numbers of at least 1, rows first, such as 8x8"
                    .to_string(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_read_rows_first() {
        let grid: Grid = "2x30".parse().unwrap();
        assert_eq!((grid.height, grid.width), (2, 30));
        assert_eq!(
            (grid.to_string(), grid.record()),
            ("2x30".to_string(), [2, 30])
        );
        for text in [
            "8", "0x64", "64x0", "8x8x8", "x8", "8x", "", "-8x-8", "8 x 8", "+8x8", "8x8.0", "axb",
        ] {
            let refused = text.parse::<Grid>().unwrap_err();
            assert!(refused.contains("HEIGHTxWIDTH"), "{text}");
        }
    }

    #[test]
    fn a_grid_holds_all_columns() {
        let grid = Grid {
            height: 8,
            width: 8,
        };
        assert!(grid.check(Path::new("a.csv"), 64).is_ok());
        let refused = grid.check(Path::new("a.csv"), 60).unwrap_err().to_string();
        for part in ["a.csv", "8x8 has 64 cells", "60 columns", "such as 6x10"] {
            assert!(refused.contains(part), "{refused}");
        }
        let huge = Grid {
            height: usize::MAX,
            width: 3,
        };
        assert!(
            huge.check(Path::new("a.csv"), 13)
                .unwrap_err()
                .to_string()
                .contains("1x13")
        );
    }
}
