# SPDX-License-Identifier: BSD-3-Clause
"""A discrete system in the public interface: loaded, derived, compiled, generated, run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexforge.codegen.arguments import either, mapping, path, text, texts, typed
from flexforge.codegen.driver import Kernel
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.progress import shown

if TYPE_CHECKING:
    from flexforge.codegen.study.ledgers import Ledgers
    from flexforge.codegen.systems.declaration import System as Declaration
    from flexforge.codegen.systems.derivation import SystemEquations
    from flexforge.runtime.machine.phases import Progress
    from flexforge.runtime.outcome import Outcome


@dataclass(frozen=True, slots=True)
class System:
    """A discrete system: a few coordinates, bodies, forces and constraints.

    Attributes
    ----------
    declaration : flexforge.codegen.systems.declaration.System
        What the file declares.

    Examples
    --------
    A pendulum; the methods' examples use it.

    >>> import flexforge as ff
    >>> pendulum = ff.load_system({
    ...     "name": "pendulum", "coordinates": ["q"], "gravity": ["0", "-g", "0"],
    ...     "constants": {"g": 9.81, "l": 1.0, "m": 2.0},
    ...     "frames": {"rod": {"turn": [["z", "q"]]}},
    ...     "points": {"end": {"in": "rod", "at": ["0", "-l", "0"]}},
    ...     "bodies": {"ball": {"point": "end", "mass": "m"}},
    ...     "start": {"q": 0.1}, "run": {"duration": 2.0, "steps": 100},
    ... })
    >>> pendulum
    pendulum: 1 coordinates, 1 bodies, 0 constraints
    """

    declaration: Declaration

    def __repr__(self) -> str:
        return repr(self.declaration)

    @typed(formalism=text)
    def derive(self, formalism: str = "kane") -> SystemEquations:
        """Derive the equations of motion ``M z' + h = 0``.

        Parameters
        ----------
        formalism : str
            ``lagrange``, ``gibbs_appell``, ``hamilton``, ``maggi``, ``kane``, ``virtual_power`` or
            one that was registered.

        Returns
        -------
        SystemEquations
            M, h, speeds and the cost of the derivation, in named quantities.

        Raises
        ------
        InputError
            For an unknown formalism, redundant constraints or dependent speeds.

        Examples
        --------
        >>> mass, forces, rates = pendulum.derive("lagrange").expanded
        >>> mass[0], forces[0], rates[0]
        (l**2*m, g*l*m*sin(q), q_dot)
        """
        from flexforge.codegen.systems.derivation import derive_system

        return derive_system(self.declaration, formalism)

    @typed(formalisms=texts)
    def ledgers(self, formalisms: Sequence[str] = FORMALISMS, *, times: bool = False) -> Ledgers:
        """Derive the system by several formalisms and return what each took, counted exactly.

        Parameters
        ----------
        formalisms : sequence of str
            By default all.
        times : bool
            Add a column with the time of each derivation, s.

        Returns
        -------
        Ledgers
            A table, with the operations of the kernels ``equations`` and ``motion``.

        Raises
        ------
        InputError
            For an unknown formalism.
        FlexforgeError
            If two formalisms disagree.

        Examples
        --------
        >>> print(pendulum.ledgers(["lagrange", "kane"]).to_csv().splitlines()[0])
        system,formalism,partial derivatives,total derivatives,products,sums,largest \
expression,of these collecting,total,equations kernel,motion kernel
        """
        from flexforge.codegen.study.systems.report import report_system, system_ledgers

        return system_ledgers(report_system(self.declaration, formalisms).equations, times=times)

    @typed(term=text, formalism=text)
    def compile(self, term: str = "motion", formalism: str = "kane") -> Kernel:
        """Return the kernel of a term: its program, its C text and its cost.

        Parameters
        ----------
        term : str
            ``equations`` (M and h), ``motion`` (q' and z'), ``points``, ``energy``, and
            ``closure`` of systems with constraints of positions.
        formalism : str
            How the equations are derived.

        Raises
        ------
        InputError
            For an unknown term or formalism.

        Examples
        --------
        >>> pendulum.compile("equations").count.operations
        5
        """
        from flexforge.codegen.systems.lower import system_kernel

        return system_kernel(self.derive(formalism), term)

    @typed(folder=path, formalism=text)
    def generate(
        self,
        folder: Path | str,
        terms: Sequence[str] | None = None,
        formalism: str = "kane",
        *,
        overwrite: bool = False,
    ) -> list[Path]:
        """Write the kernels of the system as C99 that compiles alone, with header and README.

        Parameters
        ----------
        folder : Path or str
            New, empty, or generated before.
        terms : sequence of str, optional
            By default all.
        formalism : str
            How the equations are derived.
        overwrite : bool
            Write also into a folder that holds other files.

        Returns
        -------
        list of Path
            The files.

        Raises
        ------
        InputError
            For an unknown term or formalism, or a folder with files of others.

        Examples
        --------
        >>> [path.name for path in pendulum.generate("pendulum")]
        ['README.md', 'example.c', 'flexforge.h', 'pendulum_kernels.c', 'pendulum_kernels.h', \
'pendulum_table.c']
        """
        from flexforge.codegen.systems.output import generate_system

        return generate_system(
            self.derive(formalism), Path(folder), terms=terms, overwrite=overwrite
        )

    def run(
        self,
        output: Path | str | None = None,
        progress: Progress | bool | None = None,
        formalism: str = "kane",
        *,
        overwrite: bool = False,
    ) -> Outcome:
        """Integrate the motion and write its results.

        Parameters
        ----------
        output : Path or str, optional
            Folder of the results, by default ``NAME.results``.
        progress : callable or bool, optional
            As of :meth:`flexforge.Model.run`.
        formalism : str
            How the equations are derived.
        overwrite : bool
            Replace files with names of results that no run of flexforge has listed.

        Returns
        -------
        Outcome
            Folder, figures, timings, warnings; the coordinates over time are its probes.

        Raises
        ------
        InputError
            For a system that cannot be compiled or started.
        AnalysisError
            In a singular position; results up to that time are kept.

        Examples
        --------
        A period of small swings is 2 pi sqrt(l/g) = 2.006 s:

        >>> outcome = pendulum.run("pendulum.results")
        >>> print(f"{outcome.probes['q'].values[-1]:.3f}")
        0.100
        """
        from flexforge.runtime.discrete.run import run_system

        with shown(progress) as told:
            return run_system(
                self.declaration,
                output=output,
                progress=told,
                overwrite=overwrite,
                formalism=formalism,
            )


@typed(source=either(path, mapping))
def load_system(source: Path | str | Mapping[str, Any]) -> System:
    """Read a discrete system from a TOML file, or from a dict of the same keys.

    Parameters
    ----------
    source : Path, str or mapping
        The file; ``docs/howto/systems.md`` describes its keys.

    Returns
    -------
    System

    Raises
    ------
    InputError
        Naming the file, the key, what was found and what is expected.

    Examples
    --------
    >>> import flexforge as ff
    >>> try:
    ...     ff.load_system({"name": "top", "coordinates": ["yaw"], "bodys": {}})
    ... except ff.InputError as error:
    ...     print(error)
    bodys: unknown key; did you mean 'bodies'?
    """
    from flexforge.codegen.systems.reading import load_system as load
    from flexforge.codegen.systems.reading import read_system

    if isinstance(source, Mapping):
        return System(read_system(source))
    return System(load(Path(source)))
