//! LiteRT's arena, TFLite Micro, XNNPACK, IREE, ExecuTorch and ONNX Runtime.

mod arena;
mod fit;
mod in_place;
mod vectors;
