//! Writes small TFLite models with the `flatbuffers` crate, whose writer shares no code with
//! our reader. Field numbers are those of the schema.

use flatbuffers::{FlatBufferBuilder, ForwardsUOffset, UnionWIPOffset, VOffsetT, WIPOffset};

pub(crate) type Table = WIPOffset<flatbuffers::TableFinishedWIPOffset>;

/// A written vector of tables.
type List<'b> =
    WIPOffset<flatbuffers::Vector<'b, ForwardsUOffset<flatbuffers::TableFinishedWIPOffset>>>;

#[derive(Clone, Default)]
pub(crate) struct Tensor {
    pub(crate) name: &'static str,
    pub(crate) shape: Vec<i32>,
    pub(crate) signature: Vec<i32>,
    pub(crate) dtype: i8,
    pub(crate) buffer: u32,
    pub(crate) variable: bool,
    pub(crate) quantization: Option<Quantization>,
    pub(crate) sparsity: Option<Sparsity>,
}

/// Scales, zero points and the axis along which they differ.
pub(crate) type Quantization = (Vec<f32>, Vec<i64>, i32);

/// Traversal order, block map and levels: a dense size, or segments and indices as bytes.
pub(crate) type Sparsity = (Vec<i32>, Vec<i32>, Vec<Level>);

#[derive(Clone)]
pub(crate) enum Level {
    Dense(i32),
    Compressed(Vec<u8>, Vec<u8>),
}

#[derive(Clone, Default)]
pub(crate) struct Operator {
    pub(crate) code: u32,
    pub(crate) inputs: Vec<i32>,
    pub(crate) outputs: Vec<i32>,
    /// Member of the union `BuiltinOptions`, and 32-bit fields by number.
    pub(crate) options: Option<(u8, Vec<(u16, i32)>)>,
}

