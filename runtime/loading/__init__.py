# SPDX-License-Identifier: BSD-3-Clause
"""From a model file, or the same tables in Python, to a valid model.

Reading order: ``load`` (the way in), ``checks`` with ``checks_mechanism``, ``checks_lumped`` and
``checks_plies`` (what spans tables), ``inspect`` (all mistakes at once).
"""
