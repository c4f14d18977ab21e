# SPDX-License-Identifier: BSD-3-Clause
"""Equations, elements and kernels in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flexforge.codegen.ir.count import RULES as KERNEL_RULES
from flexforge.codegen.mechanics.ledger import RULES as LEDGER_RULES
from flexforge.codegen.study.latex.display import element_markdown, equations_latex, term_latex
from flexforge.codegen.study.tables import Table, tables_html

if TYPE_CHECKING:
    from flexforge.codegen.driver import Kernel
    from flexforge.codegen.elements.field import AnyElement
    from flexforge.codegen.mechanics.equations import ElementEquations, Term
    from flexforge.codegen.mechanics.ledger import Ledger
    from flexforge.runtime.assembly.calls import CompiledKernel

_HEADS = ("count", "number", "what is counted")
_NAMES = {"fused": "fused multiply-adds", "bytes_moved": "bytes moved", "roots": "square roots"}


def equations(value: ElementEquations) -> str:
    """Return the equations of motion, term by term, in LaTeX."""
    return f"$$\n{equations_latex(value)}\n$$"


def term(value: Term) -> str:
    """Return a term with its integrand in LaTeX."""
    return f"$$\n{term_latex(value)}\n$$"


def element(value: AnyElement) -> str:
    """Return a declaration in Markdown."""
    return element_markdown(value)


def ledger(value: Ledger) -> str:
    """Return the counts of a derivation by the quantities that they were spent on."""
    rows = [
        (kind, sum(families.values()), ", ".join(f"{name} {n:,}" for name, n in families.items()))
        for kind, families in value.counts().items()
    ]
    notes = [f"{kind}: {rule}." for kind, rule in LEDGER_RULES.items()]
    return tables_html("", [Table(("count", "number", "of which"), rows)], notes)


def kernel(value: Kernel) -> str:
    """Return the counts of a kernel, each with its rule."""
    rows = [
        (_NAMES.get(name, name), int(getattr(value.count, name)), rule)
        for name, rule in KERNEL_RULES.items()
    ]
    rows.append(("elements per call", value.lanes, f"lanes of type {value.scalar}"))
    return tables_html(repr(value), [Table(_HEADS, rows)])


def compiled_kernel(value: CompiledKernel) -> str:
    """Return the counts of a kernel in memory, as its descriptor states them."""
    rows = [
        ("operations", value.operations, KERNEL_RULES["operations"]),
        ("bytes moved", value.bytes, KERNEL_RULES["bytes_moved"]),
        ("stack", value.stack, "bytes of local arrays on the stack"),
        ("workspace", value.workspace, "bytes of local arrays in memory of the caller"),
        ("elements per call", value.lanes, f"lanes of type {value.scalar}"),
    ]
    notes = [f"Parameters: {', '.join(value.parameters) or 'none'}."]
    return tables_html(repr(value), [Table(_HEADS, rows)], notes)
