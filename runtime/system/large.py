# SPDX-License-Identifier: BSD-3-Clause
"""What models with bodies of large displacements cannot have yet, by the key of the model file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_frame import is_free
from flexforge.runtime.solvers import ITERATED
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.finite_body import FiniteBody
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.system import System

#: Methods of steps that have multipliers.
_WITH_ROWS = ("generalized_alpha", "hht", "newmark")


def require_linear(system: System, what: str) -> None:
    """Refuse bodies with an energy where everything is made of constant matrices.

    Parameters
    ----------
    system : System
        The bodies.
    what : str
        What is made of them, at the end of the message.

    Raises
    ------
    InputError
        Naming the body.
    """
    for body in system.bodies:
        if not body.is_linear:
            raise InputError(f"body '{body.name}': found an energy; expected a linear law {what}")


def require_supported(model: ModelSpec, bodies: Sequence[Body]) -> None:
    """Refuse what bodies with an energy do not go together with.

    Parameters
    ----------
    model : ModelSpec
        The model.
    bodies : sequence of Body
        Its bodies.

    Raises
    ------
    InputError
        Naming the key.
    """
    large = [body for body in bodies if not body.is_linear]
    if not large:
        return
    name, analysis = large[0].name, model.analysis
    found = {
        "links": bool(model.links) and any(body.lumped for body in large),
        "links, and formulas in bodies.parameters": bool(model.links)
        and any(spec.fields for spec in model.bodies),
        "reduction": model.reduction is not None,
        f'analysis.kind = "{analysis.kind}"': analysis.kind == "kinematics",
        f'analysis.solver = "{analysis.solver}"': analysis.solver in ITERATED,
        'include.prestress = "steady"': model.include.prestress == "steady",
    }
    if analysis.kind == "transient":
        method = f'analysis.method = "{analysis.method}"'
        found[method] = analysis.method == "gauss4"
        found["analysis.accuracy"] = analysis.accuracy is not None and not model.links
        if analysis.method == "midpoint":
            _require_between(large)
    for i, load in enumerate(model.loads):
        if load.kind == "temperature" and load.body in (None, *(body.name for body in large)):
            _require_growth(model, large, load.body, f"loads[{i}]")
    for i, probe in enumerate(model.probes):
        found[f'probes[{i}].quantity = "reaction_moment"'] = probe.quantity == "reaction_moment"
    for key, wanted in found.items():
        if wanted:
            raise InputError(
                f"{key} found with body '{name}', which has an energy; expected none "
                "(docs/howto/energies.md, In a model, says what goes together)"
            )
    _require_free_bodies(model, bodies)
    for body in large:
        if body.beta or body.viscosity:
            raise InputError(
                f"body '{body.name}': found a damping by stiffness with an energy; expected "
                "damping.alpha alone"
            )


def _require_growth(model: ModelSpec, large: Sequence[Body], name: str | None, key: str) -> None:
    """Refuse temperatures of bodies with an energy that do not expand alike in all directions."""
    if model.links:
        raise InputError(
            f"{key}: found a temperature of bodies with an energy on links; expected none"
        )
    for body in large:
        if name not in (None, body.name):
            continue
        if not isinstance(body, FiniteBody):
            raise InputError(
                f"{key}: found a temperature of body '{body.name}' of {body.element} with an "
                "energy; expected solids, plane strain or bodies of revolution"
            )
        spec = next(one for one in model.bodies if one.name == body.name)
        material = None if spec.material is None else model.materials[spec.material]
        expansion = None if material is None else material.expansion
        if expansion is not None and len(set(expansion)) > 1:
            raise InputError(
                f"materials.{spec.material}.expansion: found {list(expansion)} with body "
                f"'{body.name}', which has an energy; expected one number"
            )


def _require_free_bodies(model: ModelSpec, bodies: Sequence[Body]) -> None:
    """Refuse what bodies with an energy do not have that fly: no axes are their own.

    Their displacements are along fixed axes, from where the mesh is.
    """
    free = {spec.name for spec in model.bodies if is_free(spec.frame)}
    large = [body for body in bodies if not body.is_linear and body.name in free]
    if not large:
        return
    for body in bodies:
        if body.is_free:
            raise InputError(
                f"body '{body.name}': found a linear law in a free frame beside "
                f"'{large[0].name}', which has an energy; expected energies in all of them, or none"
            )
    for body in large:
        if body.turns:
            raise InputError(
                f"body '{body.name}': frame: found \"free\" with rotations of nodes; expected no "
                "frame, and [[initial]] velocities: displacements may be large there"
            )
    for i, load in enumerate(model.loads):
        fixed = getattr(load, "frame", "body") == "global" or load.kind == "gravity"
        if not fixed and not getattr(load, "follows", False):
            raise InputError(
                f"loads[{i}]: found a {load.kind} along axes of a body; '{large[0].name}' has an "
                'energy and none; expected frame = "global", or follows = true'
            )


def _require_between(bodies: Sequence[Body]) -> None:
    """Refuse bodies that have no forces between two states."""
    from flexforge.codegen.elements.terms import terms_of

    for body in bodies:
        if body.declared is None or "conserving_action" not in terms_of(body.declared):
            raise InputError(
                f"analysis.method: found midpoint with body '{body.name}', whose energy has no "
                "discrete gradient here; expected solids or plane strain with an energy of I1, I2, "
                "J and fibres, without temperatures, or generalized_alpha"
            )


def require_composable(system: System) -> None:
    """Refuse what rotations about any axis cannot be part of.

    Raises
    ------
    InputError
        For other bodies that share them, and supports or equations that hold some of their
        components.
    """
    for body in system.bodies:
        if not body.turns_about:
            continue
        for other in system.bodies:
            if not other.turns_about and np.isin(other.rotations, body.rotations).any():
                raise InputError(
                    f"body '{body.name}': found rotations that '{other.name}' shares, where they "
                    "are small; expected only beams with an energy at a node that turns by any "
                    "angle, or a point mass without inertia"
                )
        _require_whole(system, body)


def require_curves(model: ModelSpec, places: NameTable) -> None:
    """Refuse what equations that are not linear do not go together with.

    Raises
    ------
    InputError
        Naming the key or the body.
    """
    system = places.system
    if system.curved is None:
        return
    analysis, names = model.analysis, ", ".join(dict.fromkeys(system.curved.names))
    steps = analysis.kind == "transient" and analysis.method in _WITH_ROWS
    if analysis.kind != "static" and not steps:
        raise InputError(
            f"{names}: found nodes of a body with an energy, which follow a point as it turns, in "
            f'an analysis of kind "{analysis.kind}"; expected a static one, or a transient one by '
            "generalized_alpha, hht or newmark"
        )
    if model.links:
        raise InputError(
            f"{names}: found nodes of a body with an energy with [[links]]; expected none of them, "
            "or a rigid joint"
        )
    if _follow_others(system, system.curved.rotations):
        raise InputError(
            f"equations: found rotations of a point of {names} in them, which are by any angle; "
            "expected equations between displacements, and supports"
        )
    for body in system.bodies:
        plain = body.lumped and not any(body.values.values())
        turned = np.isin(body.rotations, system.curved.rotations)
        if turned.any() and not plain and not body.turns_about:
            raise InputError(
                f"body '{body.name}': found its rotations among those of {names}, which are by any "
                "angle; expected bodies with an energy, without masses that resist rotation and "
                "bushings"
            )
    mixed = _partly_held(system, system.curved.rotations)
    for i, load in enumerate(model.loads):
        if load.kind == "moment" and any(
            np.isin(body.rotations[nodes], mixed).any()
            for body, nodes in places.nodes(load.group, load.body, f"loads[{i}].group")
            if body.turns
        ):
            raise InputError(
                f"loads[{i}]: found a moment at a point of {names} part of whose rotation is held; "
                "expected one or three free rotations"
            )


def _partly_held(system: System, rotations: Ints) -> Ints:
    """Return the rotations of which two are free, or one beside a prescribed one."""
    unknowns, given = system.map, system.map.given
    count = (unknowns.numbers[rotations] >= 0).sum(axis=1)
    moved = np.zeros(unknowns.shape, dtype=bool)
    if given is not None:
        moved.ravel()[:] = np.diff(given.matrix.indptr) > 0
    return np.asarray(rotations[(count == 2) | (moved[rotations].any(axis=1) & (count > 0))])


def _require_whole(system: System, body: Body) -> None:
    """Refuse nodes of which two rotations are free, or one beside a prescribed one."""
    if _follow_others(system, body.rotations):
        raise InputError(
            f"equations: found rotations of body '{body.name}' in them, whose nodes turn by any "
            "angle about any axis; expected equations between displacements, and supports"
        )
    wrong = np.isin(body.rotations, _partly_held(system, body.rotations))
    if wrong.any():
        node = int(wrong.argmax())
        free = (system.map.numbers[body.rotations[node]] >= 0).sum()
        found = "two free rotations" if free == 2 else "a prescribed rotation and a free one"
        raise InputError(
            f"supports: found {found} at node {body.part.node_labels[node]} of body "
            f"'{body.name}', which turns by any angle; expected none, one or three free ones, and "
            "prescribed ones where none is free"
        )


def _follow_others(system: System, rotations: Ints) -> bool:
    """Whether rotations follow unknowns of other nodes, or displacements do them."""
    unknowns, d = system.map, system.dimension
    if unknowns.matrix is None:
        return False
    entries = unknowns.matrix.tocoo()
    moved, mover = entries.row // d, unknowns.places[entries.col] // d
    apart = moved != mover
    ends = np.concatenate([moved[apart], mover[apart]])
    return bool(np.isin(ends, rotations).any())
