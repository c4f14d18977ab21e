# SPDX-License-Identifier: BSD-3-Clause
"""Kernels behind the interfaces of other programs, which call them as they call their own.

``basix`` (the order of nodes in FEniCSx), ``ufcx`` (``tabulate_tensor`` of FFCx and DOLFINx),
``uel`` (user elements of Abaqus).
"""
