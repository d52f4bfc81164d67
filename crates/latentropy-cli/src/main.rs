//! The `latentropy` command: arguments to a plan, the plan to the library, the result to the terminal.
fn main() {}
