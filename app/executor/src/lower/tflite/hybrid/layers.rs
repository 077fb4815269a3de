//! Recurrent layers on floats whose weights are integers of 8 bits: at each step what they read
//! becomes integers on the way.

use planner::{Message, message};

use super::{Weights, asymmetric, unit_rows, weights_at, with_scales};
use crate::kernels::{HybridLayerParams, HybridParams, Kernel, SvdfParams, grid, groups};
use crate::lower::Dispatches;
use crate::lower::activation::Activation;
use crate::lower::call::{Call, all_floats};
use crate::lower::strided::StridedCopy;
use crate::lower::tflite::recurrent::{FilterShape, filter_shape, params as layer, sized};
use crate::recording::{Dispatch, Operand};

/// As `EvalHybridSVDF` does it: features are floats again before the filter.
pub(super) fn filter(call: &Call<'_>, weights: &Weights) -> Dispatches {
    let FilterShape { params, rows } = filter_shape(call)?;
    let (x, times) = (call.input(0)?, call.input(2)?);
    let (bias, state, y) = (call.optional(3), call.input(4)?, call.output(0)?);
    // What these kernels do not read stands as x.
    let inputs = [x, x, times, bias.unwrap_or(x), state];
    let of_rows = SvdfParams {
        count: rows,
        ..params
    };
    let each = params.units * params.rank;
    let newest = HybridParams {
        gap: params.steps - 1,
        ends: [f32::NEG_INFINITY, f32::INFINITY],
        ..unit_rows([rows / each.max(1), params.size, each])
    };
    let activation = Activation::tflite(call)?;
    Ok(vec![
        Dispatch::new(Kernel::Svdf, &of_rows, grid(rows))
            .reads(inputs)
            .writes(state)
            .constant("CARRY", 2),
        with_scales([x, state], weights, newest, None)?
            .constant("ASYMMETRIC", u32::from(asymmetric(call))),
        Dispatch::new(Kernel::Svdf, &params, grid(y.len()))
            .reads(inputs)
            .writes(y)
            .constant("HELD", 1)
            .constant("BIAS", u32::from(bias.is_some()))
            .constant("ACTIVATION", activation.code()),
    ])
}

/// The first of the weights of x, of those of the state and of the biases of an LSTM: the gates
/// follow one another, and of the biases there is one for each gate, too.
const LONG: [usize; 3] = [1, 5, 12];

/// As `LstmStepHybrid` does it.
pub(super) fn long(call: &Call<'_>) -> Option<Dispatches> {
    // Without an input gate, what is new has the share that the forget gate leaves.
    let coupled = call.optional(1).is_none();
    let gates = [usize::from(coupled), 1, 2, 3];
    let [of_x, of_state] = [LONG[0], LONG[1]].map(|first| {
        let found = gates.map(|gate| weights_at(call, first + gate));
        found.into_iter().collect::<Option<Vec<_>>>()
    });
    let taken = 9 + usize::from(coupled);
    let peepholes = match call.optional(10) {
        Some(_) => [taken, 10, 11]
            .map(|at| weights_at(call, at))
            .into_iter()
            .collect(),
        None => Some(Vec::new()),
    };
    let mut weights = of_x?;
    weights.extend(of_state?);
    weights.extend(peepholes?);
    Some(long_with(call, &weights, coupled, gates))
}

fn long_with(call: &Call<'_>, weights: &[Weights], coupled: bool, gates: [usize; 4]) -> Dispatches {
    let mut kinds = (16..18).chain(20..24);
    if kinds.any(|at| call.optional(at).is_some()) {
        return Err(message!("it projects or normalizes its state"));
    }
    let biases = gates.map(|gate| call.input(LONG[2] + gate));
    let biases = biases.into_iter().collect::<Result<Vec<_>, _>>()?;
    let [hidden, memory] = [call.input(18)?, call.input(19)?];
    let peepholes = weights.len() > 8;
    let mut params = shape(call, call.input(6)?, weights)?;
    params.limit = call.float_attribute("cell_clip").unwrap_or_default();
    let state = params.batch.saturating_mul(params.units);
    sized(&[(hidden, state), (memory, state)])?;
    for peephole in weights.iter().skip(8) {
        counted(&peephole.elements, params.units)?;
    }
    let y = call.output(0)?;
    let walk = walk(call, &params, (weights, &biases), [hidden, memory])?
        .writes(memory)
        .constant("LONG", 1)
        .constant("COUPLED", u32::from(coupled))
        .constant("PEEPHOLES", u32::from(peepholes));
    // The state is what the last step gave.
    let state = hidden.viewed([params.batch, params.units]);
    let [by_step, by_sequence] = params.y.map(i64::from);
    let last = by_step * (i64::from(params.steps) - 1);
    let carry = StridedCopy::onto(&state, &[by_sequence, 1], last).dispatches(y, &state)?;
    Ok([walk].into_iter().chain(carry).collect())
}

