# SPDX-License-Identifier: BSD-3-Clause
"""Output of the compiler: sources of kernels, the standard set, folders for other programs.

Reading order: ``sources`` (C files of kernels), ``standard`` (kernels of an installation),
``derived`` (cache of derived kernels), ``foreign`` (interfaces of other codes) and ``generate``
(a folder for another program).
"""
