# SPDX-License-Identifier: BSD-3-Clause
"""The kernel cache: nothing damaged and nothing of others is executed; nothing half is left."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from flexforge.codegen.errors import FlexforgeError, FlexforgeWarning, InputError
from flexforge.codegen.jit import cache as module
from flexforge.codegen.jit.build import build
from flexforge.codegen.jit.cache import find_kept, keep, locked, open_cache, scratch_folder
from flexforge.codegen.jit.compilers import find_compiler

#: A library, of which the cache knows only that it is one.
SOURCES = {"one.c": "double one(void) { return 1.0; }\n"}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of a cache folder that is not there yet."""
    folder = tmp_path / "new" / "cache"
    monkeypatch.setenv("FLEXFORGE_CACHE", str(folder))
    return folder


def _flip(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


DAMAGES = {
    "cut off": lambda content: content[: len(content) // 3],
    "zeros": lambda content: bytes(len(content)),
    "a bit": _flip,
    "longer": lambda content: content + b"\0",
    "empty": lambda content: b"",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_library_is_never_loaded(cache: Path, damage: str) -> None:
    """Whatever a disk did to it (a page past the end is SIGBUS, zeros SIGILL): it is built again.

    The file is named, once, and the next build finds the new one.
    """
    whole = build(SOURCES)
    content = whole.read_bytes()
    whole.write_bytes(DAMAGES[damage](content))
    with pytest.warns(
        FlexforgeWarning, match="damaged file in the kernel cache; made again"
    ) as told:
        again = build(SOURCES)
    assert [str(whole) in str(one.message) for one in told] == [True]
    assert again.read_bytes() == content
    stamp = again.stat().st_mtime_ns
    assert build(SOURCES).stat().st_mtime_ns == stamp
    assert list(cache.iterdir()) == [again]


@pytest.mark.parametrize("foreign", ["a link", "a pipe", "writable by others"])
def test_only_files_of_our_own_are_loaded(cache: Path, tmp_path: Path, foreign: str) -> None:
    """A file with the right bytes is not enough: it has to be ours, and nobody else's to change."""
    whole = build(SOURCES)
    if foreign == "writable by others":
        whole.chmod(0o666)
    else:
        whole.rename(tmp_path / "elsewhere.so")
        if foreign == "a link":
            whole.symlink_to(tmp_path / "elsewhere.so")
        else:
            os.mkfifo(whole)
    with pytest.warns(FlexforgeWarning, match=r"kernels-\w+-\w+\.so"):
        again = build(SOURCES)
    assert again.is_file() and not again.is_symlink()
    assert stat.S_IMODE(again.stat().st_mode) == 0o600


def test_the_folder_is_for_the_user_alone(cache: Path) -> None:
    """Whatever the umask: what is made can be written by nobody else."""
    before = os.umask(0)
    try:
        build(SOURCES)
    finally:
        os.umask(before)
    for path in (cache, cache.parent):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o775, 0o702])
def test_a_folder_that_others_can_write_to(cache: Path, mode: int) -> None:
    """Such a folder, /tmp itself for one, is refused: who can write there chooses what we run."""
    cache.mkdir(parents=True)
    cache.chmod(mode)
    with pytest.raises(InputError, match="others can write to the kernel cache") as caught:
        build(SOURCES)
    assert f"chmod go-w {cache}" in str(caught.value) and "FLEXFORGE_CACHE" in str(caught.value)
    assert not list(cache.iterdir())
    cache.chmod(mode & ~0o022)
    assert build(SOURCES).is_file()


def test_a_folder_of_somebody_else(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another user prepared, in /tmp or where root comes along, is refused."""
    open_cache()
    # For another user than its owner, and not root whom all have to trust.
    someone = os.geteuid() + 1
    monkeypatch.setattr(module, "_trusted_users", lambda: (someone,))
    with pytest.raises(InputError, match=f"belongs to user {os.geteuid()}.*FLEXFORGE_CACHE"):
        build(SOURCES)


def test_no_lock_follows_a_link(cache: Path, tmp_path: Path) -> None:
    """A link where the lock should be ends in one line; what it points at stays as it is."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (open_cache() / "a.lock").symlink_to(victim)
    with pytest.raises(InputError, match="cannot write the kernel cache"), locked("a"):
        pass
    assert victim.read_text() == "mine"
    with locked("b"):
        assert stat.S_IMODE((cache / "b.lock").stat().st_mode) == 0o600


def test_a_failed_build_leaves_nothing(cache: Path) -> None:
    """Neither scratch folder nor lock nor library is left of text that does not compile."""
    with pytest.raises(FlexforgeError, match="one.c"):
        build({"one.c": "dobule one;"})
    assert not list(cache.iterdir())


def test_remains_of_a_killed_build_are_removed(cache: Path) -> None:
    """Who builds the same next takes away what a killed process left; others' work stays."""
    with locked("a"), scratch_folder("a") as mine, scratch_folder("b") as other:
        (mine / "half.c").write_text("")
        with locked("b"):
            assert mine.exists() and not other.exists()
    (cache / "c-0123.tmp").write_text("half")
    with locked("c"):
        keep("c", ".json", b"{}")
    assert [path.name[:2] for path in cache.iterdir()] == ["c-"]
    found = find_kept("c", ".json")
    assert found is not None and found.read_bytes() == b"{}"


def test_waiting_for_a_lock_that_is_removed(cache: Path) -> None:
    """Of several processes only one is inside at any time, though each removes the lock."""
    program = (
        "import os, sys, time\n"
        "from flexforge.codegen.jit.cache import locked\n"
        "for _ in range(100):\n"
        "    with locked('a'):\n"
        "        os.close(os.open(sys.argv[1], os.O_CREAT | os.O_EXCL))\n"
        "        time.sleep(1e-4)\n"
        "        os.unlink(sys.argv[1])\n"
    )
    inside = str(cache.parent.parent / "inside")
    processes = [subprocess.Popen([sys.executable, "-c", program, inside]) for _ in range(3)]
    assert [process.wait(timeout=60) for process in processes] == [0, 0, 0]
    assert not list(cache.iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_compiler_too(cache: Path, tmp_path: Path, number: int) -> None:
    """The driver, what it started, scratch folder and lock are gone with the process that asked."""
    script, started = tmp_path / "slow-cc", tmp_path / "started"
    script.write_text(
        f'#!/bin/sh\ncase "$*" in *-shared*) sleep 60 & echo $! > {started}.new\n'
        f"mv {started}.new {started}; wait;; esac\n"
        f'exec {find_compiler().command[0]} "$@"\n'
    )
    script.chmod(0o755)
    program = (
        "import sys\n"
        "from flexforge.codegen.jit.build import build\n"
        "from flexforge.codegen.jit.compilers import Compiler\n"
        "from flexforge.interrupts import ended_by_signals\n"
        "with ended_by_signals():\n"
        f"    build({SOURCES!r}, Compiler('slow', ({str(script)!r},)))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    deadline = time.monotonic() + 30
    while not started.exists():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(number)
    process.communicate(timeout=20)
    state = Path(f"/proc/{int(started.read_text())}/stat")
    deadline = time.monotonic() + 5  # who adopts an orphan may take a moment to bury it
    while state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < deadline, "the compiler's own process goes on"
        time.sleep(0.02)
    assert not list(cache.iterdir())
