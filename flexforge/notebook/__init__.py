# SPDX-License-Identifier: BSD-3-Clause
"""What notebooks show of the objects of flexforge: formulas, tables.

``register`` gives IPython the functions of ``compiler`` (equations, terms, elements, kernels) and
``models`` (models, outcomes, results), by the names of the types: nothing is imported before such
an object is shown. The classes themselves do not know how they look, because formulas are printed
by ``codegen.study``, which the compiler does not import.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

#: MIME type, function and its module here, by the type that it shows and that type's module.
SHOWN = {
    ("codegen.mechanics.equations", "ElementEquations"): ("text/latex", "compiler", "equations"),
    ("codegen.mechanics.equations", "Term"): ("text/latex", "compiler", "term"),
    ("codegen.elements.declaration", "Element"): ("text/markdown", "compiler", "element"),
    ("codegen.elements.field", "FieldElement"): ("text/markdown", "compiler", "element"),
    ("codegen.mechanics.ledger", "Ledger"): ("text/html", "compiler", "ledger"),
    ("codegen.driver", "Kernel"): ("text/html", "compiler", "kernel"),
    ("runtime.assembly.calls", "CompiledKernel"): ("text/html", "compiler", "compiled_kernel"),
    ("model", "Model"): ("text/html", "models", "model"),
    ("runtime.outcome", "Outcome"): ("text/html", "models", "outcome"),
    ("runtime.results.read", "Results"): ("text/html", "models", "results"),
}


def register(ipython: Any = None) -> None:
    """Let IPython show objects of flexforge; without IPython, do nothing.

    Parameters
    ----------
    ipython : InteractiveShell, optional
        The shell; by default the one that runs.
    """
    if ipython is None and "IPython" in sys.modules:
        ipython = sys.modules["IPython"].get_ipython()
    if ipython is None:
        return
    for (module, name), (mime, place, function) in SHOWN.items():
        formatter = ipython.display_formatter.formatters[mime]
        formatter.for_type_by_name(f"flexforge.{module}", name, _late(place, function))


def _late(place: str, function: str) -> Callable[[Any], str]:
    """Return a function of a module here that is imported when it is first called."""

    def show(value: Any) -> str:
        text: str = getattr(import_module(f"{__name__}.{place}"), function)(value)
        return text

    return show
