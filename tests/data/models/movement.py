"""Cases of operators that move quantised elements."""

import numpy

from .chance import elements, pick, random, whole
from .litert import case, fed, ints, wide
from .tflite import Tensor, options


def padded(index):
    x = fed([1, whole(1, 4), whole(1, 4), whole(1, 3)], "uint8" if index % 3 == 2 else "int8")
    sides = random.integers(0, 3, [4, 2]).astype("int32")
    shape = [size + int(pads.sum()) for size, pads in zip(x.shape, sides)]
    sides = Tensor([4, 2], "int32", data=sides)
    return case("PAD", "PAD", [x, sides], [fed(shape, of=x)], options("Pad"), 2)


def joined(index):
    shape = [1, whole(1, 4), whole(1, 4), whole(1, 5)]
    axis = whole(1, 3)
    x = fed(shape)
    other = list(shape)
    other[axis] = whole(1, 5)
    both = list(shape)
    both[axis] += other[axis]
    opts = options("Concatenation", axis=axis)
    return case("CONCATENATION", "CONCATENATION", [x, fed(other, of=x)], [fed(both, of=x)], opts, 2)


def joined_apart(index):
    """Of unsigned elements, which alone may have a scale of their own there."""
    shape, axis = [1, whole(1, 4), whole(1, 5)], whole(1, 2)
    pieces = [fed(shape, "uint8") for _ in range(whole(2, 3))]
    if index % 2:
        pieces.append(fed(shape, of=pieces[0]))
    all_of = list(shape)
    all_of[axis] *= len(pieces)
    opts = options("Concatenation", axis=axis)
    return case("CONCATENATION", "CONCATENATION", pieces, [fed(all_of, of=pieces[0])], opts, 2)


def moved(index):
    x = fed([whole(1, 3), whole(1, 4), whole(1, 5)])
    if index % 2:
        perm = random.permutation(3).astype("int32")
        shape = [x.shape[axis] for axis in perm]
        inputs = [x, Tensor([3], "int32", data=perm)]
        return case("TRANSPOSE", "TRANSPOSE", inputs, [fed(shape, of=x)], options("Transpose"), 2)
    shape = [x.shape[0] * x.shape[1], x.shape[2]]
    inputs = [x, Tensor([2], "int32", data=numpy.int32(shape))]
    return case("RESHAPE", "RESHAPE", inputs, [fed(shape, of=x)], options("Reshape", newShape=shape), 1)


def placed(index):
    x = fed([1 + index % 2, 4, 6, 4])
    kind, more, shape, opts = pick([
        ("GATHER", [ints(2, 0)], [x.shape[0], 2, 6, 4], options("Gather", axis=1)),
        ("TILE", [ints(1, 2, 1, 3)], [x.shape[0], 8, 6, 12], None),
        ("SLICE", [ints(0, 1, 2, 1), ints(1, 2, 3, 3)], [1, 2, 3, 3], options("Slice")),
        ("REVERSE_V2", [ints(2)], x.shape, None),
        ("PACK", [fed(x.shape, of=x)], [x.shape[0], 2, 4, 6, 4], options("Pack", valuesCount=2, axis=1)),
    ] + [("SPACE_TO_DEPTH", [], [x.shape[0], 2, 3, 16], options("SpaceToDepth", blockSize=2))] * (not wide()))
    return case(kind, kind, [x, *more], [fed(shape, of=x)], opts, 1)


def placed_otherwise(index):
    dtype = "uint8" if index % 3 == 2 else "int8"
    x = fed([2, 3, 4], dtype)
    like = lambda *shape: fed(list(shape), of=x)
    element = lambda: Tensor([], x.dtype, x.scales, x.zeros, 0, numpy.array(pick([3, 77]), x.dtype))
    chosen = Tensor([2, 3, 4], "bool", data=random.integers(0, 2, [2, 3, 4]).astype(bool))
    # An axis, or how many.
    two = Tensor([], "int32", data=numpy.int32(2))
    kept = Tensor([5, 4], x.dtype, x.scales, x.zeros, 0, elements([5, 4], x.dtype))
    all_of = [
        ("TOPK_V2", [x, two], [like(2, 3, 2), Tensor([2, 3, 2], "int32")], options("TopKV2")),
        ("SELECT_V2", [chosen, x, like(1, 3, 4)], [like(2, 3, 4)], options("SelectV2")),
        ("BROADCAST_TO", [like(1, 3, 4), ints(2, 3, 4)], [x], options("BroadcastTo")),
        ("MIRROR_PAD", [x, ints([0, 0], [1, 1], [2, 0])], [like(2, 5, 6)], options("MirrorPad")),
        ("PADV2", [x, ints([0, 0], [1, 1], [2, 0]), element()], [like(2, 5, 6)], options("PadV2")),
        ("GATHER_ND", [x, ints([1, 0], [0, 1])], [like(2, 4)], options("GatherNd")),
        ("STRIDED_SLICE", [x, ints(0, 0, 1), ints(2, 3, 4), ints(1, 2, 1)], [like(2, 2, 3)], options("StridedSlice")),
        ("UNPACK", [x], [like(2, 4) for _ in range(3)], options("Unpack", num=3, axis=1)),
        ("SPLIT", [two, x], [like(2, 3, 2) for _ in range(2)], options("Split", numSplits=2)),
        ("FILL", [ints(2, 3), like()], [like(2, 3)], options("Fill")),
        ("EMBEDDING_LOOKUP", [Tensor([2], "int32"), kept], [like(2, 4)], None),
        ("ONE_HOT", [Tensor([2], "int32"), two, element(), element()], [like(2, 2)], options("OneHot", axis=-1)),
    ]
    # The last one is not there of 16 bits.
    all_of = all_of[: len(all_of) - wide()]
    kind, inputs, outputs, opts = all_of[index % len(all_of)]
    return case(kind, kind, inputs, outputs, opts, 1 if kind in ("ONE_HOT", "SELECT_V2") else 2)


def blocks(index):
    sides, size = [whole(1, 3), whole(1, 3)], [whole(1, 4), whole(1, 4)]
    borders = random.integers(0, 4, [2, 2])
    n, c = whole(1, 2), whole(1, 5)
    dtype = "uint8" if index % 3 == 2 else "int8"
    # As many pixels as whole blocks have.
    whole_ones = [side * count for side, count in zip(sides, size)]
    borders = [[min(int(before), all_of - 1), 0] for (before, _), all_of in zip(borders, whole_ones)]
    for border, all_of in zip(borders, whole_ones):
        border[1] = whole(0, all_of - 1 - border[0])
    inside = [all_of - sum(border) for all_of, border in zip(whole_ones, borders)]
    spaces, batches = [n, *inside, c], [n * sides[0] * sides[1], *size, c]
    kind = ["SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND"][index % 2]
    x = fed(spaces if index % 2 == 0 else batches, dtype)
    inputs = [x, ints(*sides), ints(*borders)]
    y = fed(batches if index % 2 == 0 else spaces, of=x)
    return case(kind, kind, inputs, [y], options("SpaceToBatchND" if index % 2 == 0 else "BatchToSpaceND"), 3)
