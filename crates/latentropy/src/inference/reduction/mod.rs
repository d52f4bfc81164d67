//! A network with some units held, in the forms that engines work on: masks, sets of free units, biases and edges.

mod free_terms;
mod masks;
mod pairwise;

pub(crate) use free_terms::FreeTerms;
pub(crate) use masks::{Image, Reduced};
pub(crate) use pairwise::{Incident, Pairwise, possible_pair};
