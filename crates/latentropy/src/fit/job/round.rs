//! Rounds: pieces that can be run now, in any cut and order, with all that they lean on; and who runs them.

use super::rounds::Parents;
use super::{Decided, Done, Job, Part};
use crate::error::{Error, Result};
use crate::fit::bytes::{from_bytes, to_bytes};
use crate::fit::control::Control;
use crate::fit::evidence::Beginning;
use crate::network::Network;
use crate::random::Digest;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::OnceLock;

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// A fold of the comparison, or all rows of one of its machines.
    Fold,
    /// A restart.
    Restart,
    /// A refit of the bootstrap.
    Refit,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Fold => "fold",
            Kind::Restart => "restart",
            Kind::Refit => "refit",
        })
    }
}

/// Pieces of a job that do not depend on each other, and what they lean on.
///
/// It is small (some weights), travels with every task, and for one job and one kind of processor it is the same whoever
/// works it out. For an example see [`Assembly`](super::Assembly).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Round {
    /// The job's digest.
    job: u64,
    kind: Kind,
    pieces: Vec<usize>,
    leans_on: LeansOn,
    /// Whether restarts keep their traces.
    traced: bool,
}

/// What was found before.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum LeansOn {
    /// Where each of the folds begins.
    Beginnings(Vec<Beginning>),
    /// The best solutions so far, of the machine that is decided on.
    Parents(Decided, Parents),
    /// The chosen machine.
    Chosen(Decided, Box<Network>),
}

/// The first bytes of a round: what it is, and the version of its layout.
const ROUND: &[u8] = b"latentropy-round/2\n";

impl Round {
    pub(super) fn new(job: &Job, pieces: Vec<usize>, leans_on: LeansOn) -> Self {
        Round {
            job: job.digest(),
            kind: match leans_on {
                LeansOn::Beginnings(_) => Kind::Fold,
                LeansOn::Parents(..) => Kind::Restart,
                LeansOn::Chosen(..) => Kind::Refit,
            },
            pieces,
            leans_on,
            traced: job.traced,
        }
    }

    /// What its pieces are.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The numbers of its pieces.
    pub fn pieces(&self) -> &[usize] {
        &self.pieces
    }

    /// What it is recognised by.
    pub fn digest(&self) -> Result<u64> {
        let mut digest = Digest::default();
        digest.eat(&self.to_bytes()?);
        Ok(digest.value())
    }

    /// In a compact binary form with a version.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        to_bytes(ROUND, self)
    }

    /// From that form.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        from_bytes(ROUND, "a round of a fit", bytes)
    }
}

/// A job made ready for one round: runs its pieces, as often and in whatever cut they are asked for.
///
/// For an example see [`Assembly`](super::Assembly).
#[derive(Clone, Debug)]
pub struct Worker {
    job: Job,
    round: Round,
}

impl Worker {
    /// Refuses the round of another job.
    pub fn new(job: &Job, round: Round) -> Result<Self> {
        if round.job != job.digest() {
            return Err(Error::invalid(
                "a round belongs to another job: other data, settings or version",
            ));
        }
        let mut job = Job {
            problem: OnceLock::new(),
            traced: round.traced,
            ..job.clone()
        };
        if let LeansOn::Parents(decided, _) | LeansOn::Chosen(decided, _) = &round.leans_on {
            job.decided = Some(decided.clone());
        }
        Ok(Worker { job, round })
    }

    /// Runs some of the round's pieces.
    pub fn run(&self, pieces: &[usize], control: &Control<'_>) -> Result<Part> {
        let places = pieces.iter().map(|number| {
            let found = self.round.pieces.binary_search(number);
            found.map_err(|_| {
                let kind = self.round.kind;
                Error::invalid(format!("{kind} {number} is not in this round"))
            })
        });
        let places = places.collect::<Result<Vec<usize>>>()?;
        match &self.round.leans_on {
            LeansOn::Beginnings(all) => {
                let own: Vec<Beginning> = places.iter().map(|&at| all[at].clone()).collect();
                self.job.compare_some(pieces, &own, control)
            }
            LeansOn::Parents(_, parents) => {
                let mut outcomes = self.job.learn_some(pieces.to_vec(), parents, control)?;
                if !self.job.request.keep_traces {
                    // A trace that nobody asked for is there to be drawn.
                    for (_, outcome) in &mut outcomes {
                        *outcome = outcome.thinned();
                    }
                }
                Ok(self.job.part(Done::Restarts(outcomes)))
            }
            LeansOn::Chosen(_, chosen) => self.job.refit_some(chosen, pieces, control),
        }
    }
}
