# SPDX-License-Identifier: BSD-3-Clause
"""Scalar arguments of the kernels of a body, and whether those of a user's element are complete."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from flexforge.codegen.elements.parameters import parameters_of
from flexforge.codegen.errors import InputError, nearest
from flexforge.runtime.elasticity import ReducedLaw
from flexforge.runtime.materials.values import Expansion, constants, expansions, reduction
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_material import MaterialSpec
from flexforge.runtime.model.section_shapes import GIVEN

if TYPE_CHECKING:
    from flexforge.codegen.elements.field import AnyElement

#: Keys of a model file that give a parameter besides ``bodies.parameters``.
_ELSEWHERE = {
    **dict.fromkeys(("young", "poisson", "density"), "in its material"),
    "thickness": "as thickness of the body",
    **dict.fromkeys(GIVEN, "in a section of the body"),
}


def material_values(
    spec: BodySpec,
    material: MaterialSpec | None,
    hypothesis: str,
    expansion: Expansion,
    dimension: int,
) -> tuple[dict[str, float], ReducedLaw]:
    """Return what a body without plies gives its kernels besides a section, and its reduced law.

    Parameters
    ----------
    spec : BodySpec
        From the model file; its ``parameters`` add to what the others give.
    material : MaterialSpec, optional
        Its material.
    hypothesis : str
        Assumption of its element about the material.
    expansion : callable
        Kind of strains of the element.
    dimension : int
        Coordinates per node.
    """
    values: dict[str, float] = {}
    law = reduction(material, spec.numbers, hypothesis)
    if material is not None:
        values |= constants(material, law) | expansions(material, law, expansion, dimension)
    if spec.thickness is not None:
        values["thickness"] = spec.thickness
    return values | spec.numbers, law


def section_values(spec: BodySpec, values: Mapping[str, float]) -> dict[str, float]:
    """Return the values together with those of the section of a bar or beam of one material."""
    if spec.section is None or spec.plies is not None or spec.hollow is not None:
        return dict(values)
    found = spec.section.values(values.get("poisson", 0.0))
    return {**values, **found, **spec.numbers}


def known_sections(spec: BodySpec, declared: AnyElement) -> dict[str, float]:
    """Return what a section gives a user's element whose section varies, by name, all of it zero.

    Raises
    ------
    InputError
        For a section that varies of an element whose section is constant.
    """
    section, varying = spec.section, getattr(declared, "varying", ())
    if section is None or not (varying or section.varies):
        return {}
    constant = [name for name in GIVEN if name in parameters_of(declared)]
    if section.varies and (constant or not varying):
        raise InputError(
            f"body '{spec.name}': section.{section.varying[0]}: found one that varies with element "
            f"'{declared.name}' ({Path(spec.element).name}), whose section is constant; expected a "
            "number, or varying = [..] in the element's file"
        )
    names = GIVEN if section.shape else tuple(n for n in GIVEN if getattr(section, n) is not None)
    count = len(declared.points.places) if isinstance(varying, tuple) and varying else 0  # type: ignore[union-attr]
    given = {f"{name}{k + 1}": 0.0 for name in names if name in varying for k in range(count)}
    return given | section.placing


def require_parameters(
    spec: BodySpec, declared: AnyElement, elsewhere: Mapping[str, float]
) -> None:
    """Refuse a user's element whose parameters are not all given, given twice, or unknown.

    Parameters
    ----------
    spec : BodySpec
        From the model file.
    declared : Element or FieldElement
        Its element.
    elsewhere : mapping
        What material, thickness and section give, by name, without ``parameters``.

    Raises
    ------
    InputError
        Naming the body, the parameter and the keys that may give it.
    """
    own, given = parameters_of(declared), {*elsewhere, *spec.parameters}
    _refuse_thickness(spec, declared, own)
    about = f"of element '{declared.name}' ({Path(spec.element).name})"
    missing = [name for name in own if name not in given]
    if missing:
        first = missing[0]
        where = f", or {_ELSEWHERE[first]}" if first in _ELSEWHERE else ""
        if where.endswith("in its material") and not spec.materials:
            where += ', which it does not name: material = "NAME"'
        also = f"; {', '.join(missing[1:])} too" if missing[1:] else ""
        raise InputError(
            f"body '{spec.name}': parameters: no value for parameter '{first}' {about}; expected "
            f"{first} = NUMBER in bodies.parameters{where}{also}"
        )
    strains = declared.constitutive.matrix.rows
    known = (*own, *(f"expansion{k + 1}" for k in range(strains)))
    for name in spec.parameters:
        if name not in known:
            raise InputError(
                f"body '{spec.name}': parameters.{name}: unknown; expected parameters {about}: "
                f"{', '.join(own)}{nearest(name, known)}"
            )
    for name, value in spec.parameters.items():
        if name in elsewhere:
            told = value if isinstance(value, str) else f"{value:.6g}"
            raise InputError(
                f"body '{spec.name}': parameters.{name}: found {told}, and "
                f"{elsewhere[name]:.6g} {_ELSEWHERE.get(name, 'in its material')}; expected one of "
                "them"
            )


def _refuse_thickness(spec: BodySpec, declared: AnyElement, own: tuple[str, ...]) -> None:
    """Refuse a thickness that nothing of the body uses.

    That of a shell also says where its surfaces are, whatever its law depends on.
    """
    is_shell = bool(getattr(declared, "carried", ())) and declared.dimension == 2
    if spec.thickness is None or "thickness" in own or is_shell:
        return
    section = declared.section
    other = f", or {section} = NUMBER in bodies.parameters" if section else ""
    raise InputError(
        f"body '{spec.name}': thickness: found {spec.thickness:g} for element '{declared.name}' "
        f"({Path(spec.element).name}), which has no parameter 'thickness'; expected none{other}"
    )
