//! What every picture is drawn with: renderers, labels, colours, sizes of elements; menus and
//! dialogs.

pub(crate) mod after_paint;
pub(crate) mod beside;
pub(crate) mod into_view;
pub(crate) mod labels;
pub(crate) mod menu;
pub(crate) mod modal;
pub(crate) mod painter;
pub(crate) mod pointed;
pub(crate) mod size;
pub(crate) mod view;
