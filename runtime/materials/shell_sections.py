# SPDX-License-Identifier: BSD-3-Clause
"""Sections of shells: from the plies or material of a body to the arguments of its kernels.

A plate of one isotropic material has its own kernels; all other shells use those of laminates.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.materials.laminate import Ply, laminate
from flexforge.runtime.mesh import Part
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_material import MaterialSpec

Materials = Mapping[str, MaterialSpec]

#: Suffix of the names of laminated elements.
LAMINATE = "_laminate"
#: Strains of the most general shell law: membrane, curvatures, shears, drilling.
_STRAINS = 9
#: Smallest length of the projection of a unit vector that still has a direction.
_LEAST = 1e-6


def shell_name(spec: BodySpec, materials: Materials) -> str:
    """Return the full name of the shell of a body."""
    return spec.element + (LAMINATE if _is_laminate(spec, materials) else "")


def _is_laminate(spec: BodySpec, materials: Materials) -> bool:
    return spec.plies is not None or not materials[spec.materials[0]].is_isotropic


def shell_values(spec: BodySpec, materials: Materials, part: Part) -> dict[str, float]:
    """Return the arguments of a shell's kernels, with the strains for 1 K.

    Parameters
    ----------
    spec : BodySpec
        The body.
    materials : mapping
        Those of the model.
    part : Part
        The body's cells.

    Raises
    ------
    InputError
        When the reference direction of angles has no projection on a cell.
    """
    if _is_laminate(spec, materials):
        return _laminate_values(spec, materials, part)
    material = materials[spec.materials[0]]
    assert material.young is not None and material.poisson is not None
    assert spec.thickness is not None
    growth = 0.0 if material.expansion is None else material.expansion[0]
    return {
        "young": material.young,
        "poisson": material.poisson,
        "density": material.mass_density,
        "thickness": spec.thickness,
        **_expansions(np.array([growth, growth])),
    }


def _laminate_values(spec: BodySpec, materials: Materials, part: Part) -> dict[str, float]:
    """Return the arguments of a laminate; a material with axes is a single ply along its axis 1."""
    if spec.plies is not None:
        plies = [Ply.of(materials[p.material], p.thickness, p.angle) for p in spec.plies]
        direction = np.array(spec.orientation)
        where = "orientation"
    else:
        assert spec.thickness is not None
        material = materials[spec.materials[0]]
        plies = [Ply.of(material, spec.thickness, 0.0)]
        direction = material.axes[0]
        where = f"axis 1 of material '{spec.materials[0]}'"
    _check_direction(spec, part, direction, where)
    found = laminate(plies)
    along = {f"orientation{i + 1}": float(x) for i, x in enumerate(direction)}
    return found.values | along | _expansions(found.expansion)


def _expansions(strains: Floats) -> dict[str, float]:
    """Return the strains for 1 K as kernel arguments by name; the others are zero."""
    whole = np.zeros(_STRAINS)
    whole[: len(strains)] = strains
    return {f"expansion{k + 1}": float(strain) for k, strain in enumerate(whole)}


def _check_direction(spec: BodySpec, part: Part, direction: Floats, where: str) -> None:
    """Refuse a direction along the normal of a cell, at any of its corners."""
    corners = part.points[part.connectivity]
    sides = np.roll(corners, -1, axis=1) - corners
    normals = np.cross(sides, -np.roll(sides, 1, axis=1))
    unit = direction / np.linalg.norm(direction)
    normals /= np.linalg.norm(normals, axis=2, keepdims=True)
    left = np.linalg.norm(np.cross(normals, unit), axis=2).min(axis=1)
    wrong = np.flatnonzero(left <= _LEAST)
    if len(wrong):
        raise InputError(
            f"body '{spec.name}': {where} {[float(x) for x in direction]} is along the normal of "
            f"cell {part.labels[wrong[0]]} (and {len(wrong) - 1} more); expected a vector with a "
            "non-zero projection on every cell"
        )
