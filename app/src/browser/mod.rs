//! The page's ties to the browser: its workers, its GPU, files in and out, the clipboard.

pub(crate) mod feeds;
pub(crate) mod files;
pub(crate) mod gpu;
pub(crate) mod style_sheet;
pub(crate) mod thread;
