"""Parts of TFLite files of one operator."""

import numpy
from ai_edge_litert import schema_py_generated as schema

TYPES = {
    "int8": schema.TensorType.INT8,
    "uint8": schema.TensorType.UINT8,
    "int16": schema.TensorType.INT16,
    "int64": schema.TensorType.INT64,
    "int32": schema.TensorType.INT32,
    "float32": schema.TensorType.FLOAT32,
    "bool": schema.TensorType.BOOL,
}


class Tensor:
    """A tensor of one operator: shape, type, quantisation, elements where they are constant, and
    whether it is kept from run to run."""

    def __init__(self, shape, dtype="int8", scales=(), zeros=(), axis=0, data=None, kept=False):
        self.shape, self.dtype, self.data, self.kept = list(shape), dtype, data, kept
        self.scales = numpy.float32(scales)
        self.zeros, self.axis = list(zeros), axis
        # What none of those that are fed is below.
        self.least = None

    def made(self, buffer):
        tensor = schema.TensorT()
        tensor.shape, tensor.type, tensor.buffer = self.shape, TYPES[self.dtype], buffer
        tensor.isVariable = self.kept
        if len(self.scales):
            tensor.quantization = schema.QuantizationParametersT()
            tensor.quantization.scale = list(self.scales)
            tensor.quantization.zeroPoint = self.zeros
            tensor.quantization.quantizedDimension = self.axis
        return tensor


def options(kind, **values):
    made = getattr(schema, f"{kind}OptionsT")()
    for name, value in values.items():
        assert hasattr(made, name), name
        setattr(made, name, value)
    return kind, made