#[derive(Clone)]
pub(crate) struct Model {
    pub(crate) version: u32,
    /// Builtin codes, with a name for those that are custom.
    pub(crate) codes: Vec<(i32, &'static str)>,
    pub(crate) tensors: Vec<Tensor>,
    pub(crate) inputs: Vec<i32>,
    pub(crate) outputs: Vec<i32>,
    pub(crate) operators: Vec<Operator>,
    /// Buffers after the empty one.
    pub(crate) buffers: Vec<Vec<u8>>,
    /// Which subgraph the first signature runs.
    pub(crate) signature: Option<u32>,
    /// How many empty subgraphs follow.
    pub(crate) others: usize,
    /// Tensors of a last subgraph, which has no operators; none for no such subgraph.
    pub(crate) beside: Vec<Tensor>,
    /// Names of metadata, each with the contents of a buffer of its own.
    pub(crate) metadata: Vec<(&'static str, Vec<u8>)>,
    /// What the model says of itself.
    pub(crate) description: Option<&'static str>,
    /// Whether the list of buffers is left out.
    pub(crate) bare: bool,
    /// Whether the last buffer lies after the FlatBuffers part.
    pub(crate) outside: bool,
    /// Whether the root has a field that no schema has.
    pub(crate) unknown: bool,
}

impl Default for Model {
    /// `y = RELU6(CONV_2D(x, w, b))`, x of 1×8×8×3, w of 4×3×3×3, SAME, stride 2.
    fn default() -> Self {
        let tensor = |name, shape: &[i32], buffer| Tensor {
            name,
            shape: shape.to_vec(),
            buffer,
            ..Tensor::default()
        };
        Self {
            version: 3,
            codes: vec![(3, ""), (21, "")],
            tensors: vec![
                tensor("x", &[1, 8, 8, 3], 0),
                tensor("w", &[4, 3, 3, 3], 1),
                tensor("b", &[4], 0),
                tensor("c", &[1, 4, 4, 4], 0),
                tensor("y", &[1, 4, 4, 4], 0),
            ],
            inputs: vec![0],
            outputs: vec![4],
            operators: vec![
                Operator {
                    code: 0,
                    inputs: vec![0, 1, 2],
                    outputs: vec![3],
                    options: Some((1, vec![(1, 2), (2, 2)])),
                },
                Operator {
                    code: 1,
                    inputs: vec![3],
                    outputs: vec![4],
                    options: None,
                },
            ],
            buffers: vec![vec![7; 432]],
            signature: None,
            others: 0,
            beside: Vec::new(),
            metadata: Vec::new(),
            description: None,
            bare: false,
            outside: false,
            unknown: false,
        }
    }
}

impl Model {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut b = FlatBufferBuilder::new();
        let codes: Vec<Table> = self
            .codes
            .iter()
            .map(|code| self.code(&mut b, *code))
            .collect();
        let codes = b.create_vector(&codes);
        let mut subgraphs = vec![self.main(&mut b)];
        for _ in 0..self.others {
            let start = b.start_table();
            subgraphs.push(b.end_table(start));
        }
        if !self.beside.is_empty() {
            let tensors: Vec<Table> = self.beside.iter().map(|it| it.write(&mut b)).collect();
            let tensors = b.create_vector(&tensors);
            let start = b.start_table();
            b.push_slot_always(field(0), tensors);
            subgraphs.push(b.end_table(start));
        }
        let subgraphs = b.create_vector(&subgraphs);
        let (buffers, metadata) = self.contents(&mut b);
        let description = self.description.map(|text| b.create_string(text));
        let signatures = self.signature.map(|subgraph| {
            let start = b.start_table();
            b.push_slot_always(field(4), subgraph);
            let signature = b.end_table(start);
            b.create_vector(&[signature])
        });
        let start = b.start_table();
        b.push_slot_always(field(0), self.version);
        b.push_slot_always(field(1), codes);
        b.push_slot_always(field(2), subgraphs);
        if let Some(description) = description {
            b.push_slot_always(field(3), description);
        }
        if !self.bare {
            b.push_slot_always(field(4), buffers);
        }
        if let Some(metadata) = metadata {
            b.push_slot_always(field(6), metadata);
        }
        if self.unknown {
            b.push_slot_always(field(8), 1_u32);
        }
        if let Some(signatures) = signatures {
            b.push_slot_always(field(7), signatures);
        }
        let model = b.end_table(start);
        b.finish(model, Some("TFL3"));
        b.finished_data().to_vec()
    }

    /// The list of buffers and that of metadata.
    fn contents<'b>(&self, b: &mut FlatBufferBuilder<'b>) -> (List<'b>, Option<List<'b>>) {
        let start = b.start_table();
        let mut buffers = vec![b.end_table(start)];
        let own = self.metadata.iter().map(|(_, data)| data);
        for data in self.buffers.iter().chain(own) {
            let data = b.create_vector(data);
            let start = b.start_table();
            b.push_slot_always(field(0), data);
            buffers.push(b.end_table(start));
        }
        if self.outside {
            let start = b.start_table();
            b.push_slot_always(field(1), 1_u64 << 31);
            b.push_slot_always(field(2), 4_u64);
            buffers.push(b.end_table(start));
        }
        let first = u32::try_from(self.buffers.len()).expect("few buffers") + 1;
        let mut entries: Vec<Table> = Vec::new();
        for ((name, _), buffer) in self.metadata.iter().zip(first..) {
            let name = b.create_string(name);
            let start = b.start_table();
            b.push_slot_always(field(0), name);
            b.push_slot_always(field(1), buffer);
            entries.push(b.end_table(start));
        }
        let metadata = (!entries.is_empty()).then(|| b.create_vector(&entries));
        (b.create_vector(&buffers), metadata)
    }

    fn code(&self, b: &mut FlatBufferBuilder<'_>, (code, custom): (i32, &str)) -> Table {
        let custom = b.create_string(custom);
        let start = b.start_table();
        b.push_slot_always(field(0), i8::try_from(code.min(127)).expect("at most 127"));
        b.push_slot_always(field(1), custom);
        b.push_slot_always(field(3), code);
        b.end_table(start)
    }

    fn main(&self, b: &mut FlatBufferBuilder<'_>) -> Table {
        let tensors: Vec<Table> = self.tensors.iter().map(|tensor| tensor.write(b)).collect();
        let tensors = b.create_vector(&tensors);
        let operators: Vec<Table> = self.operators.iter().map(|op| op.write(b)).collect();
        let operators = b.create_vector(&operators);
        let inputs = b.create_vector(&self.inputs);
        let outputs = b.create_vector(&self.outputs);
        let name = b.create_string("main");
        let start = b.start_table();
        b.push_slot_always(field(0), tensors);
        b.push_slot_always(field(1), inputs);
        b.push_slot_always(field(2), outputs);
        b.push_slot_always(field(3), operators);
        b.push_slot_always(field(4), name);
        b.end_table(start)
    }
}

