# SPDX-License-Identifier: BSD-3-Clause
"""The compiler: from the declaration of an element to the text of its kernels.

Reading order: ``driver`` (the numbered stages, each with its input and output), ``elements``
(declarations), ``mechanics`` (SymPy: kinematics, formalisms, equations), ``ir``, ``lowering``
(numbers take over from symbols), ``passes``, ``emission`` (C), ``joints`` (joints of mechanisms,
from their equations to kernels), ``jit`` (compilers, shared objects and their cache), ``output``
(what is handed out) with ``files``.
``study`` looks at all of this for people; nothing here imports it. The compiler knows neither
meshes nor analyses.
"""
