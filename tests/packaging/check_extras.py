# SPDX-License-Identifier: BSD-3-Clause
"""Checks the messages of an installation without extras.

Nothing is pretended: the script fails where the library of an extra is installed.
"""

from __future__ import annotations

import importlib.util
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

MODEL = Path(__file__).with_name("beam.toml").read_text(encoding="utf-8")
MOVING = MODEL.replace(
    'kind = "static"', 'kind = "transient"\nduration = 0.01\nsteps = 10'
).replace('["csv"]', '["hdf5"]')
#: A machine for which another compiler is needed.
OTHER = "linux-x86_64" if platform.machine() == "aarch64" else "linux-aarch64"
#: Library of an extra, what is asked for, and what the answer names.
CASES = {
    "pyvista": (("animate", "moving.results"), 'pip install "flexforge[view]"'),
    "netCDF4": (("mesh", "mesh.exo"), "netCDF4, which is not installed (pip install"),
    "pypardiso": (("run", "pardiso.toml"), "install pypardiso"),
    "ziglang": (("export", "moving.toml", "--as", "fmu2", "--platforms", OTHER), "zig"),
}


def main() -> None:
    """Run a model, then ask for what each extra is for."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "moving.toml").write_text(MOVING)
        (folder / "pardiso.toml").write_text(
            MODEL.replace('kind = "static"', 'kind = "static"\nsolver = "pardiso"')
        )
        (folder / "mesh.exo").write_bytes(b"CDF\x01")
        done = answer(folder, "run", "moving.toml")
        assert done.returncode == 0, done.stderr
        for library, (command, expected) in CASES.items():
            assert importlib.util.find_spec(library) is None, f"{library} is installed"
            done = answer(folder, *command)
            lines = done.stderr.splitlines()
            assert done.returncode == 2, (command, done)
            assert len(lines) == 1 and expected in lines[0], (command, done.stderr)
            print(f"without {library}: {lines[0]}")


def answer(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "flexforge", *command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


if __name__ == "__main__":
    main()
