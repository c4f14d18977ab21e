# SPDX-License-Identifier: BSD-3-Clause
"""Observation of a moving system: probes, support forces, energy and momentum.

Reading order: ``probes``, ``support_probe``, ``moving`` with ``energy`` and ``momentum``,
``record`` (what goes into the results).
"""
