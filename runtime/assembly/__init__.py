# SPDX-License-Identifier: BSD-3-Clause
"""From elements to sparse matrices and to products with them.

Reading order: ``kernels`` and ``calls`` (compiled element terms), ``graph`` (the elements that
contribute to each entry), ``assemble``, ``diagonal_mass``, ``action`` (matrix-free products).
"""
