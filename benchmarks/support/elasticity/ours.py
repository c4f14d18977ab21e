# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of flexforge as contestants, and the textbook's."""

from __future__ import annotations

from flexforge.codegen.driver import Kernel, compile_kernel, widened
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.elements.hyperelastic import hyperelastic
from flexforge.codegen.elements.library import element
from flexforge.codegen.elements.terms import MATRICES
from flexforge.codegen.jit.build import INCLUDE
from flexforge.codegen.jit.compilers import COMMON
from flexforge.codegen.output.sources import kernel_sources
from flexforge.codegen.version import VERSION

from support.elasticity import statement
from support.elasticity.contestant import FLAGS, Contestant
from support.textbook import FOLDER, is_there

TERMS = {
    "stiffness": ("stiffness",),
    "stiffness_action": ("stiffness_action",),
    "mass": ("mass",),
    "mass_action": ("mass_action",),
    "neo_hookean_residual": ("internal_forces",),
    "neo_hookean_tangent": ("tangent",),
    "neo_hookean_tangent_action": ("tangent_action",),
    "moving_frame": MATRICES,
    "moving_frame_action": ("motion_action",),
}
LANES = (1, 8)


def kernels(problem: str) -> tuple[Kernel, ...]:
    """Return the kernels that together solve a problem: one, or those of a moving frame."""
    cell, asked = statement.split(problem)
    name = statement.full_name(cell, statement.cell(cell)["dimension"])
    energetic = asked.startswith("neo_hookean")
    subject: AnyElement = hyperelastic(name, "neo_hookean") if energetic else element(name)
    return tuple(compile_kernel(subject, term) for term in TERMS[asked])


def contestants(problem: str, made: tuple[Kernel, ...]) -> list[Contestant]:
    """Return the kernels of a problem as contestants, one element and eight at a time."""
    return [_contestant(problem, [widened(kernel, lanes) for kernel in made]) for lanes in LANES]


def _contestant(problem: str, made: list[Kernel]) -> Contestant:
    """Return kernels, called one after the other, as a contestant: nothing else is computed."""
    cell, asked = statement.split(problem)
    lanes = made[0].lanes
    known = statement.parameters(asked, statement.cell(cell)["dimension"])
    calls = []
    for k, kernel in enumerate(made):
        places = [known.index(parameter.name) for parameter in kernel.parameters]
        values = ", ".join(f"parameters[{place}]" for place in places) or "0"
        offset = k * kernel.rows * kernel.columns * lanes
        calls += [
            f"    const double values{k}[] = {{{values}}};",
            f"    {kernel.name}(coordinates, values{k}, state, out + {offset}, workspace);",
        ]
    texts = [text for name, text in kernel_sources(made).items() if name != "kernel_table.c"]
    wrapper = "\n".join([
        "void contestant(const double *coordinates, const double *parameters, const double *state,",
        "                double *out, double *workspace)", "{", *calls, "}", "",
    ])  # fmt: skip
    flags = tuple(flag for flag in COMMON if flag != "-fPIC")
    return Contestant(
        problem=problem,
        name=f"flexforge x{lanes}",
        version=VERSION,
        source="\n".join([*texts, wrapper]),
        function="contestant",
        flags=(*flags, "-march=native"),
        lanes=lanes,
        include=(INCLUDE,),
        workspace=max(kernel.layout.workspace for kernel in made) // 8,
    )


def textbook(problem: str) -> list[Contestant]:
    """Return the stiffness written by hand, where there is one."""
    cell, asked = statement.split(problem)
    if asked != "stiffness" or not is_there(cell):
        return []
    wrapper = (
        "\nvoid contestant(const double *coordinates, const double *parameters,\n"
        "                const double *state, double *out, double *workspace)\n"
        f"{{\n    (void)state, (void)workspace;\n"
        f"    textbook_{cell}(coordinates, parameters, out);\n}}\n"
    )
    source = (FOLDER / f"{cell}.c").read_text() + wrapper
    return [
        Contestant(
            problem, "textbook", "1", source, "contestant", FLAGS, prepare="textbook_prepare"
        )
    ]
