"""Small networks of our own as TFLite: the dumps beside this file are of them.

Needs the package ai-edge-litert, whose schema builds the files. Weights are 1 or 2: only shapes,
types and the order of the operators decide a plan.
"""

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema

OPERATOR = schema.BuiltinOperator
OPTIONS = schema.BuiltinOptions
FLOAT, INT8, INT32 = (getattr(schema.TensorType, kind) for kind in ("FLOAT32", "INT8", "INT32"))
# The version of each operator that takes 8-bit tensors, where it is not the second.
VERSIONS = {OPERATOR.CONV_2D: 3, OPERATOR.DEPTHWISE_CONV_2D: 3, OPERATOR.FULLY_CONNECTED: 4}
VERSIONS[OPERATOR.RESHAPE] = VERSIONS[OPERATOR.SVDF] = 1


class Network:
    """A subgraph in the making; tensors are known by their index."""

    def __init__(self):
        self.buffers, self.tensors, self.codes, self.operators = [schema.BufferT()], [], [], []

    def tensor(self, name, shape, kind=INT8, data=None):
        tensor = schema.TensorT()
        tensor.name, tensor.shape, tensor.type, tensor.buffer = name.encode(), shape, kind, 0
        if kind == FLOAT:
            self.tensors.append(tensor)
            return self.filled(tensor, data)
        tensor.quantization = schema.QuantizationParametersT()
        scale = 2.0**-16 if kind == INT32 else 2.0**-8
        tensor.quantization.scale = numpy.array([scale], numpy.float32)
        tensor.quantization.zeroPoint = numpy.array([-128 if data is None else 0], numpy.int64)
        self.tensors.append(tensor)
        return self.filled(tensor, data)

    def filled(self, tensor, data):
        if data is not None:
            tensor.buffer = len(self.buffers)
            self.buffers.append(schema.BufferT())
            self.buffers[-1].data = numpy.frombuffer(data.tobytes(), numpy.uint8)
        return len(self.tensors) - 1

    def constant(self, name, array):
        kinds = {"int8": INT8, "int32": INT32, "float32": FLOAT}
        return self.tensor(name, array.shape, kinds[array.dtype.name], array)

    def operator(self, code, inputs, name, shape, options=None, kind=INT8):
        if code not in self.codes:
            self.codes.append(code)
        operator = schema.OperatorT()
        operator.opcodeIndex = self.codes.index(code)
        operator.inputs, operator.outputs = inputs, [self.tensor(name, shape, kind)]
        if options is not None:
            union = type(options).__name__.removesuffix("T")
            operator.builtinOptionsType, operator.builtinOptions = getattr(OPTIONS, union), options
        self.operators.append(operator)
        return operator.outputs[0]

    def shape(self, index):
        return [int(size) for size in self.tensors[index].shape]

    def weights(self, name, shape, outputs):
        filled = numpy.arange(numpy.prod(shape)).reshape(shape) % 2 + 1
        weights = self.constant(f"{name}/weights", filled.astype(numpy.int8))
        return weights, self.constant(f"{name}/bias", numpy.zeros(outputs, numpy.int32))

    def conv(self, source, name, channels, side=3, stride=1, depthwise=False):
        batch, height, width, depth = self.shape(source)
        channels = depth if depthwise else channels
        options = schema.DepthwiseConv2DOptionsT() if depthwise else schema.Conv2DOptionsT()
        options.padding, options.strideH, options.strideW = schema.Padding.SAME, stride, stride
        options.dilationHFactor = options.dilationWFactor = 1
        options.fusedActivationFunction = schema.ActivationFunctionType.RELU6
        if depthwise:
            options.depthMultiplier = 1
        kernel = [1, side, side, depth] if depthwise else [channels, side, side, depth]
        shape = [batch, -(-height // stride), -(-width // stride), channels]
        code = OPERATOR.DEPTHWISE_CONV_2D if depthwise else OPERATOR.CONV_2D
        return self.operator(code, [source, *self.weights(name, kernel, channels)], name, shape, options)

    def model(self, inputs, outputs):
        graph = schema.SubGraphT()
        graph.tensors, graph.operators, graph.name = self.tensors, self.operators, b"main"
        graph.inputs, graph.outputs = inputs, outputs
        model = schema.ModelT()
        model.version, model.subgraphs, model.buffers = 3, [graph], self.buffers
        model.description, model.operatorCodes = b"small_net", []
        for code in self.codes:
            entry = schema.OperatorCodeT()
            entry.builtinCode = entry.deprecatedBuiltinCode = code
            entry.version = VERSIONS.get(code, 2)
            model.operatorCodes.append(entry)
        builder = flatbuffers.Builder(1 << 16)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def add(network, one, other, name):
    options = schema.AddOptionsT()
    return network.operator(OPERATOR.ADD, [one, other], name, network.shape(one), options)


def block(network, source, name, channels, stride):
    """An inverted residual: wider, depthwise, narrower, and the source on top if that fits."""
    wide = network.conv(source, f"{name}/expand", 4 * network.shape(source)[3], side=1)
    deep = network.conv(wide, f"{name}/depthwise", None, stride=stride, depthwise=True)
    narrow = network.conv(deep, f"{name}/project", channels, side=1)
    same = network.shape(narrow) == network.shape(source)
    return add(network, source, narrow, f"{name}/add") if same else narrow


def small_net():
    network = Network()
    picture = network.tensor("picture", [1, 48, 48, 3])
    layer = network.conv(picture, "stem", 8, stride=2)
    for at, (channels, stride) in enumerate([(8, 1), (16, 2), (16, 1), (24, 2), (24, 1)]):
        layer = block(network, layer, f"block{at}", channels, stride)
    pool = schema.Pool2DOptionsT()
    pool.padding, pool.filterHeight, pool.filterWidth = schema.Padding.VALID, 6, 6
    pool.strideH = pool.strideW = 6
    layer = network.operator(OPERATOR.AVERAGE_POOL_2D, [layer], "pool", [1, 1, 1, 24], pool)
    target = network.constant("flat/shape", numpy.array([1, 24], numpy.int32))
    flat = network.operator(OPERATOR.RESHAPE, [layer, target], "flat", [1, 24], schema.ReshapeOptionsT())
    weights = network.weights("classes", [10, 24], 10)
    options = schema.FullyConnectedOptionsT()
    layer = network.operator(OPERATOR.FULLY_CONNECTED, [flat, *weights], "classes", [1, 10], options)
    options = schema.SoftmaxOptionsT()
    options.beta = 1.0
    layer = network.operator(OPERATOR.SOFTMAX, [layer], "probabilities", [1, 10], options)
    return network.model([picture], [layer])


def memory_net():
    """Two layers that remember what they saw: their states are variables."""
    network = Network()
    layer = sound = network.tensor("sound", [1, 40], FLOAT)
    for at, units in enumerate([64, 12]):
        size, memory = network.shape(layer)[1], 8
        feature = network.constant(f"svdf{at}/feature", numpy.ones([units, size], numpy.float32))
        time = network.constant(f"svdf{at}/time", numpy.ones([units, memory], numpy.float32))
        bias = network.constant(f"svdf{at}/bias", numpy.ones([units], numpy.float32))
        state = network.tensor(f"svdf{at}/state", [1, memory * units], FLOAT)
        network.tensors[state].isVariable = True
        options = schema.SVDFOptionsT()
        options.rank = 1
        inputs = [layer, feature, time, bias, state]
        layer = network.operator(OPERATOR.SVDF, inputs, f"svdf{at}", [1, units], options, FLOAT)
    return network.model([sound], [layer])


def networks():
    """Name and content of each."""
    return [("small_net", small_net()), ("memory_net", memory_net())]
