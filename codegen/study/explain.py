# SPDX-License-Identifier: BSD-3-Clause
"""Effect of every pass on a kernel, in counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from inspect import unwrap

from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.elements.terms import chosen_terms, known_terms
from flexforge.codegen.ir.count import Count, count
from flexforge.codegen.ir.program import Program
from flexforge.codegen.passes import PIPELINE


@dataclass(frozen=True, slots=True)
class Stage:
    """A kernel after one pass.

    Attributes
    ----------
    term, name : str
        The kernel, and the pass; ``lowered`` is the kernel before all passes.
    count : Count
        Cost per element after the pass.
    decision : str
        Effect of the pass: ``changed``, ``nothing to do``, or ``does not pay`` if its change was
        tried and dropped, because the finished kernel would have cost more.
    """

    term: str
    name: str
    count: Count
    decision: str

    def as_dict(self) -> dict[str, object]:
        """Return the stage as plain data."""
        said = {"term": self.term, "after": self.name, "decision": self.decision}
        return said | {"operations": self.count.operations} | asdict(self.count)


def explain(
    element: AnyElement,
    terms: Sequence[str] | str | None = None,
    *,
    formalism: str = "lagrange",
    scalar: str = "double",
) -> list[Stage]:
    """Compile kernels and return their cost after every pass.

    Parameters
    ----------
    element : Element
        The declaration.
    terms : sequence of str, optional
        As in :func:`flexforge.codegen.output.generate.generate`.
    formalism, scalar : str
        As in :func:`flexforge.codegen.driver.compile_kernel`.

    Raises
    ------
    InputError
        For an unknown term, formalism or type.
    """
    size = 4 if scalar == "float" else 8
    stages: list[Stage] = []
    for term in chosen_terms(known_terms(element).by_all, terms):
        before: list[Program] = []

        def note(
            name: str, program: Program, term: str = term, before: list[Program] = before
        ) -> None:
            decision = _decision(name, before[-1], program) if before else ""
            stages.append(Stage(term, name, count(program, size), decision))
            before.append(program)

        compile_kernel(element, term, formalism=formalism, scalar=scalar, dump=note)
    return stages


def _decision(name: str, before: Program, after: Program) -> str:
    """Return the effect of a pass, or that its change did not pay."""
    if after != before:
        return "changed"
    anyway = unwrap(PIPELINE[name])(before)
    return "nothing to do" if anyway == before else "does not pay"
