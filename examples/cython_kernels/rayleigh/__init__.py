# SPDX-License-Identifier: BSD-3-Clause
"""Energies of a mesh of bricks, element by element, from kernels of flexforge."""

from rayleigh.energies import energies

__all__ = ["energies"]
