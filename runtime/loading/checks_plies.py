# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with the plies of shells beyond their own tables: materials, axes, damping."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from flexforge.codegen.errors import nearest
from flexforge.runtime.model.messages import Problem
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_body import BodySpec


def known_name(
    name: str, options: Iterable[str], what: str, key: tuple[str | int, ...]
) -> Iterator[Problem]:
    """Yield what is wrong with a name that has to be among others.

    Parameters
    ----------
    name : str
        The name.
    options : iterable of str
        Those there are.
    what : str
        Of what.
    key : tuple
        Where it is.
    """
    known = list(options)
    if name not in known:
        none = "a table [materials.NAME]" if what == "material" else f"a {what} of that name"
        listed = f"one of {', '.join(known[:8])}" if known else none
        yield Problem(
            key, f"found the unknown {what} '{name}'; expected {listed}{nearest(name, known)}"
        )


def out_of_plane(vector: Sequence[float], key: tuple[str | int, ...]) -> Iterator[Problem]:
    """Refuse a z component, in a planar model."""
    if vector[2]:
        yield Problem(key, f"found z component {vector[2]:g}; expected 0 in a planar model")


def ply_problems(body: BodySpec, index: int, model: ModelSpec) -> Iterator[Problem]:
    """Yield what is wrong with the plies of a body, lazily.

    A body has one damping, so the plies share theirs; where their axes lie is said by their angles.

    Parameters
    ----------
    body : BodySpec
        The body.
    index : int
        Its place in the model.
    model : ModelSpec
        The model.
    """
    for number, ply in enumerate(body.plies or ()):
        key = ("bodies", index, "plies", number, "material")
        yield from known_name(ply.material, model.materials, "material", key)
        material, first = model.materials[ply.material], model.materials[body.materials[0]]
        if material.orientation is not None:
            text = f"found '{ply.material}', which has an orientation; expected a material without"
            yield Problem(key, f"{text}: the angle says where a ply's axes lie")
        for name in ("damping", "viscosity"):
            if getattr(material, name) != getattr(first, name):
                text = f"found '{ply.material}', whose {name} is not that of '{body.materials[0]}'"
                yield Problem(key, f"{text}; expected plies of the same {name}")
