# SPDX-License-Identifier: BSD-3-Clause
"""Names and texts that would be something else in C, XML, CMake or pkg-config."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import zipfile
from dataclasses import replace
from xml.etree import ElementTree as xml

import pytest
from elastic_links import SOFT, beam, line
from exported import STRICT, write
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.description import describe_2, describe_3
from flexforge.runtime.export.fmu import fmu, fmu_sources
from flexforge.runtime.export.identifiers import (
    c_string,
    identifier,
    identifiers,
)
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.solver import Solver, build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.tables.text import c_number
from marks import slow

NAMES = [
    # What ends a string, a comment or a directive.
    'a"b', "a\\", "a\\\"; int evil; \"", "*/ int evil; /*", "// ??/", "??/", "%s%n", "a\nb",
    "a\r\nb", "#include <evil.h>", "\t", "", "a\0b", "${HOME}", "$(rm -rf .)",
    "@CMAKE_BINARY_DIR@", "a;b", "]]>", "&amp;", "<a>", "'", "`ls`", "| a |", "{{ 7 * 7 }}",
    "{% raw %}",
    # Not ASCII, long, or nothing but signs.
    "Flügel", "翼", "😀", "\u202e", "\ufffe", "\ud800", "x" * 300, "é" * 300, "_", "__", "._.", "-",
    # Words of C, C++ and CMake, of headers and of libraries.
    "int", "INT", "class", "main", "errno", "exp", "EOF", "NULL", "math", "string", "features",
    "stdlib", "time", "m", "c", "M", "ff", "FF", "ff_solver", "fmi2", "fmi3_x", "test", "install",
    "debug", "optimized", "LIBRARY", "RUNTIME", "PROPERTIES", "SHARED", "OBJECT", "VERSION",
    "CMAKE", "cmake_minimum_required", "PROJECT", "instance", "solver", "COUNT", "linux", "7up",
    "-lm", "../../etc/passwd", "C:\\model", "tss", "timer", "fp", "all", "help", "clean",
    "flexforge",
]  # fmt: skip
#: One of every kind of word; those like it are slow, but for what is read back of them.
LIKE_OTHERS = {
    "@CMAKE_BINARY_DIR@", "a;b", "]]>", "&amp;", "<a>", "`ls`", "| a |", "翼", "😀", "\u202e",
    "\ufffe", "é" * 300, "_", "._.", "-", "INT", "EOF", "NULL", "math", "string", "features",
    "time", "c", "M", "ff", "FF", "fmi3_x", "test", "install", "debug", "optimized", "LIBRARY",
    "RUNTIME", "PROPERTIES", "SHARED", "OBJECT", "VERSION", "CMAKE", "cmake_minimum_required",
    "PROJECT", "instance", "solver", "-lm", "C:\\model", "tss", "timer", "fp", "all", "help",
    "clean",
}  # fmt: skip
COMPILED = [slow(name) if name in LIKE_OTHERS else name for name in NAMES]
QUIET = [*STRICT, "-fsyntax-only"]


MODEL = {
    "mesh": {"block": {"cell": "line2", "corners": [[0, 0], [1, 0]], "divisions": [1]}},
    "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800}},
    "bodies": [{
        "name": "bar", "element": "euler_beam_plane", "material": "steel",
        "section": {"shape": "round", "diameter": 0.02},
        "frame": {"acceleration": {"input": "alpha"}},
    }],
    "supports": [{"group": "xmin", "components": ["x", "y", "rz"]}],
    "loads": [{"kind": "force", "group": "xmax", "total": [0, 1, 0],
               "amplitude": {"input": "push"}}],
    "probes": [{"name": "u", "group": "xmax", "component": "x"},
               {"name": "v", "group": "xmax", "component": "y"}],
    "analysis": {"kind": "transient", "duration": 0.1, "step": 1e-3},
}  # fmt: skip


@pytest.fixture(scope="module")
def solver() -> Solver:
    """A bar with two inputs and two probes."""
    return build_solver(model_from_dict(MODEL), "bar")


def named(solver: Solver, name: str) -> Solver:
    """Return a solver that has a name everywhere a user may give one."""
    other = f"{name}2"
    return replace(
        solver,
        name=identifier(name),
        title=name,
        inputs=[
            replace(one, name=text)
            for one, text in zip(solver.inputs, (f"{name}1", other), strict=True)
        ],
        outputs=[
            replace(one, name=text, description=name)
            for one, text in zip(solver.outputs, (f"{name}3", f"{other} 3"), strict=True)
        ],
    )


@pytest.mark.parametrize("name", COMPILED, ids=ascii)
def test_it_compiles_without_a_warning(solver, name, tmp_path):
    """Library and example by gcc, pedantic; nothing of the text is outside a string."""
    found = named(solver, name)
    assert re.fullmatch(r"[A-Za-z]\w{0,50}", found.name)
    folder = write(library_files(found), tmp_path)
    texts = [str(folder / "src" / f"{found.name}.c"), str(folder / "example" / "main.c")]
    subprocess.run(["gcc", *QUIET, f"-I{folder / 'include'}", *texts], check=True)
    for path in folder.rglob("*"):
        if path.is_file():
            text = path.read_bytes().decode("ascii")
            if path.suffix == ".c":  # where a text may stand, in a string
                text = re.sub(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', "", text, flags=re.DOTALL)
            assert not re.search(r"\bint evil|<evil|\{HOME\}|7 \* 7|rm -rf", text), path


@pytest.mark.parametrize(
    "name", ["flexforge", "flexforge_mesh", "epoll", "timerfd", "memfd", "obstack"]
)
def test_names_that_others_use_are_set_aside(name):
    """The header of kernels beside a mesh; functions of C libraries ending with create or free."""
    assert identifier(name) == f"m_{name}"


def test_no_table_is_empty(tmp_path):
    """Without a load that does anything: C99 has no empty tables."""
    found = build_solver(model_from_dict(MODEL), "bar")
    found.matrices.forces.vectors[:] = 0.0
    folder = write(library_files(found), tmp_path)
    assert "ff_my_vectors" not in (folder / "src" / "bar.c").read_text(encoding="ascii")
    text = str(folder / "src" / "bar.c")
    subprocess.run(["gcc", *QUIET, f"-I{folder / 'include'}", text], check=True)


@pytest.mark.parametrize("describe", [describe_2, describe_3])
@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_the_description_is_read_back(solver, name, describe):
    """XML of every name is well formed, and holds it but for what XML cannot hold."""
    root = xml.fromstring(describe(named(solver, name)))
    clean = re.sub(r"[\x00-\x08\x0a-\x1f\ud800-\udfff]", " ", name).replace("\ufffe", "")
    assert root.get("modelName") == clean
    variables = root.find("ModelVariables")
    assert f"{clean}3" in [one.get("name") for one in variables]
    assert clean in [one.get("description") for one in variables]


def test_all_headers_serve_one_program_in_cpp(solver, tmp_path):
    """Headers of all names in one C++ program: none hides one of the system, none another one."""
    seen, lines = set(), ["#include <cmath>\n#include <cstdio>\n"]
    for name in NAMES:
        found = named(solver, name)
        if found.name.lower() in seen:
            continue
        seen.add(found.name.lower())
        write(library_files(found), tmp_path / found.name)
        lines.append(f'#include "{found.name}/include/{found.name}.h"\n')
    assert len(seen) > 60
    lines.append("int main() { return int_is_no_name; }\n".replace("int_is_no_name", "EOF + 1"))
    (tmp_path / "all.cpp").write_text("".join(lines), encoding="ascii")
    command = ["g++", "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
    subprocess.run([*command, f"-I{tmp_path}", str(tmp_path / "all.cpp")], check=True)


@pytest.mark.parametrize("version", [2, 3])
def test_an_fmu_of_strange_names_compiles(solver, version, tmp_path):
    """Sources of FMUs, without a warning."""
    for name in ("*/ int evil; /*", "math", "COUNT", '"%s'):
        found = named(solver, name)
        folder = write(fmu_sources(found, version), tmp_path / found.name)
        text = str(folder / f"fmi{version}.c")
        subprocess.run(["gcc", *QUIET, f"-I{folder}", text], check=True)


@pytest.mark.parametrize("version", [2, 3])
def test_functions_of_an_fmu_take_a_prefix(solver, version, tmp_path):
    """As the standard has it for FMUs in one program: all of them, and nothing else."""
    folder = write(fmu_sources(solver, version), tmp_path)
    command = ["gcc", "-E", "-P", f"-DFMI{version}_FUNCTION_PREFIX=one_", f"-I{folder}",
               str(folder / f"fmi{version}.c")]  # fmt: skip
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = re.findall(rf"(\w*fmi{version}[A-Z]\w*)\(", text)
    assert len(names) >= 40
    assert all(name.startswith("one_fmi") for name in names)


def arm(*names: str) -> Solver:
    """Return an elastic arm on a rigid one: names of links, joints, drivers, inputs and probes."""
    upper, lower, shoulder, elbow, one, two, *told, probe, other = names
    placed = {"name": lower, "placement": {"position": [0.5, 0, 0]}}
    return build_solver(model_from_dict({
        "mesh": {"blocks": {"rod": line(0.3, 2)}},
        "materials": {"m": SOFT},
        "links": [{"name": upper}, placed],
        "bodies": [beam("rod", "euler_beam_plane", frame=lower)],
        "joints": [
            {"name": shoulder, "kind": "revolute", "links": ["ground", upper]},
            {"name": elbow, "kind": "revolute", "links": [upper, lower],
             "at": [[0.5, 0, 0], "rod.xmin"]},
        ],
        "drivers": [
            {"name": one, "joint": shoulder, "value": {"input": told[0], "start": 0.0}},
            {"name": two, "joint": elbow, "velocity": {"input": told[1], "start": 1.0}},
        ],
        "probes": [
            {"name": probe, "joint": elbow, "quantity": "force", "component": "x"},
            {"name": other, "constraint": two, "quantity": "multiplier"},
        ],
        "analysis": {"kind": "transient", "duration": 0.1, "steps": 10},
    }), "arm")  # fmt: skip


@pytest.mark.parametrize(
    "names",
    [
        ["int", "class", "main", "errno", "EOF", "NULL", "double", "static", "a + b", "M_PI"],
        ["ff_model", "ff_my_ties", "s", "m", "ff_my_joints", "h", "arm", "ARM_OK", "arm_get", "J"],
        ["7up", "_", "__", "0", "0x1p3", "1e5", "a.b - +", "INPUT_END_", "OUTPUT_END_", "x" * 64],
        ["x y", "x-y", "x.y", "x+y", "x_y", "xy", "X Y", "X_Y", "X-Y", "X.Y"],
    ],
    ids=lambda names: names[0],
)
@pytest.mark.parametrize("version", [slow(2), 3])
def test_a_mechanism_of_strange_names_compiles(names, version, tmp_path):
    """Names that a model may give, of words and of what the library is made of."""
    found = arm(*names)
    folder = write(library_files(found), tmp_path / "library")
    texts = [str(folder / "src" / "arm.c"), str(folder / "example" / "main.c")]
    subprocess.run(["gcc", *QUIET, f"-I{folder / 'include'}", *texts], check=True)
    folder = write(fmu_sources(found, version), tmp_path / "fmu")
    text = str(folder / f"fmi{version}.c")
    subprocess.run(["gcc", *QUIET, f"-I{folder}", text], check=True)
    describe = describe_2 if version == 2 else describe_3
    variables = xml.fromstring(describe(found)).find("ModelVariables")
    assert {*names[6:]} <= {one.get("name") for one in variables}


@pytest.mark.parametrize("name", ['a"b', "*/ int evil; /*", "%s%n", "{{ 7 * 7 }}", "\ud800", "翼"])
def test_no_text_of_a_mechanism_leaves_its_string(name, tmp_path):
    """Inputs, outputs and titles that no model may give."""
    found = named(arm("a", "b", "A", "B", "one", "two", "in", "too", "f", "e"), name)
    folder = write(library_files(found), tmp_path)
    text = folder / "src" / f"{found.name}.c"
    subprocess.run(["gcc", *QUIET, f"-I{folder / 'include'}", str(text)], check=True)
    left = re.sub(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', "", text.read_text("ascii"), flags=re.DOTALL)
    assert not re.search(r"\bint evil|7 \* 7", left)


@pytest.mark.parametrize("key", ["links", "joints", "drivers"])
@pytest.mark.parametrize("name", ['a"b', "*/", "é", "a\nb", "", "x" * 65])
def test_a_model_refuses_such_names_of_a_mechanism(key, name):
    """By the key at which they stand."""
    joint = {"name": "A", "kind": "revolute", "links": ["ground", "a"]}
    tables = {"links": {"name": "a"}, "joints": joint,
              "drivers": {"name": "motor", "joint": "A", "value": 0.0}}  # fmt: skip
    tables[key] = tables[key] | {"name": name}
    given = {one: [table] for one, table in tables.items()}
    with pytest.raises(InputError, match=rf"{key}\[0\]\.name"):
        model_from_dict(MODEL | given)


def test_no_path_leads_out_of_an_fmu(solver):
    """Names of files in the archive are plain, whatever the model is called."""
    archive = fmu(named(solver, "../../etc/passwd"), 2, [])
    for name in zipfile.ZipFile(io.BytesIO(archive)).namelist():
        assert ".." not in name
        assert re.fullmatch(r"[\w./]+", name)


@pytest.mark.slow
def test_cmake_takes_every_name(solver, tmp_path):
    """One project that has all of them as parts is configured and built."""
    if not shutil.which("cmake"):
        pytest.skip("cmake is not installed")
    lines, seen = ["cmake_minimum_required(VERSION 3.16)\nproject(all_of_them C)\n"], set()
    for name in NAMES:
        found = named(solver, name)
        if found.name.lower() not in seen:
            seen.add(found.name.lower())
            write(library_files(found), tmp_path / found.name)
            lines.append(f"add_subdirectory({found.name})\n")
    (tmp_path / "CMakeLists.txt").write_text("".join(lines), encoding="ascii")
    build = tmp_path / "build"
    for command in (
        ["-S", str(tmp_path), "-B", str(build), "-DCMAKE_BUILD_TYPE=Debug"],
        ["--build", str(build), "-j", "2"],
    ):
        done = subprocess.run(["cmake", *command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
        assert "Warning" not in done.stderr, done.stderr[-4000:]


def test_names_that_differ_little_stay_apart():
    """By case, punctuation or beyond the longest name only: distinct in C."""
    given = ["tip", "Tip", "TIP", "t.i.p", "t-i-p", "t i p", "int", "m_int", "x" * 100, "x" * 101]
    found = identifiers(given)
    assert len({one.lower() for one in found}) == len(given)


def test_probes_that_differ_by_case_are_two(solver, tmp_path):
    """Enumerators of outputs and inputs of such names compile."""
    found = replace(
        solver,
        inputs=[
            replace(one, name=text) for one, text in zip(solver.inputs, ("a b", "A-b"), strict=True)
        ],
        outputs=[
            replace(one, name=text)
            for one, text in zip(solver.outputs, ("Tip", "tip"), strict=True)
        ],
    )
    folder = write(library_files(found), tmp_path)
    text = str(folder / "src" / "bar.c")
    subprocess.run(["gcc", *QUIET, f"-I{folder / 'include'}", text], check=True)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [('a"b', r'"a\042b"'), ("a\\b", r'"a\134b"'), ("??/", r'"\077\077/"'), ("%s", r'"\045s"'),
     ("é1", r'"\303\2511"'), ("\n", r'"\012"')],
)  # fmt: skip
def test_strings_are_coded(text, wanted):
    """Three octal digits each, which no digit after them can lengthen."""
    assert c_string(text) == wanted


def test_numbers_are_read_back():
    """Exactly, those that are not finite by their macros."""
    values = [0.1, -0.0, 5e-324, 1.7976931348623157e308, 1e16]
    assert [float(c_number(one)) for one in values] == values
    assert [c_number(float(one)) for one in ("inf", "-inf", "nan")] == [
        "INFINITY",
        "-INFINITY",
        "NAN",
    ]


@pytest.mark.parametrize("name", ['a"b', "a;b", "a\nb", "*/", "é", "x" * 300])
def test_a_model_refuses_such_names(name):
    """Names of inputs in a model file are letters, digits, spaces and _ . + -, 64 at most."""
    body = MODEL["bodies"][0] | {"frame": {"acceleration": {"input": name}}}
    with pytest.raises(InputError, match=r"bodies\[0\]\.frame"):
        model_from_dict(MODEL | {"bodies": [body]})
