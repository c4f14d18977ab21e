# SPDX-License-Identifier: BSD-3-Clause
"""Ledgers of several elements and formalisms side by side, as one table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flexforge.codegen.arguments import elements, optional, text, texts, typed
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.catalogue import declaration
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.errors import InputError
from flexforge.codegen.files.atomic import write_file
from flexforge.codegen.ir.count import RULES as KERNEL_RULES
from flexforge.codegen.mechanics.formalisms import FORMALISMS, formalism_named
from flexforge.codegen.mechanics.ledger import COLLECTING, RULES, TOTAL, Ledger
from flexforge.codegen.study.latex.formulas import KINDS
from flexforge.codegen.study.latex.ledger_table import ledger_table
from flexforge.codegen.study.ledger_row import LedgerRow
from flexforge.codegen.study.report.report import listed
from flexforge.codegen.study.tables import Table, tables_html
from flexforge.codegen.study.timed import derive_timed

if TYPE_CHECKING:
    from pandas import DataFrame

_COLLECTING = "of these collecting"
_TOTAL = "total"
_SECONDS = "seconds"


@dataclass(frozen=True, slots=True)
class Ledgers:
    """Counts of derivations as a table: a row for each element and formalism.

    Notebooks show it; ``print`` writes it in columns.

    Attributes
    ----------
    rows : tuple of LedgerRow
        Element by element, formalism by formalism.
    shared : tuple of tuple of str
        Elements that have one derivation in common.
    unrolled : bool
        Whether all coordinates were written out instead of a pair of nodes.
    initial_stress : bool
        Whether the elements have an initial stress.
    times : bool
        Whether the table has a column of times.
    frame : str
        ``free`` where the motion of the frame is unknown.
    of_systems : bool
        Whether the rows are those of discrete systems, not of elements.
    """

    rows: tuple[LedgerRow, ...]
    shared: tuple[tuple[str, ...], ...]
    unrolled: bool
    initial_stress: bool = True
    times: bool = False
    frame: str = ""
    of_systems: bool = False

    @property
    def heads(self) -> list[str]:
        """Headings of the columns."""
        terms = [f"{term} kernel" for term in self.rows[0].kernels]
        times = [_SECONDS] * self.times
        what = "system" if self.of_systems else "element"
        return [what, "formalism", *KINDS.values(), _COLLECTING, _TOTAL, *terms, *times]

    @property
    def cells(self) -> list[list[str | float]]:
        """The rows of the table, in the order of :attr:`heads`."""
        return [
            [
                row.element,
                row.formalism,
                *row.counts.values(),
                row.collecting,
                row.total,
                *row.kernels.values(),
                *[round(row.seconds, 3)] * self.times,
            ]
            for row in self.rows
        ]

    @property
    def notes(self) -> list[str]:
        """The rules of the counts, and what was derived: lines to be read with the numbers."""
        found = list(map(" ".join, self._derived))
        found += [f"{KINDS[kind]}: {rule}." for kind, rule in RULES.items()]
        found.append(f"{_COLLECTING}: {COLLECTING}.")
        found.append(f"{_TOTAL}: {TOTAL}.")
        if self.rows[0].kernels:
            found.append(f"kernel: {KERNEL_RULES['operations']}.")
        if self.times:
            found.append(
                f"{_SECONDS}: time of the derivation with SymPy's cache empty, on this machine; of "
                "a pair of nodes that was derived before, the time of then."
            )
        return found

    @property
    def _derived(self) -> list[tuple[str, ...]]:
        """What was derived, each with the argument of :func:`ledgers` that changes it."""
        if self.of_systems:
            return [("Results have names, each of which is differentiated once per direction.",)]
        found: list[tuple[str, ...]] = []
        if self.unrolled:
            found.append(("All nodal coordinates were written out.",))
        else:
            found.append(
                (
                    "A pair of nodes was derived, whatever the number of nodes of the element;",
                    "unrolled=True writes out all nodal coordinates.",
                )
            )
        if self.frame == "free":
            found.append(("The motion of the frame is unknown, v_O and w are speeds.",))
        if self.initial_stress:
            found.append(
                (
                    "The elements have an initial stress, which gives the geometric stiffness;",
                    "initial_stress=False leaves it out, as the papers and the page of claims do.",
                )
            )
        else:
            found.append(("Without initial stress, as in the papers.",))
        return [*found, *((f"Derived once for {listed(names)}.",) for names in self.shared)]

    def __repr__(self) -> str:
        elements = dict.fromkeys(row.element for row in self.rows)
        formalisms = dict.fromkeys(row.formalism for row in self.rows)
        return f"ledgers of {', '.join(elements)} by {', '.join(formalisms)}"

    def __str__(self) -> str:
        texts: list[list[str]] = [self.heads, *([str(c) for c in row] for row in self.cells)]
        widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
        return "\n".join(
            "  ".join(
                text.ljust(width) if k < 2 else text.rjust(width)
                for k, (text, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in texts
        )

    def _repr_html_(self) -> str:
        return tables_html("", [Table(self.heads, self.cells)], self.notes)

    def to_dataframe(self) -> DataFrame:
        """Return the table as a data frame of pandas, a row per element and formalism.

        Raises
        ------
        ImportError
            Without pandas.

        Examples
        --------
        >>> import flexforge as ff
        >>> frame = ff.ledgers("quad4").to_dataframe()                  # doctest: +SKIP
        >>> frame.pivot(index="element", columns="formalism", values="sums")  # doctest: +SKIP
        """
        try:
            from pandas import DataFrame
        except ImportError:
            raise ImportError(
                "to_dataframe: pandas is not installed; expected it: pip install pandas"
            ) from None
        return DataFrame(self.cells, columns=self.heads)

    def to_csv(self, path: Path | str | None = None, *, overwrite: bool = False) -> str:
        """Return the table as comma-separated values, and write it to a file if one is named.

        Parameters
        ----------
        path : Path or str, optional
            The file.
        overwrite : bool
            Replace an existing file.

        Raises
        ------
        InputError
            If the file exists and is not to be replaced, or cannot be written.

        Examples
        --------
        >>> import flexforge as ff
        >>> print(ff.ledgers("tri3", ["kane"]).to_csv().splitlines()[0])
        element,formalism,partial derivatives,total derivatives,products,sums,largest \
