# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import flexforge
import pytest
from marks import slow

HEAVY = (
    "IPython",
    "pandas",
    "sympy",
    "scipy",
    "plotly",
    "pyvista",
    "meshio",
    "h5py",
    "numpy",
    "pydantic",
    "jinja2",
)


def _loaded(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_import_loads_nothing_heavy() -> None:
    """Importing flexforge, and its command line, loads no library that takes time."""
    loaded = _loaded("import flexforge, flexforge.cli")
    assert "flexforge.cli" in loaded
    assert not loaded & set(HEAVY)


def test_loading_a_model_needs_no_sympy() -> None:
    """SymPy is for derivations: the whole runtime can be imported without it."""
    loaded = _loaded("import flexforge, flexforge.runtime.run\nflexforge.Model, flexforge.Results")
    assert "flexforge.runtime.run" in loaded
    assert "sympy" not in loaded


@pytest.mark.parametrize("analysis", ["static", slow("modes")])
def test_a_run_of_a_library_element_needs_no_sympy(analysis: str, beam: Path) -> None:
    """Its kernels are in the installation: no run waits a second for SymPy."""
    beam.write_text(beam.read_text().replace('"static"', f'"{analysis}"'))
    loaded = _loaded(f"from flexforge.cli import main\nassert main(['run', {str(beam)!r}]) == 0")
    assert "flexforge.runtime.system.plausible" in loaded
    assert "sympy" not in loaded


def test_every_public_name_is_there() -> None:
    """Names of ``__all__`` can be used, are listed by ``dir``, and come from where they should."""
    for name in flexforge.__all__:
        assert getattr(flexforge, name) is not None
        assert name in dir(flexforge)
    assert {*flexforge._HOME, "__version__"} == set(flexforge.__all__)
    assert flexforge.element("tet10").name == "tet10"
    assert issubclass(flexforge.InputError, flexforge.FlexforgeError)


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A lazy module answers like any other for a name it does not have."""
    with pytest.raises(AttributeError, match="has no attribute 'elemnt'"):
        flexforge.elemnt  # noqa: B018
