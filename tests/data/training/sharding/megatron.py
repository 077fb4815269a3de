"""Works out what Megatron-LM expects a device to hold, exactly and as JSON.

Usage: python megatron.py > megatron.json

The formulas are those of its script for theoretical memory (NVIDIA/Megatron-LM at 00caa53a,
megatron/training/theoretical_memory_usage.py: dense layers, with sequence parallelism and selective
recomputation), which works with floats. All figures here are what it says, to 12 digits. One that
is no whole number is `over/under`.

`shard` are the parameters of the device that has most: its share of the layers, and the table of
tokens. `weights` are the bytes of these, of their gradients and of what Adam keeps, `distributed`
the same where the replicas share the latter. `activations` are those of the first stage,
`interleaved` the same where each stage has `chunks` parts.

A head is hidden/heads wide. A norm has a scale, and a shift if `shifted_norms`; a `gated` layer has
three products of `inner`. The first four have the sizes of the models of Korthikanti et al. 2022,
the others are like Llama 3 70B; how they are divided is such that each case occurs.
"""

import json
from fractions import Fraction

SMALL = {
    "vocabulary": 51200, "sequence": 2048, "batch": 1, "tensor": 8,
    "gated": False, "shifted_norms": True, "tied": True,
}
MODELS = {
    "22B": {
        **SMALL, "layers": 48, "hidden": 6144, "heads": 64, "batch": 4,
        "pipeline": 1, "chunks": 1, "micro": 1, "data": 1,
    },
    "175B": {
        **SMALL, "layers": 96, "hidden": 12288, "heads": 96,
        "pipeline": 8, "chunks": 3, "micro": 64, "data": 2,
    },
    "530B": {
        **SMALL, "layers": 105, "hidden": 20480, "heads": 128,
        "pipeline": 35, "chunks": 3, "micro": 280, "data": 8,
    },
    # Fewer micro-batches than stages.
    "1T": {
        **SMALL, "layers": 128, "hidden": 25600, "heads": 160,
        "pipeline": 64, "chunks": 2, "micro": 24, "data": 6,
    },
    "gated": {
        "layers": 80, "hidden": 8192, "heads": 64, "key_value_heads": 8, "inner": 28672,
        "vocabulary": 128256, "sequence": 8192, "batch": 1, "tensor": 8,
        "gated": True, "shifted_norms": False, "tied": False,
        "pipeline": 4, "chunks": 5, "micro": 16, "data": 12,
    },
    # Where the first stage is the last one, too.
    "gated, one stage": {
        "layers": 80, "hidden": 8192, "heads": 64, "key_value_heads": 8, "inner": 28672,
        "vocabulary": 128256, "sequence": 4096, "batch": 2, "tensor": 8,
        "gated": True, "shifted_norms": False, "tied": False,
        "pipeline": 1, "chunks": 1, "micro": 4, "data": 7,
    },
}


def completed(model):
    """Unless it says otherwise, keys and values for each head, and four times as wide inside."""
    return {"key_value_heads": model["heads"], "inner": 4 * model["hidden"], **model}


def layers(model):
    """The parameters of all layers and of the norm after them."""
    hidden, norm = model["hidden"], (2 if model["shifted_norms"] else 1) * model["hidden"]
    queries_and_output = 2 * hidden**2
    keys_and_values = 2 * hidden**2 * model["key_value_heads"] // model["heads"]
    products = (3 if model["gated"] else 2) * hidden * model["inner"]
    return model["layers"] * (queries_and_output + keys_and_values + products + 2 * norm) + norm


def shard(model):
    table = model["vocabulary"] * model["hidden"]
    alone = model["pipeline"] == 1 and not model["tied"]
    share = Fraction(layers(model), model["pipeline"]) + table * (2 if alone else 1)
    return share / model["tensor"]


def activations(model, interleaved):
    tokens, stages = model["sequence"] * model["batch"], model["pipeline"]
    layer = tokens * (18 * model["hidden"] + 4 * model["inner"])
    # Tokens of 8 bytes and the mask after the embedding, for each micro-batch that is under way.
    given = tokens * stages * (8 + model["hidden"])
    bytes = Fraction(model["layers"] * layer + given)
    if interleaved:
        bytes *= 1 + Fraction(stages - 1, stages * model["chunks"])
    elif stages > 1:
        bytes *= min(Fraction(1), Fraction(model["micro"], stages))
    if stages == 1:
        bytes += 4 * tokens * (model["hidden"] + model["vocabulary"])
    return bytes / model["tensor"]


def figures(model):
    table = model["vocabulary"] * model["hidden"]
    found = {
        "parameters": layers(model) + table * (1 if model["tied"] else 2),
        "shard": shard(model),
        "weights": 18 * shard(model),
        "distributed": (6 + Fraction(12, model["data"])) * shard(model),
        "activations": activations(model, False),
    }
    if model["chunks"] > 1:
        found["interleaved"] = activations(model, True)
    return {name: int(it) if it == int(it) else str(it) for name, it in found.items()}


if __name__ == "__main__":
    models = {name: completed(model) for name, model in MODELS.items()}
    found = {name: {"model": model, **figures(model)} for name, model in models.items()}
    print(json.dumps(found, indent=1))
