# SPDX-License-Identifier: BSD-3-Clause
"""Reading a model: TOML text or Python data in, a validated `ModelSpec` or one clear line out."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.files.lines import line_of
from flexforge.codegen.files.reading import read_text
from flexforge.codegen.files.system_files import MARK as SYSTEM
from flexforge.codegen.files.system_files import WHERE
from flexforge.runtime.loading.checks import problems
from flexforge.runtime.loading.inspect import inspect_tables
from flexforge.runtime.loading.shafts import validated_tables
from flexforge.runtime.model.angles import UNITS
from flexforge.runtime.model.base import shown, toml_type
from flexforge.runtime.model.messages import Problem, first_problem
from flexforge.runtime.model.schema import DECK, ModelSpec
from pydantic import ValidationError

#: Keys that every file of an element has, and no model.
_OF_ELEMENTS = {"name", "cell", "components"}
LARGEST = 16 * 2**20  # bytes


def load_model_file(
    path: str | Path,
    ignore: Sequence[str] = (),
    *,
    expanded: bool = False,
    units: str | None = None,
) -> ModelSpec:
    """Read and validate a model file, or a deck.

    Parameters
    ----------
    path : str or Path
        A TOML file; paths in it are relative to its folder. Or a deck of CalculiX or Abaqus
        (``.inp``).
    ignore : sequence of str
        Keywords of a deck whose cards are left out.
    expanded : bool
        Whether all shells and beams of a deck become solids, as CalculiX makes them.
    units : str, optional
        Name of the system of units of a deck, which itself says nothing of them.

    Returns
    -------
    ModelSpec
        The model, with paths resolved.

    Raises
    ------
    InputError
        One line: ``file:line: key: what was found; what is expected``.
    """
    path = Path(path)
    if path.suffix.lower() == DECK:
        return _load_deck(path, ignore, expanded=expanded, units=units)
    if ignore:
        raise InputError(f"--ignore: found with {path}; expected it with a deck ({DECK})")
    if expanded:
        raise InputError(f"--expanded: found with {path}; expected it with a deck ({DECK})")
    if units is not None:
        raise InputError(
            f"--units: found with {path}; expected it with a deck ({DECK}), or units in the file"
        )
    text = read_text(path, "a model file in TOML", LARGEST).replace("\r\n", "\n")
    model = _validated(_parse(path, text), path.parent, partial(_placed, path, text))
    model._source = path
    return model


def _load_deck(
    path: Path, ignore: Sequence[str], *, expanded: bool, units: str | None
) -> ModelSpec:
    """Return the model of a deck, with what was left out of it as remarks."""
    from flexforge.runtime.decks.translate import translate

    translation = translate(path, ignore, expanded=expanded, units=units)
    model = _validated(
        translation.tables, Path(), lambda problem: _one_line(f"{path}: {_with_key(problem)}")
    )
    model._source = path
    model._remarks = tuple(translation.remarks)
    return model


def model_of(model: ModelSpec | Path | str) -> ModelSpec:
    """Return a model as it is, or read it from its file."""
    return model if isinstance(model, ModelSpec) else load_model_file(model)


def inspect_model_file(
    path: str | Path, further: Callable[[ModelSpec], list[Problem]]
) -> tuple[ModelSpec | None, list[str]]:
    """Read a model file and find everything that is wrong with it, not the first thing alone.

    Parameters
    ----------
    path : str or Path
        As of :func:`load_model_file`.
    further : callable
        Returns what else is wrong with a model, such as its mesh.

    Returns
    -------
    model : ModelSpec or None
        The model, without the tables that are wrong by themselves; None where nothing can be made
        of the rest.
    mistakes : list of str
        A line each, in the order of the file.

    Raises
    ------
    InputError
        If there is no such file, or it is not TOML.
    """
    path = Path(path)
    text = read_text(path, "a model file in TOML", LARGEST).replace("\r\n", "\n")
    model, found = inspect_tables(_parse(path, text), path.parent, further)
    if model is not None:
        model._source = path
    found.sort(key=lambda problem: line_of(text, problem.path) or 0)
    return model, list(dict.fromkeys(_placed(path, text, problem) for problem in found))


def _placed(path: Path, text: str, problem: Problem) -> str:
    """Return a problem with the file and the line where it is."""
    line = line_of(text, problem.path)
    place = f"{path}:{line}" if line is not None else f"{path}"
    return _one_line(f"{place}: {_with_key(problem)}")


def model_from_dict(data: dict[str, Any], folder: str | Path = ".") -> ModelSpec:
    """Validate a model built in Python, of the same structure as the file; arrays may be NumPy's.

    Parameters
    ----------
    data : dict
        What the TOML file would hold.
    folder : str or Path
        What paths in it are relative to.

    Returns
    -------
    ModelSpec
        The model, with paths resolved.

    Raises
    ------
    InputError
        One line: ``key: what was found; what is expected``.
    """
    return _validated(_plain(data), Path(folder), _with_key)


def require_consistent(model: ModelSpec) -> None:
    """Refuse a model whose tables do not fit together, such as one that was changed since.

    Parameters
    ----------
    model : ModelSpec
        Validated table by table.

    Raises
    ------
    InputError
        One line: ``key: what was found; what is expected``.
    """
    for problem in problems(model):
        raise InputError(_with_key(problem))


def _validated(data: Any, folder: Path, told: Callable[[Problem], str]) -> ModelSpec:
    """Return the model of data, or refuse what is wrong first, in a line that tells it."""
    try:
        model = validated_tables(data, folder)
    except ValidationError as error:
        found = first_problem(error, ModelSpec)
        if found.path[:1] == ("analysis",) and "steps" in data:  # that of the first step
            found = replace(found, path=("steps", 0, *found.path))
        raise InputError(told(found)) from None
    for problem in problems(model):
        raise InputError(told(problem))
    return model


def _parse(path: Path, text: str) -> dict[str, Any]:
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise InputError(
            f"{path}: found values nested too deeply; expected a model file in TOML"
        ) from None
    except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits
        message = str(error)
        found = re.search(r" \(at line (\d+), column (\d+)\)$", message)
        if found is not None:
            line, column = int(found[1]), int(found[2])
            message = f"{message[: found.start()]} at column {column}"
        else:
            line = text.rstrip().count("\n") + 1
            message = message.replace("(at end of document)", "at the end of the file")
        message = message[:1].lower() + message[1:]
        said = text.split("\n")[line - 1].strip()
        raise InputError(
            _one_line(f"{path}:{line}: not valid TOML: {message}; found {shown(said)}{_hint(said)}")
        ) from None
    if SYSTEM in data:
        raise InputError(f"{path}: found a system of bodies; {WHERE}")
    if set(data) >= _OF_ELEMENTS:
        raise InputError(
            f"{path}: found an element; expected a model (flexforge check-element {path} checks "
            "elements)"
        )
    return data


def _hint(line: str) -> str:
    """Return what a line that is not valid TOML lacks, where it is a value with a unit."""
    found = re.fullmatch(
        r"[^=]*=\s*([-+]?[0-9][0-9._eE+-]*)\s*([A-Za-z%°][^\s\"'#]*)\s*(#.*)?", line
    )
    if found is None:
        return ""
    if any(found[2] in units for units in UNITS):
        return f'; expected quotes around a value with a unit: "{found[1]} {found[2]}"'
    return f"; expected a number in the units of the model, without '{found[2]}'"


def _with_key(problem: Problem) -> str:
    return _one_line(f"{problem.key}: {problem.text}" if problem.path else problem.text)


def _one_line(text: str) -> str:
    text = " ".join(part for part in re.split(r"[\r\n\x00]+\s*", text) if part)
    return re.sub(r"([^\s/\\]{100})[^\s/\\]{100,}", r"\1...", text)


def _plain(value: Any) -> Any:
    """Turn NumPy arrays and numbers into lists and Python numbers."""
    found = toml_type(value)
    if found == "table":
        return {key: _plain(item) for key, item in value.items()}
    if found == "list":
        return [_plain(item) for item in value]
    return str(value) if found == "text" else np.asarray(value).tolist()
