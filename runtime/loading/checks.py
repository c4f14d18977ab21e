# SPDX-License-Identifier: BSD-3-Clause
"""What spans several tables of a model: references, names used twice, files, motions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from flexforge.codegen.elements.facts import FULL_MASS
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.checks_bearings import bearing_problems
from flexforge.runtime.loading.checks_cases import case_problems
from flexforge.runtime.loading.checks_critical import critical_problems
from flexforge.runtime.loading.checks_cyclic import cyclic_problems
from flexforge.runtime.loading.checks_excitations import excitation_problems
from flexforge.runtime.loading.checks_forces import force_problems
from flexforge.runtime.loading.checks_free import free_problems
from flexforge.runtime.loading.checks_lumped import lumped_problems
from flexforge.runtime.loading.checks_mechanism import mechanism_problems
from flexforge.runtime.loading.checks_plies import known_name, out_of_plane, ply_problems
from flexforge.runtime.loading.checks_spin import spin_problems
from flexforge.runtime.loading.checks_steps import over_steps, step_problems
from flexforge.runtime.model.messages import Problem
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_frame import FrameSpec, is_free
from flexforge.runtime.model.schema_mesh import RODS, SPATIAL_ELEMENTS, cell_of
from flexforge.runtime.model.schema_profile import ProfileSpec, kind_of_profile
from flexforge.runtime.model.schema_reduction import ReductionSpec
from flexforge.runtime.motion.build import build_motion, build_profile, from_standstill
from flexforge.runtime.motion.coordinate import Coordinate
from pydantic import BaseModel

SAMPLES = 65
#: Rods, and elements that tell a change of volume from one of shape.
ISOTROPIC_ELEMENTS = (*RODS, "quad4s", "hex8s")


def problems(model: ModelSpec) -> Iterator[Problem]:
    """Yield what is wrong beyond single tables, lazily; callers stop at the first.

    Parameters
    ----------
    model : ModelSpec
        Validated table by table.

    Yields
    ------
    Problem
        Key path and text.
    """
    yield from step_problems(model)
    yield from case_problems(model)
    for check in _CHECKS:
        yield from over_steps(check, model)


def every_problem_across(model: ModelSpec, *, whole: bool = True) -> list[Problem]:
    """Return everything that is wrong beyond single tables, as far as it can be told at once.

    Parameters
    ----------
    model : ModelSpec
        Validated table by table.
    whole : bool
        Whether no table was left out.
    """
    found = [*step_problems(model), *case_problems(model)]
    if found and model.steps:
        return found
    for check in _CHECKS:
        try:
            for problem in over_steps(check, model):
                found.append(problem)  # noqa: PERF402  (those before an exception count)
        except Exception:
            # A check may rely on those before it, which have found something, or on what is gone.
            if whole and not found:
                raise
    return found


def _reduction(model: ModelSpec) -> Iterator[Problem]:
    """Shapes are of bodies in prescribed frames, and take steps of the second-order equations."""
    if model.reduction is None:
        return
    analysis = model.analysis
    if model.constraints:
        yield Problem(("reduction",), "found with [[constraints]]; expected it without")
    if model.links:
        yield from _reduced_links(model, model.reduction)
    elif analysis.kind not in ("transient", "modes"):
        yield Problem(
            ("reduction",), f"found with analysis {analysis.kind}; expected transient or modes"
        )
    if analysis.kind == "transient" and analysis.method in ("midpoint", "gauss4"):
        text = f"found {analysis.method} with a reduction; expected generalized_alpha, newmark or "
        text += "central_difference"
        yield Problem(("analysis", "method"), text)
    if analysis.kind == "transient" and analysis.stable_fraction is not None:
        text = f"found {analysis.stable_fraction:g} with a reduction; expected none: equal steps"
        yield Problem(("analysis", "stable_fraction"), text)
    if analysis.kind == "modes" and analysis.speeds is not None:
        yield Problem(("analysis", "speeds"), "found with a reduction; expected one time")
    if analysis.kind == "modes" and analysis.shift is not None and not model.links:
        text = "found with a reduction, whose lowest modes are compared; expected none"
        yield Problem(("analysis", "shift"), text)


def _reduced_links(model: ModelSpec, reduction: ReductionSpec) -> Iterator[Problem]:
    """Bodies of links keep what joints hold, and move in speeds that these leave free."""
    analysis = model.analysis
    if analysis.kind not in ("transient", "modes"):
        text = f"found with links and analysis {analysis.kind}; expected transient or modes"
        yield Problem(("reduction",), text)
    if reduction.method == "modal":
        text = "found modal with links; expected craig_bampton, which keeps what joints hold"
        yield Problem(("reduction", "method"), text)


def _files(model: ModelSpec) -> Iterator[Problem]:
    paths: list[tuple[tuple[str | int, ...], Path, str]] = []
    if model.mesh.file is not None:
        paths.append((("mesh", "file"), model.mesh.file, "a mesh file"))
    for index, body in enumerate(model.bodies):
        if body.is_user_element:
            paths.append(
                (("bodies", index, "element"), Path(body.element), "a user's element file")
            )
    for key, path, what in paths:
        try:
            there = path.is_file()
        except OSError:  # such as a name that is too long
            there = False
        if not there:
            yield Problem(key, f"found no file '{str(path)[:200]}'; expected {what}")


def _names(model: ModelSpec) -> Iterator[Problem]:
    solids: dict[str, tuple[BaseModel, ...]] = {
        "bodies": model.bodies, "masses": model.masses, "connectors": model.connectors,
        "couplings": model.couplings, "pretensions": model.pretensions,
        "links": model.rigid_links,
    }  # fmt: skip
    others: tuple[dict[str, tuple[BaseModel, ...]], ...] = (
        {"probes": model.probes},
        {"machines": model.machines},
        {"joints": model.joints, "forces": model.forces},
        {
            "gears": model.gears,
            "drivers": model.drivers,
            "actuators": model.actuators,
            "controllers": model.controllers,
            "constraints": model.constraints,
        },
    )
    for tables in (solids, *others):
        seen: dict[str, str] = {}
        for key, items in tables.items():
            for index, item in enumerate(items):
                name = getattr(item, "name")  # noqa: B009  (all of them have one)
                if name in seen:
                    text = f"found '{name}', the name of {seen[name]} too; expected distinct names"
                    if key == "links" and seen[name].startswith("bodies"):
                        text += f', or frame = "{name}" in {seen[name]}, which then is on this link'
                    yield Problem((key, index, "name"), text)
                seen.setdefault(name, f"{key}[{index}]")


def _references(model: ModelSpec) -> Iterator[Problem]:
    for index, body in enumerate(model.bodies):
        if body.material is not None:
            key = ("bodies", index, "material")
            yield from known_name(body.material, model.materials, "material", key)
            yield from _isotropic(body, model, key)
        yield from ply_problems(body, index, model)
    names = model.names
    tables: dict[str, tuple[Any, ...]] = {
        "supports": model.supports,
        "loads": model.loads,
        "initial": model.initial,
        "probes": model.probes,
    }
    for table, items in tables.items():
        for index, item in enumerate(items):
            if item.body is not None:
                yield from known_name(item.body, names, "body", (table, index, "body"))
    for index, equation in enumerate(model.equations):
        for i, term in enumerate(equation.terms):
            if term.body is not None:
                where = ("equations", index, "terms", i, "body")
                yield from known_name(term.body, names, "body", where)


def _elastic(model: ModelSpec) -> Iterator[Problem]:
    """Materials have elastic constants, unless all their bodies have elements of a user's file.

    Such an element says by its law which constants it needs (`require_parameters`).
    """
    for name, material in model.materials.items():
        bodies = [body for body in model.bodies if name in body.materials]
        # A body that names no material is told so; which one it takes is not known.
        bodies = bodies or [body for body in model.bodies if not body.materials]
        if bodies and all(body.has_own_law for body in bodies):
            continue
        for key, text in material.missing_constants():
            yield Problem(("materials", name, key), text)
            break


def _isotropic(body: BodySpec, model: ModelSpec, key: tuple[str | int, ...]) -> Iterator[Problem]:
    """Elements whose law has no axes of its own take isotropic materials."""
    material = model.materials.get(body.material or "")
    if material is None or material.is_isotropic:
        return
    if body.element in ISOTROPIC_ELEMENTS:
        text = f"found the anisotropic '{body.material}' of element {body.element}"
        yield Problem(key, f"{text}; expected an isotropic material")
    if material.semidefinite and body.element not in SPATIAL_ELEMENTS:
        text = f"found the semidefinite '{body.material}' of element {body.element}"
        yield Problem(key, f"{text}; expected a solid element, or a definite material")


def _densities(model: ModelSpec) -> Iterator[Problem]:
    """Materials have densities where inertia matters: a static analysis at rest needs none."""
    analysis = model.analysis
    heavy = analysis.kind not in ("static", "buckling") or bool(model.masses)
    heavy = heavy or any(load.kind in ("gravity", "body_force") for load in model.loads)
    for name, material in model.materials.items():
        if material.density is not None:
            continue
        frames = [body.frame for body in model.bodies if name in body.materials]
        if heavy or any(frame != FrameSpec() for frame in frames):
            expected = type(material).model_fields["density"].description
            yield Problem(("materials", name, "density"), f"missing; expected {expected}")


def _method(model: ModelSpec) -> str:
    """Return the method of a transient analysis; of others an empty text."""
    return model.analysis.method if model.analysis.kind == "transient" else ""


def _reduced_masses(model: ModelSpec) -> Iterator[Problem]:
    """Masses by reduced integration are singular, and some analyses invert them."""
    free = any(is_free(body.frame) for body in model.bodies)
    if not (model.links or model.constraints or free):
        return
    what = "links" if model.links else "constraints" if model.constraints else "a free frame"
    for index, body in enumerate(model.bodies):
        if body.element in FULL_MASS:
            text = f"found {body.element} with {what}, where some of its motions lack inertia; "
            yield Problem(("bodies", index, "element"), f"{text}expected {FULL_MASS[body.element]}")


def _phases(model: ModelSpec) -> Iterator[Problem]:
    """Phases of loads are those of a harmonic vibration."""
    if model.analysis.kind == "harmonic":
        return
    for index, load in enumerate(model.loads):
        if load.phase and load.kind != "unbalance":
            text = f"found with a {model.analysis.kind} analysis; expected it with a harmonic one"
            yield Problem(("loads", index, "phase"), text)


#: Analyses of vibrations about stresses that k alone may give.
_LINEAR = ("modes", "buckling", "critical_speeds", "harmonic", "periodic", "spectrum", "random")


def _linear_prestress(model: ModelSpec) -> Iterator[Problem]:
    """Stresses by k alone are those that vibrations are about."""
    analysis = model.analysis
    known = analysis.kind in _LINEAR
    if model.include.prestress == "linear" and not known and _method(model) != "modal":
        text = f'found "linear" with a {analysis.kind} analysis; expected modes, harmonic, buckling'
        text += ", spectrum, random, or method modal"
        yield Problem(("include", "prestress"), text)


def _elements(model: ModelSpec) -> Iterator[Problem]:
    """Plane and solid bodies do not mix, and a block holds the cells of the element."""
    planar = [body.is_planar for body in model.bodies]
    solid = [body.element in SPATIAL_ELEMENTS for body in model.bodies]
    if any(planar) and any(solid):
        index = planar.index(True) if solid[0] else solid.index(True)
        text = (
            f"found {model.bodies[index].element} beside {model.bodies[0].element}; expected only "
            "plane elements or only solid ones"
        )
        yield Problem(("bodies", index, "element"), text)
    kinds = [body.hypothesis if body.is_revolved else None for body in model.bodies]
    if len(set(kinds)) > 1:
        index = next(k for k, kind in enumerate(kinds) if kind != kinds[0])
        found, first = (kinds[k] or "no body of revolution" for k in (index, 0))
        text = f"found {found} beside {first}; expected one hypothesis for all bodies of revolution"
        yield Problem(("bodies", index, "hypothesis"), f"{text}, and no others beside them")
    block = model.mesh.block
    of_shafts = tuple(f"{shaft.name}." for shaft in model.shafts)
    for index, body in enumerate(model.bodies):
        if block is None or body.is_user_element or (body.cells or "all").startswith(of_shafts):
            continue
        if cell_of(body.element) != block.cell:
            text = f"found {body.element}; expected {block.cell}, the cell of mesh.block"
            yield Problem(("bodies", index, "element"), text)


def _revolution(model: ModelSpec) -> Iterator[Problem]:
    """Gravity does not pull a body of revolution aside."""
    if not any(body.is_revolved for body in model.bodies):
        return
    for index, load in enumerate(model.loads):
        for axis in (0, 2):
            if load.kind == "gravity" and load.acceleration[axis]:
                text = f"found {'xyz'[axis]} component {load.acceleration[axis]:g}; expected "
                yield Problem(("loads", index, "acceleration"), f"{text}gravity along the axis y")


def _plane(model: ModelSpec) -> Iterator[Problem]:
    """In a planar model nothing has a z component."""
    if not model.is_planar:
        return
    revolved = any(body.is_revolved for body in model.bodies)
    for index, load in enumerate(model.loads):
        for key in ("total", "each", "acceleration"):
            vector = getattr(load, key, None)
            if load.kind == "moment" and revolved:
                continue  # about the axis, where there is torsion
            if vector is not None and load.kind == "moment" and any(vector[:2]):
                text = f"found {[*vector]}; expected a moment about z, [0, 0, M], in a planar model"
                yield Problem(("loads", index, key), text)
            elif vector is not None and load.kind != "moment":
                yield from out_of_plane(vector, ("loads", index, key))
    for index, initial in enumerate(model.initial):
        for key in ("displacement", "velocity"):
            vector = getattr(initial, key)
            if vector is not None and vector[2] not in (0.0, "0"):
                text = f"found z component {vector[2]}; expected 0 in a planar model"
                yield Problem(("initial", index, key), text)


def _motion(body: BodySpec, index: int, span: float) -> Iterator[Problem]:
    with np.errstate(all="ignore"):  # what overflows is found and named
        found = list(_motion_problems(body, index, span))
    yield from found


def _motion_problems(body: BodySpec, index: int, span: float) -> Iterator[Problem]:
    frame = body.frame
    if isinstance(frame, str):
        return
    key: tuple[str | int, ...] = ("bodies", index, "frame")
    found = list(_motion_of(frame, key, span))
    yield from found
    if not found:
        yield from _out_of_plane(body, frame, key, span)


def _out_of_plane(
    body: BodySpec, frame: FrameSpec, key: tuple[str | int, ...], span: float
) -> Iterator[Problem]:
    """Yield where a motion leaves the plane of its body, or its axis of symmetry."""
    motion = build_motion(frame, abs(span))
    if body.is_revolved and not motion.is_axial:
        where = (*key, "axis") if frame.axis is not None else key
        text = "found motion out of the axis of symmetry; expected axis [0, 1, 0], and x and z of "
        yield Problem(where, text + "the origin at rest")
    elif body.is_planar and not body.is_revolved and not motion.is_planar:
        where = (*key, "axis") if frame.axis is not None else key
        text = "found motion out of the plane; expected axis [0, 0, 1] and z of the origin at rest"
        yield Problem(where, text)


def _motion_of(frame: FrameSpec, key: tuple[str | int, ...], span: float) -> Iterator[Problem]:
    """Yield what is wrong with a motion, whatever moves with it."""
    try:
        motion = build_motion(frame, abs(span))
    except InputError as error:
        yield Problem(key, str(error))
        return
    if frame.given is not None:
        try:
            motion.rotation.check(span)
            motion.rotation.at(span)
        except InputError as error:
            yield Problem((*key, frame.given), str(error))
    if frame.origin is not None:
        for component, coordinate in enumerate(motion.origin):
            try:
                coordinate.check(span)
            except InputError as error:
                yield Problem((*key, "origin", frame.origin.given, component), str(error))


def _amplitudes(model: ModelSpec) -> Iterator[Problem]:
    """Profiles of loads are finite over the analysis."""
    times = np.linspace(0.0, model.span, SAMPLES) if model.span else np.zeros(1)
    for index, load in enumerate(model.loads):
        if load.kind == "unbalance":
            continue
        key = "value" if load.kind == "pressure" else "amplitude"
        try:
            with np.errstate(all="ignore"):
                values = build_profile(getattr(load, key)).derivative(times, 0)
            if not np.isfinite(values).all():
                raise InputError("found values that overflow; expected finite ones")
        except InputError as error:
            yield Problem(("loads", index, key), str(error))


def _displacements(model: ModelSpec) -> Iterator[Problem]:
    """Displacements of supports are finite and do not jump, and bodies do not move on links."""
    given: list[tuple[tuple[str | int, ...], ProfileSpec]] = [
        (("supports", i, "displacement", component), profile)
        for i, support in enumerate(model.supports)
        for component, profile in support.displacement.items()
    ]
    equations = enumerate(model.equations)
    given += [(("equations", i, "value"), one.value) for i, one in equations if one.value != 0.0]
    for where, profile in given:
        if model.links and model.reduction is not None:
            text = "found with links and [reduction]; expected none where supports move"
            yield Problem(where[:3], text)
        try:
            if kind_of_profile(profile) == "<input>":
                raise InputError("found an input; expected a function of time")
            with np.errstate(all="ignore"):
                moved = Coordinate(build_profile(profile, model.span or 1.0))
                # At one time nothing has a velocity.
                moved.check(model.span if model.analysis.kind == "transient" else 0.0)
        except InputError as error:
            yield Problem(where, str(error))


def _motions(model: ModelSpec) -> Iterator[Problem]:
    """Prescribed motions are finite, do not jump, and stay in a planar model's plane."""
    found = [one for k, body in enumerate(model.bodies) for one in _motion(body, k, model.span)]
    yield from found
    if model.is_sweep and not found:
        frames = from_standstill([body.frame for body in model.bodies], abs(model.span))
        for index, (body, frame) in enumerate(zip(model.bodies, frames, strict=True)):
            if not isinstance(frame, str) and frame != body.frame:
                yield from _out_of_plane(body, frame, ("bodies", index, "frame"), model.span)
    for index, mass in enumerate(model.masses):
        if mass.frame is not None and not isinstance(mass.frame, str):
            yield from _motion_of(mass.frame, ("masses", index, "frame"), model.span)


