//! ONNX: protobuf messages → graph.

mod assemble;
mod functions;
mod messages;
mod operators;
mod scope;
mod tensors;

use super::protobuf::{Reader, varint};
use super::{Fault, LoadError, Source, Warning};
use crate::graph::Graph;
use crate::message;

/// Whether a file that begins with `head` looks like an ONNX model: its fields are those of a
/// `ModelProto`, each with the right wire type. A file that is cut off still does.
pub(crate) fn sniff(head: &[u8]) -> bool {
    if head.is_empty() || head.get(4..8) == Some(b"TFL3") {
        return false;
    }
    let mut rest = head;
    while let Some((tag, after)) = varint(rest) {
        let wire = match tag >> 3 {
            // Versions are numbers, all else is text or a message.
            1 | 5 => 0,
            2..=4 | 6..=8 | 14 | 20 | 25 | 26 => 2,
            _ => return false,
        };
        if tag & 7 != wire {
            return false;
        }
        let Some((value, payload)) = varint(after) else {
            // Cut off, unless there are bytes enough for any number.
            return after.len() <= 10;
        };
        let payload_len = if wire == 2 { value } else { 0 };
        let payload_len = usize::try_from(payload_len).unwrap_or(usize::MAX);
        match payload.get(payload_len..) {
            Some(after) if !after.is_empty() => rest = after,
            _ => return true,
        }
    }
    false
}

/// Reads an ONNX model without its weights.
///
/// # Errors
/// See [`LoadError`].
pub(crate) fn read(source: &dyn Source) -> Result<(Graph, Vec<Warning>), LoadError> {
    if source.is_empty() {
        let message = message!("the file has no bytes");
        let (kind, place) = (Fault::Empty, message!("file"));
        return Err(kind.at(place, message));
    }
    let mut reader = Reader::new(source);
    match messages::model(&mut reader) {
        Ok(model) => assemble::assemble(model),
        Err(broken) => Err(reader.fault(broken)),
    }
}
