//! `latentropy._core`: the small compiled part of the Python package; the package itself is in python/latentropy.
//!
//! It hands tables, parameters and answers over and decides nothing. Documents travel as JSON, in which numbers keep every
//! digit; arrays travel as bytes that NumPy takes without a copy.

mod arrays;
mod chains;
mod data;
mod failure;
mod fitting;
mod network;
mod parameters;
mod passes;
mod pieces;
mod remarks;
mod stopped;
mod study;
mod wording;
mod work;

/// The module.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use super::chains::chains;
    #[pymodule_export]
    use super::data::Data;
    #[pymodule_export]
    use super::fitting::{Fit, fit};
    #[pymodule_export]
    use super::network::Network;
    #[pymodule_export]
    use super::passes::restricted;
    #[pymodule_export]
    use super::pieces::{Assembly, Worker, processor};
    #[pymodule_export]
    use super::stopped::Watch;
    #[pymodule_export]
    use super::study::Study;

    /// The names that a fit knows: engines, learners, shapes.
    #[pymodule_export]
    use super::parameters::names;

    /// The version, which is that of the Rust crates.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "it is Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
