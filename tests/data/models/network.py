"""Writes an ONNX graph node by node; weights are seeded by the model's and their own name."""

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

from . import seeded

ELEMENT = {numpy.dtype("float32"): TensorProto.FLOAT, numpy.dtype("int64"): TensorProto.INT64}


class Network:
    """A graph under construction: every method returns the name of the tensor that it makes."""

    def __init__(self, name, opset):
        self.name, self.opset = name, opset
        self.nodes, self.initializers, self.inputs, self.outputs = [], [], [], []
        self.feeds = {}

    def input(self, name, data):
        """A graph input and what the reference is computed from."""
        self.inputs.append(helper.make_tensor_value_info(name, ELEMENT[data.dtype], data.shape))
        self.feeds[name] = data
        return name

    def output(self, name, tensor, dims, element=TensorProto.FLOAT):
        """Renames `tensor`, which no other node has read so far, to the graph output `name`."""
        last = next(node for node in self.nodes if tensor in node.output)
        last.output[list(last.output).index(tensor)] = name
        self.outputs.append(helper.make_tensor_value_info(name, element, dims))
        return name

    def op(self, kind, *inputs, outputs=1, **attributes):
        """A node; a list of names where it has several outputs."""
        made = [f"{kind}_{len(self.nodes)}" + (f"_{i}" if outputs > 1 else "") for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), made, name=made[0], **attributes))
        return made if outputs > 1 else made[0]

    def constant(self, name, data):
        """An initializer of these elements."""
        self.initializers.append(numpy_helper.from_array(numpy.asarray(data), name))
        return name

    def ints(self, *data):
        """A new int64 vector, as shapes and axes are."""
        return self.constant(f"ints_{len(self.initializers)}", numpy.array(data, dtype=numpy.int64))

    def scalar(self, value):
        """A new float32 scalar."""
        return self.constant(f"scalar_{len(self.initializers)}", numpy.float32(value))

    def matrix(self, name, dims, inputs, gain=1.0):
        """Weights that sum `inputs` numbers each."""
        return self.constant(name, seeded.fan_in(f"{self.name}/{name}", dims, inputs, gain))

    def around(self, name, dims, low, high):
        """Weights that are uniform between two limits, as biases and scales are."""
        return self.constant(name, seeded.uniform(f"{self.name}/{name}", dims, low, high))

    def model(self):
        """The checked model."""
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.initializers)
        opsets = [helper.make_opsetid("", self.opset)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="arenascope tests")
        onnx.checker.check_model(model, full_check=True)
        return model


def picture(name, dims):
    """Pixels of unit variance."""
    return seeded.spread(f"{name}/picture", dims, 1.0)
