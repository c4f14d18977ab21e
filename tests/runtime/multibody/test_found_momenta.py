# SPDX-License-Identifier: BSD-3-Clause
"""Hamilton's steps of links whose motion is found: momenta, energy, and the motion itself."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from swinging import begin, transient
from test_elastic import flying
from test_formulas import sled
from test_tree import MODELS, two

#: Those without equations of speeds; a ring and rods on all joints of the same kind tell the same.
CANONICAL = [name for name in MODELS if name not in ("sled", "disc", "turned round")]


def end(tables, formalism, steps):
    """Return places, speeds, rates, states and forces of joints at the end."""
    tables = copy.deepcopy(tables)
    tables["analysis"] |= {"steps": steps, "formalism": formalism, "tolerance": 1e-10}
    motion = begin(tables)
    for _ in range(steps):
        motion.advance()
    at = motion.point
    forces = [np.concatenate([one.force, one.moment]) for one in motion.reactions.values()]
    return [at.q, at.z, at.rate, at.s, np.ravel(forces)]


@pytest.mark.filterwarnings("ignore:.*redundant")
@pytest.mark.parametrize("name", CANONICAL)
def test_momenta_move_links_as_speeds_do(name):
    """Both err by the square of the step, in places, speeds, rates, states and forces of joints."""
    tables = MODELS[name]()
    steps, errors = tables["analysis"]["steps"], []
    for count in (steps, 2 * steps):
        held, found = (end(tables, formalism, count) for formalism in ("lagrange", "hamilton"))
        sizes = [max(np.abs(one).max(initial=0.0), 1.0) for one in held]
        errors.append([
            np.abs(one - other).max(initial=0.0) / size
            for one, other, size in zip(held, found, sizes, strict=True)
        ])  # fmt: skip
    coarse, fine = np.array(errors)
    assert (coarse < 0.05).all()
    assert (fine < 0.3 * coarse + 1e-8).all()


def joined():
    """Return two rods that a ball joint ties to each other, and nothing else."""
    tables = two("spherical")
    first, second = tables["links"]
    return {
        "links": [first | {"velocity": [0.3, 0.1, 0.0]}, second],
        "joints": tables["joints"][1:], "analysis": transient(10.0, 1000),
    }  # fmt: skip


def vibrating():
    """Return a beam that flies, turns and vibrates."""
    tables = flying("beam", loads=[], analysis=transient(0.1, 200))
    tables["links"] = [{"name": "l", "velocity": [0.3, 0, 0], "angular_velocity": [0.5, 3.0, 4.0]}]
    tables["materials"] = {"m": {"young": 2e9, "poisson": 0.3, "density": 7800.0}}
    tables["initial"] = [{"body": "b", "velocity": ["0", "2*cos(3*x)", "3*x"]}]
    return tables


@pytest.mark.parametrize("model", [joined, vibrating])
def test_momenta_are_constant_where_nothing_acts(model):
    """To round-off, at any step; the error of energy is of second order."""
    errors = []
    for often in (1, 2):
        tables = model()
        tables["analysis"] |= {
            "steps": often * tables["analysis"]["steps"], "formalism": "hamilton"
        }  # fmt: skip
        motion = begin(tables)
        found = []
        for _ in range(tables["analysis"]["steps"] + 1):
            account = motion.links.model.account(motion.point)
            found.append([account.kinetic + account.strain, *account.momentum])
            motion.advance()
        energy, momenta = np.split(np.array(found), [1], axis=1)
        assert np.abs(momenta - momenta[0]).max() < 1e-12 * np.abs(momenta[0]).max()
        errors.append(np.abs(energy / energy[0] - 1.0).max())
    assert errors[0] < 5e-4
    assert errors[1] == pytest.approx(0.25 * errors[0], rel=0.2)


@pytest.mark.slow
def test_energy_of_rigid_links_does_not_drift():
    """Twenty turns and more: the error of the last tenth is that of the first."""
    tables = joined() | {"analysis": transient(60.0, 6000, formalism="hamilton")}
    motion, found = begin(tables), []
    for _ in range(6000):
        account = motion.links.model.account(motion.point)
        found.append(account.kinetic)
        motion.advance()
    error = np.abs(np.array(found) / found[0] - 1.0)
    assert error[-600:].max() < 2.0 * error[:600].max()


def test_a_link_spins_about_an_axis_of_little_inertia():
    """A bent rod, whose inertia about itself is the bending's, not its own: few corrections."""
    tables = vibrating() | {"analysis": transient(0.2, 200, formalism="hamilton")}
    tables["links"] = [{"name": "l", "angular_velocity": [30.0, 1.0, 0.0]}]
    tables["bodies"][0]["section"] = {"shape": "round", "diameter": 0.006}
    tables["initial"] = [{"body": "b", "velocity": ["0", "10*(x - 0.5)**2 - 10/12", "0"]}]
    motion = begin(tables)
    start = motion.links.model.account(motion.point)
    for _ in range(200):
        motion.advance()
    account = motion.links.model.account(motion.point)
    assert account.kinetic + account.strain == pytest.approx(start.kinetic + start.strain, rel=1e-2)
    assert motion.counts.most_solves <= 8


def test_heavy_top_keeps_its_momentum_about_the_vertical():
    """The moment of the weight, and of the pin, has no component there."""
    top = {"name": "top", "mass": 2.0, "inertia": [0.02, 0.02, 0.03], "centre": [0, 0, 0.3],
           "angular_velocity": [0.3, 0.2, 40.0],
           "placement": {"axis": [0, 1, 0], "angle": 0.4}}  # fmt: skip
    tables = {
        "links": [top],
        "joints": [{"name": "foot", "kind": "spherical", "links": ["ground", "top"]}],
        "loads": [{"kind": "gravity", "acceleration": [0, 0, -9.81]}],
        "analysis": transient(2.0, 1000, formalism="hamilton"),
    }  # fmt: skip
    motion = begin(tables)
    first = motion.links.model.account(motion.point).momentum[5]
    for _ in range(1000):
        motion.advance()
    assert motion.links.model.account(motion.point).momentum[5] == pytest.approx(first, rel=1e-12)


def test_equations_of_speeds_have_no_momenta():
    """Refused by the key, with what is expected."""
    tables = sled(10, 0.3)
    tables["analysis"] |= {"formalism": "hamilton"}
    with pytest.raises(InputError, match=r"found hamilton with \[\[constraints\]\] of velocities"):
        begin(tables)
