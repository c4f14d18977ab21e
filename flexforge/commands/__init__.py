# SPDX-License-Identifier: BSD-3-Clause
"""The commands, one file each, in the order of ``flexforge --help``.

``command`` defines a command; ``elements``, ``derive``, ``generate``, ``audit``, ``claims`` and
``check-element`` belong to the compiler, ``mesh``, ``init``, ``import``, ``check``, ``run``,
``modes``, ``report``, ``view``, ``animate``, ``reduce`` and ``export`` to the runtime; ``doctor``
and ``bench`` examine the installation, ``completion`` serves the shell. Modules that a command
needs are imported when it runs.
"""

from __future__ import annotations

from flexforge.commands import (
    animate,
    audit,
    bench,
    check,
    check_element,
    claims,
    completion,
    derive,
    doctor,
    elements,
    export,
    generate,
    import_deck,
    init,
    mesh,
    modes,
    reduce,
    report,
    run,
    view,
)
from flexforge.commands.command import Command

COMMANDS: tuple[Command, ...] = (
    doctor.COMMAND,
    elements.COMMAND,
    derive.COMMAND,
    generate.COMMAND,
    audit.COMMAND,
    claims.COMMAND,
    check_element.COMMAND,
    mesh.COMMAND,
    init.COMMAND,
    import_deck.COMMAND,
    check.COMMAND,
    run.COMMAND,
    modes.COMMAND,
    report.COMMAND,
    view.COMMAND,
    animate.COMMAND,
    reduce.COMMAND,
    export.COMMAND,
    bench.COMMAND,
    completion.COMMAND,
)
