# SPDX-License-Identifier: BSD-3-Clause
"""Mutations of C: signs, factors, terms, indices, comparisons, from the tokens of a header."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from edits import Edit

_TOKEN = re.compile(
    r"(?P<skip>/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:\\\n|[^\n])*|\s+)"
    r"|(?P<text>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[uUlLfF]*)"
    r"|(?P<sign>->|\+\+|--|[-+*/<>=!]=|&&|\|\||<<|>>|.)",
    re.DOTALL | re.MULTILINE,
)
#: A line about memory and sizes is no mathematics: a change of it writes where nothing is.
_MEMORY = re.compile(
    r"size_t|sizeof|mem(?:cpy|set|move|ory)|malloc|calloc|char|ff_fmi|->\w+ = \w+->\w+ \+|snprintf"
    r"|\*\w+ = |return .*; /\* doubles"
)
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_EXCHANGED = {
    "sin": "cos",
    "cos": "sin",
    "fmin": "fmax",
    "fmax": "fmin",
    "sinh": "cosh",
    "cosh": "sinh",
}
_FLAT = re.compile(r"(\d+) \* (\w+) \+ (\w+)(?=\])")
_KEYWORDS = {"return", "case", "else", "sizeof", "double", "int", "const", "void", "static"}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def c_mutations(text: str) -> list[Edit]:
    """Return every mutation of a header, in the order of its text."""
    tokens = [
        _Token(m.lastgroup, m[0], m.start()) for m in _TOKEN.finditer(text) if m.lastgroup != "skip"
    ]
    heads = _loop_heads(tokens)
    found = []
    for k in range(1, len(tokens) - 1):
        if not heads[k]:
            found += _at(tokens, k)
    for flat in _FLAT.finditer(text):
        if flat[2] != flat[3] and not flat[3].isdigit():
            found.append(
                Edit(flat.start(), flat.end(), f"{flat[1]} * {flat[3]} + {flat[2]}", "index")
            )
    kept = [edit for edit in found if not _MEMORY.search(_line(text, edit.start))]
    return sorted(kept, key=lambda edit: (edit.start, edit.end, edit.new))


def _at(tokens: list[_Token], k: int) -> Iterator[Edit]:
    before, token, after = tokens[k - 1 : k + 2]
    binary = _ends_operand(before)
    match token.text:
        case "+" | "-" if binary:
            yield Edit(token.start, token.end, "-" if token.text == "+" else "+", "sign")
            yield Edit(before.end, _term_end(tokens, k + 1), "", "term")
        case "-" if after.kind != "number":
            yield Edit(token.start, token.end, "", "sign")
        case "+=" | "-=":
            yield Edit(token.start, token.end, "-=" if token.text == "+=" else "+=", "sign")
        case "*" | "/" if binary and (_is_real(before) or _is_real(after)):
            if token.text == "*" or _is_real(after):
                yield Edit(token.start, token.end, "/" if token.text == "*" else "*", "factor")
        case "<" | ">" | "<=" | ">=" if binary:
            yield Edit(token.start, token.end, _TURNED[token.text], "comparison")
        case name if name in _EXCHANGED and after.text == "(":
            yield Edit(token.start, token.end, _EXCHANGED[name], "function")
        case number if _is_real(token) and float(number) not in (0, 1):
            yield Edit(token.start, token.end, "1.0", "factor")
        case "[" if _is_index(tokens, k) and _is_index(tokens, k + 3):
            first, second = tokens[k + 1], tokens[k + 4]
            if first.text != second.text:
                yield Edit(first.start, second.end, f"{second.text}][{first.text}", "index")


def _ends_operand(token: _Token) -> bool:
    """Whether an operator after a token has it for its left operand."""
    return token.text in (")", "]") or (
        token.kind in ("name", "number") and token.text not in _KEYWORDS
    )


def _is_real(token: _Token) -> bool:
    """Whether a token is a number of the mathematics, not one that counts."""
    return token.kind == "number" and "." in token.text


def _is_index(tokens: list[_Token], k: int) -> bool:
    """Whether ``[name]`` or ``[number]`` begins here."""
    one = tokens[k : k + 3]
    return len(one) == 3 and one[0].text == "[" and one[2].text == "]" and one[1].kind != "sign"


def _term_end(tokens: list[_Token], k: int) -> int:
    """Return where the term ends that begins at a token."""
    depth, end = 0, tokens[k].start
    for before, token in pairwise(tokens[k - 1 :]):
        if token.text in ("(", "[", "{"):
            depth += 1
        elif token.text in (")", "]", "}"):
            depth -= 1
        stop = depth == 0 and (
            token.text in (",", ";", "?", ":", "&&", "||", *_TURNED, "==", "!=")
            or (token.text in ("+", "-") and _ends_operand(before))
        )
        if depth < 0 or (stop and end > tokens[k].start):
            return end
        end = token.end
    return end


def _loop_heads(tokens: list[_Token]) -> list[bool]:
    """Return for every token whether it is in the head of a loop, which a change may not end."""
    inside, depth, found = False, 0, []
    for k, token in enumerate(tokens):
        if not inside and token.text == "(" and tokens[k - 1].text in ("for", "while"):
            inside, depth = True, 0
        if inside and token.text in ("(", ")"):
            depth += 1 if token.text == "(" else -1
        found.append(inside)
        inside = inside and depth > 0
    return found


def _line(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) + 1 : text.find("\n", at)]
