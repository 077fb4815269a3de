"""Writes the node test cases of ONNX that tests/data/node_cases.txt lists.

    python node_cases.py write FOLDER    cases.json and cases.bin into FOLDER
    python node_cases.py list            a new node_cases.txt, on standard output

tests/fixtures.mjs runs it with the versions of onnx and numpy that it pins. A node case is a
model of one operator with its inputs and the outputs that the specification's authors expect.

The cases draw random numbers, so the seed is set here, and the list pins what comes out: a
hash of the model and of all integers and booleans, and one figure for all floats of the inputs
and one for those of the outputs. Floats are pinned by figures and not by a hash, because
numpy's exp, tanh and matrix product differ in the last bit from processor to processor.

cases.json is a list of {name, op, model, inputs, outputs, rtol, atol}; a model is [start, length]
in cases.bin, a tensor {name, dtype, dims, range: [start, length]}: raw little-endian elements,
row-major, booleans as bytes 0 and 1. Everything starts at a multiple of 8. Inputs and outputs
are those of the model's graph; what a node leaves out has an empty name in the model and is not
among them.
"""

import hashlib
import json
import math
import os
import sys
import warnings
from pathlib import Path

import numpy as np
import onnx

LIST = Path(__file__).with_suffix(".txt")
SEED = 0
ALIGNMENT = 8
LEAST_ATOL = 1e-5
# What a figure may differ by: some hundred times float32's precision.
FIGURE_RTOL = 1e-5

# The core operators, in the order of the list.
OPERATORS = """
Conv Relu BatchNormalization AveragePool MaxPool GlobalAveragePool Add Mul Sub Div Concat Gemm
MatMul Softmax Reshape Transpose Unsqueeze Squeeze Flatten Clip Sigmoid Sum LRN Dropout Identity
Gather Slice Split LayerNormalization Gelu Erf Tanh Pow Sqrt ReduceMean Pad HardSwish
HardSigmoid LeakyRelu PRelu Elu Exp Log Neg Abs Reciprocal GlobalMaxPool Max Min Floor Ceil
InstanceNormalization Mean
""".split()

# Element types by their names in the planner.
DTYPES = {"float32": "f32", "int32": "i32", "int64": "i64", "bool": "bool", "uint32": "u32"}

HEADER = """\
# The {cases} float32 node test cases of {operators} core operators, from onnx {onnx}.
# Made by `python node_cases.py list`: of all that onnx.backend.test.case.node.collect_testcases
# gives ({all}, {expanded} of them expanded functions), the plain ones of the default operator
# set alone whose inputs and outputs are tensors of f32, i32, i64, bool or u32 and at least one
# of f32 ({float32}), and of these the ones of the operators below. None may be dropped.
# A line: name; start of the SHA-256 of model, integers and booleans; figure of the input
# floats; figure of the output floats.
"""


class Refusal(Exception):
    """What the generator gives does not fit the list."""


class Case:
    """One node case as onnx gives it, with its arrays by name."""

    def __init__(self, case):
        graph = case.model.graph
        ((inputs, outputs),) = case.data_sets
        self.name = case.name
        self.op = graph.node[0].op_type
        self.model = case.model.SerializeToString(deterministic=True)
        self.inputs = named(case.name, graph.input, inputs)
        self.outputs = named(case.name, graph.output, outputs)
        self.rtol = case.rtol
        self.atol = max(case.atol, LEAST_ATOL)

    def pins(self):
        """The three columns behind the name."""
        digest = hashlib.sha256(self.model)
        for name, array in self.inputs + self.outputs:
            digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
            if array.dtype != np.float32:
                digest.update(little_endian(array))
        return [digest.hexdigest()[:16], figure(self.inputs), figure(self.outputs)]


def named(case, declared, arrays):
    """(name, array) of every input or output, which must be as the graph declares it."""
    if len(declared) != len(arrays):
        raise Refusal(f"{case}: {len(arrays)} arrays for {len(declared)} names")
    pairs = []
    for value, array in zip(declared, arrays):
        array, tensor = np.asarray(array), value.type.tensor_type
        shape = tuple(dim.dim_value for dim in tensor.shape.dim)
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        if (array.shape, array.dtype) != (shape, dtype):
            raise Refusal(f"{case}: {value.name} is not what the model declares")
        pairs.append((value.name, array))
    return pairs


def little_endian(array):
    return array.astype(array.dtype.newbyteorder("<")).tobytes()


