//! A training problem as JSON, see [`crate::training::layers`]: a model whose operators are
//! layers of stated sizes and costs.

use super::{Document, Fault, LoadError, Source, Warning, text};
use crate::message;
use crate::training::layers;

/// The key that such a file has. It stands in the first 64 KiB.
const KEY: &[u8] = b"\"layers\"";

/// How the key of our own files begins, which is in none.
const OWN: &[u8] = b"\"arenascope_";

/// Whether a file that begins with `head` is a training problem.
pub(super) fn sniff(head: &[u8]) -> bool {
    let has = |key: &[u8]| head.windows(key.len()).any(|it| it == key);
    head.trim_ascii_start().starts_with(b"{") && has(KEY) && !has(OWN)
}

/// Reads the layers in `source`.
///
/// # Errors
/// [`LoadError`] with the layer at fault.
pub(super) fn read(source: &dyn Source) -> Result<(Document, Vec<Warning>), LoadError> {
    let text = text::read(source)?;
    let wrong = |error: crate::training::ProblemError| {
        Fault::Malformed.at(
            error
                .node
                .map_or_else(|| message!("file"), |layer| message!("layer {}", layer)),
            error.message,
        )
    };
    let layers = layers::read(&text).map_err(wrong)?;
    let graph = layers.graph().map_err(wrong)?;
    let warnings = (layers.batch != 1).then(|| {
        Warning::of_file(message!(
            "the file is about {} samples: the batch of the training step is chosen beside it",
            layers.batch
        ))
    });
    Ok((Document::Model(graph), warnings.into_iter().collect()))
}
