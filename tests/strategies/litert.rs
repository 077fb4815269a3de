//! LiteRT's arena, TFLite Micro, XNNPACK, IREE, ExecuTorch and ONNX Runtime.

mod arena;
mod habits;
mod in_place;
mod vectors;
