/* Captured impacts: a step knows no contact; at its end velocities jump, by impulses that obey the laws of impact and friction, the
 * place follows by half of what that changes, and what overlaps still is moved apart (CT.30). */
#include "sim/captured_impl.h"

#include <math.h>
#include <string.h>

#include "base/message.h"
#include "base/vector.h"
#include "projection/projection.h"
#include "system/mask.h"

/* ---- creation --------------------------------------------------------------------------------- */

static void carve(dal_sim *sim, sim_captured *c, dal_arena *arena)
{
    const dal_system *sys = sim->sys;
    const int nv = sys->group->nv, nf = sys->group->nfactors, rows = dal_system_rows(sys);
    c->cluster = dal_arena_ints(arena, nv);
    c->place = dal_arena_ints(arena, nv);
    c->saddled = dal_arena_ints(arena, nf);
    c->mass = dal_arena_ints(arena, nf);
    c->net.start = dal_arena_ints(arena, nf + 1);
    c->joined = dal_arena_ints(arena, sys->nconstraints);
    c->block_of = dal_arena_ints(arena, sys->nconstraints + c->n);
    c->rows = dal_arena_take(arena, (size_t)c->n, sizeof(contact_rows));
    c->net.x = dal_arena_reals(arena, nv);
    c->M = dal_arena_reals(arena, 12 * nv); // clusters of up to 12 velocities
    c->q = dal_arena_reals(arena, sys->group->nq);
    c->q_work = dal_arena_reals(arena, sys->group->nq);
    c->v = dal_arena_reals(arena, nv);
    c->dv = dal_arena_reals(arena, nv);
    c->Phi = dal_arena_reals(arena, rows);
    c->vel = dal_arena_reals(arena, rows);
    c->vel0 = dal_arena_reals(arena, rows);
    c->extra = dal_arena_reals(arena, rows);
    c->columns = dal_arena_reals(arena, (nv + rows) * CAPTURED_BATCH);
}

dal_status dal_sim_captured_create(dal_sim *sim, sim_captured **out)
{
    const dal_contacts *contacts = &sim->sys->contacts;
    sim_captured *c = *out = dal_alloc_zero(sim->ctx, sizeof *c);
    if (!c) {
        return dal_fail(sim->ctx, DAL_ENOMEM, "no memory for contacts");
    }
    c->net.ctx = sim->ctx;
    c->n = contacts->n;
    c->stale = 1;
    c->arena = dal_arena_init(sim->ctx);
    carve(sim, c, &c->arena);
    DAL_TRY(dal_arena_reserve(&c->arena));
    carve(sim, c, &c->arena);
    for (int k = 0; k < sim->sys->nconstraints; ++k) {
        c->block_of[k] = -1;
    }
    for (int k = 0; k < c->n; ++k) {
        c->rows[k] = dal_contact_rows_of(sim->sys, k);
        if (dal_contact_law_of(sim, k).follows) {
            char name[96];
            sim->sys->contacts.name(name, sizeof name, k, sim->sys->user);
            return dal_fail(sim->ctx, DAL_EINVAL,
                            "%s: friction that follows the reaction of a joint needs impacts = located; with captured "
                            "impacts, and with contact groups, give a limit alone",
                            name);
        }
        const int block[2] = {contacts->contact[k].normal, contacts->contact[k].tangent};
        for (int i = 0; i < 2; ++i) {
            if (block[i] >= 0) {
                c->block_of[block[i]] = k;
            }
        }
    }
    return DAL_OK;
}

void dal_sim_captured_destroy(dal_sim *sim, sim_captured *c)
{
    if (c) {
        dal_net_release(&c->net);
        dal_free(sim->ctx, c->net.contact);
        dal_free(sim->ctx, c->net.store);
        dal_free(sim->ctx, c->of);
        dal_free(sim->ctx, c->work);
        dal_arena_release(&c->arena);
        dal_free(sim->ctx, c);
    }
}

