//! The executor: recordings, kernels against their CPU references, and whole runs. What needs a GPU
//! skips with a message where there is none.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod audited;
mod before_passes;
mod confirm;
mod edges;
mod elementwise;
mod failures;
mod inputs;
mod ledger;
mod paces;
mod recomputed;
mod recordings;
mod corrupted;
mod aliases;
mod movement;
mod movement_tflite;
mod resizing;
mod scattering;
mod node_cases;
mod whole_confirmations;
mod whole_models;
mod elementwise_tflite;
mod functions;
mod generated;
mod seeds;
mod stages;
mod stored;
#[path = "../planner/tflite/builder.rs"]
mod tflite_builder;
mod typed;
mod cases;
mod contrib;
mod control;
mod counted;
mod convolution;
mod convolution_tflite;
mod pools;
mod quantised;
mod quantised_models;
mod recurrent;
mod window_chain;
mod prefix;
mod known_kinds;
mod contrib_image;
mod linear;
mod normalization;
mod operator;
mod reduction;
mod integer_rows;
mod sampling;
mod zeros;
