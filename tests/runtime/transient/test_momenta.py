# SPDX-License-Identifier: BSD-3-Clause
"""The midpoint rule of bodies in free frames: momenta to round-off, and its order."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from flexforge.runtime.start import start
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from floating import box, rods, steps
from marks import slow

SPIN = {"free": {"velocity": [1.0, 2.0, 0.5], "angular_velocity": [3.0, 20.0, 1.0]}}
FLAT = {"free": {"velocity": [1.0, 2.0, 0.0], "angular_velocity": [0.0, 0.0, 20.0]}}


def shaken(tables):
    """Return the motion of a spinning body that vibrates."""
    spec = model_from_dict(tables)
    system = build_system(spec, build_mesh(spec))
    loads, state = Loads(spec, system), initial_state(spec, system)
    (body,) = system.system.bodies
    state[1][body.nodes, -1] += 30.0 * body.points[:, 0] ** 2
    return start(spec.analysis, system.system, loads, *state)


def momenta(motion):
    """Return momentum, angular momentum about the origin, and energy."""
    (body,) = motion.system.bodies
    u, v = motion.displacement[body.nodes], motion.velocity[body.nodes]
    energy = sum(body.energies(u, v))
    return body.mass_times(v).sum(axis=0), body.angular_momentum(u, v), energy


def followed(tables, count):
    """Return momenta and energies at the start and at the end."""
    motion = shaken(tables)
    first = momenta(motion)
    for _ in range(count):
        motion.advance()
    return first, momenta(motion)


def _plane():
    tables = rods(height=0.2, divisions=4, young=2e9) | {"supports": [], "loads": []}
    tables["bodies"][0]["frame"] = FLAT
    return tables


@pytest.mark.parametrize("damping", [slow({}), {"alpha": 2.0, "beta": 1e-4}])
@pytest.mark.parametrize("tables", [box(divisions=(3, 1, 1), frame=SPIN), slow(_plane())])
def test_momenta_are_constant_to_round_off(tables, damping):
    """Of a body that spins and vibrates, at a tolerance of 1e-7; generalized-alpha's are not."""
    tables = dict(tables)
    tables["materials"] = {"m": tables["materials"]["m"] | {"damping": damping}}
    given = tables | {"analysis": steps(0.3, 300, method="midpoint", tolerance=1e-7)}
    first, last = followed(given, 300)
    assert np.abs(last[0] - first[0]).max() < 1e-13 * np.linalg.norm(first[0])
    turned = np.abs(last[1] - first[1]).max() / np.linalg.norm(first[1])
    assert turned < 1e-10
    other = followed(tables | {"analysis": steps(0.3, 300)}, 300)
    assert np.abs(other[1][1] - other[0][1]).max() > 1e-6 * np.linalg.norm(first[1])


@pytest.mark.slow
def test_momenta_are_constant_for_a_long_time():
    """Over 20,000 steps; the energy is as constant as vibrations of a stiff body let it be."""
    tables = box(divisions=(1, 1, 1), frame=SPIN)
    count = 20_000
    tables |= {"analysis": steps(1e-3 * count, count, method="midpoint")}
    first, last = followed(tables, count)
    assert np.abs(last[0] - first[0]).max() < 1e-13 * np.linalg.norm(first[0])
    assert np.abs(last[1] - first[1]).max() < 1e-11 * np.linalg.norm(first[1])
    assert abs(last[2] / first[2] - 1.0) < 1e-2


@pytest.mark.slow
def test_gravity_changes_momenta_as_it_must(tmp_path):
    """By m g t, and the centre of mass falls; nothing else of the motion changes."""
    ends = []
    for loads in ([], [{"kind": "gravity", "acceleration": [0, 0, -9.81]}]):
        tables = box(divisions=(2, 1, 1), frame=SPIN)
        tables |= {"analysis": steps(0.2, 200, method="midpoint"), "loads": loads}
        ends.append(followed(tables, 200)[1])
    mass = 1000.0 * 0.06
    assert ends[1][0] - ends[0][0] == pytest.approx(
        [0, 0, -9.81 * 0.2 * mass], rel=1e-12, abs=1e-10
    )


@pytest.mark.slow
def test_it_is_of_second_order_and_goes_on_to_the_same_bits(tmp_path):
    """A soft body that spins: differences shrink by four; a run that was stopped is the same."""
    ends = []
    for count in (50, 100, 200):
        tables = box(divisions=(2, 1, 1), frame=FLAT)
        tables["materials"] = {"m": tables["materials"]["m"] | {"young": 2e6}}
        tables |= {"probes": [{"name": "p", "point": [0.5, 0, 0], "component": "y"}]}
        tables |= {"include": {"geometric": False}}
        tables |= {"analysis": steps(0.02, count, method="midpoint", tolerance=1e-12)}
        outcome = run_model(model_from_dict(tables), output=tmp_path / f"{count}")
        ends.append(outcome.figures["p, at the end"][0])
    assert (ends[0] - ends[1]) / (ends[1] - ends[2]) == pytest.approx(4.0, rel=0.1)

    class Stop(KeyboardInterrupt):
        pass

    def stopping(what, done, total):
        if what == "steps" and done == 40:
            raise Stop

    spec = model_from_dict(tables)
    with pytest.raises(Stop):
        run_model(spec, output=tmp_path / "half", progress=stopping)
    found = run_model(spec, output=tmp_path / "half", resume=True).figures
    assert found["p, at the end"][0] == ends[-1]


def test_bodies_that_are_held_take_other_steps(tmp_path):
    """Ends of steps would swing about what holds them at the middle of steps."""
    tables = rods() | {"analysis": steps(0.1, 10, method="midpoint")}
    with pytest.raises(InputError, match="found midpoint with bodies in free frames that supports"):
        run_model(model_from_dict(tables), output=tmp_path)
