# SPDX-License-Identifier: BSD-3-Clause
"""Functions of time as C: the operations of their tables, which are those of ``ff_time.h``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from flexforge.codegen.errors import InputError
from flexforge.runtime._functions import OPERATIONS, Function
from flexforge.runtime.export.identifiers import c_number, c_numbers
from flexforge.runtime.motion.profiles import Kink, Profile


@dataclass(frozen=True, slots=True)
class Input:
    """What a solver is told while it runs.

    Attributes
    ----------
    name : str
        As in the model.
    unit : str
        Of its value.
    start : float
        Its value until it is told another.
    derivatives : int
        How many derivatives of it count: those of an angle 2, of a velocity 1.
    """

    name: str
    unit: str
    start: float
    derivatives: int


@dataclass(slots=True)
class Functions:
    """The functions of time of a solver, each written once.

    Attributes
    ----------
    texts : list of str
        Their definitions; the i-th is ``ff_my_function_i``.
    inputs : dict
        Every input by name, in the order in which they were met.
    kinks : set of Kink
        Of all functions.
    """

    texts: list[str] = field(default_factory=list)
    inputs: dict[str, Input] = field(default_factory=dict)
    kinks: set[Kink] = field(default_factory=set)
    _known: dict[str, str] = field(default_factory=dict)

    def add(
        self,
        profile: Profile,
        unit: str = "1",
        derivatives: int = 0,
        integral: Function | None = None,
    ) -> str:
        """Return the initializer of an ``ff_function`` that is a profile.

        Parameters
        ----------
        profile : Profile
            The function.
        unit : str
            Of its value.
        derivatives : int
            How many derivatives of it count.
        integral : Function, optional
            What is written instead of the profile: an integral of it.

        Raises
        ------
        InputError
            When an input has two start values, or two units.
        """
        for name, start in zip(profile.inputs, profile.start[::4].tolist(), strict=True):
            self._meet(Input(name, unit, start, derivatives))
        self.kinks.update(profile.kinks)
        numbers = [list(self.inputs).index(name) for name in profile.inputs]
        body = printed(integral or profile.function, numbers)
        if body not in self._known:
            name = f"ff_my_function_{len(self.texts)}"
            self._known[body] = f"{{{name}, 0}}"
            self.texts.append(
                f"static ff_jet {name}(const ff_table *table, double t, const double *inputs)\n"
                f"{{\n    (void)table, (void)t, (void)inputs; /* not all ask for them */\n{body}}}"
            )
        return self._known[body]

    def _meet(self, found: Input) -> None:
        """Remember an input, whose uses agree."""
        known = self.inputs.setdefault(found.name, found)
        if known.start != found.start:
            raise InputError(
                f"input '{found.name}': found it to start with {known.start:g} and "
                f"{found.start:g}; expected one value"
            )
        if known.unit != found.unit:
            raise InputError(
                f"input '{found.name}': found it in {known.unit} and in {found.unit}; expected one "
                "unit"
            )
        if found.derivatives > known.derivatives:
            self.inputs[found.name] = found


def printed(function: Function, inputs: Sequence[int] = ()) -> str:
    """Return the statements that do what C's interpreter does with a table, and in its order.

    Parameters
    ----------
    function : Function
        The table.
    inputs : sequence of int
        Number of every input of it among those of the solver.
    """
    lines: list[str] = []
    stack: list[str] = []
    for name, at, count in function.code:
        arguments = [stack.pop() for _ in range(OPERATIONS[name][1])][::-1]
        constants = function.constants[at : at + count]
        stack.append(f"v{len(lines)}")
        if name == "number":
            arguments = [c_number(constants[0])]
        elif name == "variable":
            arguments = ["t"]
        elif name == "input":
            arguments = ["t", f"inputs + {4 * inputs[at]}"]
        elif count:
            table = c_numbers(constants.tolist(), " " * 8)
            lines.append(f"    static const double c{len(lines)}[] = {{\n{table}\n    }};\n")
            arguments = [f"{count}", f"c{len(lines) - 1}", "t"]
        lines.append(f"    const ff_jet {stack[-1]} = ff_{name}({', '.join(arguments)});\n")
    return "".join(lines) + f"    return {stack[0]};\n"
