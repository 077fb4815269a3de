//! y[i] = table[x[i]] of elements of 8 or 16 bits: what stands at their bits as an unsigned number.
//! Parts of rows may have a table each.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct QuantisedTableParams {
    /// Number of elements.
    pub count: u32,
    /// Elements of a row, where its parts have a table each.
    pub row: u32,
    /// How many parts those are, or 0: where each ends in a row stands before the tables.
    pub parts: u32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: QuantisedTableParams = dispatch.params();
    let words = memory.ints(&dispatch.inputs[1]);
    let (ends, tables) = words.split_at((params.parts as usize).min(words.len()));
    let x = memory.ints(&dispatch.inputs[0]);
    // The bits of a negative element are those of a large unsigned one.
    let size = match ends {
        [] => i64::try_from(tables.len()).unwrap_or(i64::MAX).max(1),
        _ => 256,
    };
    let found = |(i, x): (usize, &i64)| {
        let place = i64::try_from(i).unwrap_or_default() % i64::from(params.row.max(1));
        let part = ends.iter().take_while(|end| **end <= place).count();
        let at = usize::try_from(x.rem_euclid(size)).ok();
        let found = at.and_then(|at| tables.get(256 * part + at));
        found.copied().unwrap_or_default()
    };
    let y: Vec<i64> = x.iter().enumerate().map(found).collect();
    memory.put_ints(&dispatch.outputs[0], &y);
}
