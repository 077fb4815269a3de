"""Writes the models that the benchmark against another engine runs, and what they must make.

Usage: python3 bench_models.py <folder with the fixtures> <empty folder to write into>

The same classifiers as in the tests with pictures of 224, as their figures are published, one of
them in half precision and in integers of 8 bits too; a transformer of twelve layers; an LSTM and a
GRU; and PaddleOCR's detection and recognition, with their own weights, on pictures of one size. The form is that of whole_models.py.
Only the outputs are judged here: the architectures and the recipe of their weights have been, in
the tests' size.
"""

import os
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import quantised_models
from models import light, pictures, transformers
from models.engines import OnnxRuntime
from models.judge import informative
from models.network import Network, picture
from whole_models import write

SIDE = 224
# Steps, features of an input and hidden units in each of two directions, as recognisers of speech.
RECURRENT = 64, 128, 256
# ViT-Tiny's width, on 64 patches of 16 x 16.
ENCODER = {"width": 192, "heads": 3, "inner": 768}
LAYERS, PATCH, PATCHES = 12, 16, 8
OCR = {"ocr_det": ("ch_PP-OCRv4_det_infer.onnx", [1, 3, 160, 160]), "ocr_rec": ("ch_PP-OCRv4_rec_infer.onnx", [1, 3, 48, 160])}


def mobilenet():
    network = pictures.mobilenet_v2("mobilenet_v2", SIDE)
    yield network.name, network.model(), network.feeds
    yield "mobilenet_v2_f16", halved(network.model()), network.feeds
    integers = quantised_models.quantised(network.model(), network.feeds, "qdq")
    yield "mobilenet_v2_int8", onnx.load_from_string(integers), network.feeds


def halved(model):
    """The model with weights and tensors of 16 bits; inputs and outputs keep theirs."""
    graph = model.graph
    for tensor in graph.initializer:
        data = numpy_helper.to_array(tensor)
        if data.dtype == numpy.float32:
            tensor.CopyFrom(numpy_helper.from_array(data.astype(numpy.float16), tensor.name))
    inputs = {value.name: f"{value.name}/half" for value in graph.input}
    outputs = {value.name: f"{value.name}/half" for value in graph.output}
    renamed = inputs | outputs
    for node in graph.node:
        node.input[:] = [renamed.get(name, name) for name in node.input]
        node.output[:] = [renamed.get(name, name) for name in node.output]
    first = [helper.make_node("Cast", [old], [new], to=TensorProto.FLOAT16) for old, new in inputs.items()]
    last = [helper.make_node("Cast", [new], [old], to=TensorProto.FLOAT) for old, new in outputs.items()]
    nodes = first + list(graph.node) + last
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model, full_check=True)
    return model


def encoder():
    width, side = ENCODER["width"], PATCH * PATCHES
    net = Network("encoder12", opset=17)
    x = net.input("picture", picture(net.name, [1, 3, side, side]))
    w = net.matrix("patches.weight", [width, 3, PATCH, PATCH], 3 * PATCH * PATCH)
    x = net.op("Conv", x, w, kernel_shape=[PATCH] * 2, strides=[PATCH] * 2)
    x = net.op("Transpose", net.op("Reshape", x, net.ints(1, width, PATCHES**2)), perm=[0, 2, 1])
    x = net.op("Add", x, transformers.table(net, "positions", PATCHES**2, width))
    mask = net.scalar(0.0)
    for layer in range(LAYERS):
        x = transformers.bert_layer(net, f"layer{layer}", x, mask, ENCODER)
    w = net.matrix("head.weight", [width, 100], width)
    x = net.op("MatMul", net.op("ReduceMean", x, axes=[1], keepdims=0), w)
    net.output("logits", x, [1, 100])
    yield net.name, net.model(), net.feeds


def recurrent():
    steps, features, units = RECURRENT
    for kind, gates in {"LSTM": 4, "GRU": 3}.items():
        net = Network(kind.lower(), opset=17)
        x = net.input("sequence", picture(net.name, [steps, 1, features]))
        w = net.matrix("input_weights", [2, gates * units, features], features)
        r = net.matrix("state_weights", [2, gates * units, units], units)
        b = net.around("biases", [2, 2 * gates * units], -0.1, 0.1)
        y, _ = net.op(kind, x, w, r, b, outputs=2, hidden_size=units, direction="bidirectional")
        net.output("states", y, [steps, 2, 1, units])
        yield net.name, net.model(), net.feeds


def ocr(folder):
    for name, (file, dims) in OCR.items():
        model = onnx.load(os.path.join(folder, file))
        (value,) = model.graph.input
        value.type.tensor_type.shape.CopyFrom(helper.make_tensor_type_proto(1, dims).tensor_type.shape)
        yield name, model, {value.name: picture(name, dims)}


def judged(name, _engine, outputs):
    for output, data in outputs.items():
        # Noise is no page: its detection is nearly nothing, with weights that tell it apart.
        if name in OCR:
            continue
        # Integers of 8 bits have no more than 256 values.
        if name.endswith("int8"):
            assert len(numpy.unique(data)) > 100, f"{name}: {output}"
        else:
            informative(f"{name}: {output}", data)
    return f"{len(outputs)} output"


if __name__ == "__main__":
    fixtures, target = sys.argv[1:]
    families = [light.made(fixtures, SIDE), mobilenet(), encoder(), recurrent(), ocr(fixtures)]
    write(target, [(family, OnnxRuntime) for family in families], judged)
