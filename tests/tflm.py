"""Runs what `arenascope plan --save-tflite` writes in TFLite Micro's own interpreter.

Usage: python tests/tflm.py ARENASCOPE FOLDER_OF_MODELS

Heads and totals of every model there is (FOLDER_OF_MODELS, the package's own, one of each
kernel) are what `arenascope plan --io tflm` says, or the kernel that it does not know is named.

The interpreter says how large its head is (where tensors lie, and the working memory of
operators) and how much it needs in all. What it needs beside the head of the original file is
its own: it must not change, and a file with a plan has to run in the promised arena plus that.
"""

import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import flatbuffers
import numpy as np
from tflite_micro.python.tflite_micro import runtime
from tflite_micro.tensorflow.lite.micro.python import schema_py_generated as schema

sys.path.append(str(Path(__file__).parent / "data"))
from quiet import Quiet  # noqa: E402
from tflm_kernels import kernels  # noqa: E402

NAME = "OfflineMemoryAllocation"
PLENTY = 16 << 20
# What this script makes of the documented example, and that with its plan.
SAMPLES = Path(__file__).parent / "data" / "plans" / "offline"
INT32 = schema.TensorType.INT32


class Net:
    """A model of one subgraph in the making; tensors are 1 x n floats unless said."""

    def __init__(self):
        self.graph = schema.SubGraphT()
        self.graph.tensors, self.graph.operators = [], []
        self.graph.inputs, self.graph.outputs, self.graph.name = [], [], "main"
        self.model = schema.ModelT()
        self.model.version, self.model.description = 3, "made by tests/tflm.py"
        self.model.operatorCodes, self.model.buffers = [], [schema.BufferT()]
        self.model.subgraphs = [self.graph]
        self.metadata("min_runtime_version", b"1.5.0\0")

    def metadata(self, name, data):
        entry = schema.MetadataT()
        entry.name, entry.buffer = name, self.buffer(data)
        self.model.metadata = (self.model.metadata or []) + [entry]

    def buffer(self, data):
        buffer = schema.BufferT()
        buffer.data = np.frombuffer(data, np.uint8)
        self.model.buffers.append(buffer)
        return len(self.model.buffers) - 1

    def tensor(self, name, shape, dtype=schema.TensorType.FLOAT32, data=None):
        tensor = schema.TensorT()
        tensor.name, tensor.shape, tensor.type = name, list(shape), dtype
        tensor.buffer = 0 if data is None else self.buffer(data.tobytes())
        self.graph.tensors.append(tensor)
        return len(self.graph.tensors) - 1

    def size(self, tensor):
        return self.graph.tensors[tensor].shape[1]

    def operator(self, kind, inputs, outputs, options=None):
        codes = self.model.operatorCodes
        builtin = getattr(schema.BuiltinOperator, kind)
        known = [index for index, code in enumerate(codes) if code.builtinCode == builtin]
        if not known:
            code = schema.OperatorCodeT()
            code.builtinCode, code.deprecatedBuiltinCode = builtin, min(builtin, 127)
            code.version = 1
            codes.append(code)
        operator = schema.OperatorT()
        operator.opcodeIndex = known[0] if known else len(codes) - 1
        operator.inputs, operator.outputs = inputs, outputs
        if options is not None:
            name = type(options).__name__[:-1]
            operator.builtinOptionsType = getattr(schema.BuiltinOptions, name)
            operator.builtinOptions = options
        self.graph.operators.append(operator)

    def input(self, name, size):
        self.graph.inputs.append(self.tensor(name, [1, size]))
        return self.graph.inputs[-1]

    def longer(self, of, size, name):
        made = self.tensor(name, [1, size])
        paddings = np.array([[0, 0], [0, size - self.size(of)]], np.int32)
        paddings = self.tensor(f"{name}/paddings", [2, 2], INT32, paddings)
        self.operator("PAD", [of, paddings], [made], schema.PadOptionsT())
        return made

    def shorter(self, of, size, name):
        made = self.tensor(name, [1, size])
        begin = self.tensor(f"{name}/begin", [2], INT32, np.array([0, 1], np.int32))
        sizes = self.tensor(f"{name}/size", [2], INT32, np.array([1, size], np.int32))
        self.operator("SLICE", [of, begin, sizes], [made], schema.SliceOptionsT())
        return made

    def sum(self, one, other, name):
        made = self.tensor(name, [1, self.size(one)])
        self.operator("ADD", [one, other], [made], schema.AddOptionsT())
        return made

    def joined(self, parts, name):
        made = self.tensor(name, [1, sum(map(self.size, parts))])
        options = schema.ConcatenationOptionsT()
        options.axis = 1
        self.operator("CONCATENATION", parts, [made], options)
        return made

    def bytes(self):
        builder = flatbuffers.Builder(1024)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def documented():
    """The nine buffers of the example in TFLite Micro's non_persistent_buffer_planner_shim.h,
    for which its greedy planner takes 1,012 of the units that are 16 bytes here, with operators
    between them that keep who lives with whom."""
    net, unit = Net(), 4
    a1, a2 = net.input("A1", 400 * unit), net.input("A2", 401 * unit)
    a3 = net.shorter(a2, 10 * unit, "A3")
    a4 = net.longer(a3, 201 * unit, "A4")
    a5 = net.longer(a3, 11 * unit, "A5")
    a6 = net.longer(a5, 202 * unit, "A6")
    a7 = net.shorter(a6, 12 * unit, "A7")
    a8 = net.longer(a7, 200 * unit, "A8")
    a9 = net.shorter(a8, 13 * unit, "A9")
    b1 = net.sum(a9, net.shorter(a4, 13 * unit, "B0"), "B1")
    b2 = net.sum(b1, net.shorter(a1, 13 * unit, "B2"), "B3")
    net.graph.outputs = [b2]
    return net


