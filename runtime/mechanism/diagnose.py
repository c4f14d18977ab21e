# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with a mechanism, by name: redundant, missing or locked motions."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import scipy.linalg
from flexforge.codegen.errors import InputError
from flexforge.runtime.mechanism.build import Parts
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Singular values below this part of the largest count as none.
RANK = 1e-8


def check_determined(parts: Parts, jacobian: Floats) -> None:
    """Refuse a mechanism whose joints and drivers do not determine its motion, each once.

    Parameters
    ----------
    parts : Parts
        The mechanism.
    jacobian : (E, n) array
        Its scaled Jacobian in the position of the start.

    Raises
    ------
    InputError
        One line, with the names of joints, drivers and links.
    """
    unknowns = jacobian.shape[1]
    joints, count = jacobian[: parts.held], len(parts.drivers)
    rank = _rank(joints)
    if rank < len(joints):
        raise InputError(_redundant(parts, joints, rank))
    freedom = unknowns - rank
    if count > freedom:
        found = f"found {count} drivers of a mechanism with {freedom} free motions"
        raise InputError(f"{found}: {_idle_driver(parts, jacobian)}; expected {freedom} drivers")
    total = _rank(jacobian)
    if total == unknowns:
        return
    loose = free_motion(parts, jacobian)
    if total < len(jacobian):
        raise InputError(
            f"{_idle_driver(parts, jacobian)} in the position of the start, where {loose} whatever "
            "it does; expected another position or another driver"
        )
    missing = unknowns - total
    raise InputError(
        f"found {count} drivers of a mechanism with {freedom} free motions: {loose}; expected "
        f"{missing} more driver{'s' if missing > 1 else ''}, or joints that hold it"
    )


def free_motion(parts: Parts, jacobian: Floats) -> str:
    """Return which link can still move, and how, in words; of several motions one."""
    _, _, vt = np.linalg.svd(jacobian)
    return "link " + _motion(parts, vt[-1], "can move along", "can turn about")


def weakest(parts: Parts, jacobian: Floats) -> str:
    """Return what fails to determine what near a singular position, in words."""
    u, _, vt = np.linalg.svd(jacobian)
    part = np.abs(u[:, -1])
    names = _joined(_distinct(parts.names[k] for k in np.argsort(-part) if part[k] > 0.3))
    motion = _motion(parts, vt[-1], "along", "about")
    return f"{names or parts.names[int(part.argmax())]} and link {motion}"


def _rank(matrix: Floats) -> int:
    if not matrix.size:
        return 0
    values = np.linalg.svd(matrix, compute_uv=False)
    return int((values > RANK * values[0]).sum()) if values[0] else 0


def _redundant(parts: Parts, joints: Floats, rank: int) -> str:
    """Return which joints hold the same motion of which link, as one line."""
    _, triangle, order = scipy.linalg.qr(joints.T, mode="economic", pivoting=True)
    extra = int(order[rank])
    weights = scipy.linalg.solve_triangular(triangle[:rank, :rank], triangle[:rank, rank])
    others = [order[k] for k in range(rank) if abs(weights[k]) > 1e-6]
    names = _joined(_distinct(parts.names[k] for k in sorted([*others, extra])))
    held = _motion(parts, joints[extra], "the displacement of link {} along", "", split=True)
    more = len(joints) - rank - 1
    further = f", and {more} more equation{'s' if more > 1 else ''} are redundant" if more else ""
    several = "both hold" if names.count("'") == 4 else "together hold"
    if names.count("'") == 2:
        several = "holds twice"
    return f"{names} {several} {held}{further}; expected a joint that leaves it free" + (
        "" if parts.planar else ", or planar = true for a mechanism in the plane x, y"
    )


def _idle_driver(parts: Parts, jacobian: Floats) -> str:
    """Return the first driver that moves nothing that is not determined without it."""
    for k, driver in enumerate(parts.drivers):
        row = parts.held + k
        if _rank(jacobian[: row + 1]) == _rank(jacobian[:row]):
            return f"driver '{driver.name}' drives what joints and other drivers determine"
    return "some driver drives what joints and other drivers determine"


def _motion(parts: Parts, row: Floats, along: str, about: str, *, split: bool = False) -> str:
    """Return the largest component of a motion of all links, or of a row of a Jacobian."""
    size = 3 if parts.planar else 6
    each = row.reshape(-1, size)
    link, place = np.unravel_index(int(np.abs(each).argmax()), each.shape)
    lengths = 2 if parts.planar else 3
    name = parts.links[int(link)]
    turns = place >= lengths
    axis = "z" if parts.planar and turns else "xyz"[int(place) % 3]
    if split:
        what = "rotation" if turns else "displacement"
        return f"the {what} of link '{name}' {'about' if turns else 'along'} its axis {axis}"
    return f"'{name}' {about if turns else along} its axis {axis}"


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _joined(names: list[str]) -> str:
    """Return names as "joints 'A', 'B' and gear 'C'"."""
    grouped: dict[str, list[str]] = {}
    for name in names:
        kind, _, rest = name.partition(" ")
        grouped.setdefault(kind, []).append(rest)
    texts = []
    for kind, those in grouped.items():
        plural = "s" if len(those) > 1 else ""
        listed = ", ".join(those[:-1]) + (" and " if len(those) > 1 else "") + those[-1]
        texts.append(f"{kind}{plural} {listed}")
    return ", ".join(texts)
