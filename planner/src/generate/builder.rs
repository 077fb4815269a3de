//! Tensors and operators of a graph that is being written.

use crate::graph::{
    Attribute, Content, DType, Dialect, Dim, Graph, Op, Role, Shape, Symbol, SymbolId, Tensor,
    TensorId, element_type,
};
use crate::operators::Operator;

/// The first version of ONNX's operators with attention, rotary positions and RMS normalisation.
const OPSET: u32 = 24;

/// A figure as an attribute; descriptions have none that does not fit.
pub(super) fn whole(figure: u64) -> i64 {
    i64::try_from(figure).unwrap_or(i64::MAX)
}

/// A graph that is being written; names begin with the part that is.
pub(super) struct Builder {
    pub(super) graph: Graph,
    /// The type of what operators write.
    pub(super) dtype: DType,
    /// The type of weights.
    weights: DType,
    scope: Vec<String>,
}

impl Builder {
    pub(super) fn new(name: &str, dtype: DType, weights: DType) -> Self {
        let graph = Graph {
            name: name.to_owned(),
            dialect: Dialect::Onnx { opset: OPSET },
            ..Graph::default()
        };
        Self {
            graph,
            dtype,
            weights,
            scope: Vec::new(),
        }
    }

    /// Writes a part, whose names begin with `part`.
    pub(super) fn within<T>(&mut self, part: String, write: impl FnOnce(&mut Self) -> T) -> T {
        self.scope.push(part);
        let written = write(self);
        self.scope.pop();
        written
    }

    /// A dimension that people bind.
    pub(super) fn symbol(&mut self, name: &str, default: u64) -> SymbolId {
        self.graph.symbols.push(Symbol {
            name: name.to_owned(),
            default,
            at_most: false,
        });
        SymbolId(crate::narrow(self.graph.symbols.len() - 1))
    }

    fn add(&mut self, tensor: Tensor) -> TensorId {
        self.graph.tensors.push(tensor);
        TensorId::at(self.graph.tensors.len() - 1)
    }

    fn called(&self, name: &str) -> String {
        let parts = self.scope.iter().map(String::as_str);
        parts.chain([name]).collect::<Vec<_>>().join(".")
    }

    /// What the caller feeds.
    pub(super) fn input(&mut self, name: &str, dtype: DType, shape: Shape) -> TensorId {
        let id = self.add(Tensor {
            declared: Some(shape),
            role: Role::Input,
            ..Tensor::new(self.called(name), dtype)
        });
        self.graph.inputs.push(id);
        id
    }

    /// What is kept from one run to the next.
    pub(super) fn state(&mut self, name: &str, dtype: DType, shape: Shape) -> TensorId {
        self.add(Tensor {
            declared: Some(shape),
            role: Role::State,
            ..Tensor::new(self.called(name), dtype)
        })
    }

    fn constant(&mut self, name: &str, dtype: DType, dims: &[u64], content: Content) -> TensorId {
        self.add(Tensor {
            declared: Some(dims.iter().copied().map(Dim::Fixed).collect()),
            content,
            role: Role::Constant,
            ..Tensor::new(self.called(name), dtype)
        })
    }

    /// A weight, whose elements nobody has.
    pub(super) fn weight(&mut self, name: &str, dims: &[u64]) -> TensorId {
        self.constant(name, self.weights, dims, Content::Stripped)
    }

    /// What is known of positions before the run, in the type of what is computed.
    pub(super) fn table(&mut self, name: &str, dims: &[u64]) -> TensorId {
        self.constant(name, self.dtype, dims, Content::Stripped)
    }

    /// Integers that are known.
    pub(super) fn integers(&mut self, name: &str, values: &[i64]) -> TensorId {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        let content = Content::Inline(bytes.collect());
        self.constant(name, DType::I64, &[values.len() as u64], content)
    }

    /// One by the root of a number, of no dimension, in the type of what is computed.
    pub(super) fn root(&mut self, name: &str, of: u64) -> TensorId {
        let elements = root(of, self.dtype).map_or(Content::Stripped, Content::Inline);
        self.constant(name, self.dtype, &[], elements)
    }

    /// An operator that writes one tensor, which has its name.
    pub(super) fn op(
        &mut self,
        operator: Operator,
        name: &str,
        inputs: &[TensorId],
        attributes: &[(&str, Attribute)],
    ) -> TensorId {
        self.op_of(self.dtype, operator, name, (inputs, attributes))
    }

    /// The same with elements of another type.
    fn op_of(
        &mut self,
        dtype: DType,
        operator: Operator,
        name: &str,
        (inputs, attributes): (&[TensorId], &[(&str, Attribute)]),
    ) -> TensorId {
        let written = self.add(Tensor::new(self.called(name), dtype));
        self.run(operator, name, inputs, attributes, vec![Some(written)]);
        written
    }

    /// An operator that writes into these.
    pub(super) fn run(
        &mut self,
        operator: Operator,
        name: &str,
        inputs: &[TensorId],
        attributes: &[(&str, Attribute)],
        outputs: Vec<Option<TensorId>>,
    ) {
        let mut op = Op::of(self.graph.dialect, operator);
        op.name = self.called(name);
        op.inputs = inputs.iter().copied().map(Some).collect();
        op.outputs = outputs;
        let attributes = attributes.iter();
        op.attributes = attributes
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        self.graph.ops.push(op);
    }

