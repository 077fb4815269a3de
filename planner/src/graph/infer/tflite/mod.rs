//! Shapes of TFLite's builtin operators, as LiteRT's kernels compute them when they are
//! prepared: NHWC, negative axes count from the end, element values of shape operands must
//! be known.
//!
//! Tensors whose shape the file fixes keep that shape when an operator cannot be sized; and
//! while every symbol has its default, so do those whose shape the file gives only as the
//! example that belongs to these defaults.

mod counted;
mod elements;
mod layout;
mod slices;
mod window;

use super::{Call, InferredOutput, KnownInput, Outputs, Unsized, UnsizedReason};
use crate::graph::Dim;
use crate::{Message, message};

use crate::operators::{Family, Operator};
pub(super) use counted::form as counted;
pub(super) use slices::picked;

/// Dimensions of one output, or the reason why there are none.
type Dims = Result<Vec<u64>, Unsized>;

/// The outputs of a TFLite operator.
pub(super) fn outputs(call: &Call<'_>) -> Outputs {
    let found = match call.op.domain.as_str() {
        "" => builtin(call),
        _ => Err(unknown(call)),
    };
    found.or_else(|missing| match missing.reason {
        UnsizedReason::UnknownOperator | UnsizedReason::ControlFlow => {
            examples(call).ok_or(missing)
        }
        _ => Err(missing),
    })
}

fn builtin(call: &Call<'_>) -> Outputs {
    if let Some(several) = slices::several(call) {
        return several;
    }
    let dims = window::dims(call).or_else(|| layout::dims(call));
    let dims = dims.or_else(|| slices::dims(call)).or_else(|| same(call));
    let dims = dims.unwrap_or_else(|| Err(unknown(call)))?;
    let mut made = InferredOutput::new(None, dims);
    made.value = elements::value(call, &made.dims);
    Ok(vec![made])
}

/// Operators that keep the shape of an input, or broadcast their inputs.
fn same(call: &Call<'_>) -> Option<Dims> {
    let kept = match call.op.operator {
        Operator::Quantize
        | Operator::Dequantize
        | Operator::FakeQuant
        | Operator::Densify
        | Operator::Lrn
        | Operator::ZerosLike
        | Operator::ReverseV2
        | Operator::ReverseSequence
        | Operator::CumSum
        | Operator::Bucketize
        | Operator::Real
        | Operator::Imag
        | Operator::ComplexAbs
        | Operator::MatrixSetDiag
        | Operator::AddN => 0,
        Operator::Select => 1,
        Operator::Atan2 | Operator::TfliteBitwiseXor | Operator::RightShift | Operator::Complex => {
            return Some(broadcast_inputs(call));
        }
        Operator::TfliteWhere | Operator::TfliteUnique | Operator::SegmentSum => {
            let detail = message!("{} counts elements by their values", call.op.kind);
            return Some(Err(Unsized::new(UnsizedReason::DataDependent, detail)));
        }
        Operator::While | Operator::If | Operator::Call | Operator::CallOnce => {
            return Some(Err(call.control()));
        }
        _ => match call.op.facts().family {
            Family::ElementWise(1) | Family::Rows | Family::Updates => 0,
            Family::ElementWise(_) => return Some(broadcast_inputs(call)),
            _ => return None,
        },
    };
    Some(dims(call, kept).map(<[u64]>::to_vec))
}

fn broadcast_inputs(call: &Call<'_>) -> Dims {
    let mut result = Vec::new();
    for index in 0..call.inputs.len() {
        result = broadcast(call, &result, dims(call, index)?)?;
    }
    Ok(result)
}

/// The common shape of two, aligned at their last dimensions; a 1 gives way.
fn broadcast(call: &Call<'_>, one: &[u64], other: &[u64]) -> Dims {
    let common = super::call::broadcast(one, other);
    common.ok_or_else(|| {
        invalid(
            call,
            message!(
                "{} and {} do not broadcast",
                format_args!("{one:?}"),
                format_args!("{other:?}")
            ),
        )
    })
}

