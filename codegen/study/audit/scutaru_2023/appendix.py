# SPDX-License-Identifier: BSD-3-Clause
"""The appendix: kinetic energy and energy of accelerations, all terms.

Its equations have no numbers: A.1 is the kinetic energy, A.2 the energy of accelerations with its
integrals, A.3 with the notations (11)-(14).
"""

from __future__ import annotations

from flexforge.codegen.study.audit.equation import Reading
from flexforge.codegen.study.audit.scutaru_2023.energies import (
    ACCELERATIONS,
    KINETIC,
    S_HOW,
    T_HOW,
    accelerations,
    kinetic,
)
from flexforge.codegen.study.audit.scutaru_2023.symbols import (
    TRANSPOSED,
    TRANSPOSED_2,
    equation,
    form,
)

INTEGRALS = (
    "1/2 (xO''[i] xO''[i]) int(ρ) + 1/2 α[ji] α''[jk] α[il] α''[lm] int(ρ (x[k] x[m]))"
    " + 1/2 α[ji] α[il] α''[jk] α''[lm] int(ρ (N[kr] N[mt])) δ[r] δ[t]"
    " + 2 α[ij] α'[jk] α[il] α'[lm] int(ρ N[kr] N[mt]) δ'[r] δ'[t]"
    " + 1/2 int(ρ N[ir] N[it]) δ''[r] δ''[t] + xO''[i] α[ij] α''[jk] int(ρ x[k])"
    " + xO''[i] α[ij] α''[jk] δ[r] int(ρ N[kr]) + xO''[i] 2 α[ij] α'[jk] δ'[r] int(ρ N[kr])"
    " + xO''[i] δ''[r] int(ρ N[ir]) + 1/2 int(ρ α'[ji] α'[jk] x[k] α'[li] α'[lm] x[m])"
    " + xO''[i] α'[ji] α'[jk] δ[r] int(ρ x[k]) + xO''[i] α[ji] α'[jk] δ[r] int(ρ N[kr])"
    " + int(ρ α'[ji] α'[jk] x[k] α[li] α'[lm] x[m])"
    " + int(ρ α'[ji] α'[jk] x[k] α'[li] α'[lm] N[mr] δ[r])"
    " + int(ρ (α'[ji] α'[jk] x[k] α[li] α'[lm] N[mr] δ[r]))"
    " + 2 int(ρ α'[ji] α'[jk] x[k] α[li] α'[lm] N[mr] δ'[r])"
    " + int(ρ α'[ji] α'[jk] x[k] N[ir] δ'')"
    " + int(ρ α'[ji] α'[jk] N[kr] δ[r] α'[jl] α'[lm] N[mr] δ[r])"
    " + α[ji] α''[jk] α[il] α''[lm] δ[r] int(ρ x[k] N[kr])"
    " + 2 α[ji] α''[jk] α[il] α'[lm] δ'[r] int(ρ x[k] N[kr])"
    " + α[ji] α''[jk] δ''[r] int(ρ x[k] N[ir])"
    " + 2 α[ji] α''[jk] δ[r] α[il] α'[lm] δ'[t] int(ρ N[kr] N[mt])"
    " + α[ji] α''[jk] δ[r] δ''[r] int(ρ N[kr] N[it])"
    " + 2 α[ji] α'[jk] δ'[r] δ'[t] int(ρ N[kr] N[it])"
    " + int(ρ α'[ji] α'[jk] N[kr] δ[r] α[jl] α'[lm] N[mr] δ[r])"
    " + 2 int(ρ α'[ji] α'[jk] N[kr] δ[r] α[jl] α'[lm] N[mr] δ'[r])"
    " + int(ρ α'[ji] α'[jk] N[kr] δ[r] N[it] δ''[t])"
)
NOTATIONS = (
    "1/2 m (xO''[i] xO''[i]) + 1/2 α[ji] α''[jk] α[il] α''[lm] J[km]"
    " + 1/2 α[ji] α[il] α''[jk] α''[lm] m[kr,mt] δ[r] δ[t]"
    " + 2 α[ij] α'[jk] α[il] α'[lm] m[kr,mt] δ'[r] δ'[t] + 1/2 m[rt] δ''[r] δ''[t]"
    " + xO''[i] α[ij] α''[jk] S[k] + xO''[i] α[ij] α''[jk] δ[r] mOI[kr]"
    " + xO''[i] 2 α[ij] α'[jk] δ'[r] mOI[kr] + xO''[i] δ''[r] mOI[ir]"
    " + 1/2 α'[ji] α'[jk] α'[li] α'[lm] J[km] + xO''[i] α'[ji] α'[jk] δ[r] S[k]"
    " + xO''[i] α[ji] α'[jk] δ[r] mOI[kr] + α'[ji] α'[jk] α[li] α'[lm] J[km]"
    " + α'[ji] α'[jk] α'[li] α'[lm] δ[r] m[k,mr] + α'[ji] α'[jk] α[li] α'[lm] δ[r] m[k,mr]"
    " + 2 α'[ji] α'[jk] α[li] α'[lm] δ'[r] m[k,mr] + α'[ji] α'[jk] δ''[r] m[k,ir]"
    " + α'[ji] α'[jk] α'[jl] α'[lm] δ[r] δ[r] m[kr,mt]"
    " + α[ji] α''[jk] α[il] α''[lm] δ[r] m[k,mr] + 2 α[ji] α''[jk] α[il] α'[lm] δ'[r] m[k,mr]"
    " + α[ji] α''[jk] δ''[r] m[k,ir] + 2 α[ji] α''[jk] δ[r] α[il] α'[lm] δ'[t] m[kr,mt]"
    " + α[ji] α''[jk] δ[r] δ''[r] m[kr,it] + 2 α[ji] α'[jk] δ'[r] δ''[t] m[kr,it]"
    " + α'[ji] α'[jk] α[il] α'[lm] δ[r] δ[t] m[kr,mt]"
    " + 2 α'[ji] α'[jk] α[jl] α'[lm] δ[r] δ'[t] m[kr,mt]"
    " + α'[ji] α'[jk] δ''[r] δ''[t] m[kr,it]"
)
BOTH = (
    TRANSPOSED,
    TRANSPOSED_2,
    Reading("α[il] α''[lm]", "α[li] α''[lm]", "α_il α̈_lm is read as α_li α̈_lm"),
    Reading("α[il] α'[lm]", "α[li] α'[lm]", "α_il α̇_lm is read as α_li α̇_lm"),
    Reading("α[ji] α[il] α''[jk]", "α[ji] α[li] α''[jk]", "α_ji α_il is read as α_ji α_li"),
    Reading("δ[r] δ''[r]", "δ[r] δ''[t]", "δ_r δ̈_r is read as δ_r δ̈_t"),
)
SECOND = "the indices of the second factor are read as l, i and t, as in the terms before"

