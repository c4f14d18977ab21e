# SPDX-License-Identifier: BSD-3-Clause
"""Programs as C: pieces of text, placed by a template without logic.

A scalar kernel and a kernel of W lanes are the same text with different types, so both do the same
arithmetic in the same order. If there are more lanes than a vector holds, they are computed group
by group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from types import UnionType
from typing import TypeVar

from flexforge.codegen.emission.lane_functions import LANE_FUNCTIONS
from flexforge.codegen.emission.workspace import lay_out
from flexforge.codegen.ir.expression import (
    Add,
    Call,
    Const,
    Div,
    Expr,
    Index,
    Load,
    Mul,
    Number,
    Parameter,
    Sqrt,
    Temp,
    operands,
)
from flexforge.codegen.ir.program import (
    Accumulate,
    Array,
    For,
    Let,
    Program,
    Sines,
    Statement,
    Store,
    Zero,
)
from flexforge.codegen.ir.traversal import postorder

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pieces:
    """The text of a function, in pieces.

    Attributes
    ----------
    tables : tuple of str
        Definitions of constant tables.
    views : tuple of str
        The arguments as arrays of lanes.
    locals : tuple of str
        Definitions of local arrays, on the stack or in the workspace.
    statements : tuple of str
        The body, indented.
    unused : tuple of str
        Unused arguments.
    uses_roots : bool
        Whether a square root or another function occurs.
    uses_sines : bool
        Whether sines are computed side by side.
    lane_functions : frozenset of str
        Functions of whole vectors that occur.
    """

    tables: tuple[str, ...]
    views: tuple[str, ...]
    locals: tuple[str, ...]
    statements: tuple[str, ...]
    unused: tuple[str, ...]
    uses_roots: bool
    uses_sines: bool
    lane_functions: frozenset[str]


def emit(program: Program, scalar: str, lanes: int) -> Pieces:
    """Return the C text of a program.

    Parameters
    ----------
    program : Program
        After the passes.
    scalar : str
        ``double`` or ``float``.
    lanes : int
        Elements computed at once; one for a scalar kernel.
    """
    return _Emitter(program, scalar, lanes).pieces()


class _Emitter:
    """Printer of one program."""

    def __init__(self, program: Program, scalar: str, lanes: int) -> None:
        self.program = program
        self.scalar = scalar
        self.lanes = lanes
        self.layout = lay_out(program, scalar, lanes)
        self.type = "lanes" if lanes > 1 else scalar
        self.arrays = {a.name: a for a in program.arrays}
        self.varying: set[str] = set()
        self.roots = 0
        self.sines = self.reads_parameters = False
        self.functions: set[str] = set()
        self.spread: list[str] = []

    def pieces(self) -> Pieces:
        """Return all pieces of text."""
        statements = tuple(self._groups())
        kinds: Mapping[str, list[Array]] = {
            kind: [a for a in self.program.arrays if a.kind == kind]
            for kind in ("table", "local", "input", "output")
        }
        present = {a.name for a in self.program.arrays}
        unused = [n for n in ("coordinates", "state") if n not in present]
        if not self.reads_parameters:
            unused.append("parameters")
        if not self.layout.workspace:
            unused.append("workspace")
        return Pieces(
            tables=tuple(self._table(a) for a in kinds["table"]),
            views=tuple(self._view(a) for a in (*kinds["input"], *kinds["output"])),
            locals=tuple(self._local(a) for a in kinds["local"]),
            statements=statements,
            unused=tuple(unused),
            uses_roots=self.roots > 0,
            uses_sines=self.sines,
            lane_functions=frozenset(self.functions),
        )

    def _table(self, array: Array) -> str:
        places = product(*map(range, array.shape))
        entries = sorted(
            zip(places, array.values, strict=True), key=lambda e: self._ordered(array.name, e[0])
        )
        values = ", ".join(self.number(value) for _, value in entries)
        return f"static const {self.scalar} {array.name}[{prod(array.shape)}] = {{{values}}};"

    def _view(self, array: Array) -> str:
        const = "const " if array.kind == "input" else ""
        return (
            f"{const}{self.type} *const {_VIEWS[array.name]} = ({const}{self.type} *){array.name};"
        )

    def _local(self, array: Array) -> str:
        if array.name not in self.layout.offsets:
            return f"{self.type} {array.name}[{prod(array.shape)}];"
        place = f"({self.type} *)(workspace + {self.layout.offsets[array.name]})"
        return f"{self.type} *restrict const {array.name} = {place};"

    def number(self, value: Number) -> str:
        """Return a constant in the scalar type of the kernel."""
        text = repr(float(value))
        if "." not in text and "e" not in text:
            text += ".0"
        return text + ("f" if self.scalar == "float" else "")

    def _groups(self) -> Iterator[str]:
        """Yield the lines of the whole body, in a loop if the lanes need several vectors."""
        groups = self.layout.groups
        if groups == 1:
            yield from self._body(self.program.body, 1)
            return
        yield f"    for (int group = 0; group < {groups}; ++group) {{"
        yield from self._body(self.program.body, 2)
        yield "    }"

    def _body(self, body: tuple[Statement, ...], depth: int) -> Iterator[str]:
        """Yield the lines of a body."""
        for statement in body:
            lines = list(self._statement(statement, depth))
            yield from ("    " * depth + line for line in self.spread)
            self.spread.clear()
            yield from lines

    def _statement(self, statement: Statement, depth: int) -> Iterator[str]:
        """Yield the lines of a statement; lines needed before it are appended to ``spread``."""
        pad = "    " * depth
        match statement:
            case For(index, extent, inner, first):
                yield f"{pad}for (int {index} = {first}; {index} < {extent}; ++{index}) {{"
                yield from self._body(inner, depth + 1)
                yield f"{pad}}}"
            case Zero(name):
                self.varying.add(name)
                zero = "{0}" if self.lanes > 1 else "0"
                yield f"{pad}{self.type} {name} = {zero};"
            case Let(name, value):
                text, varies = self._expression(value)
                if varies:
                    self.varying.add(name)
                kind = self.type if varies else self.scalar
                yield f"{pad}const {kind} {name} = {text};"
            case Accumulate(name, value):
                text, _ = self._expression(value)
                yield f"{pad}{name} += {text};"
            case Sines(angles, sines, cosines):
                yield from self._sines(angles, (sines, cosines), pad)
            case Store(array, index, value):
                text, varies = self._expression(value)
                if not varies and self.lanes > 1:
                    # Broadcast a scalar to the lanes; x - 0 is x, including signed zeros.
                    text = f"{text} - (lanes){{0}}"
                yield f"{pad}{self._entry(array, index)} = {text};"

    def _sines(
        self, angles: tuple[Expr, ...], names: tuple[tuple[str, ...], ...], pad: str
    ) -> Iterator[str]:
        """Yield the lines of a call for several angles, filled up to whole vectors."""
        self.sines, self.roots = True, self.roots + 1
        texts, size = zip(*map(self._expression, angles), strict=True), 4 * -(-len(angles) // 4)
        values, varies = texts
        tag = f"{self.roots}"
        yield f"{pad}const {self.scalar} angles{tag}[{size}] = {{{', '.join(values)}}};"
        yield f"{pad}{self.scalar} sines{tag}[{size}], cosines{tag}[{size}];"
        yield f"{pad}flexforge_sines({size}, angles{tag}, sines{tag}, cosines{tag});"
        for array, group in zip(("sines", "cosines"), names, strict=True):
            self.varying |= {name for name, one in zip(group, varies, strict=True) if one}
            for k, name in enumerate(group):
                yield f"{pad}const {self.scalar} {name} = {array}{tag}[{k}];"

    def _ordered(self, array: str, index: tuple[T, ...]) -> tuple[T, ...]:
        """Return the indices or extents of an array, slowest first."""
        fast = self.layout.contiguous.get(array)
        return index if fast is None else (*index[:fast], *index[fast + 1 :], index[fast])

    def _entry(self, array: str, index: tuple[Index, ...]) -> str:
        """Return an entry of an array, with a flattened row-major index."""
        name, shape = _VIEWS.get(array, array), self._ordered(array, self.arrays[array].shape)
        index = self._ordered(array, index)
        if array in _VIEWS and self.layout.groups > 1:
            shape, index = (*shape, self.layout.groups), (*index, "group")
        return f"{name}[{_flat(shape, index)}]"

    def _expression(self, root: Expr) -> tuple[str, bool]:
        """Return the text of an expression and whether it differs between lanes."""
        text: dict[int, str] = {}
        varies: dict[int, bool] = {}
        for node in postorder([root]):
            args = operands(node)
            varies[node.number] = any(varies[a.number] for a in args)
            match node:
                case Const(_, value):
                    text[node.number] = self.number(value)
                case Parameter(_, name):
                    self.reads_parameters = True
                    text[node.number] = f"parameters[{self.program.parameters.index(name)}]"
                case Temp(_, name):
                    text[node.number] = name
                    varies[node.number] = name in self.varying
                case Load(_, array, index):
                    text[node.number] = self._entry(array, index)
                    varies[node.number] = self.arrays[array].kind != "table"
                case Add():
                    text[node.number] = _sum(args, text)
                case Mul():
                    text[node.number] = _product(args, text)
                case Div(_, (top, bottom)):
                    text[node.number] = (
                        f"{_wrap(top, text, Add)}/{_wrap(bottom, text, Add | Mul | Div)}"
                    )
                case Sqrt() | Call():
                    function = "sqrt" if isinstance(node, Sqrt) else node.function
                    arguments = [(text[a.number], varies[a.number]) for a in args]
                    text[node.number] = self._call(function, arguments)
        return text[root.number], varies[root.number]

    def _call(self, function: str, arguments: Sequence[tuple[str, bool]]) -> str:
        """Return a square root or another function; lane by lane where there is none of vectors.

        Arguments are texts, and whether they differ between lanes.
        """
        self.roots += 1
        if self.lanes == 1 or not any(varies for _, varies in arguments):
            function += "f" if self.scalar == "float" else ""
            return f"{function}({', '.join(argument for argument, _ in arguments)})"
        if self.scalar == "double" and function in LANE_FUNCTIONS:
            return self._of_lanes(function, arguments)
        function += "f" if self.scalar == "float" else ""
        entries = []
        for k, (argument, varies) in enumerate(arguments):
            name = f"radicand{self.roots}{'_' * k}"
            self.spread += [f"const lanes {name} = {argument};"] if varies else []
            entries.append(f"{name}[{{lane}}]" if varies else argument)
        calls = [
            f"{function}({', '.join(one.format(lane=k) for one in entries)})"
            for k in range(self.layout.width)
        ]
        return f"(lanes){{{', '.join(calls)}}}"

    def _of_lanes(self, function: str, arguments: Sequence[tuple[str, bool]]) -> str:
        """Return the name of a function of all lanes, which is called before the statement."""
        self.functions.add(function)
        names = [f"radicand{self.roots}{'_' * k}" for k in range(len(arguments))]
        for name, (argument, varies) in zip(names, arguments, strict=True):
            text = argument if varies else f"{argument} - (lanes){{0}}"
            self.spread.append(f"const lanes {name} = {text};")
        found, given = f"{function}_{self.roots}", "".join(f"&{name}, " for name in names)
        self.spread.append(f"lanes {found};")
        self.spread.append(f"flexforge_{function}{self.layout.width}({given}&{found});")
        return found


_VIEWS = {"coordinates": "X", "state": "D", "out": "O"}


def _flat(shape: tuple[int, ...], index: tuple[Index, ...]) -> str:
    """Return ``(i n1 + j) n2 + k`` with constants folded."""
    terms: list[str] = []
    constant, stride = 0, 1
    for extent, position in zip(reversed(shape), reversed(index), strict=True):
        if isinstance(position, str):
            terms.append(position if stride == 1 else f"{stride}*{position}")
        else:
            constant += stride * position
        stride *= extent
    terms.reverse()
    if constant or not terms:
        terms.append(str(constant))
    return " + ".join(terms)


def _wrap(node: Expr, text: Mapping[int, str], kinds: type | UnionType) -> str:
    """Return an operand, in parentheses if it is of one of the kinds or starts with a sign."""
    inner = text[node.number]
    grouped = isinstance(node, kinds) or inner.startswith("-")
    return f"({inner})" if grouped else inner


def _sum(args: tuple[Expr, ...], text: Mapping[int, str]) -> str:
    """Return a sum; terms with a negative sign are subtracted, a positive one comes first."""
    signed = [(text[a.number].startswith("-"), text[a.number]) for a in args]
    first = next((k for k, (negative, _) in enumerate(signed) if not negative), 0)
    ordered = [signed[first], *signed[:first], *signed[first + 1 :]]
    pieces = [ordered[0][1]]
    for negative, term in ordered[1:]:
        pieces.append(f" - {term[1:]}" if negative else f" + {term}")
    return "".join(pieces)


def _product(args: tuple[Expr, ...], text: Mapping[int, str]) -> str:
    """Return a product; numbers come first, a factor minus one becomes a sign."""
    numbers = [a for a in args if isinstance(a, Const)]
    others = [_wrap(a, text, Add) for a in args if not isinstance(a, Const)]
    sign = ""
    factors: list[str] = []
    for constant in numbers:
        if constant.value == -1:
            sign = "-"
        elif constant.value < 0:
            sign = "-"
            factors.append(text[constant.number][1:])
        else:
            factors.append(text[constant.number])
    return sign + "*".join([*factors, *others])
