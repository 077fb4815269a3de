//! LiteRT's arena, TFLite Micro, XNNPACK, IREE, ExecuTorch and ONNX Runtime.

mod arena;
