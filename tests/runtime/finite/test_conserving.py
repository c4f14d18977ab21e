# SPDX-License-Identifier: BSD-3-Clause
"""Steps that conserve energy, momentum and angular momentum of bodies with an energy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.elements.hyperelastic import hyperelastic
from flexforge.codegen.errors import InputError
from flexforge.runtime.assembly.action import build_action
from flexforge.runtime.assembly.assemble import assemble_vector, evaluate
from flexforge.runtime.assembly.graph import build_graph
from flexforge.runtime.assembly.kernels import kernels_of
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.start import start
from flexforge.runtime.statics.balance import Balance
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from large import block, body, run
from marks import slow

HOLZAPFEL = {"mu": 1.0, "k1": 2.0, "k2": 0.8, "dispersion": 0.1, "kappa": 3.0,
             "fibre1_x": 1.0, "fibre1_y": 0.5, "fibre1_z": 0.0,
             "fibre2_x": 1.0, "fibre2_y": -0.5, "fibre2_z": 0.2}  # fmt: skip
CASES = [
    slow("hex8", "neo_hookean", {"mu": 1.0, "lame": 3.0}),
    slow("tet10", "mooney_rivlin", {"c10": 1.0, "c01": 0.4, "kappa": 3.0}),
    slow("hex8", "gent", {"mu": 1.0, "limit": 30.0, "kappa": 3.0}),
    slow("hex8", "holzapfel_gasser_ogden", HOLZAPFEL),
    ("quad4_plane_strain", "st_venant_kirchhoff", {"mu": 1.0, "lame": 3.0, "thickness": 1.0}),
    ("tri6_plane_strain", "neo_hookean_isochoric", {"mu": 1.0, "kappa": 3.0, "thickness": 1.0}),
]


@pytest.mark.parametrize(("name", "law", "values"), CASES)
def test_forces_between_states_do_the_work_of_the_energy(
    name: str, law: str, values: dict[str, float]
) -> None:
    """Whatever lies between; they have no resultant, and no torque at the mean places."""
    element, rng = hyperelastic(name, law), np.random.default_rng(1)
    points = np.array([[float(x) for x in node] for node in element.nodes])
    points += 0.03 * rng.standard_normal(points.shape)
    cells = np.arange(len(points))[None]
    kernels = kernels_of(element, ["conserving_action", "internal_forces", "strain_energy"])
    action = build_action(kernels["conserving_action"], build_graph(points, cells), points)
    begin = 0.05 * rng.standard_normal(points.shape)
    for size in (0.05, 1e-3, 1e-7):
        end = begin + size * rng.standard_normal(points.shape)
        forces = action(np.stack([begin, end]), values)
        energies = [
            float(evaluate(kernels["strain_energy"], cells, points, values, state=u).sum())
            for u in (begin, end)
        ]
        scale = float(abs(forces).max())
        work = float(np.vdot(forces, end - begin))
        assert work == pytest.approx(energies[1] - energies[0], abs=1e-9 * size * scale + 1e-14)
        assert abs(forces.sum(axis=0)).max() < 1e-13 * scale
        places = points + 0.5 * (begin + end)
        moment = places[:, :, None] * forces[:, None, :]
        assert abs((moment - moment.swapaxes(1, 2)).sum(axis=0)).max() < 1e-13 * scale
        # They differ from those at the middle by what is of the second order in the change.
        middle = assemble_vector(
            kernels["internal_forces"], cells, points, values, state=0.5 * (begin + end)
        )
        assert abs(forces - middle).max() < 60.0 * size**2 + 1e-9


def thrown(analysis: dict[str, Any], **tables: Any) -> dict[str, Any]:
    """Return a soft bar that is thrown so that it tumbles and bends far."""
    corners = [[0, 0, 0], [1, 0, 0], [1, 0.2, 0], [0, 0.2, 0],
               [0, 0, 0.1], [1, 0, 0.1], [1, 0.2, 0.1], [0, 0.2, 0.1]]  # fmt: skip
    speeds = ["1 + 20*(y-0.1) + 3*(z-0.05)", "-20*(x-0.5)", "8*x - 3*(x-0.5)"]
    return block(corners, [5, 1, 1], initial=[{"velocity": speeds}], analysis=analysis) | tables


def kept(method: str, steps: int) -> tuple[list[float], list[np.ndarray]]:
    """Return energies and angular momenta of a thrown bar over steps of 10 ms."""
    duration = 0.01 * steps
    spec = model_from_dict(
        thrown({"kind": "transient", "duration": duration, "steps": steps, "method": method})
    )
    places = build_system(spec, build_mesh(spec))
    system, loads = places.system, Loads(spec, places)
    motion = start(spec.analysis, system, loads, *initial_state(spec, places))
    energies, turns = [], []
    for step in range(steps + 1):
        if step:
            motion.advance()
        u, v = motion.displacement, motion.velocity
        momenta = system.mass_times(v)
        stored = Balance(system, loads, motion.time).strain_energy(u)
        energies.append(stored + 0.5 * float(np.vdot(v, momenta)))
        turns.append(np.cross(system.bodies[0].points + u, momenta).sum(axis=0))
    return energies, turns


def test_a_thrown_bar_keeps_energy_and_momenta() -> None:
    """To what its equations are solved to; other steps lose or gain a hundredth of the energy."""
    energies, turns = kept("midpoint", 50)
    assert abs(np.array(energies) / energies[0] - 1.0).max() < 1e-8
    assert abs(np.array(turns) - turns[0]).max() < 1e-8 * abs(turns[0]).max()
    energies, turns = kept("newmark", 50)
    assert abs(np.array(energies) / energies[0] - 1.0).max() > 5e-3
    assert abs(np.array(turns) - turns[0]).max() > 1e-5 * abs(turns[0]).max()


@pytest.mark.slow
def test_steps_are_of_the_second_order(tmp_path: Path) -> None:
    """Against ever shorter ones, with a support that moves and a turning frame."""
    ends = []
    for steps in (25, 50, 100):
        analysis = {"kind": "transient", "duration": 0.2, "steps": steps, "method": "midpoint"}
        held = {"group": "xmin", "displacement": {"y": "0.2*t**2"}}
        probes = [{"name": one, "group": "xmax", "component": one} for one in "xyz"]
        bodies = [body() | {"frame": {"axis": [0, 0, 1], "velocity": 5.0}}]
        tables = thrown(analysis, supports=[held], probes=probes, bodies=bodies)
        tables["initial"] = [{"velocity": ["0", "0", "2*x"]}]
        found = run(tables, tmp_path / str(steps)).probes
        ends.append(np.array([float(values[-1]) for values in found.values()]))
    errors = [abs(a - b).max() for a, b in zip(ends, ends[1:], strict=False)]
    assert errors[1] < errors[0] / 3.0


def test_beams_have_no_forces_between_states(tmp_path: Path) -> None:
    """They are refused by key."""
    analysis = {"kind": "transient", "duration": 0.2, "steps": 5, "method": "midpoint"}
    tables = thrown(analysis)
    tables["mesh"] = {"block": {"cell": "line2", "corners": [[0, 0, 0], [1, 0, 0]],
                                "divisions": [2]}}  # fmt: skip
    tables["materials"] = {"soft": {"young": 1e6, "poisson": 0.3, "density": 1e3}}
    tables["bodies"] = [{"name": "rod", "element": "simo_beam2", "material": "soft",
                         "section": {"shape": "round", "diameter": 0.1}}]  # fmt: skip
    with pytest.raises(InputError, match="analysis.method: found midpoint with body 'rod'"):
        run(tables, tmp_path / "results")
