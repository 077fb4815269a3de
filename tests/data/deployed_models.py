"""What LiteRT's reference kernels compute for quantised models of packages.

Usage: python3 deployed_models.py FIXTURES OUT
Needs the packages of requirements.txt. OUT/deployed_models.json is a list of cases as
quantised.py describes them; inputs are arbitrary, from a fixed seed.
"""

import json
import os
import sys

import numpy
from ai_edge_litert.interpreter import Interpreter, OpResolverType

# Keyword spotting, wake words, pictures and anomalies on microcontrollers; those of the last line
# keep what they have heard.
NAMES = """
    anomaly_detection audio_example1 autoencoder_example fingerprint_signature_generator image_classification
    image_example1 keyword_spotting keyword_spotting_mobilenetv2 keyword_spotting_on_off_v3 rock_paper_scissors
    tflite_micro_magic_wand tflite_micro_speech visual_wake_words
    alexa hey_jarvis hey_mycroft okay_nabu
""".split()
RUNS = 3
random = numpy.random.default_rng(29)


def fed(shape, dtype):
    if dtype == numpy.float32:
        return random.normal(0, 1, shape).astype(dtype)
    ends = numpy.iinfo(dtype)
    return random.integers(ends.min, ends.max + 1, shape).astype(dtype)


def run(interpreter):
    given = []
    for tensor in interpreter.get_input_details():
        given.append(fed(tensor["shape"], tensor["dtype"]))
        interpreter.set_tensor(tensor["index"], given[-1])
    interpreter.invoke()
    found = [interpreter.get_tensor(tensor["index"]) for tensor in interpreter.get_output_details()]
    inputs, outputs = ([array.tobytes().hex() for array in arrays] for arrays in (given, found))
    return {"inputs": inputs, "outputs": outputs}


def case(fixtures, name):
    with open(os.path.join(fixtures, f"{name}.tflite"), "rb") as file:
        content = file.read()
    interpreter = Interpreter(
        model_content=content, experimental_op_resolver_type=OpResolverType.BUILTIN_REF, num_threads=1
    )
    interpreter.allocate_tensors()
    first, *later = [run(interpreter) for _ in range(RUNS)]
    return {"name": name, "model": content.hex(), **first, "later": later}


if __name__ == "__main__":
    made = [case(sys.argv[1], name) for name in NAMES]
    with open(os.path.join(sys.argv[2], "deployed_models.json"), "w") as out:
        json.dump(made, out)
    print(f"{len(made)} quantised models", file=sys.stderr)
