# SPDX-License-Identifier: BSD-3-Clause
"""Line breaks of formulas: widths are estimated from the fonts; a test compiles the result."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import sympy
from flexforge.codegen.study.latex.printer import Piece, latex, pieces

#: Width of the document's text and of a page as GitHub shows it, in points at a size of 10 pt.
PAPER = 478.0
SCREEN = 420.0
_INDENT = 20.0
_FRACTION = re.compile(
    r"\\t?frac\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
    r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
)
_SCRIPT = re.compile(r"[_^]\{([^{}]*)\}")


def width(text: str) -> float:
    """Return the approximate width of a formula, in points."""
    size = 0.0
    while found := _FRACTION.search(text):
        size += 2 + max(width(found[1]), width(found[2]))
        text = text[: found.start()] + text[found.end() :]
    for script in _SCRIPT.findall(text):
        size += 4.2 * len(re.sub(r"\\[a-z]+|[, ]", "i", script)) - 2 * script.count(",")
    text = _SCRIPT.sub("", text)
    text = re.sub(r"\\(d*ot|tilde|mathrm|bigl|bigr|Bigl|Bigr|partial)\b", "", text)
    text = re.sub(r"\\[a-z]+", "x", text)
    signs = len(re.findall(r"[-+=]", text))
    brackets = len(re.findall(r"[()\[\]]", text))
    letters = len(re.sub(r"[-+=()\[\]{}\s&]", "", text))
    return size + 12.3 * signs + 5 * brackets + 6.0 * letters


def lines(expression: sympy.Expr, room: float) -> list[str]:
    """Return an expression in lines of limited width, indented from the second one on.

    Parameters
    ----------
    expression : sympy.Expr
        The expression.
    room : float
        Width of a line, in points.
    """
    return fill(pieces(expression), room)


def fill(parts: Sequence[Piece], room: float) -> list[str]:
    """Return pieces in lines; a line breaks outside of brackets if that leaves it half full."""
    done: list[str] = []
    rest = list(parts)
    while rest:
        free = room - (_INDENT if done else 0)
        count, best, used = len(rest), 0, 0.0
        for k, piece in enumerate(rest):
            used += width(piece.text) + (2 if k else 0)
            if used > free and k:
                count = best or k
                break
            following = rest[k + 1].depth if k + 1 < len(rest) else 0
            chosen = rest[best].depth if best else 99
            if used > free / 2 and following <= chosen:
                best = k + 1
        text = " ".join(piece.text for piece in rest[:count])
        done.append(rf"\quad {text}" if done else text)
        rest = rest[count:]
    return done


def align(rows: Iterable[tuple[str, Sequence[str]]], *, inner: bool = False) -> str:
    """Return formulas aligned at their equality signs.

    Parameters
    ----------
    rows : iterable of (str, sequence of str)
        Left side, which may be empty, and the lines of the right side. A line that begins with
        ``=`` is another form of the same left side.
    inner : bool
        As part of an existing display, for Markdown.
    """
    environment = "aligned" if inner else "align*"
    written = []
    for left, right in rows:
        for k, line in enumerate(right):
            again = line.startswith("=")
            mark = "&=" if (k == 0 and left) or again else "&"
            written.append(f"{left if k == 0 else ''} {mark} {line.removeprefix('=')}".strip())
    body = " \\\\\n".join(written)
    return f"\\begin{{{environment}}}\n{body}\n\\end{{{environment}}}"


def matrix(value: sympy.MatrixBase) -> str:
    """Return a matrix in square brackets."""
    rows = [" & ".join(latex(e) for e in value.row(i)) for i in range(value.rows)]
    body = r" \\ ".join(rows)
    return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"


def matrix_width(value: sympy.MatrixBase) -> float:
    """Return the approximate width of a printed matrix, in points."""
    columns = (max(width(latex(e)) for e in value.col(j)) for j in range(value.cols))
    return 12 + sum(column + 10 for column in columns)
