"""Writes the XLA dumps of two small nets, as jax on a CPU leaves them.

    pip install jax==0.10.2 && python - OUT new < make.py
    pip install jax==0.4.30 jaxlib==0.4.30 "numpy<2" && python - OUT old < make.py

It is read from the standard input so that no path of the machine gets into the dumps. The
older build has all text in one file.
"""

import os
import pathlib
import shutil
import sys
import tempfile

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


def zeros(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def keep(function, name, arguments, ends, donate=()):
    jax.jit(function, donate_argnums=donate).lower(*arguments).compile()
    for end, short in ends.items():
        for path in DUMP.glob(f"*jit_{name}.cpu_after_optimizations{end}"):
            shutil.copy(path, OUT / f"{name}{short}")


def same(*ends):
    return {end: end for end in ends}


square = [zeros(96, 96)] * 3
arguments = (square, square, zeros(40, 96), zeros(40, 96))
pair = ("-buffer-assignment.txt", "-live-range.txt")
if BUILD == "new":
    more = ("-buffer-assignment-values.txt", "-memory-usage-report.txt")
    keep(loop, "loop", (zeros(64, 64), zeros(64, 64)), same(*pair, ".hlo.pb"))
    keep(train, "train", arguments, same(*pair, *more), donate=(0, 1))
else:
    keep(train, "train", arguments, {pair[0]: "-old.txt"}, donate=(0, 1))
shutil.rmtree(DUMP)
