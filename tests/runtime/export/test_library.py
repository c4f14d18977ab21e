# SPDX-License-Identifier: BSD-3-Clause
"""Exported C libraries against the runs of flexforge, and by themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from exported import Library, compile_shared, write
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import load_model_file, model_from_dict
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.run import run_model
from marks import slow
from moving import MODELS, spec_of

#: Of the largest value of an output: the arithmetic is the same, but for some functions of time.
CLOSE = 1e-12
CUBE = [[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
SPINUP = Path(__file__).parents[3] / "examples" / "cases" / "m8_spinup" / "model.toml"


#: Simpler than those beside them, which have the same functions of time, loads and probes.
SIMPLER = ("planar", "vector")


@pytest.fixture(scope="module", params=[slow(name) if name in SIMPLER else name for name in MODELS])
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


@pytest.mark.parametrize(
    ("name", "reduction"),
    [
        ("shaken", None),
        slow("pulled", {"modes": 5}),
        slow("shaken", {"modes": 5}),
        slow("pulled", None),
    ],
)
def test_supports_that_move_are_exported(name, reduction, tmp_path):
    """Displacements, rates, stresses and reactions of what is free and of what is moved."""
    spec = spec_of(name, reduction)
    solver = build_solver(spec)
    library = Library(
        compile_shared(write(library_files(solver), tmp_path / "c"), solver.name), solver
    )
    wanted = expected(spec, tmp_path / "run")
    found = followed(library, spec.analysis.number_of_steps, spec.analysis.step_size)
    assert_close(found, wanted)


def test_supports_of_a_mesh_that_move_are_refused(monkeypatch):
    """Without matrices there are no forces of theirs: said with what helps."""
    monkeypatch.setattr("flexforge.runtime.export.constants.is_small", lambda _: False)
    with pytest.raises(InputError, match=r"supports: found a moving support .* or \[reduction\]"):
        build_solver(spec_of("shaken", method="central_difference"))


def test_the_run_of_the_library_is_that_of_flexforge(full, tmp_path):
    """Every kind of function of time, load, probe and motion: outputs of 60 steps to 1e-12."""
    spec, library = full
    wanted = expected(spec, tmp_path)
    assert_close(followed(library, 60, spec.analysis.step_size), wanted)


@pytest.mark.slow
def test_explicit_steps_in_frames_that_tumble_each_its_own_way(tmp_path):
    """Central differences of two bodies: Coriolis forces of the end of a step, two integrals."""
    frames = [{"velocity": ["2*sin(3*t)", "1 + t", "tanh(t)"]}, {"velocity": ["1 - t", 2.0, "t"]}]
    blocks = {
        name: {"cell": "hex8", "divisions": [1, 1, 1], "corners": np.add(CUBE, [2 * i, 0, 0])}
        for i, name in enumerate("ab")
    }
    spec = model_from_dict({
        "mesh": {"blocks": blocks},
        "materials": {"soft": {"young": 1e4, "poisson": 0.3, "density": 100.0}},
        "bodies": [{"name": name, "cells": name, "element": "hex8", "material": "soft",
                    "frame": frame} for name, frame in zip("ab", frames, strict=True)],
        "supports": [{"group": "a.xmin"}, {"group": "b.xmin"}],
        "loads": [{"kind": "gravity", "acceleration": [3, -5, 9.81]}],
        "probes": [{"name": name, "group": f"{name}.xmax", "component": "magnitude",
                    "quantity": "acceleration"} for name in "ab"],
        "analysis": {"kind": "transient", "duration": 0.6, "steps": 200,
                     "method": "central_difference"},
        "output": {"formats": ["csv"]},
    })  # fmt: skip
    solver = build_solver(spec, "both")
    library = Library(compile_shared(write(library_files(solver), tmp_path), "both"), solver)
    wanted = expected(spec, tmp_path / "out")
    assert_close(followed(library, 200, spec.analysis.step_size), wanted)


@pytest.mark.slow
def test_a_stiff_model_over_many_steps(tmp_path):
    """The spin-up of M8 on all its unknowns, where a sum added in another order makes 1e-11."""
    spec = load_model_file(SPINUP)
    solver = build_solver(spec, "spinup")
    library = Library(compile_shared(write(library_files(solver), tmp_path), "spinup"), solver)
    wanted = expected(spec, tmp_path / "out")
    assert_close(followed(library, 1000, spec.analysis.step_size), wanted)


@pytest.mark.parametrize("keep", [slow([]), ["xmax"]], ids=["modes", "kept"])
def test_a_reduced_model_is_one_like_any_other(keep, tmp_path):
    """Two vibrations and static answers: outputs of 60 steps to 1e-12."""
    spec = spec_of("spatial", {"modes": 2, "keep": keep}, "generalized_alpha")
    solver = build_solver(spec, "reduced")
    folder = write(library_files(solver), tmp_path)
    library = Library(compile_shared(folder, "reduced"), solver)
    wanted = expected(spec, tmp_path / "out")
    assert_close(followed(library, 60, spec.analysis.step_size), wanted)


def test_a_reaction_on_beams(tmp_path):
    """Matrices with zeros stored in them: tip and moment of an arm in 60 steps to 1e-12."""
    spec = model_from_dict(
        {
            "mesh": {
                "block": {"cell": "line2", "corners": [[0.05, 0], [0.65, 0]], "divisions": [6]}
            },
            "materials": {"aluminium": {"young": 7e10, "poisson": 0.33, "density": 2700}},
            "bodies": [{
                "name": "arm", "element": "euler_beam_plane", "material": "aluminium",
                "section": {"shape": "rectangle", "width": 0.006, "height": 0.02},
                "frame": {"acceleration": {"input": "alpha", "start": 4.0}, "velocity0": 5.0},
            }],
            "supports": [{"group": "xmin", "components": ["x", "y", "rz"]}],
            "probes": [
                {"name": "tip", "group": "xmax", "component": "y"},
                {"name": "torque", "body": "arm", "quantity": "reaction_moment", "component": "z"},
            ],
            "reduction": {"modes": 3},
            "analysis": {"kind": "transient", "duration": 0.06, "step": 1e-3},
            "output": {"formats": ["csv"]},
        }
    )  # fmt: skip
    solver = build_solver(spec, "arm")
    folder = write(library_files(solver), tmp_path)
    library = Library(compile_shared(folder, "arm"), solver)
    assert_close(followed(library, 60, 1e-3), expected(spec, tmp_path / "out"))


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
