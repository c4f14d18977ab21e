# SPDX-License-Identifier: BSD-3-Clause
"""Tables laid out in memory for C."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
from flexforge.runtime._functions import Function
from flexforge.runtime._native import CODES
from flexforge.runtime.tables.layout import Field, Kernel, fields_of, is_none, value_of
from flexforge.runtime.tables.structs import Table

_NUMBERS = {"int": np.int32, "double": np.float64}


class _Function(ctypes.Structure):
    """An ``ff_function`` that reads a table of operations."""

    _fields_ = [("at", ctypes.c_void_p), ("table", ctypes.c_void_p)]


_PLAIN: dict[str, Any] = {
    "int": ctypes.c_int, "code": ctypes.c_int, "double": ctypes.c_double,
    "function": _Function, "elsewhere": ctypes.c_void_p, "pointer": ctypes.c_void_p,
}  # fmt: skip


@cache
def structure(table: Any) -> type[ctypes.Structure]:
    """Return the struct of a class of tables, laid out as in C."""
    entries = [(one.name, _type(one)) for one in fields_of(table)]
    return type(table.struct, (ctypes.Structure,), {"_fields_": entries})


class InMemory:
    """A table in C layout, with everything that it points to, as long as this object lives.

    Parameters
    ----------
    table : Table
        The table.

    Attributes
    ----------
    address : int
        Address of its struct.
    """

    def __init__(self, table: Table) -> None:
        self._kept: list[Any] = []
        self._struct = self._filled(table)
        self.address = ctypes.addressof(self._struct)

    def _filled(self, table: Table) -> ctypes.Structure:
        kind: Any = type(table)
        found: ctypes.Structure = structure(kind)()
        for one in fields_of(kind):
            setattr(found, one.name, self._value(one, value_of(table, one)))
        return found

    def _value(self, one: Field, value: Any) -> Any:
        if one.kind == "code":
            return CODES[value]
        if one.kind == "function":
            return self._function(value)
        if one.kind == "elsewhere":
            if value:
                raise ValueError(f"{one.name}: found {value}; expected data in memory")
            return None
        if one.kind == "within":
            if one.of == "double":
                return (ctypes.c_double * one.length)(*value)
            if one.length == 1:
                return self._filled(value)
            return (structure(one.of) * one.length)(*map(self._filled, value))
        if one.kind == "pointer":
            return self._pointer(one, value)
        return value

    def _pointer(self, one: Field, value: Any) -> int | None:
        """Return the address of an array or a struct, or None."""
        if is_none(value):
            return None
        if one.of in _NUMBERS:
            numbers = np.ascontiguousarray(value, dtype=_NUMBERS[one.of])
            self._kept.append(numbers)
            return int(numbers.ctypes.data)
        if one.of is Kernel:
            found: Any = (ctypes.c_void_p * len(value))(*(each.address() for each in value))
        elif one.length == 1:
            found = self._filled(value)
        else:
            found = (structure(one.of) * len(value))(*map(self._filled, value))
        self._kept.append(found)
        return ctypes.addressof(found)

    def _function(self, function: Function | None) -> _Function:
        if function is None:
            return _Function()
        self._kept.append(function)
        return _Function(*function.address)


def _type(one: Field) -> Any:
    if one.kind != "within":
        return _PLAIN[one.kind]
    inner = ctypes.c_double if one.of == "double" else structure(one.of)
    return inner * one.length if one.length > 1 else inner
