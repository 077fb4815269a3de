"""Figures of the samples and the fixtures, by a second implementation that shares nothing with ours.

Usage: python3 figures.py ../../public/samples > sample_figures.json
       python3 figures.py ../.cache/fixtures > fixture_figures.json
       python3 figures.py <folder with the raw exports> > raw_export_figures.json
Needs PyPI's onnx 1.23.2 and tflite 2.18.0. Shapes of ONNX models come from strict shape
inference; those of models with free dimensions, and of raw exports where inference gives up,
from a run of the reference evaluator on weights of zero. TFLite files declare theirs.
"""

import json
import os
import sys
import tempfile

import numpy
import onnx
import tflite
from onnx import reference, shape_inference

BINDINGS = {"transformer.onnx": [{"batch": 1, "sequence_length": 128}, {"batch": 3, "sequence_length": 77}]}
NOTE = (
    "Computed by an independent Python implementation (figures.py beside this file). "
    "Intermediates only: no graph inputs, outputs or constants, Shape and what follows "
    "from constants alone folded; sizes rounded up to 64 bytes (problems: as they are); closed "
    "intervals from the first to the last operator. lb_offset: largest live sum; lb_shared: sum "
    "of positional maxima; off_gbs, off_gbb, off_inorder: offsets by size, by breadth, in order "
    "of first use, best gap. Bytes."
)


def shapes_by_inference(model):
    model = shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    shapes = {}
    for value in model.graph.value_info:
        tensor = value.type.tensor_type
        if not tensor.HasField("shape"):
            continue
        item = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type).itemsize
        shapes[value.name] = item * numpy.prod([d.dim_value for d in tensor.shape.dim], dtype=int)
        if not all(d.HasField("dim_value") for d in tensor.shape.dim):
            return None
    for node in model.graph.node:
        # The checker infers nothing for the mask of Dropout 7: by its text, like the output.
        if node.op_type == "Dropout" and len(node.output) > 1:
            assert model.opset_import[0].version < 10
            shapes.setdefault(node.output[1], shapes[node.output[0]])
    return shapes


def shapes_by_running(model, bind):
    for weight in model.graph.initializer:
        if weight.data_location == onnx.TensorProto.EXTERNAL:
            zero = onnx.numpy_helper.from_array(numpy.zeros(weight.dims, numpy.float32), weight.name)
            weight.CopyFrom(zero)
    names = [o for node in model.graph.node for o in node.output]
    feeds = {}
    for value in model.graph.input:
        dims = [bind.get(d.dim_param, d.dim_value) for d in value.type.tensor_type.shape.dim]
        kind = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        feeds[value.name] = numpy.zeros(dims, kind)
    del model.graph.output[:]
    model.graph.output.extend(onnx.ValueInfoProto(name=n) for n in names)
    results = reference.ReferenceEvaluator(model).run(None, feeds)
    return {name: numpy.asarray(result).nbytes for name, result in zip(names, results)}


def onnx_intervals(path, bind):
    model = onnx.load(path, load_external_data=False)
    constant = {i.name for i in model.graph.initializer}
    outputs = {o.name for o in model.graph.output}
    nodes = [(n.op_type in ("Constant", "Shape"), list(n.input), list(n.output)) for n in model.graph.node]
    sizes = None if bind else shapes_by_inference(model)
    sizes = sizes or shapes_by_running(model, bind)
    return intervals(nodes, constant, outputs, sizes)


def tflite_intervals(path):
    model = tflite.Model.GetRootAsModel(open(path, "rb").read(), 0)
    graph = model.Subgraphs(0)
    width = {"FLOAT32": 4, "FLOAT16": 2, "INT32": 4, "UINT8": 1, "INT8": 1, "INT64": 8, "BOOL": 1}
    names = {v: k for k, v in vars(tflite.TensorType).items() if isinstance(v, int)}
    constant, sizes = set(), {}
    for i in range(graph.TensorsLength()):
        tensor = graph.Tensors(i)
        if model.Buffers(tensor.Buffer()).DataLength() > 0:
            constant.add(i)
        dims = [tensor.Shape(k) for k in range(tensor.ShapeLength())]
        sizes[i] = width[names[tensor.Type()]] * numpy.prod(dims, dtype=int)
    ops = [graph.Operators(i) for i in range(graph.OperatorsLength())]
    reads = lambda op: [op.Inputs(k) for k in range(op.InputsLength())]
    writes = lambda op: [op.Outputs(k) for k in range(op.OutputsLength())]
    outputs = {graph.Outputs(i) for i in range(graph.OutputsLength())}
    return intervals([(False, reads(op), writes(op)) for op in ops], constant, outputs, sizes)


