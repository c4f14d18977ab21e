# SPDX-License-Identifier: BSD-3-Clause
"""Solid and plane elements, and rods, with an energy in place of their linear law."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from flexforge.codegen.elements.catalogue import declaration
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.elements.parameters import check_parameter
from flexforge.codegen.elements.rod_energy import RodEnergy
from flexforge.codegen.elements.rod_law import by_formula
from flexforge.codegen.elements.user_energies import STRAINS, energy_of
from flexforge.codegen.errors import InputError


def hyperelastic(
    element: AnyElement | str,
    energy: str,
    parameters: Sequence[str] | Mapping[str, str] = (),
    *,
    grows: bool = False,
) -> AnyElement:
    """Return an element with an energy, for large displacements and strains.

    Parameters
    ----------
    element : Element or str
        A solid, an element of plane strain or the section of a body of revolution, with strain
        ``small_strain``, ``axisymmetric`` or ``selective`` (``hex8s``, ``quad4s``: the volume
        changes by its mean over the element, for nearly incompressible bodies); or a rod with large
        rotations, such as ``simo_beam2``.
    energy : str
        ``st_venant_kirchhoff``, ``neo_hookean``, ``neo_hookean_isochoric``, ``mooney_rivlin``,
        ``gent``, ``ogden`` or ``holzapfel_gasser_ogden``; or an energy per undeformed volume as a
        formula of ``I1, I2, J, I1_bar, I2_bar, trE, trE2``, of ``stretch1, stretch2, stretch3`` and
        ``stretch1_bar ..``, in which all three are alike, of fibres ``I4, I6, I4_bar, I6_bar``, of
        components ``C11 .. C13`` and ``E11 .. E13`` along the axes of the body, and of its
        parameters, with + - * / ^, log, exp, sqrt and positive. Of a rod: an energy per length of
        its strains, ``tension, bending_y, shearing_y, bending_z, shearing_z, twisting``
        of a beam, ``tension, stretch`` of a cable.
    parameters : sequence of str or mapping, optional
        Names of the parameters of a formula, with their units where they are a mapping.
    grows : bool
        Of continua: whether temperatures expand it. Kernels then read temperatures at the nodes,
        from the first components of another nodal vector, and have the parameter ``expansion``.

    Returns
    -------
    Element or FieldElement
        Its terms are ``strain_energy``, ``internal_forces`` and ``tangent``; of continua also the
        products of the tangent with vectors, ``tangent_action``, and ``stress``, Cauchy's at the
        nodes, and ``second_piola_stress``; those of inertia; and ``stiffness``, the tangent at
        rest.

    Raises
    ------
    InputError
        For an element without gradients, an unknown energy or name, a formula that does not change
        with the deformation or has a stress at rest.

    Examples
    --------
    >>> import flexforge as ff
    >>> rubber = ff.hyperelastic("tet4", "mu/2*(I1 - 3) - mu*log(J) + k/2*log(J)^2", ["mu", "k"])
    >>> ff.compile(rubber, "tangent").symmetry
    'symmetric'
    """
    declared = declaration(element)
    if isinstance(declared, FieldElement) and declared.energy is not None:
        if grows:
            raise InputError(
                f"element '{declared.name}': found grows with a rod; expected a solid or plane "
                "element"
            )
        return _rod(declared, declared.energy, energy, parameters)
    if not isinstance(declared, Element) or declared.strain not in STRAINS or declared.modes:
        raise InputError(
            f"element '{declared.name}': found it with an energy; expected a solid or plane "
            f"element whose strain is {' or '.join(STRAINS)}, without incompatible modes"
        )
    law = energy_of(energy, parameters)
    if declared.constitutive.name == "plane_stress":
        raise InputError(
            f"element '{declared.name}': found plane stress with an energy; expected plane strain"
        )
    found = replace(
        declared,
        name=f"{declared.name}_{law.name}",
        constitutive=law.limit(declared.components, declared.strain),
        energy=law,
        units=law.units,
        description=f"{declared.description}, {law.name}",
    )
    return growing(found) if grows else found


def growing(element: Element) -> Element:
    """Return an element with an energy that temperatures expand."""
    assert element.energy is not None
    return replace(
        element,
        name=f"{element.name}_growing",
        energy=element.energy.growing(),
        description=f"{element.description}, expanded by temperatures",
    )


def _rod(
    rod: FieldElement,
    known: RodEnergy,
    formula: str,
    parameters: Sequence[str] | Mapping[str, str],
) -> FieldElement:
    for name in parameters:
        check_parameter(name, "parameters")
    energy = RodEnergy(known.strains, known.measures, known.forms, formula, tuple(parameters))
    energy.written  # noqa: B018 (reports what is wrong with it)
    units = dict(parameters) if isinstance(parameters, Mapping) else {}
    return replace(
        by_formula(rod, energy),
        name=f"{rod.name}_energy",
        units={**rod.units, **units},
        description=f"{rod.description}, energy",
    )
