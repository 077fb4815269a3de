"""Single operators of transformers and on quantised elements in the com.microsoft domain, and what
ONNX Runtime computes.

Usage: python3 contrib.py FIXTURES OUT (FIXTURES is not used)
Needs the packages of requirements.txt. Shapes and elements are arbitrary, from a fixed seed.
OUT/contrib.json is a list of cases: `name`, `model` (a file), `inputs` and `outputs` (elements as
little-endian bytes in the order of the model's), all in hexadecimal, and the outputs' `types`.
"""

import json
import os
import sys

import numpy
import onnx
import onnxruntime

from models.operator import one_operator

random = numpy.random.default_rng(23)
NAMES = {"float32": "f32", "int32": "i32", "uint8": "u8", "int8": "i8"}


def made(kind, inputs, outputs, attributes):
    """A model of one operator, and what it is fed. `outputs`: which are wanted, or their types."""
    wanted = [int(one) * (one > 1) if one else None for one in outputs]
    # The operator is of the last domain.
    opsets = {"com.microsoft": 1, "": 17} if kind in ("STFT", "Einsum") else {"": 17, "com.microsoft": 1}
    model, feeds = one_operator(kind, inputs, wanted, opsets, attributes)
    return model.SerializeToString(), feeds


def case(kind, inputs, outputs, unpacked=None, **attributes):
    """An operator; what stands in `inputs` as a tuple is fed, the rest is constant. `outputs`: which
    are wanted. `unpacked`: the same inputs in a form that ONNX Runtime's CPU kernel takes."""
    model, feeds = made(kind, inputs, outputs, attributes)
    run, fed = made(kind, unpacked or inputs, outputs, attributes)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(run, options, providers=["CPUExecutionProvider"])
    found = session.run(None, fed)
    return {
        "name": kind,
        "model": model.hex(),
        "inputs": [array.tobytes().hex() for array in feeds.values()],
        "outputs": [array.tobytes().hex() for array in found],
        "types": [NAMES[str(array.dtype)] for array in found],
    }


def whole(low, high):
    return int(random.integers(low, high + 1))


def floats(*shape, dtype="float32"):
    return random.normal(0, 1, shape).astype(dtype)


def ints(low, high, *shape, dtype="int32"):
    return random.integers(low, high, shape).astype(dtype)


def caches(positions, pairs):
    angles = numpy.arange(positions)[:, None] / 100.0 ** (numpy.arange(pairs) / pairs)
    return numpy.cos(angles).astype("float32"), numpy.sin(angles).astype("float32")


def rotary(index):
    batch, heads, rows, pairs = whole(1, 3), whole(1, 3), whole(1, 5), 4 * whole(1, 3)
    cosines, sines = caches(12, pairs)
    size = 2 * pairs
    attributes = dict(interleaved=index % 2)
    if index % 3 == 2:
        # Only a part of each head is turned.
        size += 8
        attributes.update(rotary_embedding_dim=2 * pairs, num_heads=heads)
    four = index % 4 == 3
    x = floats(batch, heads, rows, size) if four else floats(batch, rows, heads * size)
    positions = ints(0, 4, 1, dtype="int64") if index % 2 else ints(0, 12, batch, rows, dtype="int64")
    return case("RotaryEmbedding", [(x,), (positions,), cosines, sines], [1], **attributes)


