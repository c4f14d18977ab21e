# SPDX-License-Identifier: BSD-3-Clause
"""Reduced models against full ones: with all shapes the same, with few within what is stated."""

from __future__ import annotations

import numpy as np
import pytest
from blocks import MODELS, SOFT, UNDAMPED, block
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.native.constants import Constants
from flexforge.runtime.reduction.estimate import Estimate
from flexforge.runtime.reduction.reduce import reduced_basis
from flexforge.runtime.reduction.vibrations import frequencies
from flexforge.runtime.run import run_model
from flexforge.runtime.start import start
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.motion import Motion
from flexforge.runtime.vibration.modes import solve_modes
from models import build, stressed
from moving import spec_of

AT_REST = {"initial": []}
LONGER = {"planar": {"divisions": [3, 1]}, "spatial": {"divisions": [4, 1, 1]}}


def run(spec: ModelSpec, *, whole: bool = False) -> tuple[Motion, float]:
    """Return the motion of a model at its end, and the error that is estimated on the way."""
    places = stressed(spec)
    loads = Loads(spec, places)
    basis = None if whole else reduced_basis(spec, places, loads)
    shapes = None if basis is None else basis.shapes
    state = initial_state(spec, places)
    motion = start(spec.analysis, places.system, loads, *state, None, shapes)
    estimate = None if basis is None else Estimate(motion, basis, "auto", tied=False)
    for _ in range(spec.analysis.number_of_steps):
        motion.advance()
        if estimate is not None:
            estimate.follow()
    error = estimate.figures()["error of the shapes, estimated"] if estimate is not None else 0.0
    return motion, error


def reduced(name: str, reduction: dict, **tables: object) -> ModelSpec:
    """Return a block in a moving frame with a reduction."""
    spec = block(name, 100, "newmark", **tables)
    return model_from_dict(spec.model_dump(exclude_unset=True) | {"reduction": reduction})


@pytest.mark.parametrize("keep", [[], ["xmax"]], ids=["modes", "kept"])
@pytest.mark.parametrize("name", MODELS)
def test_all_shapes_are_the_full_model(name, keep):
    """As many shapes as unknowns: another choice of coordinates, and the same motion."""
    spec = reduced(name, {"modes": 1000, "keep": keep})
    ours, error = run(spec)
    full, _ = run(spec, whole=True)
    assert len(ours.state.q) == full.system.unknowns
    assert error < 1e-6
    for field in ("displacement", "velocity"):
        wanted = getattr(full, field)
        np.testing.assert_allclose(
            getattr(ours, field), wanted, rtol=0.0, atol=1e-8 * np.abs(wanted).max()
        )


@pytest.mark.parametrize("keep", [[], ["xmax"]], ids=["modes", "kept"])
@pytest.mark.parametrize("name", MODELS)
def test_the_error_is_of_the_size_that_is_estimated(name, keep):
    """Few shapes: displacements within three times the estimated error, which shrinks with more."""
    errors = []
    for modes in (2, 6):
        spec = reduced(name, {"modes": modes, "keep": keep}, **AT_REST, **LONGER[name])
        ours, error = run(spec)
        full, _ = run(spec, whole=True)
        apart = np.abs(ours.displacement - full.displacement).max()
        assert apart < 3.0 * error * np.abs(full.displacement).max()
        errors.append(error)
    assert errors[1] < errors[0] < 0.2


@pytest.mark.parametrize("keep", [[], ["xmax"]], ids=["modes", "kept"])
@pytest.mark.parametrize("name", MODELS)
def test_frequencies_in_a_turning_frame(name, keep):
    """The lowest four, gyroscopic and damped, within 0.1 % of those of the full model."""
    spec = reduced(name, {"modes": 14, "keep": keep})
    places = stressed(spec)
    loads = Loads(spec, places)
    basis = reduced_basis(spec, places, loads)
    full = solve_modes(places.system, 4, None, 0.4, "auto")
    found = frequencies(Constants(places.system, loads, basis.shapes), 4, 0.4)
    np.testing.assert_allclose(found, full.frequencies, rtol=1e-3)


@pytest.mark.parametrize("name", ["shaken", "pulled"])
def test_shapes_follow_supports_that_move(name):
    """All shapes are the full model; of few, the static answer to the support is one."""
    moved = [run(spec_of(name, {"modes": modes}))[0] for modes in (1000, 6)]
    full, _ = run(spec_of(name), whole=True)
    size = np.abs(full.displacement).max()
    for motion, close in zip(moved, (1e-9, 2e-3), strict=True):
        np.testing.assert_allclose(
            motion.displacement, full.displacement, rtol=0.0, atol=close * size
        )
    without = run(spec_of(name, {"modes": 6, "static": False}))[0]
    apart = [np.abs(one.displacement - full.displacement).max() for one in (moved[1], without)]
    assert apart[0] < 0.1 * apart[1]


def test_static_answers_carry_a_load_that_vibrations_do_not():
    """With the answers to the loads two vibrations err less than half as much as without."""
    with_them, without = (
        run(reduced("planar", {"modes": 2, "static": static}, **AT_REST))[1]
        for static in (True, False)
    )
    assert with_them < 0.5 * without