EQUATIONS = (
    equation(
        "A.1",
        "kinetic energy, ten terms",
        form(
            "E_c",
            "1/2 int(ρ) (xO'[i] xO'[i]) + 1/2 int(ρ x[k] x[m]) α[ij] α[il] α'[jk] α'[lm]"
            " + 1/2 int(ρ N[kr] N[nt]) α[ij] α[im] α'[jk] α'[mn] δ[r] δ[t]"
            " + 1/2 int(ρ N[ir] N[it]) δ'[r] δ'[t] + int(ρ x[k]) xO'[i] α[ij] α'[jk]"
            " + int(ρ N[kr]) xO'[i] α[ij] α'[jk] δ[r] + int(ρ N[ir]) xO'[i] δ'[r]"
            " + int(ρ x[k] N[mr]) α[ij] α[il] α'[jk] α'[lm] δ[r]"
            " + int(ρ x[k] N[ir]) α[ij] α'[jk] δ'[r]"
            " + int(ρ N[kr] N[it]) α[ij] α'[jk] δ[r] δ'[t]",
            kinetic,
            TRANSPOSED,
        ),
        "",
        KINETIC,
        T_HOW,
    ),
    equation(
        "A.2",
        "energy of accelerations, by integrals",
        form(
            "E_a",
            INTEGRALS,
            accelerations,
            *BOTH,
            Reading(
                "N[kr] δ[r] α'[jl] α'[lm] N[mr] δ[r]", "N[kr] δ[r] α'[li] α'[lm] N[mt] δ[t]", SECOND
            ),
            Reading(
                "N[kr] δ[r] α[jl] α'[lm] N[mr] δ[r]", "N[kr] δ[r] α[li] α'[lm] N[mt] δ[t]", SECOND
            ),
            Reading(
                "N[kr] δ[r] α[jl] α'[lm] N[mr] δ'[r]", "N[kr] δ[r] α[li] α'[lm] N[mt] δ'[t]", SECOND
            ),
            Reading("x[k] N[kr]", "x[k] N[mr]", "N_kr beside x_k is read as N_mr"),
            Reading("N[ir] δ''", "N[ir] δ''[r]", "δ̈ without an index is read as δ̈_r"),
        ),
        "",
        ACCELERATIONS,
        S_HOW,
    ),
    equation(
        "A.3",
        "energy of accelerations, by the notations (11)-(14)",
        form(
            "E_a",
            NOTATIONS,
            accelerations,
            *BOTH,
            Reading("α'[jl] α'[lm] δ[r] δ[r]", "α'[li] α'[lm] δ[r] δ[t]", SECOND),
            Reading("α[jl] α'[lm]", "α[li] α'[lm]", SECOND),
        ),
        "",
        ACCELERATIONS,
        S_HOW,
    ),
)