expression,of these collecting,total
        """
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.heads, *self.cells])
        if path is not None:
            if Path(path).exists() and not overwrite:
                raise InputError(f"{path}: exists; expected a new file, or overwrite=True")
            write_file(Path(path), text.getvalue(), overwrite=overwrite)
        return text.getvalue()

    def to_latex(self, caption: str | None = None, label: str = "tab:ledgers") -> str:
        r"""Return a table of a paper, for booktabs and graphicx: caption, counts, counting rules.

        Parameters
        ----------
        caption : str, optional
            In LaTeX; by default what is counted, and of which elements.
        label : str
            Name for ``\ref``.

        Examples
        --------
        >>> import flexforge as ff
        >>> text = ff.ledgers("tri3", ["virtual_power"]).to_latex()
        >>> print(next(line for line in text.splitlines() if "Virtual power" in line))
        tri3 plane stress & Virtual power & 0 & 0 & 266 & 53 & 201 & 319 & 47 \\
        """
        statements = [f"{first.rstrip('.;')}." for first, *_ in self._derived]
        return ledger_table(self.rows, statements, caption, label, of_systems=self.of_systems)


@typed(elements=elements, formalisms=texts, terms=texts, frame=optional(text))
def ledgers(
    elements: AnyElement | str | Path | Sequence[AnyElement | str | Path],
    formalisms: Sequence[str] = FORMALISMS,
    *,
    terms: Sequence[str] = (),
    unrolled: bool = False,
    initial_stress: bool = True,
    times: bool = False,
    frame: str | None = None,
) -> Ledgers:
    """Derive elements by several formalisms and return what each derivation took, counted exactly.

    Parameters
    ----------
    elements : Element, str, Path, or a sequence of them
        Declarations, or names or files of them.
    formalisms : sequence of str
        Methods of derivation; by default all.
    terms : sequence of str
        Terms whose kernels are compiled too, to count their operations per element: they are those
        of the collected equations, whatever the formalism.
    unrolled : bool
        Write out all nodal coordinates instead of a pair of nodes: the number of nodes then
        matters, and a derivation takes seconds to minutes.
    initial_stress : bool
        Include the initial stress of solids, as of :func:`flexforge.derive`.
    times : bool
        Add a column with the time of each derivation, s, which differs from run to run.
    frame : str, optional
        ``free`` for a frame of unknown motion, as of :func:`flexforge.derive`.

    Returns
    -------
    Ledgers
        A table; its ``notes`` say which elements share a derivation: by pairs of nodes, elements of
        equal strain and law do.

    Raises
    ------
    InputError
        For an unknown element, formalism or term, or when there is nothing to derive.

    Examples
    --------
    Lagrange differentiates three times, Kane only reads off coefficients, virtual power nothing:

    >>> import flexforge as ff
    >>> found = ff.ledgers("quad4", ["lagrange", "kane", "virtual_power"])
    >>> print(found)                                       # doctest: +NORMALIZE_WHITESPACE
    element  formalism  partial derivatives  total derivatives  products  sums  largest expression
    of these collecting  total
    quad4_plane_stress  lagrange        8  4  337  80  106  332  429
    quad4_plane_stress  kane           32  3  294  72   43  201  401
    quad4_plane_stress  virtual_power   0  0  266  53   47  201  319
    """
    if isinstance(elements, str | Path) or not isinstance(elements, Sequence):
        elements = [elements]
    found = [declaration(one) for one in elements]
    for what, given in (("elements", found), ("formalisms", formalisms)):
        if not given:
            raise InputError(f"{what}: found none; expected at least one")
    formalisms = [formalism_named(one) for one in formalisms]
    rows: list[LedgerRow] = []
    derived: list[tuple[Ledger, str]] = []
    for element in found:
        for formalism in formalisms:
            equations = derive_timed(
                element,
                frame,
                formalism,
                unrolled=unrolled,
                initial_stress=initial_stress,
            )
            ledger = equations.ledger
            counts = {kind: sum(of.values()) for kind, of in ledger.counts().items()}
            kernels = {
                term: compile_kernel(element, term, formalism=formalism).count.operations
                for term in terms
            }
            row = LedgerRow(
                element.name, formalism, counts, ledger.collecting, kernels, equations.seconds
            )
            rows.append(row)
            derived.append((ledger, element.name))
    shared = tuple(_shared(derived))
    return Ledgers(tuple(rows), shared, unrolled, initial_stress, times, frame or "")


def _shared(derived: Sequence[tuple[Ledger, str]]) -> Iterator[tuple[str, ...]]:
    """Yield the names of elements that have one derivation, and hence one ledger, in common."""
    names: dict[int, list[str]] = {}
    for ledger, name in derived:
        names.setdefault(id(ledger), []).append(name)
    groups = dict.fromkeys(tuple(dict.fromkeys(group)) for group in names.values())
    yield from (group for group in groups if len(group) > 1)
