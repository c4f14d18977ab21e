# SPDX-License-Identifier: BSD-3-Clause
"""Supports that move: against frames that move, closed forms, and the forces they need."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from flexforge.runtime.start import start
from flexforge.runtime.statics.static import solve_static
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from marks import slow
from models import build, model, stressed

SHAKE = "0.01*(1 - cos(300*t))"
SOFT = {"young": 2e7, "poisson": 0.3, "density": 1000.0, "damping": {"beta": 1e-4}}
METHODS = [
    {"method": "generalized_alpha"},
    {"method": "newmark"},
    {"method": "central_difference"},
    {"method": "central_difference", "mass": "lumped"},
    {"method": "midpoint"},
    slow({"method": "gauss4"}),
]


def block(frame, supports, **analysis):
    """Return a planar block held at one side, for 0.02 s."""
    steps = 4000 if analysis.get("method") == "central_difference" else 400
    return model(
        "quad4",
        [6, 2],
        corners=[[0.2, 0.1], [1.2, 0.1], [1.2, 0.3], [0.2, 0.3]],
        materials={"steel": SOFT},
        supports=supports,
        body={"frame": frame},
        analysis={"kind": "transient", "duration": 0.02, "steps": steps, "tolerance": 1e-12}
        | analysis,
    )


def ended(spec):
    """Return the motion of a model at its end."""
    places = stressed(spec)
    state = initial_state(spec, places)
    motion = start(spec.analysis, places.system, Loads(spec, places), *state)
    for _ in range(spec.analysis.number_of_steps):
        motion.advance()
    return motion


@pytest.mark.parametrize("analysis", METHODS, ids=lambda one: "-".join(one.values()))
def test_a_shaken_support_is_a_shaken_frame(analysis):
    """Seen from a frame that moves with the support, nothing is given but inertia: by every method.

    Displacements, velocities and accelerations agree to the error of the steps, which differ: of
    one the stiffness pulls, of the other the acceleration of the frame.
    """
    moved = ended(block({}, [{"group": "xmin", "displacement": {"y": SHAKE}}], **analysis))
    carried = ended(block({"origin": {"position": [0, SHAKE, 0]}}, [{"group": "xmin"}], **analysis))
    t, given = moved.time, np.zeros((3, 2))
    given[:, 1] = 0.01 * np.array([
        1 - np.cos(300 * t), 300 * np.sin(300 * t), 300**2 * np.cos(300 * t)
    ])  # fmt: skip
    fields = ("displacement", "velocity", "acceleration")
    for field, frame in zip(fields, given, strict=True):
        wanted = getattr(carried, field)
        close = (1e-8 if analysis["method"] == "gauss4" else 2e-4) * np.abs(wanted).max()
        np.testing.assert_allclose(getattr(moved, field) - frame, wanted, rtol=0.0, atol=close)
    held = np.flatnonzero(~np.isin(np.arange(2 * moved.system.size), moved.system.map.places))
    for field, frame in zip(fields, given, strict=True):
        there = getattr(moved, field).ravel()[held].reshape(-1, 2)
        np.testing.assert_allclose(there, np.tile(frame, (len(there), 1)), rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("turning", [0.0, {"ramp": {"to": 60.0, "duration": 0.015}}], ids=str)
@pytest.mark.parametrize("method", ["generalized_alpha", "midpoint"])
def test_a_shift_of_all_supports_in_a_turning_frame(method, turning):
    """A block whose support is shifted for good lies elsewhere in a frame that turns.

    The same block at that place is the independent model: its strain is the same at all times. The
    centrifugal prestress is left out, which is that of the mesh where it lies.
    """
    shifted = block({"velocity": turning}, [
        {"group": "xmin", "displacement": {"x": 0.05, "y": -0.02}}
    ], method=method)  # fmt: skip
    data = shifted.model_dump(exclude_unset=True)
    data["include"] = {"geometric": False}
    shifted = model_from_dict(data)
    data["supports"] = [{"group": "xmin"}]
    block_of = data["mesh"]["block"]
    block_of["corners"] = [[x + 0.05, y - 0.02] for x, y in block_of["corners"]]
    there = model_from_dict(data)
    places, shift = stressed(shifted), np.array([0.05, -0.02])
    everywhere = np.tile(shift, (places.system.size, 1))
    motion = start(
        shifted.analysis, places.system, Loads(shifted, places), everywhere, 0.0 * everywhere
    )
    for _ in range(shifted.analysis.number_of_steps):
        motion.advance()
    other = ended(there)
    size = np.abs(other.displacement).max()
    np.testing.assert_allclose(
        motion.displacement - shift, other.displacement, rtol=0.0, atol=1e-9 * max(size, 0.01)
    )


def test_a_pulled_bar_has_the_force_of_its_stiffness():
    """E A u / L at both ends, and u x / L between them."""
    spec = model(
        "quad8",
        [4, 2],
        corners=[[0, 0], [2, 0], [2, 0.1], [0, 0.1]],
        materials={"steel": {"young": 1e9, "poisson": 0.0, "density": 1.0}},
        supports=[
            {"group": "xmin"},
            {"group": "xmax", "components": ["x"], "displacement": {"x": "1e-3*t"}},
        ],
        analysis={"kind": "static", "time": 3.0},
    )
    places = stressed(spec)
    found = solve_static(places.system, Loads(spec, places), 3.0, "auto")
    x = places.system.bodies[0].points[:, 0]
    np.testing.assert_allclose(found.displacement[:, 0], 3e-3 * x / 2.0, atol=1e-15)
    force = 1e9 * 0.1 * 3e-3 / 2.0
    thickness = places.system.bodies[0].values.get("thickness", 1.0)
    assert found.reaction[x == 2.0, 0].sum() == pytest.approx(force * thickness, rel=1e-12)
    assert found.reaction[x == 0.0, 0].sum() == pytest.approx(-force * thickness, rel=1e-12)


def test_the_reaction_is_the_rate_of_the_momentum(tmp_path):
    """What a shaken support does to a block is all that changes its momentum: int rho a."""
    spec = block({}, [{"group": "xmin", "displacement": {"y": SHAKE}}], method="newmark")
    probe = {"name": "pull", "quantity": "reaction_force", "body": "block", "component": "y"}
    spec = model_from_dict(spec.model_dump(exclude_unset=True) | {"probes": [probe]})
    motion = ended(spec)
    body = motion.system.bodies[0]
    wanted = body.momentum(motion.acceleration[body.nodes])[1]
    figures = run_model(spec, output=tmp_path / "shaken").figures
    assert figures["pull, at the end"][0] == pytest.approx(wanted, rel=1e-9)


def test_a_string_that_is_pulled_tight_sounds_higher(tmp_path):
    """sqrt(T / mu) / 2 L with T = E A u / L, of 40 bars in a row whose end a support pulls."""
    pulled, length, area, young, density = 2e-3, 1.0, 1e-6, 2e11, 7800.0
    spec = model_from_dict({
        "mesh": {"block": {"cell": "line2", "corners": [[0, 0], [length, 0]], "divisions": [40]}},
        "materials": {"steel": {"young": young, "poisson": 0.3, "density": density}},
        "bodies": [{"name": "string", "element": "bar2", "material": "steel",
                    "section": {"area": area}}],
        "supports": [{"group": "xmin"}, {"group": "xmax", "displacement": {"x": pulled}}],
        "analysis": {"kind": "modes", "count": 4},
        "include": {"geometric": True},
        "output": {"formats": ["csv"]},
    })  # fmt: skip
    figures = run_model(spec, output=tmp_path / "string").figures
    tension = young * area * pulled / length
    exact = np.array([1, 2]) * np.sqrt(tension / (density * area)) / (2.0 * length)
    found = [figures[f"mode {k}"][0] for k in (1, 3)]  # across y and across z alike
    assert found[0] == pytest.approx(exact[0], rel=1e-3)
    assert found[1] == pytest.approx(exact[1], rel=3e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"supports": [{"group": "xmin", "components": ["x"], "displacement": {"y": 1.0}}]},
         "displacement: found 'y', which is not held; expected one of x"),
        ({"supports": [{"group": "xmin", "displacement": {"X": 1.0}}]},
         "displacement.X: found 'X'; expected one of x, y, z, rx, ry, rz"),
        ({"supports": [{"group": "xmin", "displacement": {"y": "step(t, 0.01)"}}]},
         "supports.0..displacement.y: found a position that jumps"),
        ({"supports": [{"group": "xmin", "displacement": {"y": {"input": "base"}}}]},
         "found an input; expected a function of time"),
    ],
)  # fmt: skip
def test_faults(change, message):
    """Told with the key, what was found and what is expected."""
    data = block({}, [{"group": "xmin"}]).model_dump(exclude_unset=True)
    with pytest.raises(InputError, match=message):
        model_from_dict(data | change)


def test_one_node_has_one_displacement():
    """A corner that two supports hold, of which one moves."""
    supports = [{"group": "xmin", "displacement": {"y": SHAKE}}, {"group": "ymin"}]
    spec = block({}, supports)
    with pytest.raises(InputError, match=r"supports.1.: found 'y' at nodes of 'ymin' that"):
        Loads(spec, build(spec))
