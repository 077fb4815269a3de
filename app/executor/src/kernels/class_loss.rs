//! What is lost where each place of x should be of its target's class: minus the score of that
//! class times its weight, for each place, or the sum or weighted mean over all of them.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

codes! {
    /// What is made of the losses of all places: the `override` constant `REDUCE`.
    pub enum LossReduction {
        /// They stay, each on its own.
        None,
        /// Their mean by weight.
        Mean,
        /// Their sum.
        Sum,
    }
}

/// Parameters, as the shader declares them. Classes lie between outer and inner places;
/// `SOFTMAX` is 1 where scores become logarithms of probabilities first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ClassLossParams {
    /// Number of targets.
    pub count: u32,
    /// Number of classes.
    pub classes: u32,
    /// Elements of x from one class to the next.
    pub inner: u32,
    /// The target that does not count, if `IGNORE` is 1.
    pub ignored: i32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: ClassLossParams = dispatch.params();
    let x = memory.floats(&dispatch.inputs[0]);
    let targets = memory.ints(&dispatch.inputs[1]);
    let weights = (dispatch.value_of("WEIGHTS") == 1).then(|| memory.floats(&dispatch.inputs[2]));
    let (classes, inner) = (params.classes as usize, params.inner as usize);
    let last = i64::from(params.classes) - 1;
    let ignored = (dispatch.value_of("IGNORE") == 1).then_some(i64::from(params.ignored));
    let mut losses: Vec<f64> = Vec::with_capacity(targets.len());
    let mut weight_of_all = 0.0;
    for (i, &target) in targets.iter().enumerate() {
        if ignored == Some(target) {
            losses.push(0.0);
            continue;
        }
        let class = usize::try_from(target.clamp(0, last)).unwrap_or_default();
        let first = i / inner * classes * inner + i % inner;
        let score = |class: usize| f64::from(x[first + class * inner]);
        let mut found = score(class);
        if dispatch.value_of("SOFTMAX") == 1 {
            let most = (0..classes).map(score).fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = (0..classes).map(|class| (score(class) - most).exp()).sum();
            found -= most + sum.ln();
        }
        let weight = weights.as_ref().map_or(1.0, |all| f64::from(all[class]));
        losses.push(-found * weight);
        weight_of_all += weight;
    }
    let sum: f64 = losses.iter().sum();
    let y = match LossReduction::read(dispatch, "REDUCE") {
        LossReduction::None => losses,
        LossReduction::Mean => vec![sum / weight_of_all],
        LossReduction::Sum => vec![sum],
    };
    #[expect(clippy::cast_possible_truncation, reason = "the result is an f32")]
    let y: Vec<f32> = y.into_iter().map(|y| y as f32).collect();
    memory.put_floats(&dispatch.outputs[0], &y);
}
