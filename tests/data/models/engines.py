"""The two reference engines behind one face: run, all intermediates, and one weight changed."""

import numpy
import onnx
import onnxruntime
from ai_edge_litert import __version__ as litert_version
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from onnx import numpy_helper

onnxruntime.set_default_logger_severity(3)


class OnnxRuntime:
    """A model and its feeds, run without any rewriting of the graph."""

    ending = ".onnx"
    name = f"onnxruntime {onnxruntime.__version__} CPU, optimisations off"

    def __init__(self, model, feeds):
        self.model, self.feeds = model, feeds
        self.content = model.SerializeToString()
        scales = {tensor for node in model.graph.node if node.op_type == "Resize" for tensor in node.input}
        self.weights = {}
        for tensor in model.graph.initializer:
            data = numpy_helper.to_array(tensor)
            if data.dtype == numpy.float32 and data.size > 1 and tensor.name not in scales:
                self.weights[tensor.name] = data
        self.changing = None

    def run(self):
        """Every output by name."""
        return self._run(self.content)

    def intermediates(self):
        """Every float32 tensor that a node makes and another reads, by name."""
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        read = {tensor for node in model.graph.node for tensor in node.input}
        for node in model.graph.node:
            for output in node.output:
                if output in read:
                    model.graph.output.append(onnx.helper.make_empty_tensor_value_info(output))
        made = self._run(model.SerializeToString())
        return {name: data for name, data in made.items() if data.dtype == numpy.float32}

    def changed(self, weight, data):
        """Every output by name with other elements in one weight."""
        if self.changing is None:
            # Initializers that are inputs as well can be replaced run by run.
            model = onnx.ModelProto()
            model.CopyFrom(self.model)
            for tensor in model.graph.initializer:
                if tensor.name in self.weights:
                    value = onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
                    model.graph.input.append(value)
            self.changing = session(model.SerializeToString())
        names = [output.name for output in self.changing.get_outputs()]
        return dict(zip(names, self.changing.run(names, {**self.feeds, weight: data})))

    def _run(self, content):
        runner = session(content)
        names = [output.name for output in runner.get_outputs()]
        return dict(zip(names, runner.run(names, self.feeds)))


def session(content):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


class LiteRt:
    """A model and its feeds, run by the reference kernels."""

    ending = ".tflite"
    name = f"LiteRT {litert_version} CPU, reference kernels"

    def __init__(self, content, feeds):
        self.content, self.feeds = content, feeds
        self.weights, self.places, self.computed = {}, {}, []
        model = schema.Model.GetRootAs(content)
        graph = model.Subgraphs(0)
        kinds = {schema.TensorType.FLOAT32: numpy.float32, schema.TensorType.FLOAT16: numpy.float16}
        for index in range(graph.TensorsLength()):
            tensor = graph.Tensors(index)
            data = model.Buffers(tensor.Buffer()).DataAsNumpy()
            if isinstance(data, int) or tensor.Type() not in kinds:
                continue
            name = tensor.Name().decode()
            self.weights[name] = data.view(kinds[tensor.Type()]).reshape(tensor.ShapeAsNumpy())
            start = data.ctypes.data - numpy.frombuffer(content, numpy.uint8).ctypes.data
            self.places[name] = (start, len(data))
        for index in range(graph.OperatorsLength()):
            operator = graph.Operators(index)
            # What widens a weight computes nothing.
            code = model.OperatorCodes(operator.OpcodeIndex())
            if code.DeprecatedBuiltinCode() != schema.BuiltinOperator.DEQUANTIZE:
                self.computed.extend(operator.OutputsAsNumpy().tolist())

    def run(self):
        """Every output by name."""
        return self._run(self.content)[0]

    def intermediates(self):
        """Every float32 tensor that an operator makes, by name."""
        interpreter = self._run(self.content, keep=True)[1]
        names = {detail["index"]: detail["name"] for detail in interpreter.get_tensor_details()}
        made = {names[index]: interpreter.get_tensor(index) for index in self.computed}
        return {name: data for name, data in made.items() if data.dtype == numpy.float32}

    def changed(self, weight, data):
        """Every output by name with other elements in one weight."""
        start, size = self.places[weight]
        content = bytearray(self.content)
        content[start : start + size] = data.astype(self.weights[weight].dtype).tobytes()
        return self._run(bytes(content))[0]

    def _run(self, content, keep=False):
        interpreter = Interpreter(
            model_content=content,
            num_threads=1,
            experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
            experimental_preserve_all_tensors=keep,
        )
        interpreter.allocate_tensors()
        for detail in interpreter.get_input_details():
            interpreter.set_tensor(detail["index"], self.feeds[detail["name"]])
        interpreter.invoke()
        details = interpreter.get_output_details()
        return {detail["name"]: interpreter.get_tensor(detail["index"]) for detail in details}, interpreter