/* ---- what was known --------------------------------------------------------------------------- */

static double *pool_of(const dal_sim *sim, int k)
{
    return sim->data->memory + sim->sys->contacts.pool + (ptrdiff_t)DAL_TOUCH_MEMORY * k;
}

/* Impulses of touches begin as they were in the last step; both lists are in the order of pairs and points. The pool ends with a
 * pair that is not positive; pairs are counted from 1 in it. */
static void start_from_last(const dal_sim *sim)
{
    sim_captured *c = sim->contacts->captured;
    int at = 0;
    for (int k = 0; k < c->net.m; ++k) {
        dal_net_contact *to = &c->net.contact[k];
        if (c->of[k].touch < 0) {
            c->of[k].pushed = dal_contact_memory(sim, c->of[k].number)[DAL_CONTACT_PACE] != 0.0;
            continue;
        }
        const dal_touch *t = &c->touch[c->of[k].touch];
        const double pair = t->pair + 1.0, *old = NULL;
        for (; at < sim->sys->contacts.npool; ++at) {
            old = pool_of(sim, at);
            if (!(old[DAL_TOUCH_PAIR] > 0.0) || old[DAL_TOUCH_PAIR] > pair ||
                (old[DAL_TOUCH_PAIR] == pair && old[DAL_TOUCH_POINT] >= t->point)) {
                break;
            }
        }
        if (at < sim->sys->contacts.npool && old && old[DAL_TOUCH_PAIR] == pair && old[DAL_TOUCH_POINT] == t->point) {
            c->of[k].pushed = 1;
            to->p[0] = old[DAL_TOUCH_NORMAL];
            for (int i = 1; i < to->rows; ++i) {
                to->p[i] = dal_dot(old + DAL_TOUCH_FRICTION, t->axis[i], 3);
            }
        }
    }
}

/* Impulses to the pool, and to the rows of contacts that have such. */
static void keep_impulses(const dal_sim *sim, double h)
{
    sim_captured *c = sim->contacts->captured;
    int at = 0;
    for (int k = 0; k < c->n; ++k) {
        dal_contact_memory(sim, k)[DAL_CONTACT_PACE] = 0.0;
    }
    for (int k = 0; k < c->net.m; ++k) {
        const dal_net_contact *of = &c->net.contact[k];
        if (c->of[k].touch < 0) {
            const contact_rows *r = &c->rows[c->of[k].number];
            dal_contact_memory(sim, c->of[k].number)[DAL_CONTACT_PACE] = of->normal && of->p[0] > 0.0; // it pushed
            if (of->normal) {
                c->extra[r->normal] = -of->p[0] / h;
            }
            for (int i = of->normal; i < of->rows; ++i) {
                c->extra[r->tangent + i - of->normal] = -of->p[i] / h;
            }
        } else if (of->p[0] > 0.0 && at < sim->sys->contacts.npool) {
            const dal_touch *t = &c->touch[c->of[k].touch];
            double *to = pool_of(sim, at++);
            to[DAL_TOUCH_PAIR] = t->pair + 1.0;
            to[DAL_TOUCH_POINT] = t->point;
            to[DAL_TOUCH_NORMAL] = of->p[0];
            dal_zero(to + DAL_TOUCH_FRICTION, 3);
            for (int i = 1; i < of->rows; ++i) {
                dal_add_multiple(to + DAL_TOUCH_FRICTION, t->axis[i], of->p[i], 3);
            }
        }
    }
    for (; at < sim->sys->contacts.npool && pool_of(sim, at)[DAL_TOUCH_PAIR] > 0.0; ++at) {
        dal_zero(pool_of(sim, at), DAL_TOUCH_MEMORY);
    }
}

void dal_sim_captured_multipliers(const dal_sim *sim, double *la)
{
    if (sim->contacts && sim->contacts->captured) {
        dal_add(la, sim->contacts->captured->extra, dal_system_rows(sim->sys));
    }
}

