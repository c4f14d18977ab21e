# SPDX-License-Identifier: BSD-3-Clause
"""The standard elements: isoparametric solids, and the facets that carry surface loads.

Variants share the cell of a standard element and compute its stiffness differently. They are
known by name like the others; their kernels are compiled on first use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import sympy
from flexforge.codegen.elements.constitutive import (
    AXISYMMETRIC,
    ISOTROPIC,
    PLANE_STRAIN,
    PLANE_STRESS,
    SELECTIVE,
    SELECTIVE_PLANE_STRAIN,
    Constitutive,
    anisotropic,
)
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.facts import FACTS, REVOLVED, TORSION, named
from flexforge.codegen.elements.interpolation import (
    REFERENCE,
    complete,
    pyramid,
    serendipity,
    tensor,
    wedge,
)
from flexforge.codegen.elements.reference_cells import CORNERS
from flexforge.codegen.errors import InputError, nearest

_HALF = sympy.Rational(1, 2)


def _points(*rows: tuple[int, ...]) -> tuple[tuple[sympy.Rational, ...], ...]:
    """Return integer rows as points with exact coordinates."""
    return tuple(tuple(sympy.Integer(x) for x in row) for row in rows)


def _with_middles(
    vertices: tuple[tuple[sympy.Rational, ...], ...], edges: str
) -> tuple[tuple[sympy.Rational, ...], ...]:
    """Return the vertices followed by the midpoints of the edges, written as ``01 12 20``."""
    middles = (
        tuple(
            (x + y) * _HALF
            for x, y in zip(vertices[int(edge[0])], vertices[int(edge[1])], strict=True)
        )
        for edge in edges.split()
    )
    return (*vertices, *middles)


def _with_centres(
    points: tuple[tuple[sympy.Rational, ...], ...], *centres: tuple[int, ...]
) -> tuple[tuple[sympy.Rational, ...], ...]:
    """Return the points followed by the midpoints of faces and of the cell."""
    return (*points, *_points(*centres))


_INTERVAL = _points(*CORNERS["interval"])
_TRIANGLE = _points(*CORNERS["triangle"])
_SQUARE = _points(*CORNERS["quadrilateral"])
_TETRAHEDRON = _points(*CORNERS["tetrahedron"])
_CUBE = _points(*CORNERS["hexahedron"])
_PYRAMID = _points(*CORNERS["pyramid"])
_WEDGE = _points(*CORNERS["wedge"])

_SQUARE_8 = _with_middles(_SQUARE, "01 12 23 30")
_CUBE_20 = _with_middles(_CUBE, "01 12 23 30 45 56 67 74 04 15 26 37")
# VTK's order of the faces: -x +x -y +y -z +z (class vtkTriQuadraticHexahedron).
_FACE_CENTRES = ((-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1))

# name -> cell, nodes, interpolation space, degrees of stiffness and mass, recovery of stress
_CELLS = {
    "line2": ("interval", _INTERVAL, tensor(1, 1), 0, 3, complete(1, 0)),
    "line3": ("interval", _with_middles(_INTERVAL, "01"), tensor(1, 2), 3, 5, complete(1, 1)),
    "tri3": ("triangle", _TRIANGLE, complete(2, 1), 0, 2, complete(2, 0)),
    "tri6": (
        "triangle",
        _with_middles(_TRIANGLE, "01 12 20"),
        complete(2, 2),
        2,
        4,
        complete(2, 1),
    ),
    "quad4": ("quadrilateral", _SQUARE, tensor(2, 1), 3, 3, tensor(2, 1)),
    "quad8": ("quadrilateral", _SQUARE_8, serendipity(2), 5, 5, tensor(2, 1)),
    "quad9": ("quadrilateral", _with_centres(_SQUARE_8, (0, 0)), tensor(2, 2), 5, 5, tensor(2, 1)),
    "tet4": ("tetrahedron", _TETRAHEDRON, complete(3, 1), 0, 2, complete(3, 0)),
    "tet10": (
        "tetrahedron",
        _with_middles(_TETRAHEDRON, "01 12 20 03 13 23"),
        complete(3, 2),
        2,
        4,
        complete(3, 1),
    ),
    # Gradients, and so stresses, are constant along the lines to the apex.
    "pyramid5": ("pyramid", _PYRAMID, pyramid(), 3, 3, complete(3, 0)),
    "wedge6": ("wedge", _WEDGE, wedge(1, 1), 2, 2, wedge(1, 1)),
    "wedge15": (
        "wedge",
        _with_middles(_WEDGE, "01 12 20 34 45 53 03 14 25"),
        (*wedge(2, 1), *(m * REFERENCE[2] ** 2 for m in complete(2, 1))),
        4,
        4,
        wedge(1, 1),
    ),
    "hex8": ("hexahedron", _CUBE, tensor(3, 1), 3, 3, tensor(3, 1)),
    "hex20": ("hexahedron", _CUBE_20, serendipity(3), 5, 5, tensor(3, 1)),
    "hex27": (
        "hexahedron",
        _with_centres(_CUBE_20, *_FACE_CENTRES, (0, 0, 0)),
        tensor(3, 2),
        5,
        5,
        tensor(3, 1),
    ),
}

PLANE = named("plane", variant=False)
SOLID = named("solid", variant=False)
HYPOTHESES = {"plane_stress": PLANE_STRESS, "plane_strain": PLANE_STRAIN}
#: Suffixes of the full names of plane elements.
SUFFIXES = (*HYPOTHESES, *REVOLVED)
#: Suffix of elements whose law has all its constants given.
ANISOTROPIC = "_anisotropic"


@dataclass(frozen=True)
class _Variant:
    """How a variant differs from the standard element of its cell.

    Attributes
    ----------
    description : str
        The difference in words.
    stiffness : int, optional
        Degree of the quadrature of the stiffness.
    mass : int, optional
        Degree of the quadrature of the mass and of loads within the element.
    strain : str, optional
        Strain operator, if not that of the standard element.
    laws : mapping, optional
        Law by hypothesis; for a solid under the empty name.
    modes : tuple of sympy.Expr
        Incompatible modes.
    """

    description: str
    stiffness: int | None = None
    mass: int | None = None
    strain: str | None = None
    laws: Mapping[str, Constitutive] | None = None
    modes: tuple[sympy.Expr, ...] = ()


_SELECTIVE = "isoparametric, volumetric strain averaged over the element"
_REDUCED = "isoparametric, stiffness by reduced integration"
_REDUCED_ALL = "isoparametric, stiffness, mass and body loads by reduced integration"
_FINE = "isoparametric, stiffness by a finer quadrature"
_WILSON = "isoparametric, with incompatible bending modes"
_BUBBLES = tuple(1 - axis**2 for axis in REFERENCE)
_VARIANTS = {
    "quad4i": _Variant(_WILSON, modes=_BUBBLES[:2]),
    "quad4s": _Variant(
        _SELECTIVE, strain="selective", laws={"plane_strain": SELECTIVE_PLANE_STRAIN}
    ),
    "quad8r": _Variant(_REDUCED, stiffness=3),
    "quad8rm": _Variant(_REDUCED_ALL, stiffness=3, mass=3),
    "hex8i": _Variant(_WILSON, modes=_BUBBLES),
    "hex8s": _Variant(_SELECTIVE, strain="selective", laws={"": SELECTIVE}),
    "hex20r": _Variant(_REDUCED, stiffness=3),
    "hex20rm": _Variant(_REDUCED_ALL, stiffness=3, mass=3),
    # On curved sides the integrand is not a polynomial: three or four points are not enough.
    "tri6f": _Variant(_FINE, stiffness=4),
    "tet10f": _Variant(_FINE, stiffness=4),
}
#: Cell of every variant.
VARIANTS = {name: FACTS[name].cell for name in _VARIANTS}
FACETS = {2: ("line2", "line3"), 3: ("tri3", "tri6", "quad4", "quad8", "quad9")}


def _declare(
    cell: str, name: str, components: int, law: Constitutive, section: str | None, description: str
) -> Element:
    """Return an isoparametric element on one of the cells."""
    reference, nodes, monomials, stiffness, mass, recovery = _CELLS[cell]
    return Element(
        name=name,
        cell=reference,
        nodes=nodes,
        monomials=monomials,
        components=components,
        strain="small_strain",
        constitutive=law,
        degree={"stiffness": stiffness, "mass": mass},
        recovery=recovery,
        section=section,
        description=description,
    )


def element(name: str, hypothesis: str | None = None) -> Element:
    """Return a standard element by its name.

    Parameters
    ----------
    name : str
        ``tri3 tri6 quad4 quad8 quad9`` (plane) or ``tet4 tet10 pyramid5 wedge6 wedge15 hex8 hex20
        hex27`` (solid), or a variant: ``quad8r hex20r`` (reduced integration), ``quad8rm hex20rm``
        (of masses too), ``quad4s hex8s`` (selective integration), ``quad4i hex8i`` (incompatible
        modes), ``tri6f tet10f`` (finer quadrature, for curved sides). Full names of plane elements,
        such as ``quad8_plane_strain``, and names with ``_anisotropic``, such as
        ``hex8_anisotropic`` or ``quad8_anisotropic_plane_strain``, are accepted too.
    hypothesis : str, optional
        ``plane_stress`` (default), ``plane_strain``, ``axisymmetric`` or ``axisymmetric_torsion``;
        plane elements only. The last two are the section of a body of revolution in coordinates
        (r, z), with displacements in the section, or along circles as well: three per node. There
        is no quad4s in plane stress, where volumetric locking does not occur.

    Returns
    -------
    Element
        Its declaration.

    Raises
    ------
    InputError
        For an unknown name or hypothesis, with the nearest known one.
    """
    for suffix in SUFFIXES:
        if name.endswith("_" + suffix):
            name, hypothesis = name.removesuffix("_" + suffix), suffix
    if name.endswith(ANISOTROPIC):
        return _generalize(element(name.removesuffix(ANISOTROPIC), hypothesis))
    cell, variant = VARIANTS.get(name, name), _VARIANTS.get(name)
    known = (*PLANE, *SOLID, *VARIANTS)
    if cell in SOLID:
        if hypothesis is not None:
            raise InputError(f"element '{name}': found hypothesis '{hypothesis}'; solids have none")
        solid = _declare(cell, name, 3, ISOTROPIC, None, "isoparametric solid")
        return _vary(solid, variant, "")
    if cell in PLANE:
        allowed = FACTS[name].hypotheses
        chosen = hypothesis or allowed[0]
        if chosen not in allowed:
            raise InputError(
                f"element '{name}': hypothesis '{chosen}' is unknown; expected one of "
                f"{', '.join(allowed)}{nearest(chosen, allowed)}"
            )
        words = f"isoparametric, {chosen.replace('_', ' ')}"
        if chosen in REVOLVED:
            return _vary(_revolve(cell, f"{name}_{chosen}", words, chosen), variant, chosen)
        plane = _declare(cell, f"{name}_{chosen}", 2, HYPOTHESES[chosen], "thickness", words)
        return _vary(plane, variant, chosen)
    raise InputError(
        f"element '{name}' is unknown; expected one of {', '.join(known)}{nearest(name, known)}"
    )


def _generalize(standard: Element) -> Element:
    """Return the element with a law that has all its constants given."""
    if standard.strain == "selective":
        raise InputError(
            f"element '{standard.name}': selective integration needs a volumetric part; expected "
            "an isotropic material"
        )
    cell, *hypothesis = standard.name.split("_", 1)
    return replace(
        standard,
        name="_".join((f"{cell}{ANISOTROPIC}", *hypothesis)),
        constitutive=anisotropic(standard.constitutive.matrix.rows),
        description=f"{standard.description}, anisotropic",
    )


def _revolve(cell: str, name: str, description: str, strain: str) -> Element:
    """Return the section of a body of revolution, with one degree more for the radius."""
    plane = _declare(cell, name, 2, PLANE_STRAIN, None, description)
    # One point of a triangle gives rank four; with the hoop strain, rank five is needed.
    degree = {"tri3": {"stiffness": 2, "mass": 4}, "tri6": {"stiffness": 4, "mass": 4}}
    return replace(
        plane,
        components=3 if strain == TORSION else 2,
        strain=strain,
        constitutive=ISOTROPIC if strain == TORSION else AXISYMMETRIC,
        degree=degree.get(cell, plane.degree),
    )


def _vary(standard: Element, variant: _Variant | None, hypothesis: str) -> Element:
    """Return the variant of a standard element, or the element itself if there is none."""
    if variant is None:
        return standard
    degree = dict(standard.degree)
    if variant.stiffness is not None:
        degree["stiffness"] = variant.stiffness
    if variant.mass is not None:
        degree["mass"] = variant.mass
    return replace(
        standard,
        strain=variant.strain or standard.strain,
        constitutive=variant.laws[hypothesis] if variant.laws else standard.constitutive,
        degree=degree,
        modes=variant.modes,
        description=variant.description,
    )


def facet(cell: str, components: int, *, revolved: bool = False) -> Element:
    """Return the facet of an element that carries surface loads.

    Parameters
    ----------
    cell : str
        ``line2 line3`` in the plane and of bodies of revolution, ``tri3 tri6 quad4 quad8 quad9`` in
        space.
    components : int
        Coordinates per node: 2 or 3, of a body of revolution 3 with torsion.
    revolved : bool
        Whether the facet belongs to a body of revolution, in coordinates (r, z).
    """
    known = FACETS.get(2 if revolved else components, ("none",))
    if cell not in known:
        raise InputError(
            f"facet '{cell}' is not a facet of a {components}-D body; "
            f"expected one of {', '.join(known)}"
        )
    if revolved:
        strain = REVOLVED[components - 2]
        return _revolve(cell, f"facet_{cell}_{strain}", "facet under pressure", strain)
    section = "thickness" if components == 2 else None
    law = HYPOTHESES["plane_stress"] if components == 2 else ISOTROPIC
    return _declare(cell, f"facet_{cell}", components, law, section, "facet under pressure")


def variants() -> Iterator[Element]:
    """Yield the variants in the order of the documentation, without bodies of revolution."""
    for name in _VARIANTS:
        for hypothesis in FACTS[name].hypotheses or (None,):
            if hypothesis not in REVOLVED:
                yield element(name, hypothesis)


def sections() -> Iterator[Element]:
    """Yield the sections of bodies of revolution, and their variants."""
    for name in (*PLANE, *VARIANTS):
        for hypothesis in REVOLVED:
            if hypothesis in FACTS[name].hypotheses:
                yield element(name, hypothesis)


def standard_elements() -> Iterator[Element]:
    """Yield the standard elements in the order of the documentation.

    Yields
    ------
    Element
        A declaration: plane elements of every hypothesis, then solids.

    Examples
    --------
    >>> import flexforge as ff
    >>> [element.name for element in ff.elements() if element.components == 3]
    ['tet4', 'tet10', 'pyramid5', 'wedge6', 'wedge15', 'hex8', 'hex20', 'hex27']
    """
    for name in PLANE:
        for hypothesis in HYPOTHESES:
            yield element(name, hypothesis)
    for name in SOLID:
        yield element(name)
