//! The rows that ids, positions and segments choose of their tables, added up; or, where `COUNT`
//! is 1, how many ids of each batch are not 0.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct EmbedParams {
    /// Number of elements of y.
    pub count: u32,
    /// Ids of a batch.
    pub length: u32,
    /// Elements of a row.
    pub columns: u32,
    /// Rows of the tables of ids, positions and segments.
    pub rows: [u32; 3],
    /// Batches with positions of their own.
    pub batches: u32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: EmbedParams = dispatch.params();
    let ids = memory.ints(&dispatch.inputs[0]);
    let [count, length, columns] =
        [params.count, params.length, params.columns].map(|size| size as usize);
    if dispatch.value_of("COUNT") == 1 {
        let batches = ids.chunks(length.max(1));
        let found = batches.map(|ids| ids.iter().filter(|id| **id != 0).count());
        let found: Vec<i64> = found
            .map(|n| i64::try_from(n).unwrap_or_default())
            .collect();
        memory.put_ints(&dispatch.outputs[0], &found);
        return;
    }
    let given = |name: &str, at: usize| {
        (dispatch.value_of(name) != 0).then(|| memory.ints(&dispatch.inputs[at]))
    };
    let (segments, positions) = (given("SEGMENT_WORDS", 3), given("POSITION_WORDS", 5));
    let tables = [1, 2, 4].map(|at| memory.floats(&dispatch.inputs[at]));
    let element = |table: usize, row: i64, column: usize| {
        let row = row.clamp(0, i64::from(params.rows[table]) - 1);
        tables[table][usize::try_from(row).unwrap_or_default() * columns + column]
    };
    let mut y = Vec::with_capacity(count);
    for i in 0..count {
        let (token, column) = (i / columns, i % columns);
        let (batch, place) = (token / length, token % length);
        let position = match &positions {
            Some(positions) => positions[batch % params.batches as usize * length + place],
            None => i64::try_from(place).unwrap_or_default(),
        };
        let sum = element(0, ids[token], column) + element(1, position, column);
        let segment = segments.as_ref().map(|segments| segments[token]);
        y.push(sum + segment.map_or(0.0, |segment| element(2, segment, column)));
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}
