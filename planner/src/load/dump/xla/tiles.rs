//! Tiled layouts: arrays that are laid out in whole tiles have more bytes than their elements.
//!
//! The size that XLA assigns is that of the whole tiles, so what is beyond the elements is
//! padding inside them, however many levels of tiles there are. Layouts as text are described
//! in XLA's "Tiled layout".

use super::module::TUPLE;

/// Bits of an element of this type, as XLA stores it unless the layout says otherwise: types of
/// less than a byte take a byte. `None` where the type has no elements, or is not known.
pub(super) fn bits(dtype: &str) -> Option<u64> {
    match dtype {
        "" | "token" | "opaque" | TUPLE => None,
        "pred" => Some(8),
        _ => {
            let digits = dtype.trim_start_matches(|it: char| it.is_ascii_alphabetic());
            let end = digits.find(|it: char| !it.is_ascii_digit());
            let bits: u64 = digits.get(..end.unwrap_or(digits.len()))?.parse().ok()?;
            Some(bits.max(8))
        }
    }
}

/// Bytes of the elements alone, of `bits` each; `None` beyond what a size can be.
pub(super) fn payload(dims: &[u64], bits: u64) -> Option<u64> {
    let mut dims = dims.iter();
    let bits = dims.try_fold(bits, |all, dim| all.checked_mul(*dim))?;
    Some(bits.div_ceil(8))
}

/// The bytes of the elements of an array whose text has a tiled layout, such as
/// `f32[1024,1]{1,0:T(8,128)}` or `s4[64,64]{1,0:T(8,128)E(4)}`; `None` for any other.
pub(super) fn payload_of_text(text: &str, dtype: &str, dims: Option<&[u64]>) -> Option<u64> {
    let (_, layout) = text.rsplit_once('{')?;
    let (_, properties) = layout.split_once(':')?;
    // `T` comes first among the properties.
    let tiled = properties.starts_with("T(");
    let packed = properties.split_once("E(").and_then(|(_, it)| {
        let (bits, _) = it.split_once(')')?;
        bits.parse().ok().filter(|bits| *bits > 0)
    });
    let bits = packed.or_else(|| bits(dtype))?;
    payload(dims.filter(|_| tiled)?, bits)
}
