/* Solids of joints `contact` that are thrown on each other, between two files of tests: their text, what is worst at the ends of their steps. */
#ifndef DAL_TEST_SIM_THROWN_H
#define DAL_TEST_SIM_THROWN_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/check_model.h"

enum { THROWN = 3 };

typedef struct thrown {
    int n;
    double mass[THROWN], inertia[THROWN][3];
    double least, rise,
        energy; /* the lowest gap, the largest rise of the energy in a step, the energy after the last one */
    char text[8000];
} thrown;

static inline double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void add(thrown *s, const char *part)
{
    strncat(s->text, part, sizeof s->text - strlen(s->text) - 1);
}

static inline void add_thrown(thrown *s, int i, const double x[3], const double axis[3], double angle,
                              const double v[3], const double w[3])
{
    char part[800];
    const double *J = s->inertia[i];
    snprintf(part, sizeof part,
             "%s{'name': 'b%d', 'mass': %.17g, 'inertia': [%.17g, %.17g, %.17g], 'position': [%.17g, %.17g, %.17g],"
             "'rotation': {'axis': [%.17g, %.17g, %.17g], 'angle': %.17g},"
             "'velocity': [%.17g, %.17g, %.17g], 'angular_velocity': [%.17g, %.17g, %.17g]}",
             i > 0 ? "," : "", i, s->mass[i], J[0], J[1], J[2], x[0], x[1], x[2], axis[0], axis[1], axis[2], angle,
             v[0], v[1], v[2], w[0], w[1], w[2]);
    add(s, part);
}

static inline void note_energy(thrown *s, const dal_state *state)
{
    double energy = 0.0;
    for (int i = 0; i < s->n; ++i) {
        const double *v = state->v + 6 * i;
        energy += s->mass[i] * (9.81 * state->q[7 * i + 2] + 0.5 * dot(v, v));
        for (int k = 0; k < 3; ++k) {
            energy += 0.5 * s->inertia[i][k] * v[3 + k] * v[3 + k];
        }
    }
    s->rise = fmax(s->rise, energy - s->energy);
    s->energy = energy;
}

/* Runs the text; look gets `scene`, whose common part s is. */
static inline void run_thrown(thrown *s, void *scene, dal_observer look, const char *const *set, int nset, double t_end,
                              double rise)
{
    check_model r = check_model_start(s->text, set, nset);
    assert_int_equal(dal_sim_observe(r.sim, look, scene), DAL_OK);
    check_model_run(&r, t_end);
    assert_true(dal_sim_contact_totals(r.sim).impacts > 2);
    assert_true(s->least > -1e-11);
    assert_true(s->rise < rise);
    check_model_free(&r);
}

#endif
