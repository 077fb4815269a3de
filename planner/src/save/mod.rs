//! One writer per format, twin of `load`.

mod csv;
mod plan_json;
mod tflite;

pub use csv::csv;
pub use plan_json::plan_json;
pub use tflite::{Extended, tflite};
