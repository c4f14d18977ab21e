# SPDX-License-Identifier: BSD-3-Clause
"""Counts of derivations as a table of a paper: booktabs, a caption, counting rules as its notes."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase
from typing import TYPE_CHECKING

from flexforge.codegen.ir.count import RULES as KERNEL_RULES
from flexforge.codegen.mechanics.formalisms import text as formalism_text
from flexforge.codegen.mechanics.ledger import COLLECTING, RULES, TOTAL
from flexforge.codegen.study.latex.document import escape
from flexforge.codegen.study.latex.formulas import KINDS
from flexforge.templates import render

if TYPE_CHECKING:
    from flexforge.codegen.study.ledger_row import LedgerRow

#: Columns of counts under their common headings, in the order of the table.
_GROUPS = (
    ("derivatives", ("partial derivatives", "total time derivatives")),
    ("operations", ("products", "sums")),
)
_SHORT = {"partial derivatives": "partial", "total time derivatives": "total"}
_LARGEST, _COLLECTING = "largest expression", "of these collecting"


def ledger_table(
    rows: Sequence[LedgerRow],
    statements: Sequence[str],
    caption: str | None,
    label: str,
    *,
    of_systems: bool = False,
) -> str:
    """Return the table.

    Parameters
    ----------
    rows : sequence of LedgerRow
        The counts, element by element.
    statements : sequence of str
        What was derived, for the notes.
    caption : str, optional
        In LaTeX; by default what is counted, and of which elements.
    label : str
        Name for references.
    of_systems : bool
        Whether the rows are those of discrete systems.
    """
    kinds = [kind for _, group in _GROUPS for kind in group]
    terms = list(rows[0].kernels)
    rules = [RULES[kind] for kind in kinds] + [COLLECTING, TOTAL, RULES[_LARGEST]]
    heads = [_SHORT.get(kind, KINDS[kind]) for kind in kinds] + [_COLLECTING, "all", "largest"]
    marked = [f"{head}$^{{{ascii_lowercase[k]}}}$" for k, head in enumerate(heads)]
    notes = [f"$^{{{ascii_lowercase[k]}}}$ {escape(rule)}." for k, rule in enumerate(rules)]
    if terms:
        letter = ascii_lowercase[len(rules)]
        notes.append(f"$^{{{letter}}}$ {escape(KERNEL_RULES['operations'])}.")
        marked += [f"{escape(term.replace('_', ' '))}$^{{{letter}}}$" for term in terms]
    return render(
        "study/ledgers.tex.jinja",
        what="system" if of_systems else "element",
        caption=caption or _caption(rows, of_systems=of_systems),
        label=label,
        columns="ll" + "r" * len(marked),
        kernels=len(terms),
        heads=marked,
        groups=[_block(group, kinds, terms) for group in _by_element(rows)],
        notes=[*map(escape, statements), *notes],
    )


def _caption(rows: Sequence[LedgerRow], *, of_systems: bool) -> str:
    elements = dict.fromkeys(escape(row.element.replace("_", " ")) for row in rows)
    if of_systems:
        return (
            f"Operations on symbols that derive the equations of motion of {', '.join(elements)}, "
            "by formalism."
        )
    return (
        "Operations on symbols that derive the equations of motion of an element in a moving "
        f"frame, by element ({', '.join(elements)}) and formalism."
    )


def _by_element(rows: Sequence[LedgerRow]) -> list[list[LedgerRow]]:
    """Return the rows of each element, in order."""
    groups: dict[str, list[LedgerRow]] = {}
    for row in rows:
        groups.setdefault(row.element, []).append(row)
    return list(groups.values())


def _block(rows: Sequence[LedgerRow], kinds: Sequence[str], terms: Sequence[str]) -> list[str]:
    """Return the lines of one element; its name is in the first of them."""
    lines = []
    for k, row in enumerate(rows):
        method = formalism_text(row.formalism).title.removesuffix(" equations")
        counts = [row.counts[kind] for kind in kinds]
        counts += [row.collecting, row.total, row.counts[_LARGEST]]
        counts += [row.kernels[term] for term in terms]
        name = escape(row.element.replace("_", " ")) if k == 0 else ""
        numbers = (f"{count:,}".replace(",", r"\,") for count in counts)
        lines.append(" & ".join([name, method.removesuffix("'s"), *numbers]))
    return lines
