# SPDX-License-Identifier: BSD-3-Clause
"""Results: safe writing, reading, reports, views in three dimensions.

Read in this order: ``data`` (the data handed over), ``files`` (atomic writing), ``vtu`` and
``series``, ``hdf5``, ``table``, ``summary``, then ``writer`` (the only entry for writing); ``read``
(the only entry for reading). What is drawn: ``surface`` and ``tubes`` (triangles), ``scene`` and
``scene_building``. Who draws it: ``packed`` (the page of a report), ``drawing`` and ``animation``
(PyVista). The page: ``plots``, ``campbell``, ``model_tables``, ``rows``, ``report``.
"""

from flexforge.runtime.results.data import BodyGeometry, BodyState, Column, von_mises
from flexforge.runtime.results.writer import ResultWriter

__all__ = ["BodyGeometry", "BodyState", "Column", "ResultWriter", "von_mises"]
