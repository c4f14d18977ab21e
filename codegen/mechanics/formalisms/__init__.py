# SPDX-License-Identifier: BSD-3-Clause
"""Formalisms of analytical mechanics, one file each, behind one interface.

A formalism is a module with a function ``equations(point, ledger) -> Motion``: from the kinematics
of one material point to the equation of motion of every nodal coordinate, as a density at that
point. What they share is in ``flexforge.codegen.mechanics.kinematics``; they differ only in what
they do with it; a module's ``TEXT`` is what documents say about it. Read ``motion`` (what they
deliver) first, then ``lagrange``.

A new formalism is a new file, and its name in ``FORMALISMS``.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType

from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.mechanics.formalisms.motion import Motion
from flexforge.codegen.mechanics.formalisms.text import Text
from flexforge.codegen.mechanics.kinematics import MaterialPoint
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.spelling import spelled

Formalism = Callable[[MaterialPoint, Ledger], Motion]

#: Names of the modules here, which are the names users give.
FORMALISMS = (
    "lagrange",
    "gibbs_appell",
    "hamilton",
    "maggi",
    "kane",
    "virtual_power",
)


def formalism_named(name: str) -> str:
    """Return the name of a formalism that is spelt in another case, or with a hyphen.

    Raises
    ------
    InputError
        For an unknown name, with the nearest known one.

    Examples
    --------
    >>> formalism_named("Gibbs-Appell")
    'gibbs_appell'
    """
    found = spelled(name, FORMALISMS)
    if found not in FORMALISMS:
        raise InputError(
            f"formalism {str(name)[:40]!r} is unknown; expected one of {', '.join(FORMALISMS)}"
            f"{nearest(str(name).lower(), FORMALISMS)}"
        )
    return str(found)


def formalism(name: str) -> Formalism:
    """Return a formalism by its name.

    Raises
    ------
    InputError
        For an unknown name, with the nearest known one.
    """
    found: Formalism = _module(name).equations
    return found


def text(name: str) -> Text:
    """Return what a formalism says about itself.

    Raises
    ------
    InputError
        For an unknown name, with the nearest known one.
    """
    found: Text = _module(name).TEXT
    return found


def _module(name: str) -> ModuleType:
    return import_module(f"{__name__}.{formalism_named(name)}")