def arbitrary(seed):
    """A net of operators drawn by `seed`, with inputs and results that nobody reads."""
    draw, net = random.Random(seed), Net()
    there = [net.input(f"in{index}", draw.randint(400, 5000)) for index in range(draw.randint(1, 3))]
    for index in range(draw.randint(3, 14)):
        of, name = draw.choice(there[-5:]), f"t{index}"
        kind = draw.randrange(4)
        if kind == 0:
            there.append(net.longer(of, net.size(of) + draw.randint(1, 4000), name))
        elif kind == 1:
            there.append(net.shorter(of, draw.randint(300, net.size(of)), name))
        elif kind == 2:
            there.append(net.sum(of, of, name))
        else:
            there.append(net.joined([of, draw.choice(there)], name))
    made = [tensor for tensor in there if tensor not in net.graph.inputs]
    net.graph.outputs = sorted({made[-1], draw.choice(made)})
    if draw.random() < 0.3:
        net.tensor("left over", [1, draw.randint(1, 9000)])
    return net


def with_unused(sizes):
    """Tensors of so many floats that no operator reads or writes, beside a head of 10,496 bytes:
    inputs of 1,024 floats and what is made of them, 1,600."""
    net = Net()
    wide = net.longer(net.input("x", 1024), 1600, "wide")
    net.graph.outputs = [net.shorter(wide, 300, "y")]
    for index, size in enumerate(sizes):
        net.tensor(f"unused {index}", [1, size])
    return net


