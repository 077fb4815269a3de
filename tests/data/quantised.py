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

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from models.chance import RANGES, elements, pick, random, whole
from models.integers import onnx_convolution, onnx_dynamic, onnx_product
from models.tflite import TYPES, Tensor, options

ACTIVATIONS = [
    schema.ActivationFunctionType.NONE,
    schema.ActivationFunctionType.RELU,
    schema.ActivationFunctionType.RELU6,
    schema.ActivationFunctionType.RELU_N1_TO_1,
]
PADDINGS = [schema.Padding.SAME, schema.Padding.VALID]
# Whether activations are of 16 bits: whatever asks for some of 8 is given these.
wide = False


def scale(low=0.005, high=0.1):
    return numpy.float32(random.uniform(low, high))


def span(x):
    """About what an element is, of those that are arbitrary, but for the sign."""
    return 60 * 256 if x.dtype == "int16" else 60


def fed(shape, dtype="int8", of=None):
    """What is fed: with a quantisation of its own, or that of another tensor."""
    if of is not None:
        return Tensor(shape, of.dtype, of.scales, of.zeros)
    if wide:
        return Tensor(shape, "int16", [scale() / 256], [0])
    low, high = RANGES[dtype]
    return Tensor(shape, dtype, [scale()], [int(random.integers(low, high + 1))])


def case(name, builtin, inputs, outputs, opts=None, version=1, inside=()):
    """The operator as a model, and what LiteRT computes of arbitrary elements: in three runs where
    it keeps some from run to run. An input that is left out is None; `inside` are tensors that
    only their quantisation counts of."""
    model = schema.ModelT()
    model.version = 3
    code = schema.OperatorCodeT()
    code.builtinCode = getattr(schema.BuiltinOperator, builtin)
    code.deprecatedBuiltinCode = min(code.builtinCode, 127)
    code.version = version
    model.operatorCodes = [code]
    graph, op = schema.SubGraphT(), schema.OperatorT()
    model.buffers = [schema.BufferT()]
    graph.tensors = []
    inputs, op.inputs = given(inputs)
    for index, tensor in enumerate([*inputs, *outputs, *inside]):
        buffer = 0
        if tensor.data is not None:
            buffer = len(model.buffers)
            held = schema.BufferT()
            held.data = numpy.frombuffer(tensor.data.tobytes(), numpy.uint8)
            model.buffers.append(held)
        made = tensor.made(buffer)
        made.name = f"t{index}"
        graph.tensors.append(made)
    op.outputs = [len(inputs) + index for index in range(len(outputs))]
    if inside:
        op.intermediates = [len(inputs) + len(outputs) + index for index in range(len(inside))]
    fed_ones = [index for index, tensor in enumerate(inputs) if tensor.data is None and not tensor.kept]
    graph.inputs = fed_ones
    graph.outputs = op.outputs
    op.opcodeIndex = 0
    if opts:
        op.builtinOptionsType = getattr(schema.BuiltinOptions, f"{opts[0]}Options")
        op.builtinOptions = opts[1]
    graph.operators = [op]
    model.subgraphs = [graph]
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    content = bytes(builder.Output())
    interpreter = Interpreter(
        model_content=content,
        experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
        num_threads=1,
    )
    interpreter.allocate_tensors()
    runs = [run(interpreter, inputs, graph) for _ in range(3 if any(it.kept for it in inputs) else 1)]
    return {"name": name, "model": content.hex(), **runs[0], "later": runs[1:]}


def given(inputs):
    """Those that are there, and the number of each: -1 where it is not."""
    numbers = iter(range(len(inputs)))
    return [it for it in inputs if it is not None], [-1 if it is None else next(numbers) for it in inputs]


def run(interpreter, inputs, graph):
    fed_ones = []
    for index in graph.inputs:
        tensor = inputs[index]
        if tensor.dtype == "float32":
            data = random.normal(0, 2, tensor.shape).astype("float32")
        else:
            data = elements(tensor.shape, tensor.dtype)
        interpreter.set_tensor(index, data)
        fed_ones.append(data.tobytes().hex())
    interpreter.invoke()
    found = [interpreter.get_tensor(index).tobytes().hex() for index in graph.outputs]
    return {"inputs": fed_ones, "outputs": found}


