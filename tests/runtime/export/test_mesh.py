# SPDX-License-Identifier: BSD-3-Clause
"""Exported solvers of large meshes, which form no matrix, against the runs of flexforge."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import fmpy
import numpy as np
import pytest
from exported import STRICT, Library, compile_shared, write
from flexforge.codegen.elements.catalogue import find
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.fmu import fmu
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.mesh_constants import require_distinct_names
from flexforge.runtime.export.platforms import here
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.mesh import structured
from flexforge.runtime.model.schema import ModelSpec
from fmpy.validation import validate_fmu
from meshes import FRAMES, spun
from test_compilers import run, wanted
from test_library import assert_close, expected, followed

THREADS = """
#include "blade.h"
#include <pthread.h>
#include <string.h>
enum { THREADS = 4, STEPS = 10 };
static double rows[THREADS + 1][STEPS][BLADE_OUTPUTS];
static void *follow(void *number)
{
    double (*out)[BLADE_OUTPUTS] = rows[*(int *)number];
    blade_instance *one = blade_create();
    for (int i = 0; one != NULL && i < STEPS; ++i) {
        if (blade_step(one, BLADE_STEP))
            break;
        for (int k = 0; k < BLADE_OUTPUTS; ++k)
            out[i][k] = blade_get(one, k);
    }
    blade_free(one);
    return NULL;
}
int main(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS + 1];
    for (int i = 0; i <= THREADS; ++i)
        numbers[i] = i;
    follow(&numbers[THREADS]);
    for (int i = 0; i < THREADS; ++i)
        if (pthread_create(&threads[i], NULL, follow, &numbers[i]))
            return 2;
    for (int i = 0; i < THREADS; ++i)
        pthread_join(threads[i], NULL);
    if (rows[THREADS][STEPS - 1][0] == 0.0)
        return 3;
    for (int i = 0; i < THREADS; ++i)
        if (memcmp(rows[i], rows[THREADS], sizeof rows[i]))
            return 4;
    return 0;
}
"""
CALLER = """
#include "blade.h"
#include <cstdio>
#include <vector>
int main()
{
    std::vector<double> memory(blade_size() / sizeof(double) + 1), state(blade_state_size());
    blade_instance *one = nullptr;
    if (blade_create_in(memory.data(), blade_size() - 1, &one) != BLADE_MEMORY)
        return 1;
    if (blade_create_in(memory.data(), blade_size(), &one) != BLADE_OK)
        return 2;
    blade_get_state(one, state.data());
    int code = blade_advance(one, 5 * BLADE_STEP);
    const double first = blade_get(one, BLADE_OUTPUT_a);
    blade_set_state(one, state.data());
    code = code ? code : blade_advance(one, 5 * BLADE_STEP);
    std::printf("%.17g %.17g\\n", first, blade_get(one, blade_output("a")));
    return code;
}
"""
#: Planar and spatial, about a fixed axis (one pattern of prestress) and any (six), simplices whose
#: last batch is short and elements with nodes on their edges.
MODELS = {
    "quad4": (("quad4", [60, 20]), {}),
}
SLOW = {
    "tet4 in any frame": (("tet4", [21, 6, 3], "vector"), {"step": 1e-5}),
    "hex8": (("hex8", [30, 6, 4]), {}),
    "tri6": (("tri6", [31, 9]), {"step": 1e-5}),
    "hex20": (("hex20", [16, 4, 2]), {"step": 1e-5, "steps": 100}),
    "tet10 in any frame": (("tet10", [10, 3, 2], "vector"), {"step": 1e-5, "steps": 100}),
    "wedge6": (("wedge6", [20, 8, 4]), {"step": 1e-5}),
    "quad8r": (("quad8r", [30, 10]), {"step": 1e-5}),
}


def model(name: str, **tables: object) -> ModelSpec:
    """Return one of the models."""
    given, keys = (MODELS | SLOW)[name]
    return spun(*given, **(keys | tables))


def exported(spec: ModelSpec, folder: Path) -> Library:
    """Return the compiled library of a model."""
    solver = build_solver(spec, "blade")
    assert solver.mesh is not None
    assert solver.size > 1500
    write(library_files(solver), folder)
    return Library(compile_shared(folder, "blade"), solver)


@pytest.fixture(scope="module")
def hexes(tmp_path_factory) -> tuple[ModelSpec, Library, Path]:
    """A spatial blade about a fixed axis, and its library."""
    folder = tmp_path_factory.mktemp("hex8")
    spec = model("hex8")
    return spec, exported(spec, folder), folder


@pytest.mark.parametrize(
    "name", [*MODELS, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]
)
def test_the_run_of_the_library_is_that_of_flexforge(name, tmp_path):
    """Spin-up, prestress, gravity, damping, a push: outputs of all steps to 1e-12."""
    spec = model(name)
    library = exported(spec, tmp_path)
    assert library.solver.mesh.stressing.any()
    found = followed(library, spec.analysis.number_of_steps, spec.analysis.step_size)
    assert_close(found, expected(spec, tmp_path / "out"))


def joined(folder: Path) -> Path:
    """Write a mesh of a bar of two halves that share a face; return the file."""
    face = ((0.1, 0), (0.5, 0), (0.5, 0.04), (0.1, 0.04))
    corners = [[x, y, z] for z in (0, 0.02) for x, y in face]
    mesh = structured("hex8", corners, [32, 4, 4])
    (cells,) = (block.nodes + 1 for block in mesh.blocks if block.cell == "hex8")
    left = mesh.points[cells - 1].mean(axis=1)[:, 0] < 0.3
    lines = ["*NODE"]
    lines += [f"{i}, {x!r}, {y!r}, {z!r}" for i, (x, y, z) in enumerate(mesh.points.tolist(), 1)]
    for name, chosen in (("left", left), ("right", ~left)):
        lines.append(f"*ELEMENT, TYPE=C3D8, ELSET={name}")
        lines += [f"{e + 1}, " + ", ".join(map(str, cells[e])) for e in np.flatnonzero(chosen)]
    for name, x in (("root", 0.1), ("tip", 0.5)):
        lines.append(f"*NSET, NSET={name}")
        lines += [f"{i + 1}," for i in np.flatnonzero(np.abs(mesh.points[:, 0] - x) < 1e-9)]
    path = folder / "bar.inp"
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path


@pytest.mark.slow
def test_bodies_that_share_nodes(tmp_path):
    """A bar of two materials and dampings: masses of both at the nodes they share; 1e-12."""
    spec = spun("hex8", [1, 1, 1])
    data = spec.model_dump(exclude_unset=True, by_alias=True)
    body = data["bodies"][0]
    data |= {
        "mesh": {"file": str(joined(tmp_path))},
        "materials": data["materials"]
        | {"light": {"young": 3e6, "poisson": 0.2, "density": 700.0, "damping": {"alpha": 90.0}}},
        "bodies": [
            body | {"name": "left", "cells": "left"},
            body | {"name": "right", "cells": "right", "material": "light"},
        ],
        "supports": [{"group": "root"}],
        "loads": [
            data["loads"][0],
            data["loads"][1] | {"group": "tip"},
            {"kind": "body_force", "body": "right", "acceleration": [3.0, 0.0, 1.0]},
        ],
        "probes": [
            {"name": "u", "group": "tip", "component": "y"},
            {"name": "middle", "point": [0.3, 0.0, 0.0], "component": "x", "quantity": "velocity"},
            {"name": "s", "group": "root", "component": "von_mises", "quantity": "stress"},
        ],
    }
    spec = model_from_dict(data)
    library = exported(spec, tmp_path)
    found = followed(library, spec.analysis.number_of_steps, spec.analysis.step_size)
    assert_close(found, expected(spec, tmp_path / "out"))


def test_bodies_in_different_frames(tmp_path):
    """A plate that spins about an axis beside one that tumbles, pushed in global axes; 1e-12."""
    spec = spun("hex8", [10, 5, 4])
    data = spec.model_dump(exclude_unset=True, by_alias=True)
    block, body = data["mesh"].pop("block"), data["bodies"][0]
    data["mesh"] = {"blocks": {"a": block, "b": block}}
    data |= {
        "bodies": [
            body | {"name": "a", "cells": "a"},
            body | {"name": "b", "cells": "b", "frame": FRAMES["vector"]},
        ],
        "supports": [
            {"group": "a.xmin"},
            {"group": "b.xmin", "components": ["x"]},
            {"group": "b.ymin"},
        ],
        "loads": [
            data["loads"][0],
            {
                "kind": "force",
                "group": "b.xmax",
                "total": [1.0, 2.0, 3.0],
                "frame": "global",
                "amplitude": "sin(500*t)",
            },
        ],
        "probes": [{"name": one, "group": f"{one}.xmax", "component": "magnitude"} for one in "ab"]
        + [{"name": "s", "group": "b.ymin", "component": "xy", "quantity": "stress"}],
    }
    spec = model_from_dict(data)
    library = exported(spec, tmp_path)
    found = followed(library, spec.analysis.number_of_steps, spec.analysis.step_size)
    assert_close(found, expected(spec, tmp_path / "out"))


def test_a_state_is_taken_up_again(hexes):
    """From a state that was kept, and after a start, an instance goes on bit by bit."""
    spec, library, _ = hexes
    h = spec.analysis.step_size
    one, other = library.create(), library.create()
    for _ in range(7):
        assert one.step(h) == 0
    kept = one.state()
    assert one.set(0, 3.0) == 0
    changed = one.state()
    for _ in range(9):
        assert one.step(h) == 0
    assert other.restore(changed) == 0
    for _ in range(9):
        assert other.step(h) == 0
    assert bytes(one.state()) == bytes(other.state())
    assert one.restore(kept) == 0
    for _ in range(9):
        assert one.step(h) == 0
    assert bytes(one.state()) != bytes(other.state())  # pushed less
    assert one.start(0.0) == 0
    third = library.create()
    assert bytes(one.state()) == bytes(third.state())
    for instance in (one, other, third):
        instance.free()


def test_prestress_of_any_axis_follows_the_state_alone(tmp_path):
    """Its matrices are made anew when the speed moves; a state set again gives the same bits."""
    spec = model("tet4 in any frame")
    library = exported(spec, tmp_path)
    h = spec.analysis.step_size
    one, other = library.create(), library.create()
    for _ in range(5):
        one.step(h)
    kept = one.state()
    for _ in range(20):
        one.step(h)
    for _ in range(40):
        other.step(h)
    assert other.restore(kept) == 0
    for _ in range(20):
        other.step(h)
    assert bytes(one.state()) == bytes(other.state())
    one.free()
    other.free()


def test_forces_of_the_caller(hexes):
    """A force on one coordinate adds that force over the mass of its node."""
    spec, library, _ = hexes
    one = library.create()
    before = one.coordinates(2)
    mesh = library.solver.mesh
    coordinate, force = 1234, 0.5
    one.call("forces")[coordinate] = force
    assert one.call("settle") == 0
    change = one.coordinates(2) - before
    mass = mesh.cells[0].masses[mesh.system.map.places[coordinate] // 3]
    assert change[coordinate] == pytest.approx(force / mass, rel=1e-12)
    assert np.count_nonzero(change) == 1
    one.free()


def test_too_long_steps_are_found_out(hexes):
    """A motion that grows beyond all bounds: code 5 with a text, the state as before that step."""
    _, library, _ = hexes
    one = library.create()
    code = 0
    for _ in range(2000):
        before = bytes(one.state())
        code = one.step(1e-3)
        if code:
            break
    assert code == 7
    assert bytes(one.state()) == before
    assert b"shorter steps" in library.function("error_text")(7)
    one.free()


@pytest.mark.slow
@pytest.mark.parametrize("flag", ["-DFF_SCALAR", "-march=native"])
def test_other_lanes_give_the_same(hexes, flag, tmp_path):
    """Without vectors of the GNU dialect, as other compilers see it, and with long ones; 1e-12."""
    spec, library, folder = hexes
    copy = tmp_path / "other.so"
    run(
        "gcc",
        *STRICT,
        flag,
        "-shared",
        "-fPIC",
        f"-I{folder / 'include'}",
        folder / "src" / "blade.c",
        "-o",
        copy,
        "-lm",
    )
    steps, h = 40, spec.analysis.step_size
    other = followed(Library(copy, library.solver), steps, h)
    assert_close(other, followed(library, steps, h))


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize(
    "flags", [["-std=c99"], ["-std=c17", "-DFF_SCALAR"], ["-std=gnu11", "-march=native"]]
)
def test_every_source_compiles_without_a_warning(hexes, compiler, flags):
    """With conversions, shadows and casts looked at; kernels of all lanes."""
    wanted(compiler)
    _, _, folder = hexes
    more = ["-Wshadow", "-Wstrict-prototypes", "-Wcast-align", "-Wconversion", "-Wpointer-arith",
            "-Wwrite-strings", "-fsyntax-only"]  # fmt: skip
    run(
        compiler,
        *STRICT[1:],
        *flags,
        *more,
        f"-I{folder / 'include'}",
        folder / "src" / "blade.c",
        folder / "example" / "main.c",
    )


@pytest.mark.slow
def test_a_program_in_cpp(hexes, tmp_path):
    """C++ links with the library, in memory of its own; a state set again gives the same bits."""
    wanted("g++")
    _, _, folder = hexes
    (tmp_path / "main.cpp").write_text(CALLER, encoding="ascii")
    include = f"-I{folder / 'include'}"
    run("gcc", *STRICT, include, "-c", folder / "src" / "blade.c", "-o", tmp_path / "blade.o")
    run(
        "g++",
        "-std=c++11",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Werror",
        include,
        tmp_path / "main.cpp",
        tmp_path / "blade.o",
        "-o",
        tmp_path / "program",
    )
    first, second = run(tmp_path / "program").split()
    assert first == second
    assert float(first) != 0.0


def test_the_same_model_gives_the_same_bytes(hexes):
    """Built twice, every file is the same; none names a folder of this machine."""
    spec, library, _ = hexes
    one, other = library_files(library.solver), library_files(build_solver(spec, "blade"))
    assert one == other
    assert not any(str(Path(__file__).parents[3]) in text for text in one.values())
    heavier = spec.model_dump(exclude_unset=True, by_alias=True)
    heavier["materials"]["rubber"]["young"] *= 1.0 + 1e-12
    changed = build_solver(model_from_dict(heavier), "blade")
    assert changed.fingerprint != library.solver.fingerprint


def test_sources_are_small(hexes):
    """Tables of indices and of what is not zero: below 200 bytes a coordinate, kernels aside."""
    _, library, _ = hexes
    files = library_files(library.solver)
    tables = len(files["src/ff_my_mesh.h"]) + len(files["src/blade.c"])
    assert tables < 200 * library.solver.size


@pytest.mark.slow
def test_threads_do_not_disturb_each_other(hexes, tmp_path):
    """Four threads with an instance each: every bit is that of a run alone."""
    _, _, folder = hexes
    run(program(folder, tmp_path, "-pthread", main=THREADS))


@pytest.mark.slow
def test_sanitizers_find_nothing(hexes, tmp_path):
    """Addresses and undefined behaviour of the example, whose output stays; races of threads."""
    _, _, folder = hexes
    flags = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    plain = run(program(folder, tmp_path))
    assert run(program(folder, tmp_path, *flags)) == plain
    run(program(folder, tmp_path, "-DFF_SCALAR", *flags))
    run(program(folder, tmp_path, "-pthread", "-g", "-fsanitize=thread", main=THREADS))


@pytest.mark.slow
def test_valgrind_finds_nothing(hexes, tmp_path):
    """No error, no leak, no value that was not set."""
    wanted("valgrind")
    _, _, folder = hexes
    said = run(
        "valgrind",
        "--error-exitcode=9",
        "--leak-check=full",
        "--show-leak-kinds=all",
        "--errors-for-leak-kinds=all",
        program(folder, tmp_path, "-g", "-O1"),
    )
    assert "0 errors from 0 contexts" in said


def program(library: Path, folder: Path, *flags: str, main: str | None = None) -> Path:
    """Compile a program, the example by default, with a library; return it."""
    text = library / "example" / "main.c"
    if main is not None:
        text = folder / "main.c"
        text.write_text(main, encoding="ascii")
    out = folder / "program"
    run(
        "gcc",
        *STRICT,
        *flags,
        f"-I{library / 'include'}",
        text,
        library / "src" / "blade.c",
        "-o",
        out,
        "-lm",
    )
    return out


@pytest.mark.slow
@pytest.mark.parametrize("version", [2, 3])
def test_an_fmu_for_co_simulation(hexes, version, tmp_path):
    """Valid, simulated by FMPy bit by bit as the library, not offered for model exchange."""
    spec, library, _ = hexes
    path = tmp_path / "blade.fmu"
    path.write_bytes(fmu(library.solver, version, [here()]))
    assert not validate_fmu(str(path))
    description = fmpy.read_model_description(str(path))
    assert description.modelExchange is None
    assert len(description.modelVariables) < 20
    names, h, steps = [one.name for one in library.solver.outputs], spec.analysis.step_size, 25
    found = fmpy.simulate_fmu(str(path), stop_time=steps * h, output_interval=h, output=names)
    wanted_rows = followed(library, steps, h)
    assert len(found) == steps + 1
    for k, name in enumerate(names, start=1):
        size = np.abs(wanted_rows[:, k]).max()
        np.testing.assert_allclose(found[name], wanted_rows[:, k], rtol=0.0, atol=1e-12 * size)


def test_two_elements_of_one_name_are_refused():
    """Whatever is asked of them: elements of a user's own that say something else."""
    one, same, other = (replace(find(name), name="mine") for name in ("hex8", "hex8", "hex27"))
    bodies = [
        SimpleNamespace(name=str(k), element="mine", source=source)
        for k, source in enumerate((one, same, other))
    ]
    require_distinct_names(bodies[:2])
    with pytest.raises(InputError, match="body '2': found two elements named 'mine'; expected"):
        require_distinct_names(bodies)


def test_what_cannot_be_exported_is_said():
    """Other masses, methods, elements and probes: one line each."""
    small = {"steps": 5}

    def refused(text: str, spec: ModelSpec) -> None:
        with pytest.raises(InputError, match=text):
            build_solver(spec)

    refused(
        r"analysis.mass: found consistent with 2520 unknowns; expected lumped to export them",
        model("quad4", analysis={"mass": "consistent"}, **small),
    )
    refused(
        r"model: found 2520 unknowns; expected .* or central_difference with lumped masses",
        model("quad4", analysis={"mass": "consistent", "method": "newmark"}, **small),
    )
    refused(
        r"body 'blade': element quad4i_plane_stress has no kernel stiffness_action",
        spun("quad4i", [60, 20], **small),
    )
    refused(
        r"probe 'r': found a reaction of supports with 2520 unknowns; expected none, or \[reduc",
        model(
            "quad4",
            probes=[{"name": "r", "body": "blade", "quantity": "reaction_force", "component": "x"}],
            **small,
        ),
    )
    refused(
        r"analysis.step: found 0.01 s with central_difference; expected less than",
        model("quad4", step=1e-2, **small),
    )
