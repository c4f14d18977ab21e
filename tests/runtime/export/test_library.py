# SPDX-License-Identifier: BSD-3-Clause
"""Exported C libraries against the runs of flexforge, and by themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from blocks import TUMBLING, block
from exported import Library, compile_shared, write
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.model import ModelSpec, model_from_dict
from flexforge.runtime.run import run_model

#: Of the largest value of an output: the arithmetic is the same, but for the order of a few sums.
CLOSE = 1e-12

TIP = [0.6, 0.2, 0.2]
PLANAR_PROBES = [
    {"name": "u", "point": [0.6, 0.25, 0], "component": "x"},
    {"name": "v", "group": "xmax", "component": "y", "quantity": "velocity", "reduce": "mean"},
    {"name": "a", "group": "xmax", "component": "magnitude", "quantity": "acceleration"},
    {"name": "s", "group": "xmin", "component": "von_mises", "quantity": "stress"},
    {"name": "p", "group": "xmin", "component": "principal2", "quantity": "stress",
     "reduce": "mean"},
    {"name": "fx", "body": "block", "component": "x", "quantity": "reaction_force"},
    {"name": "mz", "body": "block", "component": "z", "quantity": "reaction_moment"},
]  # fmt: skip
SPATIAL_PROBES = [
    *({**one, "point": TIP} if "point" in one else one for one in PLANAR_PROBES),
    {"name": "w", "point": TIP, "component": "z"},
    {"name": "s zx", "group": "xmin", "component": "zx", "quantity": "stress"},
    {"name": "m", "body": "block", "component": "magnitude", "quantity": "reaction_moment"},
]
WINDING = {"axis": [0.6, 0.0, 0.8], "acceleration": "20*exp(-3*t)*cos(5*t)", "velocity0": 1.0}
MOVING = {"acceleration": ["sin(4*t)", {"ramp": {"to": 2.0, "duration": 0.2, "start": 0.05}}, 0.5]}
GRAVITY = {"kind": "gravity", "acceleration": [0.5, -2.0, 1.0], "amplitude": "1 + 0.1*t**2"}
TURNING = {
    "kind": "force", "group": "xmax", "total": [0.3, 0.1, 0.0], "frame": "global",
    "amplitude": "max(smooth_step(t, 0.1, 0.3), atan2(t, 2)) - min(t, abs(sin(9*t)), 0.2)",
}  # fmt: skip
BODY = {"kind": "body_force", "acceleration": [0.0, 0.4, 0.0], "amplitude": "log(1 + t)/sqrt(2)"}
MODELS = {
    "planar": ("planar", {"probes": PLANAR_PROBES}),
    "spatial": (
        "spatial",
        {
            "probes": SPATIAL_PROBES,
            "body": {"frame": WINDING | {"origin": MOVING}},
            "loads": [GRAVITY, TURNING, BODY],
        },
    ),
    "vector": (
        "spatial",
        {
            "probes": SPATIAL_PROBES,
            "body": {"frame": {"velocity": ["2*sin(3*t)", "1 + t", "tanh(t)"]}},
            "loads": [BODY],
        },
    ),
    "tumbling": (
        "spatial",
        {
            "probes": SPATIAL_PROBES,
            "body": {"frame": TUMBLING},
            "loads": [GRAVITY, TURNING],
        },
    ),
}


def spec_of(name: str, reduction: dict | None = None, method: str = "newmark") -> ModelSpec:
    """Return a block in a moving frame."""
    kind, tables = MODELS[name]
    given = dict(tables) | {"output": {"formats": ["csv"]}}
    return block(kind, 60, method, **given, **({"reduction": reduction} if reduction else {}))


@pytest.fixture(scope="module", params=MODELS)
def full(request, tmp_path_factory) -> tuple[ModelSpec, Library]:
    """A model and its library, unreduced."""
    spec = spec_of(request.param)
    solver = build_solver(spec)
    folder = write(library_files(solver), tmp_path_factory.mktemp(request.param))
    return spec, Library(compile_shared(folder, solver.name), solver)


def expected(spec: ModelSpec, folder: Path) -> np.ndarray:
    """Return the rows of the probes of a run, time first."""
    run_model(spec, output=folder)
    return np.loadtxt(folder / "probes.csv", delimiter=",", skiprows=1)


def followed(library: Library, steps: int, length: float) -> np.ndarray:
    """Return the rows of the outputs of an instance, time first."""
    one = library.create()
    rows = [[one.time, *one.get()]]
    for _ in range(steps):
        assert one.step(length) == 0
        rows.append([one.time, *one.get()])
    one.free()
    return np.array(rows)


def assert_close(found: np.ndarray, wanted: np.ndarray) -> None:
    """Compare every column by its largest value."""
    assert found.shape == wanted.shape
    assert (np.abs(wanted[:, 1:]).max(axis=0) > 0.0).all()
    np.testing.assert_array_less(
        np.abs(found - wanted).max(axis=0), CLOSE * np.abs(wanted).max(axis=0)
    )


def test_the_run_of_the_library_is_that_of_flexforge(full, tmp_path):
    """Every kind of function of time, load, probe and motion: outputs of 60 steps to 1e-12."""
    spec, library = full
    wanted = expected(spec, tmp_path)
    assert_close(followed(library, 60, spec.analysis.step_size), wanted)


@pytest.mark.parametrize("keep", [[], ["xmax"]], ids=["modes", "kept"])
def test_a_reduced_model_is_one_like_any_other(keep, tmp_path):
    """Two vibrations and static answers: outputs of 60 steps to 1e-12."""
    spec = spec_of("spatial", {"modes": 2, "keep": keep}, "generalized_alpha")
    solver = build_solver(spec, "reduced")
    folder = write(library_files(solver), tmp_path)
    library = Library(compile_shared(folder, "reduced"), solver)
    wanted = expected(spec, tmp_path / "out")
    assert_close(followed(library, 60, spec.analysis.step_size), wanted)


def test_explicit_steps(tmp_path):
    """Central differences of a block in few shapes: outputs of 60 steps to 1e-12."""
    spec = spec_of("spatial", {"modes": 2, "static": False}, "central_difference")
    solver = build_solver(spec, "explicit_")
    folder = write(library_files(solver), tmp_path)
    library = Library(compile_shared(folder, solver.name), solver)
    wanted = expected(spec, tmp_path / "out")
    assert_close(followed(library, 60, spec.analysis.step_size), wanted)


@pytest.mark.parametrize("reduction", [None, {"modes": 4}], ids=["full", "reduced"])
@pytest.mark.parametrize("element", ["euler_beam_plane", "euler_beam"])
def test_beams_with_rotations(element, reduction, tmp_path):
    """Displacements, forces of a section and reactions, moments among them: to 1e-12."""
    planar = element.endswith("plane")
    corners = [[0.05, 0.0, 0.0], [0.65, 0.0, 0.0]]
    bent = [{"quantity": "section_force", "point": [0.05, 0, 0], "component": c}
            for c in ("N", "Mz")]  # fmt: skip
    carried = [{"quantity": f"reaction_{what}", "body": "arm", "component": "magnitude"}
               for what in ("force", "moment")]  # fmt: skip
    probes = [{"point": [0.65, 0, 0], "component": "y"}, *bent, *carried]
    tables = {
        "mesh": {"block": {"cell": "line2", "divisions": [6],
                           "corners": [point[:2] for point in corners] if planar else corners}},
        "materials": {"steel": {"young": 7e10, "poisson": 0.3, "density": 2700.0,
                                "damping": {"alpha": 1.0, "beta": 1e-5}}},
        "bodies": [{"name": "arm", "element": element, "material": "steel",
                    "section": {"shape": "rectangle", "width": 0.02, "height": 0.006},
                    "frame": {"angle": "0.5*sin(20*t)"}}],
        "supports": [{"group": "xmin",
                      "components": ["x", "y", "rz"] + ([] if planar else ["z", "rx", "ry"])}],
        "loads": [{"kind": "gravity", "acceleration": [0, -9.81, 0]}],
        "probes": [{"name": f"p{i}"} | one for i, one in enumerate(probes)],
        "analysis": {"kind": "transient", "duration": 0.06, "steps": 60},
        "output": {"formats": ["csv"]},
    } | ({"reduction": reduction} if reduction else {})  # fmt: skip
    spec = model_from_dict(tables)
    solver = build_solver(spec, "arm")
    folder = write(library_files(solver), tmp_path)
    library = Library(compile_shared(folder, "arm"), solver)
    wanted = expected(spec, tmp_path / "out")
    assert_close(followed(library, 60, spec.analysis.step_size), wanted)


def test_advance_takes_the_steps_of_the_model(full):
    """To a time of whole steps: bit by bit the same; to one between steps: equal shorter ones."""
    spec, library = full
    h = spec.analysis.step_size
    one, other = library.create(), library.create()
    for _ in range(12):
        assert one.step(h) == 0
    for until in (5 * h, 12 * h):
        assert other.advance(until) == 0
    np.testing.assert_array_equal(one.get(), other.get())
    assert other.advance(13.5 * h) == 0
    assert other.time == pytest.approx(13.5 * h, rel=1e-14)
    assert other.advance(12 * h) == 3
    assert other.time == pytest.approx(13.5 * h, rel=1e-14)
    one.free()
    other.free()


def test_a_state_is_taken_up_again(full):
    """From a state that was kept, an instance goes on bit by bit as the first did."""
    spec, library = full
    h = spec.analysis.step_size
    one, other = library.create(), library.create()
    for _ in range(7):
        one.step(h)
    kept = one.state()
    for _ in range(9):
        one.step(h)
    assert other.restore(kept) == 0
    for _ in range(9):
        other.step(h)
    assert bytes(one.state()) == bytes(other.state())
    kept[0] = np.nan
    before = bytes(other.state())
    assert other.restore(kept) == 3
    assert bytes(other.state()) == before
    assert one.start(0.0) == 0
    assert bytes(one.state()) == bytes(library.create().state())
    one.free()
    other.free()


@pytest.mark.parametrize("length", [0.0, -1e-3, np.nan, np.inf])
def test_a_wrong_length_leaves_the_state(full, length):
    """Code 3, with a text, and nothing changed."""
    _, library = full
    one = library.create()
    before = bytes(one.state())
    assert one.step(length) == 3
    assert bytes(one.state()) == before
    assert b"length" in library.function("error_text")(3)
    one.free()


def test_the_same_model_gives_the_same_bytes():
    """Built twice, every file is the same; none names a folder of this machine."""
    one, other = (library_files(build_solver(spec_of("spatial"))) for _ in range(2))
    assert one == other
    assert not any(str(Path(__file__).parents[3]) in text for text in one.values())
