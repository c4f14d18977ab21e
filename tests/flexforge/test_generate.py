# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.catalogue import find
from flexforge.codegen.elements.library import element, facet
from flexforge.codegen.elements.terms import terms_of
from flexforge.codegen.elements.user import load_element
from flexforge.codegen.errors import InputError
from flexforge.codegen.jit.build import INCLUDE
from flexforge.codegen.output.generate import INTERFACES, generate, unwritten_terms
from flexforge.codegen.passes import PIPELINE
from marks import slow

STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic")
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


def _compile(folder: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:3000]


KINDS = [("tri3", "double"), slow("quad4", "float")]


def _tree(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_generate_writes_everything(flexforge, tmp_path: Path) -> None:
    """The folder holds C, headers, Cython module and README; JSON names them."""
    folder = tmp_path / "out"
    said = flexforge("generate", "tri3", "-o", folder, "--terms", "mass,stress", "--json")
    assert said.code == 0
    assert (
        set(said.json["files"])
        == set(_tree(folder))
        == {
            "tri3_plane_stress_kernels.c",
            "tri3_plane_stress_kernels.h",
            "tri3_plane_stress.hpp",
            "tri3_plane_stress_table.c",
            "tri3_plane_stress.pyx",
            "flexforge.h",
            "README.md",
        }
    )
    header = (folder / "tri3_plane_stress_kernels.h").read_text()
    names = re.findall(r"^void (\w+)\(", header, re.M)
    assert names == [
        f"tri3_plane_stress_{n}" for n in ("mass", "mass_x8", "stress", "stress_x8", "jacobian")
    ]
    readme = (folder / "README.md").read_text()
    assert "In the reference cell the nodes are at (0, 0), (1, 0), (0, 1), in this" in readme
    assert all(f"`{name}`" in readme for name in names)
    assert [path.name for path in tmp_path.iterdir()] == ["out"], "a scratch folder is left"


def _terms(text: str) -> set[str]:
    """Return the terms of the kernels that a folder's header declares."""
    return {name.removeprefix("k_") for name in re.findall(r"^void (\w+)\(", text, re.M)}


@pytest.mark.parametrize(
    ("name", "written", "further"),
    [
        ("tri3", {"stiffness", "mass"}, "coriolis"),
        ("spring", {"stiffness"}, "geometric"),
        ("point_mass", {"mass"}, "centrifugal"),
        ("facet", {"pressure"}, None),
    ],
)
def test_stiffness_and_mass_by_default(
    name: str, written: set[str], further: str | None, tmp_path: Path
) -> None:
    """Without terms an element gets those two it has, all if it has neither; the README says so."""
    chosen = facet("line2", 2) if name == "facet" else name
    generate(chosen, tmp_path / "k", lanes=[1], prefix="k")
    found = _terms((tmp_path / "k" / "k_kernels.h").read_text())
    assert found - {"jacobian"} == written
    left = unwritten_terms(chosen)
    readme = (tmp_path / "k" / "README.md").read_text()
    assert ("Further terms" in readme) == bool(left.words())
    assert all(text in readme for text in left.words())
    assert (further is None and not left.by_all) or further in left.by_all


def test_all_terms_on_request(flexforge, tmp_path: Path) -> None:
    """The command names what it did not write; all, alone or in a list, means what it named."""
    start = ("generate", "bar2_plane", "--name", "k", "--lanes", "1", "-o")
    few = flexforge(*start, tmp_path / "few")
    assert few.code == 0
    assert "further terms: coriolis, " in few.out
    assert "(--terms all, or by name: --terms A,B)" in few.out
    data = flexforge(*start, tmp_path / "all", "--terms", "all,thermal_load", "--json").json
    found = _terms((tmp_path / "all" / "k_kernels.h").read_text())
    assert found == {*terms_of(find("bar2_plane")), "thermal_load", "jacobian"}
    assert data["further_terms"] == ["thermal_geometric", "points", "point_stress",
                                     "thermal_point_stress"]  # fmt: skip
    for wrong in ("mass", []):
        with pytest.raises(InputError, match="expected a list of names, or 'all'"):
            generate("bar2_plane", tmp_path / "x", terms=wrong)


@pytest.mark.slow
def test_same_bytes_under_any_hash_seed(tmp_path: Path) -> None:
    """Two processes write the same bytes for every interface; no path gets into a file."""
    program = (
        "import sys\n"
        "from flexforge.cli import main\n"
        f"for abi in {tuple(INTERFACES)}:\n"
        "    assert main(['generate', 'tri3', '--abi', abi, '-o', sys.argv[1] + abi]) == 0\n"
    )
    trees = []
    for seed in ("1", "4242"):
        command = [sys.executable, "-c", program, str(tmp_path / seed)]
        subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": seed}, check=True)
        trees.append({abi: _tree(tmp_path / f"{seed}{abi}") for abi in INTERFACES})
    assert trees[0] == trees[1]
    assert len(trees[0]["flexforge"]) == 7
    root = str(Path(__file__).resolve().parents[2]).encode()
    for text in (text for tree in trees[0].values() for text in tree.values()):
        assert str(tmp_path).encode() not in text
        assert root not in text


@needs_compiler
@pytest.mark.parametrize(("name", "scalar"), KINDS)
def test_c_compiles_alone_and_strictly(name: str, scalar: str, tmp_path: Path) -> None:
    """All terms, one lane and batch, pass a C99 compiler that takes every warning for an error."""
    generate(element(name), tmp_path / "k", terms="all", scalar=scalar, prefix="k")
    for source in ("k_kernels.c", "k_table.c"):
        _compile(tmp_path / "k", "cc", "-std=c99", *STRICT, "-c", source, "-o", f"{source}.o")


@needs_compiler
def test_one_lane_is_plain_c(tmp_path: Path) -> None:
    """Kernels of one element use no extension of the compiler."""
    generate(
        element("tri6"), tmp_path / "k", lanes=[1], prefix="k", terms=["stiffness", "geometric"]
    )
    text = (tmp_path / "k" / "k_kernels.c").read_text()
    assert "FLEXFORGE_VECTOR" not in text
    assert "__" not in text.replace("__cplusplus", "")


#: First entry of the stiffness of the reference tet4, all slopes -1: V (lambda + 2 mu + mu + mu)
#: with V = 1/6, for the values of the README: E = 2e11 Pa, nu = 0.3.
FIRST = (2e11 * 0.3 / (1.3 * 0.4) + 4 * 2e11 / 2.6) / 6


@needs_compiler
def test_example_of_the_readme_runs(tmp_path: Path) -> None:
    """The C program in the README compiles strictly and prints the entry it says."""
    folder = tmp_path / "k"
    generate(element("tet4"), folder, terms=["stiffness", "mass"], prefix="tet")
    readme = (folder / "README.md").read_text()
    example = re.search(r"```c\n(.*?)```", readme, re.S)
    assert example is not None
    (folder / "main.c").write_text(example[1])
    _compile(folder, "cc", "-std=c99", *STRICT, "main.c", "tet_kernels.c", "tet_table.c", "-o", "m")
    out = subprocess.run([folder / "m"], capture_output=True, text=True, check=True).stdout
    assert float(out) == pytest.approx(FIRST, rel=1e-5)


@pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")
@pytest.mark.parametrize(("compiler", "standard"), [("cc", "c99"), slow("c++", "c++17")])
def test_cplusplus_example_of_the_readme_runs(tmp_path: Path, compiler: str, standard: str) -> None:
    """Its functions call kernels compiled as C or as C++; a name that C++ reserves gets a bar."""
    folder = tmp_path / "k"
    generate("tet4", folder, terms=["stiffness", "geometric", "motion_action"], prefix="template")
    readme = (folder / "README.md").read_text()
    example = re.search(r"```cpp\n(.*?)```", readme, re.S)
    assert example is not None and "template_::stiffness(" in example[1]
    (folder / "main.cpp").write_text(example[1])
    kind = ["-x", "c++"] if compiler == "c++" else []
    for name in ("template_kernels", "template_table"):
        _compile(folder, compiler, f"-std={standard}", *kind, "-c", f"{name}.c", "-o", f"{name}.o")
    objects = ("template_kernels.o", "template_table.o")
    _compile(folder, "c++", "-std=c++17", *STRICT, "main.cpp", *objects, "-o", "m")
    out = subprocess.run([folder / "m"], capture_output=True, text=True, check=True).stdout
    assert float(out) == pytest.approx(FIRST, rel=1e-5)  # as in C


@pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")
def test_cplusplus_takes_the_header_and_the_source(tmp_path: Path) -> None:
    """C++ can include the header and link C kernels, or compile them itself."""
    folder = tmp_path / "k"
    generate(element("tri3"), folder, terms=["mass", "stress"], prefix="k")
    (folder / "main.cpp").write_text(
        '#include "k_kernels.h"\n'
        "int main() { int n = 0; return k_kernels(&n)[0]->abi == FLEXFORGE_ABI && n == 5 ? 0 : 1; }"
    )
    for source in ("k_kernels.c", "k_table.c"):
        _compile(folder, "cc", "-std=c99", "-c", source)
    _compile(folder, "c++", *STRICT, "main.cpp", "k_kernels.o", "k_table.o", "-o", "m")
    subprocess.run([folder / "m"], check=True)
    _compile(folder, "c++", "-Wall", "-Wextra", "-Werror", "-x", "c++", "-c", "k_kernels.c")
    (folder / "elements.cpp").write_text('#include "flexforge_elements.h"\n')
    _compile(folder, "c++", *STRICT, f"-I{INCLUDE}", "-c", "elements.cpp")


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="no gfortran")
def test_the_fortran_program_of_the_documentation_runs(tmp_path: Path) -> None:
    """A Fortran program calls a kernel: the mass of a unit cube is its density, 7800 kg/m^3."""
    page = Path(__file__).resolve().parents[2] / "docs" / "kernels.md"
    program = re.search(r"```fortran\n(.*?)```", page.read_text(), re.S)
    assert program is not None
    (tmp_path / "bricks.f90").write_text(program[1])
    generate(element("hex8"), tmp_path / "hex8", terms=["mass"])
    _compile(tmp_path, "cc", "-std=c99", "-c", "hex8/hex8_kernels.c")
    warnings = ("-std=f2008", "-Wall", "-Wextra", "-Werror")
    _compile(tmp_path, "gfortran", *warnings, "bricks.f90", "hex8_kernels.o", "-o", "bricks")
    done = subprocess.run([tmp_path / "bricks"], capture_output=True, text=True, check=True)
    assert done.stdout == "mass 7800.000000 kg\n"


