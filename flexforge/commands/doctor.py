# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge doctor``: what is installed, what is missing, and what each missing thing costs."""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from importlib import import_module, metadata
from typing import Any

from flexforge.codegen.errors import FlexforgeError, InputError
from flexforge.codegen.version import VERSION
from flexforge.commands.command import Command
from flexforge.console import show, table

REQUIRED = {
    "numpy": "nothing works without it",
    "scipy": "no linear solver, no modes",
    "sympy": "nothing can be derived",
    "jinja2": "nothing can be generated",
    "pydantic": "no model can be read",
    "meshio": "no mesh file can be read",
    "h5py": "no results in HDF5",
    "plotly": "no report",
}
OPTIONAL = {
    "pypardiso": "large models are factored several times slower (pip install 'flexforge[fast]')",
    "scikit-sparse": "CHOLMOD cannot be chosen as solver",
    "pyvista": "no animations and no window to view results (pip install 'flexforge[view]')",
    "imageio-ffmpeg": "animations are GIFs, not MP4s (pip install imageio-ffmpeg)",
    "netCDF4": "Exodus meshes cannot be read (pip install 'flexforge[exodus]')",
    "cython": "the module of `flexforge generate` cannot be built for NumPy",
}
#: Modules of flexforge that import all others which a run needs.
MODULES = ("flexforge.runtime.solvers", "flexforge.runtime.run", "flexforge.runtime.results.report")


def _configure(parser: argparse.ArgumentParser) -> None:
    """Add no argument."""


def _execute(arguments: argparse.Namespace) -> int:
    data: dict[str, Any] = {
        "flexforge": VERSION,
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": _processor(),
        "threads": _threads(),
        "libraries": _libraries(REQUIRED),
        "modules": _modules(),
        "optional": _libraries(OPTIONAL),
        "compilers": _compilers(),
        "solvers": _solvers(),
        "cache": _cache(),
    }
    data["ready"] = (
        all(row["version"] for row in data["libraries"])
        and not any(row["error"] for row in data["modules"])
        and not data["processor"].get("error")
    )
    show(arguments, data, _lines(data))
    return 0 if data["ready"] else 1


def _libraries(wanted: dict[str, str]) -> list[dict[str, str | None]]:
    return [
        {"name": name, "version": (version := _version(name)), "costs": None if version else costs}
        for name, costs in wanted.items()
    ]


def _modules() -> list[dict[str, str | None]]:
    rows: list[dict[str, str | None]] = []
    for name in MODULES:
        try:
            import_module(name)
        except ImportError as error:
            rows.append({"name": name, "error": str(error)})
        else:
            rows.append({"name": name, "error": None})
    return rows


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> dict[str, Any]:
    try:
        from flexforge.runtime import _standard
        from flexforge.runtime.assembly import kernels

        level = kernels.level()
        return {
            "level": level,
            "name": _standard.LEVELS[level],
            "standard_kernels": len(kernels.standard_kernels()),
        }
    except (ImportError, FlexforgeError) as error:
        return {"level": None, "error": str(error)}


def _threads() -> dict[str, Any]:
    from flexforge.runtime.machine.threads import default_threads

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    given = os.environ.get("OMP_NUM_THREADS")
    return {"cores": cores, "OMP_NUM_THREADS": given, "used": default_threads()}


def _compilers() -> list[dict[str, str | None]]:
    from flexforge.codegen.jit.compilers import KNOWN, find_compiler

    rows: list[dict[str, str | None]] = []
    for compiler in KNOWN:
        try:
            version: str | None = find_compiler(compiler.name).version()
        except FlexforgeError:
            version = None
        rows.append({"name": compiler.name, "version": version})
    return rows


def _solvers() -> list[dict[str, str | None]]:
    try:
        from flexforge.runtime.solvers import available
    except ImportError:
        return []  # as the rows of the modules say
    return [{"name": s.name, "version": s.version, "why_not": s.why_not} for s in available()]


def _cache() -> dict[str, Any]:
    from flexforge.codegen.jit.cache import cache_folder, open_cache

    folder = cache_folder()
    try:
        with tempfile.TemporaryFile(dir=open_cache()):
            return {"folder": str(folder), "writable": True}
    except InputError as error:
        return {"folder": str(folder), "writable": False, "why_not": str(error)}
    except OSError as error:
        return {"folder": str(folder), "writable": False, "why_not": error.strerror or str(error)}


def _lines(data: dict[str, Any]) -> list[str]:
    processor, cache, threads = data["processor"], data["cache"], data["threads"]
    if processor["level"] is None:
        level = f"MISSING: the compiled runtime cannot be used ({processor['error']})"
    else:
        level = f"{processor['name']}, {processor['standard_kernels']} standard kernels"
    rows = [
        ("flexforge", data["flexforge"], ""),
        ("python", data["python"], data["system"]),
        ("processor", level, ""),
        (
            "threads",
            threads["used"],
            f"{threads['cores']} cores, OMP_NUM_THREADS={threads['OMP_NUM_THREADS'] or 'not set'}",
        ),
        *(
            (row["name"], row["version"] or "MISSING", row["costs"] or "")
            for row in data["libraries"]
        ),
        *(
            (row["name"], row["version"] or "not there", row["costs"] or "")
            for row in data["optional"]
        ),
    ]
    rows += [
        (row["name"], "MISSING", f"cannot be imported: {row['error']}")
        for row in data["modules"]
        if row["error"]
    ]
    found = [row for row in data["compilers"] if row["version"]]
    rows += [(f"compiler {row['name']}", row["version"], "") for row in found]
    if not found:
        costs = "standard elements run; other kernels cannot be compiled (apt install gcc)"
        rows.append(("compiler", "not there", costs))
    rows += [
        (f"solver {row['name']}", row["version"] or "not there", row["why_not"] or "")
        for row in data["solvers"]
    ]
    writable = "writable" if cache["writable"] else f"NOT usable ({cache['why_not']})"
    costs = "" if cache["writable"] else "kernels cannot be kept; set FLEXFORGE_CACHE"
    rows.append(("kernel cache", f"{cache['folder']}, {writable}", costs))
    ready = "ready" if data["ready"] else "not ready: something required is missing"
    return [*table(("what", "found", "remark"), rows), "", ready]


COMMAND = Command(
    "doctor",
    "list installed and missing dependencies, and what each provides",
    "flexforge doctor",
    _configure,
    _execute,
)
