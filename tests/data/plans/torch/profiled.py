"""Makes profiler_trace.json, memory_timeline.raw.json and memory_timeline.json beside it: one
training step of a small network on the CPU, as torch 2.15's profiler exports it.

Usage: python profiled.py, where torch and numpy are installed. Of the trace only what the reader
looks at is kept: memory events, operators, and this file's own Python functions.
"""

import gzip
import json
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from torch.profiler import ProfilerActivity, profile

HERE = Path(__file__).parent
FIELDS = ("ph", "cat", "name", "pid", "tid", "ts", "dur")


def step(net, optimizer, batch, labels):
    optimizer.zero_grad(set_to_none=True)
    loss = torch.nn.functional.cross_entropy(net(batch), labels)
    loss.backward()
    optimizer.step()


def kept(event):
    if event.get("name") == "[memory]":
        return event
    ours = event.get("cat") == "python_function" and Path(__file__).name in event["name"]
    if event.get("cat") == "cpu_op" or ours:
        return {field: event[field] for field in FIELDS}
    return None


def main():
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    layers = [torch.nn.Linear(64, 96), torch.nn.ReLU(), torch.nn.Linear(96, 10)]
    net = torch.nn.Sequential(*layers)
    optimizer = torch.optim.Adam(net.parameters())
    batch, labels = torch.randn(32, 64), torch.randint(0, 10, (32,))
    step(net, optimizer, batch, labels)
    kinds = [ProfilerActivity.CPU]
    with profile(activities=kinds, profile_memory=True, record_shapes=True, with_stack=True) as seen:
        step(net, optimizer, batch, labels)
    with TemporaryDirectory() as folder:
        trace, raw, sums = (Path(folder) / name for name in ("t.json", "r.raw.json.gz", "s.json"))
        seen.export_chrome_trace(str(trace))
        seen.export_memory_timeline(str(raw), device="cpu")
        seen.export_memory_timeline(str(sums), device="cpu")
        events = [kept(event) for event in json.loads(trace.read_text())["traceEvents"]]
        events = {"schemaVersion": 1, "traceEvents": [event for event in events if event]}
        (HERE / "profiler_trace.json").write_text(json.dumps(events))
        (HERE / "memory_timeline.raw.json").write_bytes(gzip.decompress(raw.read_bytes()))
        (HERE / "memory_timeline.json").write_bytes(sums.read_bytes())


main()
