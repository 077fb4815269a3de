//! ONNX models: bytes → graph → sizes → constants.

mod broken;
mod control;
mod folding;
mod handmade;
mod operators;
mod raw_exports;
mod scale;
mod subject;
