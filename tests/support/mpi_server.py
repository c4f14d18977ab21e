# SPDX-License-Identifier: BSD-3-Clause
"""One of several processes that make runs of flexforge one after the other, as they are told.

``python mpi_server.py SOCKET``: every line of the socket is a folder and a command line, as JSON;
the answer to it is the exit code. It ends with the process that tells it.
"""

from __future__ import annotations

import json
import socket
import sys
from contextlib import chdir

from flexforge.cli import main


def serve(address: str) -> None:
    """Make the runs that a socket names."""
    with socket.socket(socket.AF_UNIX) as channel:
        channel.connect(address)
        with channel.makefile("r") as orders:
            for line in orders:
                folder, *arguments = json.loads(line)
                with chdir(folder):
                    code = main(arguments)
                channel.sendall(f"{code}\n".encode())


if __name__ == "__main__":
    serve(sys.argv[1])
