"""Models of one operator each, for tests/tflm.py: what a kernel asks TFLite Micro for, alone."""

import numpy as np
from tflite_micro.tensorflow.lite.micro.python import schema_py_generated as schema

KIND = schema.TensorType
FLOAT, INT8, INT16, INT32, BOOL = KIND.FLOAT32, KIND.INT8, KIND.INT16, KIND.INT32, KIND.BOOL
IMAGE = [1, 4, 4, 4]
ROW = [1, 8]


def ints(*values):
    return np.array(values, np.int32)


def ones(*shape):
    return np.ones(shape, np.float32)


def options(name, **fields):
    made = getattr(schema, f"{name}OptionsT")()
    for field, value in fields.items():
        setattr(made, field, value)
    return made


POOL = options("Pool2D", strideH=2, strideW=2, filterHeight=2, filterWidth=2, padding=1)
CONV = {"strideH": 1, "strideW": 1, "dilationHFactor": 1, "dilationWFactor": 1}
PADS = np.array([[0, 0], [1, 1]], np.int32)

# Kind, shapes of inputs, shape of the output, options, constants behind the inputs.
OF_FLOATS_AND_BYTES = [
    *((kind, [IMAGE], IMAGE, None, ()) for kind in ("RELU", "RELU6", "LOGISTIC", "TANH", "ABS")),
    *((kind, [IMAGE, IMAGE], IMAGE, options(name), ()) for kind, name in (
        ("ADD", "Add"), ("SUB", "Sub"), ("MUL", "Mul"), ("DIV", "Div"), ("MAXIMUM", "MaximumMinimum"),
        ("MINIMUM", "MaximumMinimum"), ("SQUARED_DIFFERENCE", "SquaredDifference"))),
    ("HARD_SWISH", [IMAGE], IMAGE, options("HardSwish"), ()),
    ("SOFTMAX", [ROW], ROW, options("Softmax", beta=1.0), ()),
    ("LEAKY_RELU", [IMAGE], IMAGE, options("LeakyRelu", alpha=0.1), ()),
    ("RESHAPE", [IMAGE], [1, 64], options("Reshape", newShape=[1, 64]), ()),
    ("CONCATENATION", [ROW, ROW], [1, 16], options("Concatenation", axis=1), ()),
    ("MAX_POOL_2D", [IMAGE], [1, 2, 2, 4], POOL, ()),
    ("AVERAGE_POOL_2D", [IMAGE], [1, 2, 2, 4], POOL, ()),
    ("TRANSPOSE", [IMAGE], IMAGE, options("Transpose"), (ints(0, 1, 2, 3),)),
    ("PAD", [ROW], [1, 10], options("Pad"), (PADS,)),
    ("MIRROR_PAD", [ROW], [1, 10], options("MirrorPad"), (PADS,)),
    *((kind, [[1, 4, 4, 40]], [1, 40], options("Reducer"), (ints(1, 2),)) for kind in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN")),
    ("STRIDED_SLICE", [ROW], [1, 4], options("StridedSlice"), (ints(0, 0), ints(1, 4), ints(1, 1))),
    ("SLICE", [ROW], [1, 4], options("Slice"), (ints(0, 0), ints(1, 4))),
    ("SQUEEZE", [[1, 1, 8]], ROW, options("Squeeze", squeezeDims=[1]), ()),
    ("EXPAND_DIMS", [ROW], [1, 1, 8], options("ExpandDims"), (ints(1),)),
    ("PACK", [ROW, ROW], [2, 1, 8], options("Pack", valuesCount=2, axis=0), ()),
    ("RESIZE_NEAREST_NEIGHBOR", [IMAGE], [1, 8, 8, 4], options("ResizeNearestNeighbor"), (ints(8, 8),)),
    ("RESIZE_BILINEAR", [IMAGE], [1, 8, 8, 4], options("ResizeBilinear"), (ints(8, 8),)),
    ("L2_NORMALIZATION", [ROW], ROW, options("L2Norm"), ()),
    ("DEPTH_TO_SPACE", [IMAGE], [1, 8, 8, 1], options("DepthToSpace", blockSize=2), ()),
    ("SPACE_TO_DEPTH", [IMAGE], [1, 2, 2, 16], options("SpaceToDepth", blockSize=2), ()),
    ("GATHER", [[4, 8]], [2, 8], options("Gather"), (ints(0, 1),)),
    ("BATCH_MATMUL", [[1, 4, 4], [1, 4, 4]], [1, 4, 4], options("BatchMatMul"), ()),
]
OF_FLOATS = [
    *((kind, [IMAGE], IMAGE, None, ()) for kind in ("ELU", "LOG", "SIN", "FLOOR", "CEIL", "ROUND", "RSQRT", "NEG", "SQUARE", "SQRT")),
    ("EXP", [IMAGE], IMAGE, options("Exp"), ()),
    ("COS", [IMAGE], IMAGE, options("Cos"), ()),
    ("ADD_N", [IMAGE] * 3, IMAGE, options("AddN"), ()),
    ("BROADCAST_TO", [ROW], [4, 8], options("BroadcastTo"), (ints(4, 8),)),
    ("REVERSE_V2", [ROW], ROW, options("ReverseV2"), (ints(1),)),
    ("ZEROS_LIKE", [ROW], ROW, options("ZerosLike"), ()),
    ("GATHER_ND", [[4, 8]], [2, 8], options("GatherNd"), (np.array([[0], [1]], np.int32),)),
    ("FLOOR_DIV", [ROW, ROW], ROW, options("FloorDiv"), ()),
    ("FLOOR_MOD", [ROW, ROW], ROW, options("FloorMod"), ()),
    ("L2_POOL_2D", [IMAGE], [1, 2, 2, 4], POOL, ()),
    ("PRELU", [IMAGE], IMAGE, None, (ones(1, 1, 4),)),
    ("CONV_2D", [IMAGE], IMAGE, options("Conv2D", **CONV), (ones(4, 3, 3, 4), ones(4))),
    ("DEPTHWISE_CONV_2D", [IMAGE], IMAGE, options("DepthwiseConv2D", depthMultiplier=1, **CONV), (ones(1, 3, 3, 4), ones(4))),
    ("FULLY_CONNECTED", [ROW], [1, 4], options("FullyConnected"), (ones(4, 8), ones(4))),
    ("SPACE_TO_BATCH_ND", [IMAGE], [4, 2, 2, 4], options("SpaceToBatchND"), (ints(2, 2), np.zeros((2, 2), np.int32))),
    ("BATCH_TO_SPACE_ND", [[4, 2, 2, 4]], IMAGE, options("BatchToSpaceND"), (ints(2, 2), np.zeros((2, 2), np.int32))),
]
# Kind, shapes of inputs, shape of the output, options, constants, types of input and output.
OF_TWO_TYPES = [
    ("QUANTIZE", [ROW], ROW, options("Quantize"), (), FLOAT, INT8),
    ("QUANTIZE", [ROW], ROW, options("Quantize"), (), INT8, INT8),
    ("DEQUANTIZE", [ROW], ROW, options("Dequantize"), (), INT8, FLOAT),
    ("SHAPE", [ROW], [2], options("Shape", outType=INT32), (), FLOAT, INT32),
    ("ARG_MAX", [ROW], [1], options("ArgMax", outputType=INT32), (ints(1),), FLOAT, INT32),
    ("ARG_MIN", [ROW], [1], options("ArgMin", outputType=INT32), (ints(1),), FLOAT, INT32),
    ("CAST", [ROW], ROW, options("Cast", inDataType=FLOAT, outDataType=INT32), (), FLOAT, INT32),
    *((kind, [ROW, ROW], ROW, options(name), (), FLOAT, BOOL) for kind, name in (
        ("LESS", "Less"), ("LESS_EQUAL", "LessEqual"), ("GREATER", "Greater"),
        ("GREATER_EQUAL", "GreaterEqual"), ("EQUAL", "Equal"), ("NOT_EQUAL", "NotEqual"))),
    ("LOGICAL_AND", [ROW, ROW], ROW, options("LogicalAnd"), (), BOOL, BOOL),
    ("LOGICAL_OR", [ROW, ROW], ROW, options("LogicalOr"), (), BOOL, BOOL),
    ("LOGICAL_NOT", [ROW], ROW, options("LogicalNot"), (), BOOL, BOOL),
    ("REDUCE_ALL", [ROW], [1], options("Reducer"), (ints(1),), BOOL, BOOL),
    ("MEAN", [[1, 4, 4, 40]], [1, 160], options("Reducer"), (ints(1),), INT16, INT16),
]


def quantized(net, tensor, scale=0.1, zero_point=0):
    made = schema.QuantizationParametersT()
    made.scale = np.array([scale], np.float32)
    made.zeroPoint = np.array([zero_point], np.int64)
    net.graph.tensors[tensor].quantization = made


def alone(net, kind, inputs, output, option, constants, types):
    """Fills `net` with one operator; the names of numpy types give those of constants."""
    of = {"int32": INT32, "float32": FLOAT, "int8": INT8}
    given = [net.tensor(f"x{index}", shape, types[0]) for index, shape in enumerate(inputs)]
    fixed = [net.tensor(f"c{index}", it.shape, of[str(it.dtype)], it) for index, it in enumerate(constants)]
    made = net.tensor("y", output, types[1])
    for tensor, kept in [*((it, types[0]) for it in given), (made, types[1])]:
        if kept in (INT8, INT16):
            unit = kind in ("SOFTMAX", "LOGISTIC") and tensor == made
            quantized(net, tensor, 1 / 256 if unit else 0.1, -128 if unit else 0)
    net.operator(kind, given + fixed, [made], option)
    net.graph.inputs, net.graph.outputs = given, [made]
    return net


def kernels(new):
    """Name and model of each; `new` makes an empty one."""
    for row in OF_FLOATS_AND_BYTES + OF_FLOATS:
        yield f"{row[0]} of floats", alone(new(), *row, (FLOAT, FLOAT))
    for row in OF_FLOATS_AND_BYTES:
        yield f"{row[0]} of int8", alone(new(), *row, (INT8, INT8))
    for *row, one, other in OF_TWO_TYPES:
        yield f"{row[0]} of {one} and {other}", alone(new(), *row, (one, other))
