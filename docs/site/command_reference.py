# SPDX-License-Identifier: BSD-3-Clause
"""The directive ``commands``: a section for every command of flexforge, from its own parser."""

import argparse
from collections.abc import Iterator

from docutils import nodes
from flexforge.cli import build_parser
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Commands(SphinxDirective):
    """Writes usage, description, arguments and example of every command."""

    def run(self) -> list[nodes.Node]:
        """Return the sections; they are made anew by every build, whatever the page is."""
        self.env.note_reread()
        parser = build_parser()
        (subparsers,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
        return [_section(name, command) for name, command in subparsers.choices.items()]


def _section(name: str, parser: argparse.ArgumentParser) -> nodes.section:
    found = nodes.section(ids=[nodes.make_id(f"command-{name}")], names=[name])
    found += nodes.title(text=f"flexforge {name}")
    found += nodes.paragraph(text=parser.description)
    usage = parser.format_usage().removeprefix("usage: ")
    found += nodes.literal_block(usage, usage, language="text")
    listed = nodes.definition_list()
    for action in parser._actions:
        if action.help != argparse.SUPPRESS:
            listed += _item(action)
    found += listed
    if parser.epilog:
        example = parser.epilog.removeprefix("example: ")
        found += nodes.paragraph(text="Example:")
        found += nodes.literal_block(example, example, language="text")
    return found


def _item(action: argparse.Action) -> nodes.definition_list_item:
    term = nodes.term()
    for number, text in enumerate(_spelled(action)):
        term += [nodes.Text(", ")] if number else []
        term += nodes.literal(text=text)
    help_text = (action.help or "") % vars(action) if "%(" in (action.help or "") else action.help
    meaning = nodes.definition("", nodes.paragraph(text=help_text))
    return nodes.definition_list_item("", term, meaning)


def _spelled(action: argparse.Action) -> Iterator[str]:
    value = action.metavar or (
        "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest.upper()
    )
    if not action.option_strings:
        yield str(value)
    for option in action.option_strings:
        yield option if action.nargs == 0 else f"{option} {value}"


def setup(app: Sphinx) -> dict[str, int]:
    """Add the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 1}
