# SPDX-License-Identifier: BSD-3-Clause
"""Every fault of a model file is one clear line with file, line and key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import load_model_file, model_from_dict

Write = Callable[..., Path]
ErrorOf = Callable[[Path], str]

# (text, replacement, line, rest of the message)
FAULTS: list[tuple[str, str, int, str]] = [
    (
        'element = "tet10"',
        'elemnt = "tet10"',
        16,
        "bodies[0].elemnt: unknown key; did you mean 'ele",
    ),
    ("[include]", "[includes]", 49, "includes: unknown key; did you mean 'include'?"),
    (
        "scale = 1e-3",
        "xyz = 1",
        5,
        "mesh.xyz: unknown key; expected one of file, block, blocks, sc",
    ),
    (
        "to = 100,",
        "too = 100,",
        20,
        "bodies[0].frame.velocity.ramp.too: unknown key; did you mean 'to'",
    ),
    (
        "young = 2.1e11",
        "young = nan",
        8,
        "materials.steel.young: found nan; expected Young's modulus",
    ),
    (
        "young = 2.1e11",
        "young = inf",
        8,
        "found inf; expected Young's modulus, a number above 0 (Pa)",
    ),
    ("young = 2.1e11", "young = 1e999", 8, "found inf; expected Young's"),
    ("young = 2.1e11", "young = 1" + "0" * 400, 8, "found a huge number; expected Young's"),
    ("young = 2.1e11", 'young = "2e11"', 8, "found '2e11'; expected Young's modulus"),
    ("young = 2.1e11", "young = true", 8, "found true; expected Young's modulus"),
    ("young = 2.1e11", "young = [1]", 8, "found a list of 1 values; expected Young's modulus"),
    ("young = 2.1e11\n", "", 7, "materials.steel.young: missing; expected Young's modulus"),
    (
        "density = 7850",
        "density = -7850",
        10,
        "found -7850; expected the density, a number above 0",
    ),
    ("density = 7850", "density = 0", 10, "found 0; expected the density, a number above 0"),
    ("poisson = 0.3", "poisson = 0.5", 9, "found 0.5; expected Poisson's ratio"),
    ("[materials.steel]", '[materials."a/b"]', 7, "found 'a/b'; expected a name of letters"),
    ("alpha = 0.5", "alpha = -1", 11, "materials.steel.damping.alpha: found -1; expected"),
    ("scale = 1e-3", "scale = -1", 5, "mesh.scale: found -1; expected a factor"),
    ("scale = 1e-3", "block = {}", 5, "mesh.block.cell: missing; expected one of line2"),
    ('file = "blade.msh"\n', "", 3, "mesh: found neither file nor block; expected one of them"),
    ('"blade.msh"', '"gone.msh"', 4, "gone.msh'; expected a mesh file"),
    ('"blade.msh"', "3", 4, "mesh.file: found 3; expected the path of a mesh file"),
    (
        '"tet10"',
        '"tet11"',
        16,
        "unknown element 'tet11'; expected a file (.toml) or one of tri3, tri6,",
    ),
    ('"tet10"', '"mine.toml"', 16, "mine.toml'; expected a user's element file"),
    ('"tet10"', '"quad8"', 13, "bodies[0].thickness: found none for the plane element quad8"),
    ('"tet10"', '"quad8"\nthickness = -0.1', 17, "bodies[0].thickness: found -0.1; expected the"),
    ('"tet10"', '"tet10"\nthickness = 0.1', 17, "thickness: found one for solid element tet10"),
    ('"tet10"', '"tet10"\nhypothesis = "x"', 17, "found 'x'; expected \"plane_stress\", "),
    ('"tet10"', '"tet10"\nparameters = {k = 1}', 17, "parameters: found them with element tet10"),
    (
        'material = "steel"',
        'material = "stel"',
        17,
        "unknown material 'stel'; expected one of steel; did",
    ),
    ('material = "steel"', "", 13, "bodies[0].material: missing; expected the name of a material"),
    ('name = "blade"', 'name = "a\\nb"', 14, "bodies[0].name: found 'a\\nb'; expected a name of"),
    ('name = "blade"', 'name = ""', 14, "bodies[0].name: found ''; expected a name of"),
    ("axis = [0, 0, 1]", "axis = [0, 0, 0]", 19, "axis of length 0; expected a unit vector"),
    ("axis = [0, 0, 1]", "axis = [0, 0, 1.02]", 19, "axis of length 1.02; expected a unit vector"),
    (
        "axis = [0, 0, 1]",
        "axis = [1, 0, 1]",
        19,
        "here [0.7071067811865475, 0, 0.7071067811865475]",
    ),
    ("axis = [0, 0, 1]", "axis = [0, 1]", 19, "found 2 values; expected three components"),
    ("axis = [0, 0, 1]", "axis = [0, 0, nan]", 19, "axis[2]: found nan; expected a finite number"),
    ("axis = [0, 0, 1]", 'axis = "z"', 19, "found 'z'; expected the axis of rotation"),
    ("axis = [0, 0, 1]", "angle = 1", 18, "found angle and velocity of angle, velocity, acc"),
    ("axis = [0, 0, 1]", "velocity0 = 1", 19, "velocity0: found beside velocity, which already"),
    ("axis = [0, 0, 1]", "angle0 = inf", 19, "angle0: found inf; expected the angle at t = 0"),
    ("{ ramp = { to = 100, duration = 0.5 } }", "[0, 0, 1]", 18, "found axis or angle0 beside"),
    ("{ ramp = { to = 100, duration = 0.5 } }", '"sin(u)"', 20, "unknown name 'u' in 'sin(u)'"),
    ("{ ramp = { to = 100, duration = 0.5 } }", '"step(t, 0.4)"', 20, "velocity that jumps by 1"),
    ("{ ramp = { to = 100, duration = 0.5 } }", '"1/(t - 1)"', 20, "is inf at t = 1; expected"),
    ("{ ramp = { to = 100, duration = 0.5 } }", "{ rmp = 1 }", 20, "did you mean 'ramp'?"),
    ("{ ramp = { to = 100, duration = 0.5 } }", "true", 20, "found true; expected a profile of"),
    ("{ ramp = { to = 100, duration = 0.5 } }", "{ polynomial = [] }", 20, "found an empty list"),
    ("{ ramp = { to = 100, duration = 0.5 } }", "{ polynomial = [1, nan] }", 20, "polynomial[1]: "),
    (
        "to = 100",
        "to = 1e308, from = -1e308",
        20,
        "found 1e+308; expected a number of magnitude at",
    ),
    (
        '[0, "0.1*sin(t)", 0]',
        "[{ polynomial = [0, 1e308, 1e308] }, 0, 0]",
        21,
        "position[0].polynomial[1]: found 1e+308; expected a number of magnitude at most 1e+30",
    ),
    (
        'column = "factor"',
        "column = 2, scale = 1e308",
        31,
        "found 1e+308; expected a number of magnitude at most 1e+30",
    ),
    ('group = "root"', 'group = "r"\nbody = "' + "x" * 3000 + '"', 25, "x..."),
    ("duration = 0.5", "duration = 0", 20, "duration: found 0; expected the length of the ramp"),
    ('"0.1*sin(t)"', '"x"', 21, "frame.origin.position[1]: found the unknown name 'x'"),
    ('"0.1*sin(t)"', '"abs(t - 0.3)"', 21, "frame.origin.position[1]: found a velocity that jumps"),
    ("position = [0", "velocty = [0", 21, "origin.velocty: unknown key; did you mean 'velocity'"),
    ('group = "root"', 'group = ""', 24, "supports[0].group: found ''; expected the name of a g"),
    (
        'group = "root"',
        'group = "r"\ncomponents = []',
        25,
        "supports[0].components: found an empty",
    ),
    ('group = "root"', 'group = "r"\ncomponents = ["w"]', 25, "components[0]: found 'w'; expected"),
    ('group = "root"', 'group = "r"\ncomponents = ["x", "x"]', 25, "expected each component once"),
    ('group = "root"', 'group = "r"\nbody = "x"', 25, "unknown body 'x'; expected one of blade"),
    ('kind = "force"', 'kind = "forc"', 27, "loads[0].kind: found 'forc'; expected one of force"),
    ('kind = "force"', "", 26, "loads[0]: found no kind; expected kind, one of force, moment"),
    ("total = [0, 100, 0]", "", 26, "loads[0]: found neither total nor each; expected one"),
    ("total = [0, 100, 0]", "total = [0, 100]", 29, "loads[0].total: found 2 values"),
    ("total = [0, 100, 0]", "total = [0, -inf, 0]", 29, "loads[0].total[1]: found -inf"),
    ('frame = "global"', 'frame = "globl"', 30, 'expected "body" or "global"; did you mean \'glob'),
    ('"force.csv"', '"gone.csv"', 31, "gone.csv: found no readable file"),
    ('outside = "hold"', 'outside = "error"', 31, "found a table from 0 to 0.7 s; expected it to"),
    (
        'column = "factor"',
        'column = "fator"',
        31,
        "no column 'fator'; expected one of time, factor",
    ),
    ('column = "factor"', "column = 0", 31, "column: found 0; expected a column of the CSV file"),
    ('"1e5*sin(10*t)**2"', '"1e5*log(t)"', 36, "loads[1].value: '1e5*log(t)' is -inf at t = 0"),
    ('"1e-3*x"', '"1e-3*t"', 47, "initial[0].displacement[0]: found the unknown name 't'"),
    ("geometric = false", "geometric = 1", 50, "geometric: found 1; expected true, false or"),
    ("geometric = false", 'coriolis = "no"', 50, "coriolis: found 'no'; expected true or false"),
    (
        'kind = "transient"',
        'kind = "transent"',
        53,
        "analysis.kind: found 'transent'; expected one",
    ),
    (
        'kind = "transient"',
        'kind = "static"',
        54,
        "analysis.duration: unknown key; expected one of",
    ),
    ("step = 0.3", "steps = 2.5", 55, "analysis.steps: found 2.5; expected the number of steps"),
    (
        "step = 0.3",
        "steps = 0",
        55,
        "analysis.steps: found 0; expected the number of steps, a whole",
    ),
    ("step = 0.3", "", 52, "analysis: found neither steps nor step; expected one of them"),
    ("step = 0.3", "step = 0.3\nbeta = 0.3", 56, "analysis.beta: found with method generalized_al"),
    (
        "step = 0.3",
        'step = 0.3\nmethod = "gauss4"\ngamma = 0.5',
        57,
        "analysis.gamma: found with method gauss4; expected only with newmark",
    ),
    (
        "step = 0.3",
        'step = 0.3\nmethod = "midpont"',
        56,
        "analysis.method: found 'midpont'; expect",
    ),
    (
        "step = 0.3",
        "step = 0.3\nrho_infinity = 2",
        56,
        "rho_infinity: found 2; expected the spectral",
    ),
    ("point = [0.1, 0, 0]", "", 57, "probes[0]: found neither group nor point; expected one"),
    ('"magnitude"', '"magnitud"', 60, "probes[0].component: found 'magnitud' of displacement"),
    ("every = 10", "every = 0", 63, "output.every: found 0; expected write every nth step"),
    ('"vtu", "csv"', '"vtk"', 64, "output.formats[0]: found 'vtk'; expected a list of"),
    ('"vtu", "csv"', '"vtu", "vtu"', 64, "output.formats: found ['vtu', 'vtu']; expected each"),
    ("[[bodies]]", "[[bodies]]\nname = 'a'", 15, "not valid TOML: cannot overwrite a value"),
    ("scale = 1e-3", "scale = ", 5, "not valid TOML: invalid value at column 9; found 'scale ="),
    ("scale = 1e-3", "scale = 1 mm", 5, "in the units of the model, without 'mm'"),
    ("scale = 1e-3", "scale = 90 deg  # turned", 5, 'with a unit: "90 deg"'),
    ("scale = 1e-3", "scale = 1" + "0" * 5000, 68, "not valid TOML"),
]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"), FAULTS, ids=[str(k) for k in range(len(FAULTS))]
)
def test_every_fault_is_one_line_with_file_line_and_key(
    write: Write, error_of: ErrorOf, old: str, new: str, line: int, message: str
) -> None:
    """Each fault gives ``file:line: key: what was found; what is expected``."""
    path = write((old, new))
    found = error_of(path)
    if "0" * 5000 in new:
        assert "not valid TOML" in found
        return
    assert message in found
    assert found.startswith(f"{path}:{line}: "), found


def test_names_are_distinct(write: Write, error_of: ErrorOf) -> None:
    """Bodies, and probes, are told apart by their names."""
    body = '[[bodies]]\nname = "blade"\nelement = "tet10"\nmaterial = "steel"\n\n[[supports]]'
    found = error_of(write(("[[supports]]", body)))
    assert ":24: bodies[1].name: found 'blade', the name of bodies[0] too; expected dist" in found
    probe = '[[probes]]\nname = "tip"\ngroup = "g"\ncomponent = "x"\n[output]'
    assert "probes[1].name: found 'tip'" in error_of(write(("[output]", probe)))


def test_plane_and_solid_elements_do_not_mix(write: Write, error_of: ErrorOf) -> None:
    """A model is planar or spatial."""
    body = (
        '[[bodies]]\nname = "b"\nelement = "tri6"\nthickness = 1\nmaterial = "steel"\n[[supports]]'
    )
    assert ":25: bodies[1].element: found tri6 beside tet10" in error_of(
        write(("[[supports]]", body))
    )


def test_planar_models_stay_in_their_plane(write: Write, error_of: ErrorOf) -> None:
    """The axis is z, and loads have no z component, in a planar model."""
    plane = ('"tet10"', '"tri6"\nthickness = 0.1')
    assert "loads[2].acceleration: found z component -9.81; expected 0" in error_of(write(plane))
    level = ("[0, 0, -9.81]", "[0, -9.81, 0]")
    assert load_model_file(write(plane, level)).bodies[0].hypothesis == "plane_stress"
    found = error_of(write(plane, level, ("axis = [0, 0, 1]", "axis = [1, 0, 0]")))
    assert ":20: bodies[0].frame.axis: found motion out of the plane" in found


@pytest.mark.parametrize("table", ["bodies", "mesh", "analysis"])
def test_missing_tables(tmp_path: Path, table: str, error_of: ErrorOf) -> None:
    """A table that is required and missing is named, with the file."""
    tables = {
        "mesh": '[mesh]\nblock = {cell = "quad4", corners = [[0,0],[1,0],[1,1],[0,1]], '
        "divisions = [1, 1]}\n",
        "bodies": '[[bodies]]\nname = "a"\nelement = "quad4"\nmaterial = "m"\nthickness = 1\n',
        "analysis": '[analysis]\nkind = "static"\n[materials.m]\nyoung=1\npoisson=0\ndensity=1\n',
    }
    path = tmp_path / "model.toml"
    path.write_text("".join(tables.values()))
    assert load_model_file(path).is_planar
    path.write_text("".join(text for key, text in tables.items() if key != table))
    assert error_of(path).startswith(f"{path}: {table}: missing; expected a table [")


def test_empty_list_of_bodies_and_wrong_kinds_of_tables(write: Write, error_of: ErrorOf) -> None:
    """An empty list, a table for a list, and a list for a table say what was found."""
    path = write()
    for text, message in {
        "bodies = []": ":1: bodies: found an empty list; expected a table [[bodies]] for each body",
        "bodies = 3": ":1: bodies: found 3; expected a table [[bodies]]",
        "[bodies]\nname = 'a'": ":1: bodies: found a table with name; expected a table [[bodies]]",
        "bodies = [3]": ":1: bodies[0]: found 3; expected a table [[bodies]]",
        "[[materials]]\nyoung = 1": ":1: materials: found a list of 1 values; expected a table",
    }.items():
        rest = '\n[mesh]\nfile = "blade.msh"\n[analysis]\nkind = "static"\n'
        path.write_text(text + rest)
        assert message in error_of(path)


@pytest.mark.parametrize(
    ("load", "said"),
    [
        ({"kind": "pressure", "pressure": 1.0}, "[0].pressure: unknown key; did you mean 'value'?"),
        ({"kind": "force", "force": [0, 0, 1]}, "did you mean 'total' or 'each'?"),
        ({"kind": "force", "pressure": 1.0}, 'did you mean kind = "pressure", with value?'),
        ({"kind": "gravity", "force": [0, 0, 1]}, 'unknown key; did you mean kind = "force"?'),
        ({"kind": "gravity", "vector": [0, 0, 1]}, "unknown key; did you mean 'acceleration'?"),
        ({"kind": "gravity", "total": [0, 0, 1]}, 'body; total is a key of kind = "force"'),
        (
            {"kind": "force", "acceleration": [0, 0, 1]},
            'acceleration is a key of kind = "gravity" or kind = "body_force"',
        ),
        ({"pressure": 1.0}, 'found no kind; .*did you mean kind = "pressure", with value?'),
        ({"change": 1.0}, 'found no kind; .*did you mean kind = "temperature"?'),
    ],
)
def test_a_key_of_another_kind_is_told(load: dict[str, object], said: str) -> None:
    """Keys of loads differ by kind: the message says the right key, or the kind that was meant."""
    tables = {
        "mesh": {"points": {"tip": [0, 0, 0]}},
        "masses": [{"name": "ball", "group": "tip", "mass": 2.0}],
        "analysis": {"kind": "transient", "duration": 1.0, "steps": 10},
    }
    here = {} if "kind" in load and load["kind"] == "gravity" else {"group": "tip"}
    here = {} if "change" in load else here
    with pytest.raises(InputError, match=said.replace("[", "\\[").replace("?", "\\?")):
        model_from_dict({**tables, "loads": [here | load]})
