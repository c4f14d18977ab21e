# SPDX-License-Identifier: BSD-3-Clause
"""The native runtime: meshes, model files, assembly, analyses and results.

Reading order: ``model`` (what is to be computed), ``mesh``, ``kernels`` (compiled element terms),
``graph`` and ``assembly`` (from elements to sparse matrices), ``inertia`` (blocks that follow the
frame), ``body`` with ``field_body`` and ``lumped_body``, and ``system`` (all of them as operators),
``construct`` with ``elements``, ``materials``, ``bodies`` and ``lumps``, ``loads``, ``initial`` and
``probes`` (from the model file to these), ``solvers`` (linear systems), ``analyses`` (static,
transient, modes), ``mechanism`` (links that joints and drivers move), ``results`` and ``record``
(what stays behind), ``check`` and ``run`` (all of it in order).
"""
