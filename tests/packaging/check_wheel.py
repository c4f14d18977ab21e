# SPDX-License-Identifier: BSD-3-Clause
"""Checks what is in a wheel: ``python check_wheel.py flexforge-*.whl``."""

from __future__ import annotations

import sys
import zipfile
from pathlib import PurePosixPath

WANTED = (
    "flexforge/py.typed",
    "flexforge/cli.py",
    "flexforge/commands/__init__.py",
    "flexforge/kernels.pxd",
    "flexforge/codegen/include/flexforge.h",
    "flexforge/codegen/include/flexforge_elements.h",
    "flexforge/codegen/elements/declared/euler_beam.toml",
    "flexforge/codegen/cmake/flexforge-config.cmake",
    "flexforge/codegen/cmake/flexforge-config-version.cmake",
    "flexforge/templates/kernel.c.jinja",
    "flexforge/templates/kernels.pyx.jinja",
    "flexforge/templates/study/derivation.tex.jinja",
    "flexforge/templates/README.md.jinja",
    "flexforge/templates/export/solver.c.jinja",
    "flexforge/runtime/include/ff_model.h",
    "flexforge/runtime/include/ff_solver.h",
    "flexforge/runtime/run.py",
    "flexforge/runtime/_standard.pyi",
    "flexforge/codegen/elements/declared/laminate.toml",
    "flexforge/codegen/forces/declared/shapes.toml",
)
EXTENSIONS = ("_kernels", "_standard", "_assembly", "_operators", "_blocks")
#: Where auditwheel puts what release wheels bring along.
LIBRARIES = "flexforge.libs"
#: Elements of the library, and laws of force, that are declared in files.
DECLARED = ("flexforge/codegen/elements/declared/", "flexforge/codegen/forces/declared/")
# Sources of C, and anything of the checkout that is no part of the package.
UNWANTED = (".c", ".cpp", ".o", ".pyc", ".toml")


def check(path: str) -> None:
    names = zipfile.ZipFile(path).namelist()
    missing = [name for name in WANTED if name not in names]
    assert not missing, f"missing in the wheel: {missing}"
    for extension in EXTENSIONS:
        found = [n for n in names if n.startswith(f"flexforge/runtime/{extension}.")]
        assert any(n.endswith(".so") for n in found), f"{extension} is not compiled: {found}"
    top = {PurePosixPath(name).parts[0] for name in names}
    extra = {t for t in top if t != "flexforge" and not t.endswith(".dist-info")} - {LIBRARIES}
    assert not extra, f"more than one top-level name: {extra}"
    added = [n for n in names if n.startswith(f"{LIBRARIES}/") and not n.endswith("/")]
    strange = [n for n in added if not n.startswith(f"{LIBRARIES}/libgomp")]
    assert not strange, f"libraries without a row in docs/licences.md: {strange}"
    for licence in ("LICENSE.libgomp", "LICENSE.GPL-3") if added else ():
        assert any(n.endswith(f"/{licence}") for n in names), f"libgomp without {licence}"
    ours = [n for n in names if n.startswith("flexforge/") and not n.startswith(DECLARED)]
    wrong = [n for n in ours if n.endswith(UNWANTED)]
    assert not wrong, f"does not belong into the wheel: {wrong}"
    print(f"{path}: {len(names)} files, as expected")


if __name__ == "__main__":
    check(sys.argv[1])
