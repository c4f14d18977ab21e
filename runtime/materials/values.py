# SPDX-License-Identifier: BSD-3-Clause
"""Kernel arguments of the material of a body, for the hypothesis of its element."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from flexforge.runtime import elasticity
from flexforge.runtime.arrays import Floats
from flexforge.runtime.elasticity import ReducedLaw
from flexforge.runtime.model.schema_material import MaterialSpec

#: Strains of an element for 1 K, from those of its material along its axes (3,) and those of the
#: law (k,), by the number of coordinates per node.
Expansion: TypeAlias = Callable[[Sequence[float], Floats, int], Sequence[float]]


def element_name(name: str, hypothesis: str | None, material: MaterialSpec | None) -> str:
    """Return the full name of a standard element of a material."""
    ending = "" if material is None or material.is_isotropic else "_anisotropic"
    return f"{name}{ending}_{hypothesis}" if hypothesis else f"{name}{ending}"


def reduction(
    material: MaterialSpec | None, values: Mapping[str, float], hypothesis: str
) -> ReducedLaw:
    """Return the reduced law of a material, or of the constants given to a user's element.

    Parameters
    ----------
    material : MaterialSpec, optional
        From the model file.
    values : mapping
        Scalar arguments of the kernels, if there is no material with elastic constants.
    hypothesis : str
        A key of :data:`elasticity.STRAINS`.
    """
    strain = np.zeros(6) if material is None else material.thermal_strain()
    if material is None or not material.has_law:
        young, poisson = values.get("young", 1.0), values.get("poisson", 0.0)
        return elasticity.reduce(elasticity.isotropic(young, poisson), strain, hypothesis)
    return elasticity.reduce(material.stiffness(), strain, hypothesis)


def expansions(
    material: MaterialSpec, law: ReducedLaw, expansion: Expansion, dimension: int
) -> dict[str, float]:
    """Return the strains for 1 K as kernel arguments by name.

    Parameters
    ----------
    material : MaterialSpec
        From the model file.
    law : ReducedLaw
        The law of the material under the hypothesis of the element.
    expansion : callable
        Kind of strains of the element.
    dimension : int
        Coordinates per node.
    """
    if material.expansion is None:
        return {}
    found = expansion(material.expansion, law.expansion, dimension)
    return {f"expansion{k + 1}": float(strain) for k, strain in enumerate(found)}


def with_volume(own: Sequence[float], law: Floats, dimension: int) -> Sequence[float]:
    """Return all strains, and last the volume change, for a law with separate volume and shape."""
    return [*law, float(law[:dimension].sum())]


def along_axis(own: Sequence[float], law: Floats, dimension: int) -> Sequence[float]:
    """Return the strains of a rod: stretch along its axis, and no bending."""
    return [own[0], *[0.0] * 5]


def along_forces(forces: Sequence[str]) -> Expansion:
    """Return the strains of a user's rod or shell, known if its forces have the usual names."""
    axes = {"N": 0, "N11": 0, "N22": 1}
    if not axes.keys() & set(forces):
        return lambda own, law, dimension: ()
    return lambda own, law, dimension: [law[axes[name]] if name in axes else 0.0 for name in forces]


def constants(material: MaterialSpec, law: ReducedLaw) -> dict[str, float]:
    """Return the constants of a material as kernel arguments by name."""
    found = {"density": material.mass_density}
    if not material.has_law:
        return found
    if material.young is not None and material.poisson is not None:
        return found | {"young": material.young, "poisson": material.poisson}
    size = len(law.stiffness)
    return found | {
        f"H{i + 1}{j + 1}": float(law.stiffness[i, j]) for i in range(size) for j in range(i, size)
    }
