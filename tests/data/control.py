"""Models with control flow, and what others compute: of ONNX's If, Loop and Scan ONNX Runtime, of
TFLite's IF and WHILE LiteRT's reference kernels.

Usage: python3 control.py FIXTURES OUT (FIXTURES has two models of silero-vad)
Needs the packages of requirements.txt. Elements are arbitrary, from a fixed seed.
OUT/control.json is a list of cases: `name`, `model` (a file), `inputs` and `outputs` (elements as
little-endian bytes in the order of the model's), all in hexadecimal, and the outputs' `types`.
"""

import json
import os
import sys

import flatbuffers
import numpy
import onnx
import onnxruntime
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

random = numpy.random.default_rng(29)
NAMES = {"float32": "f32", "int32": "i32", "int64": "i64", "bool": "bool"}

# A branch each of an If, as attributes.
IF = "then_branch = t () => ({0}) {{ {1} }}, else_branch = e () => ({2}) {{ {3} }}"
PLAIN = IF.format("float[2,3] a", "a = Neg(x)", "float[2,3] b", "b = Exp(x)")
CHOICE = f"y = If (c) <{PLAIN}>"
LOOP = "body = b (int64 i, bool go, {0}) => (bool on, {1}) {{ {2} }}"
TURN = LOOP.format("float[3] s", "float[3] n, float[3] p", "on = Identity(go) n = Add(s, x) p = Mul(n, x)")
SCAN = "body = b (float[2] s, float[2] r) => (float[2] n, float[2] p) { n = Add(s, r) p = Mul(n, r) }"

FUNCTIONS = """
<domain: "own", opset_import: ["" : 17]> scaled <scale: float = 3.0> (x, bias) => (y) {
  s = Constant<value_float: float = @scale>() t = Mul(x, s) y = Neg(t)
}
<domain: "own", opset_import: ["" : 17, "own" : 1]> twice <scale> (x, w) => (y) {
  u = own.scaled<scale: float = @scale>(x, w) v = own.scaled(u, w) y = Add(v, w)
}
"""

