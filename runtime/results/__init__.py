# SPDX-License-Identifier: BSD-3-Clause
"""Results: written so that nothing is lost, read back, drawn, reported.

Read in this order: ``data`` (what is handed over), ``files`` (writing whole or not at all), ``vtu``
and ``series``, ``hdf5``, ``table``, ``summary``, then ``writer`` (the one door in); ``read`` (the
one door out); ``surface``, ``camera``, ``raster``, ``picture`` and ``views`` (pictures), ``plots``
(curves), ``campbell`` (modes over the speed), ``report``.
"""

from flexforge.runtime.results.data import BodyGeometry, BodyState, Column, von_mises
from flexforge.runtime.results.writer import ResultWriter

__all__ = ["BodyGeometry", "BodyState", "Column", "ResultWriter", "von_mises"]
