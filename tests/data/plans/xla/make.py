"""Writes the XLA dumps of three small nets, as jax on a CPU leaves them.

    pip install jax==0.10.2 && python - OUT new < make.py
    pip install jax==0.4.30 jaxlib==0.4.30 "numpy<2" && python - OUT old < make.py

It is read from the standard input so that no path of the machine gets into the dumps. The
older build has all text in one file.
"""

import json
import os
import pathlib
import shutil
import sys
import tempfile

ANALYSIS = "-memory-analysis.json"
SIZES = ("argument", "output", "alias", "temp")
OUT, BUILD = pathlib.Path(sys.argv[1]), sys.argv[2]
DUMP = pathlib.Path(tempfile.mkdtemp())
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = (
    f"--xla_dump_to={DUMP} --xla_dump_hlo_as_text --xla_dump_hlo_as_proto"
)

import jax
import jax.numpy as jnp
from jax import lax


def loop(x, w):
    """A loop, a branch and a loop whose length is not known."""

    def body(carry, step):
        h, total = carry
        h = jnp.tanh(h @ w + step)
        return (h, total + h.sum()), h[0]

    (h, total), rows = lax.scan(body, (x, 0.0), jnp.arange(8.0))
    y = lax.cond(total > 0, lambda v: jnp.sin(v) * 2, lambda v: v @ w, h)
    return y, rows, lax.while_loop(lambda v: v.sum() < 100.0, lambda v: v * 2.0, y)


def train(weights, moments, x, target):
    """A step of gradient descent that writes over its weights and moments."""

    def loss(weights):
        h = x
        for w in weights:
            h = jnp.tanh(h @ w)
        return ((h - target) ** 2).mean()

    value, gradients = jax.value_and_grad(loss)(weights)
    moments = [0.9 * m + g for m, g in zip(moments, gradients)]
    return [w - 0.1 * m for w, m in zip(weights, moments)], moments, value


def scanned(weights, x):
    """A loop over layers, through which gradients are taken: what it carries is most of it."""

    def layer(h, w):
        h = jnp.tanh(h @ w)
        return h, h.sum()

    h, sums = lax.scan(layer, x, weights)
    return (h**2).mean() + sums.sum()


def zeros(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def keep(function, name, arguments, ends, donate=()):
    compiled = jax.jit(function, donate_argnums=donate).lower(*arguments).compile()
    for end, short in ends.items():
        for path in DUMP.glob(f"*jit_{name}.cpu_after_optimizations{end}"):
            shutil.copy(path, OUT / f"{name}{short}")
    if ANALYSIS in ends:
        found = compiled.memory_analysis()
        sizes = {it: getattr(found, f"{it}_size_in_bytes") for it in SIZES}
        (OUT / f"{name}{ANALYSIS}").write_text(json.dumps(sizes) + "\n")


def same(*ends):
    return {end: end for end in ends}


square = [zeros(96, 96)] * 3
arguments = (square, square, zeros(40, 96), zeros(40, 96))
pair = ("-buffer-assignment.txt", "-live-range.txt")
if BUILD == "new":
    values = "-buffer-assignment-values.txt"
    report = "-memory-usage-report.txt"
    keep(loop, "loop", (zeros(64, 64), zeros(64, 64)), same(*pair, ".hlo.pb", ANALYSIS))
    keep(train, "train", arguments, same(*pair, values, report, ANALYSIS), donate=(0, 1))
    layers = (zeros(6, 64, 64), zeros(32, 64))
    gradients = jax.grad(scanned, argnums=(0, 1))
    keep(gradients, "scanned", layers, same(*pair, values, ".hlo.pb", ".txt", ANALYSIS))
else:
    keep(train, "train", arguments, {pair[0]: "-old.txt"}, donate=(0, 1))
shutil.rmtree(DUMP)
