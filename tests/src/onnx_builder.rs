//! Writes ONNX models, one operator at a time, as real protobuf.
//!
//! Weights are declared as external data in a file that does not come along: a model then
//! has its true shapes and takes a few kilobytes. That is also how people share the
//! structure of a model that they may not share.

use std::cell::RefCell;

use rten_onnx::onnx::{
    AttributeType, DataLocation, Dimension, GraphProto, ModelProto, NodeProto, OperatorSetIdProto,
    StringStringEntryProto, TensorProto, TensorShapeProto, TypeProto, TypeProtoTensor,
    ValueInfoProto,
};
use rten_onnx::protobuf::{EncodeMessage, MessageWriter, ProtobufError, ValueWriter, WriteValue};

pub use rten_onnx::onnx::{AttributeProto, DataType};

/// The file that the weights would be in.
const WEIGHTS: &str = "weights.bin";

/// One dimension of a graph input or output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// A number.
    Fixed(i64),
    /// A symbol, bound when the model is run.
    Named(&'static str),
}

impl From<i64> for Axis {
    fn from(size: i64) -> Self {
        Self::Fixed(size)
    }
}

impl From<&'static str> for Axis {
    fn from(name: &'static str) -> Self {
        Self::Named(name)
    }
}

/// A model in the making. Operators are written in the order of the calls.
pub struct OnnxBuilder {
    name: String,
    opset: i64,
    graph: GraphProto,
    weight_bytes: i64,
}

impl OnnxBuilder {
    /// An empty model called `name` that uses version `opset` of the default operator set.
    #[must_use]
    pub fn new(name: &str, opset: i64) -> Self {
        Self {
            name: name.to_owned(),
            opset,
            graph: GraphProto::default(),
            weight_bytes: 0,
        }
    }

    /// Declares the graph input `name` and returns its name.
    pub fn input(&mut self, name: &str, dtype: DataType, shape: &[Axis]) -> String {
        self.graph.input.push(value_info(name, dtype, shape));
        name.to_owned()
    }

    /// Makes the tensor `name` a graph output.
    pub fn output(&mut self, name: &str, dtype: DataType, shape: &[Axis]) {
        self.graph.output.push(value_info(name, dtype, shape));
    }

    /// Declares the shape of the intermediate tensor `name`.
    pub fn value_info(&mut self, name: &str, dtype: DataType, shape: &[Axis]) {
        self.graph.value_info.push(value_info(name, dtype, shape));
    }

    /// Declares a 32-bit float weight whose elements are in a file that is not there, and
    /// returns its name.
    pub fn weight(&mut self, name: &str, dims: &[i64]) -> String {
        let len = dims.iter().product::<i64>() * 4;
        let entries = [
            ("location", WEIGHTS.to_owned()),
            ("offset", self.weight_bytes.to_string()),
            ("length", len.to_string()),
        ];
        self.weight_bytes += len;
        self.graph.initializer.push(TensorProto {
            external_data: entries.map(|(key, value)| entry(key, value)).into(),
            data_location: Some(DataLocation::EXTERNAL),
            ..tensor(name, DataType::FLOAT, dims)
        });
        name.to_owned()
    }

    /// Adds a 32-bit float initializer with its elements in the model; no `dims`: a scalar.
    pub fn floats(&mut self, name: &str, dims: &[i64], values: &[f32]) -> String {
        let raw = values.iter().flat_map(|value| value.to_le_bytes());
        self.inline(tensor(name, DataType::FLOAT, dims), raw.collect())
    }

    /// Adds a 64-bit integer initializer with its elements in the model.
    pub fn ints(&mut self, name: &str, dims: &[i64], values: &[i64]) -> String {
        self.inline(tensor(name, DataType::INT64, dims), raw_ints(values))
    }

    /// Adds an initializer of elements of 8 bits with them in the model.
    pub fn bytes(&mut self, name: &str, dtype: DataType, dims: &[i64], values: &[u8]) -> String {
        self.inline(tensor(name, dtype, dims), values.to_vec())
    }

    fn inline(&mut self, tensor: TensorProto, raw: Vec<u8>) -> String {
        let name = tensor.name.clone().unwrap_or_default();
        self.graph.initializer.push(TensorProto {
            raw_data: Some(RefCell::new(raw)),
            ..tensor
        });
        name
    }

    /// Adds a `Constant` operator with 64-bit integers, as exporters that do not tidy up
    /// write them, and returns the name of its output.
    pub fn constant_ints(&mut self, name: &str, dims: &[i64], values: &[i64]) -> String {
        let value = TensorProto {
            raw_data: Some(RefCell::new(raw_ints(values))),
            ..tensor("", DataType::INT64, dims)
        };
        self.op(name, "Constant", &[], vec![tensor_attribute(value)])
    }

