# SPDX-License-Identifier: BSD-3-Clause
"""Formalisms of analytical mechanics, one file each, behind one interface.

A formalism is a module with a function ``equations(subject, ledger) -> Motion``: from the
kinematics of a material point to the equation of motion of every nodal coordinate, as a density at
that point; or from those of a system of bodies to the equation of every speed. What a subject
offers them is in ``flexforge.codegen.mechanics.subject``; they differ only in what they do with it;
a module's ``TEXT`` is what documents say about it. Read ``motion`` (what they deliver) first, then
``lagrange``.

A new formalism is a new file, and its name in ``FORMALISMS``; one of your own is registered.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.mechanics.formalisms.motion import Motion
from flexforge.codegen.mechanics.formalisms.text import Text
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.spelling import spelled

Formalism = Callable[[Any, Ledger], Motion]

#: Names of the modules here, which are the names users give.
FORMALISMS = (
    "lagrange",
    "gibbs_appell",
    "hamilton",
    "maggi",
    "kane",
    "virtual_power",
)


@dataclass(frozen=True, slots=True)
class _Registered:
    """A formalism of a user."""

    equations: Formalism
    text: Text


_REGISTERED: dict[str, _Registered] = {}


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
    known = (*FORMALISMS, *_REGISTERED)
    found = spelled(name, known)
    if found not in known:
        raise InputError(
            f"formalism {str(name)[:40]!r} is unknown; expected one of {', '.join(known)}"
            f"{nearest(str(name).lower(), known)}"
        )
    return str(found)


def register_formalism(name: str, equations: Formalism, text: Text | None = None) -> None:
    """Add a formalism of your own, by which elements and systems are then derived.

    Parameters
    ----------
    name : str
        A new name, in lower case.
    equations : callable
        Called with a subject (:class:`flexforge.codegen.mechanics.subject.Subject`) and a ledger
        that does and counts the algebra; returns a `SecondOrder` or a `FirstOrder` of
        :mod:`flexforge.codegen.mechanics.formalisms.motion`.
    text : Text, optional
        What documents say about it.

    Raises
    ------
    InputError
        For a name that is taken or is not one, or equations that cannot be called.

    Examples
    --------
    Newton's law along the columns of L, which is virtual power:

    >>> import flexforge as ff
    >>> from flexforge.codegen.mechanics.formalisms.motion import SecondOrder
    >>> from flexforge.codegen.mechanics.subject import inertia_force
    >>> def newton(subject, ledger):
    ...     pushed = [(inertia_force(part, ledger, "m a"), part) for part in subject.parts]
    ...     forces = subject.virtual_work(ledger)
    ...     return SecondOrder(tuple(
    ...         ledger.sum("equations", *(ledger.dot(f, part.motions[:, k], "m a")
    ...                                   for f, part in pushed), -force)
    ...         for k, force in enumerate(forces)))
    >>> ff.register_formalism("newton", newton)
    >>> own, usual = (ff.derive("tri3", formalism=name) for name in ("newton", "lagrange"))
    >>> own.terms == usual.terms
    True
    """
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", name):
        raise InputError(
            f"formalism: found the name {str(name)[:40]!r}; expected lower-case letters, digits, _"
        )
    if name in FORMALISMS:
        raise InputError(f"formalism '{name}' exists; expected another name")
    if not callable(equations):
        raise InputError(f"formalism '{name}': equations cannot be called; expected a function")
    usual = Text(name, "your own", "", "", "", "", (), "")
    _REGISTERED[name] = _Registered(equations, text or usual)


def formalism(name: str) -> Formalism:
    """Return a formalism by its name.

    Raises
    ------
    InputError
        For an unknown name, with the nearest known one.
    """
    named = formalism_named(name)
    own = _REGISTERED.get(named)
    found: Formalism = _module(named).equations if own is None else own.equations
    return found


def text(name: str) -> Text:
    """Return what a formalism says about itself.

    Raises
    ------
    InputError
        For an unknown name, with the nearest known one.
    """
    named = formalism_named(name)
    own = _REGISTERED.get(named)
    found: Text = _module(named).TEXT if own is None else own.text
    return found


def _module(name: str) -> ModuleType:
    return import_module(f"{__name__}.{name}")
