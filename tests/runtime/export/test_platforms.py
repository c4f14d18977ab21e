# SPDX-License-Identifier: BSD-3-Clause
"""Binaries for other machines, compiled here: what they are, export and compute."""

from __future__ import annotations

import importlib.util
import io
import shutil
import struct
import subprocess
import sys
import zipfile

import pytest
from exported import write
from flexforge.codegen.errors import InputError
from flexforge.runtime.export import platforms
from flexforge.runtime.export.fmu import fmu
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.platforms import PLATFORMS, find_platform, here
from flexforge.runtime.export.solver import Solver, build_solver
from moving import spec_of

NAMES = [one.name for one in PLATFORMS]
#: Numbers of machines in headers: of ELF, PE and Mach-O.
ELF, PE, MACHO = {62: "x86_64", 183: "aarch64"}, {0x8664: "x86_64"}, {
    0x01000007: "x86_64", 0x0100000C: "aarch64"}  # fmt: skip


def text_at(data: bytes, at: int) -> str:
    """Return the text that ends with a zero."""
    return data[at : data.index(b"\0", at)].decode()


def elf(data: bytes) -> tuple[str, set[str]]:
    """Return machine and exported functions of an ELF shared object of 64 bits."""
    assert data[:6] == b"\x7fELF\x02\x01"
    kind, machine = struct.unpack_from("<HH", data, 16)
    assert kind == 3  # a shared object
    (sections,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    table = [struct.unpack_from("<IIQQQQIIQQ", data, sections + k * size) for k in range(count)]
    found = set()
    for section in table:
        if section[1] == 11:  # dynamic symbols
            names = table[section[6]][4]
            for at in range(section[4], section[4] + section[5], 24):
                name, info, other, place = struct.unpack_from("<IBBH", data, at)
                if place and info & 15 == 2 and other & 3 == 0:
                    found.add(text_at(data, names + name))
    return f"linux-{ELF[machine]}", found


def pe(data: bytes) -> tuple[str, set[str]]:
    """Return machine and exported functions of a DLL of 64 bits."""
    (start,) = struct.unpack_from("<I", data, 60)
    assert data[:2] == b"MZ"
    assert data[start : start + 4] == b"PE\0\0"
    machine, count = struct.unpack_from("<HH", data, start + 4)
    optional, flags = struct.unpack_from("<HH", data, start + 20)
    assert flags & 0x2000  # a DLL
    (exports,) = struct.unpack_from("<I", data, start + 24 + 112)
    table = [
        struct.unpack_from("<8sIIII", data, start + 24 + optional + 40 * k) for k in range(count)
    ]

    def place(address: int) -> int:
        for _, size, begin, _, raw in table:
            if begin <= address < begin + size:
                return address - begin + raw
        raise AssertionError(f"no section at {address:x}")

    total, _, names = struct.unpack_from("<III", data, place(exports) + 24)
    first = place(names)
    places = struct.unpack_from(f"<{total}I", data, first)
    return f"windows-{PE[machine]}", {text_at(data, place(one)) for one in places}


def macho(data: bytes) -> tuple[str, set[str]]:
    """Return machine and exported symbols of a dynamic library of macOS, which is signed."""
    magic, machine, _, kind, count = struct.unpack_from("<IIIII", data, 0)
    assert magic == 0xFEEDFACF
    assert kind == 6  # a dynamic library
    at, found, commands = 32, set(), set()
    for _ in range(count):
        command, size = struct.unpack_from("<II", data, at)
        commands.add(command)
        if command == 2:  # symbols
            symbols, total, names, _ = struct.unpack_from("<IIII", data, at + 8)
            for k in range(total):
                name, kind = struct.unpack_from("<IB", data, symbols + 16 * k)
                if kind & 0x1F == 0x0F:  # of a section, external, not private
                    found.add(text_at(data, names + name).removeprefix("_"))
        if command == 13:  # its own name
            assert text_at(data, at + 24).endswith("block.dylib")
        at += size
    if MACHO[machine] == "aarch64":
        assert 29 in commands  # a signature, without which nothing is loaded there
    return f"macos-{MACHO[machine]}", found


READERS = {".so": elf, ".dll": pe, ".dylib": macho}


@pytest.fixture(scope="module")
def solver() -> Solver:
    """A spatial block of few coordinates."""
    return build_solver(spec_of("spatial", {"modes": 3}), "block")


def zig() -> None:
    """Skip a test where zig is not installed."""
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("ziglang is not installed: pip install 'flexforge[cross]'")


@pytest.mark.slow
@pytest.mark.parametrize("version", [2, 3])
def test_one_fmu_for_all_machines(solver, version):
    """Every binary is of its machine, and exports the functions of the standard and no other."""
    zig()
    archive = zipfile.ZipFile(io.BytesIO(fmu(solver, version, list(PLATFORMS))))
    binaries = [name for name in archive.namelist() if name.startswith("binaries/")]
    folders = {(one.fmi2 if version == 2 else one.fmi3): one for one in PLATFORMS}
    assert len(binaries) == len(PLATFORMS)
    sets = []
    for name in binaries:
        _, folder, file = name.split("/")
        platform = folders[folder]
        assert file == f"block{platform.ending}"
        machine, functions = READERS[platform.ending](archive.read(name))
        assert machine == platform.name
        assert f"fmi{version}DoStep" in functions
        functions -= {"_init", "_fini", "_mh_dylib_header", "__dso_handle"}  # of every library
        assert [one for one in functions if not one.startswith(f"fmi{version}")] == [], name
        sets.append(functions)
    assert all(one == sets[0] for one in sets)
    assert len(sets[0]) > 40


@pytest.mark.slow
def test_the_binary_for_linux_needs_an_old_library_only(solver):
    """Compiled by zig for a platform that was asked for: nothing newer than glibc 2.17."""
    zig()
    archive = zipfile.ZipFile(io.BytesIO(fmu(solver, 2, [find_platform("linux-x86_64")])))
    data = archive.read("binaries/linux64/block.so")
    versions = {part.split(b"\0")[0] for part in data.split(b"GLIBC_2.")[1:]}
    assert versions
    assert max(float(one.split(b".")[0]) for one in versions) <= 17


@pytest.mark.slow
def test_a_c_library_for_windows(solver, tmp_path):
    """As the page on embedding compiles it: its functions are exported."""
    zig()
    folder = write(library_files(solver), tmp_path)
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-windows-gnu", "-std=c99",
               "-O3", "-shared", "-DBLOCK_SHARED", "-DBLOCK_BUILD", "-Iinclude", "src/block.c",
               "-o", "block.dll"]  # fmt: skip
    subprocess.run(command, cwd=folder, check=True)
    machine, functions = pe((folder / "block.dll").read_bytes())
    assert machine == "windows-x86_64"
    assert {"block_create", "block_step", "block_get", "block_free"} <= functions
    assert not any(one.startswith("ff_") for one in functions)


