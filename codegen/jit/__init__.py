# SPDX-License-Identifier: BSD-3-Clause
"""From C text to a shared object that is loaded.

Reading order: ``compilers`` (which there are, and their flags), ``cache`` (what is kept, and how it
is trusted), ``build``.
"""
