"""What another engine computes for a model that people deploy.

Usage: python3 corpus.py MODEL CASE < inputs

Standard input is {"inputs": [...], "fed": {name: elements}, "below": {name: limit}}: what `corpus
inputs MODEL` printed, what is fed to some of them, and what the integers of some are below. All
others are seeded: floats of deviation 1, integers below what they index. Writes CASE.json and CASE.bin, which tests/src/bin/corpus.rs reads, and prints
{engine, arena, spread}: arena is how many bytes the engine's own planner took for what it computes,
null where it does not tell; spread is how far the engine's own optimisations move the outputs.
"""

import json
import os
import re
import sys
import zlib

import ml_dtypes
import numpy

from quiet import Quiet

DTYPES = {"bool": numpy.bool_, "bf16": ml_dtypes.bfloat16}
for letter, kind in {"f": "float", "i": "int", "u": "uint"}.items():
    DTYPES.update({f"{letter}{bits}": getattr(numpy, f"{kind}{bits}", None) for bits in (8, 16, 32, 64)})
NAMES = {numpy.dtype(kind): name for name, kind in DTYPES.items() if kind}


def element(described, fed, below):
    """An array for an input."""
    name, kind, dims = described["name"], DTYPES[described["dtype"]], described["dims"]
    if name in fed:
        return numpy.broadcast_to(numpy.array(fed[name], kind), dims).copy()
    random = numpy.random.default_rng(zlib.crc32(name.encode()))
    if numpy.issubdtype(kind, numpy.integer):
        # Bytes and halves are quantised numbers, unless they index.
        limits = numpy.iinfo(kind)
        quantised = limits.bits <= 16 and described["below"] == 2
        low, high = (limits.min, limits.max) if quantised else (0, below - 1)
        return random.integers(low, high, dims, kind, endpoint=True)
    if kind is numpy.bool_:
        return random.integers(0, 2, dims).astype(kind)
    return random.standard_normal(dims).astype(kind)


def in_onnx_runtime(content, feeds):
    """Outputs in order, and the bytes of the block that the second run asks for at once: what
    the memory pattern of the first comes to."""
    import onnxruntime

    # Where an arena asks for as much as is wanted, the log tells how much that was.
    onnxruntime.set_default_logger_severity(0)
    memory = onnxruntime.OrtMemoryInfo(
        "Cpu", onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, onnxruntime.OrtMemType.DEFAULT
    )
    as_requested = onnxruntime.OrtArenaCfg({"arena_extend_strategy": 1})
    onnxruntime.create_and_register_allocator(memory, as_requested)

    def opened(level):
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = level
        options.intra_op_num_threads = 1
        options.add_session_config_entry("session.use_env_allocators", "1")
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])

    with Quiet():
        optimised = opened(onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL).run(None, feeds)
        session = opened(onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
        names = [output.name for output in session.get_outputs()]
        outputs = session.run(names, feeds)
    with Quiet() as log:
        session.run(names, feeds)
    blocks = re.findall(r"Extending BFCArena.*rounded_bytes:(\d+)", log.text)
    # None: the block fits into what the first run left free. Several: it is one of them.
    arena = int(blocks[0]) if len(blocks) == 1 else None
    version = f"ONNX Runtime {onnxruntime.__version__}"
    return dict(zip(names, outputs)), arena, spread(outputs, optimised), version


def spread(outputs, others):
    """How far two ways of computing the same are apart: the largest difference over the largest
    magnitude of the same output."""
    most = 0.0
    for one, other in zip(outputs, others):
        if numpy.issubdtype(one.dtype, numpy.floating) and one.size > 0:
            one, other = one.astype(numpy.float64), other.astype(numpy.float64)
            apart, largest = numpy.abs(one - other), numpy.abs(one)
            apart, largest = apart[numpy.isfinite(apart)], largest[numpy.isfinite(largest)]
            if apart.size > 0 and largest.max() > 0:
                most = max(most, float(apart.max() / largest.max()))
    return most


def in_litert(content, feeds):
    """Outputs in order, and the span of the addresses of what is computed."""
    from ai_edge_litert import __version__ as version
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    def run(kernels):
        interpreter = Interpreter(
            model_content=content, num_threads=1, experimental_op_resolver_type=kernels
        )
        inputs = interpreter.get_input_details()
        for detail, data in zip(inputs, feeds.values()):
            if list(detail["shape"]) != list(data.shape):
                interpreter.resize_tensor_input(detail["index"], data.shape)
        interpreter.allocate_tensors()
        for detail, data in zip(inputs, feeds.values()):
            interpreter.set_tensor(detail["index"], data)
        interpreter.invoke()
        details = interpreter.get_output_details()
        # Names of outputs need not be distinct.
        named = [(f'{place} {detail["name"]}', detail["index"]) for place, detail in enumerate(details)]
        return interpreter, {name: interpreter.get_tensor(index) for name, index in named}

    interpreter, outputs = run(OpResolverType.BUILTIN_REF)
    optimised = run(OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)[1]
    apart = spread(outputs.values(), optimised.values())
    return outputs, span(content, interpreter), apart, f"LiteRT {version}"


def span(content, interpreter):
    """From the first byte of what lies in the arena to the last."""
    from ai_edge_litert import schema_py_generated as schema

    model = schema.ModelT.InitFromPackedBuf(content, 0)
    if len(model.subgraphs) != 1:
        return None
    graph = model.subgraphs[0]
    constant = {i for i, t in enumerate(graph.tensors) if model.buffers[t.buffer].data is not None}
    computed = set(graph.inputs)
    for op in graph.operators:
        if all(i in constant or i == -1 for i in op.inputs):
            constant.update(op.outputs)
        else:
            computed.update(op.outputs)
    places = []
    for index in sorted(int(i) for i in computed):
        try:
            seen = interpreter.tensor(index)().__array_interface__
        except ValueError:
            # A resource, or nothing at all.
            continue
        data = seen["data"][0]
        places.append((data, data + interpreter.tensor(index)().nbytes))
    apart = max(end for _, end in places) - min(start for start, _ in places)
    # What is sized during the run lies outside the arena, anywhere.
    aligned = sum(-(-(end - start) // 64) * 64 for start, end in places)
    return apart if apart <= aligned else None


def written(case, feeds, outputs):
    """Writes CASE.json and CASE.bin."""
    index = {}
    with open(f"{case}.bin", "wb") as elements:
        for kind, arrays in {"inputs": feeds, "outputs": outputs}.items():
            index[kind] = []
            for name, data in arrays.items():
                data = numpy.asarray(data, order="C")
                row = {"name": name, "dtype": NAMES[data.dtype], "dims": list(data.shape)}
                row["range"] = [elements.tell(), data.nbytes]
                index[kind].append(row)
                elements.write(data.tobytes())
    with open(f"{case}.json", "w", encoding="utf-8") as file:
        json.dump(index, file)


def main(file, case):
    asked = json.load(sys.stdin)
    with open(file, "rb") as opened:
        content = opened.read()
    limits = {each["name"]: asked["below"].get(each["name"], each["below"]) for each in asked["inputs"]}
    feeds = {each["name"]: element(each, asked["fed"], limits[each["name"]]) for each in asked["inputs"]}
    engine = in_litert if file.endswith(".tflite") else in_onnx_runtime
    outputs, arena, apart, version = engine(content, feeds)
    written(case, feeds, outputs)
    print(json.dumps({"engine": version, "arena": arena, "spread": apart}))


if __name__ == "__main__":
    main(*sys.argv[1:])
