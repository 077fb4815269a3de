"""Two layers or three of a BERT-like, a GPT-2-like and a Llama-like network, as exporters
write them: LayerNormalization whole and in pieces, shapes computed in the graph, masks by
addition and by Where."""

import numpy

from . import seeded
from .network import Network

LOWEST = float(numpy.finfo(numpy.float32).min)


def made(_folder):
    """Name, model and feeds of each."""
    for name, write in (("bert", bert), ("gpt2", gpt2), ("llama", llama)):
        network = write(name)
        yield name, network.model(), network.feeds


def dense(net, label, x, inputs, outputs, gain=1.0, bias=True):
    """x · W + b, as MatMul and Add."""
    y = net.op("MatMul", x, net.matrix(f"{label}.weight", [inputs, outputs], inputs, gain))
    return net.op("Add", net.around(f"{label}.bias", [outputs], -0.2, 0.2), y) if bias else y


def table(net, label, rows, width, deviation=1.0):
    return net.constant(label, seeded.spread(f"{net.name}/{label}", [rows, width], deviation))


def scale_and_bias(net, label, width):
    return net.around(f"{label}.scale", [width], 0.5, 1.5), net.around(f"{label}.bias", [width], -0.3, 0.3)


# --- BERT: opset 17, two sequences of which one is padded.

BERT = {"batch": 2, "length": 23, "width": 128, "heads": 4, "inner": 512, "layers": 3, "words": 1000}