/* ---- velocities ------------------------------------------------------------------------------- */

/* The largest rate of a row counts as its size. */
static double largest_d(const dal_net *net)
{
    double size = 0.0;
    for (int k = 0; k < net->m; ++k) {
        size = fmax(size, dal_max_abs(net->contact[k].d, net->contact[k].rows));
    }
    return size;
}

static dal_status note_impulses(dal_sim *sim, double t, double h)
{
    sim_contacts *all = sim->contacts;
    const sim_captured *c = all->captured;
    double slow = 1e2 * dal_contact_gap(sim) / h; // what rests rocks by so little from corner to corner
    for (int k = 0; k < c->net.m; ++k) {
        slow = fmax(slow, 1e-6 * dal_max_abs(c->of[k].speed, c->net.contact[k].rows));
    }
    for (int k = 0; k < c->net.m; ++k) {
        const dal_net_contact *of = &c->net.contact[k];
        const double *before = c->of[k].speed;
        double lost = 0.0, P_t = 0.0;
        for (int i = 0; i < of->rows; ++i) {
            // w has the approach at the start of the step in it, times e
            const double after = of->w[i] + before[i] - of->d[i];
            lost -= 0.5 * of->p[i] * (before[i] + after);
            P_t = i >= of->normal ? hypot(P_t, of->p[i]) : P_t;
        }
        all->totals.lost += lost;
        if (of->normal) {
            all->totals.complementarity = fmax(all->totals.complementarity, fabs(of->p[0] * of->w[0]));
        }
        if (of->normal && of->p[0] > 0.0 && !c->of[k].pushed && c->of[k].rate[0] < -slow) {
            all->totals.impacts++;
            all->totals.captured++;
            if (c->of[k].touch < 0) {
                dal_contact_memory(sim, c->of[k].number)[DAL_CONTACT_IMPULSE] += of->p[0];
            }
            DAL_TRY(
                dal_sim_note(sim, (dal_contact_event){t, c->of[k].number, DAL_CONTACT_IMPACT, of->p[0], P_t, lost}));
        }
    }
    return DAL_OK;
}

/* Twice the work of rows of contact k from one on: the place moves by the mean of the velocities at both ends of the step. */
static double work_of(const sim_captured *c, int k, int from)
{
    const dal_net_contact *of = &c->net.contact[k];
    const captured_contact *at = &c->of[k];
    double work = 0.0;
    for (int i = from; i < of->rows; ++i) {
        work += of->p[i] * (at->rate[i] + at->speed[i] + of->w[i] - of->d[i]);
    }
    return work;
}

/* Friction that pushes the way in which a contact slid when the step began gives energy. Where that is more than an island takes, its
 * law of friction has the mean of both speeds (CT.32). Returns whether there is such an island. */
static int turn_round(const sim_captured *c)
{
    const int m = c->net.m;
    int some = 0;
    double *work = c->work, *size = work + m; // of islands
    dal_zero(work, 2 * m);
    for (int k = 0; k < m; ++k) {
        const dal_net_contact *of = &c->net.contact[k];
        work[of->island] += work_of(c, k, 0);
        size[of->island] += of->normal ? fabs(of->p[0] * c->of[k].speed[0]) : 0.0;
    }
    for (int k = 0; k < m; ++k) {
        dal_net_contact *of = &c->net.contact[k];
        of->again = of->normal && work[of->island] > 1e-4 * size[of->island] && work_of(c, k, 1) > 0.0;
        for (int i = 1; i < of->rows && of->again; ++i) {
            of->d[i] += c->of[k].rate[i];
        }
        some |= of->again;
    }
    return some;
}

