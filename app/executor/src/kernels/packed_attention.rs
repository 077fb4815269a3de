//! Attention on queries, keys and values that are x times weights. The shader has no room for
//! them and lets queries meet x through the weights; here they are made first.

use super::attention::{AttentionParams, Reads, attend};
use crate::arena::Memory;
use crate::recording::Dispatch;

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: AttentionParams = dispatch.params();
    let [width, columns] = params.projected.map(|size| size as usize);
    let [x, weights] = [0, 1].map(|at| memory.floats(&dispatch.inputs[at]));
    let bias = match dispatch.value_of("BIAS") {
        0 => vec![0.0; columns],
        _ => memory.floats(&dispatch.inputs[2]),
    };
    let mut projected = Vec::with_capacity(x.len() / width.max(1) * columns);
    for line in x.chunks_exact(width.max(1)) {
        for (column, shift) in bias.iter().enumerate() {
            let weights = weights.iter().skip(column).step_by(columns);
            let products = line.iter().zip(weights);
            let sum: f64 = products.map(|(x, w)| f64::from(*x) * f64::from(*w)).sum();
            #[expect(clippy::cast_possible_truncation, reason = "as the operator leaves it")]
            projected.push((sum + f64::from(*shift)) as f32);
        }
    }
    let operands = [projected.clone(), projected.clone(), projected];
    let reads = Reads::of(dispatch, memory, operands);
    attend(dispatch, memory, &reads);
}
