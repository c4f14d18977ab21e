# SPDX-License-Identifier: BSD-3-Clause
"""Shafts by lengths and diameters, as beams or as solids of one model.

Read in this order: ``layout`` (where sections change), ``tables`` (bodies, masses and couplings as
tables of a model file), ``section`` (cells across a shaft), ``mesh`` (beams and solids).
"""
