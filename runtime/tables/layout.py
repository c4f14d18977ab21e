# SPDX-License-Identifier: BSD-3-Clause
"""The C types of the fields of a table, from the annotations of its data class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache, partial
from typing import Annotated, Any, Literal, NewType, get_args, get_origin, get_type_hints

import numpy as np
from flexforge.runtime._functions import Function
from numpy.typing import NDArray

#: An enumerator of the headers, by its name.
Code = NewType("Code", str)
#: The address of a definition elsewhere in the text, by its name.
Elsewhere = NewType("Elsewhere", str)
#: Arrays of C, to which a struct has a pointer; an empty array is 0.
Doubles = Annotated[NDArray[np.float64], "double"]
Ints = Annotated[NDArray[Any], "int"]
#: Three numbers within a struct.
Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel of a joint or an element, to which a table points.

    Attributes
    ----------
    kind, term : str
        The joint or the element, and the kind of kernel.
    address : callable
        Returns the address of the kernel, which is compiled on the first call.
    element : str or declaration, optional
        What an element is derived from; none of a joint.
    """

    kind: str
    term: str
    address: Callable[[], int] = field(compare=False, repr=False)
    element: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a struct.

    Attributes
    ----------
    name : str
        Name in the data class and in C.
    kind : str
        ``int``, ``double``, ``code``, ``function`` or ``elsewhere``; ``within``: a struct, or a
        fixed number of them or of doubles; ``pointer``: to a struct, or an array of doubles, ints,
        kernels or structs.
    of : str or type
        Its content, for the last two kinds.
    length : int
        Number of items within the struct; 1 for a pointer to a struct, else 0.
    counts : str
        Name of the array whose length it is, or empty.
    """

    name: str
    kind: str
    of: Any = None
    length: int = 0
    counts: str = ""


def count_of(array: str, *, init: Literal[False] = False) -> Any:
    """Return the default of a field that is the length of another field and is not given."""
    return field(init=init, default=0, metadata={"counts": array})


def no_doubles() -> Doubles:
    """Return the default of a field that points to doubles: none."""
    found: Doubles = field(default_factory=partial(np.zeros, 0))
    return found


def no_ints() -> Ints:
    """Return the default of a field that points to ints: none."""
    found: Ints = field(default_factory=partial(np.zeros, 0, dtype=np.int32))
    return found


@cache
def fields_of(table: Any) -> tuple[Field, ...]:
    """Return the fields of a data class of ``structs``, in order."""
    hints = get_type_hints(table, include_extras=True)
    return tuple(
        _field(one.name, hints[one.name], one.metadata.get("counts", "")) for one in fields(table)
    )


def value_of(table: Any, one: Field) -> Any:
    """Return the value of a field of a table; for a count, the length of its array."""
    return len(getattr(table, one.counts)) if one.counts else getattr(table, one.name)


def is_none(value: Any) -> bool:
    """Whether a pointer is null: no struct, or an array without entries."""
    return value is None or not np.size(value)


def _field(name: str, hint: Any, counts: str) -> Field:
    plain = {int: "int", bool: "int", float: "double", Code: "code", Elsewhere: "elsewhere"}
    if hint in plain:
        return Field(name, plain[hint], counts=counts)
    of = get_args(hint)
    if type(None) in of:  # an optional struct becomes a pointer, an optional function a flag
        (one,) = (each for each in of if each is not type(None))
        return Field(name, "function" if one is Function else "pointer", one, 1)
    if get_origin(hint) is Annotated:
        return Field(name, "pointer", of[1])
    if get_origin(hint) is tuple:
        if of[-1] is Ellipsis:
            return Field(name, "pointer", of[0])
        return Field(name, "within", "double" if of[0] is float else of[0], len(of))
    return Field(name, "function") if hint is Function else Field(name, "within", hint, 1)
