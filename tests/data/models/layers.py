"""Cases of recurrent layers on quantised elements, which keep a state from run to run."""

import numpy
from ai_edge_litert import schema_py_generated as schema

from .chance import RANGES, elements, random, whole
from .litert import case, fed, scale
from .tflite import Tensor, options


def svdf(index):
    batch, size, units, rank, steps = whole(1, 3), whole(1, 20), whole(1, 10), whole(1, 3), whole(1, 8)
    x, state = fed([batch, size]), Tensor([batch, units * rank * steps], "int16", [scale() / 256], [0], kept=True)
    of_x = Tensor([units * rank, size], "int8", [scale()], [0], 0, elements([units * rank, size], "int8"))
    of_steps = Tensor([units * rank, steps], "int16", [scale() / 256], [0], 0, elements([units * rank, steps], "int16"))
    # About what fills the state, and then the output.
    state.scales = numpy.float32([x.scales[0] * of_x.scales[0] * 3600 * size**0.5 / 9000])
    both = float(state.scales[0]) * float(of_steps.scales[0])
    y = Tensor([batch, units], "int8", [both * 9000 * 15000 * (rank * steps) ** 0.5 / 60], [whole(-128, 127)])
    added = Tensor([units], "int32", [both], [0], 0, random.integers(-(10**8), 10**8, [units]).astype("int32"))
    opts = options("SVDF", rank=rank, fusedActivationFunction=schema.ActivationFunctionType.RELU)
    return case("SVDF", "SVDF", [x, of_x, of_steps, added, state], [y], opts, 3)


def lstm(index):
    coupled, peepholes, time_first = index % 4 == 3, index % 3 == 2, index % 5 == 4
    batch, steps, size, units = whole(1, 3), whole(1, 6), whole(1, 20), whole(1, 13)
    x = fed([steps, batch, size] if time_first else [batch, steps, size])
    hidden = Tensor([batch, units], "int8", [1 / 128], [whole(-30, 30)], kept=True)
    places = whole(0, 5) if index % 2 else 4
    memory = Tensor([batch, units], "int16", [2.0 ** (places - 15)], [0], kept=True)

    def constant(shape, dtype, reach):
        """What its largest element stands for is `reach`."""
        top = RANGES[dtype][1]
        return Tensor(shape, dtype, [reach / top], [0], 0, random.integers(-top, top + 1, shape).astype(dtype))

    # About what opens and closes gates.
    of_x = float(x.scales[0]) * 60 * size**0.5
    from_x = [constant([units, size], "int8", random.uniform(1, 4) / of_x) for _ in range(4)]
    from_h = [constant([units, units], "int8", random.uniform(1, 4) / units**0.5) for _ in range(4)]
    from_c = [constant([units], "int16", random.uniform(0.5, 2)) if peepholes else None for _ in range(4)]
    biases = []
    for w in from_x:
        unit = float(x.scales[0]) * float(w.scales[0])
        biases.append(Tensor([units], "int32", [unit], [0], 0, (random.normal(0, 1, [units]) / unit).astype("int32")))
    if coupled:
        from_x[0] = from_h[0] = from_c[0] = biases[0] = None
    del from_c[2]
    inputs = [x, *from_x, *from_h, *from_c, *biases, None, None, hidden, memory, *[None] * 4]
    inside = [Tensor([], "float32") for _ in range(4)]
    inside.append(Tensor([], "int8", [random.uniform(0.004, 0.01)], [whole(-30, 30)]))
    clip = random.uniform(0.2, 0.8) * 2.0**places if index % 4 == 2 else 0.0
    opts = options(
        "UnidirectionalSequenceLSTM", fusedActivationFunction=schema.ActivationFunctionType.TANH,
        timeMajor=time_first, cellClip=clip,
    )
    y = Tensor([*x.shape[:2], units], "int8", hidden.scales, hidden.zeros)
    name = "UNIDIRECTIONAL_SEQUENCE_LSTM"
    return case(name, name, inputs, [y], opts, 3, inside)
