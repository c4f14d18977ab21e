# SPDX-License-Identifier: BSD-3-Clause
"""What spans links, joints, gears and drivers: references, coordinates and the plane."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from flexforge.codegen.errors import InputError
from flexforge.runtime.formula.expressions import parse_expression
from flexforge.runtime.loading.checks_plies import known_name, out_of_plane
from flexforge.runtime.model.messages import Problem
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_frame import FREE
from flexforge.runtime.model.schema_mechanism import (
    GROUND,
    JointSpec,
    OfCoordinate,
    coordinate_of,
)
from flexforge.runtime.model.schema_probe import EFFORTS, ProbeSpec
from flexforge.runtime.model.schema_ties import (
    ActuatorSpec,
    ConstrainedSpec,
    ControllerSpec,
    VariableSpec,
)
from flexforge.runtime.motion.build import build_driver
from pydantic_core import PydanticCustomError

#: Kinds of joints that a planar model has.
PLANAR_KINDS = (
    "fixed", "revolute", "prismatic", "cylindrical", "spherical", "point_on_line", "free",
    "rolling",
)  # fmt: skip
#: Of those the ones that turn about their axis, which is normal to the plane then.
NORMAL_KINDS = ("revolute", "rolling")
#: And those that slide along it.
SLIDING_KINDS = ("prismatic", "point_on_line")
#: Analyses of links.
OF_LINKS: tuple[str, ...] = ("modes", "transient", "kinematics")
#: Coordinates of joints that are lengths.
SLIDES = ("slide", "second_slide", "third_slide")


def mechanism_problems(model: ModelSpec) -> Iterator[Problem]:
    """Yield what is wrong with the mechanism beyond single tables.

    Parameters
    ----------
    model : ModelSpec
        Validated table by table.
    """
    yield from _frames(model)
    yield from _ends(model)
    if model.is_planar:
        yield from _plane(model)
    elif model.planar and model.bodies:
        text = "found true beside bodies of space; expected it with links alone or plane bodies"
        yield Problem(("planar",), text)
    yield from _coordinates(model)
    yield from _functions(model)
    yield from _reactions(model)
    kind = model.analysis.kind
    for key in ("links", "constraints"):
        kinds = OF_LINKS if key == "links" or model.links else ("transient", "kinematics")
        if getattr(model, key) and kind not in kinds:
            wanted = "transient, modes or kinematics"
            if key == "constraints":
                wanted = "transient, or modes or kinematics of links"
            yield Problem((key,), f"found them with {kind}; expected {wanted}")
        if getattr(model, key) and model.include.prestress != "auto":
            text = f'found "{model.include.prestress}" with {key}; expected "auto": what they tie '
            text += "is under the stresses of its own state at every time"
            yield Problem(("include", "prestress"), text)
    kinematic = kind == "kinematics"
    names = [link.name for link in model.links]
    for index, probe in enumerate(model.probes):
        if probe.link is not None:
            yield from known_name(probe.link, names, "link", ("probes", index, "link"))
        if kinematic and probe.link is None and probe.joint is None:
            text = "missing; expected the name of a link, or a joint, with kinematics"
            yield Problem(("probes", index, "link"), text)
    if kinematic and not model.links:
        yield Problem(("links",), "missing; expected a table [[links]] for each link")
    for index, link in enumerate(model.links):
        if link.frames != 1 and kind != "transient":
            text = f"found several with {kind}; expected 1, or transient"
            yield Problem(("links", index, "frames"), text)
    heavy = [one for one in model.links if one.mass or any(one.inertia or ())]
    if kind == "transient" and not (heavy or model.bodies or model.masses):
        found = "links without bodies" if model.links else "connectors alone"
        wanted = 'the mass of a link, or [analysis] kind = "kinematics"'
        text = f"found no mass in a transient analysis of {found}; expected "
        key = "links" if model.links else "connectors"
        yield Problem((key,), text + (wanted if model.links else "[[masses]] or [[bodies]]"))


def _reactions(model: ModelSpec) -> Iterator[Problem]:
    """Yield forces of joints and ways of finding them that are asked for where there are none."""
    analysis = model.analysis
    tied = bool(model.links or model.constraints)
    if analysis.kind == "transient" and analysis.formalism is not None and not tied:
        text = f"found {analysis.formalism} in a model without links and constraints; expected them"
        yield Problem(("analysis", "formalism"), text)
    if analysis.kind == "transient" and analysis.accuracy is not None and model.machines:
        text = f"found {analysis.accuracy:g} with [[machines]]; expected none: equal steps"
        yield Problem(("analysis", "accuracy"), text)
    if (
        analysis.kind == "transient"
        and tied
        and analysis.method not in ("generalized_alpha", "newmark", "hht")
    ):
        text = f"found {analysis.method} with links or constraints; expected generalized_alpha or "
        yield Problem(
            ("analysis", "method"), text + "newmark, or formalism hamilton, which takes midpoints"
        )
    if analysis.kind == "transient" and tied and analysis.method == "newmark":
        beta, gamma = analysis.beta or 0.0, analysis.gamma or 0.0
        if 2.0 * beta < gamma:  # joints vibrate at frequencies without bound
            text = f"found {beta:g} with links or constraints; expected at least gamma / 2, "
            yield Problem(("analysis", "beta"), text + f"{0.5 * gamma:g}: stable at any step")
    joints = [joint.name for joint in model.joints]
    joints += [force.name for force in model.forces if force.links is not None]
    others = [driver.name for driver in model.drivers] + [gear.name for gear in model.gears]
    others += [constraint.name for constraint in model.constraints]
    for index, probe in enumerate(model.probes):
        if tied and probe.quantity.startswith("reaction"):
            text = f"found {probe.quantity} in a model with links or constraints; expected joint"
            yield Problem(("probes", index, "quantity"), text + " with force or moment")
        named = {"joint": (probe.joint, joints), "constraint": (probe.constraint, others)}
        for key, (name, known) in named.items():
            if name is None:
                continue
            if analysis.kind == "kinematics" and not probe.of_motion:
                text = f"found {probe.quantity} with kinematics, which has no forces; expected "
                wanted = "coordinate, velocity or acceleration of a joint, or transient"
                yield Problem(("probes", index, "quantity"), text + wanted)
            elif analysis.kind not in (OF_LINKS if model.links else ("transient", "kinematics")):
                text = f"found with {analysis.kind}; expected only with transient"
                yield Problem(("probes", index, key), text)
            joint = "joint or force" if model.forces else "joint"
            words = joint if key == "joint" else "driver, gear or constraint"
            yield from known_name(name, known, words, ("probes", index, key))
        if probe.controller is not None:
            known = [one.name for one in model.controllers]
            yield from known_name(
                probe.controller, known, "controller", ("probes", index, "controller")
            )
        yield from _coordinate_of_probe(model, index, probe)
        yield from _effort_of_probe(model, index, probe)


def _coordinate_of_probe(model: ModelSpec, index: int, probe: ProbeSpec) -> Iterator[Problem]:
    """Yield what is wrong with the coordinate that a probe of a joint asks for."""
    further = (one.relative for one in model.forces)
    specs = (*model.joints, *(one for one in further if one is not None))
    joint = next((one for one in specs if one.name == probe.joint), None)
    if joint is not None and probe.of_coordinate:
        key = ("probes", index)
        yield from coordinate_problems(
            joint, probe.component or None, (*key, "component"), (*key, "joint")
        )


def _effort_of_probe(model: ModelSpec, index: int, probe: ProbeSpec) -> Iterator[Problem]:
    """Yield torques and forces that are not those of a driver, or not along its coordinate."""
    if probe.constraint is None or probe.quantity not in EFFORTS:
        return
    key = ("probes", index, "quantity")
    driver = next((one for one in model.drivers if one.name == probe.constraint), None)
    if driver is None:
        text = f"found {probe.quantity} of '{probe.constraint}', which is no driver; expected "
        yield Problem(key, text + "multiplier")
        return
    joint = next((one for one in model.joints if one.name == driver.joint), None)
    if joint is None or (driver.coordinate is None and len(joint.coordinates) != 1):
        return  # which is told of the driver
    coordinate = driver.coordinate or joint.coordinates[0]
    wanted = "force" if coordinate in SLIDES else "torque"
    if probe.quantity != wanted:
        text = f"found {probe.quantity} of driver '{driver.name}', which drives the {coordinate} "
        yield Problem(key, f"{text}of joint '{joint.name}'; expected {wanted}")


def _frames(model: ModelSpec) -> Iterator[Problem]:
    """Frames that are named are links."""
    names = [link.name for link in model.links]
    tables: dict[str, tuple[Any, ...]] = {"bodies": model.bodies, "masses": model.masses}
    for key, items in tables.items():
        for index, item in enumerate(items):
            if isinstance(item.frame, str):
                others = (FREE,) if key == "bodies" else ()
                where = (key, index, "frame")
                yield from known_name(item.frame, (*names, *others), "link", where)


def _ends(model: ModelSpec) -> Iterator[Problem]:
    """Joints are between links that there are, and every link has one."""
    names = [GROUND, *(link.name for link in model.links)]
    for index, joint in enumerate(model.joints):
        for k, link in enumerate(joint.links):
            yield from known_name(link, names, "link", ("joints", index, "links", k))
    joined = {link for joint in model.joints for link in joint.links}
    for index, one in enumerate(model.links):
        if one.name not in joined and model.analysis.kind not in ("transient", "modes"):
            text = f"found '{one.name}', which no joint has; expected every link in a joint"
            yield Problem(("links", index, "name"), text)


def _coordinates(model: ModelSpec) -> Iterator[Problem]:
    """Gears and drivers move coordinates that there are, each driven once."""
    joints = {joint.name: joint for joint in model.joints}
    for index, joint in enumerate(model.joints):
        for table in ("start", "start_velocity"):
            for name in getattr(joint, table):
                own = ("joints", index, table)
                yield from coordinate_problems(joint, name, own, own)
    for index, gear in enumerate(model.gears):
        for k, name in enumerate(gear.joints):
            key = ("gears", index)
            yield from known_name(name, joints, "joint", (*key, "joints", k))
            named = gear.coordinates[k] if gear.coordinates else None
            yield from coordinate_problems(
                joints[name], named, (*key, "coordinates"), (*key, "joints", k)
            )
    taken: dict[tuple[str, str], str] = {}
    for index, driver in enumerate(model.drivers):
        key = ("drivers", index)
        yield from known_name(driver.joint, joints, "joint", (*key, "joint"))
        joint = joints[driver.joint]
        yield from coordinate_problems(
            joint, driver.coordinate, (*key, "coordinate"), (*key, "joint")
        )
        moved = driver.joint, coordinate_of(joint, driver.coordinate)
        yield from _units(driver, moved, key)
        if moved in taken:
            text = f"found {moved[1]} of joint '{moved[0]}', which driver '{taken[moved]}' drives "
            yield Problem((*key, "joint"), text + "too; expected one driver per coordinate")
        taken[moved] = driver.name
    for index, actuator in enumerate(model.actuators):
        key = ("actuators", index)
        yield from known_name(actuator.joint, joints, "joint", (*key, "joint"))
        joint = joints[actuator.joint]
        yield from coordinate_problems(
            joint, actuator.coordinate, (*key, "coordinate"), (*key, "joint")
        )
        moved = actuator.joint, coordinate_of(joint, actuator.coordinate)
        yield from _units(actuator, moved, key)
    yield from _formulas(model, joints)


def _formulas(model: ModelSpec, joints: Mapping[str, JointSpec]) -> Iterator[Problem]:
    """Formulas know what they name, and every name means one thing."""
    states = tuple(one.name for one in model.controllers)
    tables: tuple[tuple[str, str, tuple[ActuatorSpec | ControllerSpec, ...]], ...] = (
        ("actuators", "law", model.actuators),
        ("controllers", "rate", model.controllers),
    )
    for table, key, items in tables:
        for index, one in enumerate(items):
            where, text = (table, index), getattr(one, key)
            if text is None:
                continue
            names = one.variables(states)
            for name in sorted({name for name in names if names.count(name) > 1}):
                found = f"found '{name}' as two of a coordinate, an input and a controller"
                yield Problem(where, f"{found}; expected distinct names")
            try:
                parse_expression(text, names)
            except InputError as error:
                yield Problem((*where, key), str(error))
            yield from _variables(one.coordinates, joints, where)
            yield from _of_forces(one.coordinates, model, where)
    for index, constraint in enumerate(model.constraints):
        of_joints = {k: v for k, v in constraint.coordinates.items() if v.joint is not None}
        yield from _variables(of_joints, joints, ("constraints", index))
    if model.controllers and not model.links:
        yield Problem(("controllers",), "found them in a model without links; expected links")


def _variables(
    coordinates: Mapping[str, VariableSpec | ConstrainedSpec],
    joints: Mapping[str, JointSpec],
    key: tuple[Any, ...],
) -> Iterator[Problem]:
    """Coordinates of formulas are those of joints."""
    for name, one in coordinates.items():
        if one.joint is None:
            continue
        here = (*key, "coordinates", name)
        yield from known_name(one.joint or "", joints, "joint", (*here, "joint"))
        if (joint := joints.get(one.joint or "")) is not None:
            yield from coordinate_problems(
                joint, one.coordinate, (*here, "coordinate"), (*here, "joint")
            )


def _of_forces(
    coordinates: Mapping[str, VariableSpec], model: ModelSpec, key: tuple[Any, ...]
) -> Iterator[Problem]:
    """Yield forces that do not act between two links, whose motion formulas know."""
    known = [force.name for force in model.forces if force.links is not None]
    for name, one in coordinates.items():
        if one.force is not None:
            yield from known_name(one.force, known, "force", (*key, "coordinates", name, "force"))


def _units(table: OfCoordinate, moved: tuple[str, str], key: tuple[Any, ...]) -> Iterator[Problem]:
    """Units of an angle are given for angles only."""
    if moved[1] in SLIDES and table.keys_of_angles:
        text = f"found a unit of an angle for the {moved[1]} of joint '{moved[0]}'; expected m"
        yield Problem((*key, table.keys_of_angles[0]), text)


def coordinate_problems(
    joint: JointSpec, name: str | None, key: tuple[Any, ...], joint_key: tuple[Any, ...]
) -> Iterator[Problem]:
    """Yield that a joint has no coordinate of a name, or several where none is named.

    Parameters
    ----------
    joint : JointSpec
        The joint.
    name : str, optional
        The coordinate.
    key, joint_key : tuple
        Where the model file has it, and the joint.
    """
    try:
        coordinate_of(joint, name)
    except PydanticCustomError as error:
        assert error.context is not None
        yield Problem(key if joint.coordinates else joint_key, error.context["text"])


def _functions(model: ModelSpec) -> Iterator[Problem]:
    """Drivers are finite, and do not jump."""
    for index, driver in enumerate(model.drivers):
        try:
            build_driver(driver, abs(model.span)).check(abs(model.span))
        except InputError as error:
            yield Problem(("drivers", index, driver.given), str(error))


def _plane(model: ModelSpec) -> Iterator[Problem]:
    """In a planar model nothing leaves the plane."""
    for index, link in enumerate(model.links):
        placement, key = link.placement, ("links", index, "placement")
        yield from out_of_plane(placement.position, (*key, "position"))
        if placement.angle and any(placement.axis[:2]):
            yield Problem(
                (*key, "axis"), "found another axis; expected [0, 0, 1] in a planar model"
            )
        if link.velocity is not None:
            yield from out_of_plane(link.velocity, ("links", index, "velocity"))
        if any((link.angular_velocity or ())[:2]):
            text = "found one about another axis; expected [0, 0, w] in a planar model"
            yield Problem(("links", index, "angular_velocity"), text)
    for index, joint in enumerate(model.joints):
        here = ("joints", index)
        if joint.kind not in PLANAR_KINDS:
            text = (
                f"found {joint.kind} in a planar model; expected one of {', '.join(PLANAR_KINDS)}"
            )
            yield Problem((*here, "kind"), text)
        for place in joint.at:
            if not isinstance(place, str):
                yield from out_of_plane(place, (*here, "at"))
        for axis in joint.axis:
            if joint.kind in NORMAL_KINDS and any(axis[:2]):
                text = f"expected [0, 0, 1] for a {joint.kind} joint in a planar model"
                yield Problem((*here, "axis"), f"found {list(axis)}; {text}")
            if joint.kind in SLIDING_KINDS and axis[2]:
                text = "expected a direction in the plane x, y in a planar model"
                yield Problem((*here, "axis"), f"found {list(axis)}; {text}")
            if axis[2] and any(axis[:2]):
                text = "expected one along z or in the plane x, y in a planar model"
                yield Problem((*here, "axis"), f"found {list(axis)}; {text}")
        for across in joint.across or ():
            if across[2]:
                text = "expected a direction in the plane x, y in a planar model"
                yield Problem((*here, "across"), f"found {list(across)}; {text}")
