//! Transformers without a file.

use crate::lazy::Show;

/// The part's functions.
pub(crate) struct Functions {
    pub(crate) form: Show,
}
