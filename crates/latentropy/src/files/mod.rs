//! Files that appear whole or not at all, and directories whose files are of one run.
//!
//! [`write_atomically`] is for one file. A run that writes several holds a [`RunDirectory`] while it lives, puts its files into
//! [`Staging`] and commits them: either all of them are seen, or none. [`Manifest`] is what its `run.json` says of them, by
//! which a file of another run is recognised.

mod atomic;
mod bounded;
mod disk;
mod lock;
mod manifest;
mod names;
mod run_directory;
#[cfg(any(test, feature = "internals"))]
mod simulated;
mod staging;

pub(crate) use atomic::write_on;
pub use atomic::{probe, write_atomically};
pub use bounded::{read_bounded, read_bounded_text};
pub use disk::Disk;
pub(crate) use disk::{Output, RealDisk};
pub use manifest::{Manifest, check_beside, digest_of};
pub use run_directory::{Content, RunDirectory};
#[cfg(any(test, feature = "internals"))]
pub use simulated::SimulatedDisk;
pub use staging::Staging;

/// The file of a run that lists the others; a directory without it holds no run.
pub const MANIFEST: &str = "run.json";
