//! The command line: the library behind another door, with no logic of its own.

fn main() {}
