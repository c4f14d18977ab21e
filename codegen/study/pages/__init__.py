# SPDX-License-Identifier: BSD-3-Clause
"""The pages of docs/formalisms, written by the program: ``make pages`` builds them.

``bar`` is the worked example, ``build`` makes the pages of it and of the words that every
formalism has about itself. A test compares what is built with the files in the repository.
"""
