//! Allocators that see one request at a time, replayed over the lifetimes.

mod heap;
mod replay;
pub(super) mod tensorflow_bfc;
pub(super) mod pytorch_caching;
pub(super) mod gmlake;
pub(super) mod tlsf;
