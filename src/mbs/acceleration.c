/* Tangents of the acceleration level: one block of rows in the motion of its own bodies, so that the cost grows with the number of
 * joints and not with its square. acc = B v' + Z(v) v is linear in accelerations and of second degree in velocities: two values give
 * these derivatives to rounding. Scalar products of arms and directions, of which most rows consist, are of second degree in the
 * place of a body, and a + b sin + c cos in its angle about an axis: two values again. Lengths and angles are functions of such products:
 * their derivatives follow from those of the products and of their rates. Other rows, of gears, are differenced. */
#include "base/vector.h"
#include "mbs/compile_impl.h"

static const double eps = MB_DIFFERENCE;

/* y = acc of the block with one component of the motion of a body changed. */
static void changed(double *y, const mb_constraint *c, mb_instance *m, int body, int what, int k, double by,
                    const dal_point *at)
{
    const mb_state saved = m->state[body];
    const dal_residual out = {.acc = m->rows};
    mb_perturb(&m->state[body], what, k, by);
    c->type->residual(c, m, &out, at);
    m->state[body] = saved;
    memcpy(y, m->rows + c->row0, (size_t)c->nrows * sizeof(double));
}

/* How far the frames of a block of rows are apart, their arms included; 1 at most, and where there is nothing but rounding: a step of that
 * size would be lost in terms of velocities alone. */
static double span_of(const mb_constraint *c, const mb_instance *m)
{
    static const double least = 1e-6;
    const mb_state *A = &m->state[c->body[0]], *B = &m->state[c->body[c->nsides > 1]];
    double span = 0.0;
    for (int i = 0; i < 3; ++i) {
        span = fmax(span, fmax(fabs(B->x[i] - A->x[i]), fmax(fabs(c->marker[0].a[i]), fabs(c->marker[1].a[i]))));
    }
    return span > least ? fmin(span, 1.0) : 1.0;
}

/* Are its rows scalar products of arms and directions? */
static int is_product(const mb_constraint *c)
{
    int yes = c->type == &mb_constraint_spherical || c->type == &mb_constraint_joint;
    for (int k = 0; k < c->nscalar && yes && c->type == &mb_constraint_joint; ++k) {
        const mb_row_type *row = c->row[k].type;
        yes = row == &mb_row_dot || row == &mb_row_axis || row == &mb_row_square || row == &mb_row_spin;
    }
    return yes;
}

/* ---- lengths and angles ----------------------------------------------------------------------- */

/* A block of rows at three levels: value, rate, acceleration. */
typedef struct levels {
    double x[3][MB_ROWS_MAX];
} levels;

/* Which products: for a length (d.d - 1)/2; for an angle X, then Y, of which it is atan2(Y, X); for a screw also a . d. */
enum { PRODUCT_X, PRODUCT_Y, PRODUCT_AXIS, PRODUCTS };

static int is_composed(const mb_row *r)
{
    return r->type == &mb_row_length || r->type == &mb_row_angle || r->type == &mb_row_screw;
}

/* The block with products in the place of lengths and angles, its rows numbered from 0 on. */
static mb_constraint products_of(const mb_constraint *c, int which)
{
    mb_constraint to = *c;
    to.row0 = 0;
    for (int k = 0; k < c->nscalar; ++k) {
        const mb_row *r = &c->row[k];
        const int j = (r->i + 1) % 3, a = which == PRODUCT_Y ? (r->i + 2) % 3 : j;
        if (r->type == &mb_row_length) {
            to.row[k] = (mb_row){.type = &mb_row_square, .c = 1.0};
        } else if (is_composed(r)) {
            to.row[k] = which == PRODUCT_AXIS ? (mb_row){.type = &mb_row_axis, .i = r->i}
                                              : (mb_row){.type = &mb_row_dot, .i = a, .j = j};
        }
    }
    return to;
}

