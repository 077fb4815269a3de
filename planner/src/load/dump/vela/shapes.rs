//! Padding inside the format NHCWB16, which keeps channels in blocks of 16: 17 of them take 32.
//! The log has no shapes; the model that was compiled has them, by the names of its tensors.

use std::collections::BTreeMap;

use crate::graph::{Bindings, infer};
use crate::load::{LoadError, Source, tflite};

/// What Vela calls the format.
pub(super) const FORMAT: &str = "NHCWB16";
/// Channels of a block.
const BLOCK: u64 = 16;

/// The shapes of the tensors of a model, by name.
pub(super) type Shapes = BTreeMap<String, Shape>;

/// A shape as far as padding asks for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Bytes of an element.
    element: u64,
    /// All dimensions before the width.
    rows: u64,
    width: u64,
    channels: u64,
}

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
            let bits = tensor.dtype.bits().filter(|bits| bits.is_multiple_of(8));
            if let (Some(bits), [before @ .., channels]) = (bits, dims.as_slice()) {
                // Of fewer dimensions the first are 1.
                let (width, before) = before.split_last().map_or((1, before), |it| (*it.0, it.1));
                let mut rows = before.iter();
                let Some(rows) = rows.try_fold(1_u64, |all, it| all.checked_mul(*it)) else {
                    continue;
                };
                let shape = Shape {
                    element: bits / 8,
                    rows,
                    width,
                    channels: *channels,
                };
                shapes.insert(tensor.name, shape);
            }
        }
    }
    Ok(shapes)
}

/// The bytes of `size` that hold elements, of a tensor or of as many of its rows as are kept;
/// `None` where `size` is not that of whole rows, or of more than the tensor has.
pub(super) fn payload(size: u64, shape: Shape) -> Option<u64> {
    let Shape { channels, .. } = shape;
    let padded = channels.checked_next_multiple_of(BLOCK)?;
    let row = padded
        .checked_mul(shape.width)?
        .checked_mul(shape.element)?;
    if row == 0 || !size.is_multiple_of(row) || size / row > shape.rows {
        return None;
    }
    u64::try_from(u128::from(size) * u128::from(channels) / u128::from(padded)).ok()
}
