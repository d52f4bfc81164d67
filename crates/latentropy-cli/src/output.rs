//! Standard output, standard error, and the places that results are written to.

use crate::failure::{Failure, Outcome};
use latentropy::files::{RunDirectory, probe};
use latentropy::plain::{csv_cell, plain_message, plain_path};
use serde::Serialize;
use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Prints text on standard output.
pub(crate) fn print(text: &str) -> Outcome {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(|error| Failure::of_standard_output(&error))
}

/// Prints one JSON document and a line end on standard output.
pub(crate) fn print_json(document: &impl Serialize) -> Outcome {
    let text = serde_json::to_string(document).map_err(json_failure)?;
    print(&(text + "\n"))
}

/// A document as indented JSON, numbers in full precision.
pub(crate) fn json_text(document: &impl Serialize) -> Outcome<String> {
    serde_json::to_string_pretty(document).map_err(json_failure)
}

fn json_failure(error: serde_json::Error) -> Failure {
    Failure::Running(format!("cannot write the result as JSON: {error}"))
}

/// A table on standard output.
pub(crate) fn csv_on_stdout() -> Table<impl Write> {
    Table::on(BufWriter::new(io::stdout().lock()))
}

/// A csv table none of whose cells a spreadsheet takes for a formula.
pub(crate) struct Table<W: Write>(csv::Writer<W>);

impl<W: Write> Table<W> {
    /// One that goes there.
    pub(crate) fn on(to: W) -> Self {
        Table(csv::Writer::from_writer(to))
    }

    /// One line.
    pub(crate) fn write_record<S: AsRef<str>>(
        &mut self,
        cells: impl IntoIterator<Item = S>,
    ) -> Result<(), csv::Error> {
        for cell in cells {
            self.0.write_field(csv_cell(cell.as_ref()).as_bytes())?;
        }
        self.0.write_record(None::<&[u8]>)
    }

    /// Writes out what is still held back.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }

    /// What it was written to.
    pub(crate) fn into_inner(self) -> io::Result<W> {
        let failed = |error: csv::IntoInnerError<csv::Writer<W>>| {
            io::Error::new(error.error().kind(), error.error().to_string())
        };
        self.0.into_inner().map_err(failed)
    }
}

/// The failure of a table writer on standard output.
pub(crate) fn csv_failure(error: csv::Error) -> Failure {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => Failure::of_standard_output(&error),
        other => Failure::Running(format!("cannot write the table: {other:?}")),
    }
}

/// Prints warnings on standard error, each in a line of its own.
pub(crate) fn warn(warnings: &[String], quiet: bool) {
    if !quiet {
        for warning in warnings {
            say("warning", warning);
        }
    }
}

/// Prints the one message of a failure on standard error.
pub(crate) fn complain(message: &str) {
    say("error", message);
}

fn say(kind: &str, message: &str) {
    // Where even standard error is closed there is nobody left to tell.
    let _ = writeln!(io::stderr(), "{kind}: {}", plain_message(message));
}

/// Whether standard output is a terminal, where a person sees standard error beside it.
pub(crate) fn is_on_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Warnings as part of a text on standard output: where it is kept, they would be lost otherwise.
pub(crate) fn warnings_for_stdout(warnings: &[String]) -> String {
    if is_on_terminal() || warnings.is_empty() {
        return String::new();
    }
    let lines: String = warnings
        .iter()
        .map(|warning| format!("warning: {}\n", plain_message(warning)))
        .collect();
    format!("\n{lines}")
}

/// Prints on standard error the warnings that [`warnings_for_stdout`] has put on standard output already, but not twice
/// into one place.
pub(crate) fn warn_beside_stdout(warnings: &[String], quiet: bool) {
    if is_on_terminal() || !streams_are_one() {
        warn(warnings, quiet);
    }
}

/// Whether standard output and standard error go to one file or pipe.
#[cfg(unix)]
fn streams_are_one() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let place = |stream: std::os::fd::BorrowedFd<'_>| {
        let owned = stream.try_clone_to_owned().ok()?;
        let found = fs::File::from(owned).metadata().ok()?;
        Some((found.dev(), found.ino()))
    };
    let (out, err) = (place(io::stdout().as_fd()), place(io::stderr().as_fd()));
    out.is_some() && out == err
}

/// Elsewhere nothing is known of it.
#[cfg(not(unix))]
fn streams_are_one() -> bool {
    false
}

/// A directory for results that can be written to, known before the work begins.
///
/// Unless it is kept, the directories made for it are removed again.
#[derive(Debug)]
pub(crate) struct ResultDirectory {
    path: PathBuf,
    made: Vec<PathBuf>,
}

impl ResultDirectory {
    /// Makes the directory where it is not there yet, and tries to write in it.
    ///
    /// `flag` is the one that named it.
    pub(crate) fn prepare(path: &Path, flag: &str) -> Outcome<Self> {
        check_place(path, flag)?;
        let refused = |problem: String| refused_place(path, flag, &problem);
        let absent = path.ancestors().take_while(|part| {
            !part.as_os_str().is_empty() && matches!(part.try_exists(), Ok(false))
        });
        let directory = ResultDirectory {
            path: path.to_path_buf(),
            made: absent.map(Path::to_path_buf).collect(),
        };
        fs::create_dir_all(path)
            .map_err(|error| refused(format!("cannot make the directory: {error}")))?;
        probe(path).map_err(|error| refused(format!("cannot write in the directory: {error}")))?;
        Ok(directory)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the directory: it holds results now.
    pub(crate) fn keep(&mut self) {
        self.made.clear();
    }
}

impl Drop for ResultDirectory {
    fn drop(&mut self) {
        for directory in &self.made {
            // Only an empty directory can be removed this way.
            let _ = fs::remove_dir(directory);
        }
    }
}

/// Refuses a file that could not be written once the work is done; `flag` is the one that named it.
pub(crate) fn check_writable(path: &Path, flag: &str) -> Outcome {
    let refused = |problem: String| {
        Failure::Request(format!(
            "{}: {problem}; give {flag} a file in a directory that can be written to",
            plain_path(path)
        ))
    };
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(refused("is a directory".to_string())),
        Ok(found) if !found.is_file() => return Ok(()),
        _ => {}
    }
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    probe(directory).map_err(|error| refused(format!("cannot write there: {error}")))
}

/// The directory of a run, locked for it; `flag` is the one that named it.
pub(crate) fn run_directory(path: &Path, flag: &str) -> Outcome<RunDirectory> {
    check_place(path, flag)?;
    RunDirectory::open(path).map_err(|error| match error {
        latentropy::Error::Io { source, .. } => refused_place(
            path,
            flag,
            &format!("cannot write in the directory: {source}"),
        ),
        other => other.into(),
    })
}

fn refused_place(path: &Path, flag: &str, problem: &str) -> Failure {
    Failure::Request(format!(
        "{}: {problem}; give {flag} a directory that can be written to",
        plain_path(path)
    ))
}

fn check_place(path: &Path, flag: &str) -> Outcome {
    if path.as_os_str().is_empty() {
        return Err(refused_place(path, flag, "the name is empty"));
    }
    if path.is_file() {
        return Err(refused_place(path, flag, "is a file, not a directory"));
    }
    Ok(())
}
