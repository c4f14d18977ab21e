# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.library import element
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.jit.compilers import find_compiler
from flexforge.codegen.output.generate import generate
from marks import slow

YOUNG, POISSON = 2e11, 0.3
#: Stands at the begin of every batch kernel here: arrays between cache lines spoil the result.
ALIGNED = """
    if (((size_t)coordinates | (size_t)state | (size_t)out | (size_t)workspace) % 64) {
        out[0] = 12345.0;
        return;
    }
"""


def _generate(folder: Path, lanes: list[int], prefix: str) -> Path:
    """Write the stiffness of a hex8, whose eight lanes need a workspace."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    pytest.importorskip("Cython")
    terms = ["stiffness", "geometric"]
    generate(element("hex8"), folder, terms=terms, lanes=lanes, prefix=prefix)
    return folder


def _build(folder: Path, prefix: str, flags: str = "-O0 -g0") -> Path:
    """Compile the Cython module as the README says."""
    done = subprocess.run(
        [sys.executable, "-m", "Cython.Build.Cythonize", "-i", f"{prefix}.pyx"],
        cwd=folder, env=os.environ | {"CFLAGS": flags}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return next(folder.glob(f"{prefix}.*.so"))


def _load(path: Path, prefix: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(prefix, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _interpreted(term: str, points: np.ndarray, state: np.ndarray) -> np.ndarray:
    """Return what the program of a kernel means, element by element."""
    program = compile_kernel(element("hex8"), term).program
    inputs = {"coordinates": np.moveaxis(points, 0, -1), "state": np.moveaxis(state, 0, -1)}
    found = interpret(program, inputs, {"young": YOUNG, "poisson": POISSON})
    size = 24 if term == "stiffness" else 8
    return np.moveaxis(found, -1, 0).reshape(len(points), size, size)


@pytest.mark.parametrize("lanes", [slow(4), 8, slow(16)])
def test_any_number_of_elements(lanes: int, tmp_path: Path) -> None:
    """Batches alone: no element, one, a batch and one less or more, and a rest after two.

    The batch that is not full is filled up with its last element. Results are those of the
    interpreter, to round-off, and arrays reach the kernel aligned.
    """
    prefix = f"batch{lanes}"
    folder = _generate(tmp_path / prefix, [lanes], prefix)
    kernels = folder / f"{prefix}_kernels.c"
    begin = r"(    typedef FLEXFORGE_VECTOR.*\n)"
    text, count = re.subn(begin, r"\1" + ALIGNED, kernels.read_text())
    assert count == 2
    kernels.write_text("#include <stddef.h>\n" + text)
    workspace = re.findall(r" \* workspace    (.*)", text)
    assert [words != "not used" for words in workspace] == [lanes >= 8, lanes >= 4, False]
    module = _load(_build(folder, prefix), prefix)
    rng = np.random.default_rng(3)
    reference = np.array(element("hex8").nodes, dtype=float)
    points = reference + 0.06 * rng.standard_normal((2 * lanes + 3, 8, 3))
    state = 1e-3 * rng.standard_normal(points.shape)
    stiffness, geometric = (_interpreted(t, points, state) for t in ("stiffness", "geometric"))
    for number in (0, 1, lanes - 1, lanes, lanes + 1, 2 * lanes + 3):
        found = module.stiffness(points[:number], YOUNG, POISSON)
        assert found.shape == (number, 24, 24)
        _same(found, stiffness[:number])
        found = module.geometric(points[:number], state[:number], YOUNG, POISSON)
        assert found.shape == (number, 8, 8)
        _same(found, geometric[:number])
    _same(module.stiffness(points[0], YOUNG, POISSON), stiffness[0])


def _same(found: np.ndarray, expected: np.ndarray) -> None:
    scale = abs(expected).max(initial=0.0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14 * scale)


@pytest.mark.slow
def test_a_module_for_another_processor_is_not_imported(tmp_path: Path) -> None:
    """Import on a processor with less than the module was compiled for is an ImportError.

    The weaker processor is one whose header answers 1 at once.
    """
    if "#define __AVX__ " not in find_compiler().resolved_target():
        pytest.skip("this processor has the instructions of the baseline only")

    def built(name: str, flags: str) -> Path:
        folder = _generate(tmp_path / name, [1], "weak")
        header = folder / "flexforge.h"
        text = header.read_text()
        weaker = text.replace("    __builtin_cpu_init();\n", "    return 1;\n")
        assert weaker != text
        header.write_text(weaker)
        return _build(folder, "weak", flags)

    words = (
        r"weak was compiled for AVX[-25]*1?2? \(level [234]\); this processor runs baseline "
        r"\(level 1\): build it again on this machine"
    )
    with pytest.raises(ImportError, match=words):
        _load(built("native", "-O0 -g0 -march=native"), "weak")
    # The same module compiled for the baseline is imported on it.
    assert _load(built("baseline", "-O0 -g0"), "weak").NODES == 8
