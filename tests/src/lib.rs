//! Builders and generators for the tests of every crate.

pub mod scenes;
