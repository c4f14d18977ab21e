# SPDX-License-Identifier: BSD-3-Clause
"""The element of a body: from the library, or declared by a user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from flexforge.codegen.elements.energy_laws import LAWS
from flexforge.codegen.elements.facts import FACTS, LARGE_RODS, TAPERED
from flexforge.codegen.errors import InputError
from flexforge.runtime.assembly.kernels import Kernels
from flexforge.runtime.digest import digest
from flexforge.runtime.elasticity import STRAINS
from flexforge.runtime.expansion.own_points import own_points
from flexforge.runtime.materials.shell_sections import LAMINATE, shell_name
from flexforge.runtime.materials.values import (
    Expansion,
    along_axis,
    along_forces,
    element_name,
    with_volume,
)
from flexforge.runtime.mesh.own_cells import own_cell
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_mesh import LARGE, RODS, SHELLS, cell_of
from flexforge.runtime.model.section_shapes import GIVEN
from flexforge.runtime.system.own_values import (
    known_sections,
    material_values,
    require_parameters,
    section_values,
)

if TYPE_CHECKING:
    from flexforge.codegen.elements.declaration import Element
    from flexforge.codegen.elements.field import AnyElement

FIELD_TERMS = ("stiffness", "mass", "coriolis", "centrifugal", "euler_load", "centrifugal_load",
             "translation")  # fmt: skip


#: Terms of a continuum, and those that only some continua have.
_SOLID, _OF_SOME = ("stiffness", "scalar_mass"), ("geometric", "stress")
#: Those of an element with an energy.
LARGE_TERMS = ("strain_energy", "internal_forces", "tangent")
_LAWS = {"plane_strain": "plane_strain", "selective_plane_strain": "plane_strain",
         "axisymmetric": "axisymmetric", "anisotropic_axisymmetric": "axisymmetric"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CellElement:
    """Properties of the element of a body, from the library or declared by a user.

    Attributes
    ----------
    name : str
        Its full name.
    cell : str
        Cell type of its mesh.
    components : int
        Coordinates per node.
    hypothesis : str
        Assumption about its material: a key of :data:`elasticity.STRAINS`.
    expansion : callable
        Strains due to a temperature change of 1 K.
    terms : sequence of str
        Terms for which a body needs kernels.
    carried : int
        Vectors per node: its displacement, and for some elements its rotation.
    has_field : bool
        Whether it declares its field: bars, beams, shells, and some users' elements.
    declared : Element or FieldElement, optional
        Its declaration, if it is not in the library; library elements need no SymPy.
    corotated : bool
        Whether it is a linear element in a frame that turns with it.
    """

    name: str
    cell: str
    components: int
    hypothesis: str
    expansion: Expansion
    terms: Sequence[str]
    carried: int
    has_field: bool
    declared: AnyElement | None = None
    corotated: bool = False

    @property
    def is_large(self) -> bool:
        """Whether it is for large displacements: it has an energy, or turns with its nodes."""
        own = self.name in LARGE or getattr(self.declared, "energy", None) is not None
        return own or self.corotated

    @property
    def varying(self) -> tuple[str, ...]:
        """Properties of its section that are given at its points of integration."""
        if self.declared is not None:
            return getattr(self.declared, "varying", ())
        return GIVEN if self.name.endswith(TAPERED) else ()

    @property
    def point_count(self) -> int:
        """Number of points of integration at which these are given."""
        if self.declared is not None:
            return len(self.declared.points.places) if self.varying else 0  # type: ignore[union-attr]
        (name, *_) = self.varying or ("",)
        read = self.kernels()["stiffness"].parameters
        return sum(one.rstrip("0123456789") == name != one for one in read)

    def kernels(self) -> Kernels:
        """Return the kernels that a body with this element may need."""
        return Kernels(self.declared or self.name, self.terms)


def element_of(spec: BodySpec, model: ModelSpec) -> CellElement:
    """Return the element of a body."""
    declared: AnyElement | str
    if not spec.has_own_law:
        found = _of_library(_full_name(spec, model), planar=spec.is_planar)
        if spec.large_rotations:
            found = replace(found, corotated=True, terms=("stiffness", "mass"))
        declared = _with_own_points(found.name, spec)
        if not isinstance(declared, str):
            found = replace(found, name=declared.name, declared=declared)
        return found
    from flexforge.codegen.elements.declaration import Element, require_body
    from flexforge.codegen.elements.hyperelastic import growing
    from flexforge.codegen.elements.user import load_element

    if spec.energy is None:
        declared = load_element(Path(spec.element))
    else:
        declared = _with_energy(spec, spec.energy)
    if isinstance(declared, Element):
        require_body(declared)
        if declared.energy is not None and _is_heated(spec, model):
            declared = growing(declared)
    elif "slope" in declared.carried:
        raise InputError(
            f"body '{spec.name}': found element '{declared.name}', whose nodes have slopes; "
            "expected displacements and rotations: such cables are for generated kernels "
            "(docs/howto/beams.md)"
        )
    found = _of_user(declared)
    material = model.materials[spec.material] if spec.material is not None else None
    bare = spec.model_copy(update={"parameters": {}})
    values, _ = material_values(bare, material, found.hypothesis, found.expansion, found.components)
    sections = known_sections(spec, declared)
    given = {**values, **sections} if sections else section_values(bare, values)
    require_parameters(spec, declared, given)
    return found


def _is_heated(spec: BodySpec, model: ModelSpec) -> bool:
    """Whether temperatures expand a body."""
    if spec.material is None or model.materials[spec.material].expansion is None:
        return False
    return any(one.kind == "temperature" and one.body in (None, spec.name) for one in model.loads)


def _with_energy(spec: BodySpec, energy: str) -> AnyElement:
    """Return an element of the library with an energy; names of parameters are those given."""
    from flexforge.codegen.elements.hyperelastic import hyperelastic

    end = f"_{spec.hypothesis}" if spec.hypothesis else ""
    names = () if energy in LAWS else [one for one in spec.parameters if one != "density"]
    try:
        return hyperelastic(_with_own_points(f"{spec.element}{end}", spec), energy, names)
    except InputError as error:
        raise InputError(f"body '{spec.name}': {error}") from None


def _with_own_points(name: str, spec: BodySpec) -> Element | str:
    """Return a solid of the library with the points that a body has of its own.

    Its name tells it from the same solid with other points. Of other bodies it is the name alone.
    """
    own = own_points(spec)
    if own is None:
        return name
    from flexforge.codegen.elements.library import element
    from flexforge.codegen.elements.quadrature import GivenRule

    word, points, weights = own
    rule = GivenRule(tuple(map(tuple, points.tolist())), tuple(weights.tolist()))
    return replace(
        element(name),
        name=f"{name}_{word}_{digest(points, weights)[:8]}",
        degree={"stiffness": rule, "mass": rule},
    )


def _of_library(name: str, *, planar: bool) -> CellElement:
    """Return an element of the library: its full name determines everything."""
    plain = name.removesuffix(LAMINATE).removesuffix(TAPERED)
    if plain in LARGE:
        carried = LARGE_RODS[plain.removesuffix("_plane")].carried
        return CellElement(
            name,
            LARGE[plain],
            components=2 if planar else 3,
            hypothesis="",
            expansion=along_axis,
            terms=("stiffness", "mass", *LARGE_TERMS),
            carried=carried,
            has_field=True,
        )
    has_field = plain in RODS | SHELLS
    carried = FACTS[plain.removesuffix("_plane") if has_field else name.split("_")[0]].carried
    hypotheses = [h for h in STRAINS if h and name.endswith(h)] or ["plane_stress"]
    sections = ("section_geometric",) if carried == 2 else ()
    return CellElement(
        name,
        cell_of(plain if has_field else name.split("_")[0]),
        components=2 if planar else 3,
        hypothesis=hypotheses[0] if planar else "",
        expansion=along_axis if name.removesuffix(TAPERED) in RODS else with_volume,
        terms=(*FIELD_TERMS, "geometric", *sections) if has_field else (*_SOLID, *_OF_SOME),
        carried=carried,
        has_field=has_field,
    )


def _of_user(declared: AnyElement) -> CellElement:
    """Return an element that a user has declared."""
    from flexforge.codegen.elements.terms import terms_of

    there, planar = terms_of(declared), declared.components == 2
    carried: Sequence[str] | None = getattr(declared, "carried", None)
    forces: Sequence[str] | None = getattr(declared, "generalized", None)
    terms = [*_SOLID, *(term for term in (*_OF_SOME, *LARGE_TERMS) if term in there)]
    if carried is not None and getattr(declared, "energy", None) is not None:
        terms = ["stiffness", "mass", *LARGE_TERMS]
    elif carried is not None:
        wanted = (*FIELD_TERMS, "geometric", "section_geometric")
        terms = [term for term in wanted if term in there]
    return CellElement(
        declared.name,
        own_cell(declared).name,
        components=declared.components,
        hypothesis=_hypothesis(declared) if planar else "",
        expansion=with_volume if forces is None else along_forces(forces),
        terms=terms,
        carried=1 if carried is None else len(carried),
        has_field=carried is not None,
        declared=declared,
    )


def _hypothesis(declared: AnyElement) -> str:
    """Return the assumption about the material of a plane element."""
    if getattr(declared, "energy", None) is not None:
        return "axisymmetric" if getattr(declared, "revolved", False) else "plane_strain"
    return _LAWS.get(declared.constitutive.name, "plane_stress")


def _full_name(spec: BodySpec, model: ModelSpec) -> str:
    """Return the full name of an element of the library for the material of a body."""
    if spec.element in RODS and spec.plies is not None:
        return f"{spec.element}{LAMINATE}"
    if spec.element in RODS and spec.section is not None and spec.section.varies:
        return f"{spec.element}{TAPERED}"
    if spec.element in SHELLS:
        return shell_name(spec, model.materials)
    material = model.materials[spec.material] if spec.material is not None else None
    return element_name(spec.element, spec.hypothesis, material)


def dimension_of(elements: Sequence[CellElement], *, planar: bool = False) -> int:
    """Return the number of coordinates per node, the same for all bodies.

    Parameters
    ----------
    elements : sequence of CellElement
        Of the bodies.
    planar : bool
        Whether a model without bodies is one of the plane.
    """
    found = [element.components for element in elements]
    if not found:
        return 2 if planar else 3
    if len(set(found)) > 1:
        raise InputError(
            f"bodies[{found.index(2)}].element: planar in a model with spatial elements; expected "
            "elements of one spatial dimension"
        )
    return found[0]
