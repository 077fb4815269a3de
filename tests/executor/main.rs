//! The executor: recordings, kernels against their twins, and whole runs. What needs a GPU
//! skips with a message where there is none.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod confirm;
mod elementwise;
mod whole_models;
mod convolution;
mod convolution_tflite;
mod pools;
mod window_node_cases;
mod functions;
