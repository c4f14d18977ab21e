# SPDX-License-Identifier: BSD-3-Clause
"""From an element and the name of a term to its program, before any pass."""

from __future__ import annotations

from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.lowering import continuum, field_terms
from flexforge.codegen.lowering.lowered import Derivation, Lowered


def lower(element: AnyElement, term: str, formalism: str, unrolled: bool) -> Lowered:
    """Return a term of an element, lowered.

    Parameters
    ----------
    element : Element or FieldElement
        The declaration.
    term : str
        One of its terms.
    formalism : str
        By which the equations are derived.
    unrolled : bool
        Whether all nodal coordinates are written out, instead of a pair of nodes.
    """
    if isinstance(element, FieldElement):
        return field_terms.LOWERINGS[term](Derivation(element, formalism, unrolled))
    return continuum.LOWERINGS[term](Derivation(element, formalism, unrolled))
