//! What leaves the page: pictures, plans, reports, links.

mod beside;
pub(crate) mod menu;
pub(crate) mod report;
pub(crate) mod share;
pub(crate) mod slide;
