# SPDX-License-Identifier: BSD-3-Clause
"""Everything in a folder of results as one xarray dataset, with units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.runtime.results.data import (
    STRESS_COMPONENTS,
    UNITS,
    BodyGeometry,
    BodyState,
    Frame,
)
from flexforge.runtime.results.history import History
from flexforge.runtime.unit_systems import SI, UnitSystem

if TYPE_CHECKING:
    from flexforge.runtime.arrays import Floats
    from xarray import Dataset

_AXES = ("x", "y", "z")
_NODAL = ("displacement", "velocity", "stress")
#: Names of what a frame has; velocities and accelerations are in components of the body.
_FRAME = {
    "r_O": "origin", "R": "rotation", "v_O": "velocity", "w": "angular_velocity",
    "a_O": "acceleration", "e": "angular_acceleration",
}  # fmt: skip


def dataset(
    bodies: Sequence[BodyGeometry],
    frames: list[Frame],
    modes: tuple[Floats, dict[str, Floats]],
    histories: dict[str, History],
    campbell: dict[str, Any] | None = None,
    units: UnitSystem = SI,
) -> Dataset:
    """Return bodies, frames, modes, probes and a Campbell diagram as one dataset.

    Parameters
    ----------
    bodies : sequence of BodyGeometry
        The bodies, undeformed.
    frames : list of Frame
        All bodies over time.
    modes : tuple
        Frequencies, Hz, (m,), and shapes by body, (m, n, components).
    histories : dict of str to History
        Probes by name.
    campbell : dict, optional
        Modes over the speeds, as in the summary.

    units : UnitSystem
        The units of all numbers.

    Raises
    ------
    ImportError
        Without xarray: ``pip install xarray``.
    """
    from xarray import Dataset

    found: dict[str, Any] = {}
    for shape in bodies:
        body, node = shape.name, f"{shape.name}.node"
        found[f"{body}.points"] = (node, "axis"), shape.points, {"units": UNITS["points"]}
        states = [frame.states[body] for frame in frames if body in frame.states]
        for name in _NODAL:
            values = _over_time(states, name, len(frames))
            if values is not None:
                last = "component" if name == "stress" else _axis(values)
                found[f"{body}.{name}"] = ("frame_time", node, last), values, {"units": UNITS[name]}
        found |= _at_stations(shape, states, len(frames)) | _motion(body, states, len(frames))
        if body in modes[1]:
            form = modes[1][body]
            found[f"{body}.shape"] = ("mode", node, _axis(form)), form, {}
    recorded = {name: one for name, one in histories.items() if len(one)}
    for name, history in recorded.items():
        found[name] = ("time",), history.values, {"units": history.unit}
    coordinates: dict[str, Any] = {"axis": list(_AXES), "plane_axis": list(_AXES[:2])}
    coordinates |= {"body_axis": list(_AXES), "component": list(STRESS_COMPONENTS)}
    if frames:
        at = np.array([one.time for one in frames])
        coordinates["frame_time"] = "frame_time", at, {"units": "s"}
    if len(modes[0]):
        coordinates["frequency"] = "mode", modes[0], {"units": UNITS["frequency"]}
    if campbell is not None:
        found |= _branches(campbell)
        coordinates |= _coordinates(campbell)
    times = next((one.time for one in recorded.values()), None)
    if times is not None:
        coordinates["time"] = "time", times, {"units": "s"}
    used = {dim for dims, *_ in found.values() for dim in dims}
    used |= {"frequency", "critical_order", "critical_branch"}
    kept = {name: one for name, one in coordinates.items() if name in used}
    whole = Dataset(found, kept)
    for one in whole.variables.values():
        if "units" in one.attrs:
            one.attrs["units"] = units.label(one.attrs["units"])
    return whole


def _at_stations(shape: BodyGeometry, states: list[BodyState], count: int) -> dict[str, Any]:
    """Return stresses, or the forces of sections, at the stations of a body over all frames."""
    if shape.stations is None or len(states) != count or not count:
        return {}
    station = f"{shape.name}.station"
    position = (station, "axis"), shape.stations, {"units": UNITS["points"]}
    found: dict[str, Any] = {f"{shape.name}.stations": position}
    for key in states[0].at_stations or ():
        values = np.stack([(one.at_stations or {})[key] for one in states])
        last = {6: ("component",), 3: ("principal",)}.get(values.shape[-1], ())
        dims = ("frame_time", station, *last[: values.ndim - 2])
        found[f"{shape.name}.stations.{key}"] = dims, values, {"units": UNITS.get(key, "")}
    return found


def _motion(body: str, states: list[BodyState], count: int) -> dict[str, Any]:
    """Return the motion of the frame of a body over all frames of the results."""
    moving = [one.frame for one in states if one.frame is not None]
    if len(moving) != count or not count:
        return {}
    found: dict[str, Any] = {}
    for key, name in _FRAME.items():
        values = np.stack([np.asarray(getattr(one, key)) for one in moving])
        dims = ("frame_time", "axis", *("body_axis",) * (values.ndim == 3))
        found[f"{body}.frame.{name}"] = dims, values, {"units": UNITS[key]}
    return found


def _branches(campbell: dict[str, Any]) -> dict[str, Any]:
    """Return frequencies and growths of the branches over the speeds, and the critical speeds."""
    modes, criticals = campbell["modes"], campbell["critical_speeds"]
    over = {
        name: np.array([mode[key] for mode in modes], dtype=float)  # null where not tracked
        for name, key in (("frequency", "frequency_Hz"), ("growth", "growth_1_s"))
    }
    return {
        "branch_frequency": (("branch", "speed"), over["frequency"], {"units": "Hz"}),
        "branch_growth": (("branch", "speed"), over["growth"], {"units": "1/s"}),
        "critical_speed": (
            ("critical",), np.array([one["speed_rad_s"] for one in criticals]), {"units": "rad/s"}
        ),
        "critical_frequency": (
            ("critical",), np.array([one["frequency_Hz"] for one in criticals]), {"units": "Hz"}
        ),
    }  # fmt: skip


def _coordinates(campbell: dict[str, Any]) -> dict[str, Any]:
    """Return speeds and numbers of branches, and order and branch of every critical speed."""
    criticals = campbell["critical_speeds"]
    return {
        "speed": ("speed", np.array(campbell["speeds_rad_s"]), {"units": "rad/s"}),
        "branch": ("branch", [mode["mode"] for mode in campbell["modes"]]),
        "critical_order": ("critical", np.array([one["order"] for one in criticals], dtype=int)),
        "critical_branch": ("critical", np.array([one["mode"] for one in criticals], dtype=int)),
    }


def _axis(values: Floats) -> str:
    """Return the name of the last dimension of nodal vectors: plane or spatial."""
    return "plane_axis" if values.shape[-1] == 2 else "axis"


def _over_time(states: list[BodyState], name: str, count: int) -> Floats | None:
    """Return a nodal field over all frames, None where a frame does not have it."""
    values = [getattr(state, name) for state in states]
    if not values or len(values) != count or any(one is None for one in values):
        return None
    return np.stack(values)
