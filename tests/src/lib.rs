//! Builders and generators for the tests of every crate.

// In reading order.
pub mod random;
pub mod clock;
pub mod arbitrary;
pub mod skipped;
pub mod shared;
pub mod chinese;
pub mod onnx_builder;
pub mod operators;
pub mod networks;
pub mod lifetimes;
pub mod deployed;
pub mod problems;
pub mod judged;
pub mod executorch;
pub mod dumps;
pub mod samples;
pub mod figures;
pub mod node_cases;
pub mod scenes;
pub mod whole_models;
pub mod lessons;
pub mod runs;
pub mod confirmations;
pub mod one_op;
pub mod training_steps;
pub mod snapshot;
