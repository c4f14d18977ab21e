# SPDX-License-Identifier: BSD-3-Clause
"""The compiler: from the declaration of an element to the text of its kernels.

Reading order: ``driver`` (numbered stages, each with its input and output), ``elements``
(declarations), ``mechanics`` (SymPy: kinematics, formalisms, equations), ``ir`` (intermediate
representation), ``lowering`` (from symbols to programs), ``passes`` (optimization), ``emission``
(C), ``joints`` (kernels of the joints of mechanisms), ``jit`` (compilers, shared objects and their
cache), ``output`` (generated files) with ``files``. ``errors``, ``arguments`` (types of what public
functions are given), ``spelling`` (of names) and ``derivative`` (of expressions) serve all of them.
``study`` examines and documents the compiler; nothing else imports it. The compiler knows no meshes
and no analyses.
"""