static void levels_at(levels *y, const mb_constraint *c, mb_instance *m, const dal_point *at)
{
    const dal_residual out = {.Phi = y->x[0], .vel = y->x[1], .acc = y->x[2]};
    c->type->residual(c, m, &out, at);
}

/* Their derivatives with respect to component k of the place of a body, by two values. */
static void levels_by(levels *D, const mb_constraint *c, mb_instance *m, int body, int k, const dal_point *at)
{
    const double quarter_turn = 1.5707963267948966, span = span_of(c, m);
    levels y[2] = {{{{0.0}}}};
    for (int side = 0; side < 2; ++side) {
        const mb_state saved = m->state[body];
        mb_perturb(&m->state[body], MB_BY_POSITION, k, (side ? 1.0 : -1.0) * (k < 3 ? span : quarter_turn));
        levels_at(&y[side], c, m, at);
        m->state[body] = saved;
    }
    for (int l = 0; l < 3; ++l) {
        for (int i = 0; i < c->nrows; ++i) {
            D->x[l][i] = 0.5 * (y[1].x[l][i] - y[0].x[l][i]) / (k < 3 ? span : 1.0);
        }
    }
}

/* Of l = |d| from s = (d.d - 1)/2: l l' = s', l l'' + l'^2 = s'' */
static double length_slope(const levels *s, const levels *ds, int i)
{
    const double l = sqrt(2.0 * s->x[0][i] + 1.0), l1 = s->x[1][i] / l, l2 = (s->x[2][i] - l1 * l1) / l;
    const double dl = ds->x[0][i] / l, dl1 = (ds->x[1][i] - l1 * dl) / l;
    return (ds->x[2][i] - 2.0 * l1 * dl1 - l2 * dl) / l;
}

/* Of a = atan2(Y, X): R a' = X Y' - Y X', R a'' + R' a' = X Y'' - Y X'', R = X^2 + Y^2 */
static double angle_slope(const levels *X, const levels *dX, const levels *Y, const levels *dY, int i)
{
    const double x = X->x[0][i], x1 = X->x[1][i], x2 = X->x[2][i], y = Y->x[0][i], y1 = Y->x[1][i], y2 = Y->x[2][i];
    const double dx = dX->x[0][i], dx1 = dX->x[1][i], dx2 = dX->x[2][i], dy = dY->x[0][i], dy1 = dY->x[1][i],
                 dy2 = dY->x[2][i];
    const double R = x * x + y * y, R1 = 2.0 * (x * x1 + y * y1), dR = 2.0 * (x * dx + y * dy);
    const double a1 = (x * y1 - y * x1) / R, a2 = (x * y2 - y * x2 - R1 * a1) / R;
    const double da1 = (dx * y1 + x * dy1 - dy * x1 - y * dx1 - dR * a1) / R;
    const double dR1 = 2.0 * (dx * x1 + x * dx1 + dy * y1 + y * dy1);
    return (dx * y2 + x * dy2 - dy * x2 - y * dx2 - R1 * da1 - dR1 * a1 - dR * a2) / R;
}

/* D (nrows x 6): derivative of acc of a joint with lengths and angles with respect to the place of a body. */
static void composed_derivative(double *D, const mb_constraint *c, mb_instance *m, int body, const dal_point *at)
{
    mb_constraint product[PRODUCTS];
    levels y[PRODUCTS] = {{{{0.0}}}};
    for (int p = 0; p < PRODUCTS; ++p) {
        product[p] = products_of(c, p);
        levels_at(&y[p], &product[p], m, at);
    }
    for (int k = 0; k < 6; ++k) {
        levels dy[PRODUCTS] = {{{{0.0}}}};
        for (int p = 0; p < PRODUCTS; ++p) {
            levels_by(&dy[p], &product[p], m, body, k, at);
        }
        for (int i = 0; i < c->nrows; ++i) {
            const mb_row *r = i < c->npoint ? NULL : &c->row[i - c->npoint];
            D[i + k * c->nrows] = !r || !is_composed(r) ? dy[PRODUCT_X].x[2][i]
                                  : r->type == &mb_row_length
                                      ? length_slope(&y[PRODUCT_X], &dy[PRODUCT_X], i)
                                      : angle_slope(&y[PRODUCT_X], &dy[PRODUCT_X], &y[PRODUCT_Y], &dy[PRODUCT_Y], i);
            if (r && r->type == &mb_row_screw) {
                D[i + k * c->nrows] = dy[PRODUCT_AXIS].x[2][i] - r->c * D[i + k * c->nrows];
            }
        }
    }
}

