# SPDX-License-Identifier: BSD-3-Clause
"""Explicit steps that follow the longest stable one, as it falls and as it grows."""

from __future__ import annotations

from typing import Any

import flexforge as ff
import numpy as np
import pytest
from blocks import oscillator
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.start import start
from flexforge.runtime.system.construct import build_mesh
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.motion import Motion
from flexforge.runtime.transient.stability import ActingMatrices
from flexforge.runtime.transient.state import State
from large import CUBE, DENSITY, LAME, MU
from large import block as solid
from models import stressed

FRACTION = 0.9
WALLS = [{"group": f"{axis}{end}", "components": [axis]} for axis in "yz" for end in ("min", "max")]


def pressed(to: float, **analysis: Any) -> dict[str, Any]:
    """Return a confined neo-Hookean bar whose end is moved by ``to`` in 0.4 s, in four elements."""
    moved = {"ramp": {"to": to, "duration": 0.4}}
    supports = [{"group": "xmin", "components": ["x"]}, *WALLS,
                {"group": "xmax", "components": ["x"], "displacement": {"x": moved}}]  # fmt: skip
    keys = {"kind": "transient", "duration": 0.5, "method": "central_difference"} | analysis
    return solid(CUBE, [4, 1, 1], supports=supports, analysis=keys)


def begin(tables: Any) -> Motion:
    """Return the motion of a model at t = 0."""
    spec = model_from_dict(tables) if isinstance(tables, dict) else tables
    places = stressed(spec)
    return start(spec.analysis, places.system, Loads(spec, places), *initial_state(spec, places))


def stable_at(tables: dict[str, Any], stretch: float) -> float:
    """Return 2/w of the bar at a uniform stretch, of kernels assembled beside the run."""
    mesh = build_mesh(model_from_dict(tables))
    points, cells = mesh.points, mesh.blocks[0].nodes
    kernels = ff.kernels_of(ff.hyperelastic("hex8", "neo_hookean"), ["tangent", "mass"])
    u = np.zeros_like(points)
    u[:, 0] = (stretch - 1.0) * points[:, 0]
    tangent = ff.assemble(kernels["tangent"], points, cells, u, mu=MU, lame=LAME).toarray()
    mass = ff.assemble(kernels["mass"], points, cells, density=DENSITY).toarray()
    free = np.zeros(points.shape, dtype=bool)
    free[:, 0] = (points[:, 0] > 0.01) & (points[:, 0] < 0.99)
    chosen = np.ix_(free.ravel(), free.ravel())
    squares = np.linalg.eigvals(np.linalg.solve(mass[chosen], tangent[chosen])).real
    return float(2.0 / np.sqrt(squares.max()))


@pytest.mark.parametrize(("to", "falls"), [(-0.55, True), (1.0, False)])
def test_steps_follow_a_bar_that_stiffens_or_softens(to, falls, monkeypatch):
    """0.9 of 2/w where the bar is pressed together, and where it is pulled: first and last steps.

    Both moves are slow, and the last tenth of a second is at rest but for what rings then. Power
    iteration follows the fastest motion: eigenvalues are computed in few of the steps.
    """
    computed, largest = [], ActingMatrices.largest
    monkeypatch.setattr(
        ActingMatrices, "largest", lambda *given: (computed.append(1), largest(*given))[1]
    )
    tables = pressed(to, steps=2, stable_fraction=FRACTION)
    first, last = stable_at(tables, 1.0), stable_at(tables, 1.0 + to)
    assert (last < 0.6 * first) if falls else (last > 1.3 * first)
    motion = begin(tables)
    for _ in range(2):
        motion.advance()
    told = motion.figures()
    shortest, longest = told["shortest step"][0], told["longest step"][0]
    ends = (FRACTION * min(first, last), FRACTION * max(first, last))
    assert (shortest, longest) == pytest.approx(ends, rel=0.06)
    points = motion.system.bodies[0].points
    assert np.abs(motion.displacement[:, 0] - to * points[:, 0]).max() < 0.03 * abs(to)
    assert "refused steps" not in told
    assert len(computed) < 0.25 * motion.counts.steps


