# SPDX-License-Identifier: BSD-3-Clause
"""The native runtime: meshes, model files, assembly, analyses and results.

Reading order: ``model`` (what is to be computed), ``mesh``, ``kernels`` (compiled element terms),
``assembly`` and ``operator`` (from elements to sparse matrices), ``body``, ``analyses`` (static,
transient, modes), ``solvers`` (linear systems), ``results`` (what stays behind), ``run`` (all of it
in order).
"""
