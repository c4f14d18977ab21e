# SPDX-License-Identifier: BSD-3-Clause
"""The native runtime: a model file becomes one system of equations for all analyses.

Reading order: ``model`` and ``loading`` (the model file), ``formula`` and ``motion`` (functions of
time, frames), ``mesh``, ``assembly`` (compiled element terms, sparse matrices), ``materials``,
``mechanism`` (links moved by joints and drivers), ``system`` (bodies as operators), ``constraints``
(joints between elastic bodies), ``solvers`` (linear systems), ``statics``, ``vibration``,
``transient``, ``reduction``, ``native`` (small systems stepped in C), ``observe`` (probes,
energies), ``results`` (output files), ``export`` (solvers for other software). ``start`` chooses
how a model is stepped, ``kinematics`` and ``vibrations`` run complete analyses, ``check`` and
``run`` do complete jobs, step by step.
"""
