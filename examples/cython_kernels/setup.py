# SPDX-License-Identifier: BSD-3-Clause
"""Build of the example: flexforge says where its header and its declarations are."""

from pathlib import Path

import flexforge
from Cython.Build import cythonize
from setuptools import Extension, setup

extension = Extension(
    "rayleigh.energies",
    ["rayleigh/energies.pyx"],
    include_dirs=[flexforge.get_include()],
    extra_compile_args=["-O3"],
)
# Cython finds installed packages by itself; the path is for a flexforge installed as editable.
declarations = str(Path(flexforge.__file__).parents[1])
setup(
    packages=["rayleigh"],
    ext_modules=cythonize([extension], include_path=[declarations], language_level=3),
)
