//! Padding inside the format NHCWB16, which keeps channels in blocks of 16: 17 of them take 32.
//! The log has no shapes; the model that was compiled has them, by the names of its tensors.

use std::collections::BTreeMap;

use crate::graph::{Bindings, infer};
use crate::load::{LoadError, Source, tflite};

/// What Vela calls the format.
pub(super) const FORMAT: &str = "NHCWB16";
/// Channels of a block.
const BLOCK: u64 = 16;

/// Sizes of the tensors of a model by name: bytes of an element, width, channels.
pub(super) type Shapes = BTreeMap<String, (u64, u64, u64)>;

/// Those of the TFLite model in `source`.
///
/// # Errors
/// See [`LoadError`].
pub(super) fn shapes(source: &dyn Source) -> Result<Shapes, LoadError> {
    let mut shapes = Shapes::new();
    for mut graph in tflite::subgraphs(source)? {
        infer(&mut graph, &Bindings::new());
        for tensor in graph.tensors {
            let dims = tensor.dims.unwrap_or_default();
            let bits = tensor.dtype.bits().filter(|bits| bits % 8 == 0);
            if let (Some(bits), [before @ .., channels]) = (bits, dims.as_slice()) {
                // Of fewer dimensions the first are 1.
                let width = before.last().copied().unwrap_or(1);
                shapes.insert(tensor.name, (bits / 8, width, *channels));
            }
        }
    }
    Ok(shapes)
}

/// The bytes of `size` that hold elements, of a tensor or of as many of its rows as are kept;
/// `None` where `size` is not that of whole rows.
pub(super) fn payload(size: u64, (element, width, channels): (u64, u64, u64)) -> Option<u64> {
    let padded = channels.checked_next_multiple_of(BLOCK)?;
    let row = padded.checked_mul(width)?.checked_mul(element)?;
    if row == 0 || size % row != 0 {
        return None;
    }
    u64::try_from(u128::from(size) * u128::from(channels) / u128::from(padded)).ok()
}
