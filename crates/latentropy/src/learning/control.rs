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
    /// The largest residual in units of its constraint's own standard error in the data, as second-order steps by samples
    /// measured it last.
    pub residual_in_errors: Option<f64>,
    /// What the residual in errors is to fall to, where there is one, else the residual; none where nothing is evaluated on
    /// the way.
    pub target: Option<f64>,
    /// How many steps are made in all, where that is fixed; rows kept for validation may end them earlier.
    pub steps: Option<usize>,
    /// The mean log-likelihood of rows kept for validation, at the last look.
    pub validation: Option<f64>,
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