@pytest.mark.parametrize(
    ("tables", "answers"),
    [
        ({"loads": [{"kind": "pressure", "group": "xmax", "value": "sin(256*pi*t)"}]}, 1),
        ({"loads": [{"kind": "pressure", "group": "xmax", "value": 0.0}]}, 0),
        ({"loads": [{"kind": "gravity", "acceleration": [0, -2, 0]},
                    {"kind": "force", "group": "xmax", "total": [0, 1, 0]}]}, 2),
        ({"loads": [{"kind": "force", "group": "xmax", "total": [0, 1, 0], "frame": "global"}],
          "frame": {"velocity": 2.0}}, 3),
        ({"frame": {"velocity": {"ramp": {"to": 5.0, "duration": 1e-3, "start": 0.2}}}}, 2),
        ({"frame": {"origin": {"position": ["1e-6*cos(256*pi*t)", 0, 0]}}}, 1),
    ],
    ids=["at no time looked at", "never", "at once", "turning", "short", "shaken"],
)  # fmt: skip
def test_no_load_is_missed(tables, answers):
    """Static answers of all that may load, whenever: in a turning frame a force has directions."""
    frame = tables.pop("frame", {})
    spec = reduced("planar", {"modes": 2}, body={"frame": frame}, **{"loads": []} | tables)
    places = build(spec)
    assert reduced_basis(spec, places, Loads(spec, places)).size == 2 + answers


def test_a_state_of_the_shapes_is_found_again():
    """Coordinates of ``Phi z`` are z; of another state what is kept is as it was."""
    spec = reduced("planar", {"modes": 3, "keep": ["xmax"]})
    places = build(spec)
    shapes = reduced_basis(spec, places, Loads(spec, places)).shapes
    wanted = np.arange(1.0, shapes.matrix.shape[1] + 1.0)
    state = shapes.matrix @ wanted
    np.testing.assert_allclose(shapes.coordinates(places.system, state), wanted, rtol=1e-9)
    assert shapes.lost(places.system, state) < 1e-12
    other = np.random.default_rng(0).standard_normal(places.system.unknowns)
    found = shapes.matrix @ shapes.coordinates(places.system, other)
    np.testing.assert_allclose(shapes.kept @ found, shapes.kept @ other, rtol=1e-12)
    assert 0.1 < shapes.lost(places.system, other) < 10.0


def test_what_a_start_loses_is_told(tmp_path):
    """A run warns of a start that its one shape does not hold, and not of none."""
    soon = {"kind": "transient", "duration": 0.01, "steps": 2}
    rest = {"analysis": soon, "output": {"formats": []}}
    warned = run_model(reduced("planar", {"modes": 1}, **rest), output=tmp_path).warnings
    lost = [one for one in warned if " of the " in one]
    assert [one.split(" of the ")[1].split(" at ")[0] for one in lost] == [
        "displacement",
        "velocity",
    ]
    spec = reduced("planar", {"modes": 1}, **AT_REST, **rest)
    assert not [one for one in run_model(spec, output=tmp_path).warnings if " of the " in one]


FREE = {
    "supports": [], "loads": [], "initial": [], "materials": {"steel": UNDAMPED},
    "body": {"frame": {}},
}  # fmt: skip


@pytest.mark.parametrize("material", [UNDAMPED, SOFT], ids=["undamped", "damped"])
def test_rigid_motions_of_a_free_body_stay_zeros(material):
    """As many as in the full model, so that none is compared with a vibration."""
    spec = reduced("planar", {"modes": 8}, **FREE | {"materials": {"steel": material}})
    places = build(spec)
    loads = Loads(spec, places)
    constants = Constants(places.system, loads, reduced_basis(spec, places, loads).shapes)
    full = solve_modes(places.system, 6, None, 0.0, "auto").frequencies
    found = frequencies(constants, 6, 0.0)
    np.testing.assert_allclose(found, full, rtol=1e-9)
    assert found[-1] > 0.0
    assert (full == 0.0).any()


def test_frequencies_are_compared_under_the_same_stress(tmp_path):
    """A pulled cantilever: the reduced model has no stress of loads, nor what it is measured by."""
    pulled = [{"kind": "pressure", "group": "xmax", "value": -2e3}]
    spec = reduced(
        "planar", {"modes": 3, "static": False}, **FREE | {
            "supports": [{"group": "xmin"}], "loads": pulled, "output": {"formats": []},
            "analysis": {"kind": "modes", "count": 3},
        },
    )  # fmt: skip
    figures = run_model(spec, output=tmp_path).figures
    assert figures["mode 1"][0] > 1.05 * figures["mode 1, stressed by the rotation alone"][0]
    assert figures["largest error of these frequencies"] < 1e-8


def test_a_frequency_to_look_near_is_refused():
    """The lowest are compared."""
    with pytest.raises(InputError, match="analysis.shift: found with a reduction"):
        reduced("planar", {"modes": 3}, analysis={"kind": "modes", "shift": 10.0})


def test_keeping_every_node_is_refused():
    """Nothing would be left to reduce."""
    spec = reduced("planar", {"modes": 2, "keep": ["all"]})
    places = build(spec)
    with pytest.raises(InputError, match="found every unknown"):
        reduced_basis(spec, places, Loads(spec, places))


def test_modal_with_kept_nodes_is_refused():
    """Craig and Bampton's method alone keeps nodes."""
    with pytest.raises(InputError, match='found with method "modal"'):
        reduced("planar", {"modes": 2, "method": "modal", "keep": ["xmax"]})
