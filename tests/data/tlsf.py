"""Writes tlsf.json: where tinygrad's own TLSFAllocator puts arbitrary requests.

`python3 tlsf.py > tlsf.json` with tinygrad 0.14.0 of PyPI; `--check` compares with what is there
instead. Without tinygrad it says that it is skipped.

A case is a list of requests: size, alignment, and the events with which they come and go; each
event is one request or one release. The space is that of `memory_plan_rewrite`, twice the bytes
of all requests in whole blocks of 256, and room for what their alignments add.
"""
import json
import os
import random
import sys

try:
    from tinygrad.runtime.support.memory import TLSFAllocator
except ImportError:
    print("skipped: there is no tinygrad 0.14.0: pip install tinygrad==0.14.0", file=sys.stderr)
    sys.exit(0)

HERE = os.path.dirname(os.path.abspath(__file__))
BLOCK = 256


def whole(size):
    return -(-size // BLOCK) * BLOCK


def requests(seed):
    """Size, alignment, first event, event of the release."""
    rnd = random.Random(seed)
    aligned = seed % 2
    crowd = rnd.choice([4, 12, 40, 90])
    bits = rnd.choice([10, 14, 20, 28])
    made, live, clock = [], [], 0
    while len(made) < 70:
        if live and rnd.randrange(crowd) < len(live):
            made[live.pop(rnd.randrange(len(live)))][3] = clock
        else:
            size = rnd.randrange(1, 2 << rnd.randrange(6, bits))
            align = 1 << rnd.randrange(9, 14) if aligned and rnd.randrange(3) == 0 else 1
            live.append(len(made))
            made.append([size, align, clock, None])
        clock += 1
    for index in live:
        made[index][3] = clock
        clock += 1
    return made


def placed(made):
    space = sum(2 * (whole(size) + align - 1) for size, align, _, _ in made)
    allocator = TLSFAllocator(space, block_size=BLOCK, lv2_cnt=32)
    events = {start: index for index, (_, _, start, _) in enumerate(made)}
    ends = {end: index for index, (_, _, _, end) in enumerate(made)}
    offsets = [None] * len(made)
    for clock in sorted([*events, *ends]):
        if clock in events:
            index = events[clock]
            size, align, _, _ = made[index]
            offsets[index] = allocator.alloc(whole(size), align)
        else:
            allocator.free(offsets[ends[clock]])
    return offsets


def main():
    cases = []
    for seed in range(40):
        made = requests(seed)
        rows = [row + [offset] for row, offset in zip(made, placed(made))]
        cases.append(json.dumps(rows, separators=(",", ":")))
    text = '{"source":"tinygrad 0.14.0, TLSFAllocator; requests are size, alignment, start, ' \
        'end, offset","cases":[\n' + ",\n".join(cases) + "\n]}\n"
    if "--check" not in sys.argv:
        sys.stdout.write(text)
        return
    with open(os.path.join(HERE, "tlsf.json")) as file:
        sys.exit(0 if file.read() == text else "tlsf.json differs from what tinygrad does")


main()
