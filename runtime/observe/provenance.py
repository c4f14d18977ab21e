# SPDX-License-Identifier: BSD-3-Clause
"""The origin of results: program, model, method and kernels, the same for every kind of file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flexforge.codegen.version import VERSION
from flexforge.runtime.assembly.calls import CompiledKernel
from flexforge.runtime.assembly.kernels import Kernels, standard_flags, standard_kernels
from flexforge.runtime.loading.identity import model_hash
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import AnalysisSpec
from flexforge.runtime.system.system import System

#: How the names of figures begin that say how well the equations of a run are satisfied.
CHECKS = ("residual", "largest residual", "largest error of the energy balance",
          "largest error of the momentum balance", "largest change of the Jacobi integral",
          "error of the shapes")  # fmt: skip


def provenance(spec: ModelSpec, mesh: Mesh, system: System | None = None) -> dict[str, Any]:
    """Return the origin of results, as far as it is known before the analysis.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    mesh : Mesh
        Its mesh, in metres.
    system : System, optional
        Its bodies, where the analysis has any.

    Returns
    -------
    dict
        ``flexforge`` (version), ``model`` (hash), ``units``, ``method``; with bodies also
        ``solver`` (as the model asks for it), ``threads`` and ``kernels`` (instructions and flags
        of the compiler).
    """
    found: dict[str, Any] = {
        "flexforge": VERSION,
        "model": model_hash(spec, mesh),
        "units": spec.units,
        "method": spec.unit_system.message(method_of(spec.analysis)),
    }
    if spec.reduction is not None:
        found["method"] += f", {spec.reduction.method} with {spec.reduction.modes} modes"
    if system is not None:
        found |= {
            "solver": spec.analysis.solver,
            "threads": system.threads,
            "kernels": compiled_by(body.kernels for body in system.bodies),
        }
    return found


def outcome(figures: Mapping[str, Any], theory: Mapping[str, str]) -> dict[str, Any]:
    """Return the part of the provenance that is known after the analysis.

    Parameters
    ----------
    figures : mapping
        Figures of the run.
    theory : mapping of str to str
        Theories used, by subject.

    Returns
    -------
    dict
        ``solver`` that factored, ``prestress`` theory, and ``balance``: residual of the equations
        or error of the energy balance, relative, where known.
    """
    found: dict[str, Any] = {}
    if "solver" in figures:
        found["solver"] = figures["solver"]
    found["prestress"] = theory.get("prestress", "none")
    balance = {name: value for name, value in figures.items() if name.startswith(CHECKS)}
    return found | ({"balance": balance} if balance else {})


def method_of(analysis: AnalysisSpec) -> str:
    """Return the analysis, its method and the parameters of that in a line.

    Examples
    --------
    >>> from flexforge.runtime.model.schema_analysis import TransientAnalysis
    >>> method_of(TransientAnalysis(kind="transient", duration=1.0, steps=10))
    'transient, generalized_alpha, rho_infinity = 0.8, step = 0.1 s'
    """
    parts: list[str] = [analysis.kind]
    if analysis.kind == "transient":
        parts.append(analysis.method)
        if analysis.formalism is not None:
            parts.append(analysis.formalism)
        own = analysis.OF_METHOD[analysis.method]
        parts += [f"{key} = {getattr(analysis, key):g}" for key in own]
        if analysis.mass == "lumped":
            parts.append("lumped mass")
        if analysis.accuracy is not None:
            parts.append(f"accuracy = {analysis.accuracy:g}")
        if analysis.stable_fraction is not None:
            parts.append(f"stable_fraction = {analysis.stable_fraction:g}")
    if analysis.kind == "transient" or analysis.kind == "kinematics":
        parts.append(f"step = {analysis.step_size:g} s")
    if analysis.kind == "modes":
        parts.append(f"{analysis.count} modes")
        if analysis.speeds is not None:
            parts.append(f"{len(analysis.speeds)} speeds")
    return ", ".join(parts)


def compiled_by(kernels: Iterable[Mapping[str, CompiledKernel]]) -> dict[str, str]:
    """Return the compilers and flags of kernels: those of the installation, those made here.

    Parameters
    ----------
    kernels : iterable of mapping of str to CompiledKernel
        Those of every body.

    Returns
    -------
    dict of str to str
        ``installed`` and ``compiled here``, each where there are such kernels.
    """
    installed = {_are_installed(one) for one in kernels if one}
    found = {}
    if True in installed:
        found["installed"] = standard_flags()
    if False in installed:
        found["compiled here"] = _compiled_here()
    return found


def _are_installed(kernels: Mapping[str, CompiledKernel]) -> bool:
    """Whether kernels of a body come with the installation; none is compiled to know it."""
    if isinstance(kernels, Kernels):
        return kernels.are_installed
    known = {kernel.function for kernel in standard_kernels().values()}
    return all(one.function in known for one in kernels.values())


def _compiled_here() -> str:
    """Return the compiler and flags of kernels that are not in the installation."""
    from flexforge.codegen.jit.compilers import COMMON, find_compiler

    compiler = find_compiler()
    return f"{compiler.version()}: {' '.join((*COMMON, *compiler.native))}"
