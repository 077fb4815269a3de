//! The same model for another number of samples.

use super::{Attribute, Content, DType, Dim, Graph, Op, Role, TensorId};
use crate::operators::Operator;

impl Graph {
    /// For how many samples the model is written: the first of two or more dimensions of its
    /// first input that has so many; `None` where the file does not fix it.
    #[must_use]
    pub fn batch(&self) -> Option<u64> {
        let mut inputs = self.inputs.iter().map(|input| self.tensor(*input));
        let declared = inputs.find_map(|input| input.declared.as_ref().filter(|it| it.len() > 1));
        match declared?.first()? {
            Dim::Fixed(samples) if *samples > 0 => Some(*samples),
            _ => None,
        }
    }

    /// The model for `batch` samples: the first dimension of its inputs is that, and so is the
    /// first dimension that a Reshape is given as a constant, where it was the number of samples.
    /// What the file declares of other tensors holds for its own batch only and is left out, so
    /// that an operator that cannot be sized has no size. `None` as for [`Graph::batch`].
    #[must_use]
    pub fn with_batch(&self, batch: u64) -> Option<Self> {
        let samples = self.batch()?;
        let mut graph = self.clone();
        graph.offline.clear();
        let is_input: Vec<bool> = graph.marked(&graph.inputs);
        for (index, tensor) in graph.tensors.iter_mut().enumerate() {
            let first = tensor.declared.as_mut().filter(|it| it.len() > 1);
            match (is_input[index], first.and_then(|dims| dims.first_mut())) {
                (true, Some(first)) if *first == Dim::Fixed(samples) => *first = Dim::Fixed(batch),
                (true, _) => {}
                (false, _) if tensor.role == Role::Constant => {}
                (false, _) => tensor.declared = None,
            }
        }
        graph.reshape(samples, batch);
        Some(graph)
    }

    fn marked(&self, ids: &[TensorId]) -> Vec<bool> {
        let mut marked = vec![false; self.tensors.len()];
        for id in ids {
            marked[id.index()] = true;
        }
        marked
    }

    /// Gives each Reshape the number of samples. A shape that something else reads, too, stays.
    fn reshape(&mut self, samples: u64, batch: u64) {
        let Some((old, new)) = i64::try_from(samples).ok().zip(i64::try_from(batch).ok()) else {
            return;
        };
        let is_reshape = |op: &Op| op.operator == Operator::Reshape;
        let shapes = self.ops.iter().filter(|op| is_reshape(op));
        let shapes: Vec<TensorId> = shapes
            .filter_map(|op| op.inputs.get(1).copied().flatten())
            .collect();
        let others = self.ops.iter().filter(|op| !is_reshape(op));
        let others: Vec<TensorId> = others
            .flat_map(|op| op.inputs.iter().flatten().chain(&op.captures).copied())
            .collect();
        let shared = self.marked(&others);
        for shape in shapes.into_iter().filter(|shape| !shared[shape.index()]) {
            let tensor = &mut self.tensors[shape.index()];
            if let Content::Inline(elements) = &mut tensor.content {
                rewrite(elements, tensor.dtype, (old, new));
            }
        }
        for op in self.ops.iter_mut().filter(|op| is_reshape(op)) {
            let given = op.attributes.iter_mut().find_map(|(_, value)| match value {
                Attribute::Ints(given) if given.len() > 1 => given.first_mut(),
                _ => None,
            });
            if let Some(first) = given.filter(|first| **first == old) {
                *first = new;
            }
        }
    }
}

/// Puts the new number of samples into the elements of a shape of two or more dimensions.
fn rewrite(elements: &mut [u8], dtype: DType, (old, new): (i64, i64)) {
    match dtype {
        DType::I64 if elements.len() > 8 && elements[..8] == old.to_le_bytes() => {
            elements[..8].copy_from_slice(&new.to_le_bytes());
        }
        DType::I32 if elements.len() > 4 => {
            if let (Ok(old), Ok(new)) = (i32::try_from(old), i32::try_from(new))
                && elements[..4] == old.to_le_bytes()
            {
                elements[..4].copy_from_slice(&new.to_le_bytes());
            }
        }
        _ => {}
    }
}
