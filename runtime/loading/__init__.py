# SPDX-License-Identifier: BSD-3-Clause
"""From a model file, or the same tables in Python, to a valid model.

Reading order: ``load`` (the entry), ``lines`` (line numbers of keys), ``checks`` with
``checks_mechanism``, ``checks_lumped`` and ``checks_plies`` (conditions across tables), ``inspect``
(all mistakes at once).
"""
