"""Writes the dumps of tools that come as packages, of networks of our own.

Usage: python3 dumped.py MOBILENET_V1.tflite, in the folder that it stands in; the model is the
one that tests/data/whole_models.py makes. Needs the packages ethos-u-vela (5.2.0) and
ai-edge-litert (2.3.0).
"""

import os
import subprocess
import sys
import tempfile

import small_net

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../public/litert_addresses.py")
SYSTEM = ["--config", "Arm/vela.ini", "--system-config", "Ethos_U55_High_End_Embedded"]
SYSTEM += ["--memory-mode", "Shared_Sram", "--accelerator-config", "ethos-u55-128"]


def vela(model, allocator, *more):
    """The part of the log that says where tensors lie, and the summary behind it."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["vela", "--verbose-allocation", "--tensor-allocator", allocator, *SYSTEM, *more]
        command += ["--output-dir", folder, model]
        log = subprocess.run(command, check=True, capture_output=True, text=True)
    return log.stdout


def litert(model):
    command = [sys.executable, SCRIPT, model]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(mobilenet):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in small_net.networks():
            model = os.path.join(folder, f"{name}.tflite")
            with open(model, "wb") as file:
                file.write(content)
            write(f"litert/{name}.csv", litert(model))
        model = os.path.join(folder, "small_net.tflite")
        for allocator in ("HillClimb", "LinearAlloc"):
            write(f"vela/small_net.{allocator}.log", vela(model, allocator))
        python = vela(model, "LinearAlloc", "--debug-force-legacy-core")
        write("vela/small_net.python.LinearAlloc.log", python)
    write("litert/mobilenet_v1.csv", litert(mobilenet))


if __name__ == "__main__":
    main(sys.argv[1])
