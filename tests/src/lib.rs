//! Builders and generators for the tests of every crate.
