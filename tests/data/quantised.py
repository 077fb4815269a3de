"""Single operators on quantised tensors and what others compute: of TFLite's builtins LiteRT's
reference kernels, of ONNX's operators its reference evaluator.

Usage: python3 quantised.py FIXTURES OUT (FIXTURES is not used)
Needs the packages of requirements.txt. Shapes, quantisations and elements are arbitrary, from a
fixed seed. OUT/quantised.json is a list of cases: `name`, `model` (a file), `inputs` and
`outputs` (elements as little-endian bytes in the order of the model's), all in hexadecimal;
`later` lists the inputs and outputs of runs that go on with the state of the one before.
"""

import json
import os
import sys

import numpy
from ai_edge_litert import schema_py_generated as schema

from models import dynamic_range
from models.chance import RANGES, elements, pick, random, whole
from models.integers import onnx_convolution, onnx_dynamic, onnx_product, onnx_volume
from models.layers import lstm, svdf
from models.litert import case, fed, ints, of_16_bits, result, scale, signed, span, wide
from models.movement import blocks, joined, joined_apart, moved, padded, placed, placed_otherwise
from models.tflite import TYPES, Tensor, options

ACTIVATIONS = [
    schema.ActivationFunctionType.NONE,
    schema.ActivationFunctionType.RELU,
    schema.ActivationFunctionType.RELU6,
    schema.ActivationFunctionType.RELU_N1_TO_1,
]
PADDINGS = [schema.Padding.SAME, schema.Padding.VALID]


def weights(shape, x, channels, axis):
    """Filters with a scale for each channel, or one and a zero point for unsigned ones."""
    if x.dtype == "uint8":
        return Tensor(shape, "uint8", [scale()], [whole(0, 255)], 0, elements(shape, "uint8"))
    data = random.integers(-127, 128, shape).astype("int8")
    scales = [scale() for _ in range(channels)]
    return Tensor(shape, "int8", scales, [0] * channels, axis, data)


def bias(x, w, channels):
    dtype = "int64" if x.dtype == "int16" and whole(0, 2) else "int32"
    data = random.integers(-4000, 4000, [channels]).astype(dtype)
    scales = [float(x.scales[0]) * float(of) for of in w.scales]
    return Tensor([channels], dtype, scales, [0] * len(scales), 0, data)


def of_bias(biases):
    """The option that says of which type sums are."""
    return {"quantizedBiasType": TYPES[biases[0].dtype]} if wide() and biases else {}


