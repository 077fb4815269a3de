"""Writes stalloc.json: what STAlloc's own synthesizer plans for eight traces without groups, and for
three with groups, where these make the plan smaller: it plans both ways as with `--autotune`.

`python3 stalloc.py PATH/Synthesizer/allocator.py > stalloc.json`, with a checkout of
infinigence/STAlloc and a Python that has numpy, scikit-learn and matplotlib. With `--check` it
compares with what is there instead. Without the path it says that it is skipped.

What is there was made with functions copied by hand from the repository's text,
because a checkout could not be had: `--check` with one is still to be done.

Times are numbers of events from 1 on, each a request or a release of its own, as in a trace. Groups
are made of what begins in one phase and ends in another, as plan_generator.py makes them of phases
that are named; what begins before the first phase is in none.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
NEVER = 1 << 40


class Trace:
    """Requests and releases, one after the other."""

    def __init__(self):
        self.clock = 0
        self.live = {}
        self.blocks = []

    def tick(self):
        self.clock += 1
        return self.clock

    def take(self, name, size):
        self.live[name] = len(self.blocks)
        self.blocks.append([self.tick(), None, size])

    def drop(self, name):
        self.blocks[self.live.pop(name)][1] = self.tick()

    def end(self):
        for name in list(self.live):
            self.drop(name)
        return self.blocks


def training(layers, hidden, tokens):
    """Two steps of a transformer: weights, activations kept for the way back, gradients,
    and a loss scale that lives from one step into the next."""
    trace = Trace()
    for layer in range(layers):
        for part, size in (("qkv", 3), ("out", 1), ("up", 4), ("down", 4)):
            trace.take(f"w{part}{layer}", size * hidden * hidden * 2)
    starts = []
    for step in range(2):
        starts.append(trace.clock + 1)
        if step:
            trace.drop(f"scale{step - 1}")
        for layer in range(layers):
            for part, size in (("norm", 2), ("qkv", 6), ("scores", 5), ("mixed", 2), ("up", 8)):
                trace.take(f"{part}{layer}", size * tokens * hidden)
                if part == "scores":
                    trace.take("mask", tokens * tokens)
                    trace.drop("mask")
            trace.take("scratch", 3 * tokens * hidden + 100 * layer)
            trace.take(f"sum{layer}", 2 * tokens * hidden)
            trace.drop("scratch")
        trace.take(f"scale{step}", 2 * tokens * hidden)
        trace.take("back", 2 * tokens * hidden)
        for layer in reversed(range(layers)):
            for part, size in (("up", 8), ("mixed", 2), ("scores", 5), ("qkv", 6), ("norm", 2)):
                trace.take("grad", size * tokens * hidden)
                trace.take("next", 2 * tokens * hidden)
                trace.drop(f"{part}{layer}")
                trace.drop("back")
                trace.drop("grad")
                trace.live["back"] = trace.live.pop("next")
            trace.drop(f"sum{layer}")
            trace.take(f"g{layer}", 12 * hidden * hidden * 2)
        trace.drop("back")
        for layer in range(layers):
            trace.take("moment", 4 * hidden * hidden)
            trace.drop(f"g{layer}")
            trace.drop("moment")
    iteration = [starts[1], starts[1] + starts[1] - starts[0]]
    return trace.end(), iteration


def arbitrary(seed, count, sizes, most):
    """Requests and releases in any order, at most so many alive."""
    rnd = random.Random(seed)
    trace = Trace()
    asked = 0
    while asked < count:
        crowded = rnd.randrange(most) < len(trace.live)
        if trace.live and crowded:
            trace.drop(rnd.choice(sorted(trace.live)))
        else:
            trace.take(f"{asked:06}", sizes(rnd))
            asked += 1
    return trace.end()


def passing(seed, phases, events, sizes):
    """Phases that request more or release more, the oldest, the newest or any; each begins with a
    request."""
    rnd = random.Random(seed)
    trace = Trace()
    starts = []
    asked = 0
    for phase in range(phases):
        starts.append(trace.clock + 1)
        share = rnd.choice([0.3, 0.4, 0.6, 0.8])
        for event in range(rnd.randrange(2, events)):
            names = sorted(trace.live)
            if event == 0 or not names or rnd.random() < share:
                trace.take(f"{asked:06}", 512 * rnd.choice(sizes) - rnd.randrange(3))
                asked += 1
            else:
                trace.drop(rnd.choice([names[0], names[-1], names[-1], rnd.choice(names)]))
    return trace.end(), starts


def traces():
    blocks, iteration = training(4, 384, 640)
    yield "a transformer's training step", blocks, iteration
    yield "the same without iterations", blocks, [NEVER, 2 * NEVER]
    sizes = lambda rnd: rnd.randrange(1, 1 << rnd.randrange(6, 22))
    yield "arbitrary lifetimes and sizes", arbitrary(1, 260, sizes, 24), [NEVER, 2 * NEVER]
    few = lambda rnd: 512 * rnd.choice([1, 2, 3, 5, 8, 8, 13]) - rnd.randrange(3)
    yield "few sizes", arbitrary(2, 300, few, 60), [NEVER, 2 * NEVER]
    yield "one size", arbitrary(3, 200, lambda rnd: 4000, 30), [NEVER, 2 * NEVER]
    # A loop that is cut anywhere: what is live over the cut meets itself.
    yield "few sizes in a loop", arbitrary(4, 300, few, 40), [1, 420]
    yield "arbitrary sizes in a loop", arbitrary(5, 240, sizes, 30), [1, 300]
    yield "two sizes, a loop that begins late", arbitrary(6, 200, lambda rnd: rnd.choice([512, 1536]), 30), [80, 260]

    never = [NEVER, 2 * NEVER]
    blocks, starts = passing(355, 7, 40, [1, 2, 3, 5, 8, 13])
    yield "groups within groups", blocks, never, starts
    blocks, starts = passing(293, 7, 40, range(1, 40))
    yield "groups of many sizes", blocks, never, starts
    blocks, starts = passing(19, 7, 40, [1, 2, 4, 8])
    yield "groups in a loop", blocks, [starts[3], starts[5]], starts


def grouped(blocks, phases):
    """The blocks of each group, by the group's start, and all others."""
    groups, rest = {}, []
    for block in blocks:
        start, end = (sum(phase <= at for phase in phases) for at in block[:2])
        passes = start > 0 and start != end
        (groups.setdefault((start, end), []) if passes else rest).append(block)
    return sorted(groups.values()), rest


