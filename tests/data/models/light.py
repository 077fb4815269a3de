"""The classifiers of the onnx wheel, `light_*.onnx`: their architectures with other weights.

The files hold none: nearly all weights are filled with 0.02 by ConstantOfShape, so every
output is the same number and a wrong plan shows nowhere. Here every weight becomes a seeded
initializer, the picture gets smaller, and what depends on its size follows.
"""

import os

import numpy
import onnx
from onnx import helper, numpy_helper

from . import seeded
from .engines import session
from .network import picture

# Side of the picture: small, for a software GPU, yet with something left to pool in the end.
MODELS = {"squeezenet": 64, "shufflenet": 64, "inception_v1": 64, "resnet50": 40, "densenet121": 48}


def made(folder, side=None):
    """Name, model and feeds of each; with pictures of `side` where it is given."""
    for name, small in MODELS.items():
        model = onnx.load(os.path.join(folder, f"light_{name}.onnx"))
        yield name, *rework(name, model, side or small)


def rework(name, model, side):
    graph = model.graph
    known = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    nodes = []
    for node in graph.node:
        if node.op_type == "ConstantOfShape":
            known[node.output[0]] = numpy.zeros(known[node.input[0]], numpy.float32)
        else:
            nodes.append(node)
    (data,) = [value.name for value in graph.input if value.name not in known]
    weights = weights_of(name, nodes, known)
    feeds = {data: picture(name, [1, 3, side, side])}
    # Node by node, so that each node can be made to fit what it gets.
    values = dict(feeds)
    for node in nodes:
        resize(node, values, weights, name)
        normalize(node, values, weights)
        run(node, values, weights, model.opset_import)
    used = {tensor for node in nodes for tensor in node.input}
    tensors = [numpy_helper.from_array(data, key) for key, data in weights.items() if key in used]
    outputs = [declared(output.name, values) for output in graph.output]
    graph = helper.make_graph(nodes, name, [declared(data, values)], outputs, tensors)
    made = helper.make_model(graph, opset_imports=model.opset_import, ir_version=4)
    onnx.checker.check_model(made, full_check=True)
    return made, feeds


def weights_of(name, nodes, known):
    """Every constant that a node reads, by the part that it plays there."""
    weights = dict(known)
    readers = {}
    for node in nodes:
        for place, tensor in enumerate(node.input):
            readers.setdefault(tensor, []).append((node, place))
    for tensor, data in known.items():
        if data.dtype != numpy.float32 or tensor not in readers:
            continue
        node, place = readers[tensor][0]
        if node.op_type in ("Unsqueeze", "Reshape"):
            # A weight on its way to the node that uses it.
            node, place = readers[node.output[0]][0]
        weights[tensor] = weight(f"{name}/{tensor}", data.shape, node.op_type, place)
    return weights


def weight(key, dims, kind, place):
    if kind == "Conv" and place == 1:
        return seeded.fan_in(key, dims, numpy.prod(dims[1:]), gain=2.0)
    if kind == "Gemm" and place == 1:
        # Transposed. Less than the others, so that Softmax does not decide for one class.
        return seeded.fan_in(key, dims, dims[-1], gain=0.25)
    scale = (kind, place) in (("BatchNormalization", 1), ("Mul", 1))
    variance = (kind, place) == ("BatchNormalization", 4)
    if scale or variance:
        return seeded.uniform(key, dims, 0.5, 1.5)
    assert (kind, place) in [
        *(("BatchNormalization", place) for place in (2, 3)),
        *(("Conv", 2), ("Gemm", 2), ("Add", 1)),
    ], f"{key}: {kind} {place}"
    return seeded.uniform(key, dims, -0.25, 0.25)


def resize(node, values, weights, name):
    """What is written for a picture of 224 and must follow a smaller one."""
    if node.op_type == "Reshape" and node.input[0] in values:
        target = weights[node.input[1]]
        if len(target) > 2:
            # Channels are shuffled; the last two dimensions are the picture's.
            picture_size = values[node.input[0]].shape[-2:]
            weights[node.input[1]] = numpy.array([*target[:-2], *picture_size], numpy.int64)
    if node.op_type == "AveragePool":
        kernel = next(attribute for attribute in node.attribute if attribute.name == "kernel_shape")
        if list(kernel.ints) == [7, 7]:
            # The last one pools all there is. Inception's 7 stand for 6 and a pad of 1.
            padded = 1 if name == "inception_v1" else 0
            kernel.ints[:] = [size + padded for size in values[node.input[0]].shape[-2:]]


def normalize(node, values, weights):
    """Stored statistics near those of what comes, as training leaves them: otherwise every
    residual block makes the numbers larger. To the nearest power of 4, so that the last bits
    of another machine's arithmetic do not matter."""
    if node.op_type == "BatchNormalization":
        _, _, _, mean, variance = node.input
        power = 2.0 ** round(float(numpy.log2(values[node.input[0]].std())))
        weights[mean] = weights[mean] * numpy.float32(power)
        weights[variance] = weights[variance] * numpy.float32(power * power)


def declared(tensor, values):
    return helper.make_tensor_value_info(tensor, onnx.TensorProto.FLOAT, values[tensor].shape)


def run(node, values, weights, opsets):
    """Adds what one node makes."""
    read = {tensor: values[tensor] if tensor in values else weights[tensor] for tensor in node.input}
    constants = [numpy_helper.from_array(read.pop(tensor), tensor) for tensor in list(read) if tensor in weights]
    output = helper.make_empty_tensor_value_info(node.output[0])
    graph = helper.make_graph([node], "one", [declared(tensor, read) for tensor in read], [output], constants)
    model = helper.make_model(graph, opset_imports=opsets, ir_version=4)
    (values[node.output[0]],) = session(model.SerializeToString()).run(None, read)