    /// The same for one 32-bit float.
    pub fn constant_float(&mut self, name: &str, value: f32) -> String {
        let value = TensorProto {
            raw_data: Some(RefCell::new(value.to_le_bytes().into())),
            ..tensor("", DataType::FLOAT, &[])
        };
        self.op(name, "Constant", &[], vec![tensor_attribute(value)])
    }

    /// Adds an operator of one output, both called `name`, and returns the name. An empty
    /// input name leaves an optional input out.
    pub fn op(
        &mut self,
        name: &str,
        kind: &str,
        inputs: &[&str],
        attributes: Vec<AttributeProto>,
    ) -> String {
        self.graph.node.push(NodeProto {
            name: Some(name.to_owned()),
            op_type: Some(kind.to_owned()),
            input: inputs.iter().map(|&input| input.to_owned()).collect(),
            output: vec![name.to_owned()],
            attribute: attributes,
            ..NodeProto::default()
        });
        name.to_owned()
    }

    /// The bytes of the model.
    ///
    /// # Panics
    /// Never: writing into memory does not fail.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        let model = NamedModel {
            header: ModelProto {
                ir_version: Some(8),
                producer_name: Some("arenascope".to_owned()),
                opset_import: vec![OperatorSetIdProto {
                    domain: Some(String::new()),
                    version: Some(self.opset),
                }],
                ..ModelProto::default()
            },
            graph: NamedGraph {
                name: self.name,
                graph: self.graph,
            },
        };
        let mut bytes = Vec::new();
        let written = model.encode(ValueWriter::new(&mut bytes));
        written.expect("writing into memory does not fail");
        bytes
    }
}

/// An integer attribute.
#[must_use]
pub fn int(name: &str, value: i64) -> AttributeProto {
    AttributeProto {
        i: Some(value),
        ..attribute(name, AttributeType::INT)
    }
}

/// An attribute that is a list of integers.
#[must_use]
pub fn ints(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto {
        ints: values.into(),
        ..attribute(name, AttributeType::INTS)
    }
}

/// A float attribute.
#[must_use]
pub fn float(name: &str, value: f32) -> AttributeProto {
    AttributeProto {
        f: Some(value),
        ..attribute(name, AttributeType::FLOAT)
    }
}

/// A text attribute.
#[must_use]
pub fn text(name: &str, value: &str) -> AttributeProto {
    AttributeProto {
        s: Some(value.to_owned()),
        ..attribute(name, AttributeType::STRING)
    }
}

fn tensor_attribute(value: TensorProto) -> AttributeProto {
    AttributeProto {
        t: Some(value),
        ..attribute("value", AttributeType::TENSOR)
    }
}

fn attribute(name: &str, kind: AttributeType) -> AttributeProto {
    AttributeProto {
        name: Some(name.to_owned()),
        r#type: Some(kind),
        ..AttributeProto::default()
    }
}

fn tensor(name: &str, dtype: DataType, dims: &[i64]) -> TensorProto {
    TensorProto {
        name: Some(name.to_owned()),
        data_type: Some(dtype),
        dims: dims.into(),
        ..TensorProto::default()
    }
}

fn raw_ints(values: &[i64]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn entry(key: &str, value: String) -> StringStringEntryProto {
    StringStringEntryProto {
        key: Some(key.to_owned()),
        value: Some(value),
    }
}

fn value_info(name: &str, dtype: DataType, shape: &[Axis]) -> ValueInfoProto {
    let dimension = |axis: &Axis| match *axis {
        Axis::Fixed(size) => Dimension {
            dim_value: Some(size),
            dim_param: None,
        },
        Axis::Named(name) => Dimension {
            dim_value: None,
            dim_param: Some(name.to_owned()),
        },
    };
    ValueInfoProto {
        name: Some(name.to_owned()),
        r#type: Some(TypeProto {
            tensor_type: Some(TypeProtoTensor {
                elem_type: Some(dtype),
                shape: Some(TensorShapeProto {
                    dim: shape.iter().map(dimension).collect(),
                }),
            }),
            sequence: None,
        }),
    }
}

/// A graph with its name, which ONNX demands and `rten-onnx` does not write.
struct NamedGraph {
    name: String,
    graph: GraphProto,
}

/// A model whose graph has a name; `header` holds everything else.
struct NamedModel {
    header: ModelProto,
    graph: NamedGraph,
}

impl EncodeMessage for NamedGraph {
    fn encode_fields<W: WriteValue>(
        &self,
        fields: &mut MessageWriter<'_, W>,
    ) -> Result<(), ProtobufError> {
        const NAME: u64 = 2;
        fields.write_string(NAME, &self.name)?;
        self.graph.encode_fields(fields)
    }
}

impl EncodeMessage for NamedModel {
    fn encode_fields<W: WriteValue>(
        &self,
        fields: &mut MessageWriter<'_, W>,
    ) -> Result<(), ProtobufError> {
        const GRAPH: u64 = 7;
        self.header.encode_fields(fields)?;
        fields.write_message(GRAPH, &self.graph)
    }
}