def _start(model: ModelSpec) -> Iterator[Problem]:
    """Yield what contradicts a start in equilibrium: displacements, and shapes of links."""
    analysis = model.analysis
    if analysis.kind != "transient" or analysis.start != "equilibrium":
        return
    for index, initial in enumerate(model.initial):
        if initial.displacement is not None:
            text = 'found with analysis.start = "equilibrium", whose displacement is computed'
            yield Problem(("initial", index, "displacement"), f"{text}; expected velocity alone")
    if model.reduction is not None and model.links:
        text = "found equilibrium with [reduction] of links, whose shapes need not contain it"
        yield Problem(("analysis", "start"), f"{text}; expected initial, or no [reduction]")


def _linked_modes(model: ModelSpec) -> Iterator[Problem]:
    """Modes of links are about one position, or one steady motion, of t = 0."""
    analysis = model.analysis
    if analysis.kind != "modes":
        return
    if not model.links:
        if "start" in analysis.model_fields_set:
            text = f"found {analysis.start} in modes without links; expected it with links alone"
            yield Problem(("analysis", "start"), text)
        return
    if analysis.speeds is not None:
        text = "found them with links; expected none: drivers turn links, one velocity at a time"
        yield Problem(("analysis", "speeds"), text)
    if analysis.time != 0.0:
        text = (
            f"found {analysis.time:g} with links, whose placements are those of t = 0; expected 0"
        )
        yield Problem(("analysis", "time"), text)
    if model.initial:
        text = "found with modes of links; expected none: displacements are those of equilibrium"
        yield Problem(("initial", 0), text)


#: In the order in which they are told: later ones may rely on what earlier ones have found sound.
_CHECKS: tuple[Callable[[ModelSpec], Iterator[Problem]], ...] = (
    _files,
    _names,
    mechanism_problems,
    force_problems,
    _references,
    _elastic,
    _densities,
    _linear_prestress,
    _phases,
    _reduced_masses,
    _elements,
    _revolution,
    _plane,
    _motions,
    free_problems,
    spin_problems,
    critical_problems,
    lumped_problems,
    bearing_problems,
    _amplitudes,
    _displacements,
    _reduction,
    _start,
    _linked_modes,
    excitation_problems,
    cyclic_problems,
)
