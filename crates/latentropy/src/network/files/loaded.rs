//! What a reader of network files gives back.

use crate::data::Coding;
use crate::network::Network;
use crate::remark::Remark;

/// A network from a file, with what the reader had to decide.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedNetwork {
    /// The network.
    pub network: Network,
    /// What the words of columns mean that were not the usual spellings of 0 and 1, where a fit has written them down.
    pub codings: Vec<Coding>,
    /// What the user should know about how the file was read.
    pub remarks: Vec<Remark>,
}
