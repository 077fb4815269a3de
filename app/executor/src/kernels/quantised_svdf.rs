//! A filter over quantised features of the last steps, which are elements of 16 bits.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::fixed_point::Factor;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct QuantisedSvdfParams {
    /// Number of elements of y.
    pub count: u32,
    /// Elements of y for each sequence.
    pub units: u32,
    /// Elements of an input.
    pub size: u32,
    /// Features of a unit.
    pub rank: u32,
    /// Steps that count.
    pub steps: u32,
    /// Zero points of x and y.
    pub zeros: [i32; 2],
    /// Mantissa and shift of what features are multiplied by.
    pub feature: [i32; 2],
    /// Mantissa and shift of what sums are multiplied by.
    pub sum: [i32; 2],
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: QuantisedSvdfParams = dispatch.params();
    let [x, of_x, of_steps, bias, state] =
        [0, 1, 2, 3, 4].map(|at| super::narrow(memory, &dispatch.inputs[at]));
    let (steps, rank) = (params.steps as usize, params.rank as usize);
    let mut carried = Vec::with_capacity(state.len());
    for (row, held) in (0..).zip(state.chunks(steps)) {
        carried.extend(&held[1..]);
        carried.push(params.newest(row, &x, &of_x));
    }
    if dispatch.value_of("CARRY") == 1 {
        let carried: Vec<i64> = carried.into_iter().map(i64::from).collect();
        return memory.put_ints(&dispatch.outputs[0], &carried);
    }
    let has_bias = dispatch.value_of("BIAS") == 1;
    let sums = carried.chunks(steps * rank).enumerate().map(|(at, held)| {
        let unit = at % params.units as usize;
        let weights = of_steps[unit * rank * steps..].iter();
        let products = held.iter().zip(weights).map(|(x, w)| x.wrapping_mul(*w));
        let bias = if has_bias { bias[unit] } else { 0 };
        let sum = products.fold(bias, i32::wrapping_add);
        let y = factor(params.sum).times(sum).wrapping_add(params.zeros[1]);
        i64::from(y.clamp(i8::MIN.into(), i8::MAX.into()))
    });
    let y: Vec<i64> = sums.collect();
    memory.put_ints(&dispatch.outputs[0], &y);
}

fn factor([mantissa, shift]: [i32; 2]) -> Factor {
    Factor { mantissa, shift }
}

impl QuantisedSvdfParams {
    /// The feature of x that belongs to a row of the state.
    fn newest(&self, row: u32, x: &[i32], of_x: &[i32]) -> i32 {
        let (features, size) = (self.units * self.rank, self.size as usize);
        let x = &x[(row / features) as usize * size..][..size];
        let weights = &of_x[(row % features) as usize * size..][..size];
        let products = x.iter().zip(weights);
        let products = products.map(|(x, w)| (x - self.zeros[0]).wrapping_mul(*w));
        let sum = products.fold(0, i32::wrapping_add);
        let feature = factor(self.feature).times(sum);
        feature.clamp(i16::MIN.into(), i16::MAX.into())
    }
}
