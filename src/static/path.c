/* A path of equilibria over a parameter: predictor along the tangent, corrector across it or at a given displacement, so that it
 * goes on where the parameter turns back (ST.6). Limits and bifurcations are located. */
#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/vector.h"
#include "static/static_impl.h"

enum { STEPS = 20, POINTS = 400, CORRECTIONS = 12, SEARCHES = 60, PIECES = 8 };
/* Rotation of a prediction and of a correction at most, rad. */
static const double predicted_turn = 0.3, corrected_turn = 0.5;
/* By how much the path may turn in a step, rad. */
static const double path_turn = 0.3;
/* Steps of this part of the first one, and smaller, lead nowhere. */
static const double smallest = 1e-6;

const char *dal_path_kind_name(dal_path_kind kind)
{
    static const char *const name[] = {"point", "limit", "bifurcation"};
    return kind >= DAL_PATH_POINT && kind <= DAL_PATH_BIFURCATION ? name[kind] : "";
}

typedef struct path {
    statics s;
    const dal_path_spec *spec;
    double span;           /* to - from */
    double p, p_kept;      /* parameter; where the present step began */
    double *f;             /* nv + nc: d(r, Phi)/dp */
    double *side;          /* nv + nc: -A^-1 f */
    double *t, *t_kept;    /* nv + nc: tangent, of length 1 */
    double *bend;          /* nv + nc: how it changes along the path */
    double tp, tp_kept;    /* its part along p */
    double bend_p;         /* likewise */
    double *c;             /* nv: what corrections are held against: c.d + cp dp = 0 */
    double cp;             /* likewise */
    double sign;           /* in which direction the controlled displacement goes; 0: arc length */
    double step, step_max; /* along the path */
    double arc;            /* so far */
    int reached, points;
    dal_static_report at, before; /* at the present and at the last point */
    dal_arena arena;
} path;

static void carve(path *k)
{
    const int n = k->s.nv + k->s.nc;
    double **list[] = {&k->f, &k->side, &k->t, &k->t_kept, &k->bend, &k->c};
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
        *list[i] = dal_arena_reals(&k->arena, n);
    }
}

/* ---- linear algebra --------------------------------------------------------------------------- */

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* Scalar product of displacements in units, those of a body counting as one */
static double product(const path *k, const double *a, const double *b)
{
    const statics *s = &k->s;
    double sum = 0.0;
    for (int i = 0; i < s->nv; ++i) {
        sum += a[i] * b[i] * s->ev->per_unit[i] * s->ev->per_unit[i];
    }
    return 6.0 * sum / fmax(6.0, s->nv);
}

static dal_status set(path *k, double p)
{
    return k->spec->set(p, k->spec->user);
}

/* r and Phi at p, into x */
static dal_status forces(path *k, double *x, double p)
{
    statics *s = &k->s;
    DAL_TRY(set(k, p));
    DAL_TRY(dal_statics_evaluate(s));
    dal_copy(x, s->r, s->nv);
    dal_copy(x + s->nv, s->Phi, s->nc);
    return DAL_OK;
}

/* f by central differences, and the factors of A; s->r, s->Phi are those at p afterwards. */
static dal_status prepare_solve(path *k)
{
    statics *s = &k->s;
    const int n = s->nv + s->nc;
    const double h = 1e-4 * fabs(k->span);
    DAL_TRY(forces(k, k->f, k->p + h));
    DAL_TRY(forces(k, k->side, k->p - h));
    for (int i = 0; i < n; ++i) {
        k->f[i] = (k->f[i] - k->side[i]) / (2.0 * h);
        k->side[i] = -k->f[i];
    }
    DAL_TRY(set(k, k->p));
    DAL_TRY(dal_statics_evaluate(s));
    dal_status st = dal_statics_factor(s, 0.0);
    for (double part = 1e-14; st == DAL_SINGULAR && part < 1e-10; part *= 10.0) { // a limit or bifurcation itself
        st = dal_statics_factor(s, part * s->kmax);
    }
    DAL_TRY(st);
    dal_linsol_solve_refined(s->matrix.ls, k->side);
    return DAL_OK;
}

/* The correction [A f; c^T cp]^-1 (-r, -Phi, 0) by elimination of the border, as much of it as keeps rotations within bounds.
 * Returns its size. */
