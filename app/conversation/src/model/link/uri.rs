//! Text as a part of an address: what browsers call `encodeURIComponent`.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What an address has to spell out: everything but letters, digits and these signs (ECMA-262,
/// `encodeURIComponent`).
const SPELT: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

pub(super) fn escape(text: &str) -> String {
    utf8_percent_encode(text, &SPELT).to_string()
}

/// `None` for what is no such text: a `%` without two digits after it, or bytes that are no UTF-8.
pub(super) fn unescape(text: &str) -> Option<String> {
    let mut after = text.split('%').skip(1);
    let digits = |part: &str| {
        let two = part.as_bytes().get(..2);
        two.is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit))
    };
    if !after.all(digits) {
        return None;
    }
    let decoded = percent_decode_str(text).decode_utf8().ok()?;
    Some(decoded.into_owned())
}
