//! Plans that a toolchain dumped. Each format has one file here that knows its text or its
//! bytes and its conventions; what comes out is the same for all.

pub(super) mod chrome_trace;
mod draft;
pub(super) mod executorch;
pub(super) mod iree;
mod json;
pub(super) mod line;
pub(super) mod litert;
pub(super) mod llama_cpp;
pub(super) mod megengine;
pub(super) mod ort_profile;
pub(super) mod pprof;
pub(super) mod requests;
pub(super) mod tflm;
pub(super) mod torch;
pub(super) mod tvm;
pub(super) mod vela;
pub(super) mod xla;

use super::{LoadError, Warning};
use crate::deployed::Deployed;

/// A deployed plan and what is worth saying about the file.
pub(super) type Dump = Result<(Deployed, Vec<Warning>), LoadError>;
