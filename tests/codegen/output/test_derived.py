# SPDX-License-Identifier: BSD-3-Clause
"""Kernels that are not among the standard ones are derived once: their text is kept."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from types import MappingProxyType

import pytest
from flexforge.codegen.elements.catalogue import RODS, find
from flexforge.codegen.elements.library import standard_elements
from flexforge.codegen.errors import FlexforgeWarning
from flexforge.codegen.output import derived, standard
from flexforge.codegen.output.derived import derived_sources, fingerprint, kept_share
from flexforge.codegen.output.standard import share_count, share_sources

ELEMENT, TERMS = "tri3_plane_stress", ("coriolis",)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache folder of its own, and how often something was derived into it."""
    from flexforge.codegen import driver as kernel

    monkeypatch.setenv("FLEXFORGE_CACHE", str(tmp_path))
    calls = []
    compile_kernel = kernel.compile_kernel
    monkeypatch.setattr(
        kernel, "compile_kernel", lambda *a, **k: (calls.append(a[1]), compile_kernel(*a, **k))[1]
    )
    return tmp_path, calls


def test_a_second_process_derives_nothing(tmp_path):
    """The second process has the kernels without SymPy ever imported, the first one derives them.

    The result is the same library.
    """
    program = (
        "import sys, time\n"
        "from flexforge.runtime.assembly.kernels import kernels_of\n"
        "start = time.perf_counter()\n"
        f"found = kernels_of({ELEMENT!r}, {TERMS!r})\n"
        "print('sympy' in sys.modules, found['coriolis'].hash, time.perf_counter() - start)\n"
    )
    environment = {**os.environ, "FLEXFORGE_CACHE": str(tmp_path / "cache")}
    runs = [
        subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for _ in range(2)
    ]
    assert [run[0] for run in runs] == ["True", "False"]
    assert runs[0][1] == runs[1][1]
    assert float(runs[1][2]) < 1.0
    kinds = sorted(path.suffix for path in (tmp_path / "cache").iterdir())
    assert kinds == [".json", ".so"]


def test_the_text_that_is_kept_is_the_text_that_was_derived(cache):
    """A second call derives nothing and returns the same files; other terms or lanes are others."""
    _, calls = cache
    first = derived_sources(ELEMENT, TERMS, 1)
    assert derived_sources(ELEMENT, TERMS, 1) == first
    assert calls == ["coriolis"]
    assert derived_sources(ELEMENT, TERMS, 2) != first
    assert derived_sources(ELEMENT, ("euler",), 1) != first
    assert calls == ["coriolis", "coriolis", "euler"]


def test_a_changed_compiler_never_serves_old_text(cache, monkeypatch):
    """Another text of the compiler's own modules: everything is derived anew."""
    folder, calls = cache
    derived_sources(ELEMENT, TERMS, 1)
    monkeypatch.setattr(derived, "_compiler", lambda: "changed")
    derived_sources(ELEMENT, TERMS, 1)
    assert calls == ["coriolis", "coriolis"]
    assert len(list(folder.glob("*.json"))) == 2


@pytest.mark.parametrize("text", ["", "{", "[]", '{"files": 3}', '{"other": {}}'])
def test_a_damaged_file_is_derived_again(cache, text):
    """Whatever stands in the file: the kernels are those of the declaration."""
    folder, calls = cache
    first = derived_sources(ELEMENT, TERMS, 1)
    (path,) = folder.glob("*.json")
    path.write_text(text)
    with pytest.warns(FlexforgeWarning, match=path.name) as told:
        assert derived_sources(ELEMENT, TERMS, 1) == first
    assert len(calls) == 2 and len(told) == 1
    assert derived_sources(ELEMENT, TERMS, 1) == first
    assert len(calls) == 2


def test_a_declaration_is_known_by_all_it_says(cache):
    """Equal declarations share the text; one that differs in its quadrature alone does not."""
    _, calls = cache
    element = find(ELEMENT)
    derived_sources(element, TERMS, 1)
    derived_sources(replace(element), TERMS, 1)
    assert len(calls) == 1
    finer = MappingProxyType(dict(element.degree) | {"mass": 4})
    derived_sources(replace(element, degree=finer), TERMS, 1)
    assert len(calls) == 2


def test_no_two_elements_have_one_fingerprint():
    """All elements of the library differ, and a declaration made twice says the same."""
    rods = [find(name) for name in (*RODS, "dkt3", "dkt3_laminate")]
    elements = [*standard_elements(), *rods]
    said = [fingerprint(element) for element in elements]
    assert len(set(said)) == len(said)
    assert fingerprint(RODS["bar2"]()) == fingerprint(RODS["bar2"]()) == fingerprint(find("bar2"))
    with pytest.raises(TypeError, match="found function in a declaration"):
        fingerprint(lambda: None)


def test_a_share_of_the_standard_kernels_is_kept(cache, monkeypatch):
    """A second build derives nothing, and has the same; a damaged file is derived again."""
    folder, _ = cache
    number = share_count() - 1  # a facet
    first = kept_share(number, (1, 3))
    (path,) = folder.glob("share-*.json")
    assert first == share_sources(number, (1, 3))
    with monkeypatch.context() as patch:
        patch.setattr(standard, "share_sources", None)
        assert kept_share(number, (1, 3)) == first
    path.write_text(path.read_text().replace("double", "DOUBLE"))
    with pytest.warns(FlexforgeWarning, match=path.name):
        assert kept_share(number, (1, 3)) == first


def test_a_build_needs_no_cache(cache, monkeypatch):
    """Where it cannot be written the share is there all the same."""
    folder, _ = cache
    (folder / "file").write_text("")
    monkeypatch.setenv("FLEXFORGE_CACHE", str(folder / "file" / "below"))
    assert kept_share(share_count() - 1, (1,))[1][1]