/* Are its rows products, lengths and angles? */
static int is_joint_of_products(const mb_constraint *c)
{
    int yes = c->type == &mb_constraint_joint;
    for (int k = 0; k < c->nscalar && yes; ++k) {
        const mb_row_type *row = c->row[k].type;
        yes = row == &mb_row_dot || row == &mb_row_axis || row == &mb_row_square || row == &mb_row_spin ||
              is_composed(&c->row[k]);
    }
    return yes;
}

/* ---- all rows --------------------------------------------------------------------------------- */

/* D (nrows x 6): derivative of acc with respect to the position, velocity or acceleration of a body; sharp: what is not exact by six
 * values, relative error 1e-13 where the rows are smooth. */
static void derivative(double *D, const mb_constraint *c, mb_instance *m, int body, int what, const dal_point *at,
                       int sharp)
{
    static const double weights[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0}, half = 0.5,
                        quarter_turn = 1.5707963267948966;
    const int exact = what != MB_BY_POSITION || is_product(c), n = sharp && !exact ? 3 : 1;
    const double *weight = n == 3 ? weights : &half, span = what == MB_BY_POSITION ? span_of(c, m) : 1.0;
    for (int k = 0; k < 6; ++k) {
        double column[MB_ROWS_MAX] = {0.0};
        const int turns = what == MB_BY_POSITION && k >= 3;
        const double h = exact ? (turns ? 1.0 : span) : sharp ? 4e-3 * (turns ? 1.0 : span) : eps;
        const double by = exact && turns ? quarter_turn : h; // the sine there is 1
        for (int j = 1; j <= n; ++j) {
            double plus[MB_ROWS_MAX] = {0.0}, minus[MB_ROWS_MAX] = {0.0};
            changed(plus, c, m, body, what, k, j * by, at);
            changed(minus, c, m, body, what, k, -j * by, at);
            for (int i = 0; i < c->nrows; ++i) {
                column[i] += weight[j - 1] * (plus[i] - minus[i]) / h;
            }
        }
        dal_copy(D + k * c->nrows, column, c->nrows);
    }
}

/* Is the body of side k the body of an earlier side as well? */
static int seen_before(const mb_constraint *c, int k)
{
    for (int i = 0; i < k; ++i) {
        if (c->body[i] == c->body[k]) {
            return 1;
        }
    }
    return 0;
}

void mb_row_accelerations(const void *constraint, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_constraint *c = constraint;
    const int sharp = (sink->wants & DAL_WANT_SHARP) != 0;
    double Aq[MB_ROWS_MAX * 6], Av[MB_ROWS_MAX * 6], Aa[MB_ROWS_MAX * 6] = {0.0};
    for (int k = 0; k < c->nsides; ++k) {
        if (c->body[k] == 0 || seen_before(c, k)) {
            continue;
        }
        if (sharp && !is_product(c) && is_joint_of_products(c)) {
            composed_derivative(Aq, c, m, c->body[k], at);
        } else {
            derivative(Aq, c, m, c->body[k], MB_BY_POSITION, at, sharp);
        }
        derivative(Av, c, m, c->body[k], MB_BY_VELOCITY, at, sharp);
        if (!m->body[c->body[k]].type->constant) {
            derivative(Aa, c, m, c->body[k], MB_BY_ACCELERATION, at, sharp);
        }
        mb_push_link_acc(m, sink, c->body[k], c->link[k], Aq, Av, Aa, c->nrows);
    }
}
