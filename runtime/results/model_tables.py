# SPDX-License-Identifier: BSD-3-Clause
"""The section of the report on the model: its parts as tables, with units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from flexforge.runtime.model.schema_mechanism import COORDINATES
from flexforge.runtime.results.rows import engineering, text
from flexforge.runtime.unit_systems import DEFAULT, UnitSystem, system_of

Row = tuple[str, ...]

_TITLES = {
    "materials": "Materials",
    "masses": "Masses",
    "connectors": "Connectors",
    "links": "Links",
    "joints": "Joints",
    "gears": "Gears",
    "drivers": "Drivers",
    "actuators": "Actuators",
    "controllers": "Controllers",
    "forces": "Forces between links",
    "constraints": "Constraints",
    "supports": "Supports",
    "equations": "Equations",
    "loads": "Loads",
    "initial": "Initial state",
}
_UNITS = {
    **dict.fromkeys(("young", "E1", "E2", "E3", "G12", "G13", "G23", "anisotropic"), "Pa"),
    **dict.fromkeys(("diameter", "wall", "width", "height", "flange", "web", "thickness"), "m"),
    **dict.fromkeys(("total", "per_node"), "N"),
    "position": "m",
    "duration": "s",
    "beta": "s",
    "alpha": "1/s",
    "density": "kg/m^3",
    "mass": "kg",
    "acceleration": "m/s^2",
    "area": "m^2",
    "expansion": "1/K",
    "viscosity": "s",
    "inertia": "kg m^2",
}
_NAMES = {"young": "Young's modulus", "poisson": "Poisson's ratio"}
#: Units of the value of a load, by its kind.
_VALUES = {"pressure": "Pa", "temperature": "K", "stress": "Pa", "body_force": "N/kg"}
#: Units of a motion along an axis, and about one.
_LINEAR = {
    **dict.fromkeys(("position", "position0", "value", "value0"), "m"),
    **dict.fromkeys(("velocity", "velocity0"), "m/s"),
    "acceleration": "m/s^2",
}
_ANGULAR = {
    **dict.fromkeys(("angle", "angle0", "value", "value0"), "rad"),
    **dict.fromkeys(("velocity", "velocity0"), "rad/s"),
    "acceleration": "rad/s^2",
}
#: Units of the keys of tables, by the key of the table.
_INSIDE = {"frame": _ANGULAR, "origin": _LINEAR}
_MOST = 12  # entries of a list that are shown
_HIDDEN = {"cells"}


def model_tables(summary: Mapping[str, Any]) -> Iterator[tuple[str, Row, list[Row]]]:
    """Yield title, headings and rows of each table of the model.

    Parameters
    ----------
    summary : mapping
        As in ``summary.json``; its ``model`` is what a run keeps of the model file.
    """
    model = summary.get("model", {})
    sizes = summary.get("bodies", {})
    system = system_of(summary.get("units", DEFAULT))
    if sizes:
        given = {body["name"]: body for body in model.get("bodies", [])}
        heads = ("Body", "Element", "Material", "Cells", "Nodes", "More")
        rows = [_body(n, b, given.get(n, {}), summary, system) for n, b in sizes.items()]
        yield "Bodies", heads, rows
    joints = {one.get("name"): one.get("kind") for one in _named(model.get("joints", []))}
    for key, title in _TITLES.items():
        entries = _named(model.get(key, []))
        if entries:
            yield (
                title,
                ("Name", "Properties"),
                [_entry(key, one, joints, system) for one in entries],
            )


def _body(
    name: str,
    size: Mapping[str, Any],
    given: Mapping[str, Any],
    summary: Mapping[str, Any],
    system: UnitSystem,
) -> Row:
    element = summary.get("settings", {}).get("elements", {}).get(name, "rigid")
    material = given.get("material") or ", ".join(
        dict.fromkeys(str(ply.get("material", "")) for ply in given.get("plies", []))
    )
    rest = {k: v for k, v in given.items() if k not in {"name", "element", "material", *_HIDDEN}}
    # A model that was not run has no numbers of cells and nodes yet.
    cells = f"{size['cells']:,} {size['cell']}" if size else ""
    nodes = f"{size['nodes']:,}" if size else ""
    return name, str(element), str(material), cells, nodes, "; ".join(_pairs(rest, system))


def _named(entries: Any) -> list[Mapping[str, Any]]:
    if isinstance(entries, Mapping):
        return [{"name": name, **one} for name, one in entries.items() if isinstance(one, Mapping)]
    return [one for one in entries if isinstance(one, Mapping)]


def _entry(
    table: str, one: Mapping[str, Any], joints: Mapping[Any, Any], system: UnitSystem
) -> Row:
    """Return name and properties of an entry of a table; ``joints`` are kinds by name."""
    label = next((str(one[key]) for key in ("name", "kind", "group") if key in one), "")
    rest = {k: v for k, v in one.items() if str(v) != label}
    unit = _VALUES.get(str(one.get("kind")), "") if table == "loads" else ""
    if table == "supports" and not {"components", "displacement"} & set(one):
        rest["holds"] = "all components"
    units = {}
    if table == "drivers":
        first = next(iter(COORDINATES.get(str(joints.get(one.get("joint"))), ())), "")
        units = _LINEAR if "slide" in one.get("coordinate", first) else _ANGULAR
    return label, "; ".join(_pairs(rest, system, unit, units))


def _pairs(
    table: Mapping[str, Any],
    system: UnitSystem,
    value_unit: str = "",
    units: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """Yield "key value unit" of each entry of a table; ``units`` of what depends on its place."""
    for key, value in table.items():
        name = _NAMES.get(key, key.replace("_", " "))
        unit = (units or {}).get(key) or (value_unit if key == "value" else _UNITS.get(key, ""))
        label = system.label(unit)
        if value == {}:
            yield name
        elif isinstance(value, Mapping):
            inside = _INSIDE.get(key, {})
            text_of = f"{name} ({', '.join(_pairs(value, system, units=inside))})"
            yield f"{text_of} {label}".strip() if not inside else text_of
        elif isinstance(value, float) and unit in ("Pa", "m"):
            yield f"{name} {' '.join(engineering(value, unit, system))}".rstrip()
        else:
            yield f"{name} {_text(value, system)} {label}".strip()


def _text(value: Any, system: UnitSystem) -> str:
    if isinstance(value, list):
        shown: Sequence[Any] = value[:_MOST]
        inside = ", ".join(_text(one, system) for one in shown)
        return f"[{inside}{', …' if len(value) > _MOST else ''}]"
    if isinstance(value, Mapping):
        return f"({', '.join(_pairs(value, system))})"
    return text(value)
