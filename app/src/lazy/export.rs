//! What is taken away: files, pictures and links.

use conversation::Column;
use leptos::prelude::*;
use timeline::slide::Slide;

use crate::state::session::Session;

/// The part's functions.
pub(crate) struct Functions {
    pub(crate) share: fn() -> AnyView,
    /// Takes a plan away as a file of this kind.
    pub(crate) export: fn(Session, Column, &str),
    /// Takes away what is seen.
    pub(crate) slide: fn(Session, Shape, Encoding),
    /// Takes away what is drawn already.
    pub(crate) drawn: fn(Session, Drawn, Encoding),
    /// What is seen as SVG for paper.
    pub(crate) printed: fn(Session) -> Option<String>,
}

/// How large a slide is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// 16:9.
    Wide,
    /// Pictures as large as on the page.
    Seen,
}

/// What is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Png,
    Svg,
}

/// Something that is drawn already: what the file is called, and what it shows.
pub(crate) struct Drawn {
    pub(crate) slide: Slide,
    pub(crate) name: String,
    pub(crate) title: String,
}
