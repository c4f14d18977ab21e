# SPDX-License-Identifier: BSD-3-Clause
"""Report of the derivation of a system: equations, cost, agreement; as text and JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flexforge.codegen.mechanics.formalisms import formalism_named
from flexforge.codegen.study.ledger_row import LedgerRow
from flexforge.codegen.study.ledgers import Ledgers
from flexforge.codegen.study.report.report import listed
from flexforge.codegen.systems.declaration import System
from flexforge.codegen.systems.derivation import (
    SystemEquations,
    check_agreement,
    derive_system,
)
from flexforge.codegen.systems.entries import definitions, entries, rates
from flexforge.codegen.systems.lower import system_kernel

EQUATION = "M z' + h = 0"
#: Terms whose kernels are counted.
COUNTED = ("equations", "motion")
_WIDTH = 96


@dataclass(frozen=True)
class SystemReport:
    """Results of a derivation.

    Attributes
    ----------
    equations : tuple of SystemEquations
        By formalism; those of the first are shown.
    agreement : str
        How the formalisms agree; empty for a single one.
    """

    equations: tuple[SystemEquations, ...]
    agreement: str

    @property
    def first(self) -> SystemEquations:
        """The equations that are shown."""
        return self.equations[0]

    @property
    def ledgers(self) -> Ledgers:
        """Cost of the derivations, and operations of the kernels."""
        return system_ledgers(self.equations)

    def lines(self) -> list[str]:
        """Return the report in plain text."""
        first, system = self.first, self.first.system
        lines = [
            f"{system.name}: {len(system.coordinates)} coordinates, {len(first.speeds)} speeds "
            f"{', '.join(map(str, first.speeds))}, {len(first.rows.names)} constraints, "
            f"derived by {listed([e.formalism for e in self.equations])}",
            "",
            f"{EQUATION},  M symmetric:",
        ]
        for title, shown in (
            ("", entries(first)),
            ("Rates of the coordinates:", rates(first)),
            ("Quantities:", definitions(first)),
        ):
            lines += ["", title] if title and shown else []
            for name, value in shown.items():
                lines += textwrap.wrap(
                    f"{name} = {value}", _WIDTH, initial_indent="    ", subsequent_indent="        "
                )
        lines += ["", "Operations of the derivation, and of the kernels:"]
        lines += [f"    {line}" for line in str(self.ledgers).splitlines()]
        return [*lines, "", self.agreement] if self.agreement else lines

    def as_dict(self) -> dict[str, object]:
        """Return the report as plain data."""
        first = self.first
        return {
            "system": first.system.name,
            "coordinates": [str(q) for q in first.system.coordinates],
            "speeds": [str(z) for z in first.speeds],
            "constraints": len(first.rows.names),
            "formalisms": [one.formalism for one in self.equations],
            "equation": EQUATION,
            "entries": {name: str(value) for name, value in entries(first).items()},
            "rates": {name: str(value) for name, value in rates(first).items()},
            "quantities": {name: str(value) for name, value in definitions(first).items()},
            "ledger": {one.formalism: one.ledger.counts() for one in self.equations},
            "kernels": {row.formalism: row.kernels for row in self.ledgers.rows},
            "seconds": {one.formalism: one.seconds for one in self.equations},
            "formalisms_equal": True if self.agreement else None,
        }


def report_system(
    system: System,
    formalisms: Sequence[str] = ("kane",),
    tell: Callable[[str], None] = lambda _: None,
) -> SystemReport:
    """Derive a system by one or several formalisms, which are compared.

    Parameters
    ----------
    system : System
        The declaration.
    formalisms : sequence of str
        Their names.
    tell : callable
        Called when a formalism is done.

    Raises
    ------
    InputError
        For an unknown formalism, redundant constraints or dependent speeds.
    FlexforgeError
        If two formalisms disagree.
    """
    found = []
    for name in map(formalism_named, formalisms):
        found.append(derive_system(system, name))
        tell(f"{name}: {found[-1].seconds:.1f} s")
    agreement = ""
    if len(found) > 1:
        names = listed([one.formalism for one in found])
        agreement = f"{names} agree {check_agreement(found)}"
    return SystemReport(tuple(found), agreement)


def system_ledgers(equations: Sequence[SystemEquations], *, times: bool = False) -> Ledgers:
    """Return what derivations of systems took, and the operations of their kernels.

    Parameters
    ----------
    equations : sequence of SystemEquations
        A row for each.
    times : bool
        Add a column with the time of each derivation.
    """
    rows = tuple(
        LedgerRow(
            one.system.name,
            one.formalism,
            {kind: sum(of.values()) for kind, of in one.ledger.counts().items()},
            one.ledger.collecting,
            {term: system_kernel(one, term).count.operations for term in COUNTED},
            one.seconds,
        )
        for one in equations
    )
    return Ledgers(rows, (), False, times=times, of_systems=True)
