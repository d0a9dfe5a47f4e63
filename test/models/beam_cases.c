#include "beam_cases.h"

#include <stdio.h>
#include <string.h>

#include "dalembert/static.h"

void model_equilibrium(double *y, const char *source, const char *const *set, int nset)
{
    check_model m = check_model_start(source, set, nset);
    const int nq = m.sys->group->nq, nv = m.sys->group->nv, nc = dal_system_rows(m.sys);
    const int size = nq + 3 * nv + nc;
    double *q = calloc((size_t)size, sizeof *q), *v = q + nq, *vd = v + nv, *la = vd + nv;
    assert_non_null(q);
    memcpy(q, dal_model_q0(m.model), (size_t)nq * sizeof *q);
    check_ok(m.ctx, dal_static_solve(m.ctx, m.sys, NULL, q, NULL, la, NULL, 0.0, NULL));
    check_ok(m.ctx, dal_model_outputs(m.model, NULL, y, &(dal_point){0.0, q, v, vd, la}));
    free(q);
    check_model_free(&m);
}

void beam_equilibrium(double y[13], const beam_case *c)
{
    char text[64000];
    const int n = snprintf(
        text, sizeof text,
        "{'dalembert': 1, 'beams': [{'name': 'b', 'start': 'ground', 'elements': %d, 'order': %d, %s}], 'forces': ["
        "{'name': 'f', 'type': 'force', 'body': 'b@1', 'vector': [%.17g, %.17g, %.17g]}, {'name': 't', "
        "'type': 'torque', 'body': 'b@1', 'follower': true, 'vector': [%.17g, %.17g, %.17g]}], 'outputs': "
        "['b@1.position', 'b@1.quaternion', 'b@0.section_force', 'b@0.section_moment']}",
        c->elements, c->order, c->keys, c->force[0], c->force[1], c->force[2], c->torque[0], c->torque[1],
        c->torque[2]);
    assert_true(n > 0 && n < (int)sizeof text);
    model_equilibrium(y, text, NULL, 0);
}
