# SPDX-License-Identifier: BSD-3-Clause
"""The state of a motion that ranks share, as that of one process, and back.

Of the history, the first vector is the same on every rank; the others are empty or have the
unknowns.
"""

from __future__ import annotations

from dataclasses import replace

from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.unknown_map import UnknownMap
from flexforge.runtime.transient.state import State, pack, unpack


def collected(state: State, unknowns: UnknownMap) -> State | None:
    """Return the state of all unknowns, on the first rank; None on others.

    Parameters
    ----------
    state : State
        Of this rank, with a history.
    unknowns : UnknownMap
        Its unknowns.
    """
    if unknowns.ranks.count == 1:
        return state

    def whole(vector: Floats) -> Floats | None:
        return unknowns.collected(vector) if unknowns.ranks.any(len(vector)) else vector

    same, *vectors = unpack(state.history)
    q, z, *others = (whole(one) for one in (state.q, state.z, *vectors))
    if q is None or z is None:
        return None
    return replace(state, q=q, z=z, history=pack(same, *(x for x in others if x is not None)))


def handed_out(state: State | None, unknowns: UnknownMap) -> State:
    """Return this rank's part of the state of all unknowns, which the first rank has.

    Parameters are those of :func:`collected`.
    """
    ranks = unknowns.ranks
    if ranks.count == 1:
        assert state is not None
        return state
    vectors: list[Floats] = []
    about = None
    if state is not None:
        same, *others = unpack(state.history)
        vectors = [state.q, state.z, *others]
        about = [(state.t, same, [len(one) > 0 for one in vectors])] * ranks.count
    t, same, full = ranks.handed_out(about)
    parts = []
    for number, has in enumerate(full):
        given = vectors[number] if vectors else None
        parts.append(unknowns.handed_out(given) if has else same[:0])
    q, z, *others = parts
    return State(t, q, z, history=pack(same, *others))
