# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with the sector of a wheel, ``[cyclic]``, beside other tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.checks_plies import known_name
from flexforge.runtime.model.messages import Problem
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_frame import is_free
from flexforge.runtime.vibration.engine_orders import signed_diameter
from flexforge.runtime.vibration.mistuning import changes_of

_ALONG = 1e-9  # sine of an angle that is none


def cyclic_problems(model: ModelSpec) -> Iterator[Problem]:
    """Yield what contradicts one sector that stands for all, and nodal diameters without one.

    Parameters
    ----------
    model : ModelSpec
        Validated table by table.

    Yields
    ------
    Problem
        Key path and text.
    """
    analysis = model.analysis
    given = getattr(analysis, "nodal_diameters", None)
    spec = model.cyclic
    yield from _sectors(model)
    around = getattr(analysis, "nodal_diameter", None)
    if analysis.kind == "modes" and spec is None:
        if analysis.speeds is None and "orders" in analysis.model_fields_set:
            text = "found without speeds; expected speeds too, over which orders are looked for"
            yield Problem(("analysis", "orders"), text)
        for key in ("margin", "operating"):
            if key in analysis.model_fields_set:
                text = "found without [cyclic]; expected the sector of a wheel with it"
                yield Problem(("analysis", key), text)
    if spec is None:
        for key, found in (("nodal_diameters", given), ("nodal_diameter", around)):
            if found is not None:
                text = "found without [cyclic]; expected the sector of a wheel with it"
                yield Problem(("analysis", key), text)
        return
    if analysis.kind == "harmonic" and analysis.speeds is not None and around is None:
        around = signed_diameter(analysis.order, spec.sectors)
    if around and spec.expand:
        text = "found with a nodal diameter of loads; expected false: results are of one sector"
        yield Problem(("cyclic", "expand"), text)
    if around and getattr(analysis, "modes", None) is not None and spec.mistuning is None:
        text = "found with modes; expected frequencies without modes, or cyclic.mistuning"
        yield Problem(("analysis", "nodal_diameter"), text)
    yield from _mistuning(model)
    most = spec.sectors // 2
    if given is not None and given != "all" and given[-1] > most:
        text = f"found {given[-1]}; expected at most {most}, half of {spec.sectors} sectors"
        yield Problem(("analysis", "nodal_diameters"), text)
    if analysis.kind == "modes":
        if analysis.speeds is not None and analysis.shift is not None:
            text = "found with speeds of a wheel, whose waves are sought from zero on; expected "
            yield Problem(("analysis", "shift"), f"{text}none")
    elif analysis.kind not in ("static", "transient", "harmonic", "periodic"):
        text = f"found {analysis.kind} with [cyclic]; expected static, transient, modes, harmonic"
        yield Problem(("analysis", "kind"), text)
    for key in ("links", "constraints", "reduction"):
        if getattr(model, key):
            yield Problem((key,), f"found with [cyclic]; expected it without {key}")
    for index, body in enumerate(model.bodies):
        if body.is_revolved:
            text = "found a body of revolution with [cyclic], which is a wheel already; expected a "
            yield Problem(("bodies", index, "hypothesis"), f"{text}sector")
        if is_free(body.frame):
            text = "found a free frame with [cyclic]; expected one whose motion is given"
            yield Problem(("bodies", index, "frame"), text)
    yield from _loads(model)


def _mistuning(model: ModelSpec) -> Iterator[Problem]:
    """Yield what is wrong with sectors that differ, and analyses that need them to be equal."""
    analysis, spec, key = model.analysis, model.cyclic, ("cyclic", "mistuning")
    if spec is None or spec.mistuning is None:
        return
    speeds = getattr(analysis, "speeds", None) is not None
    if speeds or analysis.kind not in ("modes", "harmonic"):
        over = " over speeds" if speeds else ""
        text = f"found with a {analysis.kind} analysis{over}; expected modes at one speed, or a "
        yield Problem(key, f"{text}harmonic one by modes")
    elif analysis.kind == "harmonic" and analysis.modes is None:
        text = "found without modes of the tuned wheel; expected their number"
        yield Problem(("analysis", "modes"), text)
    if analysis.kind == "harmonic" and spec.expand:
        text = "found with mistuning; expected false, as frames are of one sector"
        yield Problem(("cyclic", "expand"), text)
    names = [body.name for body in model.bodies]
    for index, name in enumerate(spec.mistuning.bodies):
        yield from known_name(name, names, "body", (*key, "bodies", index))
    try:
        changes_of(spec.mistuning, spec.sectors)
    except InputError as error:
        yield Problem(key, str(error))


def _sectors(model: ModelSpec) -> Iterator[Problem]:
    """Yield loads on some sectors that there are not, or where no modes of the wheel add up."""
    analysis, spec = model.analysis, model.cyclic
    for index, load in enumerate(model.loads):
        key = ("loads", index, "sectors")
        if load.sectors is None:
            continue
        if spec is None:
            yield Problem(key, "found without [cyclic]; expected the sector of a wheel with them")
        elif max(load.sectors) > spec.sectors:
            text = f"found {max(load.sectors)}; expected numbers from 1 to {spec.sectors}"
            yield Problem(key, text)
        elif load.preload:
            yield Problem(key, "found with preload; expected a state that all sectors share")
        elif getattr(analysis, "modes", None) is None:
            text = f"found with a {analysis.kind} analysis without modes; expected a harmonic one "
            yield Problem(key, f"{text}with modes, or method modal")
        elif spec.expand:
            text = "found with loads of some sectors; expected false, as results are of the first"
            yield Problem(("cyclic", "expand"), text)


def _loads(model: ModelSpec) -> Iterator[Problem]:
    """Yield loads whose direction is the same in all sectors, where it is not the axis."""
    assert model.cyclic is not None
    axis = np.array(model.cyclic.axis)
    for index, load in enumerate(model.loads):
        for key in ("acceleration", "total", "each"):
            vector = getattr(load, key, None)
            fixed = load.kind == "gravity" or getattr(load, "frame", "body") == "global"
            if vector is None or not fixed:
                continue
            size = np.linalg.norm(axis) * np.linalg.norm(vector)
            if np.linalg.norm(np.cross(axis, vector)) > _ALONG * size:
                text = f"found {[*vector]}, which is not cyclic: it does not turn with the sectors"
                yield Problem(("loads", index, key), f"{text}; expected one along cyclic.axis")
