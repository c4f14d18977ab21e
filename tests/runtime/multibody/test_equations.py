# SPDX-License-Identifier: BSD-3-Clause
"""The equations of links whose motion is found: particles, joints by differences, derivatives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flexforge.codegen.joints.table import JOINTS
from flexforge.runtime.constraints.actuators import Actuator
from flexforge.runtime.formula.expressions import parse_expression
from flexforge.runtime.mechanism.build import Driver, Gear, Parts, coordinates_of
from flexforge.runtime.mechanism.joints import Joint, marker
from flexforge.runtime.mechanism.tables import build_linkage
from flexforge.runtime.model.schema_ties import with_rates
from flexforge.runtime.motion.coordinate import Coordinate
from flexforge.runtime.motion.profiles import PolynomialProfile
from flexforge.runtime.multibody.formulas import Controller, Formula, Formulas
from flexforge.runtime.multibody.model import MultibodyModel
from flexforge.runtime.multibody.pushes import Push
from flexforge.runtime.multibody.rigid_motions import RigidMotions
from flexforge.runtime.multibody.tables import build_multibody
from flexforge.runtime.transient.manifold import SE3, Product
from flexforge.runtime.transient.model import Point
from swarms import Swarm

#: Those of model files; that of forces between links is in ``test_forces.py``.
KINDS_OF_JOINTS = tuple(kind for kind, one in JOINTS.items() if not one.of_forces)


def _vector(rng):
    return rng.normal(size=3)


CONDITION = "cos(x)*x_dot*(1 + y**2) + t*y_dot + 0.4*t**2"


def told(count):
    """Return laws of two coordinates and two states, controllers, and an equation of speeds."""
    states = ("i", "j")

    def of(text, k):
        names = with_rates(["x", "y"])
        expression = parse_expression(text, ("t", *names, "gain", *states))
        return Formula(expression, {"x": k, "y": (k + 1) % count}, {"gain": 0.7}, states)

    law = "0.3*sin(x)*x_dot**2 + t*x + gain*y*y_dot - i*x + 0.1*j"
    return Formulas(
        {f"a{k}": of(law, k) for k in range(count)},
        (Controller("i", 0.2), Controller("j", -0.4)),
        (of("y - 0.3*i*y_dot + sin(t)*j", 0), of("gain*x_dot - 2*j**2", count - 1)),
        {"edge": of(CONDITION, 0)},
    )


def make(rng, kinds, counts, *, planar=False, resisted=True):
    """Return a chain of links with joints of some kinds, at no particular position."""
    links = len(counts)
    ends = [(k - 1, k) for k in range(links)]
    joints = []
    for k, (kind, pair) in enumerate(zip(kinds, ends, strict=True)):
        two = [marker(_vector(rng), _vector(rng), _vector(rng)) for _ in pair]
        if planar:
            two = [marker([*rng.normal(size=2), 0.0], (0.0, 0.0, 1.0), planar=True) for _ in pair]
        radius = 0.3 if kind == "rolling" else 0.0
        joints.append(Joint(f"j{k}", kind, pair, (two[0], two[1]), planar, radius))
    joints = tuple(joints)
    coordinates = coordinates_of(joints)
    angles = [k for k, one in enumerate(coordinates) if not one.is_length]
    gears = (Gear("gear", (angles[0], angles[-1]), -1.7, 0.2),) if len(angles) > 1 else ()
    profile = PolynomialProfile([0.1, 0.5, 0.3])
    drivers = (Driver("drive", len(coordinates) - 1, Coordinate(profile)),) if coordinates else ()
    placements = np.zeros((links, 8, 3))
    placements[:, 1:4] = np.eye(3)
    names = tuple(f"l{k}" for k in range(links))
    parts = Parts(names, placements, joints, gears, drivers, planar)
    actuators = [
        Actuator(f"a{k}", k, 3.0 + k, 0.7, 0.1, PolynomialProfile([0.4, 1.0]))
        for k in range(len(coordinates) if resisted else 0)
    ]
    formulas = told(len(actuators)) if actuators else Formulas()
    swarms = [Swarm.random(rng, n) for n in counts]
    if planar:
        for one in swarms:
            one.places[:, 2] = 0.0
            one.shapes[:, 2] = 0.0
    shapes = [
        tuple(0.2 * rng.normal(size=(6, counts[k])) if k >= 0 else np.zeros((6, 0)) for k in pair)
        for pair in ends
    ]
    if planar:
        for pair in shapes:
            for one in pair:
                one[2:5] = 0.0
    pushes = []
    for link, n in enumerate(counts):
        for entry in ((-1, -1), (0, 1)):
            wrench, elastic = rng.normal(size=6), rng.normal(size=(4, n))
            if planar:
                wrench[2:5], elastic[1:3] = 0.0, 0.0
            pushes.append(Push(link, 0, entry, wrench, elastic))
    linkage = build_linkage(parts)
    offsets = np.zeros(len(parts.names))
    linkage = type(linkage)(**{
        name: getattr(linkage, name)
        for name, field in type(linkage).__dataclass_fields__.items()
        if field.init
    } | {"offsets": offsets})  # fmt: skip
    table = build_multibody(
        linkage, joints, [one.integrals for one in swarms], shapes, pushes, actuators, formulas
    )
    model = MultibodyModel(parts, table, [PolynomialProfile([1.0, 0.5])], actuators, formulas)
    return model, swarms


def anywhere(rng, model, t=0.3):
    """Return a point in the middle of nothing."""
    layout_q = model.poses.size + model.table.elastic
    n = model.poses.dimension + model.table.elastic
    q = np.concatenate([model.poses.origin(), np.zeros(model.table.elastic)])
    q[: model.poses.size] = model.poses.retract(
        q[: model.poses.size], rng.normal(size=model.poses.dimension)
    )
    q[model.poses.size :] = 0.2 * rng.normal(size=model.table.elastic)
    assert len(q) == layout_q
    states = len(model.formulas.controllers)
    s = np.concatenate([np.zeros(model.space.size - n - states), rng.normal(size=states)])
    return Point(
        t, q, rng.normal(size=n), s, np.zeros(0, dtype=np.int64),
        rng.normal(size=model.space.size), rng.normal(size=len(model.names)),
    )  # fmt: skip


@pytest.mark.parametrize("n", [0, 1, 4])
def test_inertia_of_a_link_is_that_of_its_particles(n):
    """Force, moment and forces of elastic coordinates, at any motion."""
    rng = np.random.default_rng(n)
    model, swarms = make(rng, ["spherical"], [n], resisted=False)
    at = anywhere(rng, model)
    out = np.zeros(model.space.size)
    quiet = Point(at.t, at.q, at.z, at.s, at.mode, at.rate, 0.0 * at.force)
    model.residual(quiet, out)
    still = Point(at.t, at.q, 0.0 * at.z, at.s, at.mode, 0.0 * at.rate, 0.0 * at.force)
    loads = np.zeros(model.space.size)
    model.residual(still, loads)
    d = at.q[7:]
    z = at.z
    expected = swarms[0].forces(d, z, at.rate[: 6 + n])
    expected[6:] -= swarms[0].stiffness @ d
    assert np.allclose((out - loads)[: 6 + n], expected, rtol=1e-12, atol=1e-12)


def _differences(model, at, change, size, step=1e-6):
    """Return the derivative of residuals by central differences, (n, size)."""
    found = []
    for k in range(size):
        unit = np.zeros(size)
        unit[k] = step
        pair = []
        for sign in (1.0, -1.0):
            out = np.zeros(model.space.size)
            model.residual(change(at, sign * unit), out)
            pair.append(out)
        found.append((pair[0] - pair[1]) / (2.0 * step))
    return np.array(found).T


def _placed(model, at, dz):
    poses, rigid = model.poses.size, model.poses.dimension
    q = np.concatenate([model.poses.retract(at.q[:poses], dz[:rigid]), at.q[poses:] + dz[rigid:]])
    return replace(at, q=q)


CHAINS = [((kind, "revolute"), (n, 2)) for kind in KINDS_OF_JOINTS for n in (0, 3)]


@pytest.mark.parametrize(("kinds", "counts"), CHAINS)
def test_derivatives_are_those_of_the_residual(kinds, counts):
    """By rates, speeds, places and multipliers, with loads, springs, laws, gears, drivers.

    Except how the force of an equation of speeds changes with places, which is left out.
    """
    rng = np.random.default_rng(len(kinds[0]) + counts[0])
    model, _ = make(rng, kinds, counts)
    at = anywhere(rng, model)
    at.force[len(model.parts.names) :] = 0.0
    model.residual(at, np.zeros(model.space.size))
    found = model.linearize(at)
    n, z, m = model.space.size, len(at.z), len(at.force)
    by_rate = _differences(model, at, lambda a, x: replace(a, rate=a.rate + x), n)
    by_speed = _differences(model, at, lambda a, x: replace(a, z=a.z + x[:z], s=a.s + x[z:]), n)
    by_place = _differences(model, at, lambda a, x: _placed(model, a, x), z)
    by_force = _differences(model, at, lambda a, x: replace(a, force=a.force + x), m)
    for name, given, wanted in (
        ("rate", found.rate, by_rate), ("speed", found.speed, by_speed),
        ("place", found.place, by_place), ("force", found.force, by_force),
    ):  # fmt: skip
        scale = np.abs(wanted).max()
        assert np.abs(given.toarray() - wanted).max() < 2e-7 * scale, name


@pytest.mark.parametrize(("kinds", "counts"), CHAINS)
def test_rows_have_the_rates_that_their_entries_say(kinds, counts):
    """G by differences of g, and the second rate by differences of G z."""
    rng = np.random.default_rng(7 + counts[0])
    model, _ = make(rng, kinds, counts)
    at = anywhere(rng, model)
    rows = model.constraints(at)
    z, step = len(at.z), 1e-6
    derivative = np.array([
        (model.constraints(_placed(model, at, step * unit)).place
         - model.constraints(_placed(model, at, -step * unit)).place) / (2.0 * step)
        for unit in np.eye(z)
    ]).T  # fmt: skip
    held = ~rows.of_speeds
    assert np.abs(rows.matrix.toarray()[held, :z] - derivative[held]).max() < 1e-7
    assert rows.of_speeds.sum() == len(model.formulas.conditions)
    along = []
    for sign in (1.0, -1.0):
        moved = _placed(model, at, sign * step * at.z)
        moved = replace(moved, z=at.z + sign * step * at.rate[:z], t=at.t + sign * step)
        other = model.constraints(moved)
        along.append(other.matrix[:, :z] @ moved.z - other.speed)
    second = (along[0] - along[1]) / (2.0 * step)
    wanted = rows.matrix[:, :z] @ at.rate[:z] - rows.second
    assert np.abs(second - wanted).max() < 1e-6 * np.abs(wanted).max()


def test_equations_of_speeds_are_their_formulas():
    """Their rows times the speeds, less what they give, are the formula of the coordinates."""
    rng = np.random.default_rng(5)
    model, _ = make(rng, ("planar", "revolute"), (3, 2))
    at = anywhere(rng, model)
    rows = model.constraints(at)
    _, coordinates = model.frames(at, np.zeros(len(model.parts.coordinates)))
    (x, x_dot, _), (y, y_dot, _) = coordinates[:2]
    expected = np.cos(x) * x_dot * (1.0 + y**2) + at.t * y_dot + 0.4 * at.t**2
    v = np.concatenate([at.z, at.s])
    assert (rows.matrix @ v - rows.speed)[rows.of_speeds] == pytest.approx(expected, rel=1e-13)


def test_poses_move_like_rigid_motions():
    """Small and large screws, in C as on the manifold that others use."""
    rng = np.random.default_rng(2)
    poses = RigidMotions(4)
    q = poses.retract(poses.origin(), rng.normal(size=24))
    for size in (1e-9, 1e-3, 1.0, 3.0):
        step = size * rng.normal(size=24)
        expected = Product((SE3(),) * 4).retract(q, step)
        assert np.abs(poses.retract(q, step) - expected).max() < 1e-14 * max(1.0, size) ** 2
