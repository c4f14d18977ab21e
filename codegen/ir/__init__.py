# SPDX-License-Identifier: BSD-3-Clause
"""The intermediate representation, which does not depend on SymPy.

Read in this order: ``expression`` (hash-consed arithmetic), ``program`` (loops, stores, arrays),
``convert`` (SymPy to expressions), ``traversal`` (tools shared by the passes), ``interpret``
(reference execution of programs).
"""