def unused(checks):
    """They share a time before the first operator, so that they lie beside each other alone."""
    draw = random.Random(7)
    drawn = [[draw.randint(1, 4000) for _ in range(draw.randint(1, 6))] for _ in range(12)]
    for sizes in [[100], [2624], [5001], [2000, 625], [3000, 1000, 7], *drawn]:
        data, name = with_unused(sizes).bytes(), f"unused {sizes}"
        head, promised, _, _ = checks.exported(name, data)
        each = [-(-size * 4 // 16) * 16 for size in sizes]
        checks.that(head == max(10496, sum(each)), f"{name}: head {head}")
        greedy = checks.arena(data, "tflm_greedy")
        checks.that(greedy == head, f"{name}: greedy {greedy}, head {head}")
        # A plan puts all of them at the start.
        checks.that(promised == max(10496, *each), f"{name}: promised {promised}")
        same(checks, name, data)


def with_variable():
    """A running sum in a resource variable, whose handle takes nothing of the arena."""
    net = Net()
    x = net.input("x", 400)
    handle = net.tensor("handle", [], schema.TensorType.RESOURCE)
    options = schema.VarHandleOptionsT()
    options.container, options.sharedName = "", "sum"
    net.operator("VAR_HANDLE", [], [handle], options)
    wide = net.longer(x, 600, "wide")
    net.operator("ASSIGN_VARIABLE", [handle, wide], [], schema.AssignVariableOptionsT())
    before = net.tensor("before", [1, 600])
    net.operator("READ_VARIABLE", [handle], [before], schema.ReadVariableOptionsT())
    net.graph.outputs = [net.sum(before, wide, "after")]
    return net


def with_working_memory():
    """A transposed convolution of bytes, which asks for a 32-bit accumulator per output."""
    net, byte = Net(), schema.TensorType.INT8

    def quantized(tensor):
        quantization = schema.QuantizationParametersT()
        quantization.scale = np.array([0.1], np.float32)
        quantization.zeroPoint = np.array([0], np.int64)
        net.graph.tensors[tensor].quantization = quantization
        return tensor

    x = quantized(net.tensor("x", [1, 8, 8, 64], byte))
    shape = net.tensor("shape", [4], INT32, np.array([1, 16, 16, 8], np.int32))
    weights = np.arange(8 * 2 * 2 * 64).astype(np.int8)
    weights = quantized(net.tensor("weights", [8, 2, 2, 64], byte, weights))
    y = quantized(net.tensor("y", [1, 16, 16, 8], byte))
    options = schema.TransposeConvOptionsT()
    options.padding, options.strideH, options.strideW = schema.Padding.VALID, 2, 2
    net.operator("TRANSPOSE_CONV", [shape, weights, x], [y], options)
    net.graph.inputs, net.graph.outputs = [x], [y]
    return net


def with_plan(data, offsets):
    """The model with a plan written by the interpreter's own schema."""
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(data, 0))
    model.metadata = [entry for entry in model.metadata or [] if entry.name != NAME.encode()]
    net = Net()
    net.model = model
    net.metadata(NAME, struct.pack(f"<{3 + len(offsets)}i", 0, 1, len(offsets), *offsets))
    return net.bytes()


def run(data, arena):
    """Outputs, head and total; RuntimeError when the arena is too small."""
    with Quiet() as quiet:
        interpreter = runtime.Interpreter.from_bytes(data, arena_size=arena)
        model = schema.Model.GetRootAsModel(data, 0).Subgraphs(0)
        numbers = np.random.default_rng(7)
        for index in range(model.InputsLength()):
            details = interpreter.get_input_details(index)
            values = numbers.standard_normal(details["shape"]).astype(details["dtype"])
            interpreter.set_input(values, index)
        interpreter.invoke()
        outputs = [interpreter.get_output(index) for index in range(model.OutputsLength())]
        interpreter.print_allocations()
    total, head = (
        int(re.search(rf"Arena allocation {what} (\d+) bytes", quiet.text)[1])
        for what in ("total", "head")
    )
    return outputs, head, total


def fits(data, arena):
    """Whether the model runs there. In an arena that has no room for its first tables the
    interpreter does not fail but crash, so that a child asks."""
    child = os.fork()
    if child == 0:
        with open(os.devnull, "w", encoding="ascii") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        try:
            run(data, arena)
        except RuntimeError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def least(data):
    """The smallest arena in which the model runs."""
    low, high = 0, PLENTY
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(data, middle) else (middle, high)
    return high


class Checks:
    def __init__(self, program):
        self.program, self.folder = program, tempfile.mkdtemp()
        self.passed = self.failed = 0

    def that(self, holds, what):
        self.passed += bool(holds)
        self.failed += not holds
        if not holds:
            print(f"FAILED: {what}")

    def arena(self, data, strategy, save=None):
        """The arena of one plan; the model that takes it home is returned too."""
        report, promised, out = self.report(data, strategy, save)
        if not save:
            return report["plans"][0]["arena"]
        with open(out, "rb") as file:
            return promised, file.read()

    def report(self, data, strategy, save=None):
        """What is said of one plan, what the model that takes it home promises, and where it is."""
        path = os.path.join(self.folder, "model.tflite")
        out = os.path.join(self.folder, "out.tflite")
        with open(path, "wb") as file:
            file.write(data)
        command = [self.program, "plan", path, "--io", "tflm", "--format", "json"]
        command += ["--strategy", strategy] + (["--save-tflite", out] if save else [])
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise AssertionError(f"{strategy}: {result.stderr}")
        promised = save and int(re.search(r"tensors in (\d+) bytes", result.stderr)[1])
        return json.loads(result.stdout), promised, out

    def exported(self, name, data):
        """The model with its best plan does the same in the promised arena, and not in less."""
        outputs, head, total = run(data, PLENTY)
        own = total - head
        promised, better = self.arena(data, "best", save=True)
        again, new_head, new_total = run(better, PLENTY)
        same = all(np.array_equal(*pair, equal_nan=True) for pair in zip(outputs, again))
        self.that(same and len(outputs) == len(again), f"{name}: the same outputs")
        self.that(new_head == promised, f"{name}: head {new_head}, promised {promised}")
        self.that(new_total - new_head == own, f"{name}: own {new_total - new_head}, was {own}")
        self.that(fits(better, promised + own), f"{name}: runs in {promised} + {own}")
        self.that(not fits(better, promised + own - 1024), f"{name}: 1 KiB less is too little")
        return head, promised, own, better


def kept(checks, before, after):
    """Nothing but the plan has changed, in the eyes of the interpreter's own schema."""
    one, other = (schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(it, 0)) for it in (before, after))
    checks.that(other.metadata[-1].name == NAME.encode(), "the plan is the last metadata")
    words = np.asarray(other.buffers[other.metadata[-1].buffer].data, np.uint8).view("<i4")
    tensors = len(one.subgraphs[0].tensors)
    checks.that(list(words[:3]) == [0, 1, tensors] and len(words) == 3 + tensors, "its shape")
    checks.that(len(other.buffers) == len(one.buffers) + 1, "one more buffer")
    other.metadata, other.buffers = other.metadata[:-1], other.buffers[:-1]
    packed = []
    for model in (one, other):
        builder = flatbuffers.Builder(1024)
        builder.Finish(model.Pack(builder), b"TFL3")
        packed.append(bytes(builder.Output()))
    checks.that(packed[0] == packed[1], "everything else is the same")


