"""Writes limited.pickle: a snapshot of a process with a limit of its own, made by hand. 8 GiB are
held, and 2 GiB more are refused although the device has 14 GiB left.

    python3 limited.py
"""

import pathlib
import pickle

GIB = 1 << 30
BASE = 0x7F0000000000


def frames(name, line):
    return [{"name": name, "filename": "/home/k/train.py", "line": line}]


def event(action, address, size, name, line, **more):
    return {"action": action, "addr": address, "size": size, "stream": 0,
            "frames": frames(name, line), **more}


trace = [event("segment_alloc", BASE, 8 * GIB, "weights", 4),
         event("alloc", BASE, 8 * GIB, "weights", 4),
         event("oom", 0, 2 * GIB, "scores", 7, device_free=14 * GIB)]
block = {"address": BASE, "size": 8 * GIB, "requested_size": 8 * GIB, "state": "active_allocated",
         "frames": frames("weights", 4)}
segment = {"device": 0, "address": BASE, "total_size": 8 * GIB, "allocated_size": 8 * GIB,
           "active_size": 8 * GIB, "requested_size": 8 * GIB, "stream": 0, "segment_type": "large",
           "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": [block]}
snapshot = {"segments": [segment], "device_traces": [trace]}
pathlib.Path(__file__).with_suffix(".pickle").write_bytes(pickle.dumps(snapshot, protocol=4))
