# SPDX-License-Identifier: BSD-3-Clause
"""What CalculiX prints (.dat): blocks of numbers, and how far two of them are apart."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

#: Words of tables of modes, by what they are called here.
_TITLES = {"E I G E N": "eigenvalues", "B U C K L": "buckling factors"}
#: Tables that are not compared: signs and scales of modes are free, or they follow from others.
_OTHERS = ("P A R T", "E F F E C", "T O T A L", "C R O S S")
#: Stress that is none, of the modulus.
ROUND_OFF = 1e-13
#: A table of points that is called by more than its first word.
DENSITY = "internal energy density"
_HEADS = ("MODE NO", "REAL PART", "RAD/TIME", "TOTAL", "FACTOR")

Turns = Mapping[int, tuple[int, tuple[int | None, ...]]]


@dataclass(slots=True)
class Block:
    """A block of numbers.

    Attributes
    ----------
    what, group : str
        First word of its title, and the set.
    time : float
        Its time; of modes the frequency.
    rows : list
        Rows of numbers, labels first.
    """

    what: str
    group: str = ""
    time: float = 0.0
    rows: list[list[float]] = field(default_factory=list)


def blocks(text: str) -> list[Block]:
    """Return the blocks of a .dat file."""
    found: list[Block] = []
    current: Block | None = None
    for line in text.splitlines():
        words = len(re.findall(r"[A-DF-Za-df-z]", line)) >= 3
        if words and not re.match(r"\s*\d+\s", line):
            titled = re.match(r"\s*(\S+).*? for set\s+(\S+)\s+and time\s+(\S+)", line)
            mode = next((name for key, name in _TITLES.items() if key in line), "")
            if titled:
                what = re.split(r" \(| for set", line.strip())[0]
                what = what if what.startswith(("total", DENSITY)) else titled[1]
                current = Block(what, titled[2], float(titled[3]))
                found.append(current)
            elif mode:
                current = Block(mode)
                found.append(current)
            elif any(key in line for key in _OTHERS) or not any(key in line for key in _HEADS):
                current = None
        elif current is not None and line.strip():
            try:
                current.rows.append([float(word) for word in line.split()])
            except ValueError:
                current = None
    return found


@dataclass(slots=True)
class Comparison:
    """How far results are from those of CalculiX.

    Attributes
    ----------
    blocks : int
        Blocks that were compared.
    error : float
        Largest difference, relative to the largest magnitude in its block.
    where : str
        The block that has it.
    missing : list of str
        Blocks of CalculiX that have no counterpart.
    """

    blocks: int = 0
    error: float = 0.0
    where: str = ""
    missing: list[str] = field(default_factory=list)

    def take(self, what: str, ours: np.ndarray, theirs: np.ndarray) -> None:
        """Compare two arrays of values."""
        size = float(np.abs(theirs).max(initial=0.0)) or 1.0
        error = float(np.abs(ours - theirs).max(initial=0.0)) / size
        self.blocks += 1
        if not error <= self.error:
            self.error, self.where = error, what


def compared(
    ours: Sequence[str],
    theirs: str,
    ends: Sequence[float | str],
    turns: Turns | None = None,
    *,
    revolved: bool = False,
    stiffness: float = 0.0,
) -> Comparison:
    """Compare what steps printed at their ends with what CalculiX did.

    Parameters
    ----------
    ours : sequence of str
        Texts of the steps.
    theirs : str
        The .dat file of CalculiX.
    ends : sequence of float or str
        Total time at the end of each step; of those without time ``modes``, ``factors`` or
        ``response``.
    turns : mapping, optional
        Nodes whose displacements are rotations in CalculiX: the node that turns, and the axis of
        each displacement.
    revolved : bool
        Whether the elements are sections of bodies of revolution. CalculiX has points beside their
        plane, where the axes are turned by half a degree: shears across the plane are left out.
    stiffness : float
        The largest modulus: stresses that are its round-off count as none.
    """
    found, known = Comparison(), blocks(theirs)
    modal = iter([block for block in known if block.rows and block.what in _TITLES.values()])
    for text, end in zip(ours, ends, strict=True):
        made: dict[tuple[str, str], Block] = {}  # the last of each, of all parts of a set
        for block in blocks(text):
            before = made.get((block.what, block.group))
            if before is not None and before.time == block.time:
                block.rows = before.rows + block.rows
            made[block.what, block.group] = block
        _as_displacements(made, turns or {})
        if end == "response":
            _response(found, blocks(text), known)
            continue
        if end == "period":
            _period(found, blocks(text), known)
            continue
        if end == "steady":  # what CalculiX prints last
            end = max((block.time for block in known), default=0.0)
        if isinstance(end, str):
            # A table for every nodal diameter; of other modes one.
            printed = [block for block in blocks(text) if block.what in _TITLES.values()]
            for mine in printed or [None]:
                block = next(modal, None)
                if block is not None:
                    _modes(found, mine, block)
            continue
        wanted = {(b.what, b.group): b for b in known if abs(b.time - end) <= 1e-6 * end}
        for key, block in wanted.items():
            if not block.rows or block.what == "temperatures":  # which are given
                continue
            if key not in made:
                found.missing.append(f"{block.what} of {block.group}")
                continue
            least = ROUND_OFF * stiffness if block.what == "stresses" else 0.0
            _values(found, made[key], block, 4 if revolved else 6, least)
    return found


def _as_displacements(made: dict[tuple[str, str], Block], turns: Turns) -> None:
    """Add rotations of points to the displacements, as those of the nodes that stand for them."""
    for kind, plain in (("rotations", "displacements"), ("moments", "forces")):
        about = {
            row[0]: row[1:]
            for (what, _), block in made.items()
            if what == kind
            for row in block.rows
        }
        for (what, _), block in made.items():
            if what == plain and about:
                own = [row for row in block.rows if row[0] not in turns]
                added = [
                    [n, *(0.0 if k is None else about[p][k] for k in axes)]
                    for n, (p, axes) in turns.items()
                    if p in about
                ]
                block.rows = own + added


def _modes(found: Comparison, ours: Block | None, theirs: Block) -> None:
    """Compare frequencies, or factors in the second column; nodal diameters come before."""
    if ours is None:
        found.missing.append(theirs.what)
        return
    column = -2 if theirs.what == "eigenvalues" else 1
    one, other = (np.array(block.rows)[:, column] for block in (ours, theirs))
    count = min(len(one), len(other))
    found.take(theirs.what, one[:count], other[:count])


def _response(found: Comparison, ours: Sequence[Block], theirs: Sequence[Block]) -> None:
    """Compare displacements over the frequency: real and imaginary parts, one after the other."""
    mine = [block for block in ours if block.what == "displacements"]
    groups, frequencies = {b.group for b in mine}, {b.time for b in mine}
    others = [
        block
        for block in theirs
        if block.what == "displacements"
        and block.group in groups
        and any(abs(block.time - f) <= 1e-5 * f for f in frequencies)
    ]
    if not mine or len(mine) != len(others):
        found.missing.append(f"response at {len(mine)} of {len(others)} frequencies")
        return
    found.take("response", *(np.array([b.rows for b in each])[:, :, 1:] for each in (mine, others)))


def _period(found: Comparison, ours: Sequence[Block], theirs: Sequence[Block]) -> None:
    """Compare instants of periods, one after the other."""
    for key in {(block.what, block.group) for block in ours}:
        mine, others = (
            [block for block in each if (block.what, block.group) == key] for each in (ours, theirs)
        )
        if len(mine) != len(others):
            found.missing.append(f"{key[0]} of {key[1]}: {len(mine)} of {len(others)} instants")
            continue
        found.take(
            f"{key[0]} of {key[1]}",
            *(np.array([b.rows for b in each])[:, :, 1:] for each in (mine, others)),
        )


def _values(found: Comparison, ours: Block, theirs: Block, components: int, least: float) -> None:
    """Compare the first values at the nodes, or at the points of elements, that both have.

    Values below the least count as zero.
    """
    labels = {"stresses": 2, "strains": 2, DENSITY: 2, "total force": 0}.get(theirs.what, 1)
    one, other = (
        {tuple(row[:labels]): row[labels:] for row in block.rows} for block in (ours, theirs)
    )
    shared = [key for key in other if key in one]
    name = f"{theirs.what} of {theirs.group}"
    # Nodes of no element do not move; CalculiX prints them as well, and plane elements twice.
    absent = [rows for key, rows in other.items() if key not in one]
    if not shared or (labels == 1 and any(map(any, absent))):
        found.missing.append(f"{name}: {len(shared)} of {len(other)} rows")
        return
    values = (np.array([rows[key][:components] for key in shared]) for rows in (one, other))
    found.take(name, *(np.where(np.abs(x) < least, 0.0, x) for x in values))