static dal_status correct(path *k, double *size)
{
    statics *s = &k->s;
    DAL_TRY(prepare_solve(k));
    for (int i = 0; i < s->nv; ++i) {
        s->x[i] = -s->r[i];
    }
    for (int i = 0; i < s->nc; ++i) {
        s->x[s->nv + i] = -s->Phi[i];
    }
    dal_linsol_solve_refined(s->matrix.ls, s->x);
    const double dp = -dot(k->c, s->x, s->nv) / (k->cp + dot(k->c, k->side, s->nv));
    for (int i = 0; i < s->nv + s->nc; ++i) {
        s->x[i] += dp * k->side[i];
    }
    *size = sqrt(product(k, s->x, s->x)) + fabs(dp / k->span);
    const double turn = dal_largest_turn(s->ev->G, s->x), part = turn > corrected_turn ? corrected_turn / turn : 1.0;
    dal_statics_step(s, part);
    k->p += part * dp;
    return isfinite(*size) ? dal_statics_accept(s, DAL_MOMENT_RESTART) : DAL_NOCONV;
}

/* The tangent, on in the direction of the last one. */
static dal_status find_tangent(path *k)
{
    const statics *s = &k->s;
    const int n = s->nv + s->nc;
    DAL_TRY(prepare_solve(k));
    const double length = sqrt(product(k, k->side, k->side) + 1.0 / (k->span * k->span));
    double along = k->cp + dot(k->c, k->side, s->nv);
    along = along < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < n; ++i) {
        k->t[i] = along * k->side[i] / length;
    }
    k->tp = along / length;
    return DAL_OK;
}

/* Corrections are held against a displacement, or against the tangent. */
static void hold(path *k)
{
    const statics *s = &k->s;
    dal_zero(k->c, s->nv);
    if (k->spec->control > 0) {
        const int i = k->spec->control - 1;
        k->sign = k->sign != 0.0 ? k->sign : k->t[i] < 0.0 ? -1.0 : 1.0;
        k->c[i] = k->sign;
        k->cp = 0.0;
        return;
    }
    for (int i = 0; i < s->nv; ++i) {
        k->c[i] = 6.0 / fmax(6.0, s->nv) * k->t[i] * s->ev->per_unit[i] * s->ev->per_unit[i];
    }
    k->cp = k->tp / (k->span * k->span);
}

/* ---- steps ------------------------------------------------------------------------------------ */

static dal_status converge(path *k)
{
    double size = 1.0;
    for (int i = 0, good = 0; i < CORRECTIONS; ++i) {
        const double before = size;
        DAL_TRY(correct(k, &size));
        // rounding, or twice what counts as balanced: the last digits gain by it
        good += size < 1e-8;
        if (good > 0 && (good > 1 || size < 1e-12 || size > before)) {
            k->s.step = i;
            return DAL_OK;
        }
        if (i > 2 && size > before) { // the second may be larger than the first; later they lead astray
            break;
        }
    }
    return DAL_NOCONV;
}

static void keep(path *k)
{
    const int n = k->s.nv + k->s.nc;
    dal_statics_keep(&k->s);
    dal_copy(k->t_kept, k->t, n);
    k->tp_kept = k->tp;
    k->p_kept = k->p;
    k->before = k->at;
}

/* To the point of the path at a distance from the last one, with its tangent, in so many pieces. Without the bend, a prediction
 * stretches slender bodies, and their tension is in the matrix: close to a limit it turns corrections round. */
static dal_status walk(path *k, double distance, int pieces)
{
    statics *s = &k->s;
    const int n = s->nv + s->nc;
    const double piece = distance / pieces;
    dal_statics_go_back(s);
    dal_copy(k->t, k->t_kept, n);
    k->tp = k->tp_kept;
    k->p = k->p_kept;
    for (int j = 0; j < pieces; ++j) {
        hold(k);
        for (int i = 0; i < n; ++i) {
            s->x[i] = k->t[i] + 0.5 * piece * k->bend[i];
        }
        dal_statics_step(s, piece);
        k->p += piece * (k->tp + 0.5 * piece * k->bend_p);
        DAL_TRY(dal_statics_accept(s, DAL_MOMENT_RESTART));
        DAL_TRY(converge(k));
        DAL_TRY(find_tangent(k));
    }
    return DAL_OK;
}

