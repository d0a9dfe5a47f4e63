/* Following a prescribed motion (KI.1): predictor from v and v', corrector by projection on all rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/driven_impl.h"
#include "analysis/pencil.h"
#include "base/message.h"
#include "base/vector.h"
#include "init/initial.h"
#include "linearize/linearization.h"
#include "linsol/subspace.h"
#include "projection/assemble.h"
#include "system/data.h"

/* Rotation of one step, rad, and how far the corrector may move what was predicted. */
static const double turn_limit = 0.3, correction = 0.25;

/* ---- parts ------------------------------------------------------------------------------------ */

dal_status dal_kin_part_init(dal_driven *k, kin_part *part, const int *gone)
{
    DAL_TRY(dal_reduction_create_rows(&part->red, k->ctx, k->sys, k->data, gone));
    DAL_TRY(dal_eval_create(&part->ev, k->ctx, dal_reduction_system(part->red), k->data));
    DAL_TRY(dal_saddle_create(&part->saddle, k->ctx, part->ev, DAL_LINSOL_AUTO));
    part->saddle->reduced = 1;
    return DAL_OK;
}

void dal_kin_part_release(kin_part *part)
{
    dal_saddle_destroy(part->saddle);
    dal_eval_destroy(part->ev);
    dal_reduction_destroy(part->red);
    *part = (kin_part){0};
}

/* ---- creation --------------------------------------------------------------------------------- */

static void carve(dal_driven *k, dal_arena *arena)
{
    double **of_q[] = {&k->q, &k->q1}, **of_v[] = {&k->v, &k->vd, &k->v1, &k->theta};
    double **of_rows[] = {&k->la, &k->la1, &k->rows, &k->target};
    for (int i = 0; i < 2; ++i) {
        *of_q[i] = dal_arena_reals(arena, k->nq);
    }
    for (int i = 0; i < 4; ++i) {
        *of_v[i] = dal_arena_reals(arena, k->nv);
        *of_rows[i] = dal_arena_reals(arena, k->nc);
    }
    k->zero = dal_arena_reals(arena, k->nv > k->nc ? k->nv : k->nc);
    k->gone = dal_arena_ints(arena, k->nc);
    k->scratch = dal_arena_ints(arena, k->nc);
    k->number = dal_arena_ints(arena, k->nc);
    k->ignored = dal_arena_ints(arena, k->nc);
}

/* The contact whose friction alone a block of rows is, that of a brake; -1: it is another one. */
static int brake_of(const dal_system *sys, int block)
{
    for (int i = 0; i < sys->contacts.n; ++i) {
        if (sys->contacts.contact[i].normal < 0 && sys->contacts.contact[i].tangent == block) {
            return i;
        }
    }
    return -1;
}

static dal_status refuse_follower(const dal_driven *k, int brake)
{
    char name[96];
    k->sys->contacts.name(name, sizeof name, brake, k->sys->user);
    return dal_fail(
        k->ctx, DAL_EINVAL,
        "driven motion: the friction of '%s' follows the reactions, which are not known before it. Leave it "
        "out (--without %s), or use a run",
        name, name);
}

