# SPDX-License-Identifier: BSD-3-Clause
"""Functions of time, and the motions of frames made of them.

Reading order: ``tables`` (CSV), ``profiles`` (functions of time), ``coordinate`` (one prescribed
coordinate), ``rotation`` and ``frame`` (the state of a frame at a time), ``build`` (from the model
file to these).
"""
