# SPDX-License-Identifier: BSD-3-Clause
"""Kernels with the interfaces of other programs, which call them like their own.

``basix`` (the order of nodes in FEniCSx), ``ufcx`` (``tabulate_tensor`` of FFCx and DOLFINx),
``uel`` (user elements of Abaqus).
"""
