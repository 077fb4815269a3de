//! Plans that toolchains dumped: every format, whole and broken.

mod chrome_trace;
mod executorch;
mod figures;
mod pasted_figures;
mod hardships;
mod iree;
mod llama_cpp;
mod litert;
mod megengine;
mod offline;
mod ort_profile;
mod pprof;
mod tflm;
mod torch;
mod tvm;
mod vela;
mod xla;