def figure(arrays):
    """One number that changes with value, sign and order of the floats; "-" without floats.

    The mean of (x + 2|x|) (1 + i mod 7): every term is positive, so nothing cancels.
    """
    floats = [array.astype(np.float64).ravel() for _, array in arrays if array.dtype == np.float32]
    if not floats:
        return "-"
    x = np.concatenate(floats)
    terms = (x + 2 * np.abs(x)) * (1 + np.arange(x.size) % 7)
    return f"{terms.sum() / max(x.size, 1):.7g}"


def collect():
    """Every case that onnx generates, from the pinned seed."""
    warnings.simplefilter("ignore")  # Some cases divide by zero on purpose.
    np.random.seed(SEED)
    # Importing the cases makes them.
    from onnx.backend.test.case.node import collect_testcases

    return collect_testcases(None)


def is_float32(case):
    """Whether it is a case of the default operator set on 32-bit floats."""
    graph = case.model.graph
    types = [value.type for value in [*graph.input, *graph.output]]
    if any(one.WhichOneof("value") != "tensor_type" for one in types):
        return False
    numbers = {one.tensor_type.elem_type for one in types}
    allowed = {onnx.helper.np_dtype_to_tensor_dtype(np.dtype(name)) for name in DTYPES}
    default = all(opset.domain == "" for opset in case.model.opset_import)
    return default and numbers <= allowed and onnx.TensorProto.FLOAT in numbers


def write_list():
    everything = collect()
    plain = [case for case in everything if "_expanded" not in case.name]
    float32 = [case for case in plain if is_float32(case)]
    chosen = [case for case in float32 if case.model.graph.node[0].op_type in OPERATORS]
    print(
        HEADER.format(
            cases=len(chosen),
            operators=len(OPERATORS),
            onnx=onnx.__version__,
            all=len(everything),
            expanded=len(everything) - len(plain),
            float32=len(float32),
        ),
        end="",
    )
    for operator in OPERATORS:
        print(f"\n{operator}")
        for case in map(Case, chosen):
            if case.op == operator:
                print(" ", case.name, *case.pins())


def listed():
    """(operator, name, pins) of every line of the list."""
    operator = None
    for line in LIST.read_text("utf-8").splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) == 1:
            operator = words[0]
        else:
            yield operator, words[0], words[1:]


def same(pins, expected):
    """Whether the pins are those of the list."""
    def close(a, b):
        if a == b:
            return True
        return "-" not in (a, b) and math.isclose(float(a), float(b), rel_tol=FIGURE_RTOL)

    return pins[0] == expected[0] and all(map(close, pins[1:], expected[1:]))


class Bin:
    """The bytes of all models and tensors."""

    def __init__(self):
        self.bytes = bytearray()

    def add(self, raw):
        start = len(self.bytes)
        self.bytes += raw
        self.bytes += bytes(-len(self.bytes) % ALIGNMENT)
        return [start, len(raw)]

    def tensors(self, arrays):
        return [
            {
                "name": name,
                "dtype": DTYPES[str(array.dtype)],
                "dims": list(array.shape),
                "range": self.add(little_endian(array)),
            }
            for name, array in arrays
        ]


def write_cases(folder):
    generated = {case.name: case for case in collect()}
    bin, index = Bin(), []
    for operator, name, expected in listed():
        if name not in generated:
            raise Refusal(f"{name} is not among the cases of onnx {onnx.__version__}")
        case = Case(generated[name])
        if case.op != operator or not same(case.pins(), expected):
            found = " ".join([case.op, *case.pins()])
            raise Refusal(f"{name} is generated differently: {found}")
        index.append(
            {
                "name": name,
                "op": operator,
                "model": bin.add(case.model),
                "inputs": bin.tensors(case.inputs),
                "outputs": bin.tensors(case.outputs),
                "rtol": case.rtol,
                "atol": case.atol,
            }
        )
    lines = ",\n".join(json.dumps(case) for case in index)
    # Whoever reads them finds whole files only.
    replace(folder / "cases.bin", bytes(bin.bytes))
    replace(folder / "cases.json", f"[\n{lines}\n]\n".encode())
    print(f"{len(index)} node cases, {len(bin.bytes)} bytes")


def replace(path, content):
    part = path.with_name(path.name + ".part")
    part.write_bytes(content)
    os.replace(part, path)


def main(arguments):
    match arguments:
        case ["list"]:
            write_list()
        case ["write", folder]:
            write_cases(Path(folder))
        case _:
            raise Refusal(__doc__)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Refusal as refusal:
        sys.exit(str(refusal))
