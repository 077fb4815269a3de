"""Writes a small memory snapshot by hand, in the fields and the order of PyTorch 2.6, as
protocol{2,3,4,5}.pickle beside this file. tests/planner/dumps/torch/golden.rs says what is
in it. Needs nothing but Python."""

import pathlib
import pickle
import sys

MIB = 1 << 20
SMALL = 0x7F0000000000
LARGE = 0x7F0020000000


def frame(name, filename, line):
    return {"name": name, "filename": filename, "line": line}


step = frame("step", "/home/k/训练.py", 41)
linear = frame("linear", "/torch/nn/" + "deep/" * 60 + "functional.py", 2317)
malloc = frame("c10::cuda::malloc(unsigned long)", "??", 0)
made_by = [malloc, linear, step]
kept_by = [step]


def event(number, action, addr, size, frames=None):
    it = {}
    if frames is not None:
        it["frames"] = frames
    it["action"] = action
    it["device_free" if action == "oom" else "addr"] = addr
    it["size"] = size
    it["stream"] = 0
    it["time_us"] = 1_700_000_000_000_000 + 10 * number
    it["compile_context"] = "N/A"
    it["user_metadata"] = ""
    return it


def block(address, size, requested, state, frames):
    return {
        "address": address,
        "size": size,
        "requested_size": requested,
        "state": state,
        "frames": frames,
    }


def segment(address, size, kind, pool, blocks):
    active = [it for it in blocks if it["state"] != "inactive"]
    return {
        "device": 0,
        "address": address,
        "total_size": size,
        "allocated_size": sum(it["size"] for it in blocks if it["state"] == "active_allocated"),
        "active_size": sum(it["size"] for it in active),
        "requested_size": sum(it["requested_size"] for it in active),
        "stream": 0,
        "segment_type": kind,
        "segment_pool_id": pool,
        "is_expandable": False,
        "frames": [],
        "blocks": blocks,
    }


snapshot = {
    "segments": [
        segment(SMALL, 2 * MIB, "small", (0, 0), [
            block(SMALL, 512, 400, "active_allocated", kept_by),
            block(SMALL + 512, 1024, 700, "active_allocated", made_by),
            block(SMALL + 1536, 2 * MIB - 1536, 0, "inactive", []),
        ]),
        segment(LARGE, 20 * MIB, "large", (1, 0), [
            block(LARGE, 3 * MIB, 3 * MIB, "active_pending_free", made_by),
            block(LARGE + 3 * MIB, 17 * MIB, 0, "inactive", []),
        ]),
    ],
    "device_traces": [
        [
            event(0, "free_requested", SMALL + 512, 1000, kept_by),
            event(1, "free_completed", SMALL + 512, 1000, kept_by),
            event(2, "segment_alloc", LARGE, 20 * MIB, made_by),
            event(3, "alloc", LARGE, 3 * MIB, made_by),
            event(4, "alloc", SMALL + 512, 700, made_by),
            event(5, "free_requested", LARGE, 3 * MIB, kept_by),
            event(6, "oom", 123_456_789, 1 << 40, made_by),
            event(7, "snapshot", 0, 0),
        ],
        [],
    ],
    "allocator_settings": {
        "PYTORCH_CUDA_ALLOC_CONF": "",
        "max_split_size": -1,
        "garbage_collection_threshold": 0.0,
        "expandable_segments": False,
        "pinned_num_register_threads": 1,
        "release_lock_on_cudamalloc": False,
        "pinned_use_cuda_host_register": False,
        "roundup_power2_divisions": {str(1 << power): 0 for power in range(16)},
    },
    "external_annotations": [
        {"name": "forward", "stage": "START", "device": 0, "time_us": 1_700_000_000_000_025},
    ],
}

if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__)
    folder = folder if folder.is_dir() else folder.parent
    for protocol in range(2, 6):
        (folder / f"protocol{protocol}.pickle").write_bytes(pickle.dumps(snapshot, protocol))
