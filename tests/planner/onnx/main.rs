//! ONNX models: bytes → graph → sizes → constants.

mod figures;
mod subject;
