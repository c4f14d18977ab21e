# SPDX-License-Identifier: BSD-3-Clause
"""Mechanisms as C, compiled and called, for the tests of exports."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from exported import QUICK
from flexforge.runtime.export.library import HEADERS, joint_text
from flexforge.runtime.mechanism.mechanism import Mechanism
from flexforge.runtime.mechanism.tables import kernels
from flexforge.runtime.native.build import with_mechanism
from flexforge.runtime.native.inputs import Functions
from flexforge.runtime.native.motions import Motions
from flexforge.runtime.tables import structs
from flexforge.runtime.tables.text import Text, kernel_name
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: One coordinate that nothing moves, beside which a mechanism may be.
AT_REST = structs.Model(
    structs.Matrices(
        1, pointers=np.array([0, 1]), columns=np.array([0]), place=np.array([0]), mass=np.ones(1)
    ),
    structs.Scheme(0.0, 0.0, 0.25, 0.5, False),
    structs.Include(*[0.0] * 6),
    3,
    0.1,
)
FRAME = """
size_t size(void) { return ff_size(&ff_my_model); }
size_t states(void) { return ff_states(&ff_my_model); }
double *state(ff_instance *s) { return s->state; }
ff_instance *place(void *memory) { return ff_place(&ff_my_model, memory); }
int move(ff_instance *s, double t)
{
    const int code = ff_move_knots(s, t);
    if (!code)
        ff_set_time(s, t);
    return code;
}
int start(ff_instance *s, double t)
{
    for (int k = 0; k < ff_my_model.inputs; ++k)
        ff_inputs(s)[4 * k] = ff_my_model.input_start[k];
    ff_mechanism_start(s);
    return move(s, t);
}
int at(ff_instance *s, double t) { return ff_mechanism_at(s, t); }
int set(ff_instance *s, double value, double first, double second)
{
    return ff_set_input(s, 0, value, first, second);
}
const double *reached(ff_instance *s)
{
    return ff_linkage_frames(&ff_my_model_linkage, s->reached);
}
const double *coordinates(ff_instance *s)
{
    return ff_linkage_coordinates(&ff_my_model_linkage, s->reached);
}
void frame(ff_instance *s, int link, double *out)
{
    ff_frame found;
    ff_link_frame(s, link, &found);
    memcpy(out, found.R, sizeof found.R);
    memcpy(out + 9, found.w, sizeof found.w);
    memcpy(out + 12, found.e, sizeof found.e);
    memcpy(out + 15, found.a, sizeof found.a);
}
void elastic(int joint, const double *links, double *out)
{
    const ff_linkage *m = &ff_my_model_linkage;
    ff_my_elastic[joint](m->markers + 24 * joint, m->radii + joint, links, out, 0);
}
"""


class Native:
    """A mechanism, exported and compiled.

    Parameters
    ----------
    mechanism : Mechanism
        Assembled.
    folder : Path
        Where it is compiled.
    compiler : str
        By which.
    flags : iterable of str
        Further ones.
    """

    def __init__(
        self, mechanism: Mechanism, folder: Path, compiler: str = "gcc", flags: Iterable[str] = ()
    ) -> None:
        motions = Motions(functions := Functions())
        model = with_mechanism(AT_REST, mechanism, motions)
        model = replace(model, knots=motions.knots, input_start=functions.start)
        tables, joints = Text(model, "ff_my_model"), kernels(mechanism.joints, "elastic")
        definitions = map(joint_text, dict.fromkeys([*tables.kernels, *joints]))
        elastic = ", ".join(map(kernel_name, joints))
        table = f"static const ff_joint ff_my_elastic[] = {{{elastic}}};\n"
        text, self.path = folder / "linkage.c", folder / f"linkage_{compiler}.so"
        parts = ['#include "ff_solver.h"\n', *definitions, str(tables), table, FRAME]
        text.write_text("\n".join(parts), encoding="ascii")
        subprocess.run([compiler, *QUICK, *flags, "-shared", "-fPIC", f"-I{HEADERS}", str(text),
                        "-o", str(self.path), "-lm"], check=True)  # fmt: skip
        self.knots, self.links = motions.knots, len(mechanism.parts.links)
        self.coordinates = len(mechanism.parts.coordinates)
        self._library = ctypes.CDLL(str(self.path))
        for name in ("size", "states"):
            getattr(self._library, name).restype = ctypes.c_size_t
        for name in ("state", "reached", "coordinates"):
            getattr(self._library, name).restype = ctypes.POINTER(ctypes.c_double)
        self._library.place.restype = ctypes.c_void_p
        self._memory = (ctypes.c_double * (self._library.size() // 8 + 1))()
        self._instance = ctypes.c_void_p(self._library.place(self._memory))

    def _call(self, name: str, *numbers: float) -> int:
        return getattr(self._library, name)(self._instance, *map(ctypes.c_double, numbers))

    def start(self, t: float = 0.0) -> int:
        """Begin at a time; return the code."""
        return self._call("start", t)

    def move(self, t: float) -> int:
        """Move knots and mechanism to a time; return the code."""
        return self._call("move", t)

    def at(self, t: float) -> int:
        """Compute the motion at a time; return the code."""
        return self._call("at", t)

    def set(self, value: float, first: float = 0.0, second: float = 0.0) -> int:
        """Set the first input; return the code."""
        return self._call("set", value, first, second)

    @property
    def state(self) -> Floats:
        """The whole state."""
        found = self._library.state(self._instance)
        return np.ctypeslib.as_array(found, (self._library.states(),)).copy()

    def restore(self, state: Floats) -> None:
        """Set the whole state."""
        np.ctypeslib.as_array(self._library.state(self._instance), state.shape)[:] = state

    @property
    def motion(self) -> tuple[Floats, Floats]:
        """Frames of the links, (L, 8, 3), and coordinates, (C, 3), at the time computed last."""
        frames = np.ctypeslib.as_array(
            self._library.reached(self._instance), (self.links, 8, 3)
        ).copy()
        if not self.coordinates:
            return frames, np.zeros((0, 3))
        found = self._library.coordinates(self._instance)
        return frames, np.ctypeslib.as_array(found, (self.coordinates, 3)).copy()

    def frame(self, link: int) -> Floats:
        """Return the frame of a link: R, w, e, a in a row."""
        found = np.zeros(18)
        self._library.frame(
            self._instance, link, found.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        )
        return found

    def elastic(self, joint: int, states: Floats, rows: int) -> Floats:
        """Return what the kernel of a joint between elastic links computes, (rows, 40)."""
        states, found = np.ascontiguousarray(states), np.zeros((rows, 40))
        pointer = ctypes.POINTER(ctypes.c_double)
        self._library.elastic(joint, states.ctypes.data_as(pointer), found.ctypes.data_as(pointer))
        return found