static dal_status check_rows(dal_driven *k, const dal_driven_spec *spec)
{
    for (int c = 0; c < k->sys->nconstraints; ++c) {
        const int brake = brake_of(k->sys, c);
        if (brake >= 0) {
            dal_contact_law law;
            k->sys->contacts.law(&law, brake, k->sys->user, k->data->work);
            DAL_TRY(law.follows ? refuse_follower(k, brake) : DAL_OK);
        } else if (k->sys->constraint[c].kind == DAL_ROWS_VELOCITY) {
            return dal_fail(k->ctx, DAL_EINVAL,
                            "driven motion: the system has rows on velocities (rolling, control): its "
                            "position does not follow from the drive alone. Use a run");
        }
    }
    for (int i = 0; i < k->nv; ++i) {
        if (dal_is_state(k->sys, i)) {
            char name[96] = "one";
            if (k->sys->names.velocity) {
                k->sys->names.velocity(name, sizeof name, i, k->sys->user);
            }
            return dal_fail(k->ctx, DAL_EINVAL,
                            "driven motion: the system has states of first order (%s), which only a run follows: their "
                            "values do not follow from the drive. Leave them out, or use a run",
                            name);
        }
    }
    k->drive = spec->drive - 1;
    k->nignored = spec->nignored;
    if (k->drive >= k->nc || k->drive < -1) {
        return dal_fail(k->ctx, DAL_EINVAL, "driven motion: there is no row %d to drive", k->drive);
    }
    for (int i = 0; i < spec->nignored; ++i) {
        if (spec->ignored[i] < 0 || spec->ignored[i] >= k->nc) {
            return dal_fail(k->ctx, DAL_EINVAL, "driven motion: there is no row %d to ignore", spec->ignored[i]);
        }
        k->gone[spec->ignored[i]] = k->ignored[spec->ignored[i]] = 1;
    }
    return DAL_OK;
}

dal_status dal_kin_redundant(dal_driven *k, int *gone, const kin_part *part)
{
    dal_reduction *red;
    DAL_TRY(dal_reduction_create_with(&red, k->ctx, part->ev->sys, k->data, k->t, k->q, 0.0));
    for (int r = 0, n = 0; r < k->nc; ++r) {
        if (!gone[r]) {
            k->number[n++] = r;
        }
    }
    for (int i = 0; i < dal_reduction_count(red); ++i) {
        gone[k->number[dal_reduction_rows(red)[i]]] = 1;
    }
    dal_reduction_destroy(red);
    return DAL_OK;
}

/* Velocities that would determine the others: of the motions that the rows allow (n x f, destroyed) the largest component is
 * named, it is taken out of the others, and so on. */
static void name_freedoms(const dal_driven *k, char *names, size_t size, double *N, int f)
{
    const int n = k->nv;
    size_t used = 0;
    for (int a = 0; a < f && used + 100 < size; ++a) {
        int row = 0, column = a;
        for (int j = a; j < f; ++j) {
            for (int i = 0; i < n; ++i) {
                const int larger = fabs(N[dal_entry(i, j, n)]) > (1.0 + 1e-9) * fabs(N[dal_entry(row, column, n)]);
                row = larger ? i : row;
                column = larger ? j : column;
            }
        }
        for (int i = 0; i < n; ++i) {
            const double x = N[dal_entry(i, a, n)];
            N[dal_entry(i, a, n)] = N[dal_entry(i, column, n)];
            N[dal_entry(i, column, n)] = x;
        }
        for (int j = a + 1; j < f; ++j) {
            const double part = N[dal_entry(row, j, n)] / N[dal_entry(row, a, n)];
            for (int i = 0; i < n; ++i) {
                N[dal_entry(i, j, n)] -= part * N[dal_entry(i, a, n)];
            }
        }
        char name[80];
        dal_eval_velocity_name(k->driven.ev, name, sizeof name, row);
        used += (size_t)snprintf(names + used, size - used, "%s%s", a > 0 ? ", " : "", name);
    }
}

