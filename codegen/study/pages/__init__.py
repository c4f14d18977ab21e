# SPDX-License-Identifier: BSD-3-Clause
"""The pages of docs/formalisms, written by the program: ``make pages`` builds them.

``bar`` is the worked example; ``build`` makes the pages from it and the descriptions of the
formalisms. A test compares the result with the files in the repository.
"""
