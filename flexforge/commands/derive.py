# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge derive``: the equations of motion of an element, or of a system of bodies."""

from __future__ import annotations

import argparse
import sys

from flexforge.codegen.errors import InputError
from flexforge.codegen.files.system_files import is_system
from flexforge.commands.command import Command, add_element, find_element
from flexforge.console import show


def _configure(parser: argparse.ArgumentParser) -> None:
    add_element(parser, systems=True)
    parser.add_argument(
        "--formalism",
        metavar="NAME",
        help="formalism, such as kane; lagrange,kane or all derives with each and compares "
        "(default: lagrange, of a system kane)",
    )
    parser.add_argument(
        "--frame",
        metavar="NAME",
        help="planar or spatial (default: as the element), or free: its motion is unknown",
    )
    parser.add_argument("--term", metavar="TERM", help="print only this term, e.g. centrifugal")
    parser.add_argument(
        "--unrolled",
        action="store_true",
        help="write out all coordinates instead of one pair of nodes",
    )
    parser.add_argument(
        "--latex", action="store_true", help="print a complete LaTeX document with every step"
    )
    parser.add_argument(
        "--fragment",
        action="store_true",
        help="print the formulas of all terms, or of --term, in LaTeX for a display of a paper",
    )


def _execute(arguments: argparse.Namespace) -> int:
    if is_system(arguments.element):
        return _of_system(arguments)
    from flexforge.codegen.study.report.report import report

    names = _formalisms(arguments.formalism or "lagrange")

    def tell(words: str) -> None:
        if arguments.unrolled:  # seconds to minutes of work
            print(f"  {words}", file=sys.stderr, flush=True)

    found = report(
        find_element(arguments.element),
        names,
        arguments.frame,
        arguments.term,
        unrolled=arguments.unrolled,
        tell=tell,
    )
    if arguments.latex and not arguments.json and found.frame.is_free:
        raise InputError(
            "--latex: a document with every step is for prescribed frames; expected --fragment "
            "with --frame free"
        )
    if arguments.latex and not arguments.json:
        from flexforge.codegen.study.latex.document import latex_document

        print(latex_document(found), end="")
        return 0
    if arguments.fragment and not arguments.json:
        from flexforge.codegen.mechanics.derivation import derive
        from flexforge.codegen.study.latex.display import to_latex

        equations = derive(found.element, found.frame, found.formalisms[0])
        print(to_latex(equations.terms[arguments.term] if arguments.term else equations))
        return 0
    show(arguments, found.as_dict(), found.lines())
    return 0


def _formalisms(given: str) -> list[str]:
    """Return the names of formalisms in a list, or of all."""
    from flexforge.codegen.mechanics.formalisms import FORMALISMS, formalism_named

    asked = [name.strip() for name in given.split(",")]
    named = [formalism_named(name) for name in asked if name != "all"]
    return list(FORMALISMS if "all" in asked else dict.fromkeys(named))


def _of_system(arguments: argparse.Namespace) -> int:
    """Derive a system of bodies."""
    for option in ("frame", "term", "unrolled"):
        if getattr(arguments, option):
            raise InputError(f"--{option}: is for elements; {arguments.element} declares a system")
    from flexforge.codegen.study.latex.system import system_latex
    from flexforge.codegen.study.systems.document import system_document
    from flexforge.codegen.study.systems.report import report_system
    from flexforge.system import load_system

    system = load_system(arguments.element).declaration
    found = report_system(system, _formalisms(arguments.formalism or "kane"))
    if arguments.latex and not arguments.json:
        print(system_document(found), end="")
    elif arguments.fragment and not arguments.json:
        print(system_latex(found.first))
    else:
        show(arguments, found.as_dict(), found.lines())
    return 0


COMMAND = Command(
    "derive",
    "derive the equations of motion of an element, or of a system of bodies",
    "flexforge derive hex8 --formalism all --term centrifugal",
    _configure,
    _execute,
)