static dal_status freedoms_left(dal_driven *k, int count)
{
    dal_linearization *lin;
    dal_kernel *kernel = NULL;
    char names[400] = "";
    const dal_point at = {k->t, k->q, k->zero, k->zero, k->zero};
    DAL_TRY(dal_linearize_create_with(&lin, k->ctx, k->driven.ev, DAL_WANT_B));
    const dal_sparse *B = dal_linearize_matrix(lin, DAL_WANT_B);
    const size_t n = (size_t)k->nv;
    double *dense = dal_alloc_zero(k->ctx, ((size_t)B->nrows + n) * (n + 1) * sizeof *dense);
    if (!dense) {
        dal_linearize_destroy(lin);
        return dal_fail(k->ctx, DAL_ENOMEM, "no memory to find freedoms");
    }
    dal_status st = dal_linearize_at(lin, &at);
    for (int j = 0; st == DAL_OK && j < k->nv; ++j) {
        for (int e = B->colptr[j]; e < B->colptr[j + 1]; ++e) {
            dense[dal_entry(B->row[e], j, B->nrows)] = B->x[e];
        }
    }
    st = st == DAL_OK ? dal_kernel_create(&kernel, k->ctx, dense, B->nrows, k->nv, 1e-10) : st;
    if (st == DAL_OK) {
        double *N = dense + (size_t)B->nrows * (n + 1);
        const int f = k->nv - dal_kernel_rank(kernel);
        memcpy(N, dal_kernel_basis(kernel), n * (size_t)f * sizeof *N);
        name_freedoms(k, names, sizeof names, N, f);
    }
    dal_kernel_destroy(kernel);
    dal_free(k->ctx, dense);
    dal_linearize_destroy(lin);
    return st != DAL_OK
               ? st
               : dal_fail(k->ctx, DAL_EINVAL,
                          "the motion is not determined: %d freedom%s left, which drives on %s would take. Drive "
                          "%s as well, or use a run",
                          count, count > 1 ? "s are" : " is", names, count > 1 ? "them" : "it");
}

static dal_status dead_start(dal_driven *k)
{
    char name[96] = "the drive";
    if (k->sys->names.row) {
        k->sys->names.row(name, sizeof name, k->drive, k->sys->user);
    }
    return dal_fail(
        k->ctx, DAL_EINVAL,
        "the motion starts at a dead centre, a singular position: the drive (%s) stands still there while the "
        "mechanism can move on either way. Start from another position, or drive another coordinate",
        name);
}

static dal_status set_up(dal_driven *k, const dal_driven_spec *spec)
{
    k->nq = k->sys->group->nq;
    k->nv = k->sys->group->nv;
    k->nc = dal_system_rows(k->sys);
    carve(k, &k->arena);
    DAL_TRY(dal_arena_reserve(&k->arena));
    carve(k, &k->arena);
    if (!k->data) {
        DAL_TRY(dal_data_create(&k->own, k->ctx, k->sys));
        k->data = k->own;
    }
    DAL_TRY(check_rows(k, spec));
    k->t = spec->t;
    dal_copy(k->q, spec->q, k->nq);
    dal_normalise(k->sys->group, k->q);
    DAL_TRY(dal_data_accept(k->data, &(dal_point){k->t, k->q, k->zero, k->zero, k->zero}, DAL_MOMENT_START));
    kin_part all = {0};
    dal_status st = dal_kin_part_init(k, &all, k->gone);
    st = st == DAL_OK ? dal_assemble_with(k->ctx, all.ev->sys, k->data, k->q, NULL, k->t, NULL, 0, 1e-10) : st;
    st = st == DAL_OK ? dal_kin_redundant(k, k->gone, &all) : st;
    dal_kin_part_release(&all);
    DAL_TRY(st);
    DAL_TRY(dal_kin_part_init(k, &k->driven, k->gone));
    if (k->driven.ev->nc < k->nv) {
        int dead = 0;
        DAL_TRY(dal_kin_dead_start(k, &dead));
        return dead ? dead_start(k) : freedoms_left(k, k->nv - k->driven.ev->nc);
    }
    if (k->drive >= 0 && !k->gone[k->drive]) {
        memcpy(k->scratch, k->gone, (size_t)k->nc * sizeof *k->gone);
        k->scratch[k->drive] = 1;
        DAL_TRY(dal_kin_part_init(k, &k->loose, k->scratch));
    }
    DAL_TRY(dal_project_position(k->driven.saddle, k->q, NULL, k->t, 1e-10));
    return dal_kin_settle(k);
}

