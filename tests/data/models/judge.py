"""Whether a reference can tell a right run from a wrong one. Raises if not."""

import re

import numpy

# A run passes with a relative error of 1e-4; what a weight does must show ten times over.
VISIBLE = 1e-3
# A key's bias adds the same number to all scores of a query, which Softmax takes out again.
WITHOUT_EFFECT = re.compile(r"\.key\.bias$")


def judge(name, engine, outputs):
    """The least that any of the weights moves an output, relative to its largest."""
    for output, data in outputs.items():
        informative(f"{name}: {output}", data)
    for tensor, data in engine.intermediates().items():
        alive(f"{name}: {tensor}", data)
    moved = {}
    for weight, data in engine.weights.items():
        if WITHOUT_EFFECT.search(weight) or not data.any():
            # BlazeFace was trained to biases of which some are 0 throughout.
            continue
        assert numpy.unique(data).size > 1, f"{name}: {weight} is constant"
        changed = engine.changed(weight, other(data))
        moved[weight] = max(distance(outputs[output], changed[output]) for output in outputs)
    unseen = {weight: move for weight, move in moved.items() if not move >= VISIBLE}
    assert not unseen, f"{name}: hardly moves the outputs: {unseen}"
    return min(moved.values())


def other(data):
    """The same elements in another order and half as large again; variances stay above 0."""
    turned = data.ravel()[::-1].reshape(data.shape)
    # A mask is as low as it can be already.
    scale = numpy.where(numpy.abs(turned) > 1e30, 1.0, 1.5)
    return turned * scale.astype(data.dtype)


def distance(one, two):
    return float(numpy.max(numpy.abs(one.astype(float) - two)) / numpy.max(numpy.abs(one)))


def informative(where, data):
    """Finite, spread over many values, and no Softmax that has decided for one class."""
    assert numpy.isfinite(data).all(), f"{where} is not finite"
    assert data.dtype == numpy.float32, f"{where} is {data.dtype}"
    different = numpy.unique(data).size
    assert different > 0.5 * data.size, f"{where}: only {different} values in {data.size}"
    low, middle, high = numpy.quantile(data.astype(float), [0.05, 0.5, 0.95])
    reach = float(numpy.abs(data).max())
    assert high - low > 0.01 * reach, f"{where}: nine tenths lie within {high - low:.1e} of {reach:.1e}"
    if data.min() >= 0 and abs(float(data.sum()) - 1) < 1e-3:
        assert reach < 0.5 and middle > 1e-6, f"{where}: one class has {reach:.3f}, the middle one {middle:.1e}"


def alive(where, data):
    """Neither vanished nor exploded; masks reach the lowest number there is and are let be."""
    assert not numpy.isnan(data).any(), f"{where} has elements that are no number"
    reach = float(numpy.abs(data).max())
    assert 1e-5 < reach < 1e4 or reach > 1e38, f"{where} reaches {reach:.1e}"
