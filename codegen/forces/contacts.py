# SPDX-License-Identifier: BSD-3-Clause
"""Contacts: the law of force of a shape, a normal law and friction, put together as text.

With the gap g, the direction n in which the first shape pushes the second, and the arm from the
centre of the second to where they touch, all in axes of the first marker,

    v = p' + w x arm,   depth = -g,   depth' = -n v,   slip = v - n (n v),
    force = N n - N factor slip,   moment = arm x force,

where N >= 0 is the normal law of depth and depth', and `factor` the law of friction. The material
points that touch have the velocity v relative to each other, so that n v is g', also of discs.

Dry friction acts against a way that is kept, a sign in the plane, so that a slip which turns round
within a step is seen. In space, with the slip a along that way and b across it, it is against
(|a|, b)/sqrt(a^2 + b^2): the slip, until it turns round.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from flexforge.codegen.forces.declaration import HELD, ZERO, ForceLaw
from flexforge.codegen.forces.switching import (
    SLOWEST,
    SPEED,
    STILL,
    STUCK,
    Slip,
    gripping,
    sticking,
    striking,
    touching,
)

_FOLDER = Path(__file__).parent / "declared"
_AXES = "xyz"


@cache
def declared(kind: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the declarations of a kind by name: ``shapes``, ``normals`` or ``frictions``."""
    return tomllib.loads((_FOLDER / f"{kind}.toml").read_text(encoding="utf-8"))


def parameters_of(shape: str, normal: str, friction: str | None) -> dict[str, str]:
    """Return the parameters of a contact with their units."""
    found = dict(declared("shapes")[shape]["parameters"])
    found |= declared("normals")[normal]["parameters"]
    return found | ({} if friction is None else declared("frictions")[friction]["parameters"])


def contact_law(
    shape: str,
    normal: str,
    friction: str | None,
    plane: str,
    *,
    events: bool = True,
    measured: bool = False,
) -> ForceLaw:
    """Return the law of a contact.

    Parameters
    ----------
    shape, normal : str
        Names of declarations.
    friction : str, optional
        The same; by default there is none.
    plane : str
        As of `ForceLaw`.
    events : bool
        Whether steps end where the shapes begin and cease to touch; of impacts they do.
    measured : bool
        Whether the speed of an impact is that at which the shapes begin to touch, rather than a
        parameter.
    """
    of = declared("shapes")[shape]
    slip = None
    if friction is not None and not has_ends(shape) and (is_instant(normal) or is_dry(friction)):
        slip = _slip(of["normal"], plane)
    if has_ends(shape):
        touch = _touching(of, normal, friction, slip, plane)
        ends = [_end(touch, k, sign) for k, sign in ((1, ""), (2, "-"))]
        where = {name: text for one in ends for name, text in one[0].items()}
        first, second = ends
        fx, fy, fz, mx, my, mz = (
            ZERO if one == other == ZERO else f"{one} + {other}"
            for one, other in zip(first[1], second[1], strict=True)
        )
        gap = f"min({first[2]}, {second[2]})"
    else:
        where, (fx, fy, fz, mx, my, mz), gap = _touching(of, normal, friction, slip, plane)
    name = "_".join(("contact", shape, normal, *((friction,) if friction else ()), plane))
    acts, turns = (fx, fy, fz), (mx, my, mz)
    law = ForceLaw(name, (), tuple(where.items()), acts, turns, gap, plane=plane)
    known = parameters_of(shape, normal, friction)
    law = _switched(law, normal, events, measured)
    if slip is not None and is_instant(normal):
        law = gripping(law, slip, "friction")
    if slip is not None and is_dry(friction or ""):
        law = sticking(law, slip, "rest_friction*push")
    return _used(law, known, measured)


_Touching: TypeAlias = tuple[dict[str, str], tuple[str, ...], str]


