# SPDX-License-Identifier: BSD-3-Clause
"""Sections of laminated beams: from plies and a width to the arguments of the kernels.

Classical lamination theory for a narrow strip along axis 1: its edges are free, so of the forces
and moments of the laminate only N11, M11 and M12 are nonzero, and the strains ``eps_1, kappa_1,
kappa_6`` follow from them by the inverse of ``[[A, B], [B, D]]`` (Jones, Mechanics of Composite
Materials, section 4.2; Kollar and Springer, Mechanics of Composite Structures, section 6.2). The
beam axis is the line along which tension does not bend the beam, so that B vanishes without any
loss; the line of the mesh remains in the middle of the stack, connected by rigid arms.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.materials.laminate import Laminate, Ply, laminate
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_material import MaterialSpec

#: Strains of the law, in order; the shear strains only in Timoshenko's theory.
_EULER = ("tension", "bending_y", "bending_z", "twisting")
_TIMOSHENKO = ("tension", "bending_y", "shearing_y", "bending_z", "shearing_z", "twisting")
#: Positions of eps_1, kappa_1 and kappa_6 among the six strains of a laminate.
_KEPT = [0, 3, 5]
#: Of the strain, the turn's rate that goes with a deflection along z, and the twist.
_SIGNS = np.array([1.0, -1.0, -2.0])
#: Extension-twist coupling, relative to the stiffnesses, that counts as round-off.
_NONE = 1e-9
#: Fraction of the section that carries the shear along its width (Reissner).
_SHEAR = 5.0 / 6.0


def beam_values(spec: BodySpec, materials: Mapping[str, MaterialSpec]) -> dict[str, float]:
    """Return the arguments of the kernels of a beam of plies.

    Parameters
    ----------
    spec : BodySpec
        The body: its plies, and a section with a width.
    materials : mapping
        Those of the model.

    Raises
    ------
    InputError
        When the laminate has extension-twist coupling.
    """
    assert spec.plies is not None and spec.section is not None
    width = float(spec.section.sizes["width"])
    found = laminate([Ply.of(materials[p.material], p.thickness, p.angle) for p in spec.plies])
    whole = np.block([[found.A, found.B], [found.B, found.D]])
    flexible = np.linalg.inv(whole)[np.ix_(_KEPT, _KEPT)]
    stiff = width * np.linalg.inv(flexible) * np.outer(_SIGNS, _SIGNS)
    if abs(stiff[0, 2]) > _NONE * np.sqrt(stiff[0, 0] * stiff[2, 2]):
        raise InputError(
            f"body '{spec.name}': plies: found a laminate with extension-twist coupling; expected "
            "ply angles symmetric about the mid-plane, or shells"
        )
    axis = -stiff[0, 1] / stiff[0, 0]  # the line where tension does not bend
    offset_y, offset_z = spec.section.offset
    return {
        "EA": float(stiff[0, 0]),
        "EIy": float(stiff[1, 1] - stiff[0, 1] ** 2 / stiff[0, 0]),
        "EIz": float(stiff[0, 0] * width**2 / 12.0),
        "GJ": float(stiff[2, 2]),
        "BT": float(stiff[1, 2]),
        "GAy": float(_SHEAR * width / np.linalg.inv(found.A)[2, 2]),
        "GAz": float(width / np.linalg.inv(found.shear)[0, 0]),
        "area": width * found.thickness,
        "density": found.mass / found.thickness,
        "gyration_y": float(width / np.sqrt(12.0)),
        "gyration_z": found.gyration,
        "mass_centre": found.mass_centre - float(axis),
        "offset_y": offset_y,
        "offset_z": offset_z + float(axis),
        **{f"orientation{i + 1}": x for i, x in enumerate(spec.section.orientation)},
        **_expansions(spec, found, float(axis)),
    }


def _expansions(spec: BodySpec, found: Laminate, axis: float) -> dict[str, float]:
    """Return the free strains of the beam for a temperature change of 1 K."""
    own: Floats = found.expansion[_KEPT] * np.array([1.0, -1.0, -0.5])
    strains = {"tension": own[0] - axis * own[1], "bending_z": own[1], "twisting": own[2]}
    order = _TIMOSHENKO if spec.element.startswith("timoshenko") else _EULER
    return {f"expansion{k + 1}": float(strains.get(name, 0.0)) for k, name in enumerate(order)}
