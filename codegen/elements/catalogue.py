# SPDX-License-Identifier: BSD-3-Clause
"""Every element there is, by its name: continua, bars and beams."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from flexforge.codegen.elements import library
from flexforge.codegen.elements.bars import bar
from flexforge.codegen.elements.beams import beam
from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.errors import InputError, nearest

#: What declares each bar and beam: in space, and in the plane.
RODS: Mapping[str, Callable[[], FieldElement]] = MappingProxyType(
    {
        "bar2": partial(bar, 2, 3),
        "bar2_plane": partial(bar, 2, 2),
        "bar3": partial(bar, 3, 3),
        "bar3_plane": partial(bar, 3, 2),
        "euler_beam": partial(beam, 3, shear=False),
        "euler_beam_plane": partial(beam, 2, shear=False),
        "timoshenko_beam": partial(beam, 3, shear=True),
        "timoshenko_beam_plane": partial(beam, 2, shear=True),
    }
)


def find(name: str, hypothesis: str | None = None) -> AnyElement:
    """Return an element by its name.

    Parameters
    ----------
    name : str
        One of :data:`RODS`, or of :func:`flexforge.codegen.elements.library.element`.
    hypothesis : str, optional
        ``plane_stress`` (default), ``plane_strain`` or ``axisymmetric``; plane elements only.

    Raises
    ------
    InputError
        For an unknown name or hypothesis, with the nearest known one.
    """
    if name in RODS:
        if hypothesis is not None:
            raise InputError(f"element '{name}': hypothesis '{hypothesis}' given; rods take none")
        return RODS[name]()
    known = (*library.PLANE, *library.SOLID, *library.VARIANTS, *RODS)
    plain = name
    for suffix in library.SUFFIXES:
        plain = plain.removesuffix(f"_{suffix}")
    plain = plain.removesuffix(library.ANISOTROPIC)
    if plain not in known:
        raise InputError(
            f"element '{name}' is unknown; expected one of {', '.join(known)}{nearest(name, known)}"
        )
    return library.element(name, hypothesis)
