"""Plans where every tensor of a neural network lives in memory."""

import os
from collections.abc import Sequence
from typing import Optional, Union, final

# Name, bytes, first step, and the first step at which it is no longer needed.
Lifetime = tuple[str, int, int, int]

@final
class Plan:
    """Where every buffer lies."""

    @property
    def strategy(self) -> str:
        """What made it: the name of a strategy, or "deployed"."""
    @property
    def arena(self) -> int:
        """Bytes of the whole arena."""
    @property
    def offsets(self) -> list[int]:
        """First byte of each buffer, in the order of the lifetimes."""

@final
class Bounds:
    """What no plan can be below, in bytes."""

    @property
    def offsets(self) -> int:
        """Of plans with an offset for each buffer."""
    @property
    def objects(self) -> int:
        """Of plans in which buffers share objects."""
    @property
    def peak(self) -> int:
        """The first step that needs as much as `offsets`."""

@final
class File:
    """A model, a problem or a dump of a toolchain."""

    @property
    def lifetimes(self) -> list[Lifetime]:
        """What is to be planned."""
    @property
    def alignment(self) -> int:
        """The bytes to which plans are aligned: 64 for models, otherwise 1."""
    @property
    def deployed(self) -> Optional[Plan]:
        """The plan that the file brings."""
    @property
    def warnings(self) -> list[str]:
        """What was left out, or may be wrong."""
    def plan(self, strategy: str = "best") -> Plan:
        """A plan that the judge has passed."""
    def bounds(self) -> Bounds:
        """What no plan of it can be below."""
    def waste(self, strategy: Optional[str] = None) -> dict[str, int]:
        """Why the bytes of an arena are there, by part: they sum to it.

        The plan is the one that the file brings, or that of a strategy.
        """

def plan(lifetimes: Sequence[Lifetime], strategy: str = "best", alignment: int = 1) -> Plan:
    """Plans, and raises `ValueError` where there is no plan."""

def check(lifetimes: Sequence[Lifetime], offsets: Sequence[int], alignment: int = 1) -> list[str]:
    """Every rule that a plan breaks, in words; none for a valid plan."""

def bounds(lifetimes: Sequence[Lifetime], alignment: int = 1) -> Bounds:
    """What no plan can be below."""

def svg(lifetimes: Sequence[Lifetime], offsets: Sequence[int]) -> str:
    """A plan as a picture: steps across, addresses upwards."""

def strategies() -> list[str]:
    """The names of all strategies."""

def open(*paths: Union[str, os.PathLike[str]]) -> File:
    """Reads a file, or several that make one dump together, whatever they are packed in."""