# Name, opset, header, body; what is fed where the header's inputs are not arbitrary; functions.
ONNX = [
    # The condition is known: one branch is left.
    ("If", 17, "(float[2,3] x) => (float[2,3] y) <bool c = {1}>", CHOICE),
    ("If", 17, "(float[2,3] x) => (float[2,3] y) <bool c = {0}>", CHOICE),
    # It is computed.
    *[("If", 17, "(float[2,3] x, bool c) => (float[2,3] y)", CHOICE, dict(c=value)) for value in (True, False)],
    *[
        (
            "If", 17, "(float[2,3] x, bool[1] c) => (float y, int64[2] z, bool[2] q, float[2,3] w)",
            "n = Neg(x) y, z, q, w = If (c) <"
            + IF.format(
                "float a, int64[2] d, bool[2] f, float[2,3] g",
                "a = ReduceMax<keepdims = 0>(x) d = Constant<value_ints = [3, 4]>() o = Constant<value_ints = [3, 5]>()"
                " f = Equal(d, o) g = Identity(n)",
                "float b, int64[2] h, bool[2] k, float[2,3] m",
                "b = ReduceMin<keepdims = 0>(x) h = Shape(n) v = Constant<value_ints = [1, 3]>() k = Equal(h, v)"
                " m = Sqrt(x)",
            ) + ">",
            dict(c=numpy.array([value])),
        )
        for value in (True, False)
    ],
    # A condition on values of the run, one that shapes decide, and both within one another.
    *[
        ("If", 17, "(float[2,3] x) => (float[2,3] y) <float zero = {0}>",
         "m = ReduceSum<keepdims = 0>(x) c = Greater(m, zero) " + CHOICE, dict(x=sign * numpy.ones([2, 3], "float32")))
        for sign in (1, -1)
    ],
    ("If", 17, "(float[1,3] x) => (float[3] y) <int64 one = {1}>",
     "s = Shape<start = 0, end = 1>(x) c = Equal(s, one) y = If (c) <" + IF.format(
         "float[k] a", "z = Constant<value_ints = [0]>() a = Squeeze(x, z)", "float[k] b", "b = Identity(x)") + ">"),
    *[
        (
            "If", 17, "(float[2,3] x, bool c, bool d) => (float[2,3] y) <float[3] w = {1, 2, 3}>",
            "u = Mul(x, w) y = If (c) <" + IF.format(
                "float[2,3] a",
                "v = Add(u, w) a = If (d) <" + IF.format(
                    "float[2,3] a1", "a1 = Sub(v, w)", "float[2,3] a2", "v2 = Mul(v, u) a2 = Sub(v2, x)") + ">",
                "float[2,3] b", "v = Neg(u) b = Add(v, w)") + ">",
            dict(c=numpy.bool_(at & 1), d=numpy.bool_(at >> 1)),
        )
        for at in range(4)
    ],
    # Turns that are counted; results that pile up; numbers of turns; conditions that are known.
    ("Loop", 17, "(float[3] x) => (float[3] y, float[k,3] z) <int64 m = {4}, bool go = {1}>",
     f"y, z = Loop (m, go, x) <{TURN}>"),
    ("Loop", 17, "(float[3] x) => (float[3] y, float[k,3] z) <int64 m = {1}>", f"y, z = Loop (m, , x) <{TURN}>"),
    ("Loop", 17, "(float[3] x) => (float[3] y) <int64 m = {0}, bool go = {1}>",
     "y = Loop (m, go, x) <" + LOOP.format("float[3] s", "float[3] n", "on = Identity(go) n = Neg(s)") + ">"),
    ("Loop", 17, "(float[5] x) => (float[5] y, int64[k] z)",
     "m = Size(x) f = Cast<to = 1>(m) y, z = Loop (m, , x) <"
     + LOOP.format("float[5] s", "float[5] n, int64 p",
                   "on = Identity(go) f2 = Cast<to = 1>(i) g = Div(f2, f) n = Add(s, g) p = Mul(i, i)") + ">"),
    ("Loop", 17, "(float[3] x) => (float[3] y, int64 j, float[k] z) <int64 zero = {0}, bool go = {1}>",
     "y, j, z = Loop ( , go, x, zero) <"
     + LOOP.format("float[3] s, int64 j0", "float[3] n, int64 j1, float p",
                   "two = Constant<value_int = 2>() six = Constant<value_int = 6>() j1 = Add(j0, two) on = Less(j1, six)"
                   " n = Mul(s, x) p = ReduceSum<keepdims = 0>(n)") + ">"),
    # What is carried changes places, or comes out as it went in.
    ("Loop", 17, "(float[3] x, float[3] w) => (float[3] y, float[3] z, float[3] same) <int64 m = {3}>",
     "y, z, same = Loop (m, , x, w, x) <"
     + LOOP.format("float[3] s, float[3] t, float[3] k", "float[3] t, float[3] n, float[3] k",
                   "on = Identity(go) n = Sub(s, k)") + ">"),
    # What is carried grows.
    ("Loop", 17, "(float[3] x) => (float[n] y) <int64 m = {3}>",
     "y = Loop (m, , x) <"
     + LOOP.format("float[k] s", "float[l] n", "on = Identity(go) t = Neg(s) n = Concat<axis = 0>(t, x)") + ">"),
    # One within another.
    ("Loop", 17, "(float[3] x) => (float[3] y, float[2,3,3] z) <int64 m = {2}, float[3] w = {1, 2, 3}>",
     "y, z = Loop (m, , x) <"
     + LOOP.format("float[3] s", "float[3] n, float[3,3] q",
                   "on = Identity(go) three = Constant<value_int = 3>() v = Add(s, w) n, q = Loop (three, , v) <"
                   + "body = inner (int64 i2, bool go2, float[3] s2) => (bool on2, float[3] n2, float[3] p2)"
                   " { on2 = Identity(go2) f = Cast<to = 1>(i) f2 = Cast<to = 1>(i2) g = Add(f, f2) n2 = Mul(s2, w)"
                   " p2 = Add(n2, g) }>") + ">"),
    *[
        ("Loop", 17, "(float[3] x, bool c) => (float[3] y) <int64 m = {3}>",
         "y = If (c) <" + IF.format(
             "float[3] a", "a = Loop (m, , x) <" + LOOP.format(
                 "float[3] s", "float[3] n", "on = Identity(go) n = Mul(s, x)") + ">",
             "float[3] b", "b = Neg(x)") + ">", dict(c=value))
        for value in (True, False)
    ],
    ("Loop", 17, "(float[3] x) => (float[3] y) <int64 m = {4}, float half = {0.5}>",
     "y = Loop (m, , x) <" + LOOP.format(
         "float[3] s", "float[3] n", "on = Identity(go) t = ReduceSum<keepdims = 0>(s) c = Greater(t, half) n = If (c) <"
         + IF.format("float[3] a", "a = Sub(s, half)", "float[3] b", "b = Add(s, half)") + ">") + ">"),
    ("Scan", 17, "(float[2] i, float[4,2] x) => (float[2] y, float[4,2] z)", f"y, z = Scan<num_scan_inputs = 1, {SCAN}>(i, x)"),
    ("Scan", 17, "(float[2] i, float[4,2] x) => (float[2] y, float[4,2] z)",
     f"y, z = Scan<num_scan_inputs = 1, scan_input_directions = [1], {SCAN}>(i, x)"),
    ("Scan", 17, "(float[2] i, float[2,5] x) => (float[2] y, float[2,5] z)",
     "y, z = Scan<num_scan_inputs = 1, scan_input_axes = [1], scan_output_axes = [-1], scan_input_directions = [1],"
     f" scan_output_directions = [1], {SCAN}>(i, x)"),
    ("Scan", 17, "(float[3] h, float[2] w, float[4,3] x, float[3,4] v) => (float[3] y, float[2] z, float[3,4] p, float[4] q)",
     "y, z, p, q = Scan<num_scan_inputs = 2, scan_input_axes = [0, 1], scan_output_axes = [1, 0],"
     " body = b (float[3] a, float[2] k, float[3] r, float[3] t) => (float[3] n, float[2] k2, float[3] o, float s)"
     " { u = Mul(r, t) m = Add(a, u) n = Tanh(m) k2 = Neg(k) o = Sub(n, r) s = ReduceSum<keepdims = 0>(n) }>(h, w, x, v)"),
    ("Scan", 8, "(float[3,2] i, float[3,4,2] x) => (float[3,2] y, float[3,4,2] z)",
     f"y, z = Scan<num_scan_inputs = 1, {SCAN}>( , i, x)"),
    # Functions of the model: one calls the other, with attributes and without.
    ("Function", 17, "(float[2,3] x, float[3] w) => (float[2,3] y, float[2,3] z)",
     "y = own.twice<scale = 0.5>(x, w) z = own.scaled(y)", {}, FUNCTIONS),
]

