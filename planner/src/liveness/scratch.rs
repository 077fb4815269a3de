//! Working memory that kernels of TFLite Micro request for themselves, beside all tensors.
//!
//! Sizes are those of the reference kernels: kernels made for a target (CMSIS-NN, Xtensa, ARC)
//! request what they need there, which the model does not say. Source: TFLite Micro, the calls
//! of `RequestScratchBufferInArena` in its kernels. Of custom operators nothing is known.
//!
//! | kernel | requests |
//! |---|---|
//! | transposed convolution | the output's elements as accumulators, 4 bytes of int8, 8 of int16; of int16 also an int16 bias in 8 bytes |
//! | SVDF | 4 bytes of each filter, of int8 also of each unit, for each sample |
//! | LSTM | four times as much as its cell state |
//! | mean, sum, largest, least and all along axes | 4 bytes of each dimension, 4 of each axis; mean and sum of int8 and int16 also 4 of each element of the output |
//! | padding by mirroring | 4 bytes of each dimension, twice |
//! | sum of several | a pointer of 8 bytes to each |
//! | convolution, fully connected with a filter of int4 | a byte of each element of the filter |

use super::{Buffer, TooLarge};
use crate::graph::{DType, Dialect, Graph, Op, Tensor};
use crate::operators::Operator;
use crate::program::Program;
use crate::units::{Bytes, Span};

/// Gates of an LSTM, each of which has one buffer.
const GATES: usize = 4;

/// The input of an LSTM that is its cell state.
const CELL_STATE: usize = 19;

/// A buffer for each request, live while its operator runs, in the order of requests. `windows`
/// are those of the schedule's steps.
///
/// # Errors
/// [`TooLarge`] where a size goes beyond 64 bits.
pub(super) fn scratch(
    program: &Program,
    windows: &[Span],
    alignment: Bytes,
) -> Result<Vec<Buffer>, TooLarge> {
    let mut buffers = Vec::new();
    if program.graph.dialect != Dialect::Tflite {
        return Ok(buffers);
    }
    for (entry, &window) in program.schedule.steps.iter().zip(windows) {
        let Some(op) = entry.action.op().map(|op| program.graph.op(op)) else {
            continue;
        };
        for (number, request) in requests(&program.graph, op).into_iter().enumerate() {
            let name = format!("{}: scratch {}", op.name, number + 1);
            let size = request.and_then(|bytes| Bytes(bytes).align_up(alignment));
            let (Some(payload), Some(size)) = (request, size) else {
                return Err(TooLarge { tensor: name });
            };
            buffers.push(Buffer {
                payload: Bytes(payload),
                ..Buffer::new(name, size.0, window)
            });
        }
    }
    Ok(buffers)
}

/// The bytes of each request of an operator; `None` for what goes beyond 64 bits.
pub(crate) fn requests(graph: &Graph, op: &Op) -> Vec<Option<u64>> {
    if graph.dialect != Dialect::Tflite {
        return Vec::new();
    }
    let tensor = |id| graph.tensor(id);
    let input = |place: usize| op.inputs.get(place).copied().flatten().map(tensor);
    let output = op.outputs.first().copied().flatten().map(tensor);
    found(op, &input, output).unwrap_or_default()
}

/// `None` for an operator that requests nothing, or lacks what says how much.
fn found<'g>(
    op: &Op,
    input: &dyn Fn(usize) -> Option<&'g Tensor>,
    output: Option<&'g Tensor>,
) -> Option<Vec<Option<u64>>> {
    let times = |count: Option<u64>, bytes: u64| count.and_then(|it| it.checked_mul(bytes));
    Some(match op.operator {
        Operator::TransposeConv => {
            let outputs = elements(output?)?;
            match input(2)?.dtype {
                DType::I8 => vec![times(outputs, 4)],
                DType::I16 => {
                    let bias = input(3).filter(|it| it.dtype == DType::I16);
                    let bias = bias.and_then(elements).map(|count| times(count, 8));
                    [times(outputs, 8)].into_iter().chain(bias).collect()
                }
                _ => return None,
            }
        }
        Operator::Svdf => {
            let (sample, filters) = (input(0)?, input(1)?);
            let batch = *sample.dims.as_ref()?.first()?;
            let filters = filters.dims.as_ref()?.first()?.checked_mul(batch);
            let units = (sample.dtype == DType::I8).then_some(elements(output?)?);
            let counts = [filters].into_iter().chain(units);
            counts.map(|count| times(count, 4)).collect()
        }
        Operator::UnidirectionalSequenceLstm => vec![Some(input(CELL_STATE)?.bytes()?.0); GATES],
        Operator::ReduceMean
        | Operator::ReduceSum
        | Operator::ReduceMax
        | Operator::ReduceMin
        | Operator::ReduceAll => {
            let sample = input(0)?;
            let added = op.is(Operator::ReduceMean) || op.is(Operator::ReduceSum);
            let added = added && matches!(sample.dtype, DType::I8 | DType::I16);
            let sums = added.then_some(times(elements(output?)?, 4));
            let rank = times(Some(sample.dims.as_ref()?.len() as u64), 4);
            let axes = times(elements(input(1)?)?, 4);
            sums.into_iter().chain([rank, axes]).collect()
        }
        Operator::MirrorPad => vec![times(Some(input(0)?.dims.as_ref()?.len() as u64), 4); 2],
        Operator::AddN => vec![times(Some(op.inputs.len() as u64), 8)],
        Operator::Conv | Operator::DepthwiseConv2d | Operator::FullyConnected => {
            let filter = input(1).filter(|it| it.dtype == DType::I4)?;
            vec![elements(filter)?]
        }
        _ => return None,
    })
}

/// How many elements a tensor has: `None` where its shape is not known, and inside that where
/// they are more than 64 bits count.
fn elements(tensor: &Tensor) -> Option<Option<u64>> {
    let mut dims = tensor.dims.as_ref()?.iter();
    Some(dims.try_fold(1_u64, |count, &size| count.checked_mul(size)))
}
