# SPDX-License-Identifier: BSD-3-Clause
"""Bounds of every standard kernel: what it takes on the stack, and what gcc takes to compile it.

The bounds are promises of the product (docs/kernels.md), not timings of this machine: threads have
small stacks, and a kernel of one's own is compiled while somebody waits.
"""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import replace

import pytest
from compiled import kernel_of
from flexforge.codegen.elements.terms import ACTIONS
from flexforge.codegen.emission.workspace import LINE, STACK_LIMIT
from flexforge.codegen.errors import InputError
from flexforge.codegen.jit.build import INCLUDE
from flexforge.codegen.jit.compilers import COMMON, Compiler, find_compiler
from flexforge.codegen.output.lanes import LANES
from flexforge.codegen.output.sources import kernel_sources
from flexforge.codegen.output.standard import TERMS
from specimens import ELEMENTS, FACET_ELEMENTS

FRAME = 32768  # bytes
SECONDS = 20  # of the processor, for one function

#: All keep to the bounds; these do so in `make test`, the others in `make test-all`.
USUAL = {("tri3_plane_stress", 8), ("tet4", 1), ("facet_quad9_3d", 16)}
CASES = [
    pytest.param(name, lanes, marks=() if (name, lanes) in USUAL else pytest.mark.slow)
    for name in (*ELEMENTS, *FACET_ELEMENTS)
    for lanes in (1, 4, 8, 16)
]


def _kernels(name):
    """Return the kernels of an element."""
    terms = ("mass", "lumped_mass", *ACTIONS, *TERMS)
    return [kernel_of(name, t) for t in (terms if name in ELEMENTS else ("pressure",))]


def _gcc() -> Compiler:
    try:
        return find_compiler("gcc")
    except InputError:
        pytest.skip("no gcc: other compilers do not tell the frames of the stack")


def _compile(kernel, folder, *flags):
    """Compile one kernel alone; return the bytes of its frame and the seconds gcc computed."""
    source, output = folder / "kernel.c", folder / "kernel.o"
    source.write_text(kernel_sources([kernel])[f"{kernel.element}.c"])
    command = [*_gcc().command, *COMMON, *flags, "-fstack-usage", f"-I{INCLUDE}", "-c"]
    child = subprocess.Popen([*command, str(source), "-o", str(output)], stderr=subprocess.PIPE)
    words = child.stderr.read().decode()
    _, status, used = os.wait4(child.pid, 0)  # of gcc and of all it has started
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stderr.close()
    assert child.returncode == 0, words[-2000:]
    frames = {}
    for line in output.with_suffix(".su").read_text().splitlines():
        place, size, kind = line.split("\t")
        assert "dynamic" not in kind or "bounded" in kind, line
        frames[place.split(":")[-1]] = int(size)
    return frames[kernel.name], used.ru_utime + used.ru_stime


@pytest.mark.parametrize(("name", "lanes"), CASES)
def test_frames_and_compile_times(name, lanes, tmp_path):
    """No frame of a standard kernel exceeds 32 KiB, spills included; gcc needs 20 s at most."""
    for scalar_kernel in _kernels(name):
        kernel = replace(scalar_kernel, lanes=lanes, name=f"{scalar_kernel.name}_x{lanes}")
        frame, seconds = _compile(kernel, tmp_path, *_gcc().native)
        print(f"{kernel.name}: frame {frame}, {kernel.layout}, gcc {seconds:.1f} s")
        assert frame <= FRAME, kernel.name
        assert seconds <= SECONDS, kernel.name


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="levels are of x86")
@pytest.mark.parametrize(("level", "march"), [(1, "x86-64"), (3, "x86-64-v3"), (4, "x86-64-v4")])
@pytest.mark.parametrize("name", [*ELEMENTS, *FACET_ELEMENTS])
def test_frames_of_every_level(name, level, march, tmp_path):
    """What an installation ships keeps to 32 KiB for every level of the processor."""
    for kernel in (replace(k, lanes=LANES[level]) for k in _kernels(name) if k.term != "mass"):
        frame, _ = _compile(kernel, tmp_path, f"-march={march}", "-fno-ipa-icf")
        assert frame <= FRAME, kernel.name


def test_local_arrays_are_on_the_stack_or_in_the_workspace():
    """Short arrays stay on the stack; long ones are all in the workspace, from whole lines on."""
    few = kernel_of("hex8", "stiffness")
    assert (few.layout.stack, few.layout.workspace) == (few.written.stack, 0)
    assert 0 < few.layout.stack <= STACK_LIMIT
    assert "(void)workspace;" in kernel_sources([few])["hex8.c"]
    many = replace(few, lanes=8)
    assert many.layout.stack == 0
    assert many.layout.workspace >= 8 * few.count.stack > STACK_LIMIT
    arrays = [a for a in many.program.arrays if a.kind == "local"]
    end = 0
    for array in arrays:
        begin = 8 * many.layout.offsets[array.name]
        assert begin % LINE == 0
        assert end <= begin < end + LINE, "one after the other"
        size = 8 * many.lanes
        for extent in array.shape:
            size *= extent
        end = begin + size
    assert len(arrays) > 1
    assert end <= many.layout.workspace < end + LINE
    # Two groups of eight lanes use the same memory one after the other.
    assert replace(few, lanes=16).layout.workspace == many.layout.workspace
    assert replace(few, lanes=16, scalar="float").layout.groups == 1
