# SPDX-License-Identifier: BSD-3-Clause
"""Files of HDF5 that are read back hold what flexforge writes, or are refused in one line."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.machine import child
from flexforge.runtime.machine.child import try_in_child
from flexforge.runtime.results.stored import open_hdf5
from marks import limited_memory


def _external(file: Any) -> None:
    file["a"] = h5py.ExternalLink("/etc/passwd", "/")


def _circle(file: Any) -> None:
    file["b/c"] = file["b"]


def _claim(file: Any) -> None:
    file.create_dataset("a", shape=(2**40,), chunks=(1024,), dtype="f8")


def _elsewhere(file: Any) -> None:
    file.create_dataset("a", shape=(4,), dtype="u1", external=[("/etc/passwd", 0, 4)])


def _virtual(file: Any) -> None:
    layout = h5py.VirtualLayout(shape=(4,), dtype="f8")
    layout[:] = h5py.VirtualSource("other.h5", "a", shape=(4,))
    file.create_virtual_dataset("a", layout)


def _plugin(file: Any) -> None:
    # 305 is the number of a filter that comes as a plugin (LZO), whose library would be loaded.
    made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    made.set_chunk((4,))
    made.set_filter(305, h5py.h5z.FLAG_OPTIONAL, ())
    space = h5py.h5s.create_simple((4,))
    h5py.h5d.create(file.id, b"a", h5py.h5t.IEEE_F64LE, space, made)


def _records(file: Any) -> None:
    file["a"] = np.zeros(3, dtype=[("x", "f8"), ("y", "i4")])


def _deep(file: Any) -> None:
    file.create_group("/".join("abcdefghijkl"))


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (_external, "'a' is a link"),
        (_circle, "more than once"),
        (_claim, "/a claims 8,796,093,022,208 bytes"),
        (_elsewhere, "/a is in another file"),
        (_virtual, "/a is in another file"),
        (_plugin, "/a needs a plugin"),
        (_records, "/a contains no numeric data"),
        (_deep, "too deep"),
    ],
)
def test_what_flexforge_never_writes_is_refused(
    tmp_path: Path, write: Callable[[Any], None], said: str
) -> None:
    """Links, other files, plugins, claims of memory: before anything of it is read or loaded."""
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["b/points"] = np.zeros((4, 3))
        write(file)
    with pytest.raises(InputError, match=said) as error:
        open_hdf5(path)
    assert str(error.value).count("\n") == 0


def test_what_it_writes_is_opened(tmp_path: Path) -> None:
    """Numbers, texts, compressed by others too, and a file that a killed run left behind."""
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["numbers"] = np.arange(6.0)
        file["names"] = np.array(["a", "b"], dtype=h5py.string_dtype())
        file.create_dataset("packed", data=np.zeros(10**6), compression="gzip", shuffle=True)
        file.attrs["format"] = "flexforge"
    with open_hdf5(path) as file:
        assert file["numbers"][5] == 5.0
        assert file["names"].asstr()[...].tolist() == ["a", "b"]
        assert not file["packed"][:].any()


@pytest.mark.parametrize("content", [b"", b"text", b"\x89HDF\r\n\x1a\n", b"\x89HDF\r\n\x1a\n" * 99])
def test_what_is_no_such_file_is_refused(tmp_path: Path, content: bytes) -> None:
    """A text, an empty file, a signature without a file behind it; what is not a file at all."""
    path = tmp_path / "a.h5"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a\.h5"):
        open_hdf5(path)
    os.mkfifo(tmp_path / "b.h5")
    with pytest.raises(InputError, match="is not a file"):
        open_hdf5(tmp_path / "b.h5")


def _loop() -> None:
    while True:
        pass


def _sleep() -> None:
    time.sleep(60)


def _end() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def _take() -> None:
    np.ones(1 << 31)


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (_loop, "reading it hangs or crashes"),
        (_sleep, "reading it takes more than 0.3 s"),
        (_end, "reading it hangs or crashes"),
        pytest.param(_take, "more memory than its size explains", marks=limited_memory),
        (lambda: 1 / 0, "is damaged .division by zero."),
    ],
)
def test_what_a_file_does_to_a_library_it_does_to_a_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: Callable[[], object], said: str
) -> None:
    """A library that hangs, dies or takes all memory leaves this process as it was."""
    monkeypatch.setattr(child, "_SECONDS", 0.3 if work is _sleep else 20.0)
    monkeypatch.setattr(child, "_COMPUTING", 1.0)
    forked, fork = [], os.fork

    def recorded() -> int:
        forked.append(fork())
        return forked[-1]

    monkeypatch.setattr(os, "fork", recorded)
    path = tmp_path / "a.h5"
    path.write_bytes(b"a")
    begun = time.monotonic()
    with pytest.raises(InputError, match=said):
        try_in_child(work, path)
    assert time.monotonic() - begun < 20
    assert len(forked) == 1
    with pytest.raises(ChildProcessError):  # it is gone, not even dead and left
        os.waitpid(forked[0], os.WNOHANG)