/* x := D p, the impulses on the velocities. */
static void impulses_on_velocities(const dal_sim *sim, double *x)
{
    const sim_captured *c = sim->contacts->captured;
    for (int k = 0; k < 2 * c->net.m; ++k) {
        const dal_net_contact *of = &c->net.contact[k / 2];
        const int side = k % 2, cluster = of->cluster[side];
        const int size = cluster >= 0 ? c->net.start[cluster + 1] - c->net.start[cluster] : 0;
        for (int v = 0; v < sim->ev->nv && cluster >= 0; ++v) {
            for (int i = 0; c->cluster[v] == cluster && i < of->rows; ++i) {
                x[v] += of->p[i] * c->net.store[of->at[side] + (ptrdiff_t)size * i + c->place[v]];
            }
        }
    }
}

/* v := v + dv, with the multipliers of the joints that the impulses come to. */
static dal_status jump(dal_sim *sim, double t, double h, const double *q, double *v)
{
    sim_captured *c = sim->contacts->captured;
    const int nv = sim->ev->nv, nc = sim->ev->nc;
    DAL_TRY(dal_net_solve(&c->net));
    DAL_GROW(sim->ctx, c->work, c->work_room, 2 * c->net.m);
    DAL_TRY(turn_round(c) ? dal_net_solve_again(&c->net) : DAL_OK);
    DAL_TRY(note_impulses(sim, t, h));
    dal_captured_scatter(sim, c->dv);
    dal_zero(c->extra, dal_system_rows(sim->sys));
    keep_impulses(sim, h);
    if (nc > 0) {
        double *x = sim->saddle->x;
        dal_zero(x, nv + nc);
        impulses_on_velocities(sim, x);
        DAL_TRY(dal_saddle_factor(sim->saddle, &(dal_point){t, q, v, sim->zero_v, sim->saddle->zero}, 0));
        dal_saddle_solve(sim->saddle);
        dal_copy(c->dv, x, nv);
        for (int r = 0; r < nc; ++r) {
            c->extra[dal_mask_row(sim->ev->sys, r)] += x[nv + r] / h;
        }
    }
    dal_add(v, c->dv, nv);
    return DAL_OK;
}

/* ---- positions -------------------------------------------------------------------------------- */

static int deepest(const dal_net *net)
{
    int at = -1;
    for (int k = 0; k < net->m; ++k) {
        at = at < 0 || net->contact[k].d[0] < net->contact[at].d[0] ? k : at;
    }
    return at;
}

/* q apart: the nearest place, in the metric of M, without overlap. Gaps below `seen` are looked at. */
static dal_status part(dal_sim *sim, double t, double *q, double seen)
{
    enum { ROUNDS = 20 };
    sim_captured *c = sim->contacts->captured;
    dal_contact_totals *totals = &sim->contacts->totals;
    const double tol = 0.5 * dal_contact_gap(sim);
    for (int round = 0;; ++round) {
        if (sim->ev->nc > 0 && round > 0) {
            DAL_TRY(dal_project_position(sim->saddle, q, NULL, t, DAL_POSITION_TOLERANCE));
        }
        DAL_TRY(dal_captured_collect(sim, CAPTURED_POSITIONS, t, q, sim->zero_v, sim->zero_v,
                                     round == 0 ? seen : 1e-3 * sim->ev->length));
        const int worst = deepest(&c->net);
        const double gap = worst < 0 ? 0.0 : c->net.contact[worst].d[0];
        if (gap >= -tol) {
            totals->least_gap = worst < 0 ? totals->least_gap : fmin(totals->least_gap, gap);
            return DAL_OK;
        }
        if (round == ROUNDS) {
            char name[96];
            sim->sys->contacts.name(name, sizeof name, c->of[worst].number, sim->sys->user);
            return dal_fail(sim->ctx, DAL_NOCONV,
                            "t = %.9g: %s overlaps by %.3g m, and cannot be moved apart: a smaller h", t, name, -gap);
        }
        // neighbours take part in the move: with long levers, and if it does not end, those farther away
        const double near = fmax(-4.0 * gap, 40.0 * tol) * (1 << (round < 10 ? round : 10));
        DAL_TRY(dal_captured_collect(sim, CAPTURED_POSITIONS, t, q, sim->zero_v, sim->zero_v, near));
        DAL_TRY(dal_captured_masses(sim, t, q));
        c->net.tol = 0.1 * tol;
        c->net.sweeps = 1000;
        DAL_TRY(dal_net_solve(&c->net));
        dal_captured_scatter(sim, c->dv);
        dal_retract(sim->ev->G, c->q_work, q, c->dv);
        dal_copy(q, c->q_work, sim->ev->nq);
    }
}

