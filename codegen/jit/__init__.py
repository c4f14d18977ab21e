# SPDX-License-Identifier: BSD-3-Clause
"""From C text to a loaded shared object.

Reading order: ``compilers`` (C compilers and their flags), ``cache`` (kept files, and how they are
verified), ``build``.
"""
