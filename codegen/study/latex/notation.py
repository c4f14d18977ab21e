# SPDX-License-Identifier: BSD-3-Clause
r"""Plain notation, as docstrings and reports use it, in LaTeX.

Names: ``v_O1 d'_a,1 u1,2' eps k_omega q* w~ N^T``; derivatives: ``dL/dd'``, ``db/dt``,
``d/dt dL/dd'``; between them numbers, signs and brackets. In a text, notation is enclosed in
backticks: ```dL/dd'``` becomes a formula.
"""

from __future__ import annotations

import re

_GREEK = {
    "eps": r"\varepsilon", "epsq": r"\varepsilon^{\mathrm{q}}", "omega": r"\omega",
    "rho": r"\rho", "lambda": r"\lambda", "mu": r"\mu", "sigma": r"\sigma", "xi": r"\xi",
    "eta": r"\eta", "zeta": r"\zeta", "nu": r"\nu", "young": "E", "poisson": r"\nu", "bN": "b N",
    "stiffness": r"\kappa",
}  # fmt: skip
_NAME = r"[A-Za-z]+'*(?:_?[A-Za-z0-9]+)?(?:,\d+)?'*"
_TOKEN = re.compile(
    rf"(?P<time>d/dt)|d(?P<of>{_NAME})/d(?P<by>{_NAME})"
    rf"|(?P<name>{_NAME})(?P<mark>[*~]?)|(?P<fraction>\d+/\d+)|\^(?P<power>T|-?\d+)"
    r"|(?P<other>[-+=(),.0-9]|\s+)"
)
_WORD = re.compile(r"([A-Za-z]+)('*)_?([A-Za-z]*)(\d*)(?:,(\d+))?('*)")
#: A name of several words, such as a constant of a declared law.
_WORDS = re.compile(r"[A-Za-z]\w*")


def name(text: str, mark: str = "") -> str:
    """Return one name in LaTeX: a letter, its dots, its indices, a star or a tilde.

    Parameters
    ----------
    text : str
        Such as ``N_a,1``, ``v_O1``, ``u3,1'`` or ``d''_b,2``.
    mark : str
        ``*`` or ``~``, or nothing.
    """
    found = _WORD.fullmatch(text)
    if found is None:
        if _WORDS.fullmatch(text):
            return rf"\mathrm{{{text.replace('_', chr(92) + '_')}}}"
        raise ValueError(f"'{text}' is not a name of the plain notation")
    letter, before, subscript, number, index, after = found.groups()
    if letter == "sigma" and number and "_" not in text:
        # Components of sigma are those of the initial stress: no other stress has a symbol.
        subscript = "0"
    head = _letter(letter)
    rates = len(before + after)
    head = rf"\tilde{{{head}}}" if mark == "~" else head
    head = rf"\{'d' * rates}ot{{{head}}}" if rates else head
    parts = [p for p in (_letter(subscript) if subscript else "", number, index) if p]
    return head + (f"_{{{','.join(parts)}}}" if parts else "") + ("^{\\ast}" if mark == "*" else "")


def formula(text: str) -> str:
    """Return a formula of the plain notation in LaTeX.

    Parameters
    ----------
    text : str
        Such as ``d/dt dL/dd' - dL/dd = 0`` or ``int rho N^T w~ N``.

    Raises
    ------
    ValueError
        For a character that the notation does not have.
    """
    parts, at = [], 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise ValueError(f"'{text}': '{text[at]}' is not in the plain notation")
        parts.append(_token(found))
        at = found.end()
    joined = re.sub(r"\s+", " ", "".join(parts)).strip()
    # Brackets around fractions are as tall as these.
    return re.sub(r"([()])", _tall, joined) if r"\frac" in joined else joined


def prose(text: str) -> str:
    """Return a text with parts in backticks as inline formulas."""
    return re.sub(r"`([^`]+)`", lambda found: f"${formula(found[1])}$", text)


def of_first(step: str, node: str) -> str:
    """Return a step's name with the indices of the first of its family.

    A derivation records the first component of vectors and the first coordinate of the first node;
    ``dL/dd'`` becomes ``dL/dd'_a,1``, ``db/dt`` becomes ``db_a,1/dt``.
    """
    return re.sub(
        rf"d({_NAME})/d({_NAME})",
        lambda found: f"d{indexed(found[1], node)}/d{indexed(found[2], node)}",
        indexed(step, node),
    )


def indexed(letter: str, node: str) -> str:
    """Return the name of a vector with its first index; other names unchanged."""
    bare = letter.rstrip("'")
    if bare in _NODAL:
        return f"{letter}_{node},1"
    if bare in _FIELDS:
        return f"{letter}1"
    return f"{letter}11" if bare in _MATRICES else letter


#: Letters of vectors over nodal coordinates, of vectors at the material point, of matrices.
_NODAL = ("d", "q", "p", "b", "Q", "z")
_FIELDS = ("v", "a", "eps", "epsq", "u", "x", "f")
_MATRICES = ("A", "R")


def _tall(found: re.Match[str]) -> str:
    return (r"\Bigl" if found[1] == "(" else r"\Bigr") + found[1]


def _letter(word: str) -> str:
    return _GREEK.get(word, word if len(word) == 1 else rf"\mathrm{{{word}}}")


def _token(found: re.Match[str]) -> str:
    kind = found.lastgroup
    if kind == "time":
        return r"\frac{\mathrm{d}}{\mathrm{d}t}"
    if kind == "by":
        d = r"\mathrm{d}" if found["by"] == "t" else r"\partial "
        return rf"\frac{{{d}{name(found['of'])}}}{{{d}{name(found['by'])}}}"
    if kind == "fraction":
        above, below = found["fraction"].split("/")
        return rf"\tfrac{{{above}}}{{{below}}}"
    if kind == "power":
        return f"^{{{found['power']}}}"
    if kind == "other":
        return r",\quad " if found["other"] == "," else found["other"]
    if found["name"] == "int":
        return r"\int "
    return name(found["name"], found["mark"])
