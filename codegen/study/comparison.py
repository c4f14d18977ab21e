# SPDX-License-Identifier: BSD-3-Clause
"""Comparison of the formalisms by exact counts: cost of derivations, cost of equations."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.terms import LOADS, MATRICES
from flexforge.codegen.ir.count import Count, count
from flexforge.codegen.ir.program import Program
from flexforge.codegen.mechanics.equations import collect
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.mechanics.formalisms.motion import FirstOrder
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.study.as_written import Natural, natural_programs, write_equations


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a kernel per element: operations, bytes of arguments and stack, names."""

    operations: int
    bytes_moved: int
    stack: int
    temporaries: int


@dataclass(frozen=True, slots=True)
class FormalismCount:
    """Cost of a formalism for one element with all coordinates written out.

    Attributes
    ----------
    equations, order : int
        Number of its equations, and their order.
    partial_derivatives, total_derivatives : dict
        Scalar differentiations by family.
    products, sums : dict
        Scalar operations by the quantity built; ``collect`` expands the result.
    largest_expression : int
        Operations of the largest expression.
    kernels : dict
        Cost of the equations as the formalism writes them, by stage of
        :func:`flexforge.codegen.study.as_written.natural_programs`.
    """

    equations: int
    order: int
    partial_derivatives: dict[str, int]
    total_derivatives: dict[str, int]
    products: dict[str, int]
    sums: dict[str, int]
    largest_expression: int
    kernels: dict[str, Cost]

    @property
    def differentiations(self) -> int:
        """All scalar differentiations."""
        return sum(self.partial_derivatives.values()) + sum(self.total_derivatives.values())

    @property
    def collecting(self) -> int:
        """Products and sums that multiply the equations out and sort them by term."""
        return self.products.get("collect", 0) + self.sums.get("collect", 0)

    @property
    def algebra(self) -> int:
        """All products and sums."""
        return sum(self.products.values()) + sum(self.sums.values())


@dataclass(frozen=True, slots=True)
class Comparison:
    """All formalisms on one element.

    Attributes
    ----------
    element, frame : str
        Names.
    coordinates : int
        Nodal coordinates.
    formalisms : dict
        Counts by formalism.
    canonical : dict
        Cost of the common matrices and load vectors, by term.
    """

    element: str
    frame: str
    coordinates: int
    formalisms: dict[str, FormalismCount]
    canonical: dict[str, Cost]

    def as_dict(self) -> dict[str, object]:
        """Return the comparison as plain data."""
        return asdict(self)


def compare_formalisms(element: Element) -> Comparison:
    """Derive an element by every formalism and count.

    Parameters
    ----------
    element : Element
        The declaration.
    """
    formalisms = {}
    for name in FORMALISMS:
        natural = write_equations(element, name)
        formalisms[name] = count_formalism(natural, natural_programs(natural))
    return comparison(element, formalisms)


def comparison(element: Element, formalisms: dict[str, FormalismCount]) -> Comparison:
    """Combine the counts of formalisms with those of their common matrices."""
    canonical = {term: compile_kernel(element, term).count for term in (*MATRICES, *LOADS)}
    return Comparison(
        element.name,
        "planar" if element.components == 2 else "spatial",
        element.size,
        formalisms,
        {term: _cost(kernel_count) for term, kernel_count in canonical.items()},
    )


def count_formalism(natural: Natural, programs: dict[str, Program]) -> FormalismCount:
    """Count the cost of a formalism and of its equations.

    Parameters
    ----------
    natural : Natural
        The equations as written; their expansion is counted here.
    programs : dict
        Their programs by stage.
    """
    element, point, ledger = natural.element, natural.point, natural.ledger
    first_order = isinstance(natural.motion, FirstOrder)
    collect(
        element.name, "a formalism", point, natural.motion.second_order(point, Ledger()), ledger
    )
    counts = ledger.counts()
    return FormalismCount(
        equations=element.size * (2 if first_order else 1),
        order=1 if first_order else 2,
        partial_derivatives=counts["partial derivatives"],
        total_derivatives=counts["total time derivatives"],
        products=counts["products"],
        sums=counts["sums"],
        largest_expression=ledger.largest,
        kernels={stage: _cost(count(program)) for stage, program in programs.items()},
    )


def _cost(found: Count) -> Cost:
    return Cost(found.operations, found.bytes_moved, found.stack, found.temporaries)
