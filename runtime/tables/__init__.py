# SPDX-License-Identifier: BSD-3-Clause
"""The structs of the C headers as data: written once, used in memory and as C source.

``structs`` has a data class for every struct that describes a model, field by field; ``layout``
reads them; ``memory`` lays a table out in memory for C, ``text`` prints it as constants of a
program.
"""
