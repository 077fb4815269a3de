"""Makes conv.tflite, of which Vela makes conv.vela.tflite: two convolutions that Ethos-U runs and
two operators that it does not.

    PYTHONPATH=tests:tests/.cache/tflm python3 tests/data/plans/offline/conv.py
    vela conv.tflite --output-dir .    (ethos-u-vela 5.2.0; then renamed)
"""

from pathlib import Path

import numpy as np
from tflm import INT32, Net, schema

INT8 = schema.TensorType.INT8
net, numbers = Net(), np.random.default_rng(1)


def quantized(tensor, scales, zeros):
    quantization = schema.QuantizationParametersT()
    quantization.scale = np.array(scales, np.float32)
    quantization.zeroPoint = np.array(zeros, np.int64)
    net.graph.tensors[tensor].quantization = quantization
    return tensor


def convolved(of, taken, made, size, stride, name):
    weights = numbers.integers(-100, 100, (made, 3, 3, taken)).astype(np.int8)
    weights = net.tensor(f"{name}/w", [made, 3, 3, taken], INT8, weights)
    bias = numbers.integers(-10, 10, made).astype(np.int32)
    bias = net.tensor(f"{name}/b", [made], INT32, bias)
    quantized(weights, [0.01] * made, [0] * made)
    quantized(bias, [0.001] * made, [0] * made)
    output = net.tensor(name, [1, size // stride, size // stride, made], INT8)
    options = schema.Conv2DOptionsT()
    options.padding, options.strideH, options.strideW = schema.Padding.SAME, stride, stride
    options.dilationHFactor = options.dilationWFactor = 1
    net.operator("CONV_2D", [of, weights, bias], [quantized(output, [0.1], [0])], options)
    return output


x = quantized(net.tensor("x", [1, 16, 16, 8], INT8), [0.1], [0])
b = convolved(convolved(x, 8, 16, 16, 1, "a"), 16, 32, 16, 2, "b")
d, e = net.tensor("d", [1, 8, 8, 32]), net.tensor("e", [1, 8, 8, 32])
net.operator("DEQUANTIZE", [b], [d], schema.DequantizeOptionsT())
net.operator("EXP", [d], [e], schema.ExpOptionsT())
net.graph.inputs, net.graph.outputs, net.model.metadata = [x], [e], None
Path("conv.tflite").write_bytes(net.bytes())
