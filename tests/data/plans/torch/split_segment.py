"""Writes split_segment.pickle: a snapshot of a request that failed, made by hand.

11 GiB are taken and given back, 30 blocks of 16 MiB are placed into that segment, and 11 GiB are
asked for again on a device of 16 GiB, which has 5 GiB left.

    python3 split_segment.py
"""

import pathlib
import pickle

MIB, GIB = 1 << 20, 1 << 30
BASE = 0x7F0000000000


def frame(name, line):
    return [{"name": name, "filename": "/home/k/train.py", "line": line}]


events = []


def event(action, address, size, frames, **more):
    events.append(
        {"action": action, "addr": address, "size": size, "stream": 0, "time_us": 10 * len(events),
         "frames": frames, **more}
    )


scores, layer, step = frame("scores", 20), frame("layer", 30), frame("step", 10)
event("segment_alloc", BASE, 11 * GIB, step)
event("alloc", BASE, 11 * GIB, scores)
event("free_requested", BASE, 11 * GIB, step)
event("free_completed", BASE, 11 * GIB, step)
blocks = []
for number in range(30):
    address = BASE + number * 16 * MIB
    event("alloc", address, 16 * MIB, layer)
    blocks.append({"address": address, "size": 16 * MIB, "requested_size": 16 * MIB,
                   "state": "active_allocated", "frames": layer})
event("oom", 0, 11 * GIB, scores, device_free=5 * GIB)
used = 30 * 16 * MIB
blocks.append({"address": BASE + used, "size": 11 * GIB - used, "requested_size": 0,
               "state": "inactive", "frames": []})
segment = {"device": 0, "address": BASE, "total_size": 11 * GIB, "allocated_size": used,
           "active_size": used, "requested_size": used, "stream": 0, "segment_type": "large",
           "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": blocks}
snapshot = {"segments": [segment], "device_traces": [events],
            "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1,
                                   "garbage_collection_threshold": 0.0, "expandable_segments": False}}
pathlib.Path(__file__).with_suffix(".pickle").write_bytes(pickle.dumps(snapshot, protocol=4))
