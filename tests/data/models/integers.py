"""ONNX's operators on integers, and what its reference evaluator computes."""

import numpy
import onnx
from onnx.reference import ReferenceEvaluator

from models.chance import RANGES, elements, pick, random, whole
from models.operator import one_operator


def onnx_case(kind, inputs, outputs, **attributes):
    """An operator of ONNX; what stands in `inputs` as a pair is fed, the rest is constant."""
    model, feeds = one_operator(kind, inputs, outputs, {"": 17}, attributes)
    found = ReferenceEvaluator(model).run(None, feeds)
    return {
        "name": kind,
        "model": model.SerializeToString().hex(),
        "inputs": [array.tobytes().hex() for array in feeds.values()],
        "outputs": [numpy.asarray(array).tobytes().hex() for array in found],
    }


def zero_of(dtype, count=None):
    low, high = RANGES[dtype]
    return numpy.asarray(random.integers(low, high + 1, count), dtype)


def onnx_convolution(index):
    kind = ["ConvInteger", "QLinearConv"][index % 2]
    x_type, w_type = pick(["int8", "uint8"]), pick(["int8", "uint8"])
    if kind == "ConvInteger":
        x_type = w_type = "uint8"
    group, per, c = pick([1, 1, 2]), whole(1, 3), whole(1, 3)
    x = elements([whole(1, 2), c * group, whole(4, 8), whole(4, 8)], x_type)
    w = elements([per * group, c, whole(1, 3), whole(1, 3)], w_type)
    x_zero, pads = zero_of(x_type), [whole(0, 1) for _ in range(4)]
    attributes = dict(group=group, pads=pads, strides=[whole(1, 2), whole(1, 2)], kernel_shape=w.shape[2:])
    if kind == "ConvInteger":
        zeros = [x_zero, zero_of(w_type)] if index % 4 else [x_zero]
        return onnx_case(kind, [(x,), w, *zeros], [onnx.TensorProto.INT32], **attributes)
    channels = w.shape[0] if index % 4 == 1 else None
    of_w = numpy.float32(random.uniform(0.005, 0.1, channels))
    y_type = pick(["int8", "uint8"])
    of_y = numpy.float32(0.02 * float(of_w.mean()) * 60 * (c * w.shape[2] * w.shape[3]) ** 0.5)
    w_zero = numpy.zeros(channels or (), w_type) if channels else zero_of(w_type)
    bias = numpy.int32(random.integers(-4000, 4000, w.shape[0]))
    inputs = [(x,), numpy.float32(0.02), x_zero, w, of_w, w_zero, of_y, zero_of(y_type), bias]
    if index % 3 == 0:
        inputs.pop()
    return onnx_case(kind, inputs, [onnx.helper.np_dtype_to_tensor_dtype(numpy.dtype(y_type))], **attributes)


def onnx_volume(index):
    """The same in three spatial dimensions, and the largest under a window."""
    kind = ["ConvInteger", "QLinearConv", "MaxPool"][index % 3]
    dtype, c, side = pick(["int8", "uint8"]) if index % 3 else "uint8", whole(1, 3), [whole(1, 3) for _ in range(3)]
    x = elements([whole(1, 2), c, whole(3, 5), whole(3, 6), whole(3, 6)], dtype)
    pads = [whole(0, (size - 1) // 2) for size in side] * 2
    attributes = dict(kernel_shape=side, pads=pads, strides=[whole(1, 2) for _ in range(3)])
    y_type = onnx.helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype))
    if kind == "MaxPool":
        # The reference evaluator does not pad three dimensions where every stride is 1.
        attributes["strides"][index // 3 % 3] = 2
        return onnx_case(kind, [(x,)], [y_type], **attributes)
    attributes["dilations"] = [1 + (index % 2 and size < 3) for size in side]
    w = elements([whole(1, 4), c, *side], dtype)
    if kind == "ConvInteger":
        return onnx_case(kind, [(x,), w, zero_of(dtype), zero_of(dtype)], [onnx.TensorProto.INT32], **attributes)
    of_y = numpy.float32(0.02 * 0.03 * 60 * 60 * (c * numpy.prod(side)) ** 0.5 / 60)
    bias = numpy.int32(random.integers(-4000, 4000, w.shape[0]))
    inputs = [(x,), numpy.float32(0.02), zero_of(dtype), w, numpy.float32(0.03), zero_of(dtype), of_y, zero_of(dtype), bias]
    return onnx_case(kind, inputs, [y_type], **attributes)


def onnx_product(index):
    kind = ["MatMulInteger", "QLinearMatMul"][index % 2]
    a_type, b_type = pick(["int8", "uint8"]), pick(["int8", "uint8"])
    m, k, n, batch = whole(1, 4), whole(1, 30), whole(1, 6), [2] * (index % 3 == 0)
    a, b = elements([*batch, m, k], a_type), elements([*batch * whole(0, 1), k, n], b_type)
    zeros = [zero_of(a_type), zero_of(b_type)]
    if kind == "MatMulInteger":
        # As a quantisation that is found during the run gives them.
        inputs = [(a,), b, (zeros[0],), zeros[1]] if index % 4 else [(a,), (b,)]
        return onnx_case(kind, inputs, [onnx.TensorProto.INT32])
    y_type = pick(["int8", "uint8"])
    of_y = numpy.float32(0.02 * 0.03 * 60 * k**0.5 * 60)
    inputs = [(a,), numpy.float32(0.02), zeros[0], b, numpy.float32(0.03), zeros[1], of_y, zero_of(y_type)]
    return onnx_case(kind, inputs, [onnx.helper.np_dtype_to_tensor_dtype(numpy.dtype(y_type))])


def onnx_dynamic(index):
    x = random.normal(index % 3, 2, [whole(1, 4), whole(1, 40)]).astype("float32")
    of = [onnx.TensorProto.UINT8, onnx.TensorProto.FLOAT, onnx.TensorProto.UINT8]
    return onnx_case("DynamicQuantizeLinear", [(x * (index > 0),)], of)
