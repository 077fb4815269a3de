//! The frame of the page: bar, tabs, help, messages, keys.

pub(crate) mod bar;
pub(crate) mod columns;
pub(crate) mod drop;
mod figures;
pub(crate) mod glossary;
pub(crate) mod headline;
pub(crate) mod help;
pub(crate) mod keys;
pub(crate) mod notice;
pub(crate) mod openable;
pub(crate) mod panel;
pub(crate) mod shell;
pub(crate) mod tabs;
