# SPDX-License-Identifier: BSD-3-Clause
"""Results: safe writing, reading, pictures, reports.

Read in this order: ``data`` (the data handed over), ``files`` (atomic writing), ``vtu`` and
``series``, ``hdf5``, ``table``, ``summary``, then ``writer`` (the only entry for writing); ``read``
(the only entry for reading); ``surface``, ``camera``, ``raster``, ``picture`` and ``views``
(pictures), ``plots`` (curves), ``campbell`` (modes over the speed), ``report``.
"""

from flexforge.runtime.results.data import BodyGeometry, BodyState, Column, von_mises
from flexforge.runtime.results.writer import ResultWriter

__all__ = ["BodyGeometry", "BodyState", "Column", "ResultWriter", "von_mises"]
