# SPDX-License-Identifier: BSD-3-Clause
"""Loads on faces of elements in Abaqus input files: the groups of facets that they make."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from flexforge.runtime.mesh.abaqus_cards import Card


@dataclass(slots=True)
class FaceLoad:
    """A load of *DLOAD on one face of some elements.

    Attributes
    ----------
    group : str
        Name of the group of facets that it makes.
    face : str
        The face, S1 to S6; S for that of a shell.
    value : str
        The pressure, as written.
    where : str
        File and line, for messages.
    targets : list of str
        Elements and sets of elements.
    """

    group: str
    face: str
    value: str
    where: str
    targets: list[str] = field(default_factory=list)


def face_loads(card: Card) -> list[FaceLoad]:
    """Return the loads of a *DLOAD card on faces; lines for single elements are joined.

    Parameters
    ----------
    card : Card
        The card.

    Returns
    -------
    list of FaceLoad
        A load for each set of elements, and one for all single elements with the same face and
        value.
    """
    found: list[FaceLoad] = []
    joined: dict[tuple[str, str], FaceLoad] = {}
    for fields, where in card.rows():
        target, label, value = (*fields, "", "", "")[:3]
        if not re.fullmatch(r"P[1-6]?", label.upper()):
            continue
        face = f"S{label[1:]}"
        if not target.isdigit():
            found.append(FaceLoad(f"{target}.{label.upper()}", face, value, where, [target]))
            continue
        key = (face, value)
        if key not in joined:
            line = where.rpartition(":")[2]
            joined[key] = FaceLoad(f"{label.upper()} of line {line}", face, value, where)
            found.append(joined[key])
        joined[key].targets.append(target)
    return found