def _touching(
    of: Mapping[str, Any], normal: str, friction: str | None, slip: Slip | None, plane: str
) -> _Touching:
    """Return quantities, the components of force and moment, and the gap where shapes touch."""
    n, arm = of["normal"], of["arm"]
    where: dict[str, str] = dict(of.get("where", {}))
    where |= {f"arm_{a}": text for a, text in zip(_AXES, arm, strict=True)}
    where |= {f"normal_{a}": text for a, text in zip(_AXES, n, strict=True)}
    where |= {
        f"v{a}": f"{a}_dot + w{b}*arm_{c} - w{c}*arm_{b}" for a, b, c in ("xyz", "yzx", "zxy")
    }
    where["depth"] = _depth(of.get("depth", f"-({of['gap']})"))
    where["depth_dot"] = f"-({_dot('normal_', 'v')})"
    where["push"] = _push(normal)
    if "share" in of and not is_instant(normal):  # that of rigid shapes is whole
        where["push"] = f"{where['push']}*({of['share']})"
    if of.get("ends"):  # one of which touches
        where["push"] = f"step(-({of['gap']}))*{where['push']}"
    if friction is not None:
        where |= {f"slip_{a}": f"v{a} + normal_{a}*depth_dot" for a in _AXES}
        where |= {} if slip is None else _ways(slip, plane)
        if is_dry(friction):
            where["drag"] = f"(1 - {STUCK})*friction*push"
            against = "way_{a}" if slip is None or slip.across else "way*along_{a}"
        else:
            where["slip"] = f"sqrt({_dot('slip_', 'slip_')} + regular^2)"
            where["drag"] = f"push*({declared('frictions')[friction]['factor']})"
            against = "slip_{a}"
        along = "" if is_instant(normal) else "push*normal_{a} "
        where |= {f"force_{a}": f"{along.format(a=a)}- drag*{against.format(a=a)}" for a in _AXES}
        force = tuple(f"force_{a}" for a in _AXES)
    elif is_instant(normal):
        force = (ZERO, ZERO, ZERO)
    else:
        pushes = zip(_AXES, n, strict=True)
        where |= {f"force_{a}": ZERO if one == ZERO else f"push*normal_{a}" for a, one in pushes}
        force = tuple(ZERO if where[f"force_{a}"] == ZERO else f"force_{a}" for a in _AXES)
    moment = (ZERO, ZERO, ZERO)
    if friction is not None or (of.get("askew") and not is_instant(normal)):
        mx, my, mz = (f"arm_{b}*force_{c} - arm_{c}*force_{b}" for b, c in ("yz", "zx", "xy"))
        moment = (mx, my, mz)
    return where, (*force, *moment), of["gap"]


#: Numbers that are kept: the way of a slip in the plane, and its components in space.
WAY, WAYS = "way", ("kept_x", "kept_y", "kept_z")


def _slip(normal: Sequence[str], plane: str) -> Slip:
    """Return how formulas have the slip of shapes, by quantities of `_ways`."""
    if plane != "spatial":
        return _along_line("slip_1")
    toward = tuple(f"toward_{a}/toward" for a in _AXES)
    turned = f"slip_1 - sqrt(slip_1^2 + slip_2^2)/2 + {STILL}"
    tilted = ""
    if any(one not in ("0", "1") for one in normal):  # it turns in the axes of the first shape
        tilted = "1/2 - lean^2"
        turned = f"min({turned}, {tilted})"
    along, across = (tuple(f"{name}_{a}" for a in _AXES) for name in ("along", "across"))
    size = f"sqrt({_dot('slip_', 'slip_')})"
    return Slip(("slip_1", "slip_2"), size, WAYS, toward, turned, tilted, along, across)


def _along_line(speed: str) -> Slip:
    """Return how formulas have a slip that has one direction."""
    toward = f"2*step({speed}) - 1"
    return Slip((speed,), f"abs({speed})", (WAY,), (toward,), f"{WAY}*{speed} + {STILL}")


def _ways(slip: Slip, plane: str) -> dict[str, str]:
    """Return directions across the normal, and the components of the slip along them.

    In space they are those of the kept way without its part along the normal, and across it. A way
    to begin with is that of the slip, or where there is none some direction across the normal.
    """
    if plane == "normal":
        along = {"x": "-normal_y", "y": "normal_x", "z": ZERO}
    elif plane == "along":
        along = {"x": "normal_z", "y": ZERO, "z": "-normal_x"}
    if plane != "spatial":
        found = {f"along_{a}": text for a, text in along.items()}
        return found | {"slip_1": _dot("slip_", "along_")}
    kept = dict(zip(_AXES, slip.way, strict=True))
    found = {"lean": " + ".join(f"normal_{a}*{one}" for a, one in kept.items())}
    found["flat"] = "sqrt(max(1 - lean^2, 1e-12))"
    found |= {f"along_{a}": f"({one} - lean*normal_{a})/flat" for a, one in kept.items()}
    found |= {
        f"across_{a}": f"normal_{b}*along_{c} - normal_{c}*along_{b}"
        for a, b, c in ("xyz", "yzx", "zxy")
    }
    found |= {"slip_1": _dot("slip_", "along_"), "slip_2": _dot("slip_", "across_")}
    found |= {"ahead": f"abs(slip_1) + {STILL}", "fast": "sqrt(ahead^2 + slip_2^2)"}
    found |= {f"way_{a}": f"(ahead*along_{a} + slip_2*across_{a})/fast" for a in _AXES}
    found["by_x"] = "step(1/2 - normal_x^2)"
    aside = ("-(1 - by_x)*normal_z", "by_x*normal_z", "(1 - by_x)*normal_x - by_x*normal_y")
    found |= {
        f"toward_{a}": f"slip_{a} + {STILL}*({one})" for a, one in zip(_AXES, aside, strict=True)
    }
    found["toward"] = f"sqrt({_dot('toward_', 'toward_')})"
    return found


