"""Holds the package for Python against the command line. Usage: wheel.py ARENASCOPE"""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import planner

PROGRAM = sys.argv[1]
ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "public/samples"


def told(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def refused(of, *arguments):
    try:
        of(*arguments)
    except ValueError as error:
        return str(error)
    raise AssertionError(f"{arguments} were taken")


def plans():
    """Three plans of three files: every offset is that of the command line."""
    published = ROOT / "tests/data/shared/data/minimalloc/A.1048576.csv"
    cases = [(SAMPLES / "blazeface.onnx", "exact"), (published, "skyline"), (SAMPLES / "jigsaw.csv", "best")]
    for path, strategy in cases:
        file = planner.open(path)
        rows = csv.DictReader(io.StringIO(told("export", path, "--strategy", strategy, "--as", "csv")))
        made = file.plan(strategy)
        assert made.offsets == [int(row["offset"]) for row in rows], path
        again = planner.plan(file.lifetimes, strategy, file.alignment)
        report = json.loads(told("plan", path, "--strategy", strategy, "--format", "json"))
        assert report["plans"][0]["arena"] == made.arena == again.arena, path
        assert planner.check(file.lifetimes, again.offsets, file.alignment) == []
        assert file.bounds().offsets <= made.arena
        assert planner.svg(file.lifetimes, made.offsets).count("<rect") == len(file.lifetimes)


def waste():
    for name in ["tflm_block.log", "torch_training.pickle", "iree_chain.ir.txt"]:
        report = json.loads(told("waste", SAMPLES / name, "--format", "json"))
        parts = {part["part"]: part["bytes"] for part in report["parts"]}
        assert planner.open(SAMPLES / name).waste() == parts, name
        assert sum(parts.values()) == report["arena"], name


def by_hand():
    lifetimes = [("a", 100, 0, 2), ("b", 80, 1, 3), ("c", 60, 2, 4)]
    assert planner.plan(lifetimes).arena == planner.bounds(lifetimes).offsets == 180
    (violation,) = planner.check(lifetimes, [0, 90, 0], alignment=1)
    assert '"a" and "b"' in violation, violation
    assert "best" in planner.strategies()
    assert "nothing" in refused(planner.plan, lifetimes, "nothing")
    assert "2 offsets" in refused(planner.check, lifetimes, [0, 0])
    assert "alignment" in refused(planner.bounds, lifetimes, 0)
    assert "ends" in refused(planner.plan, [("x", 1, 3, 3)])
    assert "strategy" in refused(planner.open(SAMPLES / "jigsaw.csv").waste)


def types():
    """The stubs name what the module has, and nothing else."""
    folder = Path(planner.__file__).parent
    assert (folder / "py.typed").exists()
    stubs = (folder / "__init__.pyi").read_text()
    for name in ["Plan", "Bounds", "File", "plan", "check", "bounds", "svg", "strategies", "open"]:
        assert hasattr(planner, name), name
        assert f"def {name}(" in stubs or f"class {name}:" in stubs, name


for part in [plans, waste, by_hand, types]:
    part()
print("wheel: three plans, three wastes and what is refused are as they should be")
