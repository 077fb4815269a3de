//! The table of operators, name by name.

use planner::graph::Dialect;
use planner::operators::{Namespace, Operator};

/// ONNX as the table is read: of a version that has most.
pub const ONNX: Dialect = Dialect::Onnx { opset: 20 };

/// Every name of the table with the dialect and the domain that lead to it.
pub fn names() -> impl Iterator<Item = (Operator, Dialect, &'static str, &'static str)> {
    let of = |namespace| match namespace {
        Namespace::Onnx => (ONNX, ""),
        Namespace::Microsoft => (ONNX, "com.microsoft"),
        Namespace::Ml => (ONNX, "ai.onnx.ml"),
        Namespace::Training => (ONNX, "ai.onnx.preview.training"),
        Namespace::Preview => (ONNX, "ai.onnx.preview"),
        Namespace::Arenascope => (ONNX, "arenascope"),
        Namespace::Tflite => (Dialect::Tflite, ""),
        Namespace::Custom => (Dialect::Tflite, "custom"),
    };
    Operator::names().map(move |(operator, (namespace, kind))| {
        let (dialect, domain) = of(namespace);
        (operator, dialect, domain, kind)
    })
}
