//! Constants that lowering works out itself.

use std::sync::Arc;

use planner::graph::DType;

use crate::recording::{Operand, Region, Space};

/// A constant that is no tensor of the graph, beside the output that it belongs to.
pub(crate) fn table(y: &Operand, dtype: DType, words: Vec<u32>) -> Operand {
    let count = u32::try_from(words.len()).unwrap_or(u32::MAX);
    let width = dtype.bits().unwrap_or(32);
    let elements = u32::try_from(u64::from(count) * 32 / width).unwrap_or(u32::MAX);
    Operand {
        tensor: y.tensor,
        name: format!("{}.table", y.name),
        region: Region {
            space: Space::Weights(0),
            word: 0,
            words: count,
        },
        buffer: None,
        dims: vec![elements],
        strides: Vec::new(),
        dtype,
        held: Some(Arc::new(words)),
    }
}
