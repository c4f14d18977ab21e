# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of a file of results that a kill cut in two, at the end of a page of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.machine import child
from flexforge.runtime.results import ResultWriter
from flexforge.runtime.results.hdf5 import open_results, repair
from flexforge.runtime.results.torn import checksum_of, mend_torn
from samples import bar, bent

PAGE = 4096
BLOCKS = (b"OHDR\2", b"EAHD\0", b"EAIB\0", b"EASB\0", b"EADB\0")


def torn(before: bytes, after: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield a file with one block written up to the end of a page only, and the kind of block."""
    for page in range(PAGE, len(before), PAGE):
        begin, kind = max((before.rfind(kind, page - 600, page), kind) for kind in BLOCKS)
        # A block in one page is written whole; behind a short one may be no block at all.
        if begin >= 0 and before[begin:page] != after[begin:page]:
            yield kind[:4], before[:begin] + after[begin:page] + before[page:]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[int, bytes, bytes]]:
    """Numbers of frames, and files of results before and after one more: of a run killed then.

    Names of different lengths put different blocks across pages.
    """
    found = []
    for length in (129, 145, 161):
        folder, body = tmp_path_factory.mktemp("running"), bar(name="b" * length)
        with ResultWriter(folder, [body], formats=["hdf5"]) as writer:
            after = b""
            for i in range(25):
                writer.frame(float(i), {body.name: bent(body, 0.1 * i)})
                before, after = after, (folder / "results.h5").read_bytes()
                if i:
                    found.append((i, before, after))
    return found


def one_torn(files: list[tuple[int, bytes, bytes]], folder: Path) -> tuple[int, bytes]:
    """Return a file with a block cut in two, and how many frames it had before."""
    path = folder / "torn.h5"
    for count, before, after in files:
        for kind, data in torn(before, after):
            path.write_bytes(data)
            if kind == b"EADB" and mend_torn(path):
                return count, data
    raise AssertionError("no block is across pages")


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process is writing the files of these tests."""
    monkeypatch.setattr("flexforge.runtime.results.torn._PAUSE", 0.0)


def test_blocks_cut_in_two_are_mended(
    files: list[tuple[int, bytes, bytes]], tmp_path: Path
) -> None:
    """Whatever block a kill cut in two, all frames that were written before are there."""
    path, kinds = tmp_path / "results.h5", set[bytes]()
    for count, before, after in files:
        for kind, data in torn(before, after):
            path.write_bytes(data)
            if mend_torn(path):
                kinds.add(kind)
            assert mend_torn(path) == 0
            with h5py.File(path, swmr=True) as file:
                assert np.array_equal(file["time"], np.arange(float(count)))
                (body,) = file["bodies"].values()
                end = body["displacement"][:, -1, 2]
                assert np.array_equal(end, [0.01 * np.sin(3 * (0.1 * i)) for i in range(count)])
    assert kinds >= {b"EADB", b"OHDR"}


def test_the_reader_mends(
    files: list[tuple[int, bytes, bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block cut in two, for which the library waits, is mended when it has waited in vain."""
    monkeypatch.setattr(child, "_SECONDS", 0.5)
    path = tmp_path / "results.h5"
    count, data = one_torn(files, tmp_path)
    path.write_bytes(data)
    with open_results(path) as file:
        assert np.array_equal(file["time"], np.arange(float(count)))
    assert path.read_bytes() != data
    assert repair(path)
    with h5py.File(path) as file:
        assert np.array_equal(file["time"], np.arange(float(count)))


def test_what_is_not_being_written_is_not_mended(
    files: list[tuple[int, bytes, bytes]], tmp_path: Path
) -> None:
    """A damaged file of a run that ended stays damaged, and as it is."""
    _, data = one_torn(files, tmp_path)
    path = tmp_path / "results.h5"
    closed = bytearray(data)
    closed[11] = 0
    closed[44:48] = checksum_of(bytes(closed[:44])).to_bytes(4, "little")
    path.write_bytes(closed)
    with pytest.raises(InputError, match="is damaged"):
        open_results(path)
    assert path.read_bytes() == closed


def test_files_that_are_whole_stay_as_they_are(
    files: list[tuple[int, bytes, bytes]], tmp_path: Path
) -> None:
    """Sizes and checksums of blocks are those of the library: nothing is mended."""
    path = tmp_path / "results.h5"
    for _, data, _ in files:
        path.write_bytes(data)
        assert mend_torn(path) == 0
        assert path.read_bytes() == data


def test_pages_of_large_blocks(tmp_path: Path) -> None:
    """Blocks of more than 1,024 elements have pages, each with a checksum of its own."""
    path, count = tmp_path / "results.h5", 4 + 16 * (2**13 - 1) + 2048
    with h5py.File(path, "w", libver="v110") as file:
        array = file.create_dataset("time", (count,), "f8", chunks=(1,), maxshape=(None,))
        array[...] = np.arange(count)
    assert mend_torn(path) == 0
    data, wrong = bytearray(path.read_bytes()), 0
    for begin in (found.start() for found in re.finditer(rb"EADB\0", data)):
        page = begin + 22  # signature, version, client, header, offset, checksum
        if checksum_of(data[begin : page - 4]) == int.from_bytes(data[page - 4 : page], "little"):
            end = page + 1024 * 8  # first page; its checksum follows
            assert checksum_of(data[page:end]) == int.from_bytes(data[end : end + 4], "little")
            data[end] ^= 1
            wrong += 1
    assert wrong > 0
    path.write_bytes(data)
    assert mend_torn(path) == wrong
    with h5py.File(path) as file:
        assert np.array_equal(file["time"], np.arange(count))


def test_what_looks_like_a_block(tmp_path: Path) -> None:
    """Sizes that no block has, as of data that looks like one, are of none."""
    path = tmp_path / "results.h5"
    header = b"EAHD\0\0" + bytes([255, 64, 255, 255, 255, 0]) + bytes(60)
    offset = (2**63).to_bytes(8, "little")
    blocks = [kind + b"\0\0" + bytes(8) + offset + bytes(30_000) for kind in (b"EASB", b"EADB")]
    large = b"OHDR\2\3" + (100_000).to_bytes(8, "little") + bytes(200_000)
    data = b"".join([header, *blocks, large, b"OHDR\2"])
    path.write_bytes(data)
    assert mend_torn(path) == 0
    assert path.read_bytes() == data
