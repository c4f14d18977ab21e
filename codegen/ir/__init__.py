# SPDX-License-Identifier: BSD-3-Clause
"""The intermediate representation: SymPy stops here.

Read in this order: ``expression`` (hash-consed arithmetic), ``program`` (loops, stores, arrays),
``convert`` (SymPy to expressions), ``traversal`` (tools the passes share), ``interpret`` (what a
program means, executed).
"""
