# SPDX-License-Identifier: BSD-3-Clause
"""Inputs of exported solvers: told once or again and again, they are functions of time."""

from __future__ import annotations

import numpy as np
import pytest
from blocks import block
from exported import Instance, Library, compile_shared, write
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.run import run_model
from marks import slow
from moving import PLANAR_PROBES
from test_library import CLOSE

STEPS = 60
#: Value, first and second derivative at t = 0.
PARABOLA = (0.3, 2.0, -5.0)
LOADS = [
    {"kind": "gravity", "acceleration": [0.5, -2.0, 0]},
    {"kind": "pressure", "group": "xmax", "value": "20*sin(5*t)"},
]


def spec_of(frame: dict, loads: list | None = None) -> ModelSpec:
    """Return a planar block in a frame."""
    return block("planar", STEPS, "newmark", body={"frame": frame}, loads=loads or LOADS,
                 probes=PLANAR_PROBES, output={"formats": ["csv"]})  # fmt: skip


def library_of(spec: ModelSpec, folder) -> Library:
    """Return the compiled library of a model."""
    solver = build_solver(spec, "block")
    return Library(compile_shared(write(library_files(solver), folder), "block"), solver)


def rows_of(one: Instance, spec: ModelSpec, tell=None) -> np.ndarray:
    """Return outputs after every step; ``tell`` is called with the time before each."""
    rows = [one.get()]
    for i in range(STEPS):
        if tell is not None:
            tell(i * spec.analysis.step_size)
        assert one.step(spec.analysis.step_size) == 0
        rows.append(one.get())
    return np.array(rows)


def assert_like_the_run(found: np.ndarray, spec: ModelSpec, folder, close: float = CLOSE) -> None:
    """Compare with the probes of a run, from the first step on."""
    run_model(spec, output=folder)
    wanted = np.loadtxt(folder / "probes.csv", delimiter=",", skiprows=1)[:, 1:]
    size = np.abs(wanted).max(axis=0)
    np.testing.assert_array_less(np.abs(found - wanted)[1:].max(axis=0), close * size)


@pytest.mark.parametrize(
    ("key", "again"),
    [
        slow("angle", True),
        ("velocity", False),
        slow("acceleration", True),
        slow("angle", False),
        slow("velocity", True),
        slow("acceleration", False),
    ],
)
def test_a_frame_that_is_told_its_motion(key, again, tmp_path):
    """Told its derivatives once, or all of it at every step: as the run with that polynomial."""
    value, first, second = PARABOLA
    told = spec_of({key: {"input": "turn", "start": value}})
    given = spec_of({key: {"polynomial": [value, first, 0.5 * second]}})
    library = library_of(told, tmp_path / "c")
    one = library.create()
    assert one.set(0, *PARABOLA) == 0
    assert one.call("settle") == 0

    def tell(t: float) -> None:
        code = one.set(0, value + first * t + 0.5 * second * t * t, first + second * t, second)
        assert code == 0

    found = rows_of(one, told, tell if again else None)
    # Integrals over single steps add up with the round-off of each.
    assert_like_the_run(found, given, tmp_path / "run", 1e-11 if again else CLOSE)
    one.free()


def test_a_load_that_is_told(tmp_path):
    """Held between two settings, at the end of a step as well: the run with a jump after it."""
    force = {"kind": "force", "group": "xmax", "total": [0.0, 1.0, 0.0]}
    told = spec_of({}, [force | {"amplitude": {"input": "push"}}])
    given = spec_of({}, [force | {"amplitude": "2 - 5*step(t, 0.254)"}])
    library = library_of(told, tmp_path / "c")
    one = library.create()
    assert one.set(library.solver.input_names.index("push"), 2.0) == 0
    assert one.call("settle") == 0

    def tell(t: float) -> None:
        assert one.set(0, 2.0 if t < 0.25 - 1e-9 else -3.0) == 0

    assert_like_the_run(rows_of(one, told, tell), given, tmp_path / "run")
    assert one.set(0, np.nan) == 3
    assert one.set(7, 1.0) == 3
    one.free()


def test_forces_on_the_coordinates(tmp_path):
    """Added forces are those of a load that makes them: the same motion."""
    force = {"kind": "force", "group": "xmax", "total": [0.0, 1.5, 0.0]}
    bare, loaded = spec_of({}), spec_of({}, [*LOADS, force])
    library = library_of(bare, tmp_path / "c")
    with_load = build_solver(loaded).constants.forces.vectors[-1]
    one = library.create()
    added = np.ctypeslib.as_array(one.call("forces"), (library.solver.size,))
    added[:] = with_load
    assert one.call("settle") == 0
    found = rows_of(one, bare)
    run_model(loaded, output=tmp_path / "run")
    wanted = np.loadtxt(tmp_path / "run" / "probes.csv", delimiter=",", skiprows=1)[:, 1:]
    moved = [i for i, probe in enumerate(PLANAR_PROBES) if "reaction" not in str(probe)]
    size = np.abs(wanted).max(axis=0)
    apart = np.abs(found - wanted)[1:].max(axis=0)
    np.testing.assert_array_less(apart[moved], CLOSE * size[moved])
    one.free()


def test_a_start_at_another_time(tmp_path):
    """From t = 0.2 s on the loads are those of then."""
    late = [LOADS[0], LOADS[1] | {"value": "20*sin(5*(t + 0.2))"}]
    angle = "2*(t + 0.2) - 0.4*cos(7*(t + 0.2))"
    now = spec_of({"angle": "2*t - 0.4*cos(7*t)"})
    library = library_of(now, tmp_path / "c")
    one = library.create()
    assert one.start(0.2) == 0
    assert_like_the_run(rows_of(one, now), spec_of({"angle": angle}, late), tmp_path / "run", 1e-10)
    assert one.start(np.inf) == 3
    one.free()


def test_an_input_of_two_units_is_refused():
    """A speed in rad/s is no force."""
    force = {"kind": "force", "group": "xmax", "total": [0.0, 1.0, 0.0],
             "amplitude": {"input": "one"}}  # fmt: skip
    with pytest.raises(InputError, match="input 'one': found the units rad/s and 1"):
        build_solver(spec_of({"velocity": {"input": "one"}}, [force]))


def test_an_input_of_two_starts_is_refused():
    """Which would it be?"""
    force = {"kind": "force", "group": "xmax", "total": [0.0, 1.0, 0.0]}
    loads = [force | {"amplitude": {"input": "one", "start": value}} for value in (1.0, 2.0)]
    with pytest.raises(InputError, match="input 'one': found the initial values 1 and 2"):
        build_solver(spec_of({}, loads))


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({"analysis": {"kind": "modes"}}, "analysis.kind: found modes"),
        ({"divisions": [90, 20]}, r"model: found \d+ unknowns; expected at most 1,500"),
        ({"method": "gauss4"}, "analysis.method: found gauss4"),
    ],
    ids=["kind", "size", "method"],
)  # fmt: skip
def test_what_stands_in_the_way_is_said(tables, words):
    """Models that cannot be exported: the key, what was found, what is expected."""
    given = dict(tables)
    spec = block(given.pop("name", "planar"), STEPS, given.pop("method", "newmark"), **given)
    with pytest.raises(InputError, match=words):
        build_solver(spec)
