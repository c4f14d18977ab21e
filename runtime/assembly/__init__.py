# SPDX-License-Identifier: BSD-3-Clause
"""From elements to sparse matrices and to products with them.

Reading order: ``kernels`` and ``calls`` (compiled element terms), ``graph`` (which element adds to
which entry), ``assemble``, ``diagonal_mass``, ``action`` (a matrix times a vector without the
matrix).
"""
