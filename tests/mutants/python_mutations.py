# SPDX-License-Identifier: BSD-3-Clause
"""Mutations of Python: signs, factors, terms, transposes, indices, comparisons, from the syntax."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from edits import Edit

#: What says nothing about mathematics: texts, messages and types.
_NO_MATHEMATICS = (ast.Raise, ast.JoinedStr, ast.Assert, ast.Import, ast.ImportFrom)
_FLIPPED = {ast.Add: ("+", "-"), ast.Sub: ("-", "+")}
_TURNED = {ast.Lt: ("<", ">"), ast.Gt: (">", "<"), ast.LtE: ("<=", ">="), ast.GtE: (">=", "<=")}
_EXCHANGED = {
    "sin": "cos",
    "cos": "sin",
    "minimum": "maximum",
    "maximum": "minimum",
    "min": "max",
    "max": "min",
    "sinh": "cosh",
    "cosh": "sinh",
}
#: Names of lists, which ``+=`` makes longer.
_NAMES = {
    "arrays",
    "definitions",
    "statements",
    "found",
    "fibres",
    "local",
    "at_point",
    "lines",
    "combined",
    "rows",
    "columns",
    "entries",
    "parts",
    "loops",
    "parameters",
}
_LISTS = (ast.List, ast.Tuple, ast.ListComp, ast.Starred, ast.Dict, ast.Set)


def python_mutations(text: str) -> list[Edit]:
    """Return every mutation of a module, in the order of its text."""
    source = _Source(text)
    found = [edit for node in _nodes(ast.parse(text)) for edit in _of_node(node, source)]
    return sorted(found, key=lambda edit: (edit.start, edit.end, edit.new))


class _Source:
    """The text of a module by the positions of its syntax tree, which count bytes in a line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.splitlines(keepends=True)
        self.first = [0]
        for line in self.lines:
            self.first.append(self.first[-1] + len(line))

    def _at(self, line: int, column: int) -> int:
        within = self.lines[line - 1].encode()[:column].decode()
        return self.first[line - 1] + len(within)

    def start(self, node: ast.expr | ast.stmt) -> int:
        return self._at(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> int:
        return self._at(node.end_lineno, node.end_col_offset)

    def of(self, node: ast.expr) -> str:
        return self.text[self.start(node) : self.end(node)]

    def operator(self, left: ast.expr, right: ast.expr, sign: str) -> int | None:
        """Return where the operator between two operands is."""
        start, end = self.end(left), self.start(right)
        if "#" in self.text[start:end]:
            return None
        at = self.text.find(sign, start, end)
        return None if at < 0 else at


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that may hold mathematics."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST) and not _says_nothing(node):
                yield node
                yield from _nodes(node)


def _says_nothing(node: ast.AST) -> bool:
    """Whether a part is no mathematics: a text, a message, a type, a note for a report."""
    match node:
        case ast.AnnAssign(annotation=ast.Name(id="TypeAlias")):
            return True
        case ast.Call(func=ast.Attribute(attr="note")):
            return True
    return isinstance(node, _NO_MATHEMATICS)


def _of_node(node: ast.AST, source: _Source) -> Iterator[Edit]:
    match node:
        case ast.BinOp():
            yield from _of_operation(node, source)
        case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(operand, ast.Constant):
            yield Edit(source.start(node), source.start(node) + 1, "", "sign")
        case ast.AugAssign(op=ast.Add() | ast.Sub()) if not _is_list(node.value):
            if ast.unparse(node.target).split(".")[-1] in _NAMES:
                return
            sign, other = _FLIPPED[type(node.op)]
            at = source.operator(node.target, node.value, f"{sign}=")
            if at is not None:
                yield Edit(at, at + 2, f"{other}=", "sign")
        case ast.Attribute(attr="T"):
            yield Edit(source.end(node) - 2, source.end(node), "", "transpose")
        case ast.Subscript(slice=ast.Tuple(elts=[first, second, *_])) if _swappable(first, second):
            yield from _swapped(first, second, source)
        case ast.Subscript(slice=ast.Constant(value=int(k))) if not isinstance(k, bool):
            place = node.slice
            yield Edit(source.start(place), source.end(place), str(k - 1 if k else 1), "index")
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _TURNED:
            sign, other = _TURNED[type(op)]
            at = source.operator(left, right, sign)
            if at is not None:
                yield Edit(at, at + len(sign), other, "comparison")
        case ast.Call(func=ast.Attribute(attr="cross"), args=[first, second, *_]):
            yield from _swapped(first, second, source)
        case ast.Call(func=ast.Attribute(attr="sum" | "add"), args=[*_, a, b]) if _is_ledger(node):
            yield Edit(source.end(a), source.end(b), "", "term")
        case ast.Attribute(attr=name) | ast.Name(id=name) if name in _EXCHANGED:
            end = source.end(node)
            yield Edit(end - len(name), end, _EXCHANGED[name], "function")


def _of_operation(node: ast.BinOp, source: _Source) -> Iterator[Edit]:
    if _is_list(node):
        return
    start, end = source.start(node), source.end(node)
    if isinstance(node.op, ast.Add | ast.Sub):
        sign, other = _FLIPPED[type(node.op)]
        at = source.operator(node.left, node.right, sign)
        if at is not None:
            yield Edit(at, at + 1, other, "sign")
            yield Edit(start, end, source.text[start:at].rstrip(), "term")
            if sign == "+":
                yield Edit(start, end, source.text[at + 1 : end].lstrip(), "term")
    elif isinstance(node.op, ast.Mult | ast.Div):
        sign, other = ("*", "/") if isinstance(node.op, ast.Mult) else ("/", "*")
        at = source.operator(node.left, node.right, sign)
        if at is None:
            return
        if _number(node.right) or (sign == "*" and _number(node.left)):
            yield Edit(at, at + 1, other, "factor")
        elif sign == "*" and not _number(node.left):
            yield Edit(start, end, source.text[start:at].rstrip(), "factor")
            yield Edit(start, end, source.text[at + 1 : end].lstrip(), "factor")
    if isinstance(node.op, ast.Mult | ast.Div | ast.Pow):
        for operand in (node.left, node.right):
            if _number(operand) and operand.value not in (0, 1):
                edit = "1.0" if isinstance(operand.value, float) else "1"
                yield Edit(source.start(operand), source.end(operand), edit, "factor")


def _swapped(first: ast.expr, second: ast.expr, source: _Source) -> Iterator[Edit]:
    between = source.text[source.end(first) : source.start(second)]
    new = source.of(second) + between + source.of(first)
    yield Edit(source.start(first), source.end(second), new, "index")


def _swappable(first: ast.expr, second: ast.expr) -> bool:
    names = (ast.Name, ast.Constant, ast.BinOp)
    return (
        isinstance(first, names)
        and isinstance(second, names)
        and ast.dump(first) != ast.dump(second)
    )


def _is_ledger(node: ast.Call) -> bool:
    """Whether a call is one of the ledger's, which counts what a derivation takes."""
    return ast.unparse(node.func).startswith("ledger.")


def _number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _is_list(node: ast.expr) -> bool:
    """Whether a sum is one of texts or lists."""
    if isinstance(node, ast.BinOp):
        return _is_list(node.left) or _is_list(node.right)
    if isinstance(node, ast.IfExp):
        return _is_list(node.body) or _is_list(node.orelse)
    return isinstance(node, (ast.JoinedStr, *_LISTS)) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
