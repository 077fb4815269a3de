//! The page's ties to the browser: its worker, files in and out, the clipboard.

pub(crate) mod files;
pub(crate) mod worker;