/* The same between two points of the path: in shorter pieces where one is too long. */
static dal_status go(path *k, double distance)
{
    dal_status st = DAL_NOCONV;
    for (int pieces = 1; pieces <= PIECES && (st == DAL_NOCONV || st == DAL_SINGULAR); pieces *= 2) {
        st = walk(k, distance, pieces);
    }
    if (st == DAL_NOCONV || st == DAL_SINGULAR) {
        return dal_fail(
            k->s.ctx, DAL_NOCONV,
            "the path of equilibria: no equilibrium is found between two that were, close to the value %.9g of "
            "the parameter; shorter steps may help (the first is 1/%d of the range)",
            k->p_kept, k->spec->steps > 0 ? k->spec->steps : STEPS);
    }
    return st;
}

/* How the tangent has changed within a step that has been made */
static void find_bend(path *k, double step)
{
    const int n = k->s.nv + k->s.nc;
    for (int i = 0; i < n; ++i) {
        k->bend[i] = (k->t[i] - k->t_kept[i]) / step;
    }
    k->bend_p = (k->tp - k->tp_kept) / step;
}

static dal_status judge(path *k)
{
    k->at = (dal_static_report){.converged = 1, .lowest.stiffness = NAN};
    DAL_TRY(dal_statics_evaluate(&k->s));
    k->at.iterations = k->s.iterations;
    k->at.residual = dal_max_abs(k->s.r, k->s.nv);
    k->at.relative = k->s.F > 0.0 ? k->at.residual / k->s.F : 0.0;
    return dal_statics_judge(&k->s, &k->at);
}

/* ---- what is looked for between two points ---------------------------------------------------- */

typedef dal_status (*watched)(path *k, double *value, double distance);

static dal_status slope(path *k, double *value, double distance)
{
    DAL_TRY(go(k, distance));
    *value = k->tp * k->span;
    return DAL_OK;
}

static dal_status rest(path *k, double *value, double distance)
{
    DAL_TRY(go(k, distance));
    *value = (k->p - k->spec->to) / k->span;
    return DAL_OK;
}

/* The stiffness that changes its sign between two points with different numbers of negative ones. */
static dal_status softest(path *k, double *value, double distance)
{
    const int fewer = k->before.nnegative;
    DAL_TRY(go(k, distance));
    DAL_TRY(judge(k));
    const dal_static_report *r = &k->at;
    *value = isnan(r->lowest.stiffness) ? 0.0 : r->lowest.stiffness;
    if (r->nnegative > fewer) {
        double least = -INFINITY;
        for (int i = 0; i < r->nnegative && i < DAL_STATIC_DIRECTIONS; ++i) {
            least = fmax(least, r->negative[i].stiffness);
        }
        *value = least;
    } else if (r->nindifferent > 0 && k->before.nindifferent == 0) {
        // so near to zero that it counts as none, but with its sign
        *value = r->indifferent[0].stiffness;
    }
    return DAL_OK;
}

/* The zero of what is watched, from a to b where it has the values fa and fb: secants and halves. */
static dal_status locate(path *k, watched what, double *at, double b, double fa, double fb)
{
    double a = 0.0;
    const double whole = b, size = fmax(fabs(fa), fabs(fb));
    for (int i = 0; i < SEARCHES && b - a > 1e-11 * whole; ++i) {
        double f, x = i % 3 == 2 ? 0.5 * (a + b) : a - fa * (b - a) / (fb - fa);
        x = x > a && x < b ? x : 0.5 * (a + b);
        DAL_TRY(what(k, &f, x));
        *at = x;
        if (fabs(f) <= 1e-10 * size) {
            return DAL_OK;
        }
        if ((f < 0.0) == (fa < 0.0)) {
            a = x;
            fa = f;
        } else {
            b = x;
            fb = f;
        }
    }
    double f;
    *at = 0.5 * (a + b);
    return what(k, &f, *at);
}

/* ---- the path --------------------------------------------------------------------------------- */

