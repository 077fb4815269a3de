"""Writes the models that the benchmark against another engine runs, and what they must make.

Usage: python3 bench_models.py <folder with the fixtures> <empty folder to write into>

The same classifiers as in the tests with pictures of 224, as their figures are published. The
form is that of whole_models.py. Only the outputs are judged here: the architectures and the
recipe of their weights have been, in the tests' size.
"""

import sys

from models import light, pictures
from models.engines import OnnxRuntime
from models.judge import informative
from whole_models import write

SIDE = 224


def mobilenet():
    network = pictures.mobilenet_v2("mobilenet_v2", SIDE)
    yield network.name, network.model(), network.feeds


def judged(name, _engine, outputs):
    for output, data in outputs.items():
        informative(f"{name}: {output}", data)
    return f"{len(outputs)} output"


if __name__ == "__main__":
    fixtures, target = sys.argv[1:]
    write(target, [(light.made(fixtures, SIDE), OnnxRuntime), (mobilenet(), OnnxRuntime)], judged)
