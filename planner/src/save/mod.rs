//! One writer per format, twin of `load`.

mod csv;
mod plan_json;

pub use csv::csv;
pub use plan_json::{Provenance, plan_json, plan_json_from};
