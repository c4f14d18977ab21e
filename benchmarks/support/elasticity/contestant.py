# SPDX-License-Identifier: BSD-3-Clause
"""A C kernel that solves one of the problems: checked, counted and timed."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.jit.build import INCLUDE
from numpy.typing import NDArray

from support.counting import FAMILIES, Run, counted_run
from support.elasticity import statement
from support.harness import DISTINCT, TIMER, aligned_copy

Floats = NDArray[np.float64]
FLAGS = ("-std=c99", "-O3", "-march=native")


@dataclass(frozen=True)
class Contestant:
    """A C kernel with the five arguments of the problems.

    Attributes
    ----------
    problem : str
        What it solves, such as ``hex8/stiffness``.
    name, version : str
        What the tables call it.
    source, function : str
        C text, and the name of the function in it.
    flags : tuple of str
        Flags of gcc for the times.
    lanes : int
        Elements per call.
    order : tuple of int
        The problem's node at each place of its own order of nodes; empty where both are one.
    include : tuple of Path
        Folders of headers.
    workspace : int
        Doubles of scratch memory per call.
    prepare : str
        A function without arguments to call once before; its work is not counted.
    """

    problem: str
    name: str
    version: str
    source: str
    function: str
    flags: tuple[str, ...] = FLAGS
    lanes: int = 1
    order: tuple[int, ...] = ()
    include: tuple[Path, ...] = ()
    workspace: int = 0
    prepare: str = ""


def arguments(one: Contestant) -> list[Floats | None]:
    """Return coordinates, parameters, state, out and workspace of the specimen, lane by lane."""
    cell, asked = statement.split(one.problem)
    data = statement.cell(cell)
    nodes = _order(one, len(data["nodes"]))
    given = statement.problems()[asked]
    vectors = np.array([np.array(data["vectors"][name])[nodes] for name in given["state"]])
    size = int(np.prod(statement.extents(asked, len(nodes), data["dimension"])))
    names = statement.parameters(asked, data["dimension"])
    return [
        np.repeat(np.array(data["coordinates"])[nodes].ravel(), one.lanes),
        np.array([data["parameters"][name] for name in names]),
        np.repeat(vectors.ravel(), one.lanes) if len(vectors) else None,
        np.zeros(size * one.lanes),
        np.zeros(one.workspace) if one.workspace else None,
    ]


def _order(one: Contestant, nodes: int) -> list[int]:
    order = list(one.order) or list(range(nodes))
    if sorted(order) != list(range(nodes)):
        raise InputError(
            f"order of nodes: found {order}; expected the numbers 0 to {nodes - 1}, each once"
        )
    return order


def differences(one: Contestant, out: Floats) -> float:
    """Return the largest difference of a result from the expected numbers, over the largest.

    Every matrix or vector of every lane is compared with its own largest expected number.
    """
    cell, asked = statement.split(one.problem)
    data = statement.cell(cell)
    d, nodes = data["dimension"], len(data["nodes"])
    extents = statement.extents(asked, nodes, d)
    found = np.moveaxis(out.reshape(*extents, one.lanes), -1, 0)
    # Entries of the contestant's nodes go to the places of the problem's.
    order = np.array(_order(one, nodes))
    entries = (order[:, None] * d + np.arange(d)).ravel()
    back = np.argsort(entries)
    if len(extents) == 3:
        found = found[:, :, back][:, :, :, back] @ np.array(data["vectors"]["vector"]).ravel()
    else:
        found = found.reshape(one.lanes, 1, -1)[:, :, back]
    expected = np.array(data["expected"][asked]).reshape(1, found.shape[1], -1)
    largest = np.abs(expected).max(axis=2, keepdims=True)
    distance = np.abs(found - expected) / largest
    return float(np.inf if np.isnan(distance).any() else distance.max())


def judged(one: Contestant) -> dict[str, Any]:
    """Call a contestant once, check its result, and return its operations and bytes per element.

    Returns
    -------
    dict
        ``difference``, ``operations`` by family and in all, and ``bytes``: of arguments read and
        written, of static tables read and of the workspace written, each entry once.

    Raises
    ------
    InputError
        If the text does not compile as C and as C++, or the result is not the expected one.
    """
    given = arguments(one)
    source = one.source
    if one.prepare:  # static data of the text is made before anything is counted
        source += f"\nstatic const int prepared = ({one.prepare}(), 0);\n"
    try:
        run = counted_run(source, one.function, given, one.include)
    except subprocess.CalledProcessError as error:
        raise InputError(f"{one.name}, {one.problem}: {_first_error(error)}") from error
    out = run.arrays[3]
    assert out is not None
    difference = differences(one, out)
    tolerance = statement.TOLERANCE
    if not difference <= tolerance:
        raise InputError(
            f"{one.name}, {one.problem}: a result differs by {difference:.1e} of the largest "
            f"expected number; expected at most {tolerance:.0e}"
        )
    operations = {family: run.operations[family] for family in FAMILIES}
    return {
        "difference": difference,
        "operations": {**operations, "all": sum(operations.values())},
        "bytes": _bytes(run, one.lanes),
    }


def _bytes(run: Run, lanes: int) -> dict[str, int]:
    """Return bytes per element; parameters and tables, which the lanes share, count whole."""
    return {
        "read": sum(run.read[k] // lanes for k in (0, 2, 3)) + run.read[1],
        "written": sum(run.written[k] // lanes for k in (0, 2, 3)) + run.written[1],
        "tables": run.tables,
        "workspace": run.written[4] // lanes,
    }


def _first_error(error: subprocess.CalledProcessError) -> str:
    lines = [line for line in (error.stderr or "").splitlines() if "error" in line]
    if not lines:
        return f"the program that counts ended with status {error.returncode}"
    return f"expected C that is C++ too; found {lines[0].split('error: ')[-1]}"


class TimedCall:
    """A contestant, compiled by its flags, that computes elements over and over.

    Parameters
    ----------
    one : Contestant
        The kernel; its elements are the specimen with its nodes moved a little, 64 of them.
    """

    def __init__(self, one: Contestant) -> None:
        coordinates, parameters, state, out, workspace = arguments(one)
        assert coordinates is not None and parameters is not None and out is not None
        groups = DISTINCT // one.lanes
        rng = np.random.default_rng(1)
        moved = coordinates + 0.01 * rng.uniform(-1, 1, (groups, coordinates.size))
        self._lanes = one.lanes
        self._arrays = [
            aligned_copy(moved),
            parameters,
            aligned_copy(np.zeros((groups, 1)) if state is None else np.tile(state, (groups, 1))),
            aligned_copy(out),
            aligned_copy(np.zeros(1) if workspace is None else workspace),
        ]
        nothing = 0 if state is None else state.size
        self._sizes = (groups, coordinates.size, nothing)
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "kernel.c").write_text(one.source)
            (root / "timer.c").write_text(TIMER)
            done = subprocess.run(
                ["gcc", *one.flags, "-fPIC", "-shared", "-w",
                 *(f"-I{path}" for path in (*one.include, INCLUDE)),
                 "kernel.c", "timer.c", "-o", "kernel.so", "-lm"],
                cwd=root, capture_output=True, text=True, check=False,
            )  # fmt: skip
            if done.returncode:
                words = next((x for x in done.stderr.splitlines() if "error" in x), done.stderr)
                raise InputError(f"{one.name}, {one.problem}: gcc: {words.strip()}")
            self._library = ctypes.CDLL(str(root / "kernel.so"))
        self._library.flexforge_timer.restype = ctypes.c_double
        if one.prepare:
            getattr(self._library, one.prepare)()
        try:
            self._function = getattr(self._library, one.function)
        except AttributeError as error:
            raise InputError(
                f"{one.name}, {one.problem}: function '{one.function}' is static; expected one "
                "that a library exports"
            ) from error

    def __call__(self, count: int) -> float:
        pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in self._arrays]
        numbers = [ctypes.c_long(n) for n in (count // self._lanes, *self._sizes)]
        seconds: float = self._library.flexforge_timer(self._function, *pointers, *numbers)
        return seconds
