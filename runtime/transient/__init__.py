# SPDX-License-Identifier: BSD-3-Clause
"""Steps in time.

Reading order: ``scheme`` and ``transient`` (implicit steps of the second-order equations),
``explicit`` with ``stability`` (its largest step), ``pair``, ``gauss``, ``stages`` and ``hamilton``
(the first-order equations) with the integral of ``jacobi``; with joints ``equations``,
``step_end``, ``residuals``, ``constrained`` and ``canonical``, in the coordinates of
``coordinates``. The systems of a step are solved in ``linear``.
"""
