# SPDX-License-Identifier: BSD-3-Clause
"""The directive ``model-keys``: a section for every table of the model file, from its schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from docutils import nodes
from flexforge.runtime.model.base import Table
from flexforge.runtime.model.schema import ModelSpec
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class ModelKeys(SphinxDirective):
    """Writes what every key of every table expects, its default, and where further tables are."""

    def run(self) -> list[nodes.Node]:
        """Return the sections, in the order in which the tables are met from the top.

        They are made anew by every build, whatever the page is.
        """
        self.env.note_reread()
        return [_section(table, self.state.document) for table in every_table()]


def every_table() -> list[type[Table]]:
    """Return every table that a model file can have, the file itself first."""
    found: list[type[Table]] = [ModelSpec]
    for table in found:
        for field in table.model_fields.values():
            found += [one for one in dict.fromkeys(_tables(field)) if one not in found]
    return found


def _tables(annotation: Any) -> Iterator[type[Table]]:
    """Yield the tables in the type of a key, through lists, unions and further conditions."""
    if isinstance(annotation, FieldInfo):
        annotation = annotation.annotation
    if isinstance(annotation, type) and issubclass(annotation, Table):
        yield annotation
    for part in get_args(annotation):
        yield from _tables(part)


def _section(table: type[Table], document: nodes.document) -> nodes.section:
    written, meaning = title(table)
    found = nodes.section(ids=[_target(table)], names=[_target(table)])
    found += nodes.title("", "", *_marked(written))
    if meaning:
        found += nodes.paragraph("", "", *_marked(f"{meaning[0].upper()}{meaning[1:]}"))
    listed = nodes.definition_list()
    for key, field in table.model_fields.items():
        listed += _item(field.alias or key, field)
    found += listed
    return found


def title(table: type[Table]) -> tuple[str, str]:
    """Return how a table is written, and what it is: the two parts of its first line."""
    if table is ModelSpec:
        return "The file", "The tables and keys at the top level."
    line = (table.__doc__ or "").split("\n\n")[0].replace("\n", " ").strip()
    written, colon, meaning = line.partition(": ")
    return (written, meaning) if colon else (line.rstrip("."), "")


def _item(key: str, field: FieldInfo) -> nodes.definition_list_item:
    text = nodes.paragraph("", "", nodes.Text(field.description or ""))
    if field.is_required():
        text += nodes.Text("; required")
    elif (default := _shown(field)) is not None:
        text += [nodes.Text("; by default "), nodes.literal(text=default)]
    for table in dict.fromkeys(_tables(field)):
        link = nodes.reference("", "", internal=True, refid=_target(table))
        link += _marked(title(table)[0])
        text += [nodes.Text("; see "), link]
    return nodes.definition_list_item(
        "", nodes.term("", "", nodes.literal(text=key)), nodes.definition("", text)
    )


def _shown(field: FieldInfo) -> str | None:
    """Return a default as TOML writes it, or None where there is nothing to show."""
    default = field.default
    if default is PydanticUndefined or default is None or isinstance(default, (Table, dict)):
        return None
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, str):
        return f'"{default}"'
    if isinstance(default, tuple):
        return f"[{', '.join(map(str, default))}]" if default else None
    return f"{default:g}"


def _marked(text: str) -> list[nodes.Node]:
    """Return a text of a docstring, code between double backquotes."""
    parts = text.split("``")
    return [nodes.literal(text=p) if n % 2 else nodes.Text(p) for n, p in enumerate(parts) if p]


def _target(table: type[Table]) -> str:
    return nodes.make_id(f"table-{table.__name__.removesuffix('Spec')}")


def setup(app: Sphinx) -> dict[str, int]:
    """Add the directive."""
    app.add_directive("model-keys", ModelKeys)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 1}
