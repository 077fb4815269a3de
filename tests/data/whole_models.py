"""Writes whole models with seeded random weights and what a reference engine makes of them.

Usage: python3 whole_models.py <folder with the fixtures> <empty folder to write into>

tests/fixtures.mjs runs it with the packages of requirements.txt. ONNX models are judged by
ONNX Runtime, TFLite models by LiteRT, both on the CPU, one thread, nothing optimised. index.json
lists every model with its inputs and outputs; their elements are ranges [start, bytes] of
index.bin, little-endian, each at a multiple of 8. Tokens are int64, all else is float32.
"""

import json
import os
import sys
import time

import numpy
import onnx

from models import light, mobile, pictures, transformers
from models.engines import LiteRt, OnnxRuntime
from models.judge import judge
from models.network import picture

FAMILIES = [(light, OnnxRuntime), (pictures, OnnxRuntime), (transformers, OnnxRuntime), (mobile, LiteRt)]
ALIGNMENT = 8


class Elements:
    """The file index.bin."""

    def __init__(self, file):
        self.file = file

    def add(self, name, data):
        self.file.write(bytes(-self.file.tell() % ALIGNMENT))
        content = numpy.ascontiguousarray(data).astype(data.dtype.newbyteorder("<")).tobytes()
        described = {"name": name, "dtype": str(data.dtype), "dims": list(data.shape)}
        described["range"] = [self.file.tell(), len(content)]
        self.file.write(content)
        return described


def refuse_equal_weights(fixtures):
    """The judge must be able to refuse: the same weight everywhere is what it is there for."""
    model = onnx.load(os.path.join(fixtures, "light_squeezenet.onnx"))
    engine = OnnxRuntime(model, {"data_0": picture("equal", [1, 3, 224, 224])})
    try:
        judge("equal weights", engine, engine.run())
    except AssertionError:
        return
    sys.exit("a model with equal weights passed the judge")


def write(target, families, judged):
    """Every model of these pairs of models and an engine, and the index. What `judged` makes of
    name, engine and outputs is printed."""
    index = []
    with open(os.path.join(target, "index.bin"), "wb") as file:
        elements = Elements(file)
        for made, engine_of in families:
            for name, model, feeds in made:
                start = time.monotonic()
                engine = engine_of(model, feeds)
                outputs = engine.run()
                said = judged(name, engine, outputs)
                with open(os.path.join(target, name + engine.ending), "wb") as written:
                    written.write(engine.content)
                row = {"name": name, "file": name + engine.ending, "engine": engine.name}
                row["inputs"] = [elements.add(key, data) for key, data in feeds.items()]
                row["outputs"] = [elements.add(key, data) for key, data in outputs.items()]
                index.append(row)
                seconds = time.monotonic() - start
                print(f"{name}: {len(engine.content):,} bytes; {said}; {seconds:.1f} s", flush=True)
    with open(os.path.join(target, "index.json"), "w", encoding="utf-8") as file:
        json.dump(index, file, indent=1)
        file.write("\n")


def main(fixtures, target):
    refuse_equal_weights(fixtures)

    def judged(name, engine, outputs):
        return f"the least weight moves an output by {judge(name, engine, outputs):.1e}"

    write(target, [(family.made(fixtures), engine_of) for family, engine_of in FAMILIES], judged)


if __name__ == "__main__":
    main(*sys.argv[1:])
