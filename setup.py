# SPDX-License-Identifier: BSD-3-Clause
"""Build: the folders become one package, and the compiler compiles its own standard kernels."""

from __future__ import annotations

import gc
import hashlib
import multiprocessing
import os
import shutil
import subprocess
import sys
import sysconfig
import types
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from glob import glob
from itertools import chain
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

#: Texts by file name and names of kernels, for every level.
Share = dict[int, tuple[dict[str, str], list[str]]]

HERE = Path(__file__).parent
ROOTS = {"codegen": "flexforge.codegen", "runtime": "flexforge.runtime",
         "templates": "flexforge.templates"}  # fmt: skip
KERNEL_FLAGS = [
    "-O3", "-std=c99", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math",
    # gcc 12 merges equal kernels (mass in plane stress and plane strain) into an empty function.
    "-fno-ipa-icf",
]  # fmt: skip
# The machine that is compiled for: _PYTHON_HOST_PLATFORM names that of a cross compiler.
PLATFORM = sysconfig.get_platform()
# One object per level of the processor; the runtime takes the best that runs.
LEVELS = {1: []}
if PLATFORM.endswith(("x86_64", "amd64")):
    LEVELS = {1: ["-march=x86-64"], 3: ["-march=x86-64-v3"], 4: ["-march=x86-64-v4"]}


def packages() -> dict[str, str]:
    """Return every package and its folder."""
    found = {"flexforge": "flexforge"}
    for folder, package in ROOTS.items():
        for init in sorted((HERE / folder).rglob("__init__.py")):
            relative = init.parent.relative_to(HERE)
            found[".".join((package, *relative.parts[1:]))] = str(relative)
    for init in sorted((HERE / "flexforge").rglob("__init__.py")):
        relative = init.parent.relative_to(HERE)
        found[".".join(relative.parts)] = str(relative)
    return found


def import_compiler_from_tree() -> None:
    """Make ``flexforge.codegen`` importable before anything is installed."""
    package = types.ModuleType("flexforge")
    package.__path__ = [str(HERE / "flexforge"), str(HERE)]
    sys.modules["flexforge"] = package