/* Show the present point. */
static dal_status visit(path *k, dal_path_kind kind, double distance)
{
    statics *s = &k->s;
    dal_static_report report = k->at;
    DAL_TRY(dal_statics_finish(s, NULL, &report));
    k->points += kind == DAL_PATH_POINT;
    const dal_path_point at = {kind, k->p, k->arc + distance, s->q, s->v, s->la1, &report};
    return k->spec->visit ? k->spec->visit(&at, k->spec->user) : DAL_OK;
}

/* To a point that has been found, with its stability and its tangent. */
static dal_status stand(path *k, double distance)
{
    double f;
    DAL_TRY(slope(k, &f, distance));
    DAL_TRY(judge(k));
    return find_tangent(k);
}

static dal_status arrive(path *k, double step, int *ended);

static dal_status find_limit(path *k, double step, int *ended)
{
    const double fa = k->tp_kept * k->span, fb = k->tp * k->span;
    double at = 0.0;
    DAL_TRY(locate(k, slope, &at, step, fa, fb));
    if ((k->p - k->spec->to) / k->span >= 0.0) { // it has been there before
        return arrive(k, at, ended);
    }
    DAL_TRY(judge(k));
    *ended = (k->spec->until >> DAL_PATH_LIMIT & 1U) != 0;
    return visit(k, DAL_PATH_LIMIT, at);
}

/* more: negative stiffnesses than before */
static dal_status find_bifurcation(path *k, double step, int more, int *ended)
{
    double at = 0.0, fa, fb;
    k->before.nnegative += more > 0 ? 0 : more;
    DAL_TRY(softest(k, &fa, 0.0));
    DAL_TRY(softest(k, &fb, step));
    if (!(fa * fb < 0.0)) {
        return DAL_OK;
    }
    DAL_TRY(locate(k, softest, &at, step, fa, fb));
    *ended = (k->spec->until >> DAL_PATH_BIFURCATION & 1U) != 0;
    return visit(k, DAL_PATH_BIFURCATION, at);
}

/* Limits and bifurcations of the step that has just been made; *ended: one that the path ends at. */
static dal_status find_events(path *k, double step, int *ended)
{
    if (k->tp * k->tp_kept >= 0.0 && k->at.nnegative == k->before.nnegative) {
        return DAL_OK;
    }
    DAL_TRY(stand(k, step)); // with the bend of this step, as all that is looked for
    const int turned = k->tp * k->tp_kept < 0.0, more = k->at.nnegative - k->before.nnegative;
    DAL_TRY(turned ? find_limit(k, step, ended) : DAL_OK);
    if (abs(more) > turned && !*ended) {
        DAL_TRY(find_bifurcation(k, step, more, ended));
    }
    return (turned || more != 0) && !*ended ? stand(k, step) : DAL_OK;
}

/* The last point, at `to` itself. */
static dal_status arrive(path *k, double step, int *ended)
{
    double at = step, fb;
    const double fa = (k->p_kept - k->spec->to) / k->span;
    DAL_TRY(rest(k, &fb, step)); // with the bend of this step
    DAL_TRY(fb > 0.0 ? locate(k, rest, &at, step, fa, fb) : DAL_OK);
    DAL_TRY(judge(k));
    DAL_TRY(find_tangent(k));
    DAL_TRY(find_events(k, at, ended));
    if (*ended) {
        return DAL_OK;
    }
    k->p = k->spec->to;
    dal_zero(k->c, k->s.nv);
    k->cp = 1.0;
    DAL_TRY(converge(k));
    DAL_TRY(judge(k));
    k->reached = *ended = 1;
    k->arc += at;
    return visit(k, DAL_PATH_POINT, 0.0);
}

/* The angle between the tangents at both ends of a step, rad */
static double bent(const path *k)
{
    const double between = product(k, k->t, k->t_kept) + k->tp * k->tp_kept / (k->span * k->span);
    return acos(fmin(1.0, fmax(-1.0, between)));
}

