//! One step of an optimizer, element by element.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

codes! {
    /// Which optimizer: the `override` constant `OP`.
    #[expect(
        missing_docs,
        reason = "each is the operator, or mode, of the same name in ONNX"
    )]
    pub enum OptimizerOp {
        Adam,
        Adagrad,
        Momentum,
        Nesterov,
    }
}

/// Parameters, as the shader declares them. `ROLE0` and `ROLE1` say what the outputs are: 1 what
/// is trained, 2 its first moment, 3 the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct TrainingStepParams {
    /// Number of elements.
    pub count: u32,
    /// Decay of the first moment; of Adagrad that of the rate.
    pub alpha: f32,
    /// Decay of the second moment; of momentum what the gradient is multiplied by.
    pub beta: f32,
    /// What is added to a root that is divided by.
    pub epsilon: f32,
    /// How much of what is trained counts as gradient.
    pub norm: f32,
    /// What it shrinks by after the step.
    pub norm_after: f32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: TrainingStepParams = dispatch.params();
    let [rate, x, gradient, first, second] =
        [0, 2, 3, 4, 5].map(|at| memory.floats(&dispatch.inputs[at]));
    let before = memory.ints(&dispatch.inputs[1]);
    let before = before.first().copied().unwrap_or_default();
    let rate = rate.first().copied().unwrap_or_default();
    let op = OptimizerOp::read(dispatch, "OP");
    let steps: Vec<[f32; 3]> = (0..params.count as usize)
        .map(|i| {
            let gradient = params.norm * x[i] + gradient[i];
            let state = [x[i], first[i], second[i]];
            params.step(op, (rate, before), gradient, state)
        })
        .collect();
    for (role, y) in ["ROLE0", "ROLE1"].into_iter().zip(&dispatch.outputs) {
        let role = (dispatch.value_of(role) as usize).clamp(1, 3) - 1;
        let values: Vec<f32> = steps.iter().map(|step| step[role]).collect();
        memory.put_floats(y, &values);
    }
}

impl TrainingStepParams {
    /// What is trained and its moments after a step.
    fn step(
        &self,
        op: OptimizerOp,
        (rate, before): (f32, i64),
        gradient: f32,
        [x, first, second]: [f32; 3],
    ) -> [f32; 3] {
        #[expect(clippy::cast_precision_loss, reason = "f32 is what is computed with")]
        let steps = before as f32;
        let squared = gradient * gradient;
        let (rate, first, second, direction) = match op {
            OptimizerOp::Adam => {
                let first = self.alpha * first + (1.0 - self.alpha) * gradient;
                let second = self.beta * second + (1.0 - self.beta) * squared;
                let rate = match before {
                    0 => rate,
                    _ => {
                        rate * (1.0 - self.beta.powf(steps)).sqrt() / (1.0 - self.alpha.powf(steps))
                    }
                };
                (rate, first, second, first / (second.sqrt() + self.epsilon))
            }
            OptimizerOp::Adagrad => {
                let second = second + squared;
                let rate = rate / (1.0 + steps * self.alpha);
                let direction = gradient / (second.sqrt() + self.epsilon);
                (rate, first, second, direction)
            }
            OptimizerOp::Momentum | OptimizerOp::Nesterov => {
                let share = if before == 0 { 1.0 } else { self.beta };
                let first = self.alpha * first + share * gradient;
                let direction = match op {
                    OptimizerOp::Nesterov => gradient + self.alpha * first,
                    _ => first,
                };
                (rate, first, second, direction)
            }
        };
        let x = (1.0 - self.norm_after) * (x - rate * direction);
        [x, first, second]
    }
}
