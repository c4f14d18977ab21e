# SPDX-License-Identifier: BSD-3-Clause
"""Files of users: written completely or not at all, never replacing other files, read safely.

Reading order: ``atomic`` (one file), ``manifest`` and ``folder`` (owners of files in a folder),
``reading`` (files of other programs), ``lines`` (line numbers of keys in a TOML text).
"""