/* One step, as large as it may be. */
static dal_status advance(path *k, int *ended)
{
    const double first = k->step_max;
    const double turn = dal_largest_turn(k->s.ev->G, k->t);
    double turned = 0.0;
    keep(k);
    k->step = fmin(k->step, turn > 0.0 ? predicted_turn / turn : k->step);
    for (;;) {
        const dal_status st = walk(k, k->step, 1);
        const double angle = st == DAL_OK ? bent(k) : 0.0;
        if (st == DAL_OK && (k->spec->control > 0 || angle < 2.0 * path_turn)) {
            turned = angle;
            break;
        }
        if (st < 0 && st != DAL_ECALLBACK) {
            return st;
        }
        k->step *= 0.4;
        if (k->step < smallest * first) {
            dal_statics_go_back(&k->s);
            k->p = k->p_kept;
            return dal_fail(k->s.ctx, DAL_NOCONV,
                            "the path of equilibria cannot be followed beyond the value %.9g of the parameter%s", k->p,
                            k->spec->control > 0
                                ? ": the displacement that was to grow turns back there; without it the "
                                  "length of the path does"
                                : "");
        }
    }
    const double made = k->step, quick = k->s.step;
    find_bend(k, made);
    if ((k->p - k->spec->to) / k->span >= 0.0) {
        return arrive(k, made, ended);
    }
    DAL_TRY(judge(k));
    DAL_TRY(find_tangent(k)); // the factors are those of the path again
    DAL_TRY(find_events(k, made, ended));
    k->arc += made;
    k->step = fmin(k->step_max, made * fmin(quick <= 3.0 ? 1.5 : quick > 6.0 ? 0.6 : 1.0, path_turn / turned));
    return *ended ? DAL_OK : visit(k, DAL_PATH_POINT, 0.0);
}

static dal_status follow(path *k)
{
    int ended = 0;
    const int most = k->spec->points > 0 ? k->spec->points : POINTS;
    k->s.sharp = STATIC_SHARP;
    k->p = k->spec->from;
    k->cp = k->span > 0.0 ? 1.0 : -1.0;
    DAL_TRY(judge(k));
    DAL_TRY(find_tangent(k));
    DAL_TRY(visit(k, DAL_PATH_POINT, 0.0));
    k->step = fabs(k->span / k->tp) / (k->spec->steps > 0 ? k->spec->steps : STEPS);
    k->step_max = 4.0 * k->step;
    while (!ended && k->points < most) {
        DAL_TRY(advance(k, &ended));
    }
    return DAL_OK;
}

dal_status dal_static_path_(dal_ctx *ctx, const dal_system *sys, dal_data *data, double *q, double *v,
                            dal_path_info *info, const dal_path_spec *spec, size_t size)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, sys);
    DAL_NEED(ctx, data);
    DAL_NEED(ctx, q);
    DAL_NEED(ctx, spec);
    DAL_OWN(ctx, dal_path_spec, spec);
    if (dal_data_system(data) != sys) {
        return dal_fail(ctx, DAL_EINVAL, "dal_static_path: the data belong to another system");
    }
    if (!spec->set || !isfinite(spec->from) || !isfinite(spec->to) || spec->from == spec->to || spec->control < 0 ||
        spec->control > sys->group->nv || spec->points < 0 || spec->steps < 0) {
        return dal_fail(ctx, DAL_EINVAL,
                        "dal_static_path: from = %g, to = %g, control = %d: two numbers that differ, a function that "
                        "sets the parameter, a velocity of the %d or 0",
                        spec->from, spec->to, spec->control, sys->group->nv);
    }
    path k = {.spec = spec, .span = spec->to - spec->from, .arena = dal_arena_init(ctx)};
    dal_message kept;
    dal_message_keep(&kept, ctx);
    const dal_static_options opt = {.nearest = 1};
    k.s = (statics){.ctx = ctx, .sys = sys, .data = data, .t = spec->t};
    dal_status st = set(&k, spec->from);
    st = st == DAL_OK ? dal_statics_open(&k.s, &k.at, q, v, &opt) : st;
    if (st == DAL_OK) {
        carve(&k);
        st = dal_arena_reserve(&k.arena);
        carve(&k);
    }
    st = st == DAL_OK ? follow(&k) : st;
    if (k.s.q) {
        dal_copy(q, k.s.q, k.s.nq);
    }
    if (info) {
        *info = (dal_path_info){k.reached, k.points, k.s.iterations, k.p};
    }
    dal_statics_close(&k.s);
    dal_arena_release(&k.arena);
    return dal_message_settle(&kept, ctx, st);
}