/// The file's own dimensions for what this operator writes, if they hold: while every symbol
/// has its default.
fn examples(call: &Call<'_>) -> Option<Vec<InferredOutput>> {
    let graph = call.graph;
    for &input in &graph.inputs {
        let tensor = graph.tensor(input);
        let (declared, dims) = (tensor.declared.as_ref()?, tensor.dims.as_ref()?);
        for (dim, &bound) in declared.iter().zip(dims) {
            if let Dim::Symbol(id) = dim
                && graph.symbols.get(id.0 as usize)?.default != bound
            {
                return None;
            }
        }
    }
    let example = |output: &Option<_>| match output {
        Some(id) => graph.tensor(*id).dims.clone(),
        None => Some(Vec::new()),
    };
    let outputs = call.op.outputs.iter().map(example);
    outputs
        .map(|dims| Some(InferredOutput::new(None, dims?)))
        .collect()
}

/// The input at `index`, which must be there.
fn input<'a>(call: &Call<'a>, index: usize) -> Result<KnownInput<'a>, Unsized> {
    let input = call.inputs.get(index).copied().flatten();
    input.ok_or_else(|| invalid(call, message!("input {} is missing", index)))
}

/// The dimensions of the input at `index`.
fn dims<'a>(call: &Call<'a>, index: usize) -> Result<&'a [u64], Unsized> {
    input(call, index).map(|input| input.dims)
}

/// The elements of the input at `index`, which must be known.
fn ints<'a>(call: &Call<'a>, index: usize) -> Result<&'a [i64], Unsized> {
    let known = input(call, index)?.value.and_then(|value| value.as_ints());
    known.ok_or_else(|| {
        let operand = call.op.inputs.get(index).copied().flatten();
        let name = operand.map_or("", |id| call.graph.tensor(id).name.as_str());
        let detail = message!("{} needs the elements of \"{}\"", call.op.name, name);
        Unsized::new(UnsizedReason::DataDependent, detail)
    })
}

/// The only element of the input at `index`.
fn int(call: &Call<'_>, index: usize) -> Result<i64, Unsized> {
    let elements = ints(call, index)?;
    let first = elements.first().copied();
    first.ok_or_else(|| invalid(call, message!("input {} is empty", index)))
}

/// An integer attribute; 0 when the file gives none.
fn attribute(call: &Call<'_>, name: &str) -> i64 {
    call.op.int(name).unwrap_or(0)
}

/// An axis of a shape of `rank` dimensions.
fn axis(call: &Call<'_>, axis: i64, rank: usize) -> Result<usize, Unsized> {
    let wide = i64::try_from(rank).unwrap_or(i64::MAX);
    let found = if axis < 0 {
        axis.saturating_add(wide)
    } else {
        axis
    };
    let found = usize::try_from(found).ok().filter(|&found| found < rank);
    found.ok_or_else(|| invalid(call, message!("axis {} of rank {}", axis, rank)))
}

/// A dimension, which must not be negative.
fn dim(call: &Call<'_>, size: i64) -> Result<u64, Unsized> {
    let dim = u64::try_from(size).ok();
    dim.ok_or_else(|| invalid(call, message!("{} is no dimension", size)))
}

/// Dimensions, none of which must be negative.
fn all_dims(call: &Call<'_>, sizes: &[i64]) -> Dims {
    sizes.iter().map(|&size| dim(call, size)).collect()
}

/// The number of elements of a shape.
fn count(call: &Call<'_>, dims: &[u64]) -> Result<u64, Unsized> {
    let count = dims.iter().try_fold(1_u64, |n, &dim| n.checked_mul(dim));
    count.ok_or_else(|| too_large(call))
}

/// The value of checked arithmetic on dimensions.
fn fit<T>(call: &Call<'_>, value: Option<T>) -> Result<T, Unsized> {
    value.ok_or_else(|| too_large(call))
}

fn too_large(call: &Call<'_>) -> Unsized {
    Unsized::new(UnsizedReason::TooLarge, Message::verbatim(&*call.op.name))
}

fn invalid(call: &Call<'_>, what: Message) -> Unsized {
    let detail = message!("{}: {}", call.op.name, what);
    Unsized::new(UnsizedReason::InvalidOperator, detail)
}

fn unknown(call: &Call<'_>) -> Unsized {
    Unsized::new(
        UnsizedReason::UnknownOperator,
        Message::verbatim(&*call.op.kind),
    )
}
