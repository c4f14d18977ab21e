# SPDX-License-Identifier: BSD-3-Clause
"""Files that users see: written whole or not at all, never over somebody else's, read with care.

Reading order: ``atomic`` (one file), ``manifest`` and ``folder`` (whose files a folder holds),
``reading`` (files of other programs), ``lines`` (where keys of a TOML text are).
"""
