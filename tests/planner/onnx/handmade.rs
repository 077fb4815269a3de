//! Small ONNX files, written by an encoder that is not ours.

use std::cell::RefCell;

use rten_onnx::onnx::{
    AttributeProto, AttributeType, DataLocation, DataType, Dimension, GraphProto, ModelProto,
    NodeProto, OperatorSetIdProto, StringStringEntryProto, TensorProto, TensorShapeProto,
    TypeProto, TypeProtoTensor, ValueInfoProto,
};

/// An attribute with its name.
pub(crate) type Named = (&'static str, Value);

/// The value of an attribute.
#[derive(Clone)]
pub(crate) enum Value {
    Int(i64),
    Ints(Vec<i64>),
    Text(&'static str),
    Tensor(TensorProto),
    Graph(GraphProto),
}

pub(crate) fn attribute(name: &str, value: Value) -> AttributeProto {
    let mut proto = AttributeProto {
        name: Some(name.to_owned()),
        ..AttributeProto::default()
    };
    let kind = match value {
        Value::Int(x) => {
            proto.i = Some(x);
            AttributeType(2)
        }
        Value::Ints(x) => {
            proto.ints = x;
            AttributeType(7)
        }
        Value::Text(x) => {
            proto.s = Some(x.to_owned());
            AttributeType(3)
        }
        Value::Tensor(x) => {
            proto.t = Some(x);
            AttributeType(4)
        }
        Value::Graph(x) => {
            proto.g = Some(x);
            AttributeType(5)
        }
    };
    proto.r#type = Some(kind);
    proto
}

pub(crate) fn node(kind: &str, inputs: &[&str], outputs: &[&str], with: &[Named]) -> NodeProto {
    NodeProto {
        op_type: Some(kind.to_owned()),
        name: Some(format!("the {kind}")),
        input: inputs.iter().map(|&name| name.to_owned()).collect(),
        output: outputs.iter().map(|&name| name.to_owned()).collect(),
        attribute: with
            .iter()
            .map(|(name, x)| attribute(name, x.clone()))
            .collect(),
        domain: None,
    }
}

/// A declared value; dimensions are numbers, names of symbols, or "?".
pub(crate) fn value(name: &str, kind: DataType, dims: &[&str]) -> ValueInfoProto {
    let dim = |text: &&str| match text.parse() {
        Ok(size) => Dimension {
            dim_value: Some(size),
            dim_param: None,
        },
        Err(_) => Dimension {
            dim_value: None,
            dim_param: (*text != "?").then(|| (*text).to_owned()),
        },
    };
    let shape = TensorShapeProto {
        dim: dims.iter().map(dim).collect(),
    };
    let tensor = TypeProtoTensor {
        elem_type: Some(kind),
        shape: Some(shape),
    };
    ValueInfoProto {
        name: Some(name.to_owned()),
        r#type: Some(TypeProto {
            tensor_type: Some(tensor),
            sequence: None,
        }),
    }
}

/// A name without type, as outputs of raw exports have.
pub(crate) fn untyped(name: &str) -> ValueInfoProto {
    ValueInfoProto {
        name: Some(name.to_owned()),
        r#type: None,
    }
}

pub(crate) fn int_tensor(name: &str, dims: &[i64], elements: &[i64]) -> TensorProto {
    TensorProto {
        name: Some(name.to_owned()),
        dims: dims.to_vec(),
        data_type: Some(DataType::INT64),
        int64_data: elements.to_vec(),
        ..TensorProto::default()
    }
}

pub(crate) fn raw_tensor(name: &str, kind: DataType, dims: &[i64], raw: Vec<u8>) -> TensorProto {
    TensorProto {
        name: Some(name.to_owned()),
        dims: dims.to_vec(),
        data_type: Some(kind),
        raw_data: Some(RefCell::new(raw)),
        ..TensorProto::default()
    }
}

/// A tensor in another file.
pub(crate) fn external_tensor(name: &str, dims: &[i64]) -> TensorProto {
    let entry = |key: &str, value: &str| StringStringEntryProto {
        key: Some(key.to_owned()),
        value: Some(value.to_owned()),
    };
    TensorProto {
        name: Some(name.to_owned()),
        dims: dims.to_vec(),
        data_type: Some(DataType::FLOAT),
        data_location: Some(DataLocation::EXTERNAL),
        external_data: vec![entry("location", "weights.bin"), entry("offset", "128")],
        ..TensorProto::default()
    }
}

pub(crate) fn model(graph: GraphProto) -> Vec<u8> {
    model_of(graph, 17)
}

pub(crate) fn model_of(graph: GraphProto, opset: i64) -> Vec<u8> {
    let opset = OperatorSetIdProto {
        domain: None,
        version: Some(opset),
    };
    let model = ModelProto {
        ir_version: Some(8),
        graph: Some(graph),
        opset_import: vec![opset],
        ..ModelProto::default()
    };
    model.write_buf().expect("it can be encoded")
}

/// x (batch × 4) → Relu → MatMul with w (4 × 3) → Reshape to (batch, 3, 1) by shape
/// arithmetic → y.
pub(crate) fn small() -> GraphProto {
    GraphProto {
        node: vec![
            node("Relu", &["x"], &["r"], &[]),
            node("MatMul", &["r", "w"], &["m"], &[]),
            node("Shape", &["m"], &["s"], &[]),
            node("Concat", &["s", "one"], &["t"], &[("axis", Value::Int(0))]),
            node("Reshape", &["m", "t"], &["v"], &[]),
            node("Neg", &["v"], &["y"], &[]),
        ],
        initializer: vec![
            raw_tensor("w", DataType::FLOAT, &[4, 3], vec![0; 48]),
            int_tensor("one", &[1], &[1]),
        ],
        input: vec![value("x", DataType::FLOAT, &["batch", "4"])],
        output: vec![untyped("y")],
        value_info: Vec::new(),
    }
}
