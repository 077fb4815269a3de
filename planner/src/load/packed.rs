//! Text that came as a part of a link.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

use super::{Fault, LoadError};
use crate::{Message, message};

/// The most bytes of a text: what a link can hold deflates to far less.
const MOST: usize = 16 << 20;

/// The text that [`packed`](crate::save::packed) made letters of.
///
/// # Errors
/// [`Fault::Unsupported`] for another form, [`Fault::Malformed`] for letters that are none,
/// [`Fault::Truncated`] when its end is missing, [`Fault::Limit`] when it is too long.
pub fn unpacked(letters: &str) -> Result<String, LoadError> {
    let fault = |kind: Fault, message: Message| kind.at(message!("link"), message);
    let Some(letters) = letters.strip_prefix("1.") else {
        let form = letters.split('.').next().unwrap_or_default();
        let form: String = form.chars().take(8).collect();
        let message = message!(
            "its plan has the form {}, we read form 1",
            format_args!("{form:?}")
        );
        return Err(fault(Fault::Unsupported, message));
    };
    let bytes = URL_SAFE_NO_PAD.decode(letters).map_err(|error| {
        let message = message!(
            "its plan has characters that no link has: {}",
            Message::verbatim(error.to_string())
        );
        fault(Fault::Malformed, message)
    })?;
    let text = decompress_to_vec_with_limit(&bytes, MOST).map_err(|error| match error.status {
        TINFLStatus::HasMoreOutput => {
            let message = message!("its plan is longer than {} bytes", MOST);
            fault(Fault::Limit, message)
        }
        TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput => {
            fault(Fault::Truncated, message!("the end of its plan is missing"))
        }
        _ => fault(Fault::Malformed, message!("its plan cannot be inflated")),
    })?;
    String::from_utf8(text)
        .map_err(|_error| fault(Fault::Malformed, message!("its plan is no text")))
}
