"""Writes whole models that ONNX Runtime's tools have quantised, and what ONNX Runtime makes of them.

Usage: python3 quantised_models.py <folder with the fixtures> <empty folder to write into>

Static models in both formats (QDQ and QOperator) and a dynamic one, of networks with seeded random
weights. The judge is ONNX Runtime on the CPU with its usual optimisations, which turn QDQ groups into
operators on integers. Weights have 7 bits: without VNNI its kernels saturate sums of two products of
8 bits. The files are those that whole_models.py writes.
"""

import os
import sys
import tempfile

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType
from onnxruntime.quantization import quantize_dynamic, quantize_static

import whole_models
from models import seeded
from models.network import picture

onnxruntime.set_default_logger_severity(3)


class Optimised:
    """A model and its feeds, run as it is deployed."""

    ending = ".onnx"
    name = f"onnxruntime {onnxruntime.__version__} CPU"

    def __init__(self, content, feeds):
        self.content, self.feeds = content, feeds

    def run(self, level=onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL):
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = level
        options.intra_op_num_threads = 1
        runner = onnxruntime.InferenceSession(self.content, options, providers=["CPUExecutionProvider"])
        names = [output.name for output in runner.get_outputs()]
        return dict(zip(names, runner.run(names, self.feeds)))


class Network:
    """Nodes one after the other."""

    def __init__(self, name):
        self.name, self.nodes, self.weights, self.count = name, [], [], 0

    def weight(self, data):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(data, name))
        return name

    def add(self, kind, *inputs, **attributes):
        self.count += 1
        y = f"{kind.lower()}{self.count}"
        names = [it if isinstance(it, str) else self.weight(numpy.asarray(it)) for it in inputs]
        self.nodes.append(helper.make_node(kind, names, [y], name=y, **attributes))
        return y

    def seeded(self, dims, fan, gain=2.0):
        return seeded.fan_in(f"{self.name}/{len(self.weights)}", dims, fan, gain=gain)

    def conv(self, x, inputs, outputs, side=1, stride=1, group=1):
        w = self.seeded([outputs, inputs // group, side, side], inputs // group * side * side)
        bias = self.seeded([outputs], outputs)
        pads = [side // 2] * 4
        return self.add("Conv", x, w, bias, kernel_shape=[side] * 2, strides=[stride] * 2, pads=pads, group=group)

    def linear(self, x, inputs, outputs, gain=1.0):
        product = self.add("MatMul", x, self.seeded([inputs, outputs], inputs, gain))
        return self.add("Add", product, self.seeded([outputs], outputs))

    def made(self, x, y):
        given = helper.make_tensor_value_info("x", TensorProto.FLOAT, list(x.shape))
        result = helper.make_tensor_value_info(y, TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, self.name, [given], [result], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return onnx.shape_inference.infer_shapes(model)


def squeezenet():
    """SqueezeNet 1.1 with a picture of 48."""
    net, x = Network("squeezenet"), picture("squeezenet", [1, 3, 48, 48])
    y = net.add("Relu", net.conv("x", 3, 64, 3, 2))
    width = 64
    for squeezed, expanded, pool in [(16, 64, 1), (16, 64, 0), (32, 128, 1), (32, 128, 0), (48, 192, 1), (64, 256, 0)]:
        if pool:
            y = net.add("MaxPool", y, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
        y = net.add("Relu", net.conv(y, width, squeezed))
        sides = [net.add("Relu", net.conv(y, squeezed, expanded, side)) for side in (1, 3)]
        y, width = net.add("Concat", *sides, axis=1), 2 * expanded
    y = net.add("GlobalAveragePool", net.add("Relu", net.conv(y, width, 100)))
    return net.made(x, net.add("Flatten", y)), x


def mobilenet():
    """MobileNet v2 with a picture of 32 and fewer blocks, its last convolution as wide as it is."""
    net, x = Network("mobilenet"), picture("mobilenet", [1, 3, 32, 32])
    bounded = lambda y: net.add("Clip", y, numpy.float32(0), numpy.float32(6))
    y, width = bounded(net.conv("x", 3, 16, 3, 2)), 16
    for outputs, stride, factor in [(8, 1, 1), (12, 2, 6), (12, 1, 6), (16, 2, 6), (16, 1, 6)]:
        before, inner = y, width * factor
        y = bounded(net.conv(y, width, inner))
        y = bounded(net.conv(y, inner, inner, 3, stride, inner))
        y = net.conv(y, inner, outputs)
        if stride == 1 and width == outputs:
            y = net.add("Add", before, y)
        width = outputs
    y = net.add("GlobalAveragePool", bounded(net.conv(y, width, 1280)))
    y = net.add("Flatten", y)
    return net.made(x, net.add("Gemm", y, net.seeded([100, 1280], 1280), net.seeded([100], 100), transB=1)), x


def transformer():
    """Two layers of an encoder: 12 positions of 48 numbers, 3 heads."""
    net, x = Network("transformer"), seeded.fan_in("transformer", [1, 12, 48], 1)
    ones, zeros = numpy.ones(48, "float32"), numpy.zeros(48, "float32")
    heads = numpy.array([1, 12, 3, 16])
    half, one, root = numpy.float32(0.5), numpy.float32(1), numpy.float32(2**0.5)
    y = "x"
    for _ in range(2):
        normed = net.add("LayerNormalization", y, ones, zeros)
        split = lambda perm: net.add("Transpose", net.add("Reshape", net.linear(normed, 48, 48), heads), perm=perm)
        q, k, v = split([0, 2, 1, 3]), split([0, 2, 3, 1]), split([0, 2, 1, 3])
        scores = net.add("Mul", net.add("MatMul", q, k), numpy.float32(0.25))
        mixed = net.add("MatMul", net.add("Softmax", scores, axis=-1), v)
        mixed = net.add("Reshape", net.add("Transpose", mixed, perm=[0, 2, 1, 3]), numpy.array([1, 12, 48]))
        y = net.add("Add", y, net.linear(mixed, 48, 48))
        inner = net.linear(net.add("LayerNormalization", y, ones, zeros), 48, 96)
        phi = net.add("Add", net.add("Erf", net.add("Div", inner, root)), one)
        y = net.add("Add", y, net.linear(net.add("Mul", net.add("Mul", inner, phi), half), 96, 48))
    return net.made(x, net.add("LayerNormalization", y, ones, zeros)), x


class Samples(CalibrationDataReader):
    """What scales are found with: the feed and two more like it."""

    def __init__(self, feeds):
        ((self.name, x),) = feeds.items()
        self.left = [x, x[..., ::-1].copy(), (0.8 * x).astype(x.dtype)]

    def get_next(self):
        return {self.name: self.left.pop()} if self.left else None


def quantised(model, feeds, how):
    """The file of a float model with one input, quantised."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = (os.path.join(folder, name) for name in ("a.onnx", "b.onnx"))
        onnx.save(model, source)
        if how == "dynamic":
            quantize_dynamic(source, target, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
        else:
            signed = how == "qdq_signed"
            quantize_static(
                source,
                target,
                Samples(feeds),
                quant_format=QuantFormat.QOperator if how == "qoperator" else QuantFormat.QDQ,
                per_channel=how != "qoperator",
                reduce_range=True,
                activation_type=QuantType.QInt8 if signed else QuantType.QUInt8,
                weight_type=QuantType.QInt8,
                extra_options={"ActivationSymmetric": signed},
            )
        with open(target, "rb") as file:
            return file.read()


def made(network, how):
    model, x = network()
    return f"{network.__name__}_{how}", quantised(model, {"x": x}, how), {"x": x}


MADE = [
    (squeezenet, ["qdq", "qoperator"]),
    (mobilenet, ["qdq", "qdq_signed", "qoperator"]),
    (transformer, ["qdq", "dynamic"]),
]


def judged(name, engine, outputs):
    """Says how far integers are from floats; they must not all be alike."""
    plain = engine.run(onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
    (output,) = outputs
    found, expected = outputs[output], plain[output]
    assert len(numpy.unique(found)) > 4, f"{name} gives {numpy.unique(found)}"
    most = numpy.abs(expected).max()
    return f"{len(numpy.unique(found))} values; floats between integers move it by {numpy.abs(found - expected).max() / most:.1e}"


if __name__ == "__main__":
    models = [made(network, how) for network, hows in MADE for how in hows]
    whole_models.write(sys.argv[2], [(models, Optimised)], judged)