def is_dry(friction: str) -> bool:
    """Return whether a law of friction sticks and slips, at events."""
    return "factor" not in declared("frictions")[friction]


def _end(both: _Touching, number: int, sign: str) -> _Touching:
    """Return the same at an end of the second shape, with names of its own."""
    where, efforts, gap = {"end": f"{sign}length/2"} | both[0], both[1], both[2]
    names = re.compile(rf"(?<![\w.])({'|'.join(where)})(?!\w)")

    def own(text: str) -> str:
        return names.sub(rf"\1_{number}", text)

    return {own(k): own(text) for k, text in where.items()}, tuple(map(own, efforts)), own(gap)


def has_ends(shape: str) -> bool:
    """Return whether shapes touch at either end, each with a force of its own."""
    return bool(declared("shapes")[shape].get("ends"))


def is_instant(normal: str) -> bool:
    """Return whether impacts by a normal law take no time."""
    return "force" not in declared("normals")[normal]


def _push(normal: str) -> str:
    """Return the formula of the force by which shapes push each other."""
    return f"positive({HELD if is_instant(normal) else declared('normals')[normal]['force']})"


def _switched(law: ForceLaw, normal: str, events: bool, measured: bool) -> ForceLaw:
    """Return a law with a gap and the quantities ``depth`` and ``depth_dot`` that switches."""
    if is_instant(normal):
        law = striking(replace(law, where=(*law.where, ("opening", "-depth_dot"))), "opening")
    elif events:
        law = touching(law, "depth_dot" if measured else "")
        law = replace(law, name=f"{law.name}_touching{'_measured' if measured else ''}")
    return law


def _used(law: ForceLaw, known: Mapping[str, str], measured: bool) -> ForceLaw:
    """Return a law with those of the parameters it may have that its formulas name."""
    left_out = SPEED if measured else SLOWEST
    used = (one for one in known if one in law.used and one != left_out)
    return replace(law, parameters=tuple(used))


def rubbing_law(friction: str, reactions: tuple[str, ...], *, turns: bool) -> ForceLaw:
    """Return the law of friction of a joint along a coordinate, which is ``x``.

    The normal force is that of the joint: ``|reaction|`` of the components that it holds. About an
    axis it acts at a radius. Reactions well below a micronewton count as none.

    Parameters
    ----------
    friction : str
        Name of a law of friction.
    reactions : tuple of str
        Names of the components of the force that the joint holds.
    turns : bool
        Whether the coordinate is an angle.
    """
    arm = "radius*" if turns else ""
    where = {
        "v": f"{arm}x_dot",
        "slip": "sqrt(v^2 + regular^2)",
        "push": f"sqrt({' + '.join(f'{name}^2' for name in reactions)} + 1e-12)",
    }
    factor = declared("frictions")[friction].get("factor")
    where["drag"] = f"push*({factor})*v" if factor else f"(1 - {STUCK})*{WAY}*friction*push"
    law = ForceLaw(
        f"rubbing_{friction}_{len(reactions)}_{'angle' if turns else 'slide'}", (),
        tuple(where.items()), (f"-{arm}drag", ZERO, ZERO), (ZERO, ZERO, ZERO), states=reactions,
    )  # fmt: skip
    if not factor:
        law = sticking(law, _along_line("x_dot"), f"{arm}rest_friction*push")
    known = rubbing_parameters(friction)
    return replace(law, parameters=tuple(one for one in known if one in law.used))


def rubbing_parameters(friction: str) -> dict[str, str]:
    """Return the parameters of the friction of a joint with their units."""
    return {"radius": "m", **declared("frictions")[friction]["parameters"]}


def stop_parameters(normal: str) -> dict[str, str]:
    """Return the parameters of stops with their units."""
    return {**declared("stops")["stop"]["parameters"], **declared("normals")[normal]["parameters"]}


def stop_law(normal: str, *, events: bool = True, measured: bool = False) -> ForceLaw:
    """Return the law of stops of a coordinate of a joint, which is ``x``, its force along it.

    Parameters
    ----------
    normal : str
        Name of a normal law.
    events, measured : bool
        As of `contact_law`.
    """
    of = declared("stops")["stop"]
    where = dict(of["where"])
    where["depth"] = _depth(f"-({of['gap']})")
    where["depth_dot"] = f"{of['side']}*x_dot"
    where["push"] = _push(normal)
    force = ZERO if is_instant(normal) else f"-{of['side']}*push"
    none = (ZERO, ZERO, ZERO)
    law = ForceLaw(f"stop_{normal}", (), tuple(where.items()), (force, ZERO, ZERO), none, of["gap"])
    return _used(_switched(law, normal, events, measured), stop_parameters(normal), measured)


def _depth(depth: str) -> str:
    """Return the depth; powers of it have no derivatives where round-off makes it zero."""
    return f"max({depth}, 1e-30)"


def _dot(left: str, right: str) -> str:
    return " + ".join(f"{left}{a}*{right}{a}" for a in _AXES)
