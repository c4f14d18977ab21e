# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge check-element``: what every element must satisfy, tried on one of them."""

from __future__ import annotations

import argparse
import math
from dataclasses import asdict
from typing import TYPE_CHECKING

from flexforge.codegen.elements.limits import QUADRATURE
from flexforge.codegen.errors import InputError
from flexforge.commands.command import Command, add_element, find_element
from flexforge.console import show

if TYPE_CHECKING:
    from flexforge.codegen.elements.field import AnyElement


def _configure(parser: argparse.ArgumentParser) -> None:
    add_element(parser)
    parser.description = f"{parser.description} Quadrature: {QUADRATURE}."
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="value of an element parameter (default: plausible ones, which are shown)",
    )


def _execute(arguments: argparse.Namespace) -> int:
    values = dict(_assignment(text) for text in arguments.set)
    element = find_element(arguments.element)
    from flexforge.codegen.study.verification import quadrature_notes, verify

    findings = []
    for finding in verify(element, values):
        findings.append(finding)
        if not arguments.json:
            mark = "ok  " if finding.passed else "FAIL"
            wanted = "" if finding.passed else f"; expected {finding.expected}"
            print(f"{mark}  {finding.check}: {finding.found}{wanted}", flush=True)
    from flexforge.codegen.elements.terms import stiffening_of
    from flexforge.codegen.study.verification.elastic import is_grounded

    unknown = stiffening_of(element)
    notes = [f"geometric stiffness: {unknown}"] if unknown else []
    if is_grounded(element):
        notes.append(
            "rigid motions: not checked, since a strain that contains the displacement resists them"
        )
    notes += quadrature_notes(element, values)
    notes += _without_mesh(element)
    if not arguments.json:
        for note in notes:
            print(f"note  {note}")
    failed = sum(not finding.passed for finding in findings)
    summary = f"{element.name}: {len(findings) - failed} of {len(findings)} checks hold"
    data = {
        "element": element.name,
        "failed": failed,
        "checks": [asdict(f) for f in findings],
        "notes": notes,
    }
    show(arguments, data, [summary])
    return 1 if failed else 0


def _without_mesh(element: AnyElement) -> list[str]:
    """Return why no mesh of a model has cells of an element; assembly from arrays may still do."""
    from flexforge.runtime.mesh.own_cells import own_cell

    try:
        own_cell(element)
    except InputError as error:
        return [f"cells of models: {error}"]
    return []


def _assignment(text: str) -> tuple[str, float]:
    name, equals, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        equals = ""
        number = 0.0
    if not equals or not name.isidentifier() or not math.isfinite(number):
        raise InputError(f"--set: found '{text}'; expected NAME=VALUE with a finite number")
    return name, number


COMMAND = Command(
    "check-element",
    "run the standard element checks on one element, such as your own",
    "flexforge check-element my_element.toml",
    _configure,
    _execute,
)
