//! Graphs that are made from a description, without a file.
//!
//! A transformer is described by what its authors publish of it, its hidden size, its layers, its
//! heads; [`graph`] writes the operators that it runs, with names that
//! say layer and part. What is written is an ordinary graph: passes, strategies and training take
//! it like one of a file.

mod attention;
mod builder;
pub mod closed_forms;
mod execution;
mod feed_forward;
mod latent;
mod model;
pub mod presets;
pub mod transformer;

pub use execution::{AttentionForm, Execution, Mode};
pub use model::{BATCH, CONTEXT, SEQUENCE, graph};
pub use transformer::{
    Activation, Experts, FeedForward, Latent, NoTransformer, Norm, NormPlace, Parallel, Patches,
    Pattern, Positions, Transformer, Window,
};