dal_status dal_driven_create_(dal_driven **out, dal_ctx *ctx, const dal_system *sys, dal_data *data,
                              const dal_driven_spec *spec, size_t size)
{
    DAL_NEED_AS(ctx, out, "driven");
    *out = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, sys);
    DAL_NEED(ctx, spec);
    DAL_OWN(ctx, dal_driven_spec, spec);
    DAL_NEED_AS(ctx, spec->q, "q");
    if (spec->nignored > 0) {
        DAL_NEED_AS(ctx, spec->ignored, "ignored");
    }
    DAL_TRY(dal_system_validate(ctx, sys));
    DAL_TRY(dal_state_check(ctx, sys, DAL_EINVAL, "given", spec->t, spec->q, NULL));
    dal_driven *k = dal_alloc_zero(ctx, sizeof *k);
    if (!k) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for a driven motion");
    }
    k->ctx = ctx;
    k->sys = sys;
    k->data = data;
    k->h = INFINITY;
    k->arena = dal_arena_init(ctx);
    const dal_status st = set_up(k, spec);
    if (st != DAL_OK) {
        dal_driven_destroy(k);
        return st;
    }
    *out = k;
    return DAL_OK;
}

void dal_driven_destroy(dal_driven *k)
{
    if (k) {
        dal_kin_part_release(&k->driven);
        dal_kin_part_release(&k->loose);
        dal_data_destroy(k->own);
        dal_arena_release(&k->arena);
        dal_free(k->ctx, k);
    }
}

/* ---- following -------------------------------------------------------------------------------- */

static double norm(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

/* Brakes slide with the motion. Where it stands still they may hold with any friction up to the largest: they are left out. */
static dal_status brake(dal_driven *k)
{
    const dal_system *sys = k->sys;
    const dal_contacts *contacts = &sys->contacts;
    const dal_residual out = {.Phi = k->target, .vel = k->rows};
    const double least = 1e-9 * dal_max_abs(k->v, k->nv);
    if (contacts->n == 0) {
        return DAL_OK;
    }
    DAL_TRY(contacts->residual(&out, &(dal_point){k->t, k->q, k->v, k->zero, k->zero}, sys->user, k->data->work));
    for (int c = 0, row = 0; c < sys->nconstraints; row += sys->constraint[c++].nrows) {
        const int i = brake_of(sys, c);
        if (i >= 0) {
            double *memory = k->data->memory + contacts->memory + (ptrdiff_t)DAL_CONTACT_MEMORY * i;
            const int n = sys->constraint[c].nrows;
            const double speed = norm(k->rows + row, n);
            memory[DAL_CONTACT_MODE] = speed > least ? DAL_CONTACT_SLIDING : DAL_CONTACT_IS_OPEN;
            for (int j = 0; j < n && speed > least; ++j) {
                memory[DAL_CONTACT_DIRECTION + j] = k->rows[row + j] / speed;
            }
        }
    }
    return DAL_OK;
}

dal_status dal_kin_settle(dal_driven *k)
{
    dal_saddle *s = k->driven.saddle;
    DAL_TRY(dal_project_velocity(s, k->v, NULL, k->t, k->q, NULL));
    DAL_TRY(brake(k));
    DAL_TRY(dal_initial_acceleration(s, k->vd, k->la1, k->t, k->q, k->v));
    const dal_point at = {k->t, k->q, k->v, k->vd, k->la1};
    DAL_TRY(dal_reduction_multipliers(k->driven.red, k->la, &at, k->nignored == 0));
    return dal_data_accept(k->data, &(dal_point){k->t, k->q, k->v, k->vd, k->la}, DAL_MOMENT_RESTART);
}

/* A failure that a shorter step may avoid. */
static int is_soft(dal_status st)
{
    return st > 0 || st == DAL_EREDUNDANT || st == DAL_ECALLBACK;
}

/* A step of dt or less; *taken: 0 if it did not succeed, then k->h is a shorter one. */
static dal_status follow_step(dal_driven *k, double dt, double t1, int *taken)
{
    *taken = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < k->nv; ++i) {
            k->theta[i] = dt * (k->v[i] + 0.5 * dt * k->vd[i]);
        }
        const double turn = dal_largest_turn(k->sys->group, k->theta);
        if (turn <= turn_limit) {
            break;
        }
        dt *= turn_limit / (1.1 * turn);
    }
    const int whole = k->t + dt == t1 || dt == t1 - k->t;
    const double t = whole ? t1 : k->t + dt;
    double moved = 0.0;
    dal_retract(k->sys->group, k->q1, k->q, k->theta);
    dal_status st = dal_project_position(k->driven.saddle, k->q1, &moved, t, 1e-10);
    if (st == DAL_OK && moved <= correction * norm(k->theta, k->nv) + 1e-8) {
        k->t = t;
        dal_copy(k->q, k->q1, k->nq);
        for (int i = 0; i < k->nv; ++i) {
            k->v[i] += dt * k->vd[i];
        }
        *taken = 1;
        k->h = 2.0 * fabs(dt);
        return dal_kin_settle(k);
    }
    k->h = 0.25 * fabs(dt);
    return st == DAL_OK || is_soft(st) ? DAL_OK : st;
}

