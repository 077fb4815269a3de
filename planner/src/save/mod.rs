//! One writer per format, counterpart of `load`.

mod c_header;
mod csv;
mod graph_text;
mod memory_viz;
mod packed;
mod perfetto;
mod pickle;
mod plan_json;
mod program_json;
mod recording;
mod report;
mod schedule;
mod tflite;

pub use c_header::{c_header, stem};
pub use csv::{csv, not_in_csv, problem_csv};
pub use graph_text::graph_text;
pub use memory_viz::memory_viz;
pub use packed::packed;
pub use perfetto::perfetto;
pub use plan_json::{Provenance, plan_json, plan_json_from};
pub use program_json::program_json;
pub use recording::Recorded;
pub use report::{Section, report};
pub use schedule::schedule_json;
pub use tflite::{Extended, tflite};
