# SPDX-License-Identifier: BSD-3-Clause
"""For all tests: which of them share a process, its threads, a machine without a compiler."""

from __future__ import annotations

import gc
import os
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "support"))
if "PYTEST_XDIST_WORKER" in os.environ:
    # A core a process: threads of BLAS spin while they wait, and would take that of the others.
    # Loops over elements have as many threads as ever, which are asked for by number.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    # Nor shall those of loops whose number is asked for.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# SymPy remembers a thousand results of each of its functions by itself, which one derivation fills:
# the next one would begin anew. Processes that tests start have it too.
os.environ.setdefault("SYMPY_CACHE_SIZE", "10000")

#: An element among the parameters of a test, such as hex8, quad4i_plane_stress, facet_quad9_3d.
ELEMENT = re.compile(r"[\[-]((?:facet_)?(?:tri|quad|tet|pyramid|wedge|hex)\d+\w*)[\]-]")


#: The file whose tests are run.
_current: dict[str, Path] = {}


@pytest.hookimpl(optionalhook=True)  # for runs without xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: object):
    """Let tests that share what takes long to make run in one process."""
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            """Return the element whose kernels a test of the compiler derives, or its file."""
            element = ELEMENT.search(nodeid) if "tests/codegen/" in nodeid else None
            return element[1] if element else nodeid.split("::")[0]

    return Together(config, log)


def pytest_collection_finish() -> None:
    """Let the garbage collector look at what is new, and rarely at all of it.

    SymPy's caches are millions of objects that stay; looking at them all took a tenth of the time.
    """
    _forget_old_objects()
    gc.set_threshold(20_000, 20, 100)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    """Let the collections of a file look at what that file has made alone."""
    if item.path != _current.get("file"):
        _current["file"] = item.path
        _forget_old_objects()


def _forget_old_objects() -> None:
    """Free what nobody uses, and never look at the rest again; most of it is SymPy's caches."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def no_compiler(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch):
    """Hide every compiler from this process and those it starts; yield an empty cache's path."""
    from flexforge.codegen.jit.compilers import find_compiler

    folder = tmp_path_factory.mktemp("no_compiler")
    (folder / "bin").mkdir()
    # Zig comes as a Python package, which no PATH hides.
    (folder / "sitecustomize.py").write_text("import sys\n\nsys.modules['ziglang'] = None\n")
    monkeypatch.setitem(sys.modules, "ziglang", None)
    monkeypatch.setenv("PATH", str(folder / "bin"))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setenv("FLEXFORGE_CACHE", str(folder / "cache"))
    find_compiler.cache_clear()
    yield folder / "cache"
    find_compiler.cache_clear()
