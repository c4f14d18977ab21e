# SPDX-License-Identifier: BSD-3-Clause
"""One cell of the support table: proved by a run, refused by name, or at fault."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from flexforge.codegen.elements.facts import FACTS, HYPOTHESES
from flexforge.codegen.errors import InputError

_NAMES = "|".join(sorted((*FACTS, "point_mass", "ground_bushing"), key=len, reverse=True))
_ELEMENT = re.compile(
    rf"\b(of|element) (?:{_NAMES})(?:_plane|{'|'.join(f'_{one}' for one in HYPOTHESES)})?\b"
)
Status = Literal["runs", "refused", "fault"]


@dataclass(frozen=True, slots=True)
class Cell:
    """What came of a model.

    Attributes
    ----------
    status : str
        ``runs``, ``refused`` or ``fault``.
    text : str
        The message of a refusal, or what is at fault.
    """

    status: Status
    text: str = ""


def probe(tables: dict[str, Any], proof: Callable[[dict[str, Any]], object]) -> Cell:
    """Run a model and return its cell of the table.

    Parameters
    ----------
    tables : dict
        The model.
    proof : callable
        Runs it, and raises AssertionError unless it does what is promised.
    """
    try:
        proof(tables)
    except InputError as error:
        return Cell("refused", _general(str(error)))
    except Exception as error:  # whatever it is, it is a fault, and the table says so
        return Cell("fault", f"{type(error).__name__}: {error}")
    return Cell("runs")


def _general(message: str) -> str:
    """Return a message without the numbers and names of the tiny model."""
    found = re.sub(r"\b\d[\d,]* unknowns", "N unknowns", message)
    found = re.sub(r"body '(bar|part|arm)'", "body 'NAME'", found)
    return _ELEMENT.sub(r"\1 ELEMENT", found)
