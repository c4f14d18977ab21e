# SPDX-License-Identifier: BSD-3-Clause
"""FMUs called from C with sanitizers: every function that touches memory of the caller's."""

from __future__ import annotations

import subprocess

import pytest
from exported import STRICT, write
from flexforge.runtime.export.fmu import fmu_sources
from flexforge.runtime.export.solver import build_solver
from moving import spec_of

COMMON = """
#include <stdio.h>
#define CHECK(call) do { if ((call) != 0) { fprintf(stderr, "%s\\n", #call); return 1; } } while (0)
enum { OUTPUTS = BLOCK_OUTPUTS, N = BLOCK_COORDINATES };
"""
MAIN_2 = """
#include "fmi2.c"
#include <stdlib.h>
COMMON
static void say_nothing(void *e, const char *i, fmi2Status s, const char *c, const char *m, ...)
{
    (void)e, (void)i, (void)s, (void)c, (void)m;
}
int main(void)
{
    const fmi2CallbackFunctions calls = {say_nothing, calloc, free, NULL, NULL};
    const char *token = BLOCK_FINGERPRINT;
    char longer[300];
    memset(longer, 'x', sizeof longer);
    longer[299] = 0;
    if (fmi2Instantiate("one", fmi2CoSimulation, "another", "", &calls, 0, 0) != NULL)
        return 2;
    fmi2Component c = fmi2Instantiate(longer, fmi2CoSimulation, token, "", &calls, 0, 1);
    fmi2ValueReference vr[OUTPUTS], known[N], unknown[N];
    double values[OUTPUTS], again[OUTPUTS], ones[N], out[N], states[2 * N];
    for (unsigned k = 0; k < OUTPUTS; ++k)
        vr[k] = 1 + 3 * BLOCK_INPUTS + k;
    for (unsigned k = 0; k < N; ++k) {
        known[k] = vr[OUTPUTS - 1] + 1 + k;
        unknown[k] = known[k] + 2 * N;
        ones[k] = 1.0;
    }
    CHECK(fmi2SetupExperiment(c, 0, 0.0, 0.0, 0, 1.0));
    CHECK(fmi2EnterInitializationMode(c));
    CHECK(fmi2ExitInitializationMode(c));
    fmi2FMUstate state = NULL, other = NULL;
    size_t size;
    CHECK(fmi2DoStep(c, 0.0, 0.01, 1));
    CHECK(fmi2GetFMUstate(c, &state));
    CHECK(fmi2SerializedFMUstateSize(c, state, &size));
    fmi2Byte *bytes = malloc(size);
    CHECK(fmi2SerializeFMUstate(c, state, bytes, size));
    CHECK(fmi2DeSerializeFMUstate(c, bytes, size, &other));
    CHECK(fmi2DoStep(c, 0.01, 0.013, 1));
    CHECK(fmi2GetReal(c, vr, OUTPUTS, values));
    CHECK(fmi2SetFMUstate(c, other));
    CHECK(fmi2DoStep(c, 0.01, 0.013, 1));
    CHECK(fmi2GetReal(c, vr, OUTPUTS, again));
    if (memcmp(values, again, sizeof values))
        return 3;
    CHECK(fmi2GetDirectionalDerivative(c, unknown, N, known, N, ones, out));
    CHECK(fmi2GetContinuousStates(c, states, 2 * N));
    CHECK(fmi2SetContinuousStates(c, states, 2 * N));
    CHECK(fmi2GetDerivatives(c, states, 2 * N));
    CHECK(fmi2FreeFMUstate(c, &state));
    CHECK(fmi2FreeFMUstate(c, &other));
    const fmi2ValueReference wrong[] = {0xffffffffu};
    if (fmi2GetReal(c, wrong, 1, values) != fmi2Error || fmi2SetReal(c, vr, 1, values) != fmi2Error)
        return 4;
    CHECK(fmi2Reset(c));
    CHECK(fmi2Terminate(c));
    fmi2FreeInstance(c);
    free(bytes);
    return 0;
}
"""
MAIN_3 = """
#include "fmi3.c"
COMMON
int main(void)
{
    const char *token = BLOCK_FINGERPRINT;
    char longer[300];
    memset(longer, 'x', sizeof longer);
    longer[299] = 0;
    if (fmi3InstantiateCoSimulation("one", "another", "", 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL))
        return 2;
    fmi3Instance c = fmi3InstantiateCoSimulation(longer, token, "", 0, 1, 0, 0, NULL, 0, NULL, NULL,
                                                 NULL);
    fmi3ValueReference vr[OUTPUTS], known[N], unknown[N];
    double values[OUTPUTS], again[OUTPUTS], ones[N], out[N], states[2 * N], reached;
    bool event, end, early;
    for (unsigned k = 0; k < OUTPUTS; ++k)
        vr[k] = 1 + 3 * BLOCK_INPUTS + k;
    for (unsigned k = 0; k < N; ++k) {
        known[k] = vr[OUTPUTS - 1] + 1 + k;
        unknown[k] = known[k] + 2 * N;
        ones[k] = 1.0;
    }
    CHECK(fmi3EnterInitializationMode(c, 0, 0.0, 0.0, 0, 1.0));
    CHECK(fmi3ExitInitializationMode(c));
    fmi3FMUState state = NULL, other = NULL;
    size_t size;
    CHECK(fmi3DoStep(c, 0.0, 0.01, 1, &event, &end, &early, &reached));
    CHECK(fmi3GetFMUState(c, &state));
    CHECK(fmi3SerializedFMUStateSize(c, state, &size));
    fmi3Byte *bytes = malloc(size);
    CHECK(fmi3SerializeFMUState(c, state, bytes, size));
    CHECK(fmi3DeserializeFMUState(c, bytes, size, &other));
    CHECK(fmi3DoStep(c, 0.01, 0.013, 1, &event, &end, &early, &reached));
    CHECK(fmi3GetFloat64(c, vr, OUTPUTS, values, OUTPUTS));
    CHECK(fmi3SetFMUState(c, other));
    CHECK(fmi3DoStep(c, 0.01, 0.013, 1, &event, &end, &early, &reached));
    CHECK(fmi3GetFloat64(c, vr, OUTPUTS, again, OUTPUTS));
    if (memcmp(values, again, sizeof values))
        return 3;
    CHECK(fmi3GetDirectionalDerivative(c, unknown, N, known, N, ones, N, out, N));
    CHECK(fmi3GetContinuousStates(c, states, 2 * N));
    CHECK(fmi3SetContinuousStates(c, states, 2 * N));
    CHECK(fmi3GetContinuousStateDerivatives(c, states, 2 * N));
    CHECK(fmi3FreeFMUState(c, &state));
    CHECK(fmi3FreeFMUState(c, &other));
    const fmi3ValueReference wrong[] = {0xffffffffu};
    if (fmi3GetFloat64(c, wrong, 1, values, 1) != fmi3Error ||
        fmi3SetFloat64(c, vr, 1, values, 1) != fmi3Error)
        return 4;
    CHECK(fmi3Reset(c));
    CHECK(fmi3Terminate(c));
    fmi3FreeInstance(c);
    free(bytes);
    return 0;
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("main", [MAIN_2, MAIN_3], ids=["fmi2", "fmi3"])
def test_sanitizers_find_nothing(main, tmp_path):
    """A life of an instance: no leak, no address and no behaviour that is undefined."""
    solver = build_solver(spec_of("spatial", {"modes": 3}), "block")
    folder = write(fmu_sources(solver, 2) | fmu_sources(solver, 3), tmp_path)
    (folder / "main.c").write_text(main.replace("COMMON", COMMON), encoding="ascii")
    flags = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-I."]
    subprocess.run(["gcc", *STRICT, *flags, "main.c", "-o", "main", "-lm"], cwd=folder, check=True)
    done = subprocess.run(["./main"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