class BuildExtensions(build_ext):
    """Generates the standard kernels and compiles them for every level, then the extensions."""

    def finalize_options(self) -> None:
        """Compile as many extensions at once as there are processors, unless told otherwise."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extensions(self) -> None:
        """Derive the standard kernels; then compile them and the extensions at once."""
        import_compiler_from_tree()
        self.shares = generate()
        super().build_extensions()

    def build_extension(self, ext: Extension) -> None:
        """Link an extension from its object; the standard kernels get theirs first."""
        objects = self.standard_objects() if ext.name.endswith("._standard") else []
        own = self.own_object(ext)
        if own is not None:
            ext.sources, objects = [], [own, *objects]
        ext.extra_objects = objects
        ext.depends = [*ext.depends, *objects]  # else it is not linked again
        super().build_extension(ext)

    def own_object(self, ext: Extension) -> str | None:
        """Return the object of an extension, compiled only where none of the same text is kept.

        An editable installation starts from nothing after every change of the compiler, and so does
        a wheel. None if the text cannot be read by the preprocessor: the compiler then says why.
        """
        (source,) = ext.sources
        folders = [*ext.include_dirs, *self.compiler.include_dirs]
        macros = [f"-D{name}={value}" for name, value in ext.define_macros]
        command = [*self.compiler.compiler_so, *macros, *ext.extra_compile_args]
        searched = [f"-I{folder}" for folder in folders]
        texts = {}
        for kind in ("-P", "-dM"):  # the text, and what flags define: a sanitizer, a processor
            done = subprocess.run([*command, *searched, "-E", kind, source], capture_output=True)
            if done.returncode:
                return None
            texts[kind] = hashlib.sha256(done.stdout).hexdigest()
        name = object_name("extension", command, texts)
        output = Path(self.build_temp).absolute() / "extensions" / f"{ext.name}.o"
        output.parent.mkdir(parents=True, exist_ok=True)
        if not copy_kept(name, output):
            self.spawn([*command, *searched, "-c", source, "-o", str(output)])
            keep_object(name, output)
        return str(output)

    def standard_objects(self) -> list[str]:
        """Return one object file a level."""
        from flexforge.codegen.output.standard import level_sources

        files: dict[int, dict[str, str]] = {level: {} for level in LEVELS}
        names: dict[int, list[str]] = {level: [] for level in LEVELS}
        for share in self.shares:
            for level, (texts, kernels) in share.items():
                files[level] |= texts
                names[level] += kernels

        def compile_level(level: int) -> str:
            folder = Path(self.build_temp).absolute() / "standard" / f"level{level}"
            folder.mkdir(parents=True, exist_ok=True)
            texts = level_sources(level, files[level], names[level])
            for name, text in texts.items():
                (folder / name).write_text(text)
            output = folder / f"level{level}.o"
            # Not through self.compiler.compile: its flags are fixed for all objects.
            command = [*self.compiler.compiler_so[:1], *KERNEL_FLAGS, *LEVELS[level], "-fPIC", "-c"]
            name = object_name("level", command, texts)
            if copy_kept(name, output):
                return str(output)
            print(f"standard kernels: compiling level {level}", flush=True)
            self.spawn([
                *command, f"-I{HERE / 'codegen' / 'include'}", f"-I{folder}",
                str(folder / f"level{level}.c"), "-o", str(output),
            ])  # fmt: skip
            keep_object(name, output)
            return str(output)

        # All at once: three levels one after the other on two processors leave one of them idle.
        with ThreadPoolExecutor(len(LEVELS)) as pool:
            return list(pool.map(compile_level, LEVELS))


def object_name(kind: str, command: list[str], texts: Mapping[str, str]) -> str:
    """Return under which name the object is kept that a compiler makes of texts."""
    version = ""
    with suppress(OSError):  # a compiler that is not there is told by what calls it
        version = subprocess.run([command[0], "--version"], capture_output=True, text=True).stdout
    headers = [path.read_text() for path in sorted((HERE / "codegen" / "include").glob("*.h"))]
    parts = [PLATFORM, version, *command, *headers, *chain.from_iterable(texts.items())]
    return f"{kind}-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()}"


def copy_kept(name: str, made: Path) -> bool:
    """Copy an object from where it is kept, and say whether it was there, undamaged."""
    from flexforge.codegen.errors import InputError
    from flexforge.codegen.jit.cache import find_kept

    with suppress(InputError, OSError):  # a cache that is not to be trusted is not used
        kept = find_kept(name, ".o")
        if kept is not None:
            shutil.copyfile(kept, made)
            return True
    return False


def keep_object(name: str, made: Path) -> None:
    """Copy an object to where it is kept, whole or not at all; go on without where it cannot be."""
    from flexforge.codegen.errors import InputError
    from flexforge.codegen.jit.cache import keep, locked

    with suppress(InputError), locked(name):
        keep(name, ".o", made.read_bytes())


def generate() -> list[Share]:
    """Return the sources of the standard kernels, derived on all processors where they can share.

    What this compiler has derived before is in the cache folder of kernels (``FLEXFORGE_CACHE``).

    Without fork a new process would not find the compiler, which is not installed yet.
    """
    from flexforge.codegen.output.derived import kept_share
    from flexforge.codegen.output.standard import share_count

    one, count = partial(kept_share, levels=tuple(LEVELS)), share_count()
    # What is kept of derivations is millions of objects: looking at them all is done rarely.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)
    if "fork" not in multiprocessing.get_all_start_methods():
        return list(told(map(one, range(count)), count))
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("fork")) as pool:
        return list(told(pool.map(one, range(count)), count))


def told(shares: Iterator[Share], count: int) -> Iterator[Share]:
    """Pass on what is derived, and print how far it is: every tenth, and the last."""
    for number, share in enumerate(shares, start=1):
        if number % 10 == 0 or number == count:
            print(f"standard kernels: {number} of {count} elements derived", flush=True)
        yield share


def level_macros() -> list[tuple[str, str]]:
    """Return what the module of the standard kernels is told of their levels and their flags."""
    found = [("FLEXFORGE_LEVELS", "1")] if len(LEVELS) > 1 else []
    for level in (1, 3, 4):
        flags = " ".join([*KERNEL_FLAGS, *LEVELS.get(level, LEVELS[1])])
        found.append((f"FLEXFORGE_FLAGS_{level}", f'"{flags}"'))
    return found


def extension(
    name: str, *, openmp: bool = False, macros: bool = False, exact: bool = False
) -> Extension:
    """Return a Cython extension of the runtime; an exact one rounds every product and every sum."""
    flags = ["-fopenmp"] if openmp else []
    return Extension(
        f"flexforge.runtime.{name}",
        [f"runtime/{name}.pyx"],
        include_dirs=["codegen/include", "runtime/include"],
        depends=[*sorted(glob("codegen/include/*.h")), *sorted(glob("runtime/include/*.h"))],
        define_macros=level_macros() if macros else [],
        # Python's own flags ask for debugging information: a fifth of the time to compile, and more
        # than half of what is installed.
        extra_compile_args=["-O3", "-g0", f"-ffp-contract={'off' if exact else 'fast'}", *flags],
        extra_link_args=flags,
    )


folders = packages()
setup(
    packages=list(folders),
    package_dir=folders,
    package_data={
        "flexforge": ["py.typed", "*.pxd"],
        "flexforge.codegen": [
            "include/*.h",
            "cmake/*.cmake",
            "elements/declared/*.toml",
            "forces/declared/*.toml",
        ],
        "flexforge.templates": ["*.jinja", "*/*.jinja"],
        "flexforge.runtime": ["*.pyx", "*.pyi", "include/*.h"],
    },
    ext_modules=cythonize(
        [
            extension("_standard", macros=True),  # the longest first
            extension("_kernels", openmp=True),
            extension("_assembly", openmp=True),
            extension("_action", openmp=True),
            extension("_operators", openmp=True),
            extension("_blocks", openmp=True),
            extension("_matmul", openmp=True),
            extension("_mechanism"),
            extension("_multibody"),
            extension("_native", exact=True),
            extension("_functions", exact=True),
            extension("_integrals", exact=True),
            extension("_frames"),
        ],
        build_dir="build/cython",
        language_level=3,
        # Other ways than fork import this file again.
        nthreads=(os.cpu_count() or 0) if multiprocessing.get_start_method() == "fork" else 0,
    ),
    cmdclass={"build_ext": BuildExtensions},
)
