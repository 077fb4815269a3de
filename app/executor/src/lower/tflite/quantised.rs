//! Builtins on quantised elements of 8 or 16 bits, as LiteRT's reference kernels compute them: integers
//! come in and go out, and what is between is fixed-point arithmetic.

mod gates;
mod pairs;
mod products;
mod recurrent;
mod resize;
mod rows;
mod softmax;
mod stretches;
mod tables;
mod windows;

use planner::graph::{DType, Quantization};
use planner::{Message, message};

use crate::elements;
use crate::kernels::{DequantizeParams, Kernel, Outside, QuantisedPoolOp, typed_grid};
use crate::lower::Dispatches;
use crate::lower::activation::Activation;
use crate::lower::arrange::padded;
use crate::lower::call::Call;
use crate::lower::table::table;
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;
use rows::Reduced;

/// Builtins that move elements, so that only the quantisation has to stay the same.
const MOVES: [Operator; 27] = [
    Operator::BatchToSpaceNd,
    Operator::Expand,
    Operator::Concat,
    Operator::DepthToSpace,
    Operator::EmbeddingLookup,
    Operator::Unsqueeze,
    Operator::Fill,
    Operator::Gather,
    Operator::GatherND,
    Operator::MirrorPad,
    Operator::TfliteOneHot,
    Operator::Pack,
    Operator::Pad,
    Operator::Reshape,
    Operator::ReverseV2,
    Operator::Select,
    Operator::Where,
    Operator::Slice,
    Operator::SpaceToDepth,
    Operator::TfliteSplit,
    Operator::Split,
    Operator::Squeeze,
    Operator::StridedSlice,
    Operator::Tile,
    Operator::TopK,
    Operator::Transpose,
    Operator::Unpack,
];

/// One scale and zero point for all elements.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Steps {
    scale: f32,
    zero: i32,
}

/// Whether elements that are computed are quantised.
fn is(call: &Call<'_>) -> bool {
    let written = call.outputs.iter().flatten();
    let read = call.inputs.iter().flatten();
    let mut all = written.chain(read.filter(|x| !call.is_constant(x)));
    all.any(|x| {
        let narrow = matches!(x.dtype, DType::I8 | DType::U8 | DType::I16);
        narrow && quantization(call, x).is_some()
    })
}

/// The dispatches of a builtin on quantised elements; `None` where there are none.
pub(in crate::lower) fn dispatches_if(call: &Call<'_>) -> Option<Dispatches> {
    is(call).then(|| dispatches(call))
}

/// The dispatches of a builtin on quantised elements.
///
/// # Errors
/// What stands in the way, for people.
fn dispatches(call: &Call<'_>) -> Dispatches {
    let one = |made: Result<Dispatch, Message>| made.map(|made| vec![made]);
    match call.op.operator {
        Operator::Conv => one(windows::convolution(call)),
        Operator::DepthwiseConv2d => one(windows::depthwise(call)),
        Operator::TransposeConv => one(windows::transposed(call)),
        Operator::Max | Operator::Min => moved(call),
        Operator::FullyConnected => one(windows::fully_connected(call)),
        Operator::MaxPool => one(windows::pool(call, QuantisedPoolOp::Largest)),
        Operator::AveragePool => one(windows::pool(call, QuantisedPoolOp::Mean)),
        Operator::ReduceMean if windows::is_of_image(call) => one(windows::mean(call)),
        Operator::ReduceMean => one(rows::reduced(call, Reduced::Mean)),
        Operator::ReduceSum => one(rows::reduced(call, Reduced::Sum)),
        Operator::ReduceProd => one(rows::reduced(call, Reduced::Product)),
        Operator::MatMul => one(products::matrices(call)),
        Operator::Div => pairs::quotient(call),
        Operator::ResizeBilinear | Operator::ResizeNearestNeighbor => one(resize::resized(call)),
        Operator::ReduceMax | Operator::ReduceMin => moved(call),
        // Larger elements stand for larger numbers.
        Operator::ArgMax | Operator::ArgMin => super::found(call),
        Operator::Softmax => one(softmax::softmax(call)),
        Operator::LogSoftmax => one(softmax::logarithm(call)),
        Operator::L2Normalization => one(softmax::normalized(call)),
        Operator::Svdf => recurrent::filter(call),
        Operator::UnidirectionalSequenceLstm => recurrent::long(call),
        Operator::Quantize if call.input(0)?.dtype == DType::F32 => one(quantize(call)),
        Operator::Dequantize => one(dequantize(call)),
        // One with a third input has the value that it fills in.
        Operator::Pad if call.op.inputs.len() < 3 => pad(call),
        Operator::SpaceToBatchNd => spread(call),
        operator if MOVES.contains(&operator) => moved(call),
        operator => match pairs::op(operator) {
            Some(op) => pairs::pair(call, op),
            None => one(tables::unary(call)),
        },
    }
}

