# SPDX-License-Identifier: BSD-3-Clause
"""All checks of one element, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from flexforge.codegen.elements.declaration import Element, require_body
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.study.verification.agreement import conforming, formalisms_agree
from flexforge.codegen.study.verification.elastic import elastic
from flexforge.codegen.study.verification.findings import Finding
from flexforge.codegen.study.verification.inertia import inertia
from flexforge.codegen.study.verification.integration import inexact
from flexforge.codegen.study.verification.trial import Trial


def verify(element: AnyElement, values: Mapping[str, float] | None = None) -> Iterator[Finding]:
    """Yield the result of every check.

    Parameters
    ----------
    element : Element or FieldElement
        The declaration.
    values : mapping, optional
        Scalar arguments by name; plausible ones are chosen for the others.

    Raises
    ------
    InputError
        For a facet, which carries only a pressure: there are no equations to check.
    """
    if isinstance(element, Element):
        require_body(element)
    trial = Trial(element, values)
    if isinstance(element, Element):
        yield from conforming(element)
    yield from inertia(trial)
    yield from elastic(trial)
    yield formalisms_agree(element)


def quadrature_notes(element: AnyElement, values: Mapping[str, float] | None = None) -> list[str]:
    """Return where the quadrature of an element is not exact, though it is straight.

    Parameters
    ----------
    element : Element or FieldElement
        The declaration.
    values : mapping, optional
        Scalar arguments, as in :func:`verify`.
    """
    return inexact(Trial(element, values))
