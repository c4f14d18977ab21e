# SPDX-License-Identifier: BSD-3-Clause
"""A derivation as people and programs read it: ``report`` composes the parts beside it."""
