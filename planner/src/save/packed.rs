//! Text as a part of a link: deflated, then in the letters that an address takes as they are.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec;

/// How hard is tried; 9 is the most that pays.
const LEVEL: u8 = 9;

/// `text` in letters, digits, `-` and `_`, after the number of this form and a dot;
/// [`unpacked`](crate::load::unpacked) reads it. The same text gives the same letters
/// everywhere.
#[must_use]
pub fn packed(text: &str) -> String {
    let bytes = compress_to_vec(text.as_bytes(), LEVEL);
    format!("1.{}", URL_SAFE_NO_PAD.encode(bytes))
}