dal_status dal_driven_to(dal_driven *k, double t)
{
    DAL_NEED(NULL, k);
    if (!isfinite(t)) {
        return dal_fail(k->ctx, DAL_EINVAL, "dal_driven_to: the time is not finite");
    }
    const double sign = t < k->t ? -1.0 : 1.0, start = k->t;
    dal_message kept;
    dal_message_keep(&kept, k->ctx);
    k->limit = 0;
    k->h = fmax(k->h, 1e-3 * fabs(t - k->t));
    while (k->t != t) {
        int taken;
        const double dt = fabs(t - k->t) <= k->h ? t - k->t : sign * k->h;
        const dal_status st = follow_step(k, dt, t, &taken);
        if (st != DAL_OK && !is_soft(st)) {
            return st;
        }
        if (st != DAL_OK || (!taken && k->h < 1e-7 * fmax(fabs(t - start), 1e-6 * fabs(t)))) {
            return dal_kin_find_limit(k, sign);
        }
    }
    return dal_message_settle(&kept, k->ctx, DAL_OK);
}

dal_point dal_driven_point(const dal_driven *k)
{
    return k ? (dal_point){k->t, k->q, k->v, k->vd, k->la} : (dal_point){0};
}

int dal_driven_limit(const dal_driven *k, char *direction, size_t size)
{
    if (direction && size > 0) {
        snprintf(direction, size, "%s", k && k->limit ? k->direction : "");
    }
    return k && k->limit;
}

dal_status dal_driven_zero(dal_driven *k, double *t, double ta, double tb, dal_driven_function f, void *user)
{
    DAL_NEED(NULL, k);
    DAL_NEED(k->ctx, t);
    if (!f) {
        return dal_null_argument(k->ctx, __func__, "f");
    }
    double fa, fb, fc = 0.0, tc = tb;
    DAL_TRY(dal_driven_to(k, ta));
    dal_point at = dal_driven_point(k);
    DAL_TRY(f(&fa, &at, user));
    DAL_TRY(dal_driven_to(k, tb));
    at = dal_driven_point(k);
    DAL_TRY(f(&fb, &at, user));
    if (fa * fb > 0.0) {
        return dal_fail(k->ctx, DAL_EINVAL, "dal_driven_zero: the function has the same sign at %g and %g", ta, tb);
    }
    const double small = 1e-15 * fmax(fabs(ta), fabs(tb)), size = fmax(fabs(fa), fabs(fb));
    int side = 0;
    // regula falsi, the end that stays twice weighted half
    for (int it = 0; it < 100 && fabs(tb - ta) > small && fa != 0.0 && fb != 0.0; ++it) {
        tc = (ta * fb - tb * fa) / (fb - fa);
        DAL_TRY(dal_driven_to(k, tc));
        at = dal_driven_point(k);
        DAL_TRY(f(&fc, &at, user));
        if (fabs(fc) <= 1e-15 * size) {
            break;
        }
        const int left = fc * fa > 0.0;
        double *other = left ? &fb : &fa;
        *other *= side == (left ? 1 : -1) ? 0.5 : 1.0;
        side = left ? 1 : -1;
        *(left ? &ta : &tb) = tc;
        *(left ? &fa : &fb) = fc;
    }
    *t = fa == 0.0 ? ta : fb == 0.0 ? tb : tc;
    return dal_driven_to(k, *t);
}
