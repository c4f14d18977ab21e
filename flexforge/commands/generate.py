# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge generate``: the kernels of an element as a folder of C that compiles alone."""

from __future__ import annotations

import argparse
from pathlib import Path

from flexforge.codegen.errors import InputError
from flexforge.codegen.files.system_files import is_system
from flexforge.commands.command import Command, add_element, add_overwrite, find_element
from flexforge.console import show, table


def _configure(parser: argparse.ArgumentParser) -> None:
    add_element(parser, systems=True)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FOLDER",
        help="output folder: new, empty or generated before",
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="show what each compiler pass does instead of writing files",
    )
    parser.add_argument(
        "--terms",
        metavar="A,B",
        help="generate these terms, or all (default: stiffness,mass)",
    )
    parser.add_argument("--formalism", metavar="NAME", help="as in derive")
    parser.add_argument(
        "--lanes", metavar="N,M", help="elements per call, one kernel for each (default: 1,8)"
    )
    parser.add_argument("--scalar", default="double", metavar="TYPE", help="double or float")
    parser.add_argument(
        "--name", metavar="PREFIX", help="prefix of C names (default: the element's name)"
    )
    parser.add_argument(
        "--abi",
        default="flexforge",
        metavar="NAME",
        help="calling interface: flexforge, ufcx (integrals of DOLFINx) or "
        "uel (user elements of Abaqus)",
    )
    add_overwrite(parser, "write into a folder that holds other files too", formerly="--force")


def _execute(arguments: argparse.Namespace) -> int:
    if is_system(arguments.element):
        return _of_system(arguments)
    from flexforge.codegen.output.generate import generate, unwritten_terms

    terms = None if arguments.terms is None else _items("--terms", arguments.terms)
    if arguments.explain:
        return _explain(arguments, terms)
    if arguments.output is None:
        raise InputError("-o FOLDER is missing; expected an output folder, or --explain")
    element = find_element(arguments.element)
    written = generate(
        element,
        arguments.output,
        terms=terms,
        formalism=arguments.formalism or "lagrange",
        lanes=None
        if arguments.lanes is None
        else [_number(text) for text in _items("--lanes", arguments.lanes)],
        scalar=arguments.scalar,
        prefix=arguments.name,
        abi=arguments.abi,
        overwrite=arguments.overwrite,
    )
    sizes = {path.name: path.stat().st_size for path in written}
    lines = [f"{path}  {sizes[path.name]} bytes" for path in written]
    lines.append(f"{arguments.output / 'README.md'} says how to call and compile them")
    left = unwritten_terms(element, terms, scalar=arguments.scalar, abi=arguments.abi)
    lines += [f"further terms: {text}" for text in left.words()]
    show(
        arguments,
        {
            "folder": arguments.output,
            "files": sizes,
            "further_terms": [*left.by_all, *left.by_name],
        },
        lines,
    )
    return 0


def _of_system(arguments: argparse.Namespace) -> int:
    """Write the kernels of a system of bodies."""
    given = {"--explain": arguments.explain, "--lanes": arguments.lanes, "--name": arguments.name}
    for option, value in given.items():
        if value:
            raise InputError(f"{option}: is for elements; {arguments.element} declares a system")
    if arguments.scalar != "double" or arguments.abi != "flexforge":
        raise InputError("--scalar, --abi: systems have kernels in double with our own interface")
    if arguments.output is None:
        raise InputError("-o FOLDER is missing; expected an output folder")
    from flexforge.system import load_system

    written = load_system(arguments.element).generate(
        arguments.output,
        None if arguments.terms is None else _items("--terms", arguments.terms),
        arguments.formalism or "kane",
        overwrite=arguments.overwrite,
    )
    sizes = {path.name: path.stat().st_size for path in written}
    lines = [f"{path}  {sizes[path.name]} bytes" for path in written]
    lines.append(f"{arguments.output / 'README.md'} says how to call and compile them")
    show(arguments, {"folder": arguments.output, "files": sizes}, lines)
    return 0


def _explain(arguments: argparse.Namespace, terms: list[str] | None) -> int:
    """Show counts after every pass."""
    from flexforge.codegen.study.explain import explain

    stages = explain(
        find_element(arguments.element),
        terms,
        formalism=arguments.formalism or "lagrange",
        scalar=arguments.scalar,
    )
    heads = ("term", "after", "decision", "operations", "add", "mul", "div", "fused", "bytes",
             "stack", "names")  # fmt: skip
    rows = []
    for stage in stages:
        c = stage.count
        rows.append(
            (
                stage.term if stage.name == "lowered" else "",
                stage.name,
                stage.decision,
                c.operations,
                c.additions,
                c.products,
                c.quotients,
                c.fused,
                c.bytes_moved,
                c.stack,
                c.temporaries,
            )
        )
    show(arguments, [stage.as_dict() for stage in stages], table(heads, rows))
    return 0


def _items(option: str, text: str) -> list[str]:
    items = [item.strip() for item in text.split(",") if item.strip()]
    if not items:
        raise InputError(f"{option}: found '{text}'; expected names separated by commas")
    return items


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"--lanes: found '{text}'; expected 1, 2, 4, 8 or 16") from None


COMMAND = Command(
    "generate",
    "write the kernels of an element as C, header, Cython module and README",
    "flexforge generate tet10 -o tet10 --terms stiffness,mass --lanes 1,8",
    _configure,
    _execute,
)
