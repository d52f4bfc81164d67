//! Work away from the interpreter: in threads of its own, and stopped by Ctrl-C within a second.
//!
//! Every piece of work has a pool of threads of its own, so that a forked child has nothing to wait for that was left
//! behind in its parent. The thread that called releases the interpreter and looks up ten times a second.

use crate::wording::Keywords;
use latentropy::{Cancel, Wording};
use pyo3::PyErr;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How long the caller sleeps between two looks at signals and progress.
const LOOK: Duration = Duration::from_millis(100);
/// How long work that is asked to stop may take to do so before it is left alone.
const PATIENCE: Duration = Duration::from_millis(500);

/// Does `work` on so many threads (all there are if 0); `look` is called on the way, and ends it by an error.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    cancel: &Cancel,
    mut look: impl FnMut(Python<'_>) -> PyResult<()>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (send, mut receive) = channel();
    let failed = |error: String| PyRuntimeError::new_err(format!("cannot start threads: {error}"));
    let begin = move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let done = pool.map(|pool| pool.install(work));
        // Where nobody waits any more there is nobody to tell.
        let _ = send.send(done.map_err(|error| error.to_string()));
    };
    let started = thread::Builder::new().name("latentropy".to_string());
    started
        .spawn(begin)
        .map_err(|error| failed(error.to_string()))?;
    loop {
        let (kept, done) = py.detach(move || {
            let done = receive.recv_timeout(LOOK);
            (receive, done)
        });
        receive = kept;
        match done {
            Ok(done) => return done.map_err(failed),
            Err(RecvTimeoutError::Disconnected) => return Err(broken()),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(error) = py.check_signals().and_then(|()| look(py)) {
            cancel.cancel();
            py.detach(move || receive.recv_timeout(PATIENCE).ok());
            return Err(error);
        }
    }
}

/// Work that nothing is shown of, and that is left alone where it is interrupted.
pub(crate) fn answer<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce() -> latentropy::Result<T> + Send + 'static,
) -> PyResult<T> {
    let done = run(py, threads, &Cancel::default(), |_| Ok(()), work)?;
    done.map_err(crate::failure::raised)
}

/// The work ended without an answer: a defect of ours.
fn broken() -> PyErr {
    let seed = Keywords.name(latentropy::Setting::Seed);
    PyRuntimeError::new_err(format!(
        "latentropy failed inside; please report this with the data and {seed}"
    ))
}
