# SPDX-License-Identifier: BSD-3-Clause
"""Plausibility of size, mass, sections and materials: lengths may be in mm, a modulus in MPa."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_lumped import MassSpec, tensor_of
from flexforge.runtime.model.schema_material import MaterialSpec
from flexforge.runtime.model.schema_mechanism import LinkSpec
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.digits import lost_digits
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.own_energies import energy_remark
from flexforge.runtime.system.strips import strip_remark
from flexforge.runtime.unit_systems import SI, UnitSystem

#: kg; the Eiffel tower has 7e6, and so has an 11 mm steel cube if its millimetres count as metres.
HEAVIEST = 1e7
#: m; larger than any machine, and smaller than any body that is a continuum.
LONGEST = 1e3
SHORTEST = 1e-6
#: Pa; rubber has 1e6 and more, and so has no solid with its modulus in MPa or GPa.
SOFTEST = 1e6
#: kg/m^3; foams have 10 and more, osmium has 22590.
LIGHTEST, DENSEST = 10.0, 2.3e4
#: Largest dimension of a section, relative to the length of its body: more is no rod or shell, and
#: a wire of 0.05 mm in a body of 5 m has the least.
FATTEST, THINNEST = 1.0, 1e-5
#: Radius of gyration relative to the size of the model: kg mm^2 for kg m^2 make it 1000 times too
#: large, and a flywheel on a short crank has two or three.
WIDEST = 10.0
_SCALE = "; [mesh] scale makes coordinates metres: 1e-3 of millimetres"


def bounding_box(places: NameTable) -> tuple[Floats, Floats]:
    """Return the lowest and the highest coordinates of all bodies in their frames, (3,), m."""
    points = [body.part.points for body in places.system.bodies if len(body.part.points)]
    everything = np.vstack(points) if points else np.zeros((1, 3))
    return everything.min(axis=0), everything.max(axis=0)


def remarks(places: NameTable) -> list[str]:
    """Return the warnings about the mesh, one line each, of the bodies with it."""
    strips = [text for body in places.system.bodies if (text := strip_remark(body))]
    laws = [text for body in places.system.bodies if (text := _indefinite_law(body))]
    weak = [text for body in places.system.bodies if (text := energy_remark(body))]
    return [*places.mesh.remarks, *lost_digits(places.system), *strips, *laws, *weak]


def odd_units(spec: ModelSpec, places: NameTable, mass: float | None = None) -> list[str]:
    """Return the warnings about sizes, masses and materials that no machine has, one line each.

    Parameters
    ----------
    spec : ModelSpec
        The model; where its units are not declared nothing is said.
    places : NameTable
        The same with its mesh.
    mass : float, optional
        The mass of all bodies, kg, where it is known.
    """
    units = spec.unit_system
    if not units.is_declared:
        return []
    return [*_odd_size(places, mass, units), *_odd_materials(spec.materials, units)]


def _odd_size(places: NameTable, mass: float | None, units: UnitSystem) -> list[str]:
    lower, upper = bounding_box(places)
    length = float((upper - lower).max())
    mass = places.system.total_mass if mass is None else mass
    found = []
    heaviest = units.of_si(HEAVIEST, "kg")
    longest, shortest = units.of_si(LONGEST, "m"), units.of_si(SHORTEST, "m")
    if mass > heaviest:
        found.append(f"the bodies have a mass of {mass:.3g} kg together, more than {heaviest:g} kg")
    if length > longest:
        found.append(f"the model is {length:.3g} m long, more than {longest:g} m")
    elif 0.0 < length < shortest:
        found.append(f"the model is {length:.3g} m long, less than {shortest:g} m")
    if found:
        found[-1] += _SCALE if units.is_si else f"; {_otherwise(units)}"
    return found


def _otherwise(units: UnitSystem) -> str:
    """Return what is expected of numbers in a system other than SI."""
    return f"expected all numbers in the units {units.words}"


def _indefinite_law(body: Body) -> str:
    """Return a warning of a law of a user's element that stores no energy for some strain."""
    if body.declared is None:
        return ""
    from flexforge.codegen.elements.declaration import Element
    from flexforge.codegen.elements.definite import law_energies, law_of, section_law_of

    if isinstance(body.declared, Element):
        law, scaled = law_of(body.declared), ""
    else:
        law, scaled = section_law_of(body.declared), " (diagonal scaled to 1)"
    if law is None or (found := law_energies(law, _numbers(body), scaled=bool(scaled))).definite:
        return ""
    return (
        f"body '{body.name}': the law of element '{body.element}' is not positive definite: "
        f"{found.text}{scaled}; expected every strain to store energy, or modes are unstable or "
        "missing"
    )


