# SPDX-License-Identifier: BSD-3-Clause
"""What the material of a model file comes to in the kernels of a body's element."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from flexforge.runtime import elasticity
from flexforge.runtime.arrays import Floats
from flexforge.runtime.elasticity import ReducedLaw
from flexforge.runtime.model.schema_material import MaterialSpec

#: Strains of a kelvin in an element, from those of its material along its axes (3,) and those
#: of the law (k,), by the number of coordinates of a node.
Expansion: TypeAlias = Callable[[Sequence[float], Floats, int], Sequence[float]]


def element_name(name: str, hypothesis: str | None, material: MaterialSpec | None) -> str:
    """Return the full name of a standard element of a material."""
    ending = "" if material is None or material.is_isotropic else "_anisotropic"
    return f"{name}{ending}_{hypothesis}" if hypothesis else f"{name}{ending}"


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
    material: MaterialSpec, law: ReducedLaw, expansion: Expansion, dimension: int
) -> dict[str, float]:
    """Return the strains that a kelvin makes by the names of the kernels' arguments.

    Parameters
    ----------
    material : MaterialSpec
        Of the model file.
    law : ReducedLaw
        What the element's hypothesis makes of it.
    expansion : callable
        Which strains they are, in the element.
    dimension : int
        Coordinates of a node.
    """
    if material.expansion is None:
        return {}
    found = expansion(material.expansion, law.expansion, dimension)
    return {f"expansion{k + 1}": float(strain) for k, strain in enumerate(found)}


def with_volume(own: Sequence[float], law: Floats, dimension: int) -> Sequence[float]:
    """Return all strains, and last the change of volume, of a law that tells it from shape."""
    return [*law, float(law[:dimension].sum())]


def along_axis(own: Sequence[float], law: Floats, dimension: int) -> Sequence[float]:
    """Return the strains of a rod, which has that along its axis and does not bend by it."""
    return [own[0], *[0.0] * 5]


def along_forces(forces: Sequence[str]) -> Expansion:
    """Return the strains of a user's rod or shell, known where its forces have the usual names."""
    axes = {"N": 0, "N11": 0, "N22": 1}
    if not axes.keys() & set(forces):
        return lambda own, law, dimension: ()
    return lambda own, law, dimension: [law[axes[name]] if name in axes else 0.0 for name in forces]


def constants(material: MaterialSpec, law: ReducedLaw) -> dict[str, float]:
    """Return the constants of a material by the names of the kernels' arguments."""
    found = {"density": material.density}
    if material.young is not None and material.poisson is not None:
        return found | {"young": material.young, "poisson": material.poisson}
    size = len(law.stiffness)
    return found | {
        f"H{i + 1}{j + 1}": float(law.stiffness[i, j]) for i in range(size) for j in range(i, size)
    }
