"""Random numbers that are the same on every machine and with every version of numpy.

SplitMix64 (Steele, Lea and Flood 2014) by position: integers and one exact division alone, so
that no library's idea of a normal distribution or a logarithm gets into the weights.
"""

import hashlib

import numpy

GAMMA = numpy.uint64(0x9E3779B97F4A7C15)


def bits(key, count):
    """`count` times 64 bits that depend on the text `key` and on nothing else."""
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "little")
    with numpy.errstate(over="ignore"):
        mixed = numpy.arange(1, count + 1, dtype=numpy.uint64)
        mixed *= GAMMA
        mixed += numpy.uint64(seed)
        mixed = (mixed ^ (mixed >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> numpy.uint64(31))


def uniform(key, dims, low, high):
    """float32 in [low, high)."""
    count = int(numpy.prod(dims, dtype=numpy.int64))
    unit = (bits(key, count) >> numpy.uint64(40)).astype(numpy.float32) * numpy.float32(2.0**-24)
    return (numpy.float32(low) + unit * numpy.float32(high - low)).reshape(dims)


def spread(key, dims, deviation):
    """float32 around 0 with a standard deviation: uniform, thus without outliers."""
    limit = deviation * 3.0**0.5
    return uniform(key, dims, -limit, limit)


def fan_in(key, dims, inputs, gain=1.0):
    """Weights that sum `inputs` numbers of unit variance to the variance `gain`.

    A gain of 2 makes up for a Relu behind, which drops half of it.
    """
    return spread(key, dims, (gain / inputs) ** 0.5)


def integers(key, dims, end):
    """int64 in [0, end)."""
    count = int(numpy.prod(dims, dtype=numpy.int64))
    return (bits(key, count) % numpy.uint64(end)).astype(numpy.int64).reshape(dims)
