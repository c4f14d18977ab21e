# SPDX-License-Identifier: BSD-3-Clause
"""What every table of a model file shares: strict numbers, names, vectors, formulas.

Every field carries a description that completes the sentence "expected ...", for error messages.
"""

from __future__ import annotations

import math
import sys
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from flexforge.codegen.errors import InputError
from flexforge.runtime.formula.expressions import parse_expression
from pydantic import (
    AfterValidator,
    AllowInfNan,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Strict,
    StringConstraints,
    ValidationInfo,
)
from pydantic_core import PydanticCustomError

CUSTOM = "flexforge"


def problem(text: str, *keys: str | int) -> PydanticCustomError:
    """Return the error that puts ``text`` (found; expected) after the key path, as it stands.

    Parameters
    ----------
    text : str
        The message.
    *keys : str or int
        What to append to the key path, where the error is raised for a whole table.
    """
    return PydanticCustomError(CUSTOM, "{text}", {"text": text, "keys": keys})


_TYPES: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("table", (dict,)),
    ("list", (list, tuple)),
    ("text", (str,)),
    ("flag", (bool,)),
    ("number", (int, float)),
)


def toml_type(value: Any) -> str:
    """Return the type of a value in TOML: "table", "list", "text", "flag" or "number", or ""."""
    return next((name for name, types in _TYPES if isinstance(value, types)), "")


def is_number(value: Any) -> bool:
    """Whether a value is a number as TOML has them: true and false are none."""
    return toml_type(value) == "number"


def is_list(value: Any) -> bool:
    """Whether a value is a list of other values."""
    return toml_type(value) == "list"


def shown(value: Any) -> str:
    """Return a short text of a value that was found."""
    found = toml_type(value)
    if found == "table":
        keys = ", ".join(str(key) for key in list(value)[:3])
        return f"a table with {keys}"[:60] if value else "an empty table"
    if found == "list":
        return f"a list of {len(value)} values" if value else "an empty list"
    if found == "number" and sys.float_info.max < abs(value) < math.inf:
        return "a huge number"  # a whole one, which Python may refuse to print
    text = {"True": "true", "False": "false"}.get(repr(value), repr(value))
    return text if len(text) <= 60 else text[:57] + "..."


def text_or(text: str, other: str) -> Discriminator:
    """Return what tells a text from anything else, by the tags of both."""
    return Discriminator(lambda value: text if toml_type(value) == "text" else other)


class Table(BaseModel):
    """A table of the model file: unknown keys are errors, values do not change afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def three(value: Any) -> Any:
    """Refuse a list that has not three entries, in words about components."""
    if is_list(value) and len(value) != 3:
        raise problem(
            f"found {len(value)} values; expected three components [x, y, z] "
            "(in a planar model the third is 0)"
        )
    return value


def formula_of(variables: tuple[str, ...]) -> AfterValidator:
    """Return a validator of formulas of some variables."""

    def check(text: str) -> str:
        try:
            parse_expression(text, variables)
        except InputError as error:
            raise problem(str(error)) from None
        return text

    return AfterValidator(check)


def _resolve(path: Path, info: ValidationInfo) -> Path:
    folder = (info.context or {}).get("folder")
    return Path(folder) / path if folder is not None else path


def _openable(value: Any) -> Any:
    """Refuse what no path is: an empty text, or one with the character NUL."""
    if value == "" or "\0" in str(value):
        raise ValueError("not a path")
    return value


#: Largest magnitude of a number: products of ten of them are finite in double precision, and
#: nothing that is built comes near it in SI units (the Sun has 2e30 kg).
LARGEST = 1e30
#: Smallest quantity above zero: what a few of them multiply to is a number that has digits.
LEAST = 1e-60
#: Largest number of steps, modes or divisions: it fits into every integer that counts them, and no
#: run gets there.
MOST = 10**9


def _bounded(value: float) -> float:
    if abs(value) > LARGEST:
        raise problem(f"found {value:g}; expected a number of magnitude at most {LARGEST:g}")
    return value


def _not_tiny(value: float) -> float:
    if value and abs(value) < LEAST:
        raise problem(f"found {value:g}; expected {LEAST:g} or more, so that products have digits")
    return value


def refuse_no_direction(vector: Iterable[float], *keys: str) -> None:
    """Refuse a vector so short that its direction has no digits."""
    length = math.hypot(*vector)
    if length < LEAST:
        raise problem(f"found a direction of length {length:g}; expected one above 0", *keys)


def _countable(value: int) -> int:
    if value > MOST:
        raise problem(f"found {shown(value)}; expected a whole number of at most {MOST}")
    return value


def _printable(text: str) -> str:
    """Refuse control characters and halves of characters: no file of results can hold them."""
    for place, character in enumerate(text):
        if unicodedata.category(character) in ("Cc", "Cs"):
            code = f"U+{ord(character):04X}"
            raise problem(f"found the character {code} at place {place + 1}; expected plain text")
    return text


def printable(text: str) -> str:
    """Return a text with control characters and halves of characters escaped.

    Names of files may be any bytes: what is not UTF-8 comes as halves of characters.

    Parameters
    ----------
    text : str
        Such as the name of a file.
    """
    return "".join(
        one if unicodedata.category(one) not in ("Cc", "Cs") else f"\\x{ord(one) & 0xFF:02x}"
        for one in text
    )


Number = Annotated[float, Strict(), AllowInfNan(False), AfterValidator(_bounded)]
Positive = Annotated[Number, Field(gt=0.0), AfterValidator(_not_tiny)]
NonNegative = Annotated[Number, Field(ge=0.0), AfterValidator(_not_tiny)]
Count = Annotated[int, Strict(), Field(ge=1), AfterValidator(_countable)]
Flag = Annotated[bool, Strict()]
Text = Annotated[str, Strict(), AfterValidator(_printable)]
Name = Annotated[
    str, Strict(), StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_ .+\-]*$", max_length=64)
]
GroupName = Annotated[
    str, Strict(), StringConstraints(min_length=1, max_length=256), AfterValidator(_printable)
]
OutputPath = Annotated[Path, BeforeValidator(_openable)]
FilePath = Annotated[OutputPath, AfterValidator(_resolve)]
Vector = Annotated[tuple[Number, Number, Number], BeforeValidator(three)]
TimeFormula = Annotated[str, Strict(), formula_of(("t",))]
PlaceFormula = Annotated[str, Strict(), formula_of(("x", "y", "z"))]
