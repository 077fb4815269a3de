"""Recurrent layers of arbitrary shapes and options, and what others compute: of ONNX's operators
ONNX Runtime, of TFLite's builtins LiteRT's reference kernels.

Usage: python3 recurrent.py FIXTURES OUT (FIXTURES is not used)
Needs the packages of requirements.txt. Shapes, options and elements are arbitrary, from a fixed
seed. OUT/recurrent.json is a list of cases: `name`, `model` (a file), `inputs` and `outputs`
(elements as little-endian bytes in the order of the model's), all in hexadecimal; `later` lists
the inputs and outputs of runs that go on with the state of the one before.
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

from models import dynamic_range

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
FUNCTIONS = ["Relu", "Tanh", "Sigmoid", "Affine", "LeakyRelu", "ThresholdedRelu", "HardSigmoid", "Elu", "Softsign",
             "Softplus"]
# Those that take a first parameter, and a second one.
FIRST = {"Affine", "LeakyRelu", "ThresholdedRelu", "HardSigmoid", "Elu"}
SECOND = {"Affine", "HardSigmoid"}
random = numpy.random.default_rng(23)


def whole(low, high):
    return int(random.integers(low, high + 1))


def pick(list_of):
    return list_of[whole(0, len(list_of) - 1)]


def maybe():
    return whole(0, 1) == 1


def floats(shape, scale=1.0):
    return random.normal(0, scale, shape).astype("float32")


def run(node, inputs, constants, opset=17):
    """The node as a model, fed with `inputs`, with `constants` in it."""
    given = [
        onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in inputs.items()
    ]
    held = [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()]
    made = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in node.output if name]
    graph = onnx.helper.make_graph([node], node.op_type, given, made, held)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)], ir_version=9)
    content = model.SerializeToString(deterministic=True)
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    found = session.run(None, inputs)
    return {
        "name": node.op_type,
        "model": content.hex(),
        "inputs": [array.tobytes().hex() for array in inputs.values()],
        "outputs": [array.tobytes().hex() for array in found],
    }


def activations(kind, directions):
    """Functions for every gate of every direction, with the parameters that they take."""
    names = [pick(FUNCTIONS) for _ in range(directions * min(GATES[kind], 3 if kind == "LSTM" else 2))]
    alphas = [0.1 + 0.4 * random.random() for name in names if name in FIRST]
    betas = [0.1 + 0.4 * random.random() for name in names if name in SECOND]
    found = dict(activations=names)
    if alphas:
        found["activation_alpha"] = alphas
    if betas:
        found["activation_beta"] = betas
    return found


def layer(kind, units, size, steps, batch, plain=False):
    direction = "forward" if plain else pick(["forward", "reverse", "bidirectional"])
    directions, gates = 2 if direction == "bidirectional" else 1, GATES[kind]
    names = ["x", "w", "r"]
    inputs = {"x": floats([steps, batch, size])}
    constants = {
        "w": floats([directions, gates * units, size], size**-0.5),
        "r": floats([directions, gates * units, units], 0.8 * units**-0.5),
    }
    options = dict(hidden_size=units, direction=direction)

    def another(name, array, held):
        names.append(name if array is not None else "")
        if array is not None:
            (constants if held else inputs)[name] = array

    another("b", floats([directions, 2 * gates * units], 0.3) if plain or maybe() else None, True)
    lengths = random.integers(0, steps + 1, [batch]).astype("int32")
    another("lengths", lengths if not plain and maybe() else None, maybe())
    another("h", floats([directions, batch, units]) if maybe() else None, False)
    if kind == "LSTM":
        another("c", floats([directions, batch, units]) if maybe() else None, False)
        another("p", floats([directions, 3 * units], 0.3) if not plain and maybe() else None, True)
        if not plain and maybe():
            options["input_forget"] = 1
    if kind == "GRU":
        options["linear_before_reset"] = whole(0, 1)
    if not plain and maybe():
        options["clip"] = 0.4
    if not plain and maybe():
        options.update(activations(kind, directions))
    while names[-1] == "":
        names.pop()
    outputs = ["y", "last"] + (["memory"] if kind == "LSTM" else [])
    kept = [name if plain or maybe() else "" for name in outputs]
    if not any(kept):
        kept[-1] = outputs[-1]
    while kept[-1] == "":
        kept.pop()
    return run(onnx.helper.make_node(kind, names, kept, **options), inputs, constants)


def arbitrary(index):
    while True:
        made = layer(pick(["RNN", "GRU", "LSTM", "LSTM"]), whole(1, 40), whole(1, 20), whole(1, 12), whole(1, 4))
        # Some functions have no bound, and a state may grow beyond all.
        results = [numpy.frombuffer(bytes.fromhex(array), "float32") for array in made["outputs"]]
        if all(numpy.abs(result).max() < 1e4 for result in results):
            return made


def large(index):
    kind = ["RNN", "GRU", "LSTM"][index % 3]
    return layer(kind, [64, 300, 512][index // 3], [32, 40, 16][index // 3], [40, 12, 6][index // 3], 1 + index % 2, True)


def tflite(builtin, x, inputs, shape, kind, **values):
    """A builtin fed with x, of which `inputs` are constants, None, or shapes of what it keeps."""
    model, graph, op = schema.ModelT(), schema.SubGraphT(), schema.OperatorT()
    model.version = 3
    code = schema.OperatorCodeT()
    code.builtinCode = getattr(schema.BuiltinOperator, builtin)
    code.deprecatedBuiltinCode, code.version = code.builtinCode, 1
    model.operatorCodes, model.subgraphs, model.buffers = [code], [graph], [schema.BufferT()]
    graph.tensors, graph.operators, op.inputs = [], [op], []

    def tensor(dims, data=None, kept=False):
        made = schema.TensorT()
        made.shape, made.type, made.isVariable = list(dims), schema.TensorType.FLOAT32, kept
        made.name, made.buffer = f"t{len(graph.tensors)}", 0
        if data is not None:
            made.buffer = len(model.buffers)
            held = schema.BufferT()
            held.data = numpy.frombuffer(data.tobytes(), numpy.uint8)
            model.buffers.append(held)
        graph.tensors.append(made)
        return len(graph.tensors) - 1

    op.inputs.append(tensor(x.shape))
    for one in inputs:
        if one is None:
            op.inputs.append(-1)
        elif isinstance(one, list):
            op.inputs.append(tensor(one, kept=True))
        else:
            op.inputs.append(tensor(one.shape, one))
    op.outputs = [tensor(shape)]
    graph.inputs, graph.outputs = op.inputs[:1], op.outputs
    op.builtinOptionsType = getattr(schema.BuiltinOptions, f"{kind}Options")
    op.builtinOptions = getattr(schema, f"{kind}OptionsT")()
    for name, value in values.items():
        assert hasattr(op.builtinOptions, name), name
        setattr(op.builtinOptions, name, value)
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    content = bytes(builder.Output())
    interpreter = Interpreter(
        model_content=content, experimental_op_resolver_type=OpResolverType.BUILTIN_REF, num_threads=1
    )
    interpreter.allocate_tensors()
    runs = []
    # What it keeps is carried on from one to the other.
    for x in [x, floats(x.shape)]:
        interpreter.set_tensor(graph.inputs[0], x)
        interpreter.invoke()
        found = interpreter.get_tensor(graph.outputs[0])
        runs.append({"inputs": [x.tobytes().hex()], "outputs": [found.tobytes().hex()]})
    return {"name": builtin, "model": content.hex(), **runs[0], "later": runs[1:]}


ACTIVATIONS = [
    schema.ActivationFunctionType.NONE,
    schema.ActivationFunctionType.RELU,
    schema.ActivationFunctionType.RELU6,
    schema.ActivationFunctionType.TANH,
]


def sequence_rnn(index):
    units, size, first, second, major = whole(1, 20), whole(1, 20), whole(1, 6), whole(1, 6), maybe()
    inputs = [
        floats([units, size], size**-0.5), floats([units, units], 0.5 * units**-0.5), floats([units], 0.3),
        [second if major else first, units],
    ]
    opts = dict(timeMajor=major, fusedActivationFunction=pick(ACTIVATIONS))
    x = floats([first, second, size])
    return tflite("UNIDIRECTIONAL_SEQUENCE_RNN", x, inputs, [first, second, units], "SequenceRNN", **opts)


def sequence_lstm(index):
    units, size, first, second, major = whole(1, 30), whole(1, 20), whole(1, 6), whole(1, 6), maybe()
    coupled, peepholes = maybe(), maybe()

    def gates(make):
        return [None if gate == 0 and coupled else make() for gate in range(4)]

    inputs = gates(lambda: floats([units, size], size**-0.5))
    inputs += gates(lambda: floats([units, units], 0.8 * units**-0.5))
    inputs += [floats([units], 0.3) if peepholes and (gate or not coupled) else None for gate in range(3)]
    inputs += gates(lambda: floats([units], 0.3))
    state = [second if major else first, units]
    inputs += [None, None, state, list(state)]
    opts = dict(timeMajor=major, fusedActivationFunction=schema.ActivationFunctionType.TANH)
    if maybe():
        opts["cellClip"] = 0.5
    x = floats([first, second, size])
    kind = "UnidirectionalSequenceLSTM"
    return tflite("UNIDIRECTIONAL_SEQUENCE_LSTM", x, inputs, [first, second, units], kind, **opts)


def svdf(index):
    batch, size, units, rank, steps = whole(1, 3), whole(1, 20), whole(1, 10), whole(1, 3), whole(1, 8)
    inputs = [
        floats([units * rank, size], size**-0.5), floats([units * rank, steps]),
        floats([units], 0.3) if maybe() else None, [batch, units * rank * steps],
    ]
    opts = dict(rank=rank, fusedActivationFunction=pick(ACTIVATIONS[:2]))
    return tflite("SVDF", floats([batch, size]), inputs, [batch, units], "SVDF", **opts)


CASES = [
    (arbitrary, 44), (large, 9), (sequence_rnn, 8), (sequence_lstm, 12), (svdf, 8),
    (dynamic_range.lstm, 24), (dynamic_range.rnn_of_tanh, 8),
]

if __name__ == "__main__":
    made = [make(index) for make, count in CASES for index in range(count)]
    with open(os.path.join(sys.argv[2], "recurrent.json"), "w") as out:
        json.dump(made, out)
    print(f"{len(made)} cases of recurrent layers", file=sys.stderr)
