# SPDX-License-Identifier: BSD-3-Clause
"""What a model will take, told before it is run."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from flexforge.runtime.analyses.rigid import free_motions, may_hold_itself
from flexforge.runtime.analyses.speeds import turning_axes
from flexforge.runtime.constraints.build import build_ties, joints_of
from flexforge.runtime.construct import build_mesh, build_system
from flexforge.runtime.initial import initial_state
from flexforge.runtime.loads import Loads
from flexforge.runtime.mechanism.mechanism import Mechanism
from flexforge.runtime.model import ModelSpec, load_model_file
from flexforge.runtime.model.schema_analysis import KinematicsAnalysis, ModesAnalysis
from flexforge.runtime.probes import build_probes
from flexforge.runtime.ritz.reduce import known_basis


@dataclass(frozen=True, slots=True)
class BodyReport:
    """A body in figures: SI units, memory in bytes."""

    name: str
    element: str
    elements: int
    nodes: int
    mass: float
    centre: tuple[float, ...]
    matrices: int


@dataclass(frozen=True, slots=True)
class ModelReport:
    """A checked model.

    Attributes
    ----------
    title, analysis : str
        What it is and what will be computed.
    dimension, unknowns, held : int
        Coordinates a node, unknowns, and displacements that supports hold.
    bodies : tuple of BodyReport
        Its bodies.
    free : tuple of str
        Rigid motions nothing holds.
    loads, probes : int
        How many.
    links : tuple of str
        The links of a mechanism; its equations of joints, gears and drivers count as held.
    """

    title: str
    analysis: str
    dimension: int
    unknowns: int
    held: int
    bodies: tuple[BodyReport, ...]
    free: tuple[str, ...]
    loads: int
    probes: int
    links: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    def lines(self) -> list[str]:
        """Return it as lines of text."""
        lines = [
            f"{self.title}: {self.analysis}, {self.dimension}-D, {self.unknowns} unknowns, "
            f"{self.held} held"
        ]
        for body in self.bodies:
            centre = ", ".join(f"{x:.6g}" for x in body.centre)
            lines.append(
                f"  {body.name}: {body.elements} {body.element}, {body.nodes} nodes, mass "
                f"{body.mass:.6g} kg, centre ({centre}) m, matrices {body.matrices / 1e6:.1f} MB"
            )
        if self.links:
            lines.append(f"  links: {', '.join(self.links)}")
        lines += [f"  free: {motion}" for motion in self.free]
        lines.append(f"  {self.loads} loads, {self.probes} probes")
        return lines


def check_model(model: ModelSpec | Path | str) -> ModelReport:
    """Check everything about a model that can be checked without solving it.

    Parameters
    ----------
    model : ModelSpec, Path or str
        A model, or its file.

    Returns
    -------
    ModelReport

    Raises
    ------
    InputError
        Naming the file and the key, or the group, cell or node that is wrong.
    """
    spec = model if isinstance(model, ModelSpec) else load_model_file(Path(model))
    mesh = build_mesh(spec)
    if isinstance(spec.analysis, KinematicsAnalysis):
        return _mechanism_report(spec, Mechanism.from_model(spec, mesh))
    places = build_system(spec, mesh)
    system = places.system
    build_probes(spec, places, Loads(spec, places))
    initial_state(spec, places)
    known_basis(spec, places, joints_of(build_ties(spec, places)))
    if isinstance(spec.analysis, ModesAnalysis) and spec.analysis.speeds:
        turning_axes(system)
    bodies = []
    for body in system.bodies:
        mass = body.total_mass
        size = 8 * body.graph.nnz * (1 + body.dimension**2) + body.graph.bytes
        bodies.append(
            BodyReport(
                body.name, body.element, len(body.graph.cells), body.graph.nodes, mass,
                tuple(float(m) / (mass or 1.0) for m in body.first_moment), size,
            )
        )  # fmt: skip
    free = [] if may_hold_itself(system) else free_motions(system)
    return ModelReport(
        spec.title or spec.name,
        spec.analysis.kind,
        system.dimension,
        system.unknowns,
        system.size * system.dimension - system.unknowns,
        tuple(bodies),
        tuple(f"{name}: {', '.join(motions)}" for name, motions in free),
        len(spec.loads),
        len(spec.probes),
    )


def _mechanism_report(spec: ModelSpec, mechanism: Mechanism) -> ModelReport:
    """Return the report of links that joints and drivers move."""
    parts = mechanism.parts
    unknowns = len(parts.links) * (3 if parts.planar else 6)
    return ModelReport(
        spec.title or spec.name,
        spec.analysis.kind,
        2 if parts.planar else 3,
        unknowns,
        len(parts.names),
        (),
        (),
        len(spec.loads),
        len(spec.probes),
        parts.links,
    )
