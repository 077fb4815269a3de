//! y[i] = f(a[j], b[k]) with j and k by broadcasting.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::kernels::MAX_RANK;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. Dimensions lie innermost first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Params {
    /// Number of elements of the output.
    pub count: u32,
    /// Number of dimensions.
    pub rank: u32,
    /// Nothing.
    pub pad: [u32; 2],
    /// Dimensions of the output.
    pub dims: [u32; MAX_RANK],
    /// Strides of the first input in elements, 0 where it is broadcast.
    pub a: [u32; MAX_RANK],
    /// Strides of the second input.
    pub b: [u32; MAX_RANK],
}

/// The function: the `override` constant `OP`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[expect(missing_docs, reason = "each is the operator of the same name in ONNX")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Max,
    Min,
    Pow,
    PRelu,
    SquaredDifference,
    /// Remainder with the sign of the divisor.
    FloorMod,
    /// Remainder with the sign of the dividend.
    Fmod,
}

const OPS: [BinaryOp; 11] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Max,
    BinaryOp::Min,
    BinaryOp::Pow,
    BinaryOp::PRelu,
    BinaryOp::SquaredDifference,
    BinaryOp::FloorMod,
    BinaryOp::Fmod,
];

impl BinaryOp {
    /// The value of the shader's `OP`.
    #[must_use]
    pub fn code(self) -> u32 {
        self as u32
    }

    /// The function itself.
    #[must_use]
    pub fn apply(self, a: f32, b: f32) -> f32 {
        match self {
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::Mul => a * b,
            Self::Div => a / b,
            Self::Max => a.max(b),
            Self::Min => a.min(b),
            Self::Pow => a.powf(b),
            Self::PRelu => {
                if a >= 0.0 {
                    a
                } else {
                    a * b
                }
            }
            Self::SquaredDifference => (a - b) * (a - b),
            Self::FloorMod => a - b * (a / b).floor(),
            Self::Fmod => a % b,
        }
    }
}

pub(super) fn twin(dispatch: &Dispatch, memory: &mut Memory) {
    let params: Params = dispatch.params();
    let op = OPS
        .get(dispatch.value_of("OP") as usize)
        .copied()
        .unwrap_or(BinaryOp::Add);
    let a = memory.floats(&dispatch.inputs[0]);
    let b = memory.floats(&dispatch.inputs[1]);
    let rank = params.rank as usize;
    let at = |mut rest: u32, strides: &[u32; MAX_RANK]| {
        let mut index = 0;
        for (&size, &stride) in params.dims.iter().zip(strides).take(rank) {
            index += rest % size * stride;
            rest /= size;
        }
        index as usize
    };
    let same = dispatch.value_of("SAME") == 1;
    let element = |i: u32| {
        if same {
            op.apply(a[i as usize], b[i as usize])
        } else {
            op.apply(a[at(i, &params.a)], b[at(i, &params.b)])
        }
    };
    let y: Vec<f32> = (0..params.count).map(element).collect();
    memory.put_floats(&dispatch.outputs[0], &y);
}
