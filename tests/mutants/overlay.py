# SPDX-License-Identifier: BSD-3-Clause
"""A copy of the working tree in which mutants are tested, so that the tree itself stays as it is.

What is compiled is linked. The package is of several folders, which an editable installation maps
by name; processes that are started in the copy map the names to its folders first, through
``sitecustomize`` on their ``PYTHONPATH``.
"""

from __future__ import annotations

import importlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

#: What tests import besides flexforge: loaded once, before the processes are forked.
_LOADED = ("h5py", "jinja2", "meshio", "pydantic", "scipy.linalg", "scipy.sparse.linalg", "sympy")
_OPTIONS = ("-x", "-n", "0", "-m", "not slow", "--tb=no", "-p", "no:cacheprovider")
_SOURCE = ("codegen/", "flexforge/", "runtime/", "templates/")
_MAP = """\
import importlib.util, sys
from pathlib import Path

class Copy:
    FOLDERS = {folders!r}

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name in cls.FOLDERS:
            folder = Path(cls.FOLDERS[name])
            return importlib.util.spec_from_file_location(name, folder / "__init__.py")

sys.meta_path.insert(0, Copy)
"""


class Overlay:
    """A copy of a working tree.

    Parameters
    ----------
    root : Path
        The tree.
    folder : Path
        Where the copy goes; there already or not, it is made equal to the tree.
    """

    def __init__(self, root: Path, folder: Path) -> None:
        self.folder = folder
        self.tree = folder / "tree"
        shutil.rmtree(self.tree, ignore_errors=True)
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        )
        names = [name for name in listed.stdout.split("\0") if name and (root / name).is_file()]
        #: What the package is made of, by paths from the root.
        self.source = [name for name in names if name.startswith(_SOURCE)]
        for name in names:
            target = self.tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, target)
        for built in (root / "runtime").glob("*.so"):
            (self.tree / "runtime" / built.name).symlink_to(built)
        maps = {"flexforge": "flexforge"}
        maps |= {f"flexforge.{name}": name for name in ("codegen", "runtime", "templates")}
        folders = {name: str(self.tree / one) for name, one in maps.items()}
        (folder / "map").mkdir(exist_ok=True)
        (folder / "map" / "sitecustomize.py").write_text(_MAP.format(folders=folders))
        sys.modules.pop("sitecustomize", None)
        path = str(folder / "map")
        os.environ |= {"PYTHONPATH": path, "OMP_NUM_THREADS": "1", "COLUMNS": "200"}
        for name in _LOADED:
            importlib.import_module(name)

    def write(self, path: str, text: str) -> None:
        """Write a file of the copy; a module's compiled text goes, which may be of its age."""
        target = self.tree / path
        target.write_text(text, encoding="utf-8")
        for old in (target.parent / "__pycache__").glob(f"{target.stem}.*.pyc"):
            old.unlink()

    def pytest(self, tests: list[str], limit: float, *, own_cache: bool) -> tuple[int, str]:
        """Run tests in the copy until one fails.

        Parameters
        ----------
        tests : list of str
            Files and names of tests, after the marks of pytest.
        limit : float
            Time that they may take, s.
        own_cache : bool
            Whether kernels that others derived may not be used.

        Returns
        -------
        int, str
            What pytest ends with, -1 after the limit or minus a signal, and what it says.
        """
        with tempfile.TemporaryDirectory(dir=self.folder, prefix="run-") as scratch:
            said = Path(scratch) / "said"
            cache = Path(scratch) if own_cache else self.folder / "cache"
            os.environ["FLEXFORGE_CACHE"] = str(cache)
            pid = os.fork()
            if not pid:
                self._child([*_OPTIONS, f"--basetemp={scratch}/tests", *tests], said)
            end = time.monotonic() + limit
            while not (done := os.waitpid(pid, os.WNOHANG))[0]:
                if time.monotonic() > end:
                    os.killpg(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                    return -1, said.read_text()
                time.sleep(0.02)
            return os.waitstatus_to_exitcode(done[1]), said.read_text(errors="replace")

    def _child(self, arguments: list[str], said: Path) -> None:
        """Run pytest in this process, which has been forked, and end it."""
        code = 1
        try:
            os.setsid()
            out = os.open(said, os.O_CREAT | os.O_WRONLY)
            os.dup2(out, 1)
            os.dup2(out, 2)
            os.chdir(self.tree)
            sys.path[0] = str(self.folder / "map")
            importlib.import_module("sitecustomize")
            code = int(pytest.main(arguments))
            sys.stdout.flush()
        finally:
            os._exit(code)
