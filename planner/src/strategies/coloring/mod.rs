//! Shared objects as colours of the interference graph: buffers that are live together differ.

mod lowest_free;
pub(super) mod first_use;
pub(super) mod by_size;
pub(super) mod welsh_powell;
pub(super) mod dsatur;
pub(super) mod left_edge;
