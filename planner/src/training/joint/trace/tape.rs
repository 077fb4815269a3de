//! The joint graph as it grows: nodes with their shapes.

use super::super::{Class, JointGraph, JointNode};
use crate::training::backward::layout::Layout;
use crate::units::Bytes;

/// A node of the joint graph.
pub(super) type Value = usize;

/// What a node writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) dims: Vec<u64>,
    /// Bytes of an element.
    pub(super) item: u64,
    /// Whether there is one for every sample of the batch.
    pub(super) each_sample: bool,
}

impl Shape {
    /// The same elements of another size or in another shape.
    pub(super) fn with(&self, dims: &[u64], item: u64) -> Self {
        Self {
            dims: dims.to_vec(),
            item,
            ..*self
        }
    }

    pub(super) fn elements(&self) -> Option<u64> {
        let dims = self.dims.iter();
        dims.copied().try_fold(1_u64, u64::checked_mul)
    }
}

/// A joint graph, and what beside it follows from the operators.
#[derive(Debug, Default)]
pub(super) struct Tape {
    pub(super) graph: JointGraph,
    pub(super) shapes: Vec<Shape>,
    /// How the elements of each node lie.
    pub(super) layouts: Vec<Layout>,
    /// What computing each node costs, a multiplication with its addition as one.
    pub(super) costs: Vec<u64>,
    /// Of a gradient, the node whose value it is the gradient of.
    pub(super) gradient_of: Vec<Option<Value>>,
    /// What the names of nodes begin with.
    pub(super) prefix: String,
    pub(super) batch: u64,
    /// Whether a number was beyond 64 bits.
    pub(super) too_large: bool,
}

impl Tape {
    /// The bytes of a shape; beyond 64 bits nothing, which is noted.
    fn bytes(&mut self, shape: &Shape) -> u64 {
        let samples = if shape.each_sample { self.batch } else { 1 };
        let bytes = shape.elements().and_then(|it| it.checked_mul(shape.item));
        let bytes = bytes.and_then(|it| it.checked_mul(samples));
        self.too_large |= bytes.is_none();
        bytes.unwrap_or_default()
    }

    /// A node that reads `operands`.
    pub(super) fn node(
        &mut self,
        class: Class,
        name: &str,
        operands: &[Value],
        shape: Shape,
    ) -> Value {
        let bytes = self.bytes(&shape);
        let primal = |node: &Value| self.graph.nodes[*node].class.is_primal();
        let of_input = |node: &Value| primal(node) || self.graph.nodes[*node].of_input;
        let read = operands.iter().map(|it| self.elements(*it));
        let is_free = class.is_placeholder() || matches!(class, Class::View | Class::Item);
        let cost = match is_free {
            true => 0,
            false => read.fold(0, u64::saturating_add),
        };
        self.graph.nodes.push(JointNode {
            name: match self.prefix.is_empty() {
                true => name.to_owned(),
                false => format!("{}.{name}", self.prefix),
            },
            operator: name.to_owned(),
            class,
            bytes: Bytes(bytes),
            several: false,
            of_input: class == Class::View && operands.iter().any(of_input),
            runtime: 1,
            operands: operands.to_vec(),
            listed: Vec::new(),
        });
        self.shapes.push(shape);
        self.layouts.push(Layout::InOrder);
        self.costs.push(cost);
        self.gradient_of.push(None);
        self.graph.nodes.len() - 1
    }

    /// How many elements a node has in all samples.
    pub(super) fn elements(&self, node: Value) -> u64 {
        let shape = &self.shapes[node];
        let samples = if shape.each_sample { self.batch } else { 1 };
        shape.elements().unwrap_or(u64::MAX).saturating_mul(samples)
    }

    pub(super) fn dims(&self, node: Value) -> Vec<u64> {
        self.shapes[node].dims.clone()
    }

    /// Arithmetic on the elements at the same place, broadcast.
    pub(super) fn each(&mut self, name: &str, operands: &[Value]) -> Value {
        let shape = self.broadcast(operands);
        self.node(Class::Recomputable, name, operands, shape)
    }

    /// The same with a result of one byte an element.
    pub(super) fn mask(&mut self, name: &str, operands: &[Value]) -> Value {
        let shape = Shape {
            item: 1,
            ..self.broadcast(operands)
        };
        self.node(Class::Recomputable, name, operands, shape)
    }

