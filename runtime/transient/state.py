# SPDX-License-Identifier: BSD-3-Clause
"""State of a motion and its bytes: checkpoint, FMU state, memory of the C code."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.transient.manifold import Manifold, Product

_MAGIC = b"ffstate\0"
_VERSION = 1
_HEADER = struct.Struct("<8sI32s5Qd")
_NONE = np.zeros(0)
_NO_MODE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Block:
    """A part of the unknowns that has one meaning and one unit.

    Attributes
    ----------
    name : str
        What it is, for messages: ``displacement``.
    owner : str
        Whose it is: a body, a joint.
    manifold : Manifold
        Where its positions live; of a first-order block, where s lives.
    scale : float
        Size of a large increment, in its unit: what round-off is relative to.
    first_order : bool
        Whether it is a part of s, which has no velocity of its own.
    """

    name: str
    owner: str
    manifold: Manifold
    scale: float = 1.0
    first_order: bool = False


class Layout:
    """Where the blocks are: their order is that of q and z, then that of s.

    Parameters
    ----------
    blocks : sequence of Block
        Those of second order first.

    Attributes
    ----------
    manifold : Product
        Of q.
    sizes : tuple of int
        Of q, z and s.
    slices : list of slice
        Of every block in the rates ``v = (z, s)``, which is also where its equations are.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        second = [b for b in blocks if not b.first_order]
        if list(blocks[: len(second)]) != second:
            raise ValueError("blocks of second order come first")
        self.blocks = tuple(blocks)
        self.manifold = Product(tuple(b.manifold for b in second))
        z = self.manifold.dimension
        ends = np.cumsum([0, *(b.manifold.dimension for b in blocks)]).tolist()
        self.slices = [slice(a, b) for a, b in zip(ends[:-1], ends[1:], strict=True)]
        self.sizes = (self.manifold.size, z, ends[-1] - z)

    @property
    def rates(self) -> int:
        """Length of ``v = (z, s)``, and number of equations."""
        return int(self.sizes[1] + self.sizes[2])

    @cached_property
    def scales(self) -> Floats:
        """Scale of every increment of (z, s), (rates,)."""
        found = np.ones(self.rates)
        for block, at in zip(self.blocks, self.slices, strict=True):
            found[at] = block.scale
        return found


@dataclass(frozen=True, slots=True)
class State:
    """A motion at one time: all that its future depends on.

    Attributes
    ----------
    t : float
        Time, s.
    q : ndarray
        Position, on the product of the blocks' manifolds.
    z : ndarray
        Velocity, in the tangent space there; shorter than q where a block is a rotation.
    s : ndarray
        States of first order: friction, controllers.
    mode : ndarray of int64
        Discrete state: fixed within a step, changed by ``Model.switch`` between steps.
    history : ndarray
        What a stepper carries from step to step, by `pack`; empty before the first step and after
        a switch.
    """

    t: float
    q: Floats
    z: Floats
    s: Floats = field(default_factory=lambda: _NONE)
    mode: Ints = field(default_factory=lambda: _NO_MODE)
    history: Floats = field(default_factory=lambda: _NONE)

    def to_bytes(self, identity: bytes) -> bytes:
        """Return the state as bytes, little-endian, the same on every machine.

        Parameters
        ----------
        identity : bytes, 32
            Of the model.
        """
        vectors = (self.q, self.z, self.s, self.mode, self.history)
        head = _HEADER.pack(_MAGIC, _VERSION, identity, *(len(v) for v in vectors), self.t)
        kinds = ("<f8", "<f8", "<f8", "<i8", "<f8")
        return head + b"".join(
            np.ascontiguousarray(v, dtype=kind).tobytes()
            for v, kind in zip(vectors, kinds, strict=True)
        )

    @classmethod
    def from_bytes(cls, data: bytes, identity: bytes) -> State:
        """Return the state that bytes hold.

        Raises
        ------
        InputError
            When they are no state, of another version, of another model, or incomplete.
        """
        if len(data) < _HEADER.size or data[: len(_MAGIC)] != _MAGIC:
            raise InputError("state: found other data; expected a serialized state")
        _, version, model, *counts, t = _HEADER.unpack_from(data)
        if version != _VERSION:
            raise InputError(f"state: found format version {version}; expected {_VERSION}")
        if model != identity:
            raise InputError("state: found the state of another model; expected one of this model")
        expected = _HEADER.size + 8 * sum(counts)
        if len(data) != expected:
            raise InputError(f"state: found {len(data)} bytes; expected {expected}")
        ends = np.cumsum([0, *counts])
        numbers = np.frombuffer(data, dtype="<f8", offset=_HEADER.size)
        parts = [numbers[a:b] for a, b in zip(ends[:-1], ends[1:], strict=True)]
        mode = parts[3].view("<i8").astype(np.int64)
        floats = [part.astype(np.float64) for part in (*parts[:3], parts[4])]
        return cls(t, floats[0], floats[1], floats[2], mode, floats[3])


def pack(*vectors: Floats) -> Floats:
    """Return vectors as one, which `unpack` takes apart: their number, lengths, values."""
    lengths = [float(len(v)) for v in vectors]
    return np.concatenate([[float(len(vectors))], lengths, *vectors])


def unpack(packed: Floats) -> list[Floats]:
    """Return the vectors that `pack` was given."""
    number = int(packed[0])
    ends = 1 + number + np.cumsum([0, *packed[1 : 1 + number].astype(int)])
    return [packed[a:b] for a, b in zip(ends[:-1], ends[1:], strict=True)]
