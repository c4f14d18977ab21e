# SPDX-License-Identifier: BSD-3-Clause
"""Model files and models built in Python: what is read, and which files are no models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import load_model_file, model_from_dict
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import TransientAnalysis
from flexforge.runtime.model.schema_loads import ForceLoad

Write = Callable[..., Path]
ErrorOf = Callable[[Path], str]


def test_a_model_is_read(write: Write) -> None:
    """Values, defaults and paths relative to the model file arrive in the specification."""
    path = write()
    model = load_model_file(path)
    assert (model.source, model.name, model.span) == (path, "model", 1.0)
    assert model.mesh.file == path.parent / "blade.msh"
    assert model.materials["steel"].damping.alpha == 0.5
    assert model.bodies[0].hypothesis is None
    assert model.supports[0].components == ("x", "y", "z", "rx", "ry", "rz")
    assert isinstance(model.loads[0], ForceLoad)
    assert model.loads[0].total == (0.0, 100.0, 0.0)
    assert isinstance(model.analysis, TransientAnalysis)
    assert (model.analysis.number_of_steps, model.analysis.step_size) == (4, 0.25)
    assert (model.analysis.rho_infinity, model.analysis.beta) == (0.8, None)
    assert model.include.geometric is False
    assert model.output.formats == ("vtu", "csv")


FILES: dict[str, tuple[bytes, str]] = {
    "binary": (bytes(range(256)), "not UTF-8 text; expected a model file in TOML"),
    "nul": (b"\0" * 100, "not valid TOML"),
    "empty": (b"", "analysis: missing"),
    "truncated": (b'[mesh]\nfile = "blade.msh"\nscale = 1e-3\n\n[materials.ste', "not valid TOML"),
    "open string": (b'title = "abc', ":1: not valid TOML: unterminated string"),
    "open array": (b"a = 1\nb = [1,\n2", ":3: not valid TOML: unclosed array"),
    "nested": (b"a = " + b"[" * 100_000, "nested too deeply"),
    "nested and closed": (b"a = " + b"[" * 300 + b"]" * 300, "a: unknown key"),
    "huge": (b"# " + b"x" * (17 * 2**20), "more than 16 MiB"),
    "no toml": (b"<?xml version='1.0'?>", ":1: not valid TOML"),
    "element": (
        b'name = "a"\ncell = "tri"\ncomponents = ["u"]',
        "found an element; expected a model",
    ),
    "gmsh": (b"$MeshFormat\n4.1 0 8\n", ":1: not valid TOML"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_no_models(tmp_path: Path, name: str, error_of: ErrorOf) -> None:
    """Binary, huge, truncated, deeply nested: one line that names the file."""
    path = tmp_path / "model.toml"
    path.write_bytes(FILES[name][0])
    found = error_of(path)
    assert found.startswith(str(path))
    assert FILES[name][1] in found


def test_unreadable_files(tmp_path: Path, error_of: ErrorOf) -> None:
    """A missing file and a folder are named."""
    assert "found no readable file (No such file" in error_of(tmp_path / "gone.toml")
    assert "found no readable file (Is a directory" in error_of(tmp_path)
    assert "found no readable file" in error_of(Path("a\0b"))


def test_windows_line_ends_and_byte_order_mark(write: Write, error_of: ErrorOf) -> None:
    """Files from other systems read the same, and lines count the same."""
    path = write(("density = 7850", "density = -1"))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert f"{path}:10: materials.steel.density" in error_of(path)


def python_model() -> dict[str, object]:
    return {
        "mesh": {
            "block": {
                "cell": "hex8",
                "corners": np.array(
                    [[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
                ),
                "divisions": np.array([2, 2, 2]),
            }
        },
        "materials": {"m": {"young": np.float64(1.0), "poisson": 0, "density": np.int64(2)}},
        "bodies": [{"name": "b", "element": "hex8", "material": "m"}],
        "analysis": {"kind": "modes"},
    }


def test_models_built_in_python(tmp_path: Path) -> None:
    """The same structure from Python, NumPy arrays included, gives the same specification."""
    model = model_from_dict(python_model(), tmp_path)
    assert isinstance(model, ModelSpec)
    assert (model.source, model.name) == (None, "model")
    assert model.mesh.block is not None
    assert model.mesh.block.divisions == (2, 2, 2)
    assert model.materials["m"].density == 2.0


def test_results_in_the_current_folder(tmp_path: Path) -> None:
    """It is a folder like any other; an empty text is none."""
    model = model_from_dict({**python_model(), "output": {"folder": "."}}, tmp_path)
    assert model.output.folder == Path()
    with pytest.raises(
        InputError, match=r"^output.folder: found ''; expected the path of a folder"
    ):
        model_from_dict({**python_model(), "output": {"folder": ""}}, tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bodies": []}, "bodies: found an empty list"),
        ({"bodis": []}, "bodis: unknown key; did you mean 'bodies'?"),
        ({"analysis": {"kind": "modes", "count": np.nan}}, "analysis.count: found nan; expected"),
        ({"mesh": {"file": "x.msh"}}, "mesh.file: found no file"),
        ({"mesh": None}, "mesh: found None; expected a table [mesh]"),
        ({"mesh": {"block": {"cell": "hex8", "corners": [], "divisions": [1]}}}, "found 1 divis"),
        ({"mesh": {"block": {"cell": "hex8", "corners": [], "divisions": [1, 1, 1]}}}, "0 corners"),
        (
            {"mesh": {"block": {"cell": "quad4", "corners": [[0]] * 4, "divisions": [1, 1]}}},
            "[0]: ",
        ),
        (
            {"mesh": {"block": {"cell": "tri3", "corners": [[0, 0]] * 4, "divisions": [1, 1]}}},
            "tri3",
        ),
    ],
)
def test_errors_of_models_built_in_python(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    """Errors name the key path; there is no line."""
    with pytest.raises(InputError) as caught:
        model_from_dict({**python_model(), **change}, tmp_path)
    assert message in str(caught.value)
    assert not str(caught.value).startswith(str(tmp_path))


def test_parameters_of_user_elements(tmp_path: Path) -> None:
    """A user's element has its own parameters and needs no material."""
    (tmp_path / "spring.toml").touch()
    body = {"name": "b", "element": "spring.toml", "parameters": {"kappa": 100.0}}
    model = model_from_dict({**python_model(), "bodies": [body]}, tmp_path)
    assert model.bodies[0].is_user_element
    assert model.bodies[0].element == str(tmp_path / "spring.toml")
    assert model.bodies[0].parameters == {"kappa": 100.0}


def test_a_formalism_may_be_spelt_with_a_hyphen() -> None:
    """A name in capitals, with a hyphen, is the same; another one is corrected."""
    stepping = {"kind": "transient", "duration": 1.0, "steps": 1}
    for given in ("gibbs-appell", "Gibbs-Appell", "GIBBS APPELL"):
        found = TransientAnalysis.model_validate({**stepping, "formalism": given})
        assert found.formalism == "gibbs_appell"
    with pytest.raises(
        InputError, match="analysis.formalism: found 'gibs'; expected .*gibbs_appell"
    ):
        model_from_dict({**python_model(), "analysis": {**stepping, "formalism": "gibs"}})