    fn broadcast(&self, operands: &[Value]) -> Shape {
        let mut found = Shape::default();
        for &node in operands {
            let own = &self.shapes[node];
            let longer = own.dims.len().max(found.dims.len());
            let at = |dims: &[u64], place: usize| {
                let from_end = longer - place;
                dims.len().checked_sub(from_end).map_or(1, |at| dims[at])
            };
            let dims = (0..longer).map(|it| match at(&found.dims, it) {
                1 => at(&own.dims, it),
                dim => dim,
            });
            found = Shape {
                dims: dims.collect(),
                // A mask among numbers chooses of them.
                item: found.item.max(own.item),
                each_sample: found.each_sample || own.each_sample,
            };
        }
        found
    }

    /// A view of `x` in another shape.
    pub(super) fn view(&mut self, name: &str, x: Value, dims: &[u64]) -> Value {
        let shape = self.shapes[x].with(dims, self.shapes[x].item);
        self.node(Class::View, name, &[x], shape)
    }

    /// The elements of `x` in another shape: a view, after a copy where they do not lie so.
    pub(super) fn reshape(&mut self, name: &str, x: Value, dims: &[u64]) -> Value {
        let seen = self.layouts[x].reshaped(&self.dims(x), dims);
        let source = match seen {
            Some(_) => x,
            None => self.each("clone", &[x]),
        };
        let view = self.view(name, source, dims);
        self.layouts[view] = seen.unwrap_or_default();
        view
    }

    /// A view of `x` in the same shape.
    pub(super) fn seen(&mut self, name: &str, x: Value) -> Value {
        let dims = self.dims(x);
        let view = self.view(name, x, &dims);
        self.layouts[view] = self.layouts[x].clone();
        view
    }

    /// `x` reduced to these dimensions.
    pub(super) fn reduce(&mut self, name: &str, x: Value, dims: &[u64]) -> Value {
        let shape = self.shapes[x].with(dims, self.shapes[x].item);
        self.node(Class::Recomputable, name, &[x], shape)
    }

    /// The dimensions of `x` with those of `axes` 1.
    pub(super) fn reduced(&self, x: Value, axes: &[usize]) -> Vec<u64> {
        let dims = self.shapes[x].dims.iter().enumerate();
        dims.map(|(axis, dim)| if axes.contains(&axis) { 1 } else { *dim })
            .collect()
    }

    /// One number everywhere.
    pub(super) fn full(&mut self, name: &str, like: &Shape) -> Value {
        self.node(Class::Recomputable, name, &[], like.clone())
    }

    /// A product, a convolution or the like with so many multiplications for a sample.
    pub(super) fn intensive(
        &mut self,
        name: &str,
        operands: &[Value],
        shape: Shape,
        products: u64,
    ) -> Value {
        let products = products.saturating_mul(self.batch);
        let node = self.node(Class::ComputeIntensive, name, operands, shape);
        self.costs[node] = products;
        self.graph.nodes[node].runtime = products.saturating_mul(2).max(1);
        node
    }

    /// The items of a node with several results.
    pub(super) fn items(&mut self, several: Value, shapes: &[Shape]) -> Vec<Value> {
        let mut bytes = 0_u64;
        let mut made = Vec::new();
        for (place, shape) in shapes.iter().enumerate() {
            let name = format!("item{place}");
            let item = self.node(Class::Item, &name, &[several], shape.clone());
            bytes = bytes.saturating_add(self.graph.nodes[item].bytes.0);
            made.push(item);
        }
        self.graph.nodes[several].several = true;
        self.graph.nodes[several].bytes = Bytes(bytes);
        made
    }

    /// `gradient`, which has the shape that an operand was broadcast to, summed up to the shape of
    /// `of`.
    pub(super) fn summed_to(&mut self, gradient: Value, of: Value) -> Value {
        let (own, wanted) = (self.shapes[gradient].clone(), self.shapes[of].clone());
        if own.dims == wanted.dims && own.each_sample == wanted.each_sample {
            return gradient;
        }
        let missing = own.dims.len().saturating_sub(wanted.dims.len());
        let mut kept = vec![1; missing];
        kept.extend(&wanted.dims);
        let shape = Shape {
            dims: kept.clone(),
            item: own.item,
            each_sample: wanted.each_sample,
        };
        let sum = self.node(Class::Recomputable, "sum", &[gradient], shape);
        match missing {
            0 => sum,
            _ => self.view("view", sum, &wanted.dims),
        }
    }
}
