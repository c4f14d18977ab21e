# SPDX-License-Identifier: BSD-3-Clause
"""flexforge: from analytical mechanics to native C.

Read in this order: this file (every public name and its module), ``cli`` (the command line) and
``commands`` (one file per command), ``notebook`` (what notebooks show). Names are imported when
they are first used, so that ``import flexforge`` loads neither SymPy nor SciPy.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from flexforge.codegen.version import VERSION as __version__

if TYPE_CHECKING:
    from flexforge.codegen.driver import compile_kernel as compile
    from flexforge.codegen.elements.catalogue import find as element
    from flexforge.codegen.elements.hyperelastic import hyperelastic
    from flexforge.codegen.elements.library import standard_elements as elements
    from flexforge.codegen.errors import AnalysisError, FlexforgeError, FlexforgeWarning, InputError
    from flexforge.codegen.jit.build import build
    from flexforge.codegen.locations import get_cmake_dir, get_include
    from flexforge.codegen.mechanics.derivation import derive
    from flexforge.codegen.mechanics.formalisms import register_formalism
    from flexforge.codegen.output.generate import generate
    from flexforge.codegen.output.sources import kernel_sources
    from flexforge.codegen.study.latex.display import to_latex
    from flexforge.codegen.study.ledgers import ledgers
    from flexforge.model import Model, export, load_model
    from flexforge.runtime.assembly.kernels import kernels_of
    from flexforge.runtime.assembly.sparse import assemble
    from flexforge.runtime.mesh.for_element import mesh_for_element
    from flexforge.runtime.mesh.from_arrays import mesh_from_arrays
    from flexforge.runtime.mesh.from_meshio import mesh_from_meshio
    from flexforge.runtime.mesh.mesh import Mesh
    from flexforge.runtime.mesh.read import read_mesh
    from flexforge.runtime.mesh.write import write_mesh
    from flexforge.runtime.results.read import Results
    from flexforge.runtime.results.report import write_report
    from flexforge.system import System, load_system

__all__ = [
    "AnalysisError",
    "FlexforgeError",
    "FlexforgeWarning",
    "InputError",
    "Mesh",
    "Model",
    "Results",
    "System",
    "__version__",
    "assemble",
    "build",
    "compile",
    "derive",
    "element",
    "elements",
    "export",
    "generate",
    "get_cmake_dir",
    "get_include",
    "hyperelastic",
    "kernel_sources",
    "kernels_of",
    "ledgers",
    "load_model",
    "load_system",
    "mesh_for_element",
    "mesh_from_arrays",
    "mesh_from_meshio",
    "read_mesh",
    "register_formalism",
    "to_latex",
    "write_mesh",
    "write_report",
]

_HOME = {
    "AnalysisError": "codegen.errors",
    "FlexforgeError": "codegen.errors",
    "FlexforgeWarning": "codegen.errors",
    "InputError": "codegen.errors",
    "Mesh": "runtime.mesh.mesh",
    "Model": "model",
    "Results": "runtime.results.read",
    "System": "system",
    "assemble": "runtime.assembly.sparse",
    "build": "codegen.jit.build",
    "compile": "codegen.driver",
    "derive": "codegen.mechanics.derivation",
    "element": "codegen.elements.catalogue",
    "elements": "codegen.elements.library",
    "export": "model",
    "generate": "codegen.output.generate",
    "get_cmake_dir": "codegen.locations",
    "get_include": "codegen.locations",
    "hyperelastic": "codegen.elements.hyperelastic",
    "kernel_sources": "codegen.output.sources",
    "kernels_of": "runtime.assembly.kernels",
    "ledgers": "codegen.study.ledgers",
    "load_model": "model",
    "load_system": "system",
    "mesh_for_element": "runtime.mesh.for_element",
    "mesh_from_arrays": "runtime.mesh.from_arrays",
    "mesh_from_meshio": "runtime.mesh.from_meshio",
    "read_mesh": "runtime.mesh.read",
    "register_formalism": "codegen.mechanics.formalisms",
    "to_latex": "codegen.study.latex.display",
    "write_mesh": "runtime.mesh.write",
    "write_report": "runtime.results.report",
}
_ALIAS = {"element": "find", "elements": "standard_elements", "compile": "compile_kernel"}


def __getattr__(name: str) -> object:
    """Import a public name on first use (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module 'flexforge' has no attribute '{name}'")
    value: object = getattr(import_module(f"flexforge.{_HOME[name]}"), _ALIAS.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(ipython: Any) -> None:
    """Let a session of IPython that began later show objects: ``%load_ext flexforge``."""
    from flexforge.notebook import register

    register(ipython)


if "IPython" in sys.modules:  # a notebook, or a shell of IPython, imports flexforge
    load_ipython_extension(None)