/// As `RnnBatchStep` does it.
pub(super) fn plain(call: &Call<'_>, of_x: Weights) -> Option<Dispatches> {
    let of_state = weights_at(call, 2)?;
    let weights = [of_x.clone(), of_x.clone(), of_x.clone(), of_x, of_state];
    let made = || {
        let (bias, state) = (call.input(3)?, call.input(4)?);
        let params = shape(call, call.input(2)?, &weights)?;
        sized(&[(state, params.batch.saturating_mul(params.units))])?;
        let walk = walk(call, &params, (&weights, &[bias; 4]), [state, state])?;
        Ok(vec![walk.writes(state)])
    };
    Some(made())
}

/// The parameters of a layer with these weights, those of x before those of the state; a weight of
/// each gate that is not there is another's.
fn shape(
    call: &Call<'_>,
    of_state: &Operand,
    weights: &[Weights],
) -> Result<HybridLayerParams, Message> {
    let layer = layer(call, of_state)?;
    let activation = Activation::tflite(call)?;
    let mut scales = [[0.0; 4]; 3];
    for (at, weights) in weights.iter().enumerate() {
        let &[scale] = weights.scales.as_slice() else {
            let (scales, units) = (weights.scales.len(), layer.units);
            return Err(message!("{} scales for {} filters", scales, units));
        };
        scales[at / 4][at % 4] = scale;
    }
    Ok(HybridLayerParams {
        steps: layer.steps,
        batch: layer.batch,
        size: layer.size,
        units: layer.units,
        x: layer.x,
        y: [layer.y[0], layer.y[2]],
        alpha: activation.alpha,
        beta: activation.beta,
        scales,
        ..HybridLayerParams::default()
    })
}

fn walk(
    call: &Call<'_>,
    params: &HybridLayerParams,
    (weights, biases): (&[Weights], &[&Operand]),
    [hidden, memory]: [&Operand; 2],
) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    all_floats([x, y])?;
    // Gates that are not there read what is.
    let of = |at: usize| weights.get(at).or(weights.last()).map(|it| &it.elements);
    let first = of(0).ok_or_else(|| message!("its weights are not constants of one type"))?;
    let peephole = |at: usize| weights.get(8 + at).map_or(x, |it| &it.elements);
    let mut inputs = vec![
        x,
        first,
        peephole(0),
        peephole(1),
        x,
        hidden,
        memory,
        peephole(2),
    ];
    let sizes = [params.size, params.units];
    for (at, elements) in (0..8).filter_map(|at| Some((at, of(at)?))) {
        let is_there = at < weights.len();
        let count = params.units.saturating_mul(sizes[at / 4]);
        counted(elements, if is_there { count } else { elements.len() })?;
        inputs.push(elements);
    }
    for bias in biases {
        // The kernel finds them beside the weights.
        if !call.is_constant(bias) {
            return Err(message!("its weights are not constants of one type"));
        }
        sized(&[(bias, params.units)])?;
        inputs.push(bias);
    }
    let activation = Activation::tflite(call)?;
    Ok(
        Dispatch::new(Kernel::HybridLayer, params, groups(params.batch))
            .reads(inputs)
            .writes(y)
            .constant("ASYMMETRIC", u32::from(asymmetric(call)))
            .constant("ACTIVATION", activation.code()),
    )
}

fn counted(operand: &Operand, count: u32) -> Result<(), Message> {
    let (name, len) = (&operand.name, operand.len());
    match len == count {
        true => Ok(()),
        false => Err(message!(
            "{} has {} elements, {} are needed",
            name,
            len,
            count
        )),
    }
}