fn quantization<'a>(call: &Call<'a>, x: &Operand) -> Option<&'a Quantization> {
    call.graph.tensor(x.tensor).quantization.as_deref()
}

/// The only scale and zero point of x.
fn steps(call: &Call<'_>, x: &Operand) -> Result<Steps, Message> {
    narrow(x)?;
    let found = quantization(call, x);
    let found = found.and_then(|it| match (&*it.scales, &*it.zero_points) {
        (&[scale], &[zero]) => Some((scale, i32::try_from(zero).ok()?)),
        _ => None,
    });
    let [low, high] = range(x);
    match found {
        Some((scale, zero)) if scale > 0.0 && (low..=high).contains(&zero) => {
            Ok(Steps { scale, zero })
        }
        _ => Err(message!("{} has not one scale", x.name)),
    }
}

fn narrow(x: &Operand) -> Result<(), Message> {
    match x.dtype {
        DType::I8 | DType::U8 | DType::I16 => Ok(()),
        other => Err(message!(
            "quantised activations: {} is {}",
            x.name,
            other.name()
        )),
    }
}

/// The least and the largest element of a type.
fn range(x: &Operand) -> [i32; 2] {
    match x.dtype {
        DType::U8 => [0, 255],
        DType::I16 => [i16::MIN.into(), i16::MAX.into()],
        _ => [-128, 127],
    }
}

/// The least and the largest element under the activation that is fused into the operator.
fn activated(call: &Call<'_>, y: &Operand, of: Steps) -> Result<[i32; 2], Message> {
    let [low, high] = range(y);
    #[expect(clippy::cast_possible_truncation, reason = "float casts saturate")]
    let at = |real: f32| ((real / of.scale).round() as i32).saturating_add(of.zero);
    let [least, most] = Activation::tflite(call)?.ends()?.map(at);
    let (low, high) = (low.max(least), high.min(most));
    Ok([low.min(high), high])
}

/// x and y in one quantisation.
fn alike(call: &Call<'_>, x: &Operand, y: &Operand) -> Result<(), Message> {
    match quantization(call, x) == quantization(call, y) {
        true => Ok(()),
        false => Err(message!(
            "{} and {} have not the same scale",
            x.name,
            y.name
        )),
    }
}

fn moved(call: &Call<'_>) -> Dispatches {
    let y = call.output(0)?;
    if call.op.is(Operator::Concat) && activated(call, y, steps(call, y)?)? != range(y) {
        return Err(message!("an activation on quantised elements"));
    }
    // The others are indices.
    let read = call.inputs.iter().flatten().filter(|x| x.dtype == y.dtype);
    let scaled = call.op.is(Operator::Concat) && y.dtype == DType::U8;
    if scaled && !read.clone().all(|x| alike(call, x, y).is_ok()) {
        return tables::joined(call);
    }
    for x in read {
        alike(call, x, y)?;
    }
    super::found(call)
}

/// What is outside is a zero, and that is the zero point.
fn pad(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    alike(call, x, y)?;
    let zero = steps(call, y)?.zero.cast_unsigned();
    let sides = call.ints(1)?.chunks_exact(2);
    let (begins, ends): (Vec<i64>, Vec<i64>) = sides.map(|both| (both[0], both[1])).unzip();
    padded(x, &begins, &ends, (Outside::Fill, [zero, 0]), y)
}

/// Borders of the zero point, too.
fn spread(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    alike(call, x, y)?;
    super::blocks::filled(call, [steps(call, y)?.zero.cast_unsigned(), 0])
}

/// Floats as quantised elements.
fn quantize(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let scaled = linear(call, Kernel::Quantize, (x, y), y)?;
    Ok(scaled.constant("AWAY", 1))
}

/// Quantised elements as floats.
fn dequantize(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    linear(call, Kernel::Dequantize, (x, y), x)
}

/// Either, with the scale and zero point of one of both.
fn linear(
    call: &Call<'_>,
    kernel: Kernel,
    (x, y): (&Operand, &Operand),
    narrow: &Operand,
) -> Result<Dispatch, Message> {
    let Steps { scale, zero } = steps(call, narrow)?;
    if x.len() != y.len() {
        return Err(message!(
            "{} has not as many elements as {}",
            x.name,
            y.name
        ));
    }
    let params = DequantizeParams {
        count: y.len(),
        inner: 1,
        size: 1,
        ..DequantizeParams::default()
    };
    let scale = table(y, DType::F32, vec![scale.to_bits()]);
    let zero = elements::words_of_ints(narrow.dtype, &[i64::from(zero)]);
    let zero = table(y, narrow.dtype, zero);
    Ok(Dispatch::new(kernel, &params, typed_grid(y))
        .reads([x, &scale, &zero])
        .writes(y)
        .constant("KIND", elements::code(narrow.dtype))
        .constant("TO", elements::code(y.dtype))
        .constant("ZEROS", 1))
}