def result(shape, x, factor, dtype=None):
    """An output whose scale is about what fits, with an arbitrary zero point."""
    dtype = dtype or x.dtype
    low, high = RANGES[dtype]
    step = float(x.scales[0]) * factor * random.uniform(0.5, 2)
    return Tensor(shape, dtype, [step], [0 if dtype == "int16" else int(random.integers(low, high + 1))])


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
    return {"quantizedBiasType": TYPES[biases[0].dtype]} if wide and biases else {}


def of_16_bits(make):
    """The maker of the same cases on activations of 16 bits."""

    def made(index):
        global wide
        wide = True
        try:
            return make(index)
        finally:
            wide = False

    return made


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
    if depthwise and wide:
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
    y = Tensor(x.shape, x.dtype, *([[1 / 32768], [0]] if wide else [[1 / 256], [RANGES[x.dtype][0]]]))
    return case("SOFTMAX", "SOFTMAX", [x], [y], options("Softmax", beta=1.0), 2)


def table(index):
    kind = pick(["LOGISTIC", "TANH"])
    x = fed([whole(1, 3), whole(1, 12)], "uint8" if index % 3 == 2 else "int8")
    low, high = RANGES[x.dtype]
    middle = (low + high + 1) // 2
    y = Tensor(x.shape, x.dtype, *([[1 / 256], [low]] if kind == "LOGISTIC" else [[1 / 128], [middle]]))
    if wide:
        y = Tensor(x.shape, x.dtype, [1 / 32768], [0])
        # Powers of two are computed with apart.
        x.scales = numpy.float32([2.0 ** -whole(11, 12)]) if index % 4 == 0 else x.scales
    return case(kind, kind, [x], [y], None, 2)


def activation(index):
    kinds = ["RELU", "RELU6", "LEAKY_RELU", "RELU_N1_TO_1", "RELU_0_TO_1", "HARD_SWISH"]
    kind = pick(kinds[:3] if wide else kinds)
    x = fed([whole(1, 3), whole(1, 12)], "uint8" if index % 4 == 3 else "int8")
    y = result(x.shape, x, 0.9)
    opts = options("LeakyRelu", alpha=0.13) if kind == "LEAKY_RELU" else None
    return case(kind, kind, [x], [y], opts, 2 if kind in ("RELU", "RELU6", "LEAKY_RELU") else 1)


def exponential(index):
    x = fed([whole(1, 3), whole(1, 12)])
    x.scales = numpy.float32([random.uniform(0.005, 0.02)])
    y = result(x.shape, x, 1.5)
    return case("EXP", "EXP", [x], [y], options("Exp"), 2)


def requantised(index):
    narrow = [("int8", "int8"), ("int8", "uint8"), ("uint8", "int8"), ("int8", "int16")]
    from_type, to_type = pick([(None, "int16"), (None, "int8")] if wide else narrow)
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


def padded(index):
    x = fed([1, whole(1, 4), whole(1, 4), whole(1, 3)], "uint8" if index % 3 == 2 else "int8")
    sides = random.integers(0, 3, [4, 2]).astype("int32")
    shape = [size + int(pads.sum()) for size, pads in zip(x.shape, sides)]
    sides = Tensor([4, 2], "int32", data=sides)
    return case("PAD", "PAD", [x, sides], [fed(shape, of=x)], options("Pad"), 2)


def joined(index):
    shape = [1, whole(1, 4), whole(1, 4), whole(1, 5)]
    axis = whole(1, 3)
    x = fed(shape)
    other = list(shape)
    other[axis] = whole(1, 5)
    both = list(shape)
    both[axis] += other[axis]
    opts = options("Concatenation", axis=axis)
    return case("CONCATENATION", "CONCATENATION", [x, fed(other, of=x)], [fed(both, of=x)], opts, 2)


