//! The command line: the library behind another door, with no logic of its own.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
