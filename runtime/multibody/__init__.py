# SPDX-License-Identifier: BSD-3-Clause
"""Links whose motion joints and drivers leave open: it is found by integration, or vibrates.

Read ``integrals`` (what the inertia of a link is made of), ``tables`` (the equations as native code
reads them), ``model`` (the equations as steppers read them), ``course`` and ``motion`` (what is
found, as probes and results read it). Vibrations: ``small_motions`` (their matrices and
eigenvalues), ``equilibrium`` and ``steady`` (what they are about), ``modes`` (their shapes).
Forces: ``forces`` (laws between links), ``events`` (where they switch), ``inside`` (shapes that
begin inside each other).
"""
