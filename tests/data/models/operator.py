"""Models of one ONNX operator."""

import numpy
import onnx


def one_operator(kind, inputs, outputs, opsets, attributes):
    """The model, and what it is fed by name.

    `inputs`: what stands as a tuple is fed, the rest is constant, None is left out. `outputs`: for
    each its element type, 0 where the file is not to say it, None where it is not wanted.
    `opsets`: the version of each domain; the operator is of the last.
    """
    names = [f"t{index}" if array is not None else "" for index, array in enumerate(inputs)]
    given, constants, feeds = [], [], {}
    for name, array in zip(names, inputs):
        if array is None:
            continue
        held = not isinstance(array, tuple)
        array = numpy.asarray(array if held else array[0])
        if held:
            constants.append(onnx.numpy_helper.from_array(array, name))
        else:
            kind_of = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
            given.append(onnx.helper.make_tensor_value_info(name, kind_of, array.shape))
            feeds[name] = array
    results = [f"y{index}" if of is not None else "" for index, of in enumerate(outputs)]
    declared = [declaration(name, of) for name, of in zip(results, outputs) if name]
    domain = list(opsets)[-1]
    node = onnx.helper.make_node(kind, names, results, domain=domain, **attributes)
    graph = onnx.helper.make_graph([node], kind, given, declared, constants)
    imports = [onnx.helper.make_opsetid(*opset) for opset in opsets.items()]
    return onnx.helper.make_model(graph, opset_imports=imports, ir_version=9), feeds


def declaration(name, of):
    if of:
        return onnx.helper.make_tensor_value_info(name, of, None)
    return onnx.helper.make_empty_tensor_value_info(name)
