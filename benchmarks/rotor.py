# SPDX-License-Identifier: BSD-3-Clause
"""Rotors of examples beside ROSS: roots, unbalance responses, and the time that analyses take.

Most examples are those of Friswell, Penny, Garvey and Lees, Dynamics of Rotating Machines, as data
(rotors/rotors.toml); another is ROSS's compressor, which is read from ROSS where it is part of it.
Roots and responses of both are compared. Then a Campbell diagram, a response to unbalances and a
motion run in turns, with one thread each, the rotor built before; no import is timed. Ours are
timed with all that a run writes, and the analysis alone; ROSS keeps its results in memory.

A rotor of solids, which ROSS does not have, is timed beside that, with two threads, on bearings
that are alike along x and y and on others: a Campbell diagram and a response to an unbalance, from
the model that is read to the report, and their largest differences from speeds that are solved by
themselves.

Peers run in .venv-bench (``make bench`` makes it); ROSS is left out where it is not.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support.machine import limits
from support.referee import compete, ours, peer
from support.report import leave, table
from support.rotors import CAMPBELL, ROOTS, STEPS, SWEEP, Rotor, rotors

TIMED = ("ross_rotor_example", "f592_anisotropic", "f596_hydrodynamic", "ross_with_damping")
KINDS = {
    "campbell": f"Campbell diagram, {CAMPBELL} speeds",
    "unbalance": f"unbalance response, {SWEEP} speeds",
    "time": f"{STEPS} steps, Newmark",
}
#: Roots slower than this, 1/s, are of motions that nothing restrains, and not compared.
_STILL = 1.0
#: Frequencies of that share of a root belong to motions that creep back, and are not compared.
_LEAST = 0.05


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rotors", help="names, with commas between; by default all")
    parser.add_argument("--timed", default=",".join(TIMED), help="names of those that are timed")
    parser.add_argument("--rounds", type=int, default=8, help="turns, the first not counted")
    parser.add_argument("--beams", action="store_true", help="without the rotor of solids")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    chosen = rotors(arguments.rotors.split(",") if arguments.rotors else None)
    names = ",".join(one["name"] for one in chosen)
    contestants = [
        ours("flexforge", "flexforge_rotor.py", names, arguments.timed),
        peer("ROSS", "ross_rotor.py", names, arguments.timed),
    ]
    machine = limits()
    case = compete(contestants, arguments.rounds)
    lines = [f"{machine['processor']}"]
    if "absent" in case["ROSS"]:
        lines.append(f"ROSS is left out: {case['ROSS']['absent']}")
        compared: list[dict[str, Any]] = []
    else:
        facts = case["flexforge"]["facts"], case["ROSS"]["facts"]
        compared = [difference(one, *(f[one["name"]] for f in facts)) for one in chosen]
        heads = ("rotor", "speeds", "roots", "response", "why they differ")
        lines += [
            "",
            "Largest relative differences",
            table(heads, [[*c.values()] for c in compared]),
        ]
    speed = times(case, arguments.timed.split(","))
    heads = ("rotor, analysis", "ours, ms", "whole run, ms", "ROSS, ms", "ROSS/ours", "of the run")
    lines += ["", "Medians", table(heads, [[*one.values()] for one in speed])]
    if not any(one["name"] == "compressor" for one in chosen):
        lines.append("without ROSS's compressor, which is not installed or not asked for")
    jobs = {name: one.get("jobs", one) for name, one in case.items()}
    found = {"machine": machine, "compared": compared, "times": speed, "jobs": jobs}
    if not arguments.beams:
        found["solid"] = solid = of_solids()
        lines += ["", "A rotor of solids", table([*solid[0]], [[*one.values()] for one in solid])]
    leave("rotor", found, "\n".join(lines), arguments.json)


def difference(rotor: Rotor, own: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return the largest relative differences of a rotor's roots and response, with the reason."""
    worst = 0.0
    for ours_, theirs in zip(own["roots"], other["roots"], strict=True):
        mine = np.array([complex(*z) for z in ours_])
        vibrate = (z for z in (complex(*z) for z in theirs) if z.imag > _LEAST * abs(z))
        wanted = [z for z in vibrate if z.imag > _STILL][:ROOTS]
        worst = max([worst, *(float(np.abs(mine - z).min() / abs(z)) for z in wanted)])
    response: float | None = None
    if "response" in own:
        one, two = (
            np.array(f["response"][0]) + 1j * np.array(f["response"][1]) for f in (own, other)
        )
        response = float((np.abs(one - two).max(axis=0) / np.abs(two).max(axis=0)).max())
    return {
        "rotor": rotor["name"],
        "speeds": len(rotor["speeds"]),
        "roots": worst,
        "response": response,
        "why": reason(rotor),
    }


def reason(rotor: Rotor) -> str:
    """Return why ROSS differs by more than round-off; empty where it should not."""
    if any(len(segment) > 4 for segment in rotor.get("shaft", [])):
        return (
            "ROSS's tapered elements bend as if their section were that of the middle; ours do not"
        )
    if any("speed" in one for one in rotor["bearings"]):
        return "ROSS smooths tables of bearings, beyond their ends too"
    if "alpha" in rotor or "beta" in rotor:
        return "damping of ROSS's shaft does not turn with it: no circulatory terms"
    if "axial_force" in rotor:
        return "tension: differs by the order of its strain, in proportion to it"
    return ""


def times(case: dict[str, Any], names: list[str]) -> list[dict[str, Any]]:
    """Return the median times of all analyses, ms, and how many times ours ROSS takes."""
    own, peers = case["flexforge"]["jobs"], case["ROSS"].get("jobs", {})
    lines = []
    for name in names:
        for kind, text in KINDS.items():
            record = own[f"{name} {kind}"]
            whole, alone = record["median"], record["figures"]["analysis, s"]
            theirs = {text: peers.get(f"{name} {kind}")}
            if kind == "time":
                theirs[f"{STEPS} steps, ROSS by lsim"] = peers.get(f"{name} time, lsim")
            for what, job in theirs.items():
                seconds = job["median"] if job else None
                lines.append(
                    {
                        "what": f"{name}, {what}",
                        "ours, ms": 1e3 * alone,
                        "whole run, ms": 1e3 * whole,
                        "ROSS, ms": 1e3 * seconds if seconds else None,
                        "ROSS/ours": seconds / alone if seconds else None,
                        "of the run": seconds / whole if seconds else None,
                    }
                )
    return lines


def of_solids() -> list[dict[str, Any]]:
    """Return times of the rotor of solids, s, and differences from single speeds, relative."""
    case = compete([ours("flexforge", "flexforge_solid_rotor.py", threads=2)], rounds=1)
    if "absent" in case["flexforge"]:
        raise RuntimeError(f"the rotor of solids: {case['flexforge']['absent']}")
    jobs, facts = case["flexforge"]["jobs"], case["flexforge"]["facts"]
    names = {"campbell": ("Campbell diagram", "roots"), "response": ("response", "response")}
    return [
        {
            "what": f"{what}, bearings {alike} along x and y",
            "unknowns": int(jobs[f"{job} {alike}"]["figures"]["unknowns"]),
            "speeds": int(jobs[f"{job} {alike}"]["figures"]["speeds"]),
            "seconds": jobs[f"{job} {alike}"]["median"],
            "from single speeds": facts[f"{fact} {alike}"],
        }
        for alike in ("alike", "unlike")
        for job, (what, fact) in names.items()
    ]


if __name__ == "__main__":
    main()
