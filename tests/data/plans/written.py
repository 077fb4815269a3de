"""Writes the dumps of tools that no package brings: their own print statements, spelled again.

Usage: python3 written.py, in the folder that it stands in.

The plans are published ones. person_detect: the buffers of TestPersonDetectionModel in TFLite
Micro's greedy_memory_planner_test.cc (Apache-2.0, figures only) where its greedy planner puts
them. leading_gap: the three tensors of XNNPACK issue 10800, 240 bytes where 180 do. overwrite:
the intervals of the Overwrite case of MegEngine's static_mem_alloc.cpp (Apache-2.0, figures
only), which need no more than the first.
"""

import json
import os

# Size, first and last step, both included.
PERSON_DETECT = [(9216, 0, 29), (3, 28, 29), (256, 27, 28), (2304, 26, 27), (2304, 25, 26)]
PERSON_DETECT += [(2304, 24, 25), (1152, 23, 24)] + [(4608, at, at + 1) for at in range(22, 11, -1)]
PERSON_DETECT += [(2304, 11, 12), (9216, 10, 11), (9216, 9, 10), (9216, 8, 9), (4608, 7, 8)]
PERSON_DETECT += [(18432, 6, 7), (18432, 5, 6), (18432, 4, 5), (9216, 3, 4), (36864, 2, 3)]
PERSON_DETECT += [(18432, 1, 2), (18432, 0, 1)]
OFFSETS = [55296, 0, 2304, 0, 2304, 0] + [4608, 0] * 6 + [9216, 0, 9216, 0, 18432, 0, 18432, 0]
OFFSETS += [36864, 0, 36864, 0]
# Name, size, first and last step, offset.
LEADING_GAP = [("a", 100, 0, 1, 0), ("b", 80, 1, 2, 100), ("c", 60, 2, 3, 180)]
# Id, size, begin, end, offset, and the first of its chain; half-open.
OVERWRITE = [(0, 3, 0, 2, 0, -1), (1, 1, 1, 3, 1, 0), (2, 1, 2, 4, 1, 0)]
WEIGHTS = [(3, 16, 0, 4, 3), (4, 8, 0, 4, 19)]


def tflm(plan):
    """GreedyMemoryPlanner::PrintMemoryPlan."""
    signs = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    signs = [signs[i] if i < len(signs) else "*" for i in range(len(plan))]
    for i, (size, first, last, offset) in enumerate(plan):
        yield f"{signs[i]} (id={i}): size={size}, offset={offset}, first_used={first} last_used={last}"
    height = max(80, *(offset + size for size, _, _, offset in plan))
    for step in range(1 + max(last for _, _, last, _ in plan)):
        line, live = ["."] * 80, 0
        for i, (size, first, last, offset) in enumerate(plan):
            if first <= step <= last:
                live += size
                for at in range(offset * 80 // height, (offset + size) * 80 // height):
                    line[at] = signs[i] if line[at] == "." else "!"
        yield f"{step:2}: {''.join(line)} ({(live + 1023) // 1024}k)"


def executorch(plan):
    """activation_memory_profiler.generate_memory_trace with enable_memory_offsets."""
    stack = '  File "net.py", line {}, in forward\n    y = self.{}(x)\n'
    events = [
        {
            "name": name,
            "cat": "memory_allocation",
            "ph": "X",
            "ts": offset,
            "dur": size,
            "pid": 1,
            "tid": step,
            "args": {
                "op_name": f"<EdgeOpOverload: aten.{name}.default>: schema = aten::{name}(Tensor self) -> Tensor",
                "Memory ID": 1,
                "fqn": f"L['self'].{name}",
                "source": stack.format(10 + first, name),
                "bytes": size,
            },
        }
        for step in range(1 + max(last for _, _, _, last, _ in plan))
        for name, size, first, last, offset in plan
        if first <= step <= last
    ]
    return json.dumps({"traceEvents": events}, indent=2)


def onnx_runtime(plan):
    """MemoryInfo::GenerateMemoryProfile: an array, and a bar before each step."""
    name = {"ph": "M", "name": "process_name", "pid": 7, "args": {"name": "GPU (static activations)"}}
    sort = {"ph": "M", "name": "process_sort_index", "pid": 7, "args": {"sort_index": "7"}}
    events = [name, sort]
    for step in sorted({step for _, _, *span, _ in plan for step in span}):
        live = [it for it in plan if it[2] <= step <= it[3]]
        for name, size, _, _, offset in live:
            args = {"name": name, "offset": offset, "size": size}
            event = {"ph": "X", "pid": 7, "tid": step, "ts": offset, "dur": size, "name": name}
            events.append({**event, "cname": "good", "args": args})
        total, used = max(it[4] + it[1] for it in live), sum(it[1] for it in live)
        args = {"total_bytes": total, "used_bytes": used, "free_bytes": total - used}
        args |= {"used_percent": used / total, "free_percent": 1 - used / total}
        bar = {"ph": "X", "pid": 7, "tid": step, "ts": -24, "dur": 24, "name": "Summary"}
        events.append({**bar, "cname": "black", "args": {**args, "bytes for pattern": used}})
    lines = ",\n".join(f"  {json.dumps(event, separators=(',', ':'))}" for event in events)
    return f"[\n{lines}\n]\n"


def megengine_info():
    """StaticMemRecorder::dump_to_json."""
    chunks = [(it, "static_mem") for it in OVERWRITE] + [((*it, -1), "weight_mem") for it in WEIGHTS]
    names = ("id", "time_begin", "time_end", "logic_addr_begin", "logic_addr_end", "overwrite_dest_id")
    chunk = {}
    for (number, size, begin, end, offset, root), kind in chunks:
        values = map(str, (number, begin, end, offset, offset + size, root))
        chunk[str(number)] = dict(zip(names, values)) | {"type": kind}
    oprs = {str(i): {"id": str(i), "name": f"opr{i}"} for i in range(4)}
    return json.dumps({"chunk": chunk, "opr": oprs})


def megengine_intervals():
    """StaticMemAllocImplHelper::dbg_dump_interval_list; who is over whom at which byte."""
    lines = [f"{begin} {end} {size}" for _, size, begin, end, _, _ in OVERWRITE]
    return "\n".join([str(len(lines)), *lines, "2", "1 0 1", "2 1 0", ""])


def megengine_result():
    """What dbg_load_interval_list prints."""
    yield f"allocation result tot_alloc=3({3 / 2**20:.2f}MiB):"
    for number, size, begin, end, offset, _ in OVERWRITE:
        place = f"time=[{begin}, {end}) addr=[{offset}, {offset + size})"
        yield f"id={number} size={size}({size / 2**20:.2f}MiB) {place}"


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text if isinstance(text, str) else "".join(f"{line}\n" for line in text))


if __name__ == "__main__":
    person_detect = [(*it, offset) for it, offset in zip(PERSON_DETECT, OFFSETS, strict=True)]
    write("tflm/person_detect.log", tflm(person_detect))
    write("chrome_trace/leading_gap.executorch.json", executorch(LEADING_GAP))
    write("chrome_trace/leading_gap.onnxruntime.json", onnx_runtime(LEADING_GAP))
    write("megengine/StaticMemoryInfo.json", megengine_info())
    write("megengine/mgb-interval-0.txt", megengine_intervals())
    write("megengine/result.txt", megengine_result())