/* ---- the end of a step ------------------------------------------------------------------------ */

dal_status dal_sim_captured_start(dal_sim *sim, double t)
{
    sim_captured *c = sim->contacts->captured;
    DAL_TRY(dal_captured_clusters(sim));
    DAL_TRY(dal_captured_collect(sim, CAPTURED_POSITIONS, t, sim->q, sim->zero_v, sim->zero_v, 0.0));
    const int worst = deepest(&c->net);
    if (worst >= 0 && c->net.contact[worst].d[0] < -1e-8 * sim->ev->length) {
        char name[96];
        sim->sys->contacts.name(name, sizeof name, c->of[worst].number, sim->sys->user);
        return dal_fail(sim->ctx, DAL_EINITIAL,
                        "%s: the gap is %.3g at the start, and may not be negative: move the bodies apart", name,
                        c->net.contact[worst].d[0]);
    }
    return DAL_OK;
}

void dal_sim_captured_reset(dal_sim *sim)
{
    sim_captured *c = sim->contacts->captured;
    if (c) {
        c->net.newton = c->net.swept = c->net.rescues = c->net.unfinished = 0;
        c->net.largest = 0;
        dal_zero(c->extra, dal_system_rows(sim->sys));
    }
}

void dal_sim_captured_begin(dal_sim *sim)
{
    sim->contacts->captured->from = sim->method->previous->t;
}

dal_status dal_sim_capture(dal_sim *sim, int *jumped)
{
    *jumped = 0;
    if (!sim->contacts || !sim->contacts->captured) {
        return DAL_OK;
    }
    sim_captured *c = sim->contacts->captured;
    const dal_state_buffer *s = sim->method->current;
    const double t = s->t, h = t - c->from;
    const dal_group *G = sim->ev->G;
    if (!(h > 0.0)) {
        return DAL_OK;
    }
    if (c->stale) {
        DAL_TRY(dal_captured_clusters(sim));
    }
    dal_zero(c->extra, dal_system_rows(sim->sys));
    DAL_TRY(dal_captured_collect(sim, CAPTURED_VELOCITIES, t, s->q, s->v, sim->before_v, dal_contact_gap(sim)));
    if (c->net.m == 0) {
        keep_impulses(sim, h);
        return DAL_OK;
    }
    c->net.sweeps = 300;
    const double fastest = largest_d(&c->net);
    c->net.tol = 1e-6 * fastest;
    start_from_last(sim);
    DAL_TRY(dal_captured_masses(sim, t, s->q));
    dal_copy(c->v, s->v, sim->ev->nv);
    DAL_TRY(jump(sim, t, h, s->q, c->v));
    for (int i = 0; i < sim->ev->nv; ++i) {
        c->dv[i] *= 0.5 * h;
    }
    dal_retract(G, c->q, s->q, c->dv);
    DAL_TRY(sim->ev->nc > 0 ? dal_project_position(sim->saddle, c->q, NULL, t, DAL_POSITION_TOLERANCE) : DAL_OK);
    DAL_TRY(part(sim, t, c->q, h * fastest));
    dal_copy(sim->q, c->q, sim->ev->nq);
    dal_copy(sim->v, c->v, sim->ev->nv);
    dal_sim_goes_on(sim, t);
    const dal_status st = dal_sim_start_again(sim, t, sim->opt.step != DAL_STEP_ADAPTIVE ? sim->opt.h : s->h);
    sim->goes_on = 0;
    *jumped = st == DAL_OK;
    return st;
}
