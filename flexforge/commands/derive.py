# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge derive``: the equations of motion of an element, term by term."""

from __future__ import annotations

import argparse
import sys

from flexforge.commands.command import Command, add_element, find_element
from flexforge.console import show


def _configure(parser: argparse.ArgumentParser) -> None:
    add_element(parser)
    parser.add_argument(
        "--formalism",
        default="lagrange",
        metavar="NAME",
        help="formalism, such as kane; lagrange,kane or all derives with each and compares",
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
    from flexforge.codegen.errors import InputError
    from flexforge.codegen.mechanics.formalisms import FORMALISMS, formalism_named
    from flexforge.codegen.study.report.report import report

    given = [name.strip() for name in arguments.formalism.split(",")]
    named = [formalism_named(name) for name in given if name != "all"]
    names = list(FORMALISMS if "all" in given else dict.fromkeys(named))

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


COMMAND = Command(
    "derive",
    "derive the equations of motion of an element and print their terms",
    "flexforge derive hex8 --formalism all --term centrifugal",
    _configure,
    _execute,
)
