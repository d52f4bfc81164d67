//! Control over a computation from outside: stopping it, and watching it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to stop, shared between those who may ask and the loops that look at it in every iteration.
///
/// ```
/// use latentropy::{Cancel, Control, Dataset, Error, Request, fit_with};
/// let cancel = Cancel::default();
/// cancel.cancel();
/// let data = Dataset::from_rows(&[[0, 1], [1, 1]])?;
/// let control = Control { cancel, ..Control::default() };
/// let stopped = fit_with(&data, &Request::with_hidden(1), &control);
/// assert!(matches!(stopped, Err(Error::Cancelled)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks to stop at the next iteration.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How far a restart has come.
///
/// What an [`Observer`](crate::Observer) is told; for an example see there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
    /// Which restart.
    pub restart: u64,
    /// Steps made.
    pub iterations: usize,
    /// The residual where the point was evaluated last.
    pub residual: f64,
    /// The present weights: enough to go on from here.
    pub weights: &'a [f64],
}

/// What the loop looks at in every iteration.
#[derive(Clone, Copy)]
pub(crate) struct LoopControl<'a> {
    pub(crate) cancel: &'a Cancel,
    pub(crate) watch: &'a (dyn Fn(&Progress<'_>) + Sync),
}

impl LoopControl<'_> {
    /// Nobody stops it, and nobody watches.
    pub(crate) fn none() -> LoopControl<'static> {
        static NEVER: std::sync::OnceLock<Cancel> = std::sync::OnceLock::new();
        LoopControl {
            cancel: NEVER.get_or_init(Cancel::default),
            watch: &|_| {},
        }
    }
}