def moved(index):
    x = fed([whole(1, 3), whole(1, 4), whole(1, 5)])
    if index % 2:
        perm = random.permutation(3).astype("int32")
        shape = [x.shape[axis] for axis in perm]
        inputs = [x, Tensor([3], "int32", data=perm)]
        return case("TRANSPOSE", "TRANSPOSE", inputs, [fed(shape, of=x)], options("Transpose"), 2)
    shape = [x.shape[0] * x.shape[1], x.shape[2]]
    inputs = [x, Tensor([2], "int32", data=numpy.int32(shape))]
    return case("RESHAPE", "RESHAPE", inputs, [fed(shape, of=x)], options("Reshape", newShape=shape), 1)


def resized(index):
    kind, opts = pick([("RESIZE_BILINEAR", "ResizeBilinear"), ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighbor")])
    # Of unsigned elements the linear one computes with floats.
    dtype, sides = "uint8" if kind != "RESIZE_BILINEAR" and index % 3 == 2 else "int8", [whole(1, 11), whole(1, 11)]
    x = fed([whole(1, 2), whole(1, 6), whole(1, 6), whole(1, 4)], dtype)
    corners, centres = pick([(False, False), (True, False), (False, True)])
    inputs, y = [x, Tensor([2], "int32", data=numpy.int32(sides))], fed([x.shape[0], *sides, x.shape[3]], of=x)
    return case(kind, kind, inputs, [y], options(opts, alignCorners=corners, halfPixelCenters=centres), 3)


def end_of_rows(index):
    ends = [("REDUCE_MAX", "Reducer"), ("REDUCE_MIN", "Reducer"), ("ARG_MAX", "ArgMax"), ("ARG_MIN", "ArgMin")]
    kind, opts = pick(ends[:2] if wide else ends)
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
    kind, opts = pick([("GELU", "Gelu"), ("ABS", "Abs"), ("LOG", None), ("RSQRT", None)])
    x = fed([whole(1, 3), whole(1, 12)])
    if kind == "RSQRT":
        # There are no negative ones.
        x.zeros = [-128]
    return case(kind, kind, [x], [result(x.shape, x, 1.5)], options(opts) if opts else None, 2)


def ints(*of):
    return Tensor(numpy.shape(of), "int32", data=numpy.int32(of))


def placed(index):
    x = fed([1 + index % 2, 4, 6, 4])
    kind, more, shape, opts = pick([
        ("GATHER", [ints(2, 0)], [x.shape[0], 2, 6, 4], options("Gather", axis=1)),
        ("TILE", [ints(1, 2, 1, 3)], [x.shape[0], 8, 6, 12], None),
        ("SLICE", [ints(0, 1, 2, 1), ints(1, 2, 3, 3)], [1, 2, 3, 3], options("Slice")),
        ("REVERSE_V2", [ints(2)], x.shape, None),
        ("PACK", [fed(x.shape, of=x)], [x.shape[0], 2, 4, 6, 4], options("Pack", valuesCount=2, axis=1)),
    ] + [("SPACE_TO_DEPTH", [], [x.shape[0], 2, 3, 16], options("SpaceToDepth", blockSize=2))] * (not wide))
    return case(kind, kind, [x, *more], [fed(shape, of=x)], opts, 1)


def svdf(index):
    batch, size, units, rank, steps = whole(1, 3), whole(1, 20), whole(1, 10), whole(1, 3), whole(1, 8)
    x, state = fed([batch, size]), Tensor([batch, units * rank * steps], "int16", [scale() / 256], [0], kept=True)
    of_x = Tensor([units * rank, size], "int8", [scale()], [0], 0, elements([units * rank, size], "int8"))
    of_steps = Tensor([units * rank, steps], "int16", [scale() / 256], [0], 0, elements([units * rank, steps], "int16"))
    # About what fills the state, and then the output.
    state.scales = numpy.float32([x.scales[0] * of_x.scales[0] * 3600 * size**0.5 / 9000])
    both = float(state.scales[0]) * float(of_steps.scales[0])
    y = Tensor([batch, units], "int8", [both * 9000 * 15000 * (rank * steps) ** 0.5 / 60], [whole(-128, 127)])
    added = Tensor([units], "int32", [both], [0], 0, random.integers(-(10**8), 10**8, [units]).astype("int32"))
    opts = options("SVDF", rank=rank, fusedActivationFunction=schema.ActivationFunctionType.RELU)
    return case("SVDF", "SVDF", [x, of_x, of_steps, added, state], [y], opts, 3)


def lstm(index):
    coupled, peepholes, time_first = index % 4 == 3, index % 3 == 2, index % 5 == 4
    batch, steps, size, units = whole(1, 3), whole(1, 6), whole(1, 20), whole(1, 13)
    x = fed([steps, batch, size] if time_first else [batch, steps, size])
    hidden = Tensor([batch, units], "int8", [1 / 128], [whole(-30, 30)], kept=True)
    places = whole(0, 5) if index % 2 else 4
    memory = Tensor([batch, units], "int16", [2.0 ** (places - 15)], [0], kept=True)

    def constant(shape, dtype, reach):
        """What its largest element stands for is `reach`."""
        top = RANGES[dtype][1]
        return Tensor(shape, dtype, [reach / top], [0], 0, random.integers(-top, top + 1, shape).astype(dtype))

    # About what opens and closes gates.
    from_x = [constant([units, size], "int8", random.uniform(1, 4) / (float(x.scales[0]) * 60 * size**0.5)) for _ in range(4)]
    from_h = [constant([units, units], "int8", random.uniform(1, 4) / units**0.5) for _ in range(4)]
    from_c = [constant([units], "int16", random.uniform(0.5, 2)) if peepholes and gate != 2 else None for gate in range(4)]
    biases = []
    for w in from_x:
        unit = float(x.scales[0]) * float(w.scales[0])
        biases.append(Tensor([units], "int32", [unit], [0], 0, (random.normal(0, 1, [units]) / unit).astype("int32")))
    if coupled:
        from_x[0] = from_h[0] = from_c[0] = biases[0] = None
    del from_c[2]
    inputs = [x, *from_x, *from_h, *from_c, *biases, None, None, hidden, memory, *[None] * 4]
    inside = [Tensor([], "float32") for _ in range(4)] + [Tensor([], "int8", [random.uniform(0.004, 0.01)], [whole(-30, 30)])]
    clip = random.uniform(0.2, 0.8) * 2.0**places if index % 4 == 2 else 0.0
    opts = options(
        "UnidirectionalSequenceLSTM", fusedActivationFunction=schema.ActivationFunctionType.TANH,
        timeMajor=time_first, cellClip=clip,
    )
    y = Tensor([*x.shape[:2], units], "int8", hidden.scales, hidden.zeros)
    name = "UNIDIRECTIONAL_SEQUENCE_LSTM"
    return case(name, name, inputs, [y], opts, 3, inside)


CASES = [
    (convolution, 56), (fully_connected, 20), (pair, 40), (pool, 24), (mean, 20), (softmax, 12),
    (table, 12), (activation, 24), (exponential, 8), (requantised, 12), (quantised, 6), (dequantised, 6), (padded, 6),
    (joined, 6), (moved, 6), (transposed, 12), (extreme, 6), (onnx_convolution, 32), (onnx_product, 24), (onnx_dynamic, 8),
    (resized, 32), (end_of_rows, 28), (sloped, 12), (squared_difference, 10), (comparison, 24), (matrices, 16),
    (svdf, 16), (lstm, 30), (function, 24), (placed, 24),
    (words_of_channels, 8), (words_of_rows, 6),
]
# Those that there are of 16 bits, too.
WIDE = [
    (convolution, 40), (fully_connected, 20), (pair, 32), (pool, 16), (mean, 12), (softmax, 12), (table, 16),
    (activation, 12), (exponential, 6), (requantised, 8), (quantised, 4), (dequantised, 4), (padded, 6), (joined, 6),
    (moved, 6), (transposed, 12), (extreme, 6), (resized, 20), (end_of_rows, 10), (comparison, 18), (matrices, 12), (placed, 24),
]

if __name__ == "__main__":
    kinds = CASES + [(of_16_bits(make), count) for make, count in WIDE]
    made = [make(index) for make, count in kinds for index in range(count)]
    with open(os.path.join(sys.argv[2], "quantised.json"), "w") as out:
        json.dump(made, out)
    print(f"{len(made)} cases of quantised operators", file=sys.stderr)
