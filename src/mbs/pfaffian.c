/* Rows A v + b = 0 from a callback. Derivatives of A and b come from a second callback, or from differences. */
#include <math.h>

#include "mbs/force_impl.h"

enum { NA = MB_ROWS * 6 * MB_SIDES };

typedef struct rows {
    double A[NA], b[MB_ROWS];
    double x[3 * MB_SIDES + DAL_PARAMETERS_MAX], R[9 * MB_SIDES];
} rows;

static const double eps = 6e-6;

static void start(rows *r, const mb_constraint *c, const mb_instance *m)
{
    for (int k = 0; k < c->nsides; ++k) {
        copy3(r->x + 3 * k, m->state[c->body[k]].x);
        memcpy(r->R + 9 * k, m->state[c->body[k]].R, 9 * sizeof(double));
    }
    const dal_joint *d = &m->joint[c->joint].d;
    memcpy(r->x + 3 * (size_t)c->nsides, d->parameter, (size_t)d->nparameters * sizeof(double));
}

/* Are A and b finite? Not their fault if the positions are not. */
static int finite(const rows *r, const mb_constraint *c)
{
    const int sound = mb_norm_ok(r->A, 6 * c->nsides * c->nrows) && mb_norm_ok(r->b, c->nrows);
    return sound || !mb_norm_ok(r->x, 3 * c->nsides) || !mb_norm_ok(r->R, 9 * c->nsides);
}

/* Name the joint whose callback failed or returned a value that is not finite. */
static void judge(const rows *r, const mb_constraint *c, mb_instance *m, double t, dal_status st)
{
    const char *name = m->of->joint_names.name[c->joint];
    if (st != DAL_OK) {
        MB_FAIL(m, st, "the callback for the rows of joint '%s' failed at t = %.9g (%s)", name, t, dal_status_text(st));
    } else if (!finite(r, c)) {
        MB_FAIL(m, DAL_ECALLBACK, "the coefficients of the rows of joint '%s' are not finite at t = %.9g", name, t);
    }
}

static void call(rows *r, const mb_constraint *c, mb_instance *m, double t)
{
    const dal_joint *d = &m->joint[c->joint].d;
    memset(r->A, 0, sizeof r->A);
    memset(r->b, 0, sizeof r->b);
    const dal_functions functions = mb_functions(m);
    judge(r, c, m, t, d->rows(r->A, r->b, t, r->x, r->R, &functions, d->user));
}

/* Move side k by (dx, dtheta). */
static void move(rows *r, int k, const double d[6])
{
    double p[4], E[9], R[9];
    dal_quat_from_vector(p, d + 3);
    dal_quat_to_matrix(E, p);
    memcpy(R, r->R + 9 * k, sizeof R);
    mat3_mul(r->R + 9 * k, 3, R, 3, E, 3);
    add3(r->x + 3 * k, r->x + 3 * k, d);
}

/* A and b of dr: the derivatives along d = (t', then x' and Omega of each side), at the positions of r. */
static void along(rows *dr, const rows *r, const mb_constraint *c, mb_instance *m, double t, const double *d)
{
    const dal_joint *j = &m->joint[c->joint].d;
    *dr = *r;
    memset(dr->A, 0, sizeof dr->A);
    memset(dr->b, 0, sizeof dr->b);
    if (j->rows_along) {
        const dal_functions functions = mb_functions(m);
        judge(dr, c, m, t, j->rows_along(dr->A, dr->b, t, r->x, r->R, d, &functions, j->user));
        return;
    }
    for (int side = -1; side <= 1; side += 2) {
        rows moved = *r;
        for (int k = 0; k < c->nsides; ++k) {
            double step[6];
            scale3(step, side * eps, d + 1 + 6 * k);
            scale3(step + 3, side * eps, d + 4 + 6 * k);
            move(&moved, k, step);
        }
        call(&moved, c, m, t + side * eps * d[0]);
        for (int i = 0; i < NA; ++i) {
            dr->A[i] += side * moved.A[i] / (2.0 * eps);
        }
        for (int i = 0; i < c->nrows; ++i) {
            dr->b[i] += side * moved.b[i] / (2.0 * eps);
        }
    }
}

/* y (nrows) = A v + b with v the velocities (accelerated: accelerations, without b) of the sides */
static void velocity_rows(double *y, const rows *r, const mb_constraint *c, const mb_instance *m, int accelerated)
{
    for (int i = 0; i < c->nrows; ++i) {
        y[i] = accelerated ? 0.0 : r->b[i];
        for (int k = 0; k < c->nsides; ++k) {
            const mb_state *s = &m->state[c->body[k]];
            const double *x = accelerated ? s->xdd : s->xd, *w = accelerated ? s->Omd : s->Om;
            for (int j = 0; j < 3; ++j) {
                y[i] += r->A[i + (6 * k + j) * c->nrows] * x[j] + r->A[i + (6 * k + 3 + j) * c->nrows] * w[j];
            }
        }
    }
}

