# SPDX-License-Identifier: BSD-3-Clause
"""Processes that stay for many runs: starting Python on each takes longer than a run does."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from flexforge.runtime.machine.launcher import mpirun

SERVER = Path(__file__).with_name("mpi_server.py")
#: Seconds that processes may take to start, or to make a run.
LIMIT = 120.0


class Servers:
    """Processes started together, which make runs one after the other.

    Parameters
    ----------
    count : int
        How many; one is started without a launcher.
    """

    def __init__(self, count: int) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ranks-")
        address, said = (str(Path(self._folder.name) / name) for name in ("socket", "said"))
        self._said = open(said, "w+", encoding="utf-8")  # noqa: SIM115
        before = mpirun(count) if count > 1 else []
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(address)
            listening.listen(count)
            listening.settimeout(LIMIT)
            self._process = subprocess.Popen(
                [*before, sys.executable, str(SERVER), address],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._said,
                env=os.environ | {"OMP_NUM_THREADS": "1"},
            )
            self._channels = [listening.accept()[0] for _ in range(count)]
        for channel in self._channels:
            channel.settimeout(LIMIT)

    def run(self, model: Path, *options: str) -> tuple[bool, str]:
        """Run a model on all of them; return whether it went well, and what was said since then."""
        begin = self._said.seek(0, os.SEEK_END)
        order = json.dumps([str(model.parent), "run", str(model), *options])
        for channel in self._channels:
            channel.sendall(f"{order}\n".encode())
        # Processes that fail end all: nothing comes then.
        codes = [_line(channel) for channel in self._channels]
        self._said.seek(begin)
        return codes == ["0"] * len(codes), self._said.read()

    def end(self) -> None:
        """Let them end."""
        for channel in self._channels:
            channel.close()
        try:
            self._process.wait(LIMIT)
        finally:
            self._process.kill()
            self._said.close()
            self._folder.cleanup()


def _line(channel: socket.socket) -> str:
    """Return the line that a process has sent, which is empty when it has ended."""
    try:
        return channel.recv(16).decode().strip()
    except ConnectionResetError:
        return ""
