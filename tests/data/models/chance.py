"""Arbitrary numbers of quantised operators, from a fixed seed."""

import numpy

RANGES = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767)}
random = numpy.random.default_rng(19)


def elements(shape, dtype):
    low, high = RANGES[dtype]
    return random.integers(low, high + 1, shape).astype(dtype)


def whole(low, high):
    return int(random.integers(low, high + 1))


def pick(list_of):
    return list_of[whole(0, len(list_of) - 1)]
