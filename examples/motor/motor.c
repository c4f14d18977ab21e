/* SPDX-License-Identifier: BSD-3-Clause */
/* A direct-current motor as an FMU for co-simulation after FMI 2.0: what another tool would export.

       L i' = u - R i - k w,   J w' = k i - load */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT __declspec(dllexport)
#endif

typedef int Status; /* 0: done, 3: error */
enum { VOLTAGE, LOAD, SPEED, ACCELERATION, CURRENT, VARIABLES };
static const double R = 0.5, L = 1e-3, K = 0.05, J = 0.02; /* ohm, H, N m/A, kg m^2 */

typedef struct {
    double value[VARIABLES];
} Motor;

static void rates(const Motor *m, double i, double w, double *di, double *dw)
{
    *di = (m->value[VOLTAGE] - R * i - K * w) / L;
    *dw = (K * i - m->value[LOAD]) / J;
}

static void settle(Motor *m)
{
    double di;
    rates(m, m->value[CURRENT], m->value[SPEED], &di, &m->value[ACCELERATION]);
}

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }

EXPORT void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                             const void *functions, int visible, int logging)
{
    (void)name, (void)type, (void)guid, (void)resources, (void)functions, (void)visible, (void)logging;
    return calloc(1, sizeof(Motor));
}

EXPORT void fmi2FreeInstance(void *c) { free(c); }

EXPORT Status fmi2SetupExperiment(void *c, int tolerant, double tolerance, double start, int ends,
                                  double stop)
{
    (void)c, (void)tolerant, (void)tolerance, (void)start, (void)ends, (void)stop;
    return 0;
}

EXPORT Status fmi2SetDebugLogging(void *c, int on, size_t count, const char *const names[])
{
    (void)c, (void)on, (void)count, (void)names;
    return 0;
}

EXPORT Status fmi2EnterInitializationMode(void *c) { return c == NULL ? 3 : 0; }

EXPORT Status fmi2ExitInitializationMode(void *c)
{
    settle(c);
    return 0;
}

EXPORT Status fmi2Terminate(void *c) { return c == NULL ? 3 : 0; }

EXPORT Status fmi2Reset(void *c)
{
    memset(c, 0, sizeof(Motor));
    return 0;
}

EXPORT Status fmi2GetReal(void *c, const unsigned vr[], size_t count, double value[])
{
    for (size_t k = 0; k < count; ++k) {
        if (vr[k] >= VARIABLES)
            return 3;
        value[k] = ((Motor *)c)->value[vr[k]];
    }
    return 0;
}

EXPORT Status fmi2SetReal(void *c, const unsigned vr[], size_t count, const double value[])
{
    for (size_t k = 0; k < count; ++k) {
        if (vr[k] >= VARIABLES)
            return 3;
        ((Motor *)c)->value[vr[k]] = value[k];
    }
    settle(c);
    return 0;
}

/* The classical Runge-Kutta method in steps of at most 0.2 ms. */
EXPORT Status fmi2DoStep(void *c, double time, double length, int no_return)
{
    (void)time, (void)no_return;
    Motor *m = c;
    const int count = (int)(length / 2e-4) + 1;
    const double h = length / count;
    for (int step = 0; step < count; ++step) {
        const double i = m->value[CURRENT], w = m->value[SPEED];
        double di[4], dw[4];
        rates(m, i, w, &di[0], &dw[0]);
        rates(m, i + 0.5 * h * di[0], w + 0.5 * h * dw[0], &di[1], &dw[1]);
        rates(m, i + 0.5 * h * di[1], w + 0.5 * h * dw[1], &di[2], &dw[2]);
        rates(m, i + h * di[2], w + h * dw[2], &di[3], &dw[3]);
        m->value[CURRENT] += h / 6.0 * (di[0] + 2.0 * di[1] + 2.0 * di[2] + di[3]);
        m->value[SPEED] += h / 6.0 * (dw[0] + 2.0 * dw[1] + 2.0 * dw[2] + dw[3]);
    }
    settle(m);
    return 0;
}

/* A step can be taken back. */
EXPORT Status fmi2GetFMUstate(void *c, void **state)
{
    if (*state == NULL)
        *state = malloc(sizeof(Motor));
    if (*state == NULL)
        return 3;
    memcpy(*state, c, sizeof(Motor));
    return 0;
}

EXPORT Status fmi2SetFMUstate(void *c, void *state)
{
    memcpy(c, state, sizeof(Motor));
    return 0;
}

EXPORT Status fmi2FreeFMUstate(void *c, void **state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return 0;
}

/* The standard wants every function to be there; what the description does not offer is refused. */
#define REFUSED(name, ...) \
    EXPORT Status name(void *c, __VA_ARGS__) { return 3; }
REFUSED(fmi2GetInteger, const unsigned vr[], size_t count, int value[])
REFUSED(fmi2GetBoolean, const unsigned vr[], size_t count, int value[])
REFUSED(fmi2GetString, const unsigned vr[], size_t count, const char *value[])
REFUSED(fmi2SetInteger, const unsigned vr[], size_t count, const int value[])
REFUSED(fmi2SetBoolean, const unsigned vr[], size_t count, const int value[])
REFUSED(fmi2SetString, const unsigned vr[], size_t count, const char *const value[])
REFUSED(fmi2SerializedFMUstateSize, void *state, size_t *size)
REFUSED(fmi2SerializeFMUstate, void *state, char bytes[], size_t size)
REFUSED(fmi2DeSerializeFMUstate, const char bytes[], size_t size, void **state)
REFUSED(fmi2GetDirectionalDerivative, const unsigned unknown[], size_t sought, const unsigned known[],
        size_t count, const double amounts[], double out[])
REFUSED(fmi2SetRealInputDerivatives, const unsigned vr[], size_t count, const int order[],
        const double value[])
REFUSED(fmi2GetRealOutputDerivatives, const unsigned vr[], size_t count, const int order[],
        double value[])
REFUSED(fmi2GetStatus, int kind, Status *value)
REFUSED(fmi2GetRealStatus, int kind, double *value)
REFUSED(fmi2GetIntegerStatus, int kind, int *value)
REFUSED(fmi2GetBooleanStatus, int kind, int *value)
REFUSED(fmi2GetStringStatus, int kind, const char **value)
EXPORT Status fmi2CancelStep(void *c) { return 3; }
