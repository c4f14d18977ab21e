# SPDX-License-Identifier: BSD-3-Clause
"""Rotors of examples as data, what is computed of each, and the models of flexforge of them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np

#: Speeds of a Campbell diagram and of an unbalance response; steps of a time response, and one, s.
CAMPBELL, SWEEP, STEPS, STEP = 60, 200, 2000, 1e-4
#: Modes of a diagram; roots that are compared.
MODES, ROOTS = 6, 6
#: Environment of the peers.
PEERS = Path(__file__).parents[2] / ".venv-bench"
COEFFICIENTS = ("xx", "xy", "yx", "yy")

Rotor = dict[str, Any]


def rotors(names: list[str] | None = None) -> list[Rotor]:
    """Return the rotors of the file with the data of the examples, and the compressor: or some."""
    path = Path(__file__).parents[1] / "rotors" / "rotors.toml"
    found: list[Rotor] = tomllib.loads(path.read_text("utf-8"))["rotor"]
    found += [one for one in map(compressor, _packages()) if one is not None]
    return [one for one in found if not names or one["name"] in names]


def _packages() -> list[Path]:
    """Return the folder of ROSS among the peers, if it is there."""
    return sorted(PEERS.glob("lib/python*/site-packages/ross"))[:1]


def top(rotor: Rotor) -> float:
    """Return the highest speed of interest, rad/s: beyond those of the example."""
    return 1.02 * max(*rotor["speeds"], 100.0)


def speeds_of(rotor: Rotor, count: int) -> list[float]:
    """Return speeds of a diagram or a response up to the highest, within tables of bearings."""
    tables = [one["speed"][0] for one in rotor["bearings"] if "speed" in one]
    least = max([0.02 * top(rotor), *tables])
    return np.linspace(least, top(rotor), count).tolist()


def unbalances(rotor: Rotor) -> list[list[Any]]:
    """Return the unbalances [node, kg m, rad], or one at the first disc or the middle."""
    middle = last_node(rotor) // 2
    nodes = [disc[0] for disc in rotor.get("discs", [])] or [middle]
    return rotor.get("unbalance") or [[nodes[0], 1e-3, 0.0]]


def elements(rotor: Rotor) -> list[tuple[int, float, float, float, float, float, str]]:
    """Return first node, length, outer and inner diameter left and right, material of each."""
    if "elements" in rotor:
        found: list[tuple[int, float, float, float, float, float, str]] = rotor["elements"]
        return found
    each = []
    names = rotor.get("of") or [next(iter(rotor["materials"]))] * len(rotor["shaft"])
    for (count, length, outer, inner, *right), name in zip(rotor["shaft"], names, strict=True):
        each += [(length, outer, inner, *(right or (outer, inner)), name)] * int(count)
    return [(node, *one) for node, one in enumerate(each)]


def last_node(rotor: Rotor) -> int:
    """Return the number of the node at the right end of the shaft."""
    return max(one[0] for one in elements(rotor)) + 1


def compressor(package: Path) -> Rotor | None:
    """Return ROSS's compressor from the data of its tests, of Timbo and Ritto; None without them.

    J. Braz. Soc. Mech. Sci. Eng. 41 (2019) 165. Sleeves are elements at nodes of the shaft.
    """
    path = package / "tests" / "data" / "compressor_example.toml"
    if not path.is_file():
        return None
    data = tomllib.loads(path.read_text("utf-8"))
    kinds: dict[str, list[Any]] = {"ShaftElement": [], "DiskElement": [], "Bearing": []}
    materials = {}
    for key, one in data.items():
        kind = (
            key.split("_")[0].replace("BearingElement", "Bearing").replace("SealElement", "Bearing")
        )
        if kind in kinds and not (kind == "ShaftElement" and "L" not in one):
            kinds[kind].append(one)
    for one in kinds["ShaftElement"]:
        of = one["material"]
        materials[of["name"]] = [of["E"], of["G_s"], of["rho"]]
    sizes = ("L", "odl", "idl", "odr", "idr")
    bearings = []
    for one in kinds["Bearing"]:
        names = [q + ij for q in "kcm" for ij in COEFFICIENTS if q + ij in one]
        bearings.append({"node": int(one["n"]), "speed": one["frequency"],
                         **{name: one[name] for name in names if any(one[name])}})  # fmt: skip
    return {
        "name": "compressor",
        "materials": materials,
        "elements": sorted((int(one["n"]), *(one[key] for key in sizes), one["material"]["name"])
                           for one in kinds["ShaftElement"]),
        "discs": [[int(one["n"]), one["m"], one["Id"], one["Ip"]] for one in kinds["DiskElement"]],
        "bearings": bearings, "speeds": [600.0, 900.0], "unbalance": [[29, 0.003, 0.0]],
        "seen": [7, 29, 48],
    }  # fmt: skip


def shear(nu: float, ratio: float) -> float:
    """Return the shear coefficient of a hollow circle of a ratio of diameters, by Cowper (1966)."""
    square = ratio**2
    common = (1.0 + square) ** 2
    below = common * (7.0 + 6.0 * nu) + square * (20.0 + 12.0 * nu)
    return 6.0 * common * (1.0 + nu) / below


def lateral(rotor: Rotor, speed: float = 1.0) -> dict[str, Any]:
    """Return a model of flexforge, whose shaft spins at a speed, rad/s, without an analysis."""
    import flexforge as ff

    count, cells, kinds = last_node(rotor) + 1, [], {}
    points = [0.0] * count
    for node, length, outer, inner, right, within, name in elements(rotor):
        points[node + 1] = points[node] + length
        places = points[node], points[node + 1]
        sizes = _along(places, outer, right), _along(places, inner, within)
        kinds.setdefault((*sizes, name), []).append(len(cells))
        cells.append([node, node + 1])
    place = list(range(count))
    groups = {f"part{i}": {"line2": np.array(some)} for i, some in enumerate(kinds.values())}
    groups |= {f"n{k}": {"point1": np.array([k])} for k in range(len(place))}
    nodes = {"line2": np.array(cells), "point1": np.array(place)[:, None]}
    xyz = np.column_stack([np.zeros((len(points), 2)), points])
    mesh: Any = ff.mesh_from_arrays(xyz, nodes, groups=groups)
    spin = {"axis": [0, 0, 1], "velocity": speed}
    materials, bodies = {}, []
    for i, (outer, inner, name) in enumerate(kinds):
        young, rigidity, density = rotor["materials"][name]
        nu = 0.5 * young / rigidity - 1.0
        materials[f"m{i}"] = {"density": density, "young": young, "poisson": nu}
        damping = {key: rotor[key] for key in ("alpha", "beta") if key in rotor}
        if damping:
            materials[f"m{i}"]["damping"] = damping
        bodies.append(
            {
                "name": f"shaft{i}", "cells": f"part{i}", "material": f"m{i}", "spin": spin,
                "element": "timoshenko_beam", "section": _section(outer, inner, nu),
            }
        )  # fmt: skip
    links = {one["link"]: one["node"] for one in rotor["bearings"] if "link" in one}
    supported = {f"n{k}": xyz[place[node]].tolist() for k, node in links.items()}
    masses = [{"name": f"disc{i}", "group": f"n{node}", "mass": mass,
               "inertia": [across, across, polar]}
              for i, (node, mass, across, polar) in enumerate(rotor.get("discs", []))]  # fmt: skip
    masses += [{"name": f"mass{i}", "group": f"n{node}", "mass": mass}
               | ({"frame": {}} if node in links else {})
               for i, (node, mass) in enumerate(rotor.get("masses", []))]  # fmt: skip
    model = {
        "mesh": {"arrays": mesh, "points": supported} if supported else mesh,
        "materials": materials, "bodies": bodies, "masses": masses,
        "connectors": [_bearing(i, one) for i, one in enumerate(rotor["bearings"])],
        "supports": [{"group": group, "components": ["z"]} for group in ("n0", *supported)],
        "output": {"formats": ["csv"], "every": STEPS},
    }  # fmt: skip
    tension: dict[str, Any] = {"kind": "force", "group": f"n{count - 1}", "preload": True}
    loads = (
        [tension | {"total": [0.0, 0.0, rotor["axial_force"]]}] if "axial_force" in rotor else []
    )
    return model | ({"loads": loads} if loads else {})


def _along(places: tuple[float, float], left: float, right: float) -> float | str:
    """Return a diameter between two places along z, a formula where it changes."""
    if left == right:
        return left
    begin, end = places
    return f"{left!r} + {(right - left) / (end - begin)!r}*(z - {begin!r})"


def _section(outer: float | str, inner: float | str, nu: float) -> dict[str, Any]:
    """Return a section by its diameters."""
    turned = {"orientation": [1, 0, 0]}
    if isinstance(outer, str) or isinstance(inner, str):
        if inner == 0.0:
            return {"shape": "round", "diameter": outer, **turned}
        return {"shape": "tube", "diameter": outer, "wall": f"(({outer}) - ({inner}))/2", **turned}
    inertia = np.pi / 64.0 * (outer**4 - inner**4)
    found = {"area": np.pi / 4.0 * (outer**2 - inner**2), "inertia_y": inertia,
             "inertia_z": inertia, "torsion": 2.0 * inertia, **turned}  # fmt: skip
    return found | dict.fromkeys(("shear_y", "shear_z"), shear(nu, inner / outer))


def _bearing(number: int, one: dict[str, Any]) -> dict[str, Any]:
    """Return a bearing as a connector."""
    where: dict[str, Any] = {"at": f"n{one['node']}"}
    if "link" in one:
        where = {"between": [f"n{one['node']}", f"n{one['link']}"]}
    found = {"name": f"bearing{number}", "kind": "bearing", "orientation": [1, 0, 0], **where}
    if "speed" in one:
        known = {key: one[key] for key in one if key[0] in "kcm" and key[1:] in COEFFICIENTS}
        return found | {"table": {"speed": one["speed"], **known}}
    names = {"stiffness": "k", "damping": "c", "mass": "m"}
    given = {name: [one[key][:2], one[key][2:]] for name, key in names.items() if key in one}
    return found | given


def campbell(rotor: Rotor, speeds: list[float], count: int = MODES) -> dict[str, Any]:
    """Return the model of a Campbell diagram at speeds, rad/s."""
    return lateral(rotor) | {"analysis": {"kind": "modes", "count": count, "speeds": speeds}}


def response(rotor: Rotor, speeds: list[float]) -> dict[str, Any]:
    """Return the model of an unbalance response at speeds, rad/s."""
    return _unbalanced(rotor, 1.0) | {"analysis": {"kind": "harmonic", "speeds": speeds}}


def motion(rotor: Rotor) -> dict[str, Any]:
    """Return the model of a time response to unbalances at the highest speed, from rest."""
    return _unbalanced(rotor, top(rotor)) | {
        "analysis": {
            "kind": "transient",
            "method": "newmark",
            "duration": STEPS * STEP,
            "steps": STEPS,
        }
    }


def _unbalanced(rotor: Rotor, speed: float) -> dict[str, Any]:
    model = lateral(rotor, speed)
    loads = [{"kind": "unbalance", "group": f"n{node}", "unbalance": amount, "phase": phase,
              "orientation": [1, 0, 0]} for node, amount, phase in unbalances(rotor)]  # fmt: skip
    probes = [{"name": f"{c}{node}", "group": f"n{node}", "component": c}
              for node in seen(rotor) for c in "xy"]  # fmt: skip
    return model | {"loads": [*model.get("loads", []), *loads], "probes": probes}


def seen(rotor: Rotor) -> list[int]:
    """Return the nodes whose response is compared, on the shaft."""
    nodes = rotor.get("seen", [one[0] for one in unbalances(rotor)])
    return [node for node in nodes if node <= last_node(rotor)]


def roots(figures: dict[str, Any]) -> list[list[float]]:
    """Return the roots of modes [growth, frequency], 1/s, from figures of a run."""
    found: list[list[float]] = []
    while (name := f"mode {len(found) + 1}") in figures:
        w = 2.0 * np.pi * figures[name][0]
        ratio = figures.get(f"damping ratio of {name}", 0.0)
        decay = -ratio * w / np.sqrt(1.0 - ratio**2) if ratio < 1.0 else -w
        found.append([figures.get(f"growth of {name}", [decay])[0], w])
    return found
