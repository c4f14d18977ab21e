# SPDX-License-Identifier: BSD-3-Clause
"""Facts about each element of the library, by name: one table for compiler and runtime.

It imports nothing heavy, so that a model file can be checked without SymPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: The term that checks the geometry of elements whose cell can be inverted.
GEOMETRY = "jacobian"
#: Terms with values at points of each element, which are not summed over elements.
POINTS = ("points", "point_stress", "thermal_point_stress")
#: The same of elements with an energy: Cauchy's and the second Piola-Kirchhoff stress, Green's
#: strain, and the density of the energy.
FINITE_POINTS = (
    "points", "point_stress", "point_second_piola_stress", "point_strain", "point_energy",
)  # fmt: skip
PER_ELEMENT = (
    "stress", "thermal_stress", "second_piola_stress",
    *dict.fromkeys((*POINTS, *FINITE_POINTS)),
)  # fmt: skip
#: Hypotheses of plane elements.
HYPOTHESES = ("plane_stress", "plane_strain", "axisymmetric", "axisymmetric_torsion")
#: Those of sections of bodies of revolution; the last has displacements along circles too.
REVOLVED = HYPOTHESES[2:]
TORSION = REVOLVED[1]
_FLAT = HYPOTHESES[:2]


@dataclass(frozen=True, slots=True)
class Facts:
    """An element by its plain name, without hypothesis, plane or laminate.

    Attributes
    ----------
    family : str
        ``plane``, ``solid``, ``rod`` or ``shell``.
    cell : str
        Cell of the mesh.
    hypotheses : tuple of str
        Hypotheses of a plane element; the first is the default.
    carried : int
        Vectors per node: 1, or 2 with rotations.
    laminated : bool
        Whether it can be laminated.
    tapered : bool
        Whether its section can vary along an element.
    variant : bool
        Whether it shares the cell of a standard element.
    """

    family: Literal["plane", "solid", "rod", "shell"]
    cell: str
    hypotheses: tuple[str, ...] = ()
    carried: int = 1
    laminated: bool = False
    tapered: bool = False
    variant: bool = False


def _cells(family: Literal["plane", "solid"], *names: str) -> dict[str, Facts]:
    hypotheses = HYPOTHESES if family == "plane" else ()
    return {name: Facts(family, name, hypotheses) for name in names}


#: All elements, in the order of the documentation.
FACTS: dict[str, Facts] = {
    **_cells("plane", "tri3", "tri6", "quad4", "quad8", "quad9"),
    **_cells("solid", "tet4", "tet10", "pyramid5", "wedge6", "wedge15", "hex8", "hex20", "hex27"),
    "quad4i": Facts("plane", "quad4", _FLAT, variant=True),
    "quad4s": Facts("plane", "quad4", ("plane_strain",), variant=True),
    "quad8r": Facts("plane", "quad8", HYPOTHESES, variant=True),
    "quad8rm": Facts("plane", "quad8", HYPOTHESES, variant=True),
    "hex8i": Facts("solid", "hex8", variant=True),
    "hex8s": Facts("solid", "hex8", variant=True),
    "hex20r": Facts("solid", "hex20", variant=True),
    "hex20rm": Facts("solid", "hex20", variant=True),
    "tri6f": Facts("plane", "tri6", _FLAT, variant=True),
    "tet10f": Facts("solid", "tet10", variant=True),
    "bar2": Facts("rod", "line2"),
    "bar3": Facts("rod", "line3"),
    "euler_beam": Facts("rod", "line2", carried=2, laminated=True, tapered=True),
    "timoshenko_beam": Facts("rod", "line2", carried=2, laminated=True, tapered=True),
    "dkt3": Facts("shell", "tri3", carried=2, laminated=True),
    "dkt3d": Facts("shell", "tri3", carried=2, laminated=True),
    "mitc4": Facts("shell", "quad4", carried=2, laminated=True),
}
#: Suffix of the names of elements whose section varies along them.
TAPERED = "_tapered"
#: Elements whose mass has too few points to be regular, and those with the same but for that.
FULL_MASS = {"quad8rm": "quad8r", "hex20rm": "hex20r"}
#: Rods with large displacements and rotations, in space and in the plane.
LARGE_RODS: dict[str, Facts] = {
    "simo_beam2": Facts("rod", "line2", carried=2),
    "simo_beam3": Facts("rod", "line3", carried=2),
    "cable2": Facts("rod", "line2"),
    "cable3": Facts("rod", "line3"),
    "ancf_cable": Facts("rod", "line2", carried=2),
}
#: Those of them that models know: nodes of the others have slopes, which nothing in a model holds.
LARGE_IN_MODELS = tuple(name for name in LARGE_RODS if not name.startswith("ancf"))


def named(*families: str, variant: bool | None = None) -> tuple[str, ...]:
    """Return the plain names of families: all, only the variants, or all but the variants.

    Examples
    --------
    >>> named("shell")
    ('dkt3', 'dkt3d', 'mitc4')
    """
    return tuple(
        name
        for name, one in FACTS.items()
        if one.family in families and variant in (None, one.variant)
    )


def ambient_dimension(components: int, frame: str) -> int:
    """Return the dimension of the space of positions of an element, from its kernels.

    Parameters
    ----------
    components : int
        Coordinates per node.
    frame : str
        Name of its frame: ``axial`` is that of a meridian plane, whatever the components.
    """
    return 2 if frame == "axial" else components


def files(family: str) -> tuple[str, ...]:
    """Return the names of the files that declare the elements of a family.

    A rod also has one for the plane, a tapered one others whose section varies along an element, a
    laminated element one with the law of a laminate.

    Examples
    --------
    >>> files("shell")
    ('dkt3', 'dkt3_laminate', 'dkt3d', 'dkt3d_laminate', 'mitc4', 'mitc4_laminate')
    """
    found = []
    for name in named(family):
        found.append(name)
        found += [f"{name}_plane"] if family == "rod" else []
        found += (
            [f"{one}{TAPERED}" for one in (name, f"{name}_plane")] if FACTS[name].tapered else []
        )
        found += [f"{name}_laminate"] if FACTS[name].laminated else []
    return tuple(found)
