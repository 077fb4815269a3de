//! ONNX models: bytes → graph → sizes → constants.

mod broken;
mod figures;
mod folding;
mod handmade;
mod operators;
mod scale;
mod subject;
