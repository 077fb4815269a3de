"""Where LiteRT puts every tensor of the TFLite fixtures, read from the addresses after allocation.

Usage: python3 litert_arenas.py ../.cache/fixtures > litert_arenas.json
Needs the packages of requirements.txt. Reference kernels, no delegate, one thread. A row per
tensor of the arena: [tensor, bytes, first, last, before, offset]. first and last are the operators
that it lives between, both included, counted over those that compute anything from an input;
before is the tensor that it is written over in place, or -1. The first input is the first byte:
LiteRT places what lives for the whole run first. Tensors that the model does not have are what a
kernel asked for. Models with sparse weights are left out: LiteRT unpacks these into the arena.
"""

import glob
import json
import os
import sys

from ai_edge_litert import __version__ as version
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

NOTE = (
    f"Addresses of LiteRT {version} (litert_arenas.py beside this file): reference kernels, no "
    "delegate. Rows: [tensor, bytes, first operator, last operator, tensor that it is written "
    "over or -1, offset]."
)
IN_PLACE = {"ADD": 2, "SUB": 2, "MUL": 2, "DIV": 2, "SOFTMAX": 1}
VIEWS = {"RESHAPE", "SQUEEZE", "EXPAND_DIMS", "BITCAST"}
NAMES = {code: name for name, code in vars(schema.BuiltinOperator).items() if isinstance(code, int)}


class Arena:
    """A model with LiteRT's addresses."""

    def __init__(self, content):
        self.model = schema.ModelT.InitFromPackedBuf(content, 0)
        self.graph = self.model.subgraphs[0]
        self.interpreter = Interpreter(
            model_content=content,
            experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
            num_threads=1,
        )
        self.interpreter.allocate_tensors()
        data = [self.model.buffers[tensor.buffer].data for tensor in self.graph.tensors]
        constant = {i for i, bytes_of in enumerate(data) if bytes_of is not None}
        self.steps = []
        for op in self.graph.operators:
            if all(i in constant or i == -1 for i in op.inputs):
                constant.update(op.outputs)
            else:
                self.steps.append(op)

    def place(self, index):
        tensor = self.interpreter.tensor(index)()
        return tensor.__array_interface__["data"][0], tensor.nbytes

    def kind(self, op):
        code = self.model.operatorCodes[op.opcodeIndex]
        return NAMES[max(code.builtinCode, code.deprecatedBuiltinCode)]

    def spans(self):
        """First and last step of the inputs and of what is written; what is never freed lives
        to the end."""
        end = len(self.steps) - 1
        spans = {int(i): [0, end] for i in self.graph.inputs}
        for step, op in enumerate(self.steps):
            spans.update({int(i): [step, end] for i in op.outputs})
        readers = self.readers()
        kept = {*self.graph.inputs, *self.graph.outputs}
        for i, span in spans.items():
            if i not in kept and readers.get(i):
                span[1] = max(readers[i])
        return spans

    def readers(self):
        """The steps that read each tensor, one for each time that they do."""
        readers = {}
        for step, op in enumerate(self.steps):
            for i in op.inputs:
                readers.setdefault(int(i), []).append(step)
        return readers

    def befores(self, spans):
        """What is written over what."""
        readers, befores = self.readers(), {}
        ends = {*self.graph.inputs, *self.graph.outputs}
        for op in self.steps:
            view = self.kind(op) in VIEWS
            count = 1 if view else IN_PLACE.get(self.kind(op), 0)
            written = int(op.outputs[0])
            size = self.place(written)[1]
            for i in map(int, op.inputs[:count]):
                apart = i not in spans or ends & {i, written} or len(readers[i]) > 1
                if not apart and self.place(i)[1] == size and (view or size > 4):
                    befores[written] = i
                    break
        return befores

    def scratch(self):
        """The step of each tensor that a kernel asked for: three for each reduction, its index,
        its axes and its sums."""
        added = [detail["index"] for detail in self.interpreter.get_tensor_details()]
        added = [int(i) for i in added if i >= len(self.graph.tensors)]
        reductions = [step for step, op in enumerate(self.steps) if self.kind(op) == "MEAN"]
        assert len(added) == 3 * len(reductions), (added, reductions)
        return {i: [reductions[at // 3]] * 2 for at, i in enumerate(added)}

    def rows(self):
        spans = self.spans()
        befores, scratch = self.befores(spans), self.scratch()
        base = self.place(self.graph.inputs[0])[0]
        rows = []
        for i, (first, last) in {**spans, **scratch}.items():
            address, size = self.place(i)
            rows.append([i, size, first, last, befores.get(i, -1), address - base])
        # What a kernel asks for can be as large as what its operator writes: LiteRT's unstable
        # sort decides who is placed first, which is the lower one.
        asked = {first for first, _ in scratch.values()}
        return sorted(rows, key=lambda row: (row[2], row[5] if row[2] in asked else 0, row[0]))


def main(folder):
    lines = []
    for path in sorted(glob.glob(os.path.join(folder, "*.tflite"))):
        with open(path, "rb") as file:
            content = file.read()
        try:
            arena = Arena(content)
        except RuntimeError as error:
            # Custom operators, which only their makers' runtime has.
            print(f"{path}: {error}", file=sys.stderr)
            continue
        if any(tensor.sparsity for tensor in arena.graph.tensors):
            print(f"{path}: sparse weights", file=sys.stderr)
            continue
        rows = json.dumps(arena.rows(), separators=(",", ":"))
        lines.append(f"{json.dumps(os.path.basename(path))}: {rows}")
    print(f'{{"note": {json.dumps(NOTE)}, "files": {{')
    print(",\n".join(lines))
    print("}}")


if __name__ == "__main__":
    main(*sys.argv[1:])
