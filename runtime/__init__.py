# SPDX-License-Identifier: BSD-3-Clause
"""The native runtime: a model file becomes one system of equations for all analyses.

Every analysis takes its matrices and forces from that system.

Reading order: ``model`` and ``loading`` (what is to be computed), ``formula`` and ``motion``
(functions of time, frames), ``mesh``, ``assembly`` (compiled element terms, sparse matrices),
``materials``, ``mechanism`` (links that joints and drivers move), ``system`` (bodies as operators),
``constraints`` (joints between elastic bodies), ``solvers`` (linear systems), ``statics``,
``vibration``, ``transient``, ``reduction``, ``native`` (small systems stepped in C), ``observe``
(probes, energies), ``results`` (what stays behind), ``export`` (a solver for other software).
``start`` chooses how a model is stepped, ``kinematics``, ``vibrations`` and ``link_vibrations`` run
whole analyses, ``check`` and ``run`` do all of it in order. Below all: ``machine`` (memory,
threads, processes), ``tables`` with ``include`` (C headers, and their structs as data),
``elasticity``.
"""

from flexforge.runtime.machine.waiting import sleep_soon

sleep_soon()  # before any extension module loads the library of threads
