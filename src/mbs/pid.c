/* The integral s of a pid: a coordinate without mass that follows s' = e, the elongation, as a nonholonomic row
 * s' - e(q, t) = 0 whose multiplier is zero (MB.13). */
#include <stdio.h>

#include "mbs/compile_impl.h"
#include "mbs/force_impl.h"

static void integral_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    const mb_constraint *c = self;
    const mb_force *f = &m->force[c->force];
    mb_along a;
    double e[2];
    mb_along_at(&a, m, f->marker, &f->row, at->t);
    mb_elongation(e, f, m, at->t, &a);
    if (out->r) {
        out->r[f->v] += at->la[c->row0];
    }
    if (out->vel) {
        out->vel[c->row0] = at->v[f->v] - e[0];
    }
    if (out->acc) {
        out->acc[c->row0] = at->vd[f->v] - e[1];
    }
}

/* B = 1 on s; Z = -g on the bodies */
static void integral_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_constraint *c = self;
    static const double one[1] = {1.0}, zero[6];
    const mb_force *f = &m->force[c->force];
    mb_along a;
    mb_along_at(&a, m, f->marker, &f->row, at->t);
    sink->link(sink, c->link_integral, one, NULL);
    for (int i = 0; i < 2; ++i) {
        double Z[6];
        if (c->link[i] >= 0) {
            mb_gradient_to_body(Z, &a.P.side[i], a.g + 6 * i);
            scale3(Z, -1.0, Z);
            scale3(Z + 3, -1.0, Z + 3);
            mb_push_link(m, sink, c->body[i], c->link[i], zero, Z, 1);
        }
    }
}

static void integral_name(char *buffer, size_t size, const void *self, const dal_model *m, int row)
{
    (void)row;
    snprintf(buffer, size, "force '%s': integral", m->force_names.name[((const mb_constraint *)self)->force]);
}

const mb_element_type mb_constraint_integral = {.form = MB_FORM_INTEGRAL,
                                                .residual = integral_residual,
                                                .tangent = integral_tangent,
                                                .acceleration = mb_row_accelerations,
                                                .row_name = integral_name};

void mb_pid_columns(const mb_force *f, const mb_instance *m, dal_sink *sink, const mb_along *a)
{
    for (int i = 0; i < 2; ++i) {
        const mb_body *b = &m->body[f->marker[i].body];
        double g6[6];
        if (b->factor >= 0) {
            mb_gradient_to_body(g6, &a->P.side[i], a->g + 6 * i);
            scale3(g6, f->d.integral, g6);
            scale3(g6 + 3, f->d.integral, g6 + 3);
            mb_push_column(m, sink, f->marker[i].body, f->pair_integral[i], NULL, g6);
        }
    }
}

void mb_connect_pid(mb_plan *plan, void *force)
{
    mb_force *f = force;
    mb_connect_frames(plan, force);
    for (int i = 0; i < 2; ++i) {
        mb_plan_pair(plan, &f->pair_integral[i], mb_columns_of_body(plan, f->marker[i].body), mb_columns_of_force(f));
    }
}

dal_status mb_pid_build(dal_model *m, int force)
{
    const int a = m->force[force].marker[0].body, b = m->force[force].marker[1].body;
    const mb_constraint c = {.type = &mb_constraint_integral,
                             .joint = -1,
                             .force = force,
                             .nsides = 2,
                             .nrows = 1,
                             .nonholonomic = 1,
                             .body = {a, b}};
    return mb_add_constraint(m, &c);
}

void mb_pid_start(double *v0, const mb_force *f, mb_instance *m)
{
    mb_along a;
    double e[2];
    mb_along_at(&a, m, f->marker, &f->row, 0.0);
    mb_elongation(e, f, m, 0.0, &a);
    v0[f->v] = e[0];
}
