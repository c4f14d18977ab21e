# SPDX-License-Identifier: BSD-3-Clause
"""Sections that vary along a beam: the arguments of its kernels, element by element.

A dimension is a formula of the place or has a value for each group of cells. It is evaluated at the
points of integration of every element, of which kernels take the properties of the section, and at
its ends, where it has to be possible too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mesh import Mesh, Part
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_section import SectionSpec
from flexforge.runtime.model.section_shapes import GIVEN, faults
from flexforge.runtime.motion.build import build_field
from numpy.typing import NDArray

#: Dimensions that may fill a section at the end of an element, and by how much that is rounded.
_WALLS, _FILLED = ("wall", "flange", "web"), 1e-9
#: Whether the cells of a body are in a group, by the name of the group.
Membership = Callable[[str], NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class VaryingSection:
    """The section of a body of beams at the points of integration of its elements.

    Attributes
    ----------
    properties : mapping
        Area, moments and factors, (E, Q) each.
    reach : tuple of ndarray, optional
        Largest distances from the centroid along y and z, (E, Q) each, m, if it has a shape.
    placing : mapping
        Where the centroid is and how the section is turned, by the names of kernel arguments.
    """

    properties: Mapping[str, Floats]
    reach: tuple[Floats, Floats] | None

    placing: Mapping[str, float]

    @property
    def values(self) -> dict[str, float | Floats]:
        """Kernel arguments by name; the properties one per element: ``area1``, ``area2`` .."""
        found: dict[str, float | Floats] = dict(self.placing)
        for name, each in self.properties.items():
            found |= {f"{name}{k + 1}": np.ascontiguousarray(at) for k, at in enumerate(each.T)}
        return found


def varying_section(
    spec: BodySpec, part: Part, mesh: Mesh, poisson: float, count: int
) -> VaryingSection:
    """Return the section of a body of beams, whether it varies or not.

    Parameters
    ----------
    spec : BodySpec
        From the model file.
    part : Part
        Its cells.
    mesh : Mesh
        The mesh with the groups.
    poisson : float
        Poisson's ratio, on which shear factors depend.
    count : int
        Points of integration per element.

    Raises
    ------
    InputError
        Naming the key, the place and the cell where a dimension is not above zero, or too large for
        another one; and for a group without cells of the body, or cells without a value.
    """
    section = spec.section
    assert section is not None
    along = np.concatenate([np.polynomial.legendre.leggauss(count)[0], [-1.0, 1.0]])
    begin, end = (part.points[part.connectivity[:, k]][:, None] for k in (0, 1))
    places = begin + 0.5 * (1.0 + along)[:, None] * (end - begin)  # (E, Q + 2, 3)
    sizes = {name: np.full(places.shape[:2], value) for name, value in section.sizes.items()}
    inside = _membership(spec, part, mesh)
    for key in section.varying:
        sizes[key] = _evaluated(spec, key, places, inside)
    _check(_Where(spec.name, places, part), section, sizes)
    within = {name: value[:, :count] for name, value in sizes.items()}
    shape = within[next(iter(within))].shape
    found = section.properties(within, poisson)
    reach = section.reach_of(within)
    return VaryingSection(
        {name: np.broadcast_to(found[name], shape) for name in GIVEN if name in found},
        None if reach is None else (np.asarray(reach[0]), np.asarray(reach[1])),
        section.placing,
    )


def _membership(spec: BodySpec, part: Part, mesh: Mesh) -> Membership:
    """Return what tells which cells of a body are in a group."""
    least = CELLS[part.cell].dim
    (block, rows), *_ = (
        (b, r)
        for b, r in mesh.rows_of(spec.cells, least).items()
        if mesh.blocks[b].cell == part.cell
    )

    def inside(group: str) -> NDArray[np.bool_]:
        return np.isin(rows, mesh.rows_of(group, least).get(block, rows[:0]))

    return inside


def _evaluated(spec: BodySpec, key: str, places: Floats, inside: Membership) -> Floats:
    """Return a dimension at the points of every element and at its ends."""
    given = getattr(spec.section, key)
    if not isinstance(given, dict):
        return _at(spec, key, given, places)
    found = np.full(places.shape[:2], np.nan)
    for group, value in given.items():
        where = f"{key}.{group}"
        try:
            here = inside(group)
        except InputError as error:
            raise InputError(f"body '{spec.name}': section.{key}: {error}") from None
        if not here.any():
            raise InputError(
                f"body '{spec.name}': section.{where}: found a group without cells of the body; "
                "expected groups of its cells"
            )
        found[here] = _at(spec, where, value, places[here])
    return found


def _at(spec: BodySpec, key: str, given: float | str, places: Floats) -> Floats:
    """Return a number or the values of a formula at places."""
    x, y, z = np.moveaxis(places, -1, 0)
    try:
        return np.array(np.broadcast_to(build_field(given)(x=x, y=y, z=z), x.shape))
    except InputError as error:
        raise InputError(f"body '{spec.name}': section.{key}: {error}") from None


def _check(where: _Where, section: SectionSpec, sizes: Mapping[str, Floats]) -> None:
    """Refuse dimensions that make no section; at the ends of elements a beam may be pointed."""
    for key in section.varying:
        found = sizes[key]
        if (missing := np.isnan(found)).any():
            cell = where.part.labels[int(missing.any(axis=1).argmax())]
            raise InputError(
                f"body '{where.body}': section.{key}: found no value for cell {cell}; expected "
                "groups with all cells of the body"
            )
        wrong: NDArray[np.bool_] = found <= 0.0
        wrong[:, -2:] = found[:, -2:] < 0.0
        if wrong.any():
            where.refuse(key, f"found {found[_first(wrong)]:.6g}; expected a number above 0", wrong)
    filled = {
        name: np.concatenate([value[:, :-2], (1.0 - _FILLED * (name in _WALLS)) * value[:, -2:]], 1)
        for name, value in sizes.items()
    }
    for key, text, at in faults(section.shape, filled):
        where.refuse(key or section.varying[0], text, at)


def _first(wrong: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the element and the point of the first fault."""
    element, point = np.unravel_index(int(wrong.argmax()), wrong.shape)
    return int(element), int(point)


@dataclass(frozen=True, slots=True)
class _Where:
    """What messages name: the body, the points of its elements (E, Q + 2, 3), and its cells."""

    body: str
    places: Floats
    part: Part

    def refuse(self, key: str, text: str, wrong: NDArray[np.bool_]) -> NoReturn:
        """Raise an error that names the first place where something is wrong, (E, Q + 2)."""
        element, point = _first(wrong)
        place = ", ".join(f"{x:.6g}" for x in self.places[element, point])
        found, _, expected = text.partition("; ")
        raise InputError(
            f"body '{self.body}': section.{key}: {found} at [{place}] of cell "
            f"{self.part.labels[element]}; {expected}"
        )
