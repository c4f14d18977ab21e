# SPDX-License-Identifier: BSD-3-Clause
"""Formulas of the site as MathML, which browsers draw themselves: no script, no network."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

#: Environments of amsmath in words of the converter, whose brackets grow only so.
_KNOWN = {
    "{aligned}": "{split}",
    r"\begin{bmatrix}": r"\left[\begin{matrix}",
    r"\end{bmatrix}": r"\end{matrix}\right]",
}


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    text = node.astext()
    for name, known in _KNOWN.items():
        text = text.replace(name, known)
    writer.body.append(f'<div class="math">{convert(text, display="block")}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Let Sphinx draw formulas so."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
