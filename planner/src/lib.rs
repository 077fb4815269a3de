//! Plans where every tensor of a neural network lives in memory:
//! bytes → graph → lifetimes → plan → verdict.
//!
//! Each arrow is one pure function: [`load::load`] reads a file into a [`load::Document`],
//! [`graph::infer`] sizes its tensors, [`passes`] fold what is constant, [`liveness`] says
//! when each tensor is needed, [`strategies::plan`] places it, and [`check`] judges the plan
//! without sharing code with what made it. No file, clock, thread, hash order, browser or
//! GPU is known here: the same input gives the same bytes natively and in WebAssembly.

// In reading order.
pub mod units;
pub mod sorting;
pub mod settings;
pub mod graph;
pub mod storage;
pub mod schedule;
pub mod program;
pub mod load;
pub mod passes;
pub mod liveness;
pub mod plan;
mod free_space;
pub mod deployed;
pub mod replay;
pub mod space;
pub mod waste;
pub mod difference;
pub mod query;
pub mod strategies;
pub mod what_if;
pub mod check;
pub mod bounds;
pub mod metrics;
pub mod pipeline;
pub mod save;
pub mod offline;
