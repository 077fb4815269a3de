//! The same as [`softmax`](super::softmax), with a workgroup on each row.

pub(super) use super::softmax::reference;
