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
    """Weights are matrices as they lie or transposed, one for all images of x or one for each, or
    many for its only one, of one scale or one for each column; rows are quantised one by one. With
    two batch dimensions LiteRT's reference kernel takes the scale of another row."""
    rows, depth, columns = whole(1, 4), whole(1, 60), whole(1, 11)
    batch = [[], [2], [1, 3]][index % 3]
    own = [[], batch, batch][index // 3 % 3]
    of_x = [1 for _ in batch] if index // 3 % 3 == 2 else batch
    swapped = index % 4 > 1
    shape = [*own, columns, depth] if swapped else [*own, depth, columns]
    axis = len(shape) - (2 if swapped else 1)
    inputs = [floats([*of_x, rows, depth]), weights(shape, columns if index % 7 > 3 else 1, axis)]
    opts = options("BatchMatMul", adjY=swapped, asymmetricQuantizeInputs=index % 2 == 1)
    kind = "BATCH_MATMUL"
    y = [*(own or batch), rows, columns]
    return case(f"{kind} of dynamic range", kind, inputs, [floats(y)], opts, 4)


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


def svdf(index):
    """Features are quantised row by row, the filter is of floats."""
    batch, size, units, rank, steps = whole(1, 3), whole(1, 40), whole(1, 10), whole(1, 3), whole(1, 8)
    inputs = [floats([batch, size]), weights([units * rank, size], 1, 0), weights([units * rank, steps], 1, 0)]
    inputs += [biases(units) if index % 2 else None, kept([batch, units * rank * steps])]
    opts = options(
        "SVDF", rank=rank, fusedActivationFunction=pick(ACTIVATIONS[:2]), asymmetricQuantizeInputs=index % 4 > 1
    )
    return case("SVDF of dynamic range", "SVDF", inputs, [floats([batch, units])], opts, 4)


def kept(shape):
    return Tensor(shape, "float32", kept=True)


def reaching(shape, reach):
    """What the largest of the weights stands for is `reach`."""
    data = random.integers(-127, 128, shape).astype("int8")
    return Tensor(shape, "int8", [reach * random.uniform(0.5, 2) / 127], [0], 0, data)


def rnn(index, activations=ACTIVATIONS):
    """At each step x and the state are quantised row by row."""
    batch, steps, size, units, major = whole(1, 3), whole(1, 6), whole(1, 40), whole(1, 70), index % 3 == 2
    shape = [steps, batch] if major else [batch, steps]
    inputs = [floats([*shape, size]), reaching([units, size], size**-0.5), reaching([units, units], units**-0.5)]
    inputs += [biases(units), kept([batch, units])]
    opts = options(
        "SequenceRNN", timeMajor=major, fusedActivationFunction=pick(activations), asymmetricQuantizeInputs=index % 2 == 1
    )
    kind = "UNIDIRECTIONAL_SEQUENCE_RNN"
    return case(f"{kind} of dynamic range", kind, inputs, [floats([*shape, units])], opts, 3)


def rnn_of_tanh(index):
    return rnn(index, [schema.ActivationFunctionType.TANH])


def lstm(index):
    """The same with memory."""
    batch, steps, size, units, major = whole(1, 3), whole(1, 6), whole(1, 40), whole(1, 70), index % 3 == 2
    coupled, peepholes = index % 4 == 3, index % 5 > 2
    shape = [steps, batch] if major else [batch, steps]

    def gates(make):
        return [None if gate == 0 and coupled else make() for gate in range(4)]

    inputs = [floats([*shape, size]), *gates(lambda: reaching([units, size], size**-0.5))]
    inputs += gates(lambda: reaching([units, units], 2 * units**-0.5))
    inputs += [reaching([units], 0.5) if peepholes and (gate or not coupled) else None for gate in range(3)]
    inputs += gates(lambda: biases(units))
    inputs += [None, None, kept([batch, units]), kept([batch, units]), *[None] * 4]
    opts = options(
        "UnidirectionalSequenceLSTM", timeMajor=major, cellClip=0.5 if index % 7 == 6 else 0.0,
        fusedActivationFunction=schema.ActivationFunctionType.TANH, asymmetricQuantizeInputs=index % 2 == 1,
    )
    kind = "UNIDIRECTIONAL_SEQUENCE_LSTM"
    return case(f"{kind} of dynamic range", kind, inputs, [floats([*shape, units])], opts, 3)