    /// The same elements in other dimensions; 0 keeps the dimension of that place.
    pub(super) fn reshaped(&mut self, name: &str, of: TensorId, dims: &[i64]) -> TensorId {
        let shape = self.integers(&format!("{name}.shape"), dims);
        self.op(Operator::Reshape, name, &[of, shape], &[])
    }

    /// The same elements with their dimensions in another order.
    pub(super) fn transposed(&mut self, name: &str, of: TensorId, order: &[i64]) -> TensorId {
        let order = Attribute::Ints(order.to_vec());
        self.op(Operator::Transpose, name, &[of], &[("perm", order)])
    }

    /// What was taken of a weight, in the type of what is computed.
    pub(super) fn computed(&mut self, name: &str, of: TensorId) -> TensorId {
        if self.weights == self.dtype {
            return of;
        }
        let number = (0..64).find(|number| element_type(*number) == self.dtype);
        let to = [("to", Attribute::Int(number.unwrap_or_default()))];
        self.op(Operator::Cast, name, &[of], &to)
    }

    /// As many of it as the first dimension of `like` has.
    pub(super) fn expanded(
        &mut self,
        name: &str,
        of: TensorId,
        like: TensorId,
        rest: &[i64],
    ) -> TensorId {
        let first = [("start", 0), ("end", 1)].map(|(name, at)| (name, Attribute::Int(at)));
        let count = format!("{name}.count");
        let count = self.op_of(DType::I64, Operator::Shape, &count, (&[like], &first));
        let rest = self.integers(&format!("{name}.rest"), rest);
        let axis = [("axis", Attribute::Int(0))];
        let shape = format!("{name}.shape");
        let parts = [count, rest];
        let shape = self.op_of(DType::I64, Operator::Concat, &shape, (&parts, &axis));
        self.op(Operator::Expand, name, &[of, shape], &[])
    }

    /// A product with a weight of so many rows and columns, and a bias.
    pub(super) fn linear(
        &mut self,
        name: &str,
        of: TensorId,
        (rows, columns): (u64, u64),
        bias: bool,
    ) -> TensorId {
        self.within(name.to_owned(), |it| {
            let weight = it.weight("weight", &[rows, columns]);
            let product = it.op(Operator::MatMul, "product", &[of, weight], &[]);
            match bias {
                false => product,
                true => {
                    let bias = it.weight("bias", &[columns]);
                    it.op(Operator::Add, "sum", &[product, bias], &[])
                }
            }
        })
    }

    /// Some elements are dropped, where training does so; which ones is kept as a mask.
    pub(super) fn dropped(&mut self, name: &str, of: TensorId, drops: bool) -> TensorId {
        if !drops {
            return of;
        }
        let kept = self.add(Tensor::new(self.called(name), self.dtype));
        let mask = self.add(Tensor::new(
            self.called(&format!("{name}.mask")),
            DType::Bool,
        ));
        self.run(
            Operator::Dropout,
            name,
            &[of],
            &[],
            vec![Some(kept), Some(mask)],
        );
        kept
    }

    /// The tensor of this name, which was written before.
    pub(super) fn named(&self, name: &str) -> TensorId {
        let at = self.graph.tensors.iter().position(|it| it.name == name);
        TensorId::at(at.expect("it was written before"))
    }

    /// An operator that writes two tensors.
    pub(super) fn run_two(
        &mut self,
        operator: Operator,
        (first, second): (&str, &str),
        inputs: &[TensorId],
        attributes: &[(&str, Attribute)],
    ) -> [TensorId; 2] {
        let both = [first, second].map(|name| {
            let tensor = Tensor::new(self.called(name), self.dtype);
            self.add(tensor)
        });
        self.run(operator, first, inputs, attributes, both.map(Some).to_vec());
        both
    }

    /// Two parts of the last dimension, of these sizes.
    pub(super) fn split(
        &mut self,
        names: (&str, &str),
        of: TensorId,
        sizes: [u64; 2],
    ) -> [TensorId; 2] {
        let sizes = self.integers(&format!("{}.sizes", names.0), &sizes.map(whole));
        let axis = [("axis", Attribute::Int(-1))];
        self.run_two(Operator::Split, names, &[of, sizes], &axis)
    }
}

/// One by the root of a number of at most 2^24, so between 2^-12 and 1, as a float of this type.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "numbers below 2^24 are whole in 32 bits; of what is shifted the lower half counts"
)]
fn root(of: u64, dtype: DType) -> Option<Vec<u8>> {
    let root = 1.0 / (of.max(1) as f32).sqrt();
    let bits = root.to_bits();
    // To the nearest number with so many bits less, of two the even one.
    let rounded = |less: u32| (bits + (1 << (less - 1)) - 1 + (bits >> less & 1)) >> less;
    Some(match dtype {
        DType::F32 => root.to_le_bytes().to_vec(),
        DType::BF16 => (rounded(16) as u16).to_le_bytes().to_vec(),
        // Its exponent begins at 15 in place of 127.
        DType::F16 => ((rounded(13) - (112 << 10)) as u16).to_le_bytes().to_vec(),
        _ => return None,
    })
}