def _numbers(body: Body) -> dict[str, float]:
    """Return the scalar arguments that are the same for all elements."""
    return {name: value for name, value in body.values.items() if isinstance(value, float | int)}


def _odd_materials(materials: Mapping[str, MaterialSpec], units: UnitSystem) -> list[str]:
    found = []
    least = units.of_si(SOFTEST, "Pa")
    lightest, densest = (units.of_si(one, "kg/m^3") for one in (LIGHTEST, DENSEST))
    moduli = "moduli are in Pa: 210 GPa are 2.1e11" if units.is_si else _otherwise(units)
    densities = "7.85 g/cm^3 are 7850" if units.is_si else _otherwise(units)
    for name, material in materials.items():
        softest = material.softest_modulus
        if softest is not None and softest < least:
            found.append(
                f"materials.{name}: a modulus of {softest:.4g} Pa is less than that of rubber; "
                f"{moduli}"
            )
        density = material.density
        if density is not None and not lightest <= density <= densest:
            odd = "less than foam has" if density < lightest else "more than any solid has"
            found.append(
                f"materials.{name}: a density of {density:.4g} kg/m^3 is {odd}; {densities}"
            )
    return found


def odd_sections(
    bodies: Sequence[BodySpec], places: NameTable, units: UnitSystem = SI
) -> list[str]:
    """Return the warnings about sections and thicknesses out of proportion, one line each.

    Parameters
    ----------
    bodies : sequence of BodySpec
        The bodies of a model.
    places : NameTable
        The same with their mesh.
    units : UnitSystem
        Its units.
    """
    metres = "metres: 20 mm are 0.02" if units.is_si else "the same unit of length"
    found, known = [], set[str]()
    for number, spec in enumerate(bodies):
        size = spec.depth
        name = next(body for body in places.system.bodies if body.name == spec.name).in_file
        if name in known:  # by another of its pieces
            continue
        known.add(name)
        points = np.concatenate([body.part.points for body in places.bodies(name)])
        length = float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 0.0
        if size is None or not length:
            continue
        key, width = size
        told = f"bodies[{number}].{key}: {width:.4g} m wide or thick"
        if width > FATTEST * length:
            found.append(
                f"{told}, more than the body '{name}' is long, {length:.4g} m; expected "
                f"sections and mesh in {metres}"
            )
        elif width < THINNEST * length:
            found.append(
                f"{told}, {length / width:.2g} times less than the body '{name}' is long, "
                f"{length:.4g} m; expected sections and mesh in {metres}"
            )
    return found


def odd_inertias(spec: ModelSpec, places: NameTable) -> list[str]:
    """Return the warnings about moments of inertia far above mass times size squared.

    Parameters
    ----------
    spec : ModelSpec
        The model: its links and masses.
    places : NameTable
        The same with its mesh and mechanism.
    """
    size = float(np.ptp(bounding_box(places), axis=0).max())
    if places.mechanism is not None:
        size = max(size, places.mechanism.parts.size)
    found = []
    units = spec.unit_system
    units_of_moments = "kg m^2: 1000 kg mm^2 are 1e-3" if units.is_si else units.label("kg m^2")
    expected = f"expected moments of inertia in {units_of_moments}".removesuffix(" in ")
    tables: dict[str, Sequence[LinkSpec | MassSpec]] = {"links": spec.links, "masses": spec.masses}
    for table, given in tables.items():
        for number, one in enumerate(given):
            if not one.mass or not one.inertia or not size:
                continue
            moment = float(one.inertia[0])
            if len(one.inertia) > 1:
                moment = float(np.linalg.eigvalsh(np.asarray(tensor_of(one.inertia), float))[-1])
            radius = math.sqrt(moment / one.mass)
            if radius > WIDEST * size:
                found.append(
                    f"{table}[{number}].inertia: found {moment:.4g} kg m^2 for '{one.name}', a "
                    f"radius of gyration of {radius:.4g} m in a model of {size:.4g} m; "
                    f"{expected}"
                )
    return found
