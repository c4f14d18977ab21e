# SPDX-License-Identifier: BSD-3-Clause
"""What is read off a system while it moves: probes, forces of supports, energy and momentum.

Reading order: ``probes``, ``support_probe``, ``moving`` with ``energy`` and ``momentum``,
``record`` (what goes into the results).
"""
