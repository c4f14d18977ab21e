# SPDX-License-Identifier: BSD-3-Clause
"""A net under every reader of files that others have written.

Reading order: ``mutate`` (bytes and text), ``tables`` (TOML), ``hdf5`` (its structure), which make
inputs; ``target`` (what a reader is to the net), ``models``, ``meshes``, ``formulas``, ``stored``,
``runs`` (the readers), ``registry`` (all of them); ``verdict`` (what counts as a finding),
``worker`` (a forked process that tries inputs), ``campaign`` (many of them, counts, what is kept),
``__main__`` (the command line). CONTRIBUTING.md tells how to use it.
"""
