"""Has PyTorch, JAX, ONNX Runtime and TFLite Micro write what people open, and compares what
`arenascope` reads with what each of them says of itself; and runs PyTorch's exports (`exports`) with
`corpus`, which lies beside `arenascope`.

Usage: python tests/producers.py ARENASCOPE PRODUCER [FOLDER_OF_MODELS]

Each figure of the producer comes by another way than the file: the compiler's own memory
statistics, the sizes of the arrays that live, the profiler's running total.
"""

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "data"))
from quiet import Quiet  # noqa: E402


def arenascope(*arguments, file, fails=False):
    """What a command prints as JSON; what it says where it has to fail."""
    run = subprocess.run([sys.argv[1], *arguments, "--format", "json", *map(str, [file])],
                         capture_output=True, text=True, check=False)
    if fails:
        return run.stderr if run.returncode != 0 else ""
    if not run.stdout:
        raise AssertionError(f"{arguments} {file}: {run.stderr}")
    return json.loads(run.stdout)


def damaged(file, cut):
    """A file that ends too early is refused, and the refusal names it."""
    broken = file.with_name(f"cut_{file.name}")
    broken.write_bytes(file.read_bytes()[:cut])
    said = arenascope("waste", file=broken, fails=True)
    yield f"{file.name}: its first {cut} bytes are refused by name", broken.name in said, True