def same(checks, name, data):
    """Head and total are what is said of the model; the kernels of which nothing is known."""
    _, head, total = run(data, PLENTY)
    report, _, _ = checks.report(data, "tflm_greedy")
    plan, beside = report["plans"][0], report["beside"]
    greedy, tail, unknown = plan["arena"], beside["tail"], beside["unknown"]
    checks.that(greedy == head, f"{name}: greedy {greedy}, head {head} of {total}")
    of = total - head
    fits_in = tail <= of if unknown else tail == of
    checks.that(fits_in, f"{name}: tail {of}, modelled {tail}, not known {unknown}")
    more = plan["with_tail"] - head - tail
    if more > 0 and not unknown:
        # It needs more while it plans. The arena's own start is rounded up to 16.
        arena = plan["with_tail"]
        checks.that(fits(data, arena), f"{name}: runs in {arena}")
        checks.that(not fits(data, arena - 32), f"{name}: needs {arena}")
    return unknown


def heads(checks, models):
    """Every model that the interpreter runs: head and total are what is said of it."""
    own = Path(runtime.__file__).parent
    compared, refused, unknown = 0, [], set()
    for path in sorted([*Path(models).glob("*.tflite"), *own.rglob("*.tflite")]):
        try:
            unknown.update(same(checks, path.name, path.read_bytes()))
        except (RuntimeError, AttributeError, ValueError, TypeError) as error:
            refused.append(f"{path.name}: {str(error).splitlines()[0][:60] if str(error) else error!r}")
            continue
        compared += 1
    print(f"models: {compared} compared; the interpreter does not run {len(refused)}: {'; '.join(refused)}")
    checks.that(compared >= 5, f"only {compared} models compared")
    alone = 0
    for name, net in kernels(Net):
        unknown.update(same(checks, name, net.bytes()))
        alone += 1
    print(f"kernels: {alone} compared alone; what is not known of: {', '.join(sorted(unknown))}")