def bert(name):
    net, sizes = Network(name, opset=17), BERT
    batch, length, width = sizes["batch"], sizes["length"], sizes["width"]
    ids = net.input("input_ids", seeded.integers(f"{name}/ids", [batch, length], sizes["words"]))
    attended = numpy.ones([batch, length], numpy.int64)
    attended[1, -6:] = 0
    attended = net.input("attention_mask", attended)
    segment = numpy.zeros([batch, length], numpy.int64)
    segment[:, length // 2 :] = 1
    segment = net.input("token_type_ids", segment)
    # The sequence's length cuts the positions, as an exporter that traces shapes writes it.
    measured = net.op("Gather", net.op("Shape", ids), net.constant("one", numpy.int64(1)), axis=0)
    end = net.op("Unsqueeze", measured, net.ints(0))
    stored = net.constant("position_ids", numpy.arange(64, dtype=numpy.int64).reshape(1, 64))
    positions = net.op("Slice", stored, net.ints(0), end, net.ints(1), net.ints(1))
    x = net.op(
        "Add",
        net.op("Gather", table(net, "words", sizes["words"], width), ids),
        net.op("Gather", table(net, "segments", 2, width), segment),
    )
    x = net.op("Add", x, net.op("Gather", table(net, "positions", 64, width), positions))
    x = net.op("LayerNormalization", x, *scale_and_bias(net, "norm", width), epsilon=1e-12)
    mask = net.op("Unsqueeze", attended, net.ints(1, 2))
    mask = net.op("Cast", mask, to=1)
    mask = net.op("Mul", net.op("Sub", net.scalar(1.0), mask), net.scalar(LOWEST))
    for layer in range(sizes["layers"]):
        x = bert_layer(net, f"layer{layer}", x, mask, sizes)
    first = net.op("Gather", x, net.constant("zero", numpy.int64(0)), axis=1)
    w = net.matrix("pooler.weight", [width, width], width)
    pooled = net.op("Gemm", first, w, net.around("pooler.bias", [width], -0.2, 0.2), transB=1)
    net.output("pooled", net.op("Tanh", pooled), [batch, width])
    # Whatever comes last must not be read again: a copy is what the caller gets.
    net.output("hidden", net.op("Identity", x), [batch, length, width])
    return net


def bert_layer(net, label, x, mask, sizes):
    width, heads = sizes["width"], sizes["heads"]
    each = width // heads

    def split(y, order):
        # Batch and length are read off the tensor, heads are known.
        batch = net.op("Slice", net.op("Shape", y), net.ints(0), net.ints(2), net.ints(0))
        y = net.op("Reshape", y, net.op("Concat", batch, net.ints(heads, each), axis=0))
        return net.op("Transpose", y, perm=order)

    query = split(dense(net, f"{label}.query", x, width, width), [0, 2, 1, 3])
    key = split(dense(net, f"{label}.key", x, width, width), [0, 2, 3, 1])
    value = split(dense(net, f"{label}.value", x, width, width), [0, 2, 1, 3])
    scores = net.op("Div", net.op("MatMul", query, key), net.scalar(each**0.5))
    weights = net.op("Softmax", net.op("Add", scores, mask), axis=-1)
    y = net.op("Transpose", net.op("MatMul", weights, value), perm=[0, 2, 1, 3])
    y = net.op("Reshape", y, net.ints(0, 0, width))
    y = net.op("Add", dense(net, f"{label}.merge", y, width, width), x)
    x = net.op("LayerNormalization", y, *scale_and_bias(net, f"{label}.norm0", width), epsilon=1e-12)
    y = dense(net, f"{label}.inner", x, width, sizes["inner"])
    # Gelu by its definition.
    tail = net.op("Add", net.op("Erf", net.op("Div", y, net.scalar(2.0**0.5))), net.scalar(1.0))
    y = net.op("Mul", net.op("Mul", y, tail), net.scalar(0.5))
    y = net.op("Add", dense(net, f"{label}.outer", y, sizes["inner"], width, gain=2.0), x)
    return net.op("LayerNormalization", y, *scale_and_bias(net, f"{label}.norm1", width), epsilon=1e-12)


# --- GPT-2: opset 13, LayerNormalization in pieces, a causal mask by Where.

GPT2 = {"length": 19, "width": 96, "heads": 6, "inner": 384, "layers": 2, "words": 997, "context": 64}


def gpt2(name):
    net, sizes = Network(name, opset=13), GPT2
    length, width, context = sizes["length"], sizes["width"], sizes["context"]
    ids = net.input("input_ids", seeded.integers(f"{name}/ids", [1, length], sizes["words"]))
    positions = net.constant("position_ids", numpy.arange(length, dtype=numpy.int64).reshape(1, length))
    x = net.op(
        "Add",
        net.op("Gather", table(net, "words", sizes["words"], width), ids),
        net.op("Gather", table(net, "positions", context, width, 0.5), positions),
    )
    causal = net.constant("causal", numpy.tril(numpy.ones([1, 1, context, context], numpy.bool_)))
    cut = net.op("Slice", causal, net.ints(0, 0), net.ints(length, length), net.ints(2, 3), net.ints(1, 1))
    for layer in range(sizes["layers"]):
        x = gpt2_layer(net, f"layer{layer}", x, cut, sizes, by_split=layer == 0)
    x = normalized(net, "last", x, width)
    logits = net.op("MatMul", x, net.matrix("head.weight", [width, sizes["words"]], width))
    net.output("logits", logits, [1, length, sizes["words"]])
    return net


def normalized(net, label, x, width):
    """LayerNormalization as exporters wrote it before opset 17."""
    centred = net.op("Sub", x, net.op("ReduceMean", x, axes=[-1], keepdims=1))
    squared = net.op("Pow", centred, net.scalar(2.0))
    variance = net.op("Add", net.op("ReduceMean", squared, axes=[-1], keepdims=1), net.scalar(1e-5))
    scale, bias = scale_and_bias(net, label, width)
    return net.op("Add", net.op("Mul", net.op("Div", centred, net.op("Sqrt", variance)), scale), bias)


def gpt2_layer(net, label, x, mask, sizes, by_split):
    length, width, heads = sizes["length"], sizes["width"], sizes["heads"]

    def gemm(part, y, inputs, outputs, gain=1.0):
        # GPT-2's one-dimensional convolution: rows together, one Gemm, rows apart.
        w = net.matrix(f"{label}.{part}.weight", [inputs, outputs], inputs, gain)
        y = net.op("Reshape", y, net.ints(-1, inputs))
        y = net.op("Gemm", y, w, net.around(f"{label}.{part}.bias", [outputs], -0.2, 0.2))
        return net.op("Reshape", y, net.ints(1, length, outputs))

    joined = gemm("attention", normalized(net, f"{label}.norm0", x, width), width, 3 * width)
    if by_split:
        parts = net.op("Split", joined, net.ints(width, width, width), outputs=3, axis=2)
    else:
        cuts = [(net.ints(at * width), net.ints((at + 1) * width)) for at in range(3)]
        parts = [net.op("Slice", joined, start, end, net.ints(2)) for start, end in cuts]
    parts = [net.op("Reshape", part, net.ints(1, length, heads, width // heads)) for part in parts]
    orders = ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])
    query, key, value = (net.op("Transpose", part, perm=order) for part, order in zip(parts, orders))
    scores = net.op("Div", net.op("MatMul", query, key), net.scalar((width // heads) ** 0.5))
    weights = net.op("Softmax", net.op("Where", mask, scores, net.scalar(LOWEST)), axis=-1)
    y = net.op("Transpose", net.op("MatMul", weights, value), perm=[0, 2, 1, 3])
    y = net.op("Reshape", y, net.ints(1, length, width))
    x = net.op("Add", gemm("merge", y, width, width), x)
    y = gemm("inner", normalized(net, f"{label}.norm1", x, width), width, sizes["inner"])
    # Gelu by tanh.
    cubed = net.op("Mul", net.op("Pow", y, net.scalar(3.0)), net.scalar(0.044715))
    bent = net.op("Tanh", net.op("Mul", net.op("Add", y, cubed), net.scalar((2.0 / numpy.pi) ** 0.5)))
    y = net.op("Mul", net.op("Mul", y, net.scalar(0.5)), net.op("Add", bent, net.scalar(1.0)))
    return net.op("Add", x, gemm("outer", y, sizes["inner"], width, gain=2.0))


# --- Llama: opset 17, RMS norm, rotary positions, fewer heads of keys than of queries.

LLAMA = {"length": 17, "width": 96, "heads": 6, "shared": 2, "inner": 256, "layers": 2, "words": 1009, "context": 64}


def llama(name):
    net, sizes = Network(name, opset=17), LLAMA
    length, width, context = sizes["length"], sizes["width"], sizes["context"]
    each = width // sizes["heads"]
    ids = net.input("input_ids", seeded.integers(f"{name}/ids", [1, length], sizes["words"]))
    # Not from 0: what a cache holds already counts.
    positions = net.input("position_ids", numpy.arange(5, 5 + length, dtype=numpy.int64).reshape(1, length))
    angles = numpy.outer(numpy.arange(context), 10000.0 ** (-numpy.arange(0, each, 2) / each))
    angles = numpy.concatenate([angles, angles], axis=1)
    turns = []
    for part, function in (("cosine", numpy.cos), ("sine", numpy.sin)):
        rows = net.op("Gather", net.constant(part, function(angles).astype(numpy.float32)), positions)
        turns.append(net.op("Unsqueeze", rows, net.ints(1)))
    x = net.op("Gather", table(net, "words", sizes["words"], width), ids)
    mask = numpy.triu(numpy.full([1, 1, length, length], LOWEST, numpy.float32), 1)
    mask = net.constant("causal", mask)
    for layer in range(sizes["layers"]):
        x = llama_layer(net, f"layer{layer}", x, mask, turns, sizes)
    x = rms_norm(net, "last", x, width)
    logits = net.op("MatMul", x, net.matrix("head.weight", [width, sizes["words"]], width))
    net.output("logits", logits, [1, length, sizes["words"]])
    return net


def rms_norm(net, label, x, width):
    squared = net.op("Pow", x, net.scalar(2.0))
    mean = net.op("Add", net.op("ReduceMean", squared, axes=[-1], keepdims=1), net.scalar(1e-6))
    inverse = net.op("Div", net.scalar(1.0), net.op("Sqrt", mean))
    return net.op("Mul", net.around(f"{label}.scale", [width], 0.5, 1.5), net.op("Mul", x, inverse))


def rotated(net, x, turns, each):
    """Pairs of elements, half a head apart, turned by the position's angle."""
    low = net.op("Slice", x, net.ints(0), net.ints(each // 2), net.ints(3), net.ints(1))
    high = net.op("Slice", x, net.ints(each // 2), net.ints(2**63 - 1), net.ints(3), net.ints(1))
    crossed = net.op("Concat", net.op("Neg", high), low, axis=-1)
    return net.op("Add", net.op("Mul", x, turns[0]), net.op("Mul", crossed, turns[1]))


def llama_layer(net, label, x, mask, turns, sizes):
    length, width, heads, shared = (sizes[part] for part in ("length", "width", "heads", "shared"))
    each = width // heads
    normal = rms_norm(net, f"{label}.norm0", x, width)

    def project(part, count):
        y = dense(net, f"{label}.{part}", normal, width, count * each, bias=False)
        y = net.op("Reshape", y, net.ints(1, length, count, each))
        return net.op("Transpose", y, perm=[0, 2, 1, 3])

    def repeat(y):
        # Each head of keys serves several of queries.
        y = net.op("Unsqueeze", y, net.ints(2))
        y = net.op("Expand", y, net.ints(1, shared, heads // shared, length, each))
        return net.op("Reshape", y, net.ints(1, heads, length, each))

    query = rotated(net, project("query", heads), turns, each)
    key = repeat(rotated(net, project("key", shared), turns, each))
    value = repeat(project("value", shared))
    scores = net.op("MatMul", query, net.op("Transpose", key, perm=[0, 1, 3, 2]))
    scores = net.op("Add", net.op("Div", scores, net.scalar(each**0.5)), mask)
    y = net.op("MatMul", net.op("Softmax", scores, axis=-1), value)
    y = net.op("Reshape", net.op("Transpose", y, perm=[0, 2, 1, 3]), net.ints(1, length, width))
    x = net.op("Add", x, dense(net, f"{label}.merge", y, width, width, bias=False))
    normal = rms_norm(net, f"{label}.norm1", x, width)
    gate = dense(net, f"{label}.gate", normal, width, sizes["inner"], bias=False)
    gate = net.op("Mul", gate, net.op("Sigmoid", gate))
    y = net.op("Mul", gate, dense(net, f"{label}.up", normal, width, sizes["inner"], bias=False))
    return net.op("Add", x, dense(net, f"{label}.down", y, sizes["inner"], width, gain=4.0, bias=False))
