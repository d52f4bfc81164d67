//! Ctrl-C: asks the work to stop at its next iteration; asked twice, the program ends at once.

use crate::output;
use latentropy::Cancel;

/// The exit code of a program that was interrupted twice, as shells count it.
const INTERRUPTED: i32 = 130;

/// A token that Ctrl-C sets; where signals cannot be caught, it is never set.
pub(crate) fn token() -> Cancel {
    let cancel = Cancel::default();
    let asked = cancel.clone();
    let _ = ctrlc::set_handler(move || {
        if asked.is_cancelled() {
            std::process::exit(INTERRUPTED);
        }
        asked.cancel();
    });
    cancel
}

/// Ctrl-C ends the program at once, as a failure while running, with this message; for work that may be cut off anywhere.
pub(crate) fn end_with(message: impl Fn() -> String + Send + 'static) {
    let _ = ctrlc::set_handler(move || {
        output::complain(&message());
        std::process::exit(1);
    });
}
