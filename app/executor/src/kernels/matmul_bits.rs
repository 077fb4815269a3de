//! y = a bᵀ + bias for weights of few bits in blocks, each with a scale and a zero point.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::elements;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct MatmulBitsParams {
    /// Rows of a and y.
    pub m: u32,
    /// Columns of y.
    pub n: u32,
    /// Columns of a.
    pub k: u32,
    /// Weights of a block.
    pub block: u32,
    /// Blocks of a row of weights.
    pub blocks: u32,
    /// Zero points from one row of weights to the next.
    pub places: u32,
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "weights are small, and the result is an f32"
)]
pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: MatmulBitsParams = dispatch.params();
    let [m, n, k, block, blocks, places] =
        bytemuck::cast::<MatmulBitsParams, [u32; 6]>(params).map(|size| size as usize);
    let bits = dispatch.value_of("BITS");
    let a = memory.floats(&dispatch.inputs[0]);
    let words = memory.words(dispatch.inputs[1].region);
    let scales = memory.floats(&dispatch.inputs[2]);
    let given = dispatch
        .inputs
        .get(3)
        .filter(|_| dispatch.value_of("ZEROS") != 0);
    let packed = |words: &[u32], place: usize| {
        let raw = words[place * bits as usize / 32] >> (place * bits as usize % 32);
        (raw & (u32::MAX >> (32 - bits))) as f32
    };
    let zeros: Option<Vec<f32>> = given.map(|zeros| match elements::is_float(zeros.dtype) {
        true => memory.floats(zeros),
        // As narrow as weights.
        false => {
            let words = memory.words(zeros.region);
            (0..n * places).map(|place| packed(&words, place)).collect()
        }
    });
    let bias = (dispatch.value_of("BIAS") == 1).then(|| memory.floats(&dispatch.inputs[4]));
    let weight = |column: usize, at: usize| {
        let place = column * blocks * block + at;
        let zero = match &zeros {
            Some(zeros) => zeros[column * places + at / block],
            None => (1_u32 << (bits - 1)) as f32,
        };
        f64::from((packed(&words, place) - zero) * scales[column * blocks + at / block])
    };
    let mut y = vec![0.0; m * n];
    for column in 0..n {
        let weights: Vec<f64> = (0..k).map(|at| weight(column, at)).collect();
        let shift = bias.as_ref().map_or(0.0, |bias| f64::from(bias[column]));
        for row in 0..m {
            let values = a[row * k..].iter().zip(&weights);
            let sum: f64 = values.map(|(a, weight)| f64::from(*a) * weight).sum();
            y[row * n + column] = (sum + shift) as f32;
        }
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}
