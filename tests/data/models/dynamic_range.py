"""Builtins on floats whose weights are integers of 8 bits: what is fed is quantised on the way."""

import numpy
from ai_edge_litert import schema_py_generated as schema

from .chance import pick, random, whole
from .litert import case, scale
from .tflite import Tensor, options

ACTIVATIONS = [schema.ActivationFunctionType.NONE, schema.ActivationFunctionType.RELU, schema.ActivationFunctionType.RELU6]


def floats(shape):
    return Tensor(shape, "float32")


def weights(shape, channels, axis):
    data = random.integers(-127, 128, shape).astype("int8")
    return Tensor(shape, "int8", [scale(0.001, 0.02) for _ in range(channels)], [0] * channels, axis, data)


def biases(count):
    return Tensor([count], "float32", data=random.normal(0, 1, [count]).astype("float32"))


def fully_connected(index):
    """Of one scale or one for each unit; rows are quantised with or without a zero point."""
    rows, depth, units = whole(1, 4), whole(1, 90), whole(1, 11)
    inputs = [floats([rows, depth]), weights([units, depth], units if index % 4 > 1 else 1, 0)]
    inputs += [biases(units)] if index % 3 else []
    opts = options(
        "FullyConnected", asymmetricQuantizeInputs=index % 2 == 1, fusedActivationFunction=pick(ACTIVATIONS)
    )
    kind = "FULLY_CONNECTED"
    return case(f"{kind} of dynamic range", kind, inputs, [floats([rows, units])], opts, 9)


def matrices(index):
    """Weights are one matrix, as it lies or transposed; rows are quantised one by one. With two
    batch dimensions LiteRT's reference kernel takes the scale of another row."""
    rows, depth, columns = whole(1, 4), whole(1, 60), whole(1, 11)
    batch = [[], [2], [1, 3]][index % 3]
    swapped = index % 4 > 1
    shape = [columns, depth] if swapped else [depth, columns]
    inputs = [floats([*batch, rows, depth]), weights(shape, 1, 0)]
    opts = options("BatchMatMul", adjY=swapped, asymmetricQuantizeInputs=index % 2 == 1)
    kind = "BATCH_MATMUL"
    return case(f"{kind} of dynamic range", kind, inputs, [floats([*batch, rows, columns])], opts, 4)


def convolution(index):
    """Depthwise ones have a scale for each channel; others that, or one."""
    depthwise = index % 3 == 2
    n, h, w, c, filters = whole(1, 2), whole(4, 8), whole(4, 8), whole(1, 5), whole(2, 7)
    kernel, stride = [whole(1, 3), whole(1, 3)], whole(1, 2)
    multiplier = whole(1, 2)
    filters = c * multiplier if depthwise else filters
    padding = pick([schema.Padding.SAME, schema.Padding.VALID])
    same = padding == schema.Padding.SAME
    sides = [-(-(size if same else size - k + 1) // stride) for size, k in zip([h, w], kernel)]
    shape, axis = ([1, *kernel, filters], 3) if depthwise else ([filters, *kernel, c], 0)
    inputs = [floats([n, h, w, c]), weights(shape, 1 if index % 3 == 0 else filters, axis), biases(filters)]
    common = dict(padding=padding, strideH=stride, strideW=stride, fusedActivationFunction=pick(ACTIVATIONS))
    if depthwise:
        kind, opts = "DEPTHWISE_CONV_2D", options("DepthwiseConv2D", depthMultiplier=multiplier, **common)
    else:
        kind, opts = "CONV_2D", options("Conv2D", **common)
    return case(f"{kind} of dynamic range", kind, inputs, [floats([n, *sides, filters])], opts, 6 if depthwise else 5)