def intervals(nodes, constant, outputs, sizes):
    first, last, step = {}, {}, 0
    for folded, reads, writes in nodes:
        if folded or all(i in constant or i in ("", -1) for i in reads):
            constant.update(writes)
            continue
        for name in writes:
            first[name] = last[name] = step
        for name in reads:
            if name in first:
                last[name] = step
        step += 1
    rounded = lambda n: -(-int(sizes[n]) // 64) * 64
    kept = [n for n in first if n not in outputs and n != ""]
    return [(rounded(n), first[n], last[n]) for n in kept], {"nodes": len(nodes), "steps": step}


def best_gap(buffers, order):
    placed = []
    for i in order:
        size, start, end = buffers[i]
        below, best = 0, None
        for offset, top, s, e in sorted(placed):
            if s <= end and start <= e:
                if offset - below >= size and (best is None or offset - below < best[0]):
                    best = (offset - below, below)
                below = max(below, top)
        offset = best[1] if best else below
        placed.append((offset, offset + size, start, end))
    return max(top for _, top, _, _ in placed)


def figures(buffers):
    horizon = 1 + max(end for _, _, end in buffers)
    live = [[i for i, (_, s, e) in enumerate(buffers) if s <= t <= e] for t in range(horizon)]
    down = [sorted(l, key=lambda i: -buffers[i][0]) for l in live]
    load = [sum(buffers[i][0] for i in l) for l in live]
    depth = max(map(len, down))
    maxima = [max(buffers[d[k]][0] for d in down if len(d) > k) for k in range(depth)]
    by_breadth = dict.fromkeys(i for t in sorted(range(horizon), key=lambda t: -load[t]) for i in down[t])
    return {
        "intermediates": len(buffers),
        "naive": sum(size for size, _, _ in buffers),
        "lb_offset": max(load),
        "lb_shared": sum(maxima),
        "off_gbs": best_gap(buffers, sorted(range(len(buffers)), key=lambda i: -buffers[i][0])),
        "off_gbb": best_gap(buffers, by_breadth),
        "off_inorder": best_gap(buffers, sorted(range(len(buffers)), key=lambda i: buffers[i][1])),
    }


def check(path):
    """onnx.checker wants the weights to be there: give it files full of holes."""
    model = onnx.load(path, load_external_data=False)
    external = [entry for weight in model.graph.initializer for entry in weight.external_data]
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "model.onnx")
        with open(path, "rb") as source, open(copy, "wb") as target:
            target.write(source.read())
        for location in {entry.value for entry in external if entry.key == "location"}:
            with open(os.path.join(folder, location), "wb") as weights:
                weights.truncate(1 << 31)
        onnx.checker.check_model(copy, full_check=True)


def main(folder):
    found = []
    for file in sorted(os.listdir(folder)):
        path = os.path.join(folder, file)
        if file.endswith(".onnx"):
            check(path)
            for bind in BINDINGS.get(file, [{}]):
                buffers, counts = onnx_intervals(path, bind)
                found.append({"file": file, "bind": bind, **counts, **figures(buffers)})
        elif file.endswith(".tflite"):
            buffers, counts = tflite_intervals(path)
            found.append({"file": file, "bind": {}, **counts, **figures(buffers)})
        elif file.endswith(".csv"):
            rows = [line.strip().split(",") for line in open(path)][1:]
            buffers = [(int(size), int(lower), int(upper) - 1) for _, lower, upper, size in rows]
            found.append({"file": file, "bind": {}, **figures(buffers)})
    print(json.dumps({"note": NOTE, "models": found}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1])
