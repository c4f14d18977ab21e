# SPDX-License-Identifier: BSD-3-Clause
"""Mechanisms exported and run, with probes of all that an exported one can tell."""

from __future__ import annotations

import numpy as np
from elastic_links import SOFT
from exported import Library, compile_shared, write
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

DAMPED = {"m": SOFT | {"damping": {"alpha": 2.0, "beta": 5e-4}}}


def probes(joint, group, bearing=None):
    """Return probes of everything that an exported mechanism can tell."""
    turned = {"name": "bend", "joint": bearing, "quantity": "moment", "component": "magnitude"}
    return [
        {"name": "x", "group": group, "component": "x"},
        {"name": "fast", "group": group, "quantity": "velocity", "component": "magnitude"},
        {"name": "jerky", "group": group, "quantity": "acceleration", "component": "y"},
        {"name": "pull", "joint": joint, "quantity": "force", "component": "magnitude"},
        {"name": "push", "joint": joint, "quantity": "force", "component": "x"},
        {"name": "own", "joint": joint, "quantity": "force", "component": "y", "axes": "joint"},
        {"name": "effort", "constraint": "motor", "quantity": "multiplier"},
    ] + ([turned] if bearing else [])


def analysis(duration, steps, **more):
    """Return the tables of a run."""
    given = {"kind": "transient", "duration": duration, "steps": steps, "threads": 1}
    return {"analysis": given | more, "output": {"formats": ["csv"], "every": 1000}}


def export(data, folder):
    """Return the library of a model, compiled with warnings as errors."""
    solver = build_solver(model_from_dict(data))
    write(library_files(solver), folder)
    return Library(compile_shared(folder, solver.name), solver)


def ran(data, folder):
    """Return the probes of a run, a row a step, the first at the start."""
    run_model(model_from_dict(data), output=folder)
    return np.loadtxt(folder / "probes.csv", delimiter=",", skiprows=1)


def follow(library, steps, length):
    """Return outputs at the start and after every step."""
    instance = library.create()
    rows = [[instance.time, *instance.get()]]
    for _ in range(steps):
        assert instance.step(length) == 0
        rows.append([instance.time, *instance.get()])
    return np.array(rows), instance


def sizes(found, length):
    """Return what outputs are compared with: a displacement by a step and its square beside it.

    Two states that differ by round-off of displacements differ by that in velocities, and the more
    in accelerations the shorter a step; of forces the largest counts.
    """
    largest = np.abs(found[:, 1:]).max(axis=0)
    moved, force = largest[0], largest[3:6].max()
    rates = [max(largest[1], moved / length), max(largest[2], moved / length**2)]
    return np.array([moved, *rates, force, force, force, *largest[6:]])
