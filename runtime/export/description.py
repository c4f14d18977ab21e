# SPDX-License-Identifier: BSD-3-Clause
"""Descriptions of FMUs: ``modelDescription.xml`` after FMI 2.0 and 3.0."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as xml

from flexforge.codegen.errors import InputError
from flexforge.codegen.version import VERSION
from flexforge.runtime.export.solver import Solver
from flexforge.runtime.export.variables import UNITS, Variable, variables
from flexforge.runtime.unit_systems import UnitSystem

#: Capabilities of the FMUs by version of the standard: model exchange, co-simulation.
_COMMON = {
    2: {"canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true",
        "providesDirectionalDerivative": "true"},
    3: {"canGetAndSetFMUState": "true", "canSerializeFMUState": "true",
        "providesDirectionalDerivatives": "true"},
}  # fmt: skip

_VARYING = {"canHandleVariableCommunicationStepSize": "true"}
_STEPPING = {2: _VARYING | {"canInterpolateInputs": "true"}, 3: _VARYING}
#: Tolerance of integrators in model exchange, relative to a state and to its nominal value.
TOLERANCE = 1e-7


def describe_2(solver: Solver) -> str:
    """Return the description of a solver as an FMU of FMI 2.0.

    Parameters
    ----------
    solver : Solver
        The model.

    Raises
    ------
    InputError
        When its unit of time is not the second.
    """
    known = variables(solver)
    root = _head(solver, 2, known, guid=solver.fingerprint,
                 numberOfEventIndicators=str(sum(one.indicates for one in known)))  # fmt: skip
    tool = xml.SubElement(xml.SubElement(root, "VendorAnnotations"), "Tool", {"name": "flexforge"})
    xml.SubElement(tool, "Provenance", solver.provenance)
    table = xml.SubElement(root, "ModelVariables")
    place = {one.number: str(i) for i, one in enumerate(known, start=1)}
    for one in known:
        entry = xml.SubElement(table, "ScalarVariable", _attributes(one) | _initial(one))
        real = xml.SubElement(entry, "Real", _value(one, solver.units))
        if one.derivative_of is not None and one.causality == "local":
            real.set("derivative", place[one.derivative_of])
    structure = xml.SubElement(root, "ModelStructure")
    names = ("Outputs", "Derivatives", "InitialUnknowns")
    for name, members in zip(names, _unknowns(known), strict=True):
        if members:
            group = xml.SubElement(structure, name)
            for one in sorted(members, key=lambda one: int(place[one.number])):
                xml.SubElement(group, "Unknown", {"index": place[one.number]})
    return _text(root)


def describe_3(solver: Solver) -> str:
    """Return the description of a solver as an FMU of FMI 3.0.

    Parameters
    ----------
    solver : Solver
        The model.

    Raises
    ------
    InputError
        When its unit of time is not the second.
    """
    known = variables(solver)
    root = _head(solver, 3, known, instantiationToken=solver.fingerprint)
    table = xml.SubElement(root, "ModelVariables")
    time = {"name": "time", "valueReference": "0", "causality": "independent"}
    xml.SubElement(table, "Float64", time | {"description": "time", "variability": "continuous"})
    for one in known:
        entry = xml.SubElement(
            table, "Float64", _attributes(one) | _initial(one) | _value(one, solver.units)
        )
        if one.derivative_of is not None and one.causality == "local":
            entry.set("derivative", str(one.derivative_of))
    structure = xml.SubElement(root, "ModelStructure")
    names = ("Output", "ContinuousStateDerivative", "InitialUnknown")
    for name, members in zip(names, _unknowns(known), strict=True):
        for one in members:
            xml.SubElement(structure, name, {"valueReference": str(one.number)})
    for one in known:
        if one.indicates:
            xml.SubElement(structure, "EventIndicator", {"valueReference": str(one.number)})
    notes = xml.SubElement(root, "Annotations")
    note = xml.SubElement(notes, "Annotation", {"type": "org.flexforge.provenance"})
    xml.SubElement(note, "Provenance", solver.provenance)
    return _text(root)


def build_description(solver: Solver) -> str:
    """Return ``buildDescription.xml`` of FMI 3.0: how the sources are compiled."""
    root = xml.Element("fmiBuildDescription", {"fmiVersion": "3.0"})
    part = xml.SubElement(root, "BuildConfiguration", {"modelIdentifier": solver.name})
    files = xml.SubElement(part, "SourceFileSet", {"language": "C99"})
    xml.SubElement(files, "SourceFile", {"name": "fmi3.c"})
    return _text(root)


def _head(
    solver: Solver, version: int, known: Sequence[Variable], **attributes: str
) -> xml.Element:
    """Return the description of a solver up to its variables."""
    if solver.units.is_declared and solver.units.second != 1.0:
        raise InputError(
            f"units: found {solver.units.name}; expected a system with seconds, in which importers "
            "of FMUs count the time"
        )
    root = xml.Element(
        "fmiModelDescription",
        {
            "fmiVersion": f"{version}.0",
            "modelName": _plain(solver.title),
            **attributes,
            "generationTool": f"flexforge {VERSION}",
            "variableNamingConvention": "flat",
        },
    )
    # A large mesh takes its own steps only.
    for kind in ("ModelExchange", "CoSimulation")[0 if solver.exchanges else 1 :]:
        part = xml.SubElement(root, kind, {"modelIdentifier": solver.name, **_COMMON[version]})
        if kind == "CoSimulation":
            part.attrib |= _STEPPING[version]
        elif version == 3:  # version 2 has to say where they need none
            part.attrib["needsCompletedIntegratorStep"] = "true"
        if version == 2:
            files = xml.SubElement(part, "SourceFiles")
            xml.SubElement(files, "File", {"name": "fmi2.c"})
    _units(root, known, solver.units)
    categories = xml.SubElement(root, "LogCategories")
    xml.SubElement(categories, "Category", {"name": "logStatusError"})
    given = {"startTime": "0.0", "stopTime": repr(solver.duration), "stepSize": repr(solver.step)}
    xml.SubElement(root, "DefaultExperiment", given | {"tolerance": repr(TOLERANCE)})
    return root


def _unknowns(known: Sequence[Variable]) -> tuple[list[Variable], ...]:
    """Return the outputs, the derivatives of states, and what is computed at the start."""
    outputs = [one for one in known if one.causality == "output"]
    derivatives = [one for one in known if one.derivative_of is not None]
    return outputs, derivatives, outputs + [one for one in derivatives if one.start is None]


def _units(root: xml.Element, known: Sequence[Variable], system: UnitSystem) -> None:
    used = sorted({one.unit for one in known if one.unit})
    if not system.is_declared:
        used = [unit for unit in used if system.label(unit)]
    if used:
        table = xml.SubElement(root, "UnitDefinitions")
        for unit in used:
            entry = xml.SubElement(table, "Unit", {"name": system.label(unit)})
            exponents = {name: str(power) for name, power in UNITS[unit].items()}
            size = system.size(unit)
            factor = {} if size == 1.0 else {"factor": repr(size)}
            xml.SubElement(entry, "BaseUnit", exponents | factor)


def _attributes(one: Variable) -> dict[str, str]:
    return {
        "name": _plain(one.name),
        "valueReference": str(one.number),
        "description": _plain(one.description),
        "causality": one.causality,
        "variability": "continuous",
    }


def _initial(one: Variable) -> dict[str, str]:
    """Return the attribute ``initial`` of a variable; inputs have none."""
    if one.causality == "input":
        return {}
    return {"initial": "calculated" if one.start is None else "exact"}


def _value(one: Variable, system: UnitSystem) -> dict[str, str]:
    found = {"unit": system.label(one.unit), "nominal": one.nominal, "start": one.start}
    return {key: str(value) for key, value in found.items() if value not in (None, "")}


def _plain(text: str) -> str:
    """Return a text without characters that XML cannot hold."""
    return "".join(
        c if c == "\t" or c >= " " and not "\ud800" <= c <= "\udfff" else " "
        for c in text
        if c not in "\ufffe\uffff"
    )


def _text(root: xml.Element) -> str:
    xml.indent(root, "  ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root, "unicode") + "\n"