@pytest.mark.slow
def test_float_kernels_hold_no_double(tmp_path: Path) -> None:
    """In float32 no double and no number without its suffix occurs, so nothing is widened."""
    generate(element("hex8"), tmp_path / "k", terms="all", scalar="float", prefix="k")
    for name in ("k_kernels.c", "k_table.c"):
        text = re.sub(r'/\*.*?\*/|"[^"\n]*"', "", (tmp_path / "k" / name).read_text(), flags=re.S)
        assert "double" not in text
        numbers = re.findall(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?\w*", text)
        assert all(number.endswith("f") for number in numbers), numbers[:5]
        assert numbers or name == "k_table.c"
        assert not re.search(r"\b(sqrt|fabs|pow)\(", text)


def test_other_peoples_files_are_safe(flexforge, tmp_path: Path) -> None:
    """A folder with other files is refused unless forced; what was generated is replaced."""
    folder = tmp_path / "out"
    assert flexforge("generate", "tri3", "-o", folder, "--terms", "mass").code == 0
    assert flexforge("generate", "tri3", "-o", folder, "--terms", "mass", "--name", "t").code == 0
    assert not (folder / "tri3_plane_stress_kernels.c").exists(), "a stale file is left"
    inner = folder / "inner"
    assert flexforge("generate", "tri3", "-o", inner, "--terms", "mass", "--name", "own").code == 0
    assert flexforge("generate", "tri3", "-o", folder, "--terms", "mass").code == 0
    assert not (folder / "t_kernels.c").exists(), "a stale file is left"
    assert (inner / "own_kernels.c").exists(), "another generation is gone"
    shutil.rmtree(inner)
    (folder / "thesis.txt").write_text("years of work")
    before = _tree(folder)
    said = flexforge("generate", "tet4", "-o", folder, "--terms", "mass")
    assert said.code == 2
    assert "found 'thesis.txt'" in said.error
    assert _tree(folder) == before
    assert flexforge("generate", "tri3", "-o", folder, "--terms", "stress", "--overwrite").code == 0
    assert (folder / "thesis.txt").read_text() == "years of work"
    renamed = ("--terms", "mass", "--name", "t", "--overwrite")
    assert flexforge("generate", "tri3", "-o", folder, *renamed).code == 0
    assert (folder / "tri3_plane_stress_kernels.c").exists(), "removed though forced"


def test_wrong_requests_write_nothing(flexforge, tmp_path: Path) -> None:
    """Unknown term, type, lanes or name: one line, exit code 2, and no folder."""
    folder = tmp_path / "out"
    for arguments, words in (
        (("--terms", "mas"), "did you mean 'mass'"),
        (("--terms", ","), "expected names"),
        (("--lanes", "3"), "expected 1, 2, 4, 8 or 16"),
        (("--lanes", "x"), "found 'x'"),
        (("--scalar", "half"), "expected double or float"),
        (("--formalism", "kain"), "did you mean 'kane'"),
        (("--name", "../x"), "not a valid identifier"),
    ):
        said = flexforge("generate", "tri3", "-o", folder, *arguments)
        assert said.code == 2
        assert words in said.error
        assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written(flexforge, tmp_path: Path) -> None:
    """A file in the way, or a full disk half way: one line, exit code 2, nothing half-written."""
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "out"):
        said = flexforge("generate", "tri3", "-o", folder, "--terms", "mass")
        assert said.code == 2
        assert "cannot write" in said.error or "holds" in said.error


