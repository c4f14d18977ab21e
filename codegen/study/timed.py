# SPDX-License-Identifier: BSD-3-Clause
"""Derivations whose times can be compared: none profits from what another left in SymPy."""

from __future__ import annotations

import gc
from dataclasses import replace
from functools import cache

from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.elements.library import element as library_element
from flexforge.codegen.mechanics.derivation import derive, is_kept
from flexforge.codegen.mechanics.equations import ElementEquations
from flexforge.codegen.mechanics.frames import Frame


def derive_timed(
    element: AnyElement,
    frame: Frame | str | None = None,
    formalism: str = "lagrange",
    *,
    unrolled: bool = False,
    initial_stress: bool = True,
) -> ElementEquations:
    """Derive an element, beginning with SymPy loaded and its cache of results empty.

    A pair of nodes that was derived before in this process is not derived again; its time is that
    of then, and SymPy keeps its results.

    Parameters
    ----------
    element, frame, formalism, unrolled, initial_stress
        As of :func:`flexforge.derive`.
    """
    if unrolled or not is_kept(element, frame, formalism, initial_stress=initial_stress):
        _begin_anew()
    return derive(element, frame, formalism, unrolled=unrolled, initial_stress=initial_stress)


def _begin_anew() -> None:
    """Load SymPy, and empty its cache."""
    from sympy.core.cache import clear_cache

    _warm_up()
    clear_cache()
    gc.collect()


@cache
def _warm_up() -> None:
    """Derive something small, which loads the parts of SymPy that derivations use."""
    triangle = library_element("tri3")
    law = replace(triangle.constitutive, name="warm_up")  # no derivation that anyone asks for
    derive(replace(triangle, constitutive=law))
