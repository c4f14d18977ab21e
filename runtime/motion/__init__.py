# SPDX-License-Identifier: BSD-3-Clause
"""Functions of time, and motions of frames.

Reading order: ``tables`` (CSV), ``profiles`` (functions of time), ``coordinate`` (one prescribed
coordinate), ``rotation`` and ``frame`` (the state of a frame at a time), ``build`` (construction
from the model file).
"""