FEEDS = {onnx.TensorProto.FLOAT: "float32", onnx.TensorProto.BOOL: "bool"}


def onnx_case(name, opset, header, body, fed=None, functions=""):
    own = ', "own" : 1' if functions else ""
    text = f'<ir_version: 8, opset_import: ["" : {opset}{own}]> graph {header} {{ {body} }} {functions}'
    model = onnx.parser.parse_model(text)
    feeds = {}
    for value in model.graph.input:
        dims = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        one = (fed or {}).get(value.name)
        dtype = FEEDS[value.type.tensor_type.elem_type]
        feeds[value.name] = random.normal(0, 1, dims).astype(dtype) if one is None else numpy.asarray(one, dtype)
    content = model.SerializeToString(deterministic=True)
    return case(name, content, feeds.values(), run(content, feeds))


def run(content, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def silero(fixtures, file, rate, known):
    """A model with a branch for each of two sampling rates, and many Ifs in them. `known`: the rate
    is a constant of the model that we run."""
    with open(os.path.join(fixtures, file), "rb") as opened:
        content = opened.read()
    feeds = {
        "input": random.normal(0, 0.1, [1, 9 * rate // 250]).astype("float32"),
        "state": random.normal(0, 0.3, [2, 1, 128]).astype("float32"),
        "sr": numpy.array(rate, "int64"),
    }
    found = run(content, feeds)
    model = onnx.load_from_string(content)
    for value in list(model.graph.input):
        if known and value.name == "sr":
            model.graph.input.remove(value)
            model.graph.initializer.append(onnx.numpy_helper.from_array(feeds["sr"], "sr"))
        for dim, size in zip(value.type.tensor_type.shape.dim, feeds[value.name].shape):
            dim.dim_value = size
    inputs = [feeds[value.name] for value in model.graph.input]
    return case(file, model.SerializeToString(deterministic=True), inputs, found)


def case(name, content, inputs, outputs):
    return {
        "name": name,
        "model": content.hex(),
        "inputs": [array.tobytes().hex() for array in inputs],
        "outputs": [array.tobytes().hex() for array in outputs],
        "types": [NAMES[str(array.dtype)] for array in outputs],
    }


class Lite:
    """A TFLite model in the making, with the subgraphs that are added to it."""

    def __init__(self):
        self.model = schema.ModelT()
        self.model.version, self.model.operatorCodes, self.model.subgraphs = 3, [], []
        self.model.buffers = [schema.BufferT()]

    def graph(self):
        graph = schema.SubGraphT()
        graph.tensors, graph.operators, graph.name = [], [], f"g{len(self.model.subgraphs)}"
        self.model.subgraphs.append(graph)
        return graph

    def tensor(self, graph, dims, dtype="FLOAT32", data=None):
        made = schema.TensorT()
        made.shape, made.type, made.buffer = list(dims), getattr(schema.TensorType, dtype), 0
        made.name = f"{graph.name}.t{len(graph.tensors)}"
        if data is not None:
            made.buffer = len(self.model.buffers)
            held = schema.BufferT()
            held.data = numpy.frombuffer(numpy.asarray(data).tobytes(), numpy.uint8)
            self.model.buffers.append(held)
        graph.tensors.append(made)
        return len(graph.tensors) - 1

    def op(self, graph, builtin, inputs, outputs, kind=None, **values):
        number = getattr(schema.BuiltinOperator, builtin)
        known = [code.builtinCode for code in self.model.operatorCodes]
        if number not in known:
            code = schema.OperatorCodeT()
            code.builtinCode, code.deprecatedBuiltinCode, code.version = number, min(number, 127), 1
            self.model.operatorCodes.append(code)
        op = schema.OperatorT()
        op.opcodeIndex = [code.builtinCode for code in self.model.operatorCodes].index(number)
        op.inputs, op.outputs = inputs, outputs
        if kind:
            op.builtinOptionsType = getattr(schema.BuiltinOptions, f"{kind}Options")
            op.builtinOptions = getattr(schema, f"{kind}OptionsT")()
            for name, value in values.items():
                assert hasattr(op.builtinOptions, name), name
                setattr(op.builtinOptions, name, value)
        graph.operators.append(op)

    def case(self, name, inputs):
        builder = flatbuffers.Builder()
        builder.Finish(self.model.Pack(builder), b"TFL3")
        content = bytes(builder.Output())
        reference = OpResolverType.BUILTIN_REF
        interpreter = Interpreter(model_content=content, experimental_op_resolver_type=reference, num_threads=1)
        interpreter.allocate_tensors()
        main = self.model.subgraphs[0]
        for at, array in zip(main.inputs, inputs):
            interpreter.set_tensor(at, array)
        interpreter.invoke()
        return case(name, content, inputs, [interpreter.get_tensor(at) for at in main.outputs])


def unary(lite, builtin, dims):
    """A subgraph of one operator."""
    graph = lite.graph()
    x, y = lite.tensor(graph, dims), lite.tensor(graph, dims)
    graph.inputs, graph.outputs = [x], [y]
    lite.op(graph, builtin, [x], [y])


def lite_while(limit, start=0, swap=False):
    """i counts to `limit`; x is added to y in every turn, or x and y change places."""
    lite = Lite()
    main, asked, body = lite.graph(), lite.graph(), lite.graph()
    i = lite.tensor(main, [], "INT32", numpy.int32(start))
    x, y = lite.tensor(main, [2, 3]), lite.tensor(main, [2, 3])
    ends = [lite.tensor(main, [], "INT32"), lite.tensor(main, [2, 3]), lite.tensor(main, [2, 3])]
    main.inputs, main.outputs = [x, y], ends[1:]
    lite.op(main, "WHILE", [i, x, y], ends, "While", condSubgraphIndex=1, bodySubgraphIndex=2)
    carried = [lite.tensor(asked, [], "INT32"), lite.tensor(asked, [2, 3]), lite.tensor(asked, [2, 3])]
    most, less = lite.tensor(asked, [], "INT32", numpy.int32(limit)), lite.tensor(asked, [], "BOOL")
    asked.inputs, asked.outputs = carried, [less]
    lite.op(asked, "LESS", [carried[0], most], [less], "Less")
    carried = [lite.tensor(body, [], "INT32"), lite.tensor(body, [2, 3]), lite.tensor(body, [2, 3])]
    one, after = lite.tensor(body, [], "INT32", numpy.int32(1)), lite.tensor(body, [], "INT32")
    total = lite.tensor(body, [2, 3])
    weight, scaled = lite.tensor(body, [3], data=numpy.float32([1, -2, 0.5])), lite.tensor(body, [2, 3])
    lite.op(body, "ADD", [carried[0], one], [after], "Add")
    lite.op(body, "MUL", [carried[1], weight], [scaled], "Mul")
    lite.op(body, "ADD", [scaled, carried[2]], [total], "Add")
    body.inputs, body.outputs = carried, [after, carried[2] if swap else scaled, total]
    return lite.case("WHILE", [random.normal(0, 1, [2, 3]).astype("float32") for _ in range(2)])


def lite_if(value):
    lite = Lite()
    main = lite.graph()
    c, x, y = lite.tensor(main, [], "BOOL"), lite.tensor(main, [2, 3]), lite.tensor(main, [2, 3])
    main.inputs, main.outputs = [c, x], [y]
    lite.op(main, "IF", [c, x], [y], "If", thenSubgraphIndex=1, elseSubgraphIndex=2)
    unary(lite, "NEG", [2, 3])
    unary(lite, "EXP", [2, 3])
    return lite.case("IF", [numpy.bool_(value), random.normal(0, 1, [2, 3]).astype("float32")])


if __name__ == "__main__":
    made = [onnx_case(*one) for one in ONNX]
    made += [lite_while(4), lite_while(3, swap=True), lite_while(2, start=2), lite_if(True), lite_if(False)]
    made += [silero(sys.argv[1], "silero_vad.onnx", rate, True) for rate in (16000, 8000)]
    made += [silero(sys.argv[1], "silero_vad_op18_ifless.onnx", rate, False) for rate in (16000, 8000)]
    with open(os.path.join(sys.argv[2], "control.json"), "w") as out:
        json.dump(made, out)
    print(f"{len(made)} cases of control flow", file=sys.stderr)