def few_bits(index):
    bits, block = [4, 8][index % 2], [16, 32, 64][index % 3]
    m, n, k = whole(1, 9), whole(1, 11), whole(1, 3) * 32 + 8 * (index % 5 == 4)
    blocks = -(-k // block)
    packed = ints(0, 256, n, blocks, block * bits // 8, dtype="uint8")
    scales = numpy.abs(floats(n * blocks)) / 2**bits
    inputs = [(floats(*[2] * (index % 2), m, k),), packed, scales]
    if index % 3 == 1:
        inputs.append(ints(0, 256, n * -(-blocks * bits // 8), dtype="uint8"))
    if index % 4 == 3:
        inputs += [None] * (5 - len(inputs)) + [floats(n)]
    return case("MatMulNBits", inputs, [1], K=k, N=n, bits=bits, block_size=block)


def grouped(index):
    turned = index % 5 in (1, 2, 4)
    shared, size = whole(1, 3), (16 if turned else 8) * whole(1, 3)
    heads, batch = shared * whole(1, 3), whole(1, 3)
    past = [0, whole(1, 9)][index % 2]
    rows = whole(1, 5) if past == 0 or index % 4 == 1 else 1
    if rows > 1 and past:
        batch = 1
    total, attributes = past + rows, dict(num_heads=heads, kv_num_heads=shared)
    q, k, v = (floats(batch, rows, n * size) for n in (heads, shared, shared))
    inputs = [(q,), (k,), (v,)]
    if index % 3 == 2:
        inputs = [(numpy.concatenate([q, k, v], 2),), None, None]
    inputs += [(floats(batch, shared, past, size),), (floats(batch, shared, past, size),)] if past else [None, None]
    inputs += [(numpy.full(batch, total - 1, "int32"),), numpy.int32(total)]
    if turned:
        inputs += caches(32, size // 2)
        attributes.update(do_rotary=1, rotary_interleaved=index % 2)
    if index % 4 == 2:
        attributes.update(local_window_size=whole(1, 3))
    if index % 6 == 5:
        attributes.update(softcap=2.0)
    return case("GroupQueryAttention", inputs, [1, 1, 1], **attributes)


def multi_head(index):
    heads, size, batch, rows = whole(1, 3), 8 * whole(1, 3), whole(1, 3), whole(1, 5)
    keys = whole(1, 6)
    kind = index % 4
    attributes = dict(num_heads=heads)
    outputs, unpacked = [1], None
    if kind == 0:
        keys, packed = rows, floats(batch, rows, heads, 3, size)
        inputs = [(packed,), None, None]
        unpacked = [(packed[:, :, :, part].reshape(batch, rows, -1),) for part in range(3)]
    elif kind == 1:
        packed = floats(batch, keys, heads, 2, size)
        inputs = [(floats(batch, rows, heads * size),), (packed,), None]
        unpacked = [inputs[0], *((packed[:, :, :, part].reshape(batch, keys, -1),) for part in range(2))]
    else:
        of = [whole(1, 2) * 8, size][index % 2] if kind == 2 else size
        inputs = [(floats(batch, rows, heads * size),), (floats(batch, keys, heads * size),), (floats(batch, keys, heads * of),)]
        if kind == 2:
            inputs.append(floats(heads * (2 * size + of)))
    inputs += [None] * (4 - len(inputs))
    past = 0
    if kind == 3 and index % 8 == 7:
        past, outputs = whole(1, 4), [1, 1, 1]
    total = keys + past
    if index % 3 == 1:
        mask = ints(0, 2, batch, total)
        mask[:, 0] = 1
        lengths = ints(1, total + 1, batch)
        inputs.append((lengths if index % 2 and not past else mask,))
    else:
        inputs.append(None)
    if index % 3 == 2 or index % 9 == 1:
        inputs.append((floats([1, batch][index % 2], heads, rows, total),))
    else:
        inputs.append(None)
    if past:
        inputs += [(floats(batch, heads, past, size),) for _ in range(2)]
    if index % 5 == 4:
        attributes.update(scale=0.3)
    if kind == 0 and index % 3 == 0:
        attributes.update(unidirectional=1)
    unpacked = unpacked and unpacked + inputs[3:]
    return case("MultiHeadAttention", inputs, outputs, unpacked, **attributes)


def skip(index):
    simple = index % 2
    x = floats(whole(1, 3), whole(1, 4), 4 * whole(1, 40))
    width = x.shape[2]
    inputs = [(x,), (floats(*x.shape),), floats(width)]
    bias = floats(width) if index % 3 == 1 else None
    if simple:
        inputs.append(bias)
    else:
        inputs += [floats(width) if index % 4 else None, bias]
    outputs = [1, 0, 0, 1] if index % 3 else [1]
    kind = "SkipSimplifiedLayerNormalization" if simple else "SkipLayerNormalization"
    return case(kind, inputs, outputs, epsilon=1e-5)


def embed(index):
    batch, length, width = whole(1, 3), whole(1, 6), 4 * whole(1, 9)
    segments = index % 2
    inputs = [(ints(0, 9, batch, length),), (ints(0, 2, batch, length),) if segments else None]
    inputs += [floats(9, width), floats(8, width), floats(2, width) if segments else None]
    inputs += [floats(width), floats(width)]
    inputs.append((ints(0, 2, batch, length),) if index % 3 == 1 else None)
    if index % 4 == 3:
        inputs.append((ints(0, 8, batch, length),))
    return case("EmbedLayerNormalization", inputs, [1, 1, index % 4 == 2], epsilon=1e-5)


def product(index):
    a, b = [whole(1, 5), whole(1, 7)], [whole(1, 7), whole(1, 5)]
    b[0] = a[1]
    attributes = dict(transA=index % 2, transB=index // 2 % 2, alpha=0.5 + index)
    batch = [2] * (index % 3)
    if attributes["transA"]:
        a.reverse()
    if attributes["transB"]:
        b.reverse()
    return case("FusedMatMul", [(floats(*batch, *a),), (floats(*batch, *b),)], [1], **attributes)


def fused_convolution(index):
    """What is added to a convolution, and the function of the sum."""
    filters, channels, sides = whole(1, 6), whole(1, 4), [whole(3, 9), whole(3, 9)]
    x, w = floats(whole(1, 2), channels, *sides), floats(filters, channels, 3, 3)
    inputs = [(x,), w, floats(filters) if index % 2 else None]
    if index % 3 == 1:
        inputs.append((floats(x.shape[0], filters, *sides),))
    name, params = [("Relu", None), ("LeakyRelu", [0.2]), ("Clip", [-0.5, 1.5]), ("Sigmoid", None), ("HardSigmoid", [0.3, 0.4]), ("Tanh", None)][index % 6]
    attributes = dict(activation=name, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    if params:
        attributes.update(activation_params=params)
    return case("FusedConv", inputs, [1], **attributes)


def activation(index):
    x = floats(whole(1, 3), whole(1, 40))
    if index % 3 == 0:
        return case("QuickGelu", [(x,)], [1], alpha=[1.702, 1.0][index % 2])
    if index % 3 == 1:
        return case("BiasGelu", [(x,), floats(x.shape[1])], [1])
    return case("FastGelu", [(x,), floats(x.shape[1])] if index % 2 else [(x,)], [1])


def packed(index):
    """Queries, keys and values projected in the operator."""
    heads, size, batch, rows = whole(1, 3), 4 * whole(1, 4), whole(1, 3), whole(1, 70 if index == 5 else 6)
    width, of = 4 * whole(1, 9), heads * size
    values = of if index % 3 else heads * 4 * whole(1, 4)
    weights = floats(width, 2 * of + values) / width**0.5
    inputs = [(floats(batch, rows, width),), weights, floats(2 * of + values) if index % 4 != 3 else None]
    mask = None
    if index % 4 == 1:
        mask = (ints(1, rows + 1, batch),)
    if index % 4 == 2:
        mask = ints(0, 2, batch, rows)
        mask[:, 0] = 1
        mask = (mask,)
    inputs += [mask, None]
    inputs.append((floats([1, batch][index % 2], heads, rows, rows),) if index % 5 == 3 else None)
    attributes = dict(num_heads=heads)
    if values != of:
        attributes.update(qkv_hidden_sizes=[of, of, values])
    if index % 4 == 0:
        attributes.update(unidirectional=1)
    if inputs[2] is None:
        # ONNX Runtime's kernel wants one.
        inputs[2] = numpy.zeros(2 * of + values, "float32")
    return case("Attention", inputs, [1], **attributes)


def narrow(*shape, dtype, seven=False):
    """Elements of 8 bits, or of 7: without VNNI ONNX Runtime's products of 8 bits saturate."""
    low, high = (-64, 64) if seven else RANGES[dtype]
    return ints(low, high + (not seven), *shape, dtype=dtype)


def steps(dtype):
    """A scale and a zero point."""
    return [numpy.float32(random.uniform(0.005, 0.1)), narrow(dtype=dtype)]


RANGES = {"int8": (-128, 127), "uint8": (0, 255)}


def linear_pair(index):
    dtype = ["uint8", "int8"][index % 2]
    shape = [whole(1, 4), whole(1, 5), whole(1, 9)]
    other = [[*shape], shape[1:], [shape[0], 1, shape[2]], [1]][index // 2 % 4]
    inputs = [(narrow(*shape, dtype=dtype),), *steps(dtype), (narrow(*other, dtype=dtype),), *steps(dtype)]
    inputs += steps(dtype)
    if index % 3 == 2:
        # Halves, which round to even.
        inputs[1] = inputs[4] = numpy.float32(0.5)
        inputs[6] = numpy.float32([1, 0.25][index % 2])
    return case(["QLinearAdd", "QLinearMul"][index // 8 % 2], inputs, [1])


def linear_one(index):
    dtype = ["uint8", "int8"][index % 2]
    x = (narrow(whole(1, 4), whole(1, 40), dtype=dtype),)
    inputs = [x, *steps(dtype), *steps(dtype)]
    if index % 3 == 2:
        return case("QLinearLeakyRelu", inputs, [1], alpha=0.01 + index / 40)
    if index % 3 == 1:
        inputs[3:] = [numpy.float32(1 / 256), numpy.asarray(RANGES[dtype][0], dtype)]
        return case("QLinearSigmoid", inputs, [1])
    # Of int8 whole shares wrap around in ONNX Runtime: they must not be reached.
    inputs[3:] = [numpy.float32([1 / 256, 1 / 100][index % 2]), numpy.asarray(RANGES[dtype][0], dtype)]
    return case("QLinearSoftmax", inputs, [1], axis=-1, opset=[13, 12][index // 6 % 2])


def linear_pool(index):
    dtype = ["uint8", "int8"][index % 2]
    sides = [whole(3, 9) for _ in range(2 - index // 2 % 2)]
    inputs = [(narrow(whole(1, 2), whole(1, 5), *sides, dtype=dtype),), *steps(dtype), *steps(dtype)]
    if index % 4 > 1 or index % 3 == 0:
        kernel = [whole(1, 3) for _ in sides]
        pads = [whole(0, side - 1) for side in kernel + kernel]
        strides = [whole(1, 2) for _ in sides]
        attributes = dict(kernel_shape=kernel, pads=pads, strides=strides, ceil_mode=index // 4 % 2)
        return case("QLinearAveragePool", inputs, [1], count_include_pad=index // 3 % 2, **attributes)
    return case("QLinearGlobalAveragePool", inputs, [1], channels_last=0)


def linear_concat(index):
    dtype = ["uint8", "int8"][index % 2]
    shape, axis = [whole(1, 3), whole(1, 4), whole(1, 5)], index % 3
    of = steps(dtype)
    inputs = [*of]
    for piece in range(whole(2, 4)):
        shape[axis] = whole(1, 5)
        # Some have the scale of the whole.
        inputs += [(narrow(*shape, dtype=dtype),), *(of if (index + piece) % 3 else steps(dtype))]
    return case("QLinearConcat", inputs, [onnx.helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype))], axis=axis)


def linear_gemm(index):
    a_type = ["uint8", "int8"][index % 2]
    m, k, n = whole(1, 5), whole(1, 40), whole(1, 9)
    a, b = [m, k], [k, n]
    attributes = dict(alpha=[1.0, 0.5][index % 5 == 4], transA=index // 2 % 2, transB=index // 4 % 2)
    if attributes["transA"]:
        a.reverse()
    if attributes["transB"]:
        b.reverse()
    columns = [n] if index % 3 else []
    scales = numpy.abs(floats(*columns)) / 50 + numpy.float32(0.001)
    zeros = numpy.zeros(columns, "int8")
    inputs = [(narrow(*a, dtype=a_type),), *steps(a_type)]
    inputs += [narrow(*b, dtype="int8", seven=True), numpy.float32(scales), zeros]
    inputs.append(ints(-2000, 2000, n) if index % 4 else None)
    of = 1
    if index % 7:
        inputs += [numpy.float32(random.uniform(0.05, 0.5)), narrow(dtype=a_type)]
        of = onnx.helper.np_dtype_to_tensor_dtype(numpy.dtype(a_type))
    return case("QGemm", inputs, [of], **attributes)


def to_float(index):
    a_type = ["uint8", "int8"][index % 2]
    m, k, n, batch = whole(1, 5), whole(1, 40), whole(1, 9), [2] * (index // 2 % 2)
    columns = [n] if index % 3 else [1]
    scales = numpy.abs(floats(*columns)) / 50 + numpy.float32(0.001)
    a_scale, a_zero = steps(a_type)
    inputs = [(narrow(*batch, m, k, dtype=a_type),), narrow(k, n, dtype="int8", seven=True)]
    inputs += [(a_scale,) if index % 4 == 3 else a_scale, numpy.float32(scales), a_zero]
    inputs += [numpy.zeros(columns, "int8"), floats(n) if index % 4 else None]
    return case("MatMulIntegerToFloat", inputs, [1])


def spectrum(index):
    """A signal without the axis of its one part, which ONNX Runtime takes too."""
    frame, step, length = whole(2, 16), whole(1, 6), whole(16, 40)
    window = [floats(frame)] if index % 2 else [None, numpy.int64(frame)]
    return case("STFT", [(floats(whole(1, 3), length),), numpy.int64(step), *window], [1])


def lstm_of_integers(index):
    """One thread: ONNX Runtime takes the range of all that a product reads. With scales of every
    column there are more than the 64 that inference follows."""
    directions = [1, 1, 2][index % 3]
    length, batch, size, units = whole(1, 5), whole(1, 3), whole(1, 9), whole(1, 24)
    of = ["int8", "uint8"][index % 2]
    weights = [narrow(directions, rows, 4 * units, dtype=of, seven=of == "int8") for rows in (size, units)]
    if of == "uint8":
        weights = [each // 2 for each in weights]
    each = [directions, 4 * units] if units > 8 else [directions]
    scales = [numpy.float32(random.uniform(0.005, 0.05, each)) for _ in range(2)]
    zero = numpy.full(each, 0 if of == "int8" else 64, of)
    states = [(floats(directions, batch, units),) for _ in range(2)] if index % 2 else [None, None]
    inputs = [(floats(length, batch, size),), *weights, floats(directions, 8 * units) if index % 4 != 3 else None]
    inputs += [None, *states, None, scales[0], zero, scales[1], zero]
    attributes = dict(hidden_size=units, direction=["forward", "reverse", "bidirectional"][index % 3])
    if index % 5 == 4:
        attributes.update(clip=0.7)
    return case("DynamicQuantizeLSTM", inputs, [[1, 1, 1], [1, 0, 1], [0, 1, 0]][index % 3], **attributes)


def product_of_integers(index):
    m, k, n, batch = whole(1, 5), whole(1, 40), whole(1, 9), [2] * (index % 2)
    columns = [n] if index % 3 else [1]
    scales = numpy.abs(floats(*columns)) / 50 + numpy.float32(0.001)
    inputs = [(floats(*batch, m, k),), narrow(k, n, dtype="int8", seven=True), numpy.float32(scales)]
    inputs += [numpy.zeros(columns, "int8") if index % 4 else None, floats(n) if index % 2 else None]
    return case("DynamicQuantizeMatMul", inputs, [1])


def inverse(index):
    size = whole(1, 9)
    # Far from a matrix without an inverse, in an order that exchanges rows.
    x = floats(*[whole(1, 3)] * (index % 3), size, size) / 4 + 2 * numpy.eye(size, dtype="float32")[::-1]
    return case("Inverse", [(numpy.float32(x),)], [1])


def products(index):
    """Three operands and more."""
    equation, sizes = [
        ("ij,jk,kl->il", [(3, 4), (4, 5), (5, 2)]),
        ("bi,bj,bk->bijk", [(2, 3), (2, 4), (2, 2)]),
        ("i,ij,jk,k->", [(3,), (3, 4), (4, 2), (2,)]),
        ("...ij,...jk,kl->...il", [(2, 3, 4), (2, 4, 5), (5, 2)]),
        ("ab,bc,cd", [(2, 3), (3, 4), (4, 5)]),
        ("ii,ij,jk->ik", [(3, 3), (3, 4), (4, 2)]),
        ("bhid,bhjd,bhje->bhie", [(1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 6)]),
    ][index]
    return case("Einsum", [(floats(*size),) for size in sizes], [1], equation=equation)


CASES = [
    (rotary, 16), (few_bits, 24), (grouped, 32), (multi_head, 40), (skip, 16), (embed, 12), (product, 8),
    (activation, 9), (packed, 20),
    (linear_pair, 32), (linear_one, 24), (linear_pool, 24), (linear_concat, 18), (linear_gemm, 28), (to_float, 16), (spectrum, 6),
    (fused_convolution, 18), (lstm_of_integers, 18), (product_of_integers, 12), (inverse, 9), (products, 7),
]

if __name__ == "__main__":
    found = [make(index) for make, count in CASES for index in range(count)]
    with open(os.path.join(sys.argv[2], "contrib.json"), "w") as out:
        json.dump(found, out)
    print(f"{len(found)} cases of operators of ONNX Runtime", file=sys.stderr)
