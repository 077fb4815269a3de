"""Writes the node test cases of ONNX that tests/data/node_cases.txt lists.

    python node_cases.py write FOLDER    cases.json and cases.bin into FOLDER
    python node_cases.py list            a new node_cases.txt, on standard output

tests/fixtures.mjs runs it with the versions of onnx and numpy that it pins. A node case is a
model of one operator with its inputs and the outputs that the specification's authors expect.

The cases draw random numbers, so the seed is set here, and the list pins what comes out: a
hash of the model, of all integers and booleans and of floats of 8 bits or less, and one figure for
the wider floats of the inputs and one for those of the outputs. These are pinned by figures and
not by a hash, because numpy's exp, tanh and matrix product differ in the last bit from processor
to processor.

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
# What a figure may differ by: the last bit of a few floats of 16 bits.
FIGURE_RTOL = 1e-4

# Element types by their numbers in ONNX, as the planner names them.
DTYPES = {
    onnx.TensorProto.DataType.Value(name): dtype
    for name, dtype in {
        "FLOAT": "f32",
        "DOUBLE": "f64",
        "FLOAT16": "f16",
        "BFLOAT16": "bf16",
        "FLOAT8E4M3FN": "f8e4m3",
        "FLOAT8E5M2": "f8e5m2",
        "FLOAT8E4M3FNUZ": "f8e4m3fnuz",
        "FLOAT8E5M2FNUZ": "f8e5m2fnuz",
        "FLOAT8E8M0": "f8e8m0",
        "FLOAT4E2M1": "f4",
        "INT64": "i64",
        "INT32": "i32",
        "INT16": "i16",
        "INT8": "i8",
        "INT4": "i4",
        "INT2": "i2",
        "UINT64": "u64",
        "UINT32": "u32",
        "UINT16": "u16",
        "UINT8": "u8",
        "UINT4": "u4",
        "UINT2": "u2",
        "BOOL": "bool",
    }.items()
}
# Those that are pinned by figures; all others are exact.
FLOATS = {"f32", "f64", "f16", "bf16"}

HEADER = """\
# The {cases} node test cases of {operators} operators whose tensors can be fed, from onnx {onnx}.
# Made by `python node_cases.py list`: of all that onnx.backend.test.case.node.collect_testcases
# gives ({all}, {expanded} of them expanded functions), the plain ones ({plain}) whose inputs and
# outputs are all tensors of numbers: no text, no sequences, no optional values. None may be
# dropped; node_cases_refused.txt names those that no run passes.
# A line: name; start of the SHA-256 of model, integers, booleans and floats of 8 bits or less;
# figure of the input floats; figure of the output floats.
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
        for tensor in self.inputs + self.outputs:
            digest.update(f"{tensor.name} {tensor.dtype} {tensor.dims}\n".encode())
            if tensor.dtype not in FLOATS:
                digest.update(tensor.bytes)
        return [digest.hexdigest()[:16], figure(self.inputs), figure(self.outputs)]


class Tensor:
    """An input or output: name, element type, dimensions, little-endian bytes, floats if any."""

    def __init__(self, case, value, array):
        declared = value.type.tensor_type
        shape = [dim.dim_value for dim in declared.shape.dim]
        self.name, self.dtype = value.name, DTYPES[declared.elem_type]
        if isinstance(array, onnx.TensorProto):
            array = onnx.numpy_helper.to_array(array)
        array = np.asarray(array)
        # Elements narrower than a byte are packed in it.
        proto = onnx.numpy_helper.from_array(array)
        found, self.dims, self.bytes = proto.data_type, list(array.shape), proto.raw_data
        if found != declared.elem_type or any(a != b for a, b in zip(shape, self.dims) if a):
            raise Refusal(f"{case}: {value.name} is not what the model declares")
        self.floats = array.astype(np.float64).ravel() if self.dtype in FLOATS else None


def named(case, declared, arrays):
    """The tensor of every input or output."""
    if len(declared) != len(arrays):
        raise Refusal(f"{case}: {len(arrays)} arrays for {len(declared)} names")
    return [Tensor(case, value, array) for value, array in zip(declared, arrays)]


def figure(tensors):
    """One number that changes with value, sign and order of the floats; "-" without floats.

    The mean of (x + 2|x|) (1 + i mod 7) over what is finite: every term is positive, so nothing
    cancels.
    """
    floats = [tensor.floats for tensor in tensors if tensor.floats is not None]
    x = np.concatenate(floats) if floats else np.zeros(0)
    x = x[np.isfinite(x)]
    if not floats:
        return "-"
    terms = (x + 2 * np.abs(x)) * (1 + np.arange(x.size) % 7)
    return f"{terms.sum() / max(x.size, 1):.7g}"


def collect():
    """Every case that onnx generates, from the pinned seed."""
    warnings.simplefilter("ignore")  # Some cases divide by zero on purpose.
    np.random.seed(SEED)
    # Importing the cases makes them.
    from onnx.backend.test.case.node import collect_testcases

    return collect_testcases(None)


def can_be_fed(case):
    """Whether all its inputs and outputs are tensors of numbers."""
    graph = case.model.graph
    types = [value.type for value in [*graph.input, *graph.output]]
    tensors = all(one.WhichOneof("value") == "tensor_type" for one in types)
    return tensors and all(one.tensor_type.elem_type in DTYPES for one in types)


def write_list():
    everything = collect()
    plain = [case for case in everything if "_expanded" not in case.name]
    chosen = [Case(case) for case in plain if can_be_fed(case)]
    operators = sorted({case.op for case in chosen})
    print(
        HEADER.format(
            cases=len(chosen),
            operators=len(operators),
            onnx=onnx.__version__,
            all=len(everything),
            expanded=len(everything) - len(plain),
            plain=len(plain),
        ),
        end="",
    )
    for operator in operators:
        print(f"\n{operator}")
        for case in chosen:
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

    def tensors(self, tensors):
        return [
            {
                "name": tensor.name,
                "dtype": tensor.dtype,
                "dims": tensor.dims,
                "range": self.add(tensor.bytes),
            }
            for tensor in tensors
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
