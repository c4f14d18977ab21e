# SPDX-License-Identifier: BSD-3-Clause
"""What the material of a model file comes to in the kernels of a body's element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime import elasticity
from flexforge.runtime.elasticity import STRAINS, Floats, ReducedLaw
from flexforge.runtime.model.schema_material import MaterialSpec
from flexforge.runtime.model.schema_mesh import RODS

if TYPE_CHECKING:
    from flexforge.codegen.elements.field import AnyElement

_LAWS = {"plane_strain": "plane_strain", "selective_plane_strain": "plane_strain",
         "axisymmetric": "axisymmetric", "anisotropic_axisymmetric": "axisymmetric"}  # fmt: skip


def element_name(name: str, hypothesis: str | None, material: MaterialSpec | None) -> str:
    """Return the full name of a standard element of a material."""
    ending = "" if material is None or material.is_isotropic else "_anisotropic"
    return f"{name}{ending}_{hypothesis}" if hypothesis else f"{name}{ending}"


def hypothesis_of(element: AnyElement | str, dimension: int) -> str:
    """Return what an element assumes of its material: a key of :data:`elasticity.STRAINS`."""
    if dimension == 3:
        return ""
    if isinstance(element, str):
        return next((h for h in STRAINS if h and element.endswith(h)), "plane_stress")
    return _LAWS.get(element.constitutive.name, "plane_stress")


def reduction(
    material: MaterialSpec | None, values: Mapping[str, float], hypothesis: str
) -> ReducedLaw:
    """Return what a hypothesis makes of a material; of constants given to a user's element.

    Parameters
    ----------
    material : MaterialSpec, optional
        Of the model file.
    values : mapping
        Scalar arguments of the kernels, where there is no material.
    hypothesis : str
        A key of :data:`elasticity.STRAINS`.
    """
    if material is None:
        young, poisson = values.get("young", 1.0), values.get("poisson", 0.0)
        return elasticity.reduce(elasticity.isotropic(young, poisson), np.zeros(6), hypothesis)
    return elasticity.reduce(material.stiffness(), material.thermal_strain(), hypothesis)


def expansions(
    material: MaterialSpec, law: ReducedLaw, element: AnyElement | str, dimension: int
) -> dict[str, float]:
    """Return the strains that a kelvin makes by the names of the kernels' arguments.

    A rod has that along its axis and does not bend by it; a law that tells shape from volume has
    the change of volume last.
    """
    if material.expansion is None:
        return {}
    if not isinstance(element, str) and hasattr(element, "generalized"):
        return _along_forces(element.generalized, law.expansion)
    if element not in RODS if isinstance(element, str) else isinstance(element.strain, str):
        volume = float(law.expansion[:dimension].sum())
        found = [*law.expansion, volume]
    else:
        found = [material.expansion[0], *[0.0] * 5]
    return {f"expansion{k + 1}": float(strain) for k, strain in enumerate(found)}


def _along_forces(forces: Sequence[str], expansion: Floats) -> dict[str, float]:
    """Return the strains of a user's rod or shell, known where its forces have the usual names."""
    axes = {"N": 0, "N11": 0, "N22": 1}
    if not axes.keys() & set(forces):
        return {}
    return {
        f"expansion{k + 1}": float(expansion[axes[name]]) if name in axes else 0.0
        for k, name in enumerate(forces)
    }


def constants(material: MaterialSpec, law: ReducedLaw) -> dict[str, float]:
    """Return the constants of a material by the names of the kernels' arguments."""
    found = {"density": material.density}
    if material.young is not None and material.poisson is not None:
        return found | {"young": material.young, "poisson": material.poisson}
    size = len(law.stiffness)
    return found | {
        f"H{i + 1}{j + 1}": float(law.stiffness[i, j]) for i in range(size) for j in range(i, size)
    }
