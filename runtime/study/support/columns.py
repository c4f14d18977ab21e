# SPDX-License-Identifier: BSD-3-Clause
"""The columns of the support table: what is done with each tiny model, and what proves it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flexforge.runtime.study.support import proofs
from flexforge.runtime.study.support.models import SPEED, Row, Tables, model

#: Step, s: stable in explicit steps of every tiny model.
STEP, STEPS = 2e-7, 3
_MOTION: Tables = {"kind": "transient", "duration": STEP * STEPS, "steps": STEPS}
_EXPLICIT = _MOTION | {"method": "central_difference", "mass": "lumped"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table.

    Attributes
    ----------
    key : str
        Short name, of the data.
    title : str
        Head of the column.
    about : str
        What is run, in words.
    tables : callable
        Returns the model of a row.
    proof : callable
        Runs it, and raises AssertionError unless it does what the column promises.
    quick : bool
        Whether it takes a fraction of a second for an element with kernels in the installation.
    """

    key: str
    title: str
    about: str
    tables: Callable[[Row], Tables]
    proof: Callable[[Tables], object]
    quick: bool = True


def _with(analysis: Tables, *, many: bool = False, **more: object) -> Callable[[Row], Tables]:
    return lambda row: model(row, many=many) | {"analysis": analysis} | more


def _warm(row: Row) -> Tables:
    loads = [{"kind": "temperature", "change": 10.0}]
    return model(row) | {"loads": loads, "analysis": {"kind": "static"}}


def _on_link(row: Row) -> Tables:
    """Return the model with its body on a driven link instead of in a prescribed frame."""
    tables = model(row)
    for key in ("bodies", "masses"):
        if key in tables:
            tables[key] = [one | {"frame": "arm"} for one in tables[key]]
    held = [one for one in tables["supports"] if one["group"] != "xmin"]
    at = [[1.0, 0, 0], "xmin"] if row.revolved else [[0, 0, 0], "xmin"]
    return tables | {
        "supports": held,
        "links": [{"name": "arm"}],
        "joints": [{"name": "hinge", "kind": "revolute", "links": ["ground", "arm"], "at": at}],
        "drivers": [{"name": "motor", "joint": "hinge", "velocity": SPEED}],
        "analysis": _MOTION,
    }


COLUMNS = (
    Column("static", "static", "equilibrium in a rotating frame",
           _with({"kind": "static"}), proofs.deformed),
    Column("modes", "modes", "two modes about the steady state of a rotating frame",
           _with({"kind": "modes", "count": 2}), proofs.vibrates),
    Column("campbell", "Campbell", "two modes at two speeds",
           _with({"kind": "modes", "count": 2, "speeds": [0.0, SPEED]}), proofs.over_speeds),
    Column("steps", "steps", "generalized-alpha, a small system, integrated in C",
           _with(_MOTION), proofs.native),
    Column("large", "large", "generalized-alpha, more than 1500 unknowns",
           _with(_MOTION, many=True), proofs.not_native),
    Column("explicit", "explicit", "central differences with lumped masses, a small system",
           _with(_EXPLICIT), proofs.native),
    Column("explicit_large", "explicit large", "the same, more than 1500 unknowns",
           _with(_EXPLICIT, many=True), proofs.not_native),
    Column("gauss", "Hamilton", "Hamilton's equations by Gauss's method of order 4",
           _with(_MOTION | {"method": "gauss4"}), proofs.moved),
    Column("reduced", "reduced", "generalized-alpha in two modes and static shapes",
           _with(_MOTION, reduction={"modes": 2}), proofs.native),
    Column("prestress", "prestress", "geometric stiffness (`include.geometric = true`), static",
           _with({"kind": "static"}, include={"geometric": True}), proofs.stressed),
    Column("thermal", "thermal", "a temperature load, static", _warm, proofs.deformed),
    Column("links", "on a link", "on a link that a driver turns, Maggi's equations",
           _on_link, proofs.tied),
    Column("library", "C library", "a small system exported, compiled and run as a C library",
           _with(_MOTION), proofs.library, quick=False),
    Column("fmu", "FMU", "the same as an FMU of FMI 2.0 in co-simulation",
           _with(_MOTION), proofs.fmu, quick=False),
    Column("mesh", "mesh exported", "a large mesh in explicit steps, exported, compiled and run",
           _with(_EXPLICIT, many=True), proofs.mesh_library, quick=False),
    Column("distributed", "distributed", "generalized-alpha in two processes (MPI)",
           _with(_MOTION | {"tolerance": 1e-12}), proofs.shared, quick=False),
)  # fmt: skip
