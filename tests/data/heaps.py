"""A second implementation of nine deployed planners, to hold the first against.

Written from what the planners are known to do, plainly and slowly: no index, every pair
looked at, numbers drawn by glibc itself. `python3 heaps.py > heap_vectors.json` makes the
vectors again; it needs Linux with glibc. A buffer is (size, first step, step behind the last).
"""

import ctypes
import functools
import json
import random

LIBC = ctypes.CDLL("libc.so.6")
CASES = 24
ATTEMPTS = 500


def up(size, alignment):
    return -(-size // alignment) * alignment


def meet(one, other):
    return one[1] < other[2] and other[1] < one[2]


def in_order(offsets):
    return [offsets[index] for index in range(len(offsets))]


def arena(buffers, offsets):
    return max(offsets[index] + buffers[index][0] for index in range(len(buffers)))


# XLA: GlobalDecreasingSizeBestFitHeap and ChooseBestHeapAlgorithm.


def xla_clock(buffers):
    """Call number of each buffer's allocation and release."""
    order = sorted(range(len(buffers)), key=lambda i: (buffers[i][1], buffers[i][2], i))
    begin, end, clock = {}, {}, 0
    for step in range(max(buffer[2] for buffer in buffers)):
        for times, of in ((begin, lambda b: b[1]), (end, lambda b: b[2] - 1)):
            for index in order:
                if of(buffers[index]) == step:
                    times[index] = clock
                    clock += 1
    return begin, end


def xla(buffers, alignment, temporal):
    begin, end = xla_clock(buffers)

    def first(index):
        size, duration = buffers[index][0], end[index] - begin[index]
        return (-duration, -size, index) if temporal else (-size, -duration, index)

    offsets = {}
    for index in sorted(begin, key=first):
        size = buffers[index][0]
        free = [(0, float("inf"))]
        for other, offset in offsets.items():
            if begin[other] > end[index] or end[other] < begin[index]:
                continue
            behind = up(offset + buffers[other][0], alignment)
            below = [(a, min(b, offset)) for a, b in free if a < offset]
            above = [(max(a, behind), b) for a, b in free if b > behind]
            free = list(dict.fromkeys(below + above))
        fits = [(b - a, a) for a, b in free if b - a >= size]
        # Where the end is open the lowest start is the best.
        closed = [fit for fit in fits if fit[0] < float("inf")]
        offsets[index] = min(closed)[1] if closed else min(a for _, a in fits)
    return in_order(offsets)


def xla_best(buffers, alignment):
    plans = [xla(buffers, alignment, temporal) for temporal in (False, True)]
    return min(plans, key=lambda offsets: arena(buffers, offsets))


# TVM: USMP's greedy_by_size, greedy_by_conflicts and hill_climb.


def usmp_order(buffers, conflicts, conflicts_first):
    def key(index):
        numbers = [buffers[index][0], len(conflicts[index])]
        return (numbers[::-1] if conflicts_first else numbers) + [str(index)]

    return sorted(range(len(buffers)), key=key, reverse=True)


def usmp_conflicts(buffers):
    every = range(len(buffers))
    return [[j for j in every if j != i and meet(buffers[i], buffers[j])] for i in every]


def usmp_stack(buffers, alignment, conflicts_first):
    conflicts = usmp_conflicts(buffers)
    offsets = {}
    for index in usmp_order(buffers, conflicts, conflicts_first):
        below = [other for other in conflicts[index] if other in offsets]
        tops = [up(offsets[other] + buffers[other][0], alignment) for other in below]
        offsets[index] = max(tops, default=0)
    return in_order(offsets)


def usmp_first_fit(buffers, alignment, conflicts, order):
    offsets = {}
    for index in order:
        placed = [other for other in conflicts[index] if other in offsets]
        ends = {o: up(offsets[o] + buffers[o][0], alignment) for o in placed}

        def is_free(offset):
            top = offset + buffers[index][0]
            return all(top <= offsets[o] or ends[o] <= offset for o in placed)

        offsets[index] = min(filter(is_free, {0, *ends.values()}))
    return in_order(offsets)


def usmp_hill_climb(buffers, alignment):
    conflicts = usmp_conflicts(buffers)
    order = usmp_order(buffers, conflicts, False)
    steps = {buffer[1] for buffer in buffers}
    bound = max(sum(b[0] for b in buffers if b[1] <= step < b[2]) for step in steps)
    seed = ctypes.c_uint(0)

    def draw(count):
        return LIBC.rand_r(ctypes.byref(seed)) % count

    def swap(pair):
        one, other = pair
        order[one], order[other] = order[other], order[one]

    kept, pair = None, (0, 0)
    for attempt in range(ATTEMPTS):
        tried = usmp_first_fit(buffers, alignment, conflicts, order)
        size, best = arena(buffers, tried), kept and arena(buffers, kept)
        if kept is None or size < best or draw(100) < 50 * (size - best) // size // attempt:
            kept = tried
            if size <= bound:
                break
        else:
            swap(pair)
        place = {index: at for at, index in enumerate(order)}
        high = arena(buffers, kept)
        peak = [index for index in order if kept[index] + buffers[index][0] == high]
        node = peak[draw(len(peak))]
        first = [o for o in conflicts[node] if place[o] < place[node]]
        second = [p for o in conflicts[node] for p in conflicts[o] if place[p] < place[o]]
        first.sort(key=place.get)
        second.sort(key=place.get)
        if not first:
            continue
        one = other = first[draw(len(first))]
        while other == one and set(first + second) != {one}:
            level = second if second and draw(100) > 25 else first
            other = level[draw(len(level))]
        if other == one:
            # All that may be drawn is one buffer. The draws of one round are made.
            assert len(first) < 2 and len(second) < 2, "TVM never returns from this"
            level = second if second and draw(100) > 25 else first
            draw(len(level))
            continue
        pair = place[one], place[other]
        swap(pair)
    return kept


# MegEngine: StaticMemAllocPushdown, -IntervalMove and -BestFit.


class Overwrites:
    """Who overwrites whom: `pairs` are (who, whom, bytes from its start)."""

    def __init__(self, buffers, pairs):
        self.below, self.above = {}, {}
        for over, under, shift in pairs:
            known = self.above.get(under)
            larger = known is None or buffers[over][0] > buffers[known][0]
            if buffers[over][1] == buffers[under][2] - 1 and over not in self.below and larger:
                self.below.pop(known, None)
                self.above[under], self.below[over] = over, (under, shift)

    def root(self, index):
        """The bottom of its chain, and the bytes from there."""
        offset = 0
        while index in self.below:
            index, shift = self.below[index]
            offset += shift
        return index, offset

    def chain(self, root):
        while root is not None:
            yield root
            root = self.above.get(root)

    def replay(self, buffers, allocator):
        """Calls free, alloc and overwrite in the order of execution."""
        every = range(len(buffers))
        for step in sorted({b[1] for b in buffers} | {b[2] for b in buffers}):
            for index in every:
                if buffers[index][2] == step and index not in self.above:
                    allocator.free(index)
            begin = [index for index in every if buffers[index][1] == step]
            for index in begin:
                if index not in self.below:
                    allocator.alloc(index)
            for index in begin:
                if index in self.below:
                    allocator.overwrite(index, *self.below[index])


class BestFit:
    """Bytes are free or not, one by one; a block is a run of them."""

    def __init__(self, buffers, alignment):
        self.buffers, self.alignment = buffers, alignment
        self.used, self.top, self.offsets = set(), 0, {}

    def blocks(self):
        runs, start = [], None
        for byte in range(self.top + 1):
            is_free = byte < self.top and byte not in self.used
            if is_free and start is None:
                start = byte
            if not is_free and start is not None:
                runs.append((start, byte))
                start = None
        return runs

    def take(self, index, offset):
        self.offsets[index] = offset
        self.used.update(range(offset, offset + self.buffers[index][0]))

    def free(self, index):
        offset = self.offsets[index]
        self.used.difference_update(range(offset, offset + self.buffers[index][0]))

    def alloc(self, index):
        size = self.buffers[index][0]
        aligned = [(up(first, self.alignment), end) for first, end in self.blocks()]
        fits = [(end - first, first) for first, end in aligned if end - first >= size]
        offset = min(fits)[1] if fits else self.top
        self.top = max(self.top, up(offset + size, self.alignment))
        self.take(index, offset)

    def overwrite(self, index, under, shift):
        self.free(under)
        self.take(index, self.offsets[under] + shift)


def best_fit(buffers, alignment, pairs):
    allocator = BestFit(buffers, alignment)
    Overwrites(buffers, pairs).replay(buffers, allocator)
    return in_order(allocator.offsets)


class Blocks:
    """A list of [owner or None, size, end of the last owner, age], from the bottom up."""

    def __init__(self, buffers):
        self.buffers, self.blocks, self.age = buffers, [], 0
        self.rests = {index: set() for index in range(len(buffers))}

    def note(self, index):
        owners = [block[0] for block in self.blocks if block[0] is not None]
        at = owners.index(index)
        self.rests[index].update(owners[max(at - 1, 0) : at])
        for above in owners[at + 1 : at + 2]:
            self.rests[above].add(index)

    def place(self, index):
        return next(at for at, block in enumerate(self.blocks) if block[0] == index)

    def give(self, at, size, end):
        """Free bytes at `at` in the list, joined with their free neighbours."""
        last = [end] if size else []
        for neighbour in (at, at - 1):
            if 0 <= neighbour < len(self.blocks) and self.blocks[neighbour][0] is None:
                _, more, until, _ = self.blocks.pop(neighbour)
                size, last, at = size + more, last + [until], neighbour
        if size:
            self.blocks.insert(at, [None, size, max(last), self.age])
            self.age += 1

    def free(self, index):
        at = self.place(index)
        del self.blocks[at]
        self.give(at, self.buffers[index][0], self.buffers[index][2])

    def alloc(self, index):
        size = self.buffers[index][0]
        free = [block for block in self.blocks if block[0] is None]
        free.sort(key=lambda block: (block[1], -block[2], block[3]))
        if free:
            block = next((block for block in free if block[1] >= size), free[-1])
            left, block[0] = max(block[1] - size, 0), index
            self.give(self.place(index) + 1, left, block[2])
        else:
            self.blocks.append([index, 0, 0, self.age])
            self.age += 1
        self.note(index)

    def overwrite(self, index, under, shift):
        size, _, end = self.buffers[under]
        self.give(self.place(under), shift, end)
        self.give(self.place(under) + 1, size - shift - self.buffers[index][0], end)
        self.blocks[self.place(under)][0] = index
        self.note(index)


def pushdown(buffers, alignment, pairs):
    blocks, overwrites = Blocks(buffers), Overwrites(buffers, pairs)
    overwrites.replay(buffers, blocks)

    @functools.cache
    def offset(root):
        floors = [0]
        for index in overwrites.chain(root):
            for rest in blocks.rests[index]:
                under, shift = overwrites.root(rest)
                top = offset(under) + shift + buffers[rest][0]
                floors.append(top - overwrites.root(index)[1])
        return up(max(floors), alignment)

    roots = [overwrites.root(index) for index in range(len(buffers))]
    return [offset(root) + shift for root, shift in roots]


def interval_move(buffers, alignment, pairs):
    overwrites = Overwrites(buffers, pairs)
    roots = [overwrites.root(index) for index in range(len(buffers))]
    chains = {}
    for index, (root, _) in enumerate(roots):
        end = max(buffers[member][2] for member in overwrites.chain(root))
        chains[root] = (up(buffers[root][0], alignment), buffers[root][1], end)
    offsets = {}

    def top(index):
        return offsets[index] + chains[index][0]

    def above(index):
        live = [o for o in offsets if meet(chains[o], chains[index])]
        return [o for o in live if offsets[o] >= top(index)]

    def lift(index, floor, over):
        if offsets[index] < floor:
            offsets[index] = floor
            for other in over[index]:
                lift(other, top(index), over)

    def turn(index):
        size, start, end = chains[index]
        return (start - end, start, -size, index)

    for index in sorted(chains, key=turn):
        size = chains[index][0]
        peak = max(map(top, offsets), default=0)
        near = [other for other in offsets if meet(chains[other], chains[index])]

        @functools.cache
        def room(other):
            """How far it can rise without a higher peak."""
            rooms = [room(o) + offsets[o] - top(other) for o in above(other)]
            return min([peak - top(other), *rooms])

        fits, costs, behind = [], [], 0
        for other in sorted(near, key=lambda o: (offsets[o], top(o))) + [None]:
            start = peak if other is None else offsets[other]
            if other is None or start >= behind or behind == 0:
                if start - behind >= size:
                    fits.append((start - behind, behind))
                else:
                    lack = size - (start - behind)
                    over = [o for o in near if top(o) > behind]
                    short = [lack - (offsets[o] - start + room(o)) for o in over]
                    costs.append((max([0, behind + size - peak, *short]), lack, behind))
            behind = behind if other is None else max(behind, top(other))
        offset = min(fits)[1] if fits else min(costs)[2]
        over = {other: above(other) for other in offsets}
        for other in near:
            if top(other) > offset:
                lift(other, offset + size, over)
        offsets[index] = offset
    return [offsets[root] + shift for root, shift in roots]


def case(source, number):
    count, steps = [4, 8, 12, 16, 24][number % 5], [8, 16, 30][number % 3]
    alignment = [1, 1, 4][number % 3]
    buffers = []
    for _ in range(count):
        start = source.randrange(steps - 1)
        end = source.randrange(start + 1, min(steps, start + 6) + 1)
        buffers.append((source.randint(1, 40), start, end))
    pairs = []
    for under, below in enumerate(buffers):
        for over, above in enumerate(buffers):
            room = below[0] - above[0]
            meets = above[1] == below[2] - 1 and below[2] - below[1] > 1 and over != under
            if number % 2 and meets and room >= 0 and source.random() < 0.5:
                shift = alignment * source.randint(0, room // alignment)
                pairs.append((over, under, shift))
    source.shuffle(pairs)
    return {
        "alignment": alignment,
        "buffers": buffers,
        "overwrites": pairs,
        "xla_spatial": xla(buffers, alignment, False),
        "xla_temporal": xla(buffers, alignment, True),
        "xla_best": xla_best(buffers, alignment),
        "usmp_by_size": usmp_stack(buffers, alignment, False),
        "usmp_by_conflicts": usmp_stack(buffers, alignment, True),
        "usmp_hill_climb": usmp_hill_climb(buffers, alignment),
        "megengine_pushdown": pushdown(buffers, alignment, pairs),
        "megengine_interval_move": interval_move(buffers, alignment, pairs),
        "megengine_best_fit": best_fit(buffers, alignment, pairs),
    }


def main():
    source = random.Random(2026)
    rows = [json.dumps(case(source, n), separators=(",", ":")) for n in range(CASES)]
    print("[\n" + ",\n".join(rows) + "\n]")


if __name__ == "__main__":
    main()