@pytest.mark.slow
def test_another_processor_computes_the_same(solver, tmp_path):
    """The example for aarch64 under qemu: outputs of 60 steps to 1e-12 of those of this machine."""
    zig()
    qemu = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    if qemu is None:
        pytest.skip("qemu-aarch64 is not installed: apt install qemu-user-static")
    folder = write(library_files(solver), tmp_path)
    tables = []
    compilers = ([sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-musl"], ["gcc"])
    for compiler, start in zip(compilers, ([qemu], []), strict=True):
        flags = ["-std=c99", "-O2", "-static", "-Iinclude", "src/block.c", "example/main.c"]
        subprocess.run([*compiler, *flags, "-o", "program", "-lm"], cwd=folder, check=True)
        done = subprocess.run([*start, str(folder / "program")], capture_output=True, text=True,
                              check=True)  # fmt: skip
        tables.append([[float(x) for x in row.split(",")] for row in done.stdout.splitlines()[1:]])
    assert len(tables[0]) == 61
    for other, own in zip(*[zip(*table, strict=True) for table in tables], strict=True):
        size = max(map(abs, own))
        assert max(abs(a - b) for a, b in zip(other, own, strict=True)) <= 1e-12 * size


def test_without_zig_another_machine_is_refused(solver, monkeypatch):
    """The error says what to install; the machine at hand needs none."""

    def find(name: str | None = None):
        if name == "zig":
            raise InputError("no zig")
        return real()

    real = platforms.find_compiler
    monkeypatch.setattr(platforms, "find_compiler", find)
    other = next(one for one in PLATFORMS if one.name != here().name)
    with pytest.raises(InputError, match=r"flexforge\[cross\]"):
        fmu(solver, 2, [other])
    assert fmu(solver, 2, [find_platform(here().name)], ("-std=c99", "-O0", "-fPIC", "-shared"))


@pytest.mark.parametrize("name", ["linux", "windows-x64", "", "linux-x86_64 "])
def test_an_unknown_machine_is_refused(name):
    """With the names of those that are known."""
    with pytest.raises(InputError, match="linux-aarch64"):
        find_platform(name)