def main(program, models):
    checks = Checks(program)
    data = documented().bytes()
    head, promised, own, better = checks.exported("documented", data)
    checks.that(head == 1012 * 16, f"the documented 1,012 units of 16 bytes, not {head}")
    # A1, A4, A6 and A7 are live together: 400 + 201 + 202 + 12 units.
    checks.that(promised == 815 * 16, f"815 units of 16 bytes, not {promised}")
    kept(checks, data, better)
    for name, made in (("documented.tflite", data), ("documented.planned.tflite", better)):
        there = (SAMPLES / name).read_bytes()
        checks.that(there == made, f"{SAMPLES / name} is what is made here")
    smallest, smaller = least(data), least(better)
    saved = (1012 - 815) * 16
    checks.that(smallest - smaller == saved, f"{smallest} and {smaller} are {saved} apart")
    print(
        f"documented example: smallest arena {smallest:,} B, with the plan {smaller:,} B; "
        f"tensors {head:,} B and {promised:,} B, the interpreter's own {own:,} B"
    )
    data = with_variable().bytes()
    head, _, _, _ = checks.exported("variable", data)
    # 600 floats written, read and added up; the handle has none, as VAR_HANDLE keeps it itself.
    checks.that(head == 3 * 600 * 4, f"variable: head {head}")
    greedy = checks.arena(data, "tflm_greedy")
    checks.that(greedy == head, f"variable: greedy {greedy}, head {head}")
    data = with_working_memory().bytes()
    head, promised, _, _ = checks.exported("working memory", data)
    greedy = checks.arena(data, "tflm_greedy")
    checks.that(greedy == head, f"working memory: greedy {greedy}, head {head}")
    # 64 channels of 8 x 8 bytes and 8 of 16 x 16, and an accumulator of 4 bytes for each of the latter.
    checks.that(promised == 8 * 8 * 64 + 16 * 16 * 8 * 5, f"working memory: {promised} B")
    unused(checks)
    heads(checks, models)
    saving, most = 0, 0.0
    for seed in range(40):
        net, draw = arbitrary(seed), random.Random(seed)
        data = net.bytes()
        head, promised, own, better = checks.exported(f"net {seed}", data)
        read = {index for operator in net.graph.operators for index in operator.inputs}
        # An input that nobody reads shares the interpreter's step before the first operator
        # with the other inputs alone; a plan of ours keeps it until the first has run.
        if read.issuperset(net.graph.inputs):
            greedy = checks.arena(data, "tflm_greedy")
            checks.that(greedy == head, f"net {seed}: greedy {greedy}, head {head}")
            checks.that(promised <= head, f"net {seed}: {promised} is no more than {head}")
        saving += promised < head
        most = max(most, 1 - promised / head)
        # Some of the offsets are taken out again: the interpreter places the rest around them.
        model = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(better, 0))
        words = model.buffers[model.metadata[-1].buffer].data
        offsets = np.asarray(words, np.uint8).view("<i4")[3:].tolist()
        partly = [it if it >= 0 and draw.random() < 0.6 else -1 for it in offsets]
        if any(it >= 0 for it in partly):
            data = with_plan(data, partly)
            shown, (_, head, _) = checks.arena(data, "deployed"), run(data, PLENTY)
            checks.that(shown == head, f"net {seed}: {shown} shown, head {head}")
    print(f"{saving} of 40 arbitrary nets need less than with the interpreter's plan, {most:.1%} at most")
    for name in ("hand_recrop.tflite", "iris_landmark.tflite"):
        with open(os.path.join(models, name), "rb") as file:
            data = file.read()
        head, promised, own, _ = checks.exported(name, data)
        greedy = checks.arena(data, "tflm_greedy")
        checks.that(greedy == head, f"{name}: greedy {greedy}, head {head}")
        print(f"{name}: tensors {head:,} B and {promised:,} B, the interpreter's own {own:,} B")
    print(f"  {checks.passed} passed\n  {checks.failed} failed")
    return checks.failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