def jax(folder):
    """XLA's dump, the device's memory profile and a trace, on the CPU."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = f"--xla_dump_to={folder}/dump --xla_dump_hlo_as_proto --xla_dump_hlo_as_text"
    import jax
    import jax.numpy as jnp

    def loss(weights, x):
        layer = jax.checkpoint(lambda carry, w: (jnp.tanh(carry @ w), None))
        return (jax.lax.scan(layer, x, weights)[0] ** 2).sum()

    weights, x = jnp.ones((8, 96, 96)), jnp.ones((24, 96))
    kept = [jnp.ones((700, 30)), jnp.zeros((3, 5)), weights, x]
    compiled = jax.jit(jax.value_and_grad(loss)).lower(weights, x).compile()
    told = compiled.memory_analysis()
    dump = next(Path(folder, "dump").glob("*jit_loss.cpu_after*.hlo.pb"))
    texts = sorted(dump.parent.glob("*jit_loss.cpu_after*buffer-assignment.txt"))
    yield from xla("jax, .hlo.pb", arenascope("waste", file=dump), told)
    texts += [text.with_name(text.name.replace("buffer-assignment", "live-range")) for text in texts]
    run = subprocess.run([sys.argv[1], "waste", "--format", "json", *map(str, texts)], capture_output=True, check=True)
    yield from xla("jax, texts", json.loads(run.stdout), told)
    yield from damaged(dump, dump.stat().st_size // 2)

    profile = Path(folder, "memory.prof")
    profile.write_bytes(jax.profiler.device_memory_profile())
    live = sum(array.nbytes for array in jax.live_arrays())
    assert live >= sum(array.nbytes for array in kept)
    yield "jax, device memory profile", arenascope("waste", file=profile)["arena"], live

    with jax.profiler.trace(folder):
        compiled(weights, x)[0].block_until_ready()
    plane = next(Path(folder).glob("plugins/profile/*/*.xplane.pb"))
    arenas = arenascope("waste", file=plane)["arenas"]
    temporary = [it["bytes"] for it in arenas if "jit_loss" in it["name"] and "temp" in it["name"]]
    yield "jax, xplane", temporary, [told.temp_size_in_bytes]


def xla(what, read, told):
    """What a dump says beside `CompiledMemoryStats`."""
    temporary = [it["bytes"] for it in read["arenas"] if "preallocated-temp" in it["name"]]
    yield f"{what}: temporary", temporary, [told.temp_size_in_bytes]
    results = [it["bytes"] for it in read["arenas"] if "maybe-live-out" in it["name"]]
    # The tuple of pointers to the outputs is an allocation too, among the others.
    arrays = told.output_size_in_bytes - 8 * len(results)
    yield f"{what}: results", sum(results), arrays


def onnxruntime(folder):
    """The profile of a session: what each node reads and writes, from the shapes."""
    import numpy
    import onnx
    import onnxruntime as ort
    from onnx import TensorProto, helper

    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"], name="first"),
        helper.make_node("Sin", ["a"], ["b"], name="second"),
        helper.make_node("Concat", ["a", "b"], ["c"], name="joined", axis=1),
        helper.make_node("Softmax", ["c"], ["y"], name="last"),
    ]
    shapes = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [8, n]) for name, n in [("x", 32), ("y", 128)]}
    weight = helper.make_tensor("w", TensorProto.FLOAT, [32, 64], numpy.ones(2048, numpy.float32))
    graph = helper.make_graph(nodes, "net", [shapes["x"]], [shapes["y"]], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    options = ort.SessionOptions()
    options.enable_profiling, options.profile_file_prefix = True, f"{folder}/ort"
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    session.run(None, {"x": numpy.ones((8, 32), numpy.float32)})
    profile = Path(session.end_profiling())
    found = arenascope("list", file=profile)["found"]
    # Floats of 8 rows: x has 32 columns, a and b 64, c and y 128; w is a parameter.
    columns = {"first reads": 32, "first writes": 64, "second reads": 64, "second writes": 64,
               "joined reads": 128, "joined writes": 128, "last reads": 128, "last writes": 128}
    expected = {name: 8 * 4 * count for name, count in columns.items()}
    yield "onnxruntime, profile", {it["name"]: it["size"] for it in found}, expected
    yield from damaged(profile, profile.stat().st_size // 2)


def tflm(folder):
    """The log of `RecordingMicroAllocator`, for each model that the interpreter runs."""
    from tflite_micro.python.tflite_micro import runtime

    models = [*Path(runtime.__file__).parent.rglob("*.tflite"), *Path(sys.argv[3]).glob("*.tflite")]
    for model in sorted(models):
        quiet = Quiet()
        with quiet:
            try:
                runtime.Interpreter.from_file(str(model), arena_size=16 << 20).print_allocations()
            except RuntimeError:
                continue
        log = Path(folder, f"{model.stem}.log")
        log.write_text(quiet.text)
        total = re.search(r"Arena allocation total (\d+) bytes", quiet.text)
        yield f"tflm, {model.name}: total", arenascope("waste", file=log)["figures"][0]["bytes"], int(total[1])


def torch(folder):
    """A profile with memory, and its exports, of one training step on the CPU."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    x = torch.randn(32, 64)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True, record_shapes=True, with_stack=True) as found:
        model(x).square().mean().backward()
    trace = Path(folder, "trace.json")
    found.export_chrome_trace(str(trace))
    events = [it for it in json.loads(trace.read_text())["traceEvents"] if it.get("name") == "[memory]"]
    # The profiler counts what is allocated by itself, event by event.
    most = max(it["args"]["Total Allocated"] for it in events)
    yield "torch, trace: needed at the peak", arenascope("bounds", file=trace)["bounds"]["offsets"], most
    yield from damaged(trace, trace.stat().st_size // 2)

    sums, raw = Path(folder, "timeline.json"), Path(folder, "timeline.raw.json.gz")
    found.export_memory_timeline(str(sums), device="cpu")
    found.export_memory_timeline(str(raw), device="cpu")
    _, sizes = json.loads(sums.read_text())
    most = max(sum(moment) for moment in sizes)
    yield "torch, timeline: needed at the peak", arenascope("bounds", file=raw)["bounds"]["offsets"], most
    said = arenascope("bounds", file=sums, fails=True)
    yield "torch, timeline of sums: its peak is said", f"{most} B" in said, True
    plain = Path(folder, "timeline.raw.json")
    plain.write_bytes(gzip.decompress(raw.read_bytes()))
    yield "torch, timeline without gzip", arenascope("bounds", file=plain)["bounds"]["offsets"], most


def exports(folder):
    """Modules by both exporters, as they are and quantised, against ONNX Runtime."""
    import exported

    program = Path(sys.argv[1]).resolve().with_name("corpus")
    for name, content, feeds in exported.cases():
        yield f"exports, {name}", exported.judged(program, content, feeds), "agrees"


def compiled(folder):
    """What torch.compile's partitioner saves, as it was written down."""
    data = Path(__file__).with_name("data")
    for script, answers in [("min_cut.py", "min_cut.txt"), ("compiled.py", "compiled.txt")]:
        run = subprocess.run([sys.executable, "-S", "-B", data / script, data / answers], check=False)
        yield f"compiled, {answers}", run.returncode, 0


def main():
    producers = {it.__name__: it for it in [jax, onnxruntime, tflm, torch, exports, compiled]}
    good, bad = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for what, ours, theirs in producers[sys.argv[2]](folder):
            good, bad = good + (ours == theirs), bad + (ours != theirs)
            print(f"  {'ok     ' if ours == theirs else 'FAILED '} {what}: {ours}" + ("" if ours == theirs else f", not {theirs}"))
    print(f"  {good} passed" + (f", {bad} failed" if bad else ""))
    return 1 if bad else 0


sys.exit(main())
