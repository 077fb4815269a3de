"""Prints where LiteRT places every tensor of a TFLite model, as CSV that Arenascope opens.

Usage: pip install ai-edge-litert; python3 litert_addresses.py model.tflite > plan.csv
A tensor is needed from step lower on and no longer at step upper; a step is an operator.
"""

import os
import sys

from ai_edge_litert import interpreter, schema_py_generated as schema

content = open(sys.argv[1], "rb").read()
model = schema.ModelT.InitFromPackedBuf(content, 0)
graph = model.subgraphs[0]
# The default delegate would hide the tensors between its operators.
kernels = interpreter.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
runtime = interpreter.Interpreter(model_content=content, experimental_op_resolver_type=kernels)
runtime.allocate_tensors()
steps = runtime._get_ops_details()

# Constants, and what is computed of nothing else, have no place in the arena.
constant = {i for i, tensor in enumerate(graph.tensors) if model.buffers[tensor.buffer].data is not None}
rows = {int(i): [0, 0, "input", ""] for i in graph.inputs}
rows |= {i: [0, len(steps) - 1, "variable", ""] for i, it in enumerate(graph.tensors) if it.isVariable}
for step, op in enumerate(steps):
    if all(i in constant or i == -1 for i in op["inputs"]):
        constant.update(map(int, op["outputs"]))
        continue
    for i in map(int, op["outputs"]):
        output = i in graph.outputs
        rows[i] = [step, len(steps) - 1 if output else step, "output" if output else "intermediate", op["op_name"]]
    for i in op["inputs"]:
        if i in rows:
            rows[i][1] = max(step, rows[i][1])

# What operators asked for themselves. LiteRT tells in which order, but not which operator did: each
# is shown at a convolution that fits, or else at the first step at which its bytes are free.
asked = [it["index"] for it in runtime.get_tensor_details() if it["index"] >= len(graph.tensors)]
rows |= {int(i): [0, 0, "temporary", ""] for i in asked}

arrays, dynamic = {}, []
for i in rows:
    try:
        arrays[i] = runtime.tensor(i)()
    except ValueError:  # It has no address yet.
        dynamic.append(i)
rows = {i: row for i, row in rows.items() if i in arrays and arrays[i].nbytes}
start = {i: arrays[i].__array_interface__["data"][0] for i in rows}
for kinds in ({"variable"}, {"input", "intermediate", "output", "temporary"}):
    kind = [i for i in rows if rows[i][2] in kinds]
    base = min([start[i] for i in kind], default=0)
    start |= {i: start[i] - base for i in kind}


def free(i, at):
    live = [k for k in settled if rows[k][2] == "input" or rows[k][0] <= at <= rows[k][1]]
    end = {k: start[k] + arrays[k].nbytes for k in [i, *live]}
    return all(end[i] <= start[k] or end[k] <= start[i] for k in live)


def unrolled(i, at):
    """Whether the operator is a convolution that fits what it asked for."""
    written = arrays.get(int(steps[at]["outputs"][0]))
    fits = written is not None and arrays[i].shape[:-1] == written.shape[:-1]
    return fits and steps[at]["op_name"] == "CONV_2D"


settled, step = [i for i in rows if rows[i][2] in ("input", "intermediate", "output")], 0
for i in sorted(i for i in rows if rows[i][2] == "temporary"):
    can = [at for at in range(step, len(steps)) if free(i, at)] or [step]
    step = next((at for at in can if unrolled(i, at)), can[0])
    rows[i] = [step, step, "temporary", steps[step]["op_name"]]
    settled.append(i)

print(f"# LiteRT addresses of {os.path.basename(sys.argv[1])}, {len(steps)} steps")
if dynamic:
    print(f"# left out: {len(dynamic)} tensors that get their bytes while the model runs")
print("id,lower,upper,size,offset,role,op,name")
for i, (lower, last, role, op) in sorted(rows.items(), key=lambda row: (row[1][0], row[0])):
    name = graph.tensors[i].name.decode() if i < len(graph.tensors) else f"temporary {i}"
    print(f"{i},{lower},{last + 1},{arrays[i].nbytes},{start[i]},{role},{op},{name}")
