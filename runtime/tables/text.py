# SPDX-License-Identifier: BSD-3-Clause
"""Tables as constants of a C program: designated initializers, with arrays defined first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, cast

import numpy as np
from flexforge.runtime._functions import OPERATIONS, Function
from flexforge.runtime.tables.layout import Field, Kernel, fields_of, is_none, value_of
from flexforge.runtime.tables.structs import Table


class Text:
    """Definitions of a table and of everything that it points to.

    Parameters
    ----------
    table : Table
        The table.
    name : str
        Name of its definition; those of its arrays have it as prefix.

    Attributes
    ----------
    kernels : list of Kernel
        Kernels that it points to, each once; ``kernel_name`` is the name of their definitions,
        which come first.
    functions : list of str
        Definitions of its functions of time, each once.
    definitions : list of str
        Definitions of its arrays, and of the table itself last, after the functions.
    """

    def __init__(self, table: Table, name: str) -> None:
        self.kernels: list[Kernel] = []
        self.functions: list[str] = []
        self.definitions: list[str] = []
        self._name = name
        self._known: dict[str, str] = {}
        body = self._initializer(table, name)
        self.definitions.append(f"static const {table.struct} {name} = {body};\n")

    def __str__(self) -> str:
        return "\n".join([*self.functions, *self.definitions])

    def _initializer(self, table: Table, path: str, indent: str = "    ") -> str:
        """Return the initializer of a struct, without fields that are zero."""
        entries, kind = [], cast(Any, type(table))
        for one in fields_of(kind):
            value = self._value(one, value_of(table, one), f"{path}_{one.name}", indent)
            if value not in ("0", "0.0"):
                entries.append(f".{one.name} = {value}")
        return _braced(entries or ["0"], indent)

    def _value(self, one: Field, value: Any, path: str, indent: str) -> str:
        if one.kind == "int":
            return f"{int(value)}"
        if one.kind == "double":
            return c_number(value)
        if one.kind == "function":
            return "0" if value is None else f"{{{self._function(value)}, 0}}"
        if one.kind == "within":
            if one.of == "double":
                return f"{{{', '.join(map(c_number, value))}}}"
            if one.length == 1:
                return self._initializer(value, path, indent + "    ")
            each = [
                self._initializer(item, f"{path}_{k}", indent + "        ")
                for k, item in enumerate(value)
            ]
            return _braced(each, indent + "    ")
        if one.kind == "pointer":
            return self._pointer(one, value, path)
        return str(value) or "0"  # a code, or a name defined elsewhere

    def _pointer(self, one: Field, value: Any, path: str) -> str:
        """Return a pointer to an array or a struct, which is defined first."""
        if is_none(value):
            return "0"
        if one.length == 1:
            self._define(value.struct, path, self._initializer(value, path))
            return f"&{path}"
        if one.of in ("int", "double"):
            of, show = (int, str) if one.of == "int" else (float, c_number)
            numbers = np.asarray(value).ravel().astype(of).tolist()
            kind, body = one.of, f"{{\n{c_numbers(numbers, show=show)}\n}}"
        elif one.of is Kernel:
            kind, body = "ff_joint", _braced([self._kernel(each) for each in value], "    ")
        else:
            kind = one.of.struct
            body = _braced(
                [self._initializer(each, f"{path}_{k}", " " * 8) for k, each in enumerate(value)],
                "    ",
            )
        known = self._known.get(f"{kind} {body}")
        if known is not None:
            return known
        self._define(kind, f"{path}[]", body)
        self._known[f"{kind} {body}"] = path
        return path

    def _define(self, kind: str, name: str, body: str) -> None:
        self.definitions.append(f"static const {kind} {name} = {body};\n")

    def _kernel(self, kernel: Kernel) -> str:
        if kernel not in self.kernels:
            self.kernels.append(kernel)
        return kernel_name(kernel)

    def _function(self, function: Function) -> str:
        """Return the name of the C function that is equivalent to an interpreted table."""
        body = printed(function)
        if body not in self._known:
            name = self._known[body] = f"{self._name}_function_{len(self.functions)}"
            self.functions.append(definition(name, body))
        return self._known[body]


def kernel_name(kernel: Kernel) -> str:
    """Return the name of the definition of a kernel, unique to one library."""
    if kernel.element is not None:
        return f"{kernel.kind}_{kernel.term}"
    return f"ff_my_{kernel.kind}_{kernel.term}"


def definition(name: str, body: str) -> str:
    """Return the C definition of a function of time from its statements."""
    return (
        f"static ff_jet {name}(const ff_table *table, double t, const double *inputs)\n"
        f"{{\n    (void)table, (void)t, (void)inputs; /* not all ask for them */\n{body}}}\n"
    )


def printed(function: Function) -> str:
    """Return the statements that the C interpreter would execute for a table, in its order.

    Parameters
    ----------
    function : Function
        The table.
    """
    lines: list[str] = []
    stack: list[str] = []
    for name, at, count in function.code:
        arguments = [stack.pop() for _ in range(OPERATIONS[name][1])][::-1]
        constants = function.constants[at : at + count]
        stack.append(f"v{len(lines)}")
        if name == "number":
            arguments = [c_number(constants[0])]
        elif name == "variable":
            arguments = ["t"]
        elif name == "input":
            arguments = ["t", f"inputs + {4 * at}"]
        elif count:
            table = c_numbers(constants.tolist(), " " * 8)
            lines.append(f"    static const double c{len(lines)}[] = {{\n{table}\n    }};\n")
            arguments = [f"{count}", f"c{len(lines) - 1}", "t"]
        lines.append(f"    const ff_jet {stack[-1]} = ff_{name}({', '.join(arguments)});\n")
    return "".join(lines) + f"    return {stack[0]};\n"


def c_number(value: float) -> str:
    """Return a number in a form that C reads back exactly."""
    if math.isfinite(value):
        return repr(float(value))
    return "NAN" if math.isnan(value) else "-INFINITY" if value < 0.0 else "INFINITY"


def c_numbers(
    values: Iterable[float], indent: str = "    ", show: Callable[[float], str] = c_number
) -> str:
    """Return numbers as the content of a C array, several per line."""
    lines, line = [], indent
    for text in (f"{show(value)}," for value in values):
        if len(line) + len(text) > 98:
            lines.append(line.rstrip())
            line = indent
        line += text + " "
    return "\n".join([*lines, line.rstrip()])


def _braced(entries: list[str], indent: str) -> str:
    """Return entries in braces: on one line if they fit, else one per line."""
    line = f"{{{', '.join(entries)}}}"
    if len(line) + len(indent) <= 100 and "\n" not in line:
        return line
    inner = "".join(f"{indent}{one},\n" for one in entries)
    return f"{{\n{inner}{indent[4:]}}}"
