"""Models of one operator on quantised tensors, and what LiteRT's reference kernels compute."""

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from .chance import RANGES, elements, random
from .tflite import Tensor

# Whether activations are of 16 bits: whatever asks for some of 8 is given these.
_wide = False


def wide():
    return _wide


def scale(low=0.005, high=0.1):
    return numpy.float32(random.uniform(low, high))


def span(x):
    """About what an element is, of those that are arbitrary, but for the sign."""
    return 60 * 256 if x.dtype == "int16" else 60


def fed(shape, dtype="int8", of=None):
    """What is fed: with a quantisation of its own, or that of another tensor."""
    if of is not None:
        return Tensor(shape, of.dtype, of.scales, of.zeros)
    if wide():
        return Tensor(shape, "int16", [scale() / 256], [0])
    low, high = RANGES[dtype]
    return Tensor(shape, dtype, [scale()], [int(random.integers(low, high + 1))])


def built(builtin, inputs, outputs, opts=None, version=1, inside=()):
    """A model of one operator: its bytes and its graph."""
    model = schema.ModelT()
    model.version = 3
    code = schema.OperatorCodeT()
    code.builtinCode = getattr(schema.BuiltinOperator, builtin)
    code.deprecatedBuiltinCode = min(code.builtinCode, 127)
    code.version = version
    model.operatorCodes = [code]
    graph, op = schema.SubGraphT(), schema.OperatorT()
    model.buffers = [schema.BufferT()]
    graph.tensors = []
    inputs, op.inputs = given(inputs)
    for index, tensor in enumerate([*inputs, *outputs, *inside]):
        buffer = 0
        if tensor.data is not None:
            buffer = len(model.buffers)
            held = schema.BufferT()
            held.data = numpy.frombuffer(tensor.data.tobytes(), numpy.uint8)
            model.buffers.append(held)
        made = tensor.made(buffer)
        made.name = f"t{index}"
        graph.tensors.append(made)
    op.outputs = [len(inputs) + index for index in range(len(outputs))]
    if inside:
        op.intermediates = [len(inputs) + len(outputs) + index for index in range(len(inside))]
    fed_ones = [index for index, tensor in enumerate(inputs) if tensor.data is None and not tensor.kept]
    graph.inputs = fed_ones
    graph.outputs = op.outputs
    op.opcodeIndex = 0
    if opts:
        op.builtinOptionsType = getattr(schema.BuiltinOptions, f"{opts[0]}Options")
        op.builtinOptions = opts[1]
    graph.operators = [op]
    model.subgraphs = [graph]
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output()), graph


def case(name, builtin, inputs, outputs, opts=None, version=1, inside=()):
    """The operator as a model, and what LiteRT computes of arbitrary elements: in three runs where
    it keeps some from run to run. An input that is left out is None; `inside` are tensors that
    only their quantisation counts of."""
    content, graph = built(builtin, inputs, outputs, opts, version, inside)
    inputs = [it for it in inputs if it is not None]
    interpreter = Interpreter(
        model_content=content,
        # There is one kernel of ELU, which only the other resolver has.
        experimental_op_resolver_type=(
            OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES if builtin == "ELU" else OpResolverType.BUILTIN_REF
        ),
        num_threads=1,
    )
    interpreter.allocate_tensors()
    runs = [run(interpreter, inputs, graph) for _ in range(3 if any(it.kept for it in inputs) else 1)]
    return {"name": name, "model": content.hex(), **runs[0], "later": runs[1:]}


def given(inputs):
    """Those that are there, and the number of each: -1 where it is not."""
    numbers = iter(range(len(inputs)))
    return [it for it in inputs if it is not None], [-1 if it is None else next(numbers) for it in inputs]


def run(interpreter, inputs, graph):
    fed_ones = []
    for index in graph.inputs:
        tensor = inputs[index]
        if tensor.dtype == "float32":
            data = random.normal(0, 2, tensor.shape).astype("float32")
        elif tensor.dtype == "int32":
            data = random.integers(0, 2, tensor.shape).astype("int32")
        else:
            data = elements(tensor.shape, tensor.dtype)
            data = data if tensor.least is None else numpy.maximum(data, data.dtype.type(tensor.least))
        interpreter.set_tensor(index, data)
        fed_ones.append(data.tobytes().hex())
    interpreter.invoke()
    found = [interpreter.get_tensor(index).tobytes().hex() for index in graph.outputs]
    return {"inputs": fed_ones, "outputs": found}


def result(shape, x, factor, dtype=None):
    """An output whose scale is about what fits, with an arbitrary zero point."""
    dtype = dtype or x.dtype
    low, high = RANGES[dtype]
    step = float(x.scales[0]) * factor * random.uniform(0.5, 2)
    return Tensor(shape, dtype, [step], [0 if dtype == "int16" else int(random.integers(low, high + 1))])


def ints(*of):
    return Tensor(numpy.shape(of), "int32", data=numpy.int32(of))


def signed(found, builtin, inputs, outputs, opts=None, version=1):
    """A case of unsigned elements as one of int8: the bits of all are those of others, and so are
    zero points."""
    tensors = [*inputs, *outputs]
    for tensor in tensors:
        if tensor.dtype == "uint8":
            tensor.dtype, tensor.zeros = "int8", [zero - 128 for zero in tensor.zeros]
    both = [bytes.fromhex(found[side][0]) for side in ("inputs", "outputs")]
    flipped = [bytes(byte ^ 128 for byte in side).hex() for side in both]
    content, _ = built(builtin, inputs, outputs, opts, version)
    return {**found, "model": content.hex(), "inputs": flipped[:1], "outputs": flipped[1:]}


def of_16_bits(make):
    """The maker of the same cases on activations of 16 bits."""

    def made(index):
        global _wide
        _wide = True
        try:
            return make(index)
        finally:
            _wide = False

    return made
