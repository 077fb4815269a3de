//! The same as [`reduce`](super::reduce), with a workgroup on each row.

pub(super) use super::reduce::reference;
