# SPDX-License-Identifier: BSD-3-Clause
"""What several processes do not run together yet, by the key of the model file."""

from __future__ import annotations

from flexforge.codegen.elements.facts import TORSION
from flexforge.codegen.errors import InputError
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_frame import is_free
from flexforge.runtime.system.large import require_linear
from flexforge.runtime.system.system import System


def require_supported(model: ModelSpec, count: int) -> None:
    """Refuse models that several processes cannot share.

    Parameters
    ----------
    model : ModelSpec
        The model.
    count : int
        Number of processes.

    Raises
    ------
    InputError
        Naming the key.
    """
    analysis = model.analysis
    found = {
        "links": bool(model.links),
        "constraints": bool(model.constraints),
        "machines": bool(model.machines),
        "cyclic": model.cyclic is not None,
        "reduction": model.reduction is not None,
        f'hypothesis = "{TORSION}"': any(body.has_torsion for body in model.bodies),
        'frame = "free"': any(is_free(body.frame) for body in model.bodies),
        f'analysis.kind = "{analysis.kind}"': analysis.kind
        in ("kinematics", "buckling", "critical_speeds", "spectrum", "random"),
        "steps": bool(model.steps),
        "tables": bool(model.tables),
        "transfer": any(one.kind == "bearing" and one.transfer for one in model.connectors),
        "output.envelope": bool(model.output.envelope),
    }
    for i, probe in enumerate(model.probes):
        found[f'probes[{i}].quantity = "{probe.quantity}"'] = probe.of_motion
    for key, wanted in found.items():
        if wanted:
            raise _refused(key, count)


def require_shareable(system: System, count: int) -> None:
    """Refuse unknowns that move several nodes.

    Raises
    ------
    InputError
        Naming the supports.
    """
    require_linear(system, "with several processes")
    if system.vibrates:
        raise _refused("a table of a bearing over the frequency", count)
    if not system.map.is_blocked:
        raise _refused("equations between displacements of different nodes", count)


def _refused(what: str, count: int) -> InputError:
    return InputError(
        f"{what} found with {count} processes; expected a model without, or one process: what "
        "runs under mpirun is listed in docs/distributed.md"
    )
