"""Recurrent layers of arbitrary shapes and options, and what ONNX Runtime computes.

Usage: python3 recurrent.py FIXTURES OUT (FIXTURES is not used)
Needs the packages of requirements.txt. Shapes, options and elements are arbitrary, from a fixed
seed. OUT/recurrent.json is a list of cases: `name`, `model` (a file), `inputs` and `outputs`
(elements as little-endian bytes in the order of the model's), all in hexadecimal.
"""

import json
import os
import sys

import numpy
import onnx
import onnxruntime

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


CASES = [(arbitrary, 60), (large, 9)]

if __name__ == "__main__":
    made = [make(index) for make, count in CASES for index in range(count)]
    with open(os.path.join(sys.argv[2], "recurrent.json"), "w") as out:
        json.dump(made, out)
    print(f"{len(made)} cases of recurrent layers", file=sys.stderr)
