//! Scratch space that goes along with sums, whichever engine makes them.

use std::any::Any;
use std::fmt;

/// The buffers of the engine that made the last sums, to be used again by the same engine; nothing of the result.
#[derive(Default)]
pub(super) struct Scratch(Option<Box<dyn Any + Send + Sync>>);

impl Scratch {
    /// The buffers of an engine, new ones where another engine's were kept.
    pub(super) fn take<T: Any + Default + Send + Sync>(&mut self) -> Box<T> {
        let kept = self.0.take().and_then(|kept| kept.downcast().ok());
        kept.unwrap_or_default()
    }

    /// Keeps buffers for the next sums.
    pub(super) fn keep<T: Any + Send + Sync>(&mut self, buffers: Box<T>) {
        self.0 = Some(buffers);
    }
}

impl Clone for Scratch {
    /// A copy of sums makes buffers of its own when it first needs them.
    fn clone(&self) -> Self {
        Scratch::default()
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scratch")
    }
}
