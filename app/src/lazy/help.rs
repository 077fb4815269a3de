//! The help, and the question what the columns of a table mean.

use crate::lazy::Show;

/// The part's functions.
pub(crate) struct Functions {
    pub(crate) help: Show,
    pub(crate) columns: Show,
}