def test_equal_steps_that_are_stable_at_rest_are_not_when_pressed():
    """The same bar with equal steps of 0.9 of the limit at rest: elements invert, or all grows."""
    length = FRACTION * stable_at(pressed(-0.55, steps=1), 1.0)
    motion = begin(pressed(-0.55, step=length))
    with pytest.raises(AnalysisError):
        for _ in range(round(0.5 / motion.step)):
            motion.advance()
            assert np.abs(motion.displacement).max() < 1.0 or pytest.fail("did grow unseen")


def spun(**analysis: Any) -> Any:
    """Return the oscillator of case M3, 10 rad/s, in a frame spun up to 6 rad/s until 1 s."""
    frame = {"velocity": {"ramp": {"to": 6.0, "duration": 1.0}}}
    swing = [{"displacement": [0.1, 0, 0], "velocity": [0, 0.4, 0]}]
    spec = oscillator(1, "central_difference", frame, initial=swing)
    changed = spec.analysis.model_copy(update=analysis)
    return spec.model_copy(update={"analysis": changed})


def test_a_mass_in_a_frame_that_is_spun_up():
    """Half a radian per step of a frame limits steps when it is fast, the spring when it is slow.

    In the frame the spring has 100 - w^2, so that the limit first grows, up to 0.5/w where both are
    equal: w^2 = 100/17. Seen from space the mass swings with 10 rad/s, which steps of h miss by the
    angle ``10 t (10 h)^2 / 24``.
    """
    fraction = 0.05
    motion = begin(spun(stable_fraction=fraction))
    motion.advance()
    told = motion.figures()
    shortest, longest = told["shortest step"][0], told["longest step"][0]
    assert shortest == pytest.approx(fraction * 0.5 / 6.0, rel=0.02)
    assert longest == pytest.approx(fraction * 0.5 * np.sqrt(17.0) / 10.0, rel=0.01)
    assert longest > 1.01 * fraction * 2.0 / 10.0  # that of the start
    seen = np.array([[0.1 * np.cos(15.0), 0.04 * np.sin(15.0)]])
    exact = seen @ motion.system.bodies[0].motion.at(1.5).R[:2, :2]
    assert np.abs(motion.displacement - exact).max() < 0.1 * 15.0 * (10.0 * longest) ** 2 / 24.0


def test_a_motion_goes_on_from_its_bytes():
    """The fastest motion is a part of the state: the same steps to the end."""
    tables = pressed(-0.55, steps=10, stable_fraction=FRACTION)
    whole, again = begin(tables), begin(tables)
    for _ in range(6):
        whole.advance()
    again.resume(State.from_bytes(whole.state.to_bytes(bytes(32)), bytes(32)), Counts())
    for motion in (whole, again):
        for _ in range(4):
            motion.advance()
    assert again.figures() == whole.figures()
    assert (again.displacement == whole.displacement).all()


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        (
            {"method": "newmark"},
            "stable_fraction: found with method newmark; expected it only",
        ),
        ({"stable_fraction": 1.0}, "analysis.stable_fraction: found 1"),
        ({"stable_fraction": 0.0}, "analysis.stable_fraction: found 0"),
    ],
)
def test_what_is_refused(changes, wrong):
    """Fractions of no limit, and limits themselves, at which a motion is not stable."""
    keys = {"steps": 4, "stable_fraction": FRACTION} | changes
    with pytest.raises(InputError, match=wrong):
        model_from_dict(pressed(-0.5, **keys))


def test_exported_solvers_take_equal_steps():
    """A fraction is refused by name."""
    with pytest.raises(InputError, match="analysis.stable_fraction: found 0.9; expected none: exp"):
        build_solver(spun(stable_fraction=FRACTION))
