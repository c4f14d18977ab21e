# SPDX-License-Identifier: BSD-3-Clause
"""Chains of rigid links in the plane, derived by flexforge and by SymPy's own methods."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import sympy
from flexforge.codegen.systems.declaration import System
from flexforge.codegen.systems.reading import read_system
from sympy.core.cache import clear_cache
from sympy.physics import mechanics


@dataclass(frozen=True)
class Derived:
    """Equations of a chain: M and h, or M and -h, as C.

    Attributes
    ----------
    name : str
        Program and method.
    seconds : dict
        Durations by step.
    operations : int
        Of the C text.
    source : str
        The function ``void NAME(const double *q, const double *u, const double *p, double *out)``.
    """

    name: str
    seconds: dict[str, float]
    operations: int
    source: str


def chain(count: int) -> System:
    """Return uniform bars that hang one from another, in the angles of their joints."""
    tables: dict[str, Any] = {
        "name": "chain",
        "coordinates": [f"q{k}" for k in range(count)],
        "gravity": ["0", "-g", "0"],
        "constants": {"g": 9.81}
        | {f"m{k}": 1.0 for k in range(count)}
        | {f"l{k}": 1.0 for k in range(count)},
        "frames": {},
        "points": {},
        "bodies": {},
    }
    for k in range(count):
        frame, before = f"A{k}", f"P{k - 1}" if k else "O"
        tables["frames"][frame] = {"turn": [["z", f"q{k}"]]} | ({"in": f"A{k - 1}"} if k else {})
        for name, place in ((f"C{k}", f"-l{k}/2"), (f"P{k}", f"-l{k}")):
            tables["points"][name] = {"in": frame, "from": before, "at": ["0", place, "0"]}
        tables["bodies"][f"B{k}"] = {
            "point": f"C{k}",
            "frame": frame,
            "mass": f"m{k}",
            "inertia": ["0", "0", f"m{k}*l{k}**2/12"],
        }
    return read_system(tables)


def by_flexforge(count: int, formalism: str) -> Derived:
    """Derive and compile a chain by flexforge."""
    from flexforge.codegen.output.sources import kernel_sources
    from flexforge.codegen.systems.derivation import derive_system
    from flexforge.codegen.systems.lower import system_kernel

    clear_cache()
    begun = time.perf_counter()
    equations = derive_system(chain(count), formalism)
    formed = time.perf_counter()
    kernel = system_kernel(equations, "equations", f"ours_{formalism}_kernel")
    text = kernel_sources([kernel])["chain.c"]
    done = time.perf_counter()
    name = f"ours_{formalism}"
    call = (
        f"void {name}(const double *q, const double *u, const double *p, double *out)\n"
        f"{{\n    {kernel.name}(q, p, u, out, 0);\n}}\n"
    )
    seconds = {"form": formed - begun, "shorten": done - formed}
    return Derived(f"flexforge, {formalism}", seconds, kernel.count.operations, text + call)


def by_sympy(count: int, method: str) -> Derived:
    """Derive a chain by SymPy's method, and shorten it by its cse."""
    clear_cache()
    begun = time.perf_counter()
    matrices, q, u, constants = (_kane if method == "kane" else _lagrange)(count)
    formed = time.perf_counter()
    arrays = {"q": q, "u": u, "p": constants}
    known = {
        one: sympy.Symbol(f"{array}[{k}]")
        for array, group in arrays.items()
        for k, one in enumerate(group)
    }
    entries = [entry.xreplace(known) for matrix in matrices for entry in matrix]
    names, rest = sympy.cse(entries)
    done = time.perf_counter()
    operations = sum(sympy.count_ops(v) for _, v in names) + sum(map(sympy.count_ops, rest))
    lines = [f"    const double {s} = {sympy.ccode(v)};" for s, v in names]
    lines += [f"    out[{k}] = {sympy.ccode(v)};" for k, v in enumerate(rest)]
    name = f"sympy_{method}"
    head = f"void {name}(const double *restrict q, const double *restrict u,\n"
    head += "    const double *restrict p, double *restrict out)\n{\n"
    seconds = {"form": formed - begun, "shorten": done - formed}
    return Derived(f"SymPy, {method}", seconds, int(operations), head + "\n".join(lines) + "\n}\n")


def _bodies(count: int, speeds: list[Any], q: list[Any], constants: tuple[Any, ...]) -> Any:
    """Return SymPy's bodies of the chain, with their weights and potential energies."""
    g, masses, lengths = constants[0], constants[1 : count + 1], constants[count + 1 :]
    ground, place = mechanics.ReferenceFrame("N"), mechanics.Point("O")
    place.set_vel(ground, 0)
    frame, bodies, loads, origin = ground, [], [], place
    for k in range(count):
        turned = frame.orientnew(f"A{k}", "Axis", [q[k], ground.z])
        turned.set_ang_vel(frame, speeds[k] * ground.z)
        centre = place.locatenew(f"C{k}", -lengths[k] / 2 * turned.y)
        centre.v2pt_theory(place, ground, turned)
        end = place.locatenew(f"P{k}", -lengths[k] * turned.y)
        end.v2pt_theory(place, ground, turned)
        inertia = mechanics.inertia(turned, 0, 0, masses[k] * lengths[k] ** 2 / 12)
        body = mechanics.RigidBody(f"B{k}", centre, turned, masses[k], (inertia, centre))
        body.potential_energy = masses[k] * g * centre.pos_from(origin).dot(ground.y)
        bodies.append(body)
        loads.append((centre, -masses[k] * g * ground.y))
        frame, place = turned, end
    return ground, bodies, loads


def _symbols(count: int) -> tuple[list[Any], list[Any], tuple[Any, ...]]:
    q = mechanics.dynamicsymbols(f"q:{count}")
    u = mechanics.dynamicsymbols(f"u:{count}")
    return list(q), list(u), sympy.symbols(f"g m:{count} l:{count}")


def _kane(count: int) -> Any:
    q, u, constants = _symbols(count)
    ground, bodies, loads = _bodies(count, u, q, constants)
    method = mechanics.KanesMethod(ground, q, u, [a.diff() - b for a, b in zip(q, u, strict=True)])
    method.kanes_equations(bodies, loads)
    return (method.mass_matrix, method.forcing), q, u, constants


def _lagrange(count: int) -> Any:
    q, _, constants = _symbols(count)
    rates = [one.diff() for one in q]
    ground, bodies, _ = _bodies(count, rates, q, constants)
    method = mechanics.LagrangesMethod(mechanics.Lagrangian(ground, *bodies), q, frame=ground)
    method.form_lagranges_equations()
    return (method.mass_matrix, method.forcing), q, rates, constants
