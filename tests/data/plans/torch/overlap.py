"""Writes overlap.pickle: a snapshot that contradicts itself, made by hand. Two blocks of 4 MiB that
are in use share 2 MiB of a segment of 20 MiB.

    python3 overlap.py
"""

import pathlib
import pickle

MIB = 1 << 20
BASE = 0x7F0000000000

places = [(0, 4), (2, 4)]
blocks = [{"address": BASE + at * MIB, "size": size * MIB, "requested_size": size * MIB,
           "state": "active_allocated", "frames": []} for at, size in places]
blocks.append({"address": BASE + 6 * MIB, "size": 14 * MIB, "requested_size": 0,
               "state": "inactive", "frames": []})
segment = {"device": 0, "address": BASE, "total_size": 20 * MIB, "allocated_size": 8 * MIB,
           "active_size": 8 * MIB, "requested_size": 8 * MIB, "stream": 0, "segment_type": "large",
           "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": blocks}
snapshot = {"segments": [segment], "device_traces": [[]]}
pathlib.Path(__file__).with_suffix(".pickle").write_bytes(pickle.dumps(snapshot, protocol=4))
