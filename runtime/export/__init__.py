# SPDX-License-Identifier: BSD-3-Clause
"""Models as native solvers for other programs, without Python.

Read in this order: ``identifiers`` (C identifiers from user names), ``functions`` (of time),
``motions`` and ``outputs`` (of the model, as constants), ``solver`` (all of it), ``library`` (a C
library) and ``fmu``. The steps themselves are in ``runtime/include``: the same headers that
flexforge itself runs.
"""
