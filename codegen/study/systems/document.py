# SPDX-License-Identifier: BSD-3-Clause
"""The derivation of a system as a LaTeX document of its own."""

from __future__ import annotations

import sympy
from flexforge.codegen.mechanics.formalisms import text as formalism_text
from flexforge.codegen.study.latex.document import escape
from flexforge.codegen.study.latex.system import Printer, aligned, entry_rows, equation_rows
from flexforge.codegen.study.report.report import listed
from flexforge.codegen.study.systems.report import SystemReport
from flexforge.codegen.systems.entries import definitions
from flexforge.codegen.version import VERSION
from flexforge.templates import render


def system_document(report: SystemReport) -> str:
    """Return a complete document: the system, its equations, and what each formalism took."""
    first, system = report.first, report.first.system
    printer = Printer(first)
    return render(
        "study/system.tex.jinja",
        version=VERSION,
        name=escape(system.name.replace("_", " ")),
        description=escape(system.description),
        formalisms=listed([formalism_text(e.formalism).title for e in report.equations]),
        coordinates=", ".join(f"${printer(q)}$" for q in system.coordinates),
        speeds=", ".join(f"${printer(z)}$" for z in first.speeds),
        constants=[(printer(s), f"{value:g}") for s, value in system.constants.items()],
        bodies=[
            (escape(name), printer(body.mass), _inertia(body.inertia, printer))
            for name, body in system.bodies.items()
        ],
        equations=aligned("align*", equation_rows(first)),
        quantities=aligned(
            "align*", [r for n, v in definitions(first).items() for r in entry_rows(n, v, printer)]
        ),
        table=report.ledgers.to_latex() if report.equations else "",
        agreement=escape(report.agreement),
    )


def _inertia(inertia: sympy.ImmutableMatrix | None, printer: Printer) -> str:
    """Return the moments of inertia of a body; none of a particle."""
    if inertia is None:
        return ""
    if inertia.is_diagonal():
        return ", ".join(printer(inertia[k, k]) for k in range(3))
    return printer(inertia)