def synthesized(synthesizer, blocks, iteration, phases):
    groups, rest = grouped(blocks, phases)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "dev0.txt")
        with open(path, "w") as file:
            for start, end, size in rest:
                file.write(f"{start} {end} {size}\n")
        command = [sys.executable, synthesizer, "--split-and-fuse", f"--input={path}"]
        if groups:
            others, path = path, os.path.join(folder, "dev0_group.txt")
            command[2:] = ["--group-fuse", f"--input={path}", f"--unallocated-tensors-path={others}"]
            with open(path, "w") as file:
                for group in groups:
                    usage = sum((size + 511) // 512 * 512 for _, _, size in group)
                    file.write(f"group : {group[0][0]} {max(end for _, end, _ in group)} {usage}\n")
                    for start, end, size in group:
                        file.write(f"{start} {end} {size}\n")
        command += ["--iter1-start", str(iteration[0]), "--iter1-end", str(iteration[1])]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(path.replace(".txt", "_allocated_plan.txt")) as file:
            total, *lines = file.read().splitlines()
    rows = [[int(word) for word in line.split()] for line in lines]
    assert [row[:3] for row in rows] == blocks
    return int(total), rows


def main():
    given = [word for word in sys.argv[1:] if word != "--check"]
    if not given:
        print("skipped: STAlloc's synthesizer is not here; name its allocator.py", file=sys.stderr)
        return
    cases = []
    for name, blocks, iteration, *phases in traces():
        total, rows = synthesized(given[0], blocks, iteration, [])
        ends = None if iteration[0] == NEVER else iteration
        case = {"name": name, "iteration": ends, "total": total, "blocks": rows}
        if phases:
            in_groups, rows = synthesized(given[0], blocks, iteration, phases[0])
            assert in_groups < total, f"groups are of no use: {name}"
            case.update(total=in_groups, blocks=rows, phases=phases[0])
        cases.append(case)
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    text = '{"source":"STAlloc 3a9f97ff, Synthesizer/allocator.py --split-and-fuse, with phases --group-fuse; blocks are ' \
        'start, end, size, offset","cases":[\n' + lines + "\n]}\n"
    if "--check" not in sys.argv:
        sys.stdout.write(text)
        return
    with open(os.path.join(HERE, "stalloc.json")) as file:
        sys.exit(0 if file.read() == text else "stalloc.json differs from what STAlloc plans")


main()
