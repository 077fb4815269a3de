"""Writes a large memory snapshot as PyTorch does: every event has a list of frames of its own, and
the frames are shared. It is written piece by piece, so that no more than its live blocks is ever
in memory. Not run by the tests; to see what opening takes:

    python3 tests/large_snapshot.py 300 /tmp/large.pickle
    /usr/bin/time -v arenascope waste /tmp/large.pickle

The first number is the size in MB; a third argument is how deep stacks are (as with stacks="all",
80). Needs nothing but Python."""

import io
import struct
import sys
from collections import deque

MIB = 1 << 20
BASE = 0x7F00_0000_0000
SEGMENTS, SLOTS = 200, 10
FRAMES, STACKS = 3000, 2000


class Pickle:
    """A pickle of protocol 4 that remembers what it writes, in the order in which it does."""

    def __init__(self, out):
        self.out, self.known, self.count, self.written = out, {}, 0, 0
        self.put(b"\x80\x04")

    def put(self, data):
        self.out.write(data)
        self.written += len(data)

    def memoize(self):
        self.put(b"\x94")
        self.count += 1
        return self.count - 1

    def get(self, number):
        self.put(b"h" + bytes([number]) if number < 256 else b"j" + struct.pack("<I", number))

    def text(self, text):
        if text in self.known:
            return self.get(self.known[text])
        data = text.encode()
        self.put(b"X" + struct.pack("<I", len(data)) + data)
        self.known[text] = self.memoize()

    def int(self, number):
        if number < 1 << 31:
            return self.put(b"J" + struct.pack("<i", number))
        self.put(b"\x8a\x08" + struct.pack("<q", number))

    def dict(self, pairs):
        self.put(b"}")
        number = self.memoize()
        self.put(b"(")
        for key, value in pairs:
            self.text(key)
            if callable(value):
                value()
            elif isinstance(value, bool):
                self.put(b"\x88" if value else b"\x89")
            elif isinstance(value, str):
                self.text(value)
            else:
                self.int(value)
        self.put(b"u")
        return number

    def list(self, fill):
        self.put(b"]")
        self.memoize()
        self.put(b"(")
        fill()
        self.put(b"e")


class Snapshot:
    """Blocks of 2 MiB that come and go in segments of 20 MiB; nine of ten live for a while."""

    def __init__(self, pickle, depth):
        self.pickle, self.depth, self.frames, self.stacks = pickle, depth, {}, {}
        self.state = 1

    def chance(self, below):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self.state >> 33) % below

    def frame(self, number):
        if number in self.frames:
            return self.pickle.get(self.frames[number])
        python = number % 3 == 0
        name = f"forward_{number}" if python else f"at::_ops::op{number}::call(at::Tensor const&)"
        file = f"/home/k/model_{number % 40}.py" if python else "??"
        pairs = [("name", name), ("filename", file), ("line", number if python else 0)]
        self.frames[number] = self.pickle.dict(pairs)

    def stack(self, number):
        """A list of its own; what is in it is the same bytes once its frames are known."""
        p = self.pickle
        if number in self.stacks:
            p.put(self.stacks[number])
            p.count += 1
            return
        def fill():
            for level in range(self.depth):
                self.frame((number * 7 + level * (1 + number % 5)) % FRAMES)

        out, p.out, known = p.out, io.BytesIO(), len(self.frames)
        p.list(fill)
        data, p.out = p.out.getvalue(), out
        out.write(data)
        if len(self.frames) == known:
            self.stacks[number] = data

    def events(self, count):
        """What happens: an action, an address, a stack. The same for the same seed."""
        free, live = deque(range(SEGMENTS * SLOTS)), deque()
        self.state = 1
        while count > 0:
            if free and (not live or self.chance(1000) < 520):
                slot, stack = free.popleft(), self.chance(STACKS)
                live.append((slot, stack))
                yield "alloc", slot, stack
                count -= 1
            elif live:
                live.rotate(-self.chance(8))
                slot, stack = live.popleft()
                yield "free_requested", slot, stack
                yield "free_completed", slot, stack
                free.append(slot)
                count -= 2
        self.live = dict(live)

    def write(self, count):
        for _ in self.events(count):
            pass
        self.pickle.dict([("segments", self.segments), ("device_traces", lambda: self.traces(count))])
        self.pickle.put(b".")

    def segments(self):
        self.pickle.list(lambda: [self.segment(number) for number in range(SEGMENTS)])

    def segment(self, number):
        slots = range(number * SLOTS, (number + 1) * SLOTS)
        active = 2 * MIB * sum(slot in self.live for slot in slots)
        self.pickle.dict([
            ("device", 0), ("address", BASE + number * 20 * MIB), ("total_size", 20 * MIB),
            ("allocated_size", active), ("active_size", active), ("stream", 0),
            ("segment_type", "large"), ("is_expandable", False),
            ("blocks", lambda: self.pickle.list(lambda: [self.block(slot) for slot in slots])),
        ])

    def block(self, slot):
        stack = self.live.get(slot)
        self.pickle.dict([
            ("address", BASE + slot * 2 * MIB), ("size", 2 * MIB),
            ("requested_size", 0 if stack is None else 2 * MIB),
            ("state", "inactive" if stack is None else "active_allocated"),
            ("frames", lambda: self.pickle.list(lambda: None) if stack is None else self.stack(stack)),
        ])

    def traces(self, count):
        self.pickle.list(lambda: self.pickle.list(lambda: self.trace(count)))

    def trace(self, count):
        for number, (action, slot, stack) in enumerate(self.events(count)):
            self.pickle.dict([
                ("action", action), ("addr", BASE + slot * 2 * MIB), ("size", 2 * MIB),
                ("stream", 0), ("time_us", 1_700_000_000_000_000 + 10 * number),
                ("frames", lambda stack=stack: self.stack(stack)), ("compile_context", "N/A"),
            ])
            # Python writes long lists in batches.
            if number % 1000 == 999:
                self.pickle.put(b"e(")


def main(megabytes, path, depth="80"):
    each = 62 + 5 * int(depth)
    with open(path, "wb") as out:
        pickle = Pickle(out)
        count = int(float(megabytes) * 1e6) // each
        Snapshot(pickle, int(depth)).write(count)
        print(f"{count} events, {pickle.written} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
