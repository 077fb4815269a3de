"""Prints the IR of the nets beside this file around IREE's slice layout.

    python -m venv V && V/bin/pip install iree-base-compiler==3.13.0
    V/bin/python make.py chain loop
    python -m venv O && O/bin/pip install iree-base-compiler==3.1.0
    O/bin/python make.py dynamic

`dynamic` is of an older version, which writes other headers over its dumps.
"""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
COMPILER = pathlib.Path(sys.executable).parent / "iree-compile"
PASS = "iree-stream-layout-slices"

for name in sys.argv[1:]:
    command = [
        COMPILER,
        HERE / f"{name}.mlir",
        "--iree-hal-target-backends=llvm-cpu",
        "--compile-to=stream",
        "--mlir-disable-threading",
        f"--mlir-print-ir-before={PASS}",
        f"--mlir-print-ir-after={PASS}",
        "-o",
        "/dev/null",
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    (HERE / f"{name}.ir.txt").write_text(run.stderr)
