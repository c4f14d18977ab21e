# SPDX-License-Identifier: BSD-3-Clause
"""Entry point of lowering: from an element and the name of a term to its program."""

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
        Formalism by which the equations are derived.
    unrolled : bool
        Whether all nodal coordinates are written out, instead of a generic pair of nodes.
    """
    if isinstance(element, FieldElement):
        return field_terms.LOWERINGS[term](Derivation(element, formalism, unrolled))
    return continuum.LOWERINGS[term](Derivation(element, formalism, unrolled))
