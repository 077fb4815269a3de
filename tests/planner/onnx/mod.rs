//! ONNX models: bytes → graph → sizes → constants.

mod broken;
mod folding;
mod handmade;
mod operators;
mod raw_exports;
mod scale;
mod subject;
