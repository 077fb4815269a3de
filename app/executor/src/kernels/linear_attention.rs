//! Attention by a state of keys times values that each row changes: the recurrences of Yang et
//! al., "Gated Delta Networks: Improving Mamba2 with Delta Rule", 2024, and what they build on.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct LinearAttentionParams {
    /// Number of batches.
    pub batches: u32,
    /// Rows of each.
    pub rows: u32,
    /// Heads of queries, and of keys and values.
    pub heads: [u32; 2],
    /// Elements of a head of keys, and of values.
    pub sizes: [u32; 2],
    /// Columns of the decays; 0 without.
    pub decays: u32,
    /// Columns of the rates; 0 without.
    pub rates: u32,
    /// Factor of y.
    pub scale: f32,
}

#[expect(clippy::cast_possible_truncation, reason = "the results are f32")]
pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: LinearAttentionParams = dispatch.params();
    let [heads, shared, size, values] = [
        params.heads[0],
        params.heads[1],
        params.sizes[0],
        params.sizes[1],
    ]
    .map(|size| size as usize);
    let wide = |at: usize| -> Vec<f64> {
        let floats = memory.floats(&dispatch.inputs[at]);
        floats.into_iter().map(f64::from).collect()
    };
    let (q, k, v) = (wide(0), wide(1), wide(2));
    let (decays, rates) = (params.decays as usize, params.rates as usize);
    let mut states = match dispatch.value_of("PAST") {
        0 => vec![0.0; params.batches as usize * shared * size * values],
        _ => wide(3),
    };
    let decay = (decays > 0).then(|| wide(4));
    let rate = (rates > 0).then(|| wide(5));
    let mut y = vec![0.0; params.batches as usize * params.rows as usize * heads * values];
    for line in 0..params.batches as usize * params.rows as usize {
        let batch = line / params.rows as usize;
        for head in 0..shared {
            let state = &mut states[(batch * shared + head) * size * values..][..size * values];
            let key = &k[(line * shared + head) * size..][..size];
            let value = &v[(line * shared + head) * values..][..values];
            if let Some(decay) = &decay {
                for (d, row) in state.chunks_exact_mut(values).enumerate() {
                    let of = if decays > shared {
                        head * size + d
                    } else {
                        head
                    };
                    let factor = decay[line * decays + of].exp();
                    row.iter_mut().for_each(|x| *x *= factor);
                }
            }
            for (column, &value) in value.iter().enumerate() {
                let held = (0..size).map(|d| state[d * values + column] * key[d]);
                let change = match &rate {
                    Some(rate) => {
                        let of = if rates > 1 { head } else { 0 };
                        rate[line * rates + of] * (value - held.sum::<f64>())
                    }
                    None => value,
                };
                (0..size).for_each(|d| state[d * values + column] += key[d] * change);
            }
            for query in (head * heads / shared..).take(heads / shared) {
                let row = &q[(line * heads + query) * size..][..size];
                for column in 0..values {
                    let products = row.iter().enumerate();
                    let sum: f64 = products.map(|(d, q)| q * state[d * values + column]).sum();
                    let at = (line * heads + query) * values + column;
                    y[at] = (f64::from(params.scale) * sum) as f32;
                }
            }
        }
    }
    let states: Vec<f32> = states.into_iter().map(|x| x as f32).collect();
    memory.put_floats(&dispatch.outputs[0], &y);
    memory.put_floats(&dispatch.outputs[1], &states);
}
