//! Builds the page into dist/ and serves it on loopback.

fn main() {}
