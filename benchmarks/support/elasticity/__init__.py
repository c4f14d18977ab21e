# SPDX-License-Identifier: BSD-3-Clause
"""A published set of elasticity problems of one element, and kernels that solve them.

Read in this order: ``statement`` (what is asked, as data), ``oracle`` (the answers, by NumPy from
the data alone), ``contestant`` (a C kernel: checked, counted, timed), ``ours`` and ``peers`` (the
kernels of flexforge and of FFCx), ``entries`` (the published figures).
"""
