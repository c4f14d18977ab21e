# SPDX-License-Identifier: BSD-3-Clause
"""What the compiler hands out: sources of kernels, the standard set, folders for other programs.

Reading order: ``sources`` (C files of kernels), ``standard`` (the kernels of an installation),
``derived`` (what is kept of derivations), ``foreign`` (interfaces of other codes) and ``generate``
(a folder for somebody else's program).
"""
