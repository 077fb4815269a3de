"""TFLite models: MobileNet v1 with seeded weights, and BlazeFace as mediapipe ships it."""

import os

import numpy
from ai_edge_litert import schema_py_generated as schema
from flatbuffers import Builder

from . import seeded

# Output channels and stride of the depthwise part: table 1 of Howard et al. 2017.
SEPARABLE = [
    (64, 1),
    (128, 2),
    (128, 1),
    (256, 2),
    (256, 1),
    (512, 2),
    *[(512, 1)] * 5,
    (1024, 2),
    (1024, 1),
]
SIDE = 64
CLASSES = 1001


def made(folder):
    """Name, file and feeds of each."""
    feeds = {"picture": seeded.spread("mobilenet_v1/picture", [1, SIDE, SIDE, 3], 1.0)}
    yield "mobilenet_v1", mobilenet_v1(), feeds
    with open(os.path.join(folder, "face_detection_short_range.tflite"), "rb") as file:
        content = file.read()
    # The detector wants pixels between -1 and 1.
    yield "blazeface", content, {"input": seeded.uniform("blazeface/input", [1, 128, 128, 3], -1.0, 1.0)}


class Aligned(schema.BufferT):
    """A buffer whose elements start at a multiple of 16, as the schema demands and its
    generated Python forgets."""

    def Pack(self, builder):
        data = None
        if self.data is not None:
            builder.StartVector(1, len(self.data), 16)
            builder.head -= len(self.data)
            builder.Bytes[builder.head : builder.head + len(self.data)] = self.data
            data = builder.EndVector()
        schema.BufferStart(builder)
        if data is not None:
            schema.BufferAddData(builder, data)
        return schema.BufferEnd(builder)


class Network:
    """A graph under construction: every method returns the index of the tensor that it makes."""

    def __init__(self, name):
        self.name = name
        self.codes, self.buffers, self.tensors, self.operators = [], [Aligned()], [], []

    def tensor(self, name, dims, data=None, element=schema.TensorType.FLOAT32):
        tensor = schema.TensorT()
        tensor.name, tensor.shape, tensor.type = name, list(dims), element
        if data is not None:
            tensor.buffer = len(self.buffers)
            self.buffers.append(Aligned(data.tobytes()))
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def weight(self, label, dims, inputs, gain):
        return self.tensor(label, dims, seeded.fan_in(f"{self.name}/{label}", dims, inputs, gain))

    def bias(self, label, width):
        return self.tensor(label, [width], seeded.uniform(f"{self.name}/{label}", [width], -0.1, 0.3))

    def op(self, kind, inputs, name, dims, options=None):
        code = getattr(schema.BuiltinOperator, kind)
        if code not in self.codes:
            self.codes.append(code)
        operator = schema.OperatorT()
        operator.opcodeIndex = self.codes.index(code)
        operator.inputs, operator.outputs = inputs, [self.tensor(name, dims)]
        if options is not None:
            operator.builtinOptions = options
            operator.builtinOptionsType = getattr(schema.BuiltinOptions, type(options).__name__[:-1])
        self.operators.append(operator)
        return operator.outputs[0]

    def content(self, inputs, outputs):
        graph = schema.SubGraphT()
        graph.name, graph.tensors, graph.operators = self.name, self.tensors, self.operators
        graph.inputs, graph.outputs = inputs, outputs
        model = schema.ModelT()
        model.version, model.description = 3, "arenascope tests"
        model.subgraphs, model.buffers, model.operatorCodes = [graph], self.buffers, []
        for builtin in self.codes:
            code = schema.OperatorCodeT()
            code.builtinCode = code.deprecatedBuiltinCode = builtin
            code.version = 1
            model.operatorCodes.append(code)
        builder = Builder(1 << 25)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def mobilenet_v1():
    net = Network("mobilenet_v1")

    def options(kind, stride, act=schema.ActivationFunctionType.RELU6):
        made = getattr(schema, f"{kind}OptionsT")()
        made.padding, made.strideH, made.strideW = schema.Padding.SAME, stride, stride
        made.fusedActivationFunction = act
        return made

    def conv(label, x, side, inputs, outputs, kernel=1, stride=1):
        fan_in = inputs * kernel * kernel
        w = net.weight(f"{label}/weight", [outputs, kernel, kernel, inputs], fan_in, 2.0)
        dims = [1, side // stride, side // stride, outputs]
        return net.op("CONV_2D", [x, w, net.bias(f"{label}/bias", outputs)], label, dims, options("Conv2D", stride))

    picture = net.tensor("picture", [1, SIDE, SIDE, 3])
    side, channels = SIDE // 2, 32
    x = conv("stem", picture, SIDE, 3, channels, kernel=3, stride=2)
    for block, (outputs, stride) in enumerate(SEPARABLE):
        label = f"depthwise{block}"
        w = net.weight(f"{label}/weight", [1, 3, 3, channels], 9, 2.0)
        how = options("DepthwiseConv2D", stride)
        how.depthMultiplier = 1
        side //= stride
        inputs = [x, w, net.bias(f"{label}/bias", channels)]
        x = net.op("DEPTHWISE_CONV_2D", inputs, label, [1, side, side, channels], how)
        x = conv(f"pointwise{block}", x, side, channels, outputs)
        channels = outputs
    pool = schema.Pool2DOptionsT()
    pool.padding, pool.strideH, pool.strideW = schema.Padding.VALID, side, side
    pool.filterHeight = pool.filterWidth = side
    x = net.op("AVERAGE_POOL_2D", [x], "pool", [1, 1, 1, channels], pool)
    w = net.weight("classifier/weight", [CLASSES, 1, 1, channels], channels, 2.0)
    inputs = [x, w, net.bias("classifier/bias", CLASSES)]
    x = net.op("CONV_2D", inputs, "classifier", [1, 1, 1, CLASSES], options("Conv2D", 1, act=0))
    shape = schema.ReshapeOptionsT()
    shape.newShape = [1, CLASSES]
    target = numpy.array([1, CLASSES], numpy.int32)
    target = net.tensor("classes", [2], target, element=schema.TensorType.INT32)
    x = net.op("RESHAPE", [x, target], "logits", [1, CLASSES], shape)
    softmax = schema.SoftmaxOptionsT()
    softmax.beta = 1.0
    x = net.op("SOFTMAX", [x], "probabilities", [1, CLASSES], softmax)
    return net.content([picture], [x])