/* f (6 nsides) = A^T lambda */
static void forces(double *f, const rows *r, const mb_constraint *c, const double *la)
{
    for (int j = 0; j < 6 * c->nsides; ++j) {
        f[j] = 0.0;
        for (int i = 0; i < c->nrows; ++i) {
            f[j] += r->A[i + j * c->nrows] * la[i];
        }
    }
}

static void pfaffian_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    const mb_constraint *c = self;
    rows r;
    double y[MB_ROWS], f[6 * MB_SIDES];
    start(&r, c, m);
    call(&r, c, m, at->t);
    if (out->vel) {
        velocity_rows(out->vel + c->row0, &r, c, m, 0);
    }
    if (out->r) {
        forces(f, &r, c, at->la + c->row0);
        for (int k = 0; k < c->nsides; ++k) {
            double *r6 = m->body[c->body[k]].r6;
            add3(r6, r6, f + 6 * k);
            add3(r6 + 3, r6 + 3, f + 6 * k + 3);
        }
    }
    if (out->acc) {
        // A v' + d/dt (A v + b) for constant v
        rows dr;
        double d[1 + 6 * MB_SIDES] = {1.0};
        for (int k = 0; k < c->nsides; ++k) {
            copy3(d + 1 + 6 * k, m->state[c->body[k]].xd);
            copy3(d + 4 + 6 * k, m->state[c->body[k]].Om);
        }
        velocity_rows(out->acc + c->row0, &r, c, m, 1);
        along(&dr, &r, c, m, at->t, d);
        velocity_rows(y, &dr, c, m, 0);
        for (int i = 0; i < c->nrows; ++i) {
            out->acc[c->row0 + i] += y[i];
        }
    }
}

static void pfaffian_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_constraint *c = self;
    rows r, dr;
    start(&r, c, m);
    call(&r, c, m, at->t);
    for (int k = 0; k < c->nsides; ++k) {
        // derivatives in the six directions of side k
        double Z[MB_ROWS * 6] = {0.0}, K[MB_SIDES][36] = {{0.0}};
        for (int col = 0; col < 6; ++col) {
            double d[1 + 6 * MB_SIDES] = {0.0}, y[MB_ROWS], f[6 * MB_SIDES];
            d[1 + 6 * k + col] = 1.0;
            along(&dr, &r, c, m, at->t, d);
            velocity_rows(y, &dr, c, m, 0);
            forces(f, &dr, c, at->la + c->row0);
            memcpy(Z + (size_t)(col * c->nrows), y, (size_t)c->nrows * sizeof(double));
            for (int i = 0; i < 6 * c->nsides; ++i) {
                K[i / 6][i % 6 + 6 * col] = f[i];
            }
        }
        mb_push_link(m, sink, c->body[k], c->link[k], r.A + (size_t)(6 * k * c->nrows), Z, c->nrows);
        for (int i = 0; i < c->nsides && (sink->wants & DAL_WANT_K); ++i) {
            mb_add_pair(m, sink, c->body[i], c->body[k], c->pair[i][k], NULL, K[i]);
        }
    }
}

/* Rows from a callback may do work. */
static void pfaffian_exchange(double P[2], const void *self, mb_instance *m, const dal_point *at)
{
    P[0] = 0.0;
    P[1] = mb_rows_power(self, m, at);
}

const mb_element_type mb_constraint_pfaffian = {.form = MB_FORM_COEFFICIENTS,
                                                .connect = mb_connect_rows,
                                                .residual = pfaffian_residual,
                                                .tangent = pfaffian_tangent,
                                                .acceleration = mb_row_accelerations,
                                                .exchange = pfaffian_exchange,
                                                .row_name = mb_joint_row_name};

int mb_pfaffian_finite(const mb_constraint *c, mb_instance *m, const dal_point *at)
{
    rows r;
    start(&r, c, m);
    call(&r, c, m, at->t);
    return finite(&r, c);
}

/* -A^T lambda; the torque from body to world axes */
void mb_pfaffian_wrench(double f[6], const mb_constraint *c, mb_instance *m, const dal_point *at, int side)
{
    rows r;
    double all[6 * MB_SIDES];
    start(&r, c, m);
    call(&r, c, m, at->t);
    forces(all, &r, c, at->la + c->row0);
    scale3(f, -1.0, all + 6 * side);
    mat3_mul_vec(f + 3, m->state[c->body[side]].R, 3, all + 6 * side + 3);
    scale3(f + 3, -1.0, f + 3);
}

dal_status mb_pfaffian_build(dal_model *m, int joint)
{
    const mb_joint *j = &m->joint[joint];
    mb_constraint c = {.type = &mb_constraint_pfaffian,
                       .joint = joint,
                       .force = -1,
                       .nsides = j->d.nbodies,
                       .nrows = j->d.nrows,
                       .coupled = 1,
                       .nonholonomic = 1};
    memcpy(c.body, j->bodies, sizeof c.body);
    return mb_add_constraint(m, &c);
}