impl Tensor {
    fn write(&self, b: &mut FlatBufferBuilder<'_>) -> Table {
        let shape = b.create_vector(&self.shape);
        let signature = (!self.signature.is_empty()).then(|| b.create_vector(&self.signature));
        let name = b.create_string(self.name);
        let quantization = self.quantization.as_ref().map(|of| quantization(b, of));
        let sparsity = self.sparsity.as_ref().map(|of| sparsity(b, of));
        let start = b.start_table();
        b.push_slot_always(field(0), shape);
        b.push_slot_always(field(1), self.dtype);
        b.push_slot_always(field(2), self.buffer);
        b.push_slot_always(field(3), name);
        if let Some(quantization) = quantization {
            b.push_slot_always(field(4), quantization);
        }
        b.push_slot_always(field(5), self.variable);
        if let Some(sparsity) = sparsity {
            b.push_slot_always(field(6), sparsity);
        }
        if let Some(signature) = signature {
            b.push_slot_always(field(7), signature);
        }
        b.end_table(start)
    }
}

fn quantization(b: &mut FlatBufferBuilder<'_>, (scales, zeros, axis): &Quantization) -> Table {
    let scales = b.create_vector(scales);
    let zeros = b.create_vector(zeros);
    let start = b.start_table();
    b.push_slot_always(field(2), scales);
    b.push_slot_always(field(3), zeros);
    b.push_slot_always(field(6), *axis);
    b.end_table(start)
}

fn sparsity(b: &mut FlatBufferBuilder<'_>, (order, blocks, levels): &Sparsity) -> Table {
    let order = b.create_vector(order);
    let blocks = b.create_vector(blocks);
    let levels: Vec<Table> = levels.iter().map(|level| level.write(b)).collect();
    let levels = b.create_vector(&levels);
    let start = b.start_table();
    b.push_slot_always(field(0), order);
    b.push_slot_always(field(1), blocks);
    b.push_slot_always(field(2), levels);
    b.end_table(start)
}

impl Level {
    fn write(&self, b: &mut FlatBufferBuilder<'_>) -> Table {
        const BYTES: u8 = 3;
        match self {
            Self::Dense(size) => {
                let start = b.start_table();
                b.push_slot_always(field(0), 0_i8);
                b.push_slot_always(field(1), *size);
                b.end_table(start)
            }
            Self::Compressed(segments, indices) => {
                let [segments, indices] = [segments, indices].map(|values| {
                    let values = b.create_vector(values);
                    let start = b.start_table();
                    b.push_slot_always(field(0), values);
                    b.end_table(start).as_union_value()
                });
                let start = b.start_table();
                b.push_slot_always(field(0), 1_i8);
                b.push_slot_always(field(2), BYTES);
                b.push_slot_always(field(3), segments);
                b.push_slot_always(field(4), BYTES);
                b.push_slot_always(field(5), indices);
                b.end_table(start)
            }
        }
    }
}

impl Operator {
    fn write(&self, b: &mut FlatBufferBuilder<'_>) -> Table {
        let inputs = b.create_vector(&self.inputs);
        let outputs = b.create_vector(&self.outputs);
        let options = self.options.as_ref().map(|(member, fields)| {
            let start = b.start_table();
            for &(id, value) in fields {
                b.push_slot_always(field(id), value);
            }
            let table: WIPOffset<UnionWIPOffset> = b.end_table(start).as_union_value();
            (*member, table)
        });
        let start = b.start_table();
        b.push_slot_always(field(0), self.code);
        b.push_slot_always(field(1), inputs);
        b.push_slot_always(field(2), outputs);
        if let Some((member, table)) = options {
            b.push_slot_always(field(3), member);
            b.push_slot_always(field(4), table);
        }
        b.end_table(start)
    }
}

/// Where the vtable has the field with this number.
fn field(id: u16) -> VOffsetT {
    4 + 2 * id
}
