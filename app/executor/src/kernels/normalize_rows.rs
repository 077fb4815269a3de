//! The same as [`normalize`](super::normalize), with a workgroup on each row.

pub(super) use super::normalize::reference;