def test_a_full_disk_leaves_nothing(
    flexforge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the disk is full after the third file, no folder appears."""
    written: list[str] = []
    true_write = Path.write_bytes

    def write(self: Path, content: bytes) -> int:
        if len(written) == 3:
            raise OSError(28, "No space left on device", str(self))
        written.append(self.name)
        return true_write(self, content)

    monkeypatch.setattr(Path, "write_bytes", write)
    said = flexforge("generate", "tri3", "-o", tmp_path / "out", "--terms", "mass")
    assert said.code == 2
    assert "No space left on device" in said.error
    assert list(tmp_path.iterdir()) == []


def test_explain_counts_after_every_pass(
    flexforge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Operations never grow from pass to pass, the last are the kernel's; nothing is written."""
    monkeypatch.chdir(tmp_path)
    stages = flexforge("generate", "quad4", "--explain", "--terms", "stiffness", "--json").json
    assert [s["after"] for s in stages] == ["lowered", *PIPELINE]
    operations = [s["operations"] for s in stages]
    assert operations == sorted(operations, reverse=True)
    assert operations[-1] == compile_kernel(element("quad4"), "stiffness").count.operations
    text = flexforge("generate", "quad4", "--explain", "--terms", "stiffness,mass").out
    assert text.count("lowered") == 2
    assert not list(Path().iterdir())


def test_explain_says_what_was_decided(flexforge) -> None:
    """The mass of a straight tetrahedron is summed while compiling; that of hex20 is not."""

    def decisions(name: str, term: str) -> dict[str, str]:
        stages = flexforge("generate", name, "--explain", "--terms", term, "--json").json
        assert stages[0]["decision"] == ""
        return {s["after"]: s["decision"] for s in stages[1:]}

    affine = decisions("tet4", "scalar_mass")
    assert (affine["uniform"], affine["moments"], affine["unroll"]) == ("changed",) * 3
    assert decisions("hex20", "scalar_mass")["moments"] == "does not pay"
    # Written out, hex27's stiffness would save less than what that costs a processor.
    assert decisions("hex27", "stiffness")["unroll"] == "does not pay"


def test_generate_needs_a_folder(flexforge) -> None:
    """Without a folder there is nothing to write to: one line says so."""
    said = flexforge("generate", "tet4")
    assert said.code == 2
    assert "-o FOLDER is missing" in said.error


@needs_compiler
@pytest.mark.parametrize("prefix", ["double", "NODES"])
def test_any_name_makes_identifiers(prefix: str, tmp_path: Path) -> None:
    """Words of C and names that the files use themselves become parts of longer names."""
    for abi, terms in (("flexforge", ["mass"]), ("ufcx", ["mass"]), ("uel", None)):
        folder = tmp_path / abi
        generate(element("tri3"), folder, terms=terms, prefix=prefix, abi=abi, lanes=[1])
        for source in (p.name for p in sorted(folder.glob("*.c")) if p.name != "driver.c"):
            _compile(folder, "cc", "-std=c99", *STRICT, "-c", source, "-o", f"{source}.o")


@pytest.mark.slow
def test_parameters_may_have_any_name(tmp_path: Path) -> None:
    """A law whose constants are called as words of C or Cython, or as arguments, still compiles."""
    pytest.importorskip("Cython")
    file = Path(__file__).resolve().parents[2] / "examples" / "elements" / "membrane.toml"
    text = file.read_text()
    for name, word in (("E1", "int"), ("G12", "restrict"), ("nu12", "out"), ("E2", "cdef")):
        text = text.replace(name, word)
    (tmp_path / "sheet.toml").write_text(text)
    folder = tmp_path / "sheet"
    generate(load_element(tmp_path / "sheet.toml"), folder, terms=["stiffness"], prefix="sheet")
    assert (
        "def stiffness(coordinates, int_=None, cdef_=None, out_=None, restrict_=None, "
        "thickness=None, out=None, check=True):" in (folder / "sheet.pyx").read_text()
    )
    _compile(folder, sys.executable, "-m", "cython", "sheet.pyx")
    _compile(folder, "cc", "-std=c99", *STRICT, "-c", "sheet_kernels.c")
    if shutil.which("c++") is not None:
        (folder / "main.cpp").write_text('#include "sheet.hpp"\n')
        _compile(folder, "c++", "-std=c++17", *STRICT, "-c", "main.cpp")


def test_words_of_python_name_no_module(flexforge, tmp_path: Path) -> None:
    """``--name class`` would write class.pyx, which no program could import."""
    said = flexforge("generate", "tri3", "-o", tmp_path / "out", "--name", "class")
    assert said.code == 2
    assert "name 'class' is a Python keyword" in said.error
    said = flexforge("generate", "tri3", "-o", tmp_path / "out", "--abi", "ufc")
    assert said.code == 2
    assert "did you mean 'ufcx'" in said.error


OWN = """
name = "sheet4"
cell = "quadrilateral"
nodes = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
monomials = ["1", "xi", "eta", "xi*eta"]
components = 2
strain = ["ux_x", "uy_y", "ux_y + uy_x"]
section = "thickness"
degree = { stiffness = 3, mass = 3 }
units = { E1 = "Pa", nu12 = "1" }

[law]
parameters = ["E1", "E2", "nu12", "G12"]
matrix = [["E1/(1 - nu12**2*E2/E1)", "nu12*E2/(1 - nu12**2*E2/E1)", "0"],
          ["nu12*E2/(1 - nu12**2*E2/E1)", "E2/(1 - nu12**2*E2/E1)", "0"],
          ["0", "0", "G12"]]
"""


def test_units_of_own_parameters_are_those_of_the_declaration(tmp_path: Path) -> None:
    """README, C and Python say them; where none are stated, they say that and claim none."""
    (tmp_path / "own.toml").write_text(OWN)
    generate(tmp_path / "own.toml", tmp_path / "k", terms=["stiffness"], lanes=[1], prefix="sheet")
    text = {path.name: path.read_text() for path in (tmp_path / "k").iterdir()}
    assert "| E1 [Pa], E2, nu12 [1], G12, thickness [m] |" in text["README.md"]
    assert "states no units of E2, G12" in text["README.md"]
    assert "1e9, /* E1 [Pa] */" in text["README.md"] and "0.3, /* nu12 [1] */" in text["README.md"]
    assert "E1=1e9, E2=1e9, nu12=0.3, G12=3e8" in text["README.md"], "a law that stores energy"
    assert '{"Pa", "", "1", "", "m"}' in text["sheet_kernels.c"]
    assert "E2 : float\n        In the units of the declaration." in text["sheet.pyx"]


def test_rows_of_beams_are_explained(tmp_path: Path) -> None:
    """README and header: which rows have a position, and which rotation counts in the plane."""
    beam = find("timoshenko_beam_plane")
    generate(beam, tmp_path / "k", terms=["stiffness"], lanes=[1], prefix="beam")
    for file in ("README.md", "beam.hpp"):
        text = (tmp_path / "k" / file).read_text()
        assert "position of a node is read from its first vector" in text
        assert "the second has no effect" in text
    assert not beam.flat and "not checked" not in text
