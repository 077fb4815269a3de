//! ONNX models: not read yet.

use super::{Fault, LoadError, Source, Warning};
use crate::graph::Graph;

/// Whether a file of `len` bytes that begins with `head` may be an ONNX model.
pub(crate) fn sniff(head: &[u8], len: u64) -> bool {
    let _ = len;
    head.first() == Some(&8)
}

/// Reads the model in `source`.
pub(crate) fn read(source: &dyn Source) -> Result<(Graph, Vec<Warning>), LoadError> {
    Err(LoadError {
        kind: Fault::Unsupported,
        place: format!("file of {} bytes", source.len()),
        message: "ONNX is not read yet".into(),
    })
}