def along(size, kernel, stride, dilation, padding):
    extent = (kernel - 1) * dilation + 1
    if padding == schema.Padding.SAME:
        return -(-size // stride)
    return (size - extent) // stride + 1


def convolution(index, size=1):
    """Channels are multiples of `size`."""
    depthwise = index % 2 == 1
    dtype = "uint8" if index % 7 == 6 else "int8"
    n, h, w, c = whole(1, 2), whole(5, 9), whole(5, 9), whole(1, 6)
    multiplier, channels = whole(1, 2), whole(1, 9) * size
    c *= size
    kernel, stride = [whole(1, 3), whole(1, 3)], [whole(1, 2), whole(1, 2)]
    if depthwise:
        channels, stride = c * multiplier, [stride[0], stride[0]]
    dilation = [whole(1, 2), whole(1, 2)] if stride == [1, 1] else [1, 1]
    padding, activation = pick(PADDINGS), pick(ACTIVATIONS)
    x = fed([n, h, w, c], dtype)
    shape = [1, *kernel, channels] if depthwise else [channels, *kernel, c]
    filters = weights(shape, x, channels, 3 if depthwise else 0)
    sides = [along(size, *rest, padding) for size, *rest in zip([h, w], kernel, stride, dilation)]
    taps = kernel[0] * kernel[1] * (1 if depthwise else c)
    y = result([n, *sides, channels], x, float(filters.scales.mean()) * 60 * taps**0.5)
    added = bias(x, filters, channels)
    if depthwise and wide():
        added.dtype, added.data = "int64", added.data.astype("int64")
    common = dict(
        padding=padding, strideH=stride[0], strideW=stride[1], fusedActivationFunction=activation,
        dilationHFactor=dilation[0], dilationWFactor=dilation[1],
    )
    if depthwise:
        opts = options("DepthwiseConv2D", depthMultiplier=multiplier, **common)
    else:
        opts = options("Conv2D", **common, **of_bias([added]))
    name = "DEPTHWISE_CONV_2D" if depthwise else "CONV_2D"
    return case(name, name, [x, filters, added], [y], opts, 3)


def transposed(index):
    n, h, w, c = 1, whole(2, 5), whole(2, 5), whole(1, 4)
    channels, kernel, stride, padding = whole(1, 6), [whole(1, 4), whole(1, 4)], whole(1, 3), pick(PADDINGS)
    x = fed([n, h, w, c], "uint8" if index % 4 == 3 else "int8")
    filters = weights([channels, *kernel, c], x, channels, 0)
    same = padding == schema.Padding.SAME
    sides = [size * stride if same else (size - 1) * stride + k for size, k in zip([h, w], kernel)]
    # As large as the window reaches, so that every filter fits.
    sides = [max(side, k) for side, k in zip(sides, kernel)]
    if same and any(-(-side // stride) != size for side, size in zip(sides, [h, w])):
        sides = [size * stride for size in [h, w]]
    y = result([n, *sides, channels], x, float(filters.scales.mean()) * 60 * (kernel[0] * kernel[1] * c) ** 0.5)
    shape = Tensor([4], "int32", data=numpy.int32(y.shape))
    inputs = [shape, filters, x] + ([bias(x, filters, channels)] if index % 2 else [])
    opts = options("TransposeConv", padding=padding, strideH=stride, strideW=stride, **of_bias(inputs[3:]))
    return case("TRANSPOSE_CONV", "TRANSPOSE_CONV", inputs, [y], opts, 3)


def extreme(index):
    kind = pick(["MAXIMUM", "MINIMUM"])
    x = fed([1, whole(1, 4), whole(1, 5)], "uint8" if index % 3 == 2 else "int8")
    return case(kind, kind, [x, fed([1, 1, x.shape[2]], of=x)], [fed(x.shape, of=x)], options("MaximumMinimum"), 2)


def fully_connected(index, size=1):
    dtype = "uint8" if index % 5 == 4 else "int8"
    rows, depth, units = whole(1, 3), whole(1, 40) * size, whole(1, 11) * size
    x = fed([rows, depth], dtype)
    filters = weights([units, depth], x, 1, 0)
    y = result([rows, units], x, float(filters.scales[0]) * 60 * depth**0.5)
    inputs = [x, filters] + ([bias(x, filters, units)] if index % 3 else [])
    opts = options("FullyConnected", fusedActivationFunction=pick(ACTIVATIONS), **of_bias(inputs[2:]))
    return case("FULLY_CONNECTED", "FULLY_CONNECTED", inputs, [y], opts, 4)


def pair(index):
    kind, opts = pick([("ADD", "Add"), ("SUB", "Sub"), ("MUL", "Mul")])
    dtype = "uint8" if index % 5 == 4 else "int8"
    shape = [whole(1, 2), whole(1, 4), whole(1, 4), whole(1, 5)]
    other = [1 if index % 3 == 0 and whole(0, 1) else size for size in shape]
    a, b = fed(shape, dtype), fed(other, dtype)
    factor = float(b.scales[0]) * span(b) if kind == "MUL" else 1.5
    y = result(shape, a, factor)
    return case(kind, kind, [a, b], [y], options(opts, fusedActivationFunction=pick(ACTIVATIONS)), 2)


def pool(index):
    kind = pick(["AVERAGE_POOL_2D", "MAX_POOL_2D"])
    dtype = "uint8" if index % 5 == 4 else "int8"
    n, h, w, c = whole(1, 2), whole(4, 9), whole(4, 9), whole(1, 6)
    kernel, stride, padding = [whole(1, 4), whole(1, 4)], [whole(1, 3), whole(1, 3)], pick(PADDINGS)
    x = fed([n, h, w, c], dtype)
    sides = [along(size, k, s, 1, padding) for size, k, s in zip([h, w], kernel, stride)]
    y = fed([n, *sides, c], of=x)
    opts = options(
        "Pool2D", padding=padding, strideH=stride[0], strideW=stride[1], filterHeight=kernel[0],
        filterWidth=kernel[1], fusedActivationFunction=pick(ACTIVATIONS),
    )
    return case(kind, kind, [x], [y], opts, 2)


def mean(index):
    n, h, w, c = whole(1, 2), whole(1, 7), whole(1, 7), whole(1, 9)
    x = fed([n, h, w, c], "uint8" if index % 4 == 3 else "int8")
    axes = Tensor([2], "int32", data=numpy.int32([1, 2]))
    keep = index % 2 == 0
    y = result([n, 1, 1, c] if keep else [n, c], x, 0.7)
    if index % 3 == 0:
        y.scales, y.zeros = x.scales, x.zeros
    return case("MEAN", "MEAN", [x, axes], [y], options("Reducer", keepDims=keep), 2)


def softmax(index):
    x = fed([whole(1, 3), whole(1, 12)], "uint8" if index % 4 == 3 else "int8")
    x.scales = numpy.float32([random.uniform(0.01, 0.3) * 60 / span(x)])
    y = Tensor(x.shape, x.dtype, *([[1 / 32768], [0]] if wide() else [[1 / 256], [RANGES[x.dtype][0]]]))
    return case("SOFTMAX", "SOFTMAX", [x], [y], options("Softmax", beta=1.0), 2)


def softmax_of_16_bits(index):
    """Of elements of 8."""
    x = fed([whole(1, 3), whole(1, 12)], "uint8" if index % 2 else "int8")
    x.scales = numpy.float32([random.uniform(0.01, 0.3)])
    y = Tensor(x.shape, "int16", [1 / 65536], [-32768])
    return case("SOFTMAX", "SOFTMAX", [x], [y], options("Softmax", beta=1.0), 3)


def table(index):
    kind = pick(["LOGISTIC", "TANH"])
    x = fed([whole(1, 3), whole(1, 12)], "uint8" if index % 3 == 2 else "int8")
    low, high = RANGES[x.dtype]
    middle = (low + high + 1) // 2
    y = Tensor(x.shape, x.dtype, *([[1 / 256], [low]] if kind == "LOGISTIC" else [[1 / 128], [middle]]))
    if wide():
        y = Tensor(x.shape, x.dtype, [1 / 32768], [0])
        # Powers of two are computed with apart.
        x.scales = numpy.float32([2.0 ** -whole(11, 12)]) if index % 4 == 0 else x.scales
    return case(kind, kind, [x], [y], None, 2)


def activation(index):
    kinds = ["RELU", "RELU6", "LEAKY_RELU", "RELU_N1_TO_1", "RELU_0_TO_1", "HARD_SWISH"]
    kind = pick(kinds[:3] if wide() else kinds)
    x = fed([whole(1, 3), whole(1, 12)], "uint8" if index % 4 == 3 else "int8")
    y = result(x.shape, x, 0.9)
    opts = options("LeakyRelu", alpha=0.13) if kind == "LEAKY_RELU" else None
    return case(kind, kind, [x], [y], opts, 2 if kind in ("RELU", "RELU6", "LEAKY_RELU") else 1)


def exponential(index):
    x = fed([whole(1, 3), whole(1, 12)])
    # None of its stretches is beyond the range of floats.
    x.scales = numpy.float32([random.uniform(0.005, 0.02) * 60 / span(x)])
    y = result(x.shape, x, 1.5)
    return case("EXP", "EXP", [x], [y], options("Exp"), 2)


def requantised(index):
    narrow = [("int8", "int8"), ("int8", "uint8"), ("uint8", "int8"), ("int8", "int16")]
    from_type, to_type = pick([(None, "int16"), (None, "int8")] if wide() else narrow)
    x = fed([whole(1, 3), whole(1, 12)], from_type)
    scales = {"int16": 256}
    y = result(x.shape, x, 1.1 * scales.get(x.dtype, 1) / scales.get(to_type, 1), to_type)
    return case("QUANTIZE", "QUANTIZE", [x], [y], options("Quantize"), 2)


def quantised(index):
    x = Tensor([whole(1, 3), whole(1, 12)], "float32")
    y = fed(x.shape, pick(["int8", "uint8"]))
    return case("QUANTIZE of floats", "QUANTIZE", [x], [y], options("Quantize"), 1)


def dequantised(index):
    x = fed([whole(1, 3), whole(1, 12)], pick(["int8", "uint8"]))
    y = Tensor(x.shape, "float32")
    return case("DEQUANTIZE", "DEQUANTIZE", [x], [y], options("Dequantize"), 2)


def resized(index):
    kind, opts = pick([("RESIZE_BILINEAR", "ResizeBilinear"), ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighbor")])
    dtype, sides = "uint8" if index % 3 == 2 else "int8", [whole(1, 11), whole(1, 11)]
    x = fed([whole(1, 2), whole(1, 6), whole(1, 6), whole(1, 4)], dtype)
    corners, centres = pick([(False, False), (True, False), (False, True)])
    inputs, y = [x, Tensor([2], "int32", data=numpy.int32(sides))], fed([x.shape[0], *sides, x.shape[3]], of=x)
    return case(kind, kind, inputs, [y], options(opts, alignCorners=corners, halfPixelCenters=centres), 3)


def end_of_rows(index):
    ends = [("REDUCE_MAX", "Reducer"), ("REDUCE_MIN", "Reducer"), ("ARG_MAX", "ArgMax"), ("ARG_MIN", "ArgMin")]
    kind, opts = pick(ends[:2] if wide() else ends)
    x = fed([whole(1, 3), whole(1, 4), whole(1, 9)], "uint8" if index % 3 == 2 else "int8")
    axes = sorted(random.permutation(3)[: 1 if opts != "Reducer" else whole(1, 2)])
    shape = [size for at, size in enumerate(x.shape) if at not in axes]
    inputs, y = [x, Tensor([len(axes)], "int32", data=numpy.int32(axes))], Tensor(shape, "int32")
    values = dict(keepDims=False) if opts == "Reducer" else dict(outputType=schema.TensorType.INT32)
    return case(kind, kind, inputs, [fed(shape, of=x) if opts == "Reducer" else y], options(opts, **values), 2)


def sloped(index):
    x = fed([1, whole(1, 4), whole(1, 4), whole(1, 5)], "uint8" if index % 4 == 3 else "int8")
    slopes = Tensor([1, 1, x.shape[3]], x.dtype, [scale()], [whole(0, 99)], data=elements([1, 1, x.shape[3]], x.dtype))
    return case("PRELU", "PRELU", [x, slopes], [result(x.shape, x, 2)], None, 1)


def squared_difference(index):
    a = fed([1, whole(1, 4), whole(1, 9)])
    b = fed(a.shape if index % 2 else [1, 1, a.shape[2]])
    ys = [result(a.shape, a, float(max(a.scales[0], b.scales[0])) * 200)]
    return case("SQUARED_DIFFERENCE", "SQUARED_DIFFERENCE", [a, b], ys, options("SquaredDifference"), 2)


def comparison(index):
    name = pick(["EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"])
    a = fed([1, whole(1, 4), whole(1, 9)], "uint8" if index % 3 == 2 else "int8")
    # Of one scale in half of the cases, so that some are equal.
    b = fed(a.shape, of=a) if index % 2 else fed([1, 1, a.shape[2]], a.dtype)
    return case(name, name, [a, b], [Tensor(a.shape, "bool")], options(name.title().replace("_", "")), 2)


def matrices(index):
    batch, m, k, n = whole(1, 3), whole(1, 5), whole(1, 20), whole(1, 6)
    adj_x, adj_y = index % 2 == 1, index % 4 > 1
    a = fed([batch, *([k, m] if adj_x else [m, k])])
    b = fed([batch if index % 3 else 1, *([n, k] if adj_y else [k, n])])
    ys = [result([batch, m, n], a, float(b.scales[0]) * span(b) * k**0.5)]
    return case("BATCH_MATMUL", "BATCH_MATMUL", [a, b], ys, options("BatchMatMul", adjX=adj_x, adjY=adj_y), 2)


def words_of_channels(index):
    """Whole words, which are read at once."""
    return convolution(2 * index, 4)


def words_of_rows(index):
    return fully_connected(index, 4)


def function(index):
    kinds = [("GELU", "Gelu"), ("ABS", "Abs"), ("LOG", None), ("RSQRT", None), ("SQRT", None), ("ELU", None)]
    kind, opts = pick(kinds[1:5] if wide() else kinds)
    x = fed([whole(1, 3), whole(1, 12)], "uint8" if kind == "GELU" and index % 2 else "int8")
    if kind in ("RSQRT", "SQRT"):
        # There are no negative ones.
        x.zeros, x.least = [0 if wide() else -128], 0 if wide() else None
    y = result(x.shape, x, 1.5)
    if kind in ("LOG", "SQRT") or kind == "RSQRT" and wide():
        y.scales = numpy.float32([scale() / (256 if wide() else 1)])
    return case(kind, kind, [x], [y], options(opts) if opts else None, 1 if kind == "ELU" else 2)


def along_axes(index):
    kind = pick(["MEAN", "REDUCE_PROD"] if wide() else ["SUM", "SUM", "MEAN", "REDUCE_PROD"])
    # The reference kernel reads all sums as unsigned elements, and has products of signed ones.
    dtype = {"SUM": "uint8", "REDUCE_PROD": "int8"}.get(kind, "uint8" if index % 3 == 2 else "int8")
    x = fed([whole(1, 3), whole(1, 4), whole(1, 5), whole(1, 4)], dtype)
    axes = [int(axis) for axis in sorted(random.permutation(4)[: 1 if kind == "REDUCE_PROD" else whole(1, 4)])]
    count = int(numpy.prod([x.shape[axis] for axis in axes]))
    shape = [size for at, size in enumerate(x.shape) if at not in axes]
    y = result(shape, x, {"SUM": count**0.5, "MEAN": count**-0.5}.get(kind, 1))
    if kind == "REDUCE_PROD":
        y.scales = numpy.float32([(float(x.scales[0]) * span(x)) ** count / span(x)])
    of = [kind, [x, ints(*axes)], [y], options("Reducer", keepDims=False), 2]
    found = case(kind, *of)
    return signed(found, *of) if kind == "SUM" and index % 2 else found


def quotient(index):
    """Of 8 bits. Nothing is divided by zero."""
    x = fed([whole(1, 3), whole(1, 4), whole(1, 5)], "uint8" if index % 2 else "int8")
    shape = x.shape if index % 3 else [1, x.shape[2]]
    w = fed(shape, x.dtype)
    data = elements(shape, x.dtype)
    w.data = numpy.where(data == w.zeros[0], w.zeros[0] + (1 if w.zeros[0] < 100 else -1), data).astype(x.dtype)
    y = result(x.shape, x, 1 / (float(x.scales[0]) * 40))
    y.scales = y.scales * x.scales / w.scales
    return case("DIV", "DIV", [x, w], [y], options("Div", fusedActivationFunction=pick(ACTIVATIONS)), 2)


def of_rows(index):
    kind, opts = pick([("LOG_SOFTMAX", "LogSoftmax"), ("L2_NORMALIZATION", "L2Norm")])
    x = fed([whole(1, 3), whole(1, 30)], "uint8" if index % 3 == 2 else "int8")
    if kind == "LOG_SOFTMAX":
        x.scales = numpy.float32([random.uniform(0.01, 0.3)])
    scale_of = {"LOG_SOFTMAX": [1 / 16], "L2_NORMALIZATION": [1 / 128]}[kind]
    low, high = RANGES[x.dtype]
    y = Tensor(x.shape, x.dtype, scale_of, [high if kind == "LOG_SOFTMAX" else (low + high + 1) // 2])
    return case(kind, kind, [x], [y], options(opts), 2)


def powers(index):
    """Of 16 bits, where scales are powers of two: one input is shifted to the right."""
    kind, opts = [("ADD", "Add"), ("SUB", "Sub")][index % 2]
    shape, power = [whole(1, 3), whole(1, 9)], -whole(8, 14)
    down = [0, whole(0, 4)] if index % 3 else [whole(0, 4), 0]
    a, b = [Tensor(shape, "int16", [2.0 ** (power - by)], [0]) for by in down]
    y = Tensor(shape, "int16", [2.0**power], [0])
    if index % 5 == 4:
        # Or as others are.
        y.scales = y.scales * 2
    values = dict(potScaleInt16=index % 5 != 4, fusedActivationFunction=pick(ACTIVATIONS))
    return case(f"{kind} by powers", kind, [a, b], [y], options(opts, **values), 2)


CASES = [
    (convolution, 56), (fully_connected, 20), (pair, 40), (pool, 24), (mean, 20), (softmax, 12),
    (table, 12), (activation, 24), (exponential, 8), (requantised, 12), (quantised, 6), (dequantised, 6), (padded, 6),
    (joined, 6), (moved, 6), (transposed, 12), (extreme, 6), (onnx_convolution, 32), (onnx_product, 24), (onnx_dynamic, 8),
    (resized, 32), (end_of_rows, 28), (sloped, 12), (squared_difference, 10), (comparison, 24), (matrices, 16),
    (svdf, 16), (lstm, 24), (function, 36), (along_axes, 24), (quotient, 16), (of_rows, 24), (blocks, 16),
    (placed_otherwise, 36), (placed, 24),
    (words_of_channels, 8), (words_of_rows, 6), (powers, 10), (joined_apart, 8), (softmax_of_16_bits, 6),
    (dynamic_range.fully_connected, 24), (dynamic_range.convolution, 30), (dynamic_range.matrices, 42),
    (dynamic_range.svdf, 16), (dynamic_range.rnn, 16), (onnx_volume, 24),
]
# Those that there are of 16 bits, too.
WIDE = [
    (convolution, 40), (fully_connected, 20), (pair, 32), (pool, 16), (mean, 12), (softmax, 12), (table, 16),
    (activation, 12), (exponential, 6), (requantised, 8), (quantised, 4), (dequantised, 4), (padded, 6), (joined, 6),
    (moved, 6), (transposed, 12), (extreme, 6), (resized, 20), (end_of_rows, 10), (comparison, 18), (matrices, 12), (placed, 24),
    (function, 10), (along_axes, 12), (blocks, 8), (placed_otherwise, 16),
]

if __name__ == "__main__":
    kinds = CASES + [(of_16_bits(make), count) for make, count in WIDE]
    made = [make(index) for make, count in kinds for index in range(count)]
    with open(os.path.join(sys.argv[2], "quantised.json"), "w") as out:
        json.dump(made, out)
    print(f"{len(made)} cases of quantised operators", file=sys.stderr)
