/* Contact problems at a state, with the joints eliminated: rows and matrices, accelerations and the modes that follow. */
#include <math.h>
#include <string.h>

#include "base/message.h"
#include "base/vector.h"
#include "sim/contact_impl.h"
#include "system/mask.h"
#include "system/sink.h"

/* ---- rows ------------------------------------------------------------------------------------- */

typedef struct row_sink {
    dal_sink base;
    const dal_sim *sim;
} row_sink;

static void take_rows(dal_sink *sink, int link, const double *B, const double *Z)
{
    const dal_sim *sim = ((row_sink *)sink)->sim;
    const sim_contacts *c = sim->contacts;
    const dal_link l = sim->sys->link[link];
    const dal_factor *F = &sim->sys->group->factor[l.j];
    const int nr = sim->sys->constraint[l.c].nrows, row = sim->whole->row0[l.c], nv = sim->sys->group->nv;
    (void)Z;
    for (int k = 0; B && k < nr * F->nv; ++k) {
        c->B[F->v + k / nr + (ptrdiff_t)nv * c->column_of[row + k % nr]] += B[k];
    }
}

dal_status dal_sim_contact_values(dal_sim *sim, double t, const double *q, const double *v, int acceleration)
{
    const dal_contacts *sys = &sim->sys->contacts;
    const sim_contacts *c = sim->contacts;
    const dal_residual out = {.Phi = c->Phi, .vel = c->vel, .acc = acceleration ? c->acc : NULL};
    return sys->residual(&out, &(dal_point){t, q, v, sim->zero_v, c->la}, sim->sys->user, sim->data->work);
}

static dal_status find_B(dal_sim *sim, double t, const double *q, const double *v)
{
    sim_contacts *c = sim->contacts;
    row_sink sink = {.base = dal_sink_ignoring(DAL_WANT_B), .sim = sim};
    sink.base.link = take_rows;
    memset(c->B, 0, (size_t)c->ncolumns * (size_t)sim->sys->group->nv * sizeof(double));
    return sim->sys->contacts.tangent(&sink.base, &(dal_point){t, q, v, sim->zero_v, c->la}, sim->sys->user,
                                      sim->data->work);
}

dal_status dal_sim_contact_rows(dal_sim *sim, double t)
{
    return find_B(sim, t, sim->q, sim->v);
}

dal_status dal_sim_contact_reach(dal_sim *sim, double *reach, int contact, double t, const double *q, const double *v)
{
    const sim_contacts *c = sim->contacts;
    const int nv = sim->sys->group->nv;
    const double *row = c->B + (ptrdiff_t)nv * c->rows[contact].column[0];
    DAL_TRY(find_B(sim, t, q, v));
    *reach = dal_max_product(row, sim->ev->unit, nv);
    return DAL_OK;
}

/* ---- the system of the joints alone ----------------------------------------------------------- */

static dal_status build_joints(dal_sim *sim, double t, const double *q)
{
    sim_contacts *c = sim->contacts;
    dal_saddle_destroy(c->saddle);
    dal_eval_destroy(c->ev);
    dal_reduction_destroy(c->kept);
    dal_reduction_destroy(c->joints);
    c->saddle = NULL;
    c->ev = NULL;
    c->kept = c->joints = NULL;
    DAL_TRY(dal_reduction_create_rows(&c->joints, sim->ctx, sim->sys, sim->data, c->gone));
    DAL_TRY(dal_reduction_create_with(&c->kept, sim->ctx, dal_reduction_system(c->joints), sim->data, t, q, 0.0));
    DAL_TRY(dal_eval_create(&c->ev, sim->ctx, dal_reduction_system(c->kept), sim->data));
    return dal_saddle_create(&c->saddle, sim->ctx, c->ev, DAL_LINSOL_AUTO);
}

/* Joints may have been released since. */
static dal_status renew_joints(dal_sim *sim, double t, const double *q)
{
    sim_contacts *c = sim->contacts;
    int same = c->saddle != NULL;
    for (int r = 0; r < c->nrows; ++r) {
        const int gone = c->column_of[r] >= 0 || dal_data_released(sim->data, r, t);
        same = same && gone == c->gone[r];
        c->gone[r] = gone;
    }
    return same ? DAL_OK : build_joints(sim, t, q);
}

/* ---- problems --------------------------------------------------------------------------------- */

void dal_contact_join(sim_contacts *c, int contact, int tangents, double mu)
{
    const contact_rows *r = &c->rows[contact];
    c->part[c->m] = contact;
    c->normal[c->m] = r->normal >= 0;
    c->mu[c->m] = mu;
    c->first[c->m + 1] = c->first[c->m] + (r->normal >= 0) + tangents;
    c->m++;
}

/* Column of B that belongs to unknown i of participant k. */
static int column_of(const sim_contacts *c, int k, int i)
{
    const contact_rows *r = &c->rows[c->part[k]];
    return c->normal[k] && i == 0 ? r->column[0] : r->column[1] + i - c->normal[k];
}

void dal_contact_matrix(const dal_sim *sim, const double *level)
{
    const sim_contacts *c = sim->contacts;
    const int nv = c->saddle->nv, n = nv + c->saddle->nc, N = c->first[c->m];
    for (int k = 0; k < c->m; ++k) {
        for (int i = 0; i < c->first[k + 1] - c->first[k]; ++i) {
            const contact_rows *r = &c->rows[c->part[k]];
            double *x = c->X + (ptrdiff_t)n * (c->first[k] + i);
            dal_zero(x, n);
            dal_copy(x, c->B + (ptrdiff_t)nv * column_of(c, k, i), nv);
            const int slides = i == 0 && c->normal[k] && c->mode[c->part[k]] == DAL_CONTACT_SLIDING;
            for (int j = 0; slides && j < r->n; ++j) {
                const double f = -dal_contact_law_of(sim, c->part[k]).mu * c->direction[3 * c->part[k] + j];
                for (int a = 0; a < nv; ++a) {
                    x[a] += f * c->B[a + (ptrdiff_t)nv * (r->column[1] + j)];
                }
            }
        }
    }
    dal_saddle_solve_many(c->saddle, c->X, N + 1);
    for (int k = 0; k < c->m; ++k) {
        for (int i = 0; i < c->first[k + 1] - c->first[k]; ++i) {
            const double *b = c->B + (ptrdiff_t)nv * column_of(c, k, i);
            const contact_rows *r = &c->rows[c->part[k]];
            const int row = c->first[k] + i, whole = c->normal[k] && i == 0 ? r->normal : r->tangent + i - c->normal[k];
            for (int j = 0; j <= N; ++j) {
                const double *x = c->X + (ptrdiff_t)n * j;
                double sum = 0.0;
                for (int a = 0; a < nv; ++a) {
                    sum += b[a] * x[a];
                }
                if (j < N) {
                    c->D[row + (ptrdiff_t)N * j] = sum;
                } else {
                    c->d[row] = sum + level[whole];
                }
            }
        }
    }
}

dal_status dal_contact_find(dal_sim *sim, int *solved)
{
    sim_contacts *c = sim->contacts;
    dal_contact_problem P = {c->m, c->first, c->normal, c->mu, c->D, c->d, c->p, c->w, c->state, 0, 0.0, 0, 0};
    DAL_TRY(dal_contact_solve_shared(&P, sim->ctx));
    c->totals.rescues += P.attempts > 1;
    *solved = P.residual <= 1e-8;
    return DAL_OK;
}

void dal_contact_motion(const sim_contacts *c, double *x)
{
    const int nv = c->saddle->nv, n = nv + c->saddle->nc, N = c->first[c->m];
    dal_copy(x, c->X + (ptrdiff_t)n * N, nv);
    for (int j = 0; j < N; ++j) {
        for (int a = 0; a < nv; ++a) {
            x[a] += c->p[j] * c->X[a + (ptrdiff_t)n * j];
        }
    }
}

dal_status dal_contact_no_solution(dal_sim *sim, const char *what, double t)
{
    char name[96];
    sim->sys->contacts.name(name, sizeof name, sim->contacts->m > 0 ? sim->contacts->part[0] : 0, sim->sys->user);
    return dal_fail(sim->ctx, DAL_NOCONV,
                    "t = %.9g: %s of %d contacts (%s among them) has no solution that is found. Less friction, or a "
                    "small change of the initial values, leads past it",
                    t, what, sim->contacts->m, name);
}

/* ---- accelerations (CT.14) -------------------------------------------------------------------- */

static double sliding_speed(const sim_contacts *c, int contact)
{
    return dal_contact_length(&c->rows[contact], c->vel);
}

/* Does a contact touch, without approach or departure? */
static int at_rest(const dal_sim *sim, int contact)
{
    const sim_contacts *c = sim->contacts;
    const contact_rows *r = &c->rows[contact];
    if (r->normal < 0) {
        return 1;
    }
    const int touches = r->velocity || c->Phi[r->normal] <= dal_contact_gap(sim);
    // where features take over from others the normal has turned a little
    const int renewed = c->ended >= 0 && c->which == 2 && dal_contact_now(sim, contact) != DAL_CONTACT_IS_OPEN;
    return touches && c->vel[r->normal] <= (renewed ? 1e3 : 1.0) * dal_contact_speed(sim);
}

/* Those that are at rest on each other, with what is known of them: sliding directions, what has just ended. */
static void join_closed(dal_sim *sim, int forced)
{
    sim_contacts *c = sim->contacts;
    c->m = 0;
    for (int k = 0; k < c->n; ++k) {
        const contact_rows *r = &c->rows[k];
        const dal_contact_law law = dal_contact_law_of(sim, k);
        const double speed = dal_contact_stops(sim, k) ? 0.0 : sliding_speed(c, k),
                     *u = c->vel + (r->n > 0 ? r->tangent : 0);
        const int breaks = forced && c->ended == k && c->which == 1 && dal_contact_now(sim, k) == DAL_CONTACT_STICKING;
        c->mode[k] = DAL_CONTACT_IS_OPEN;
        if (!at_rest(sim, k) || (c->lifts[k] && c->ended >= 0)) {
            continue;
        }
        const int frictional = r->n > 0 && (r->normal >= 0 ? law.mu > 0.0 : law.limit > 0.0 || law.follows);
        // in a plane the direction of what is nearly at rest turns faster than steps resolve
        const double slow = (r->n >= 2 && dal_contact_coarse(sim) ? 1e3 : 1.0) * dal_contact_speed(sim);
        if (frictional && (speed > slow || breaks)) {
            c->mode[k] = DAL_CONTACT_SLIDING;
            for (int i = 0; i < r->n && !breaks; ++i) {
                c->direction[3 * k + i] = u[i] / speed;
            }
        }
        dal_contact_join(c, k, frictional && c->mode[k] == DAL_CONTACT_IS_OPEN ? r->n : 0,
                         r->normal < 0            ? law.limit_s
                         : !forced && c->slips[k] ? (1.0 - 1e-6) * law.mu
                                                  : law.mu_s);
    }
}

/* The friction of friction alone, where it slides, is a force like any other. */
static void add_known_friction(const dal_sim *sim, double *force)
{
    const sim_contacts *c = sim->contacts;
    const int nv = sim->sys->group->nv;
    for (int k = 0; k < c->n; ++k) {
        const contact_rows *r = &c->rows[k];
        for (int i = 0; r->normal < 0 && c->mode[k] == DAL_CONTACT_SLIDING && i < r->n; ++i) {
            const double f = -dal_contact_law_of(sim, k).limit * c->direction[3 * k + i];
            for (int a = 0; a < nv; ++a) {
                force[a] += f * c->B[a + (ptrdiff_t)nv * (r->column[1] + i)];
            }
        }
    }
}

/* Modes from the solution. A contact that touches although nothing presses it stays closed: others would take turns. */
static void read_modes(const dal_sim *sim)
{
    const sim_contacts *c = sim->contacts;
    double size = 0.0;
    for (int i = 0; i < c->first[c->m]; ++i) {
        size = fmax(size, fmax(fabs(c->d[i]), fabs(c->w[i])));
    }
    for (int k = 0; k < c->m; ++k) {
        const int contact = c->part[k], a = c->first[k], t = a + c->normal[k], nt = c->first[k + 1] - t;
        const int open = c->state[k] == DAL_CONTACT_OPEN && c->w[a] > 1e-9 * size;
        if (c->mode[contact] == DAL_CONTACT_SLIDING && !open) {
            continue;
        }
        // against the friction; of one that nothing presses, along the acceleration
        const int idle = c->state[k] == DAL_CONTACT_OPEN;
        double e[3] = {0.0, 0.0, 0.0}, length = 0.0, moves = 0.0;
        for (int i = 0; i < nt; ++i) {
            e[i] = idle ? c->w[t + i] : -c->p[t + i];
            length = hypot(length, e[i]);
            moves = hypot(moves, c->w[t + i]);
        }
        // a share that is on the cone though nothing moves is one of several
        const int slides = nt == 0 || ((idle || c->state[k] == DAL_CONTACT_SLIDES) && moves > 1e-9 * size);
        c->mode[contact] = open ? DAL_CONTACT_IS_OPEN : slides ? DAL_CONTACT_SLIDING : DAL_CONTACT_STICKING;
        for (int i = 0; i < 3; ++i) {
            c->direction[3 * contact + i] = length > 0.0 ? e[i] / length : 0.0;
        }
    }
}

/* Friction that makes the force of a sliding contact pull it in, A_j <= 0 (section 8 of the theory). */
static void warn_of_jamming(dal_sim *sim, double t)
{
    sim_contacts *c = sim->contacts;
    for (int k = 0; k < c->m && !c->totals.jams; ++k) {
        const int a = c->first[k];
        if (c->normal[k] && c->mode[c->part[k]] == DAL_CONTACT_SLIDING && c->D[a + a * c->first[c->m]] <= 0.0) {
            char name[96];
            sim->sys->contacts.name(name, sizeof name, c->part[k], sim->sys->user);
            c->totals.jams = 1;
            dal_log(sim->ctx, DAL_LOG_WARNING,
                    "t = %.6g: friction of %s jams (Painleve): no force, or more than one, goes with this motion. "
                    "The contact lifts if it can; else an impulse stops the sliding",
                    t, name);
        }
    }
}

/* The multipliers of the joints that the last problem gives, and the friction that follows them. *off: by how much it is another than was
 * taken, of the largest. */
static dal_status follow_reactions(dal_sim *sim, double t, double *off)
{
    const sim_contacts *c = sim->contacts;
    const int nv = c->saddle->nv, n = nv + c->saddle->nc, N = c->first[c->m];
    double most = 0.0;
    int some = 0;
    *off = 0.0;
    for (int k = 0; k < c->n; ++k) {
        const dal_contact_law law = dal_contact_law_of(sim, k);
        some |= law.follows;
        c->approach[k] = law.limit_s; // of no use any more
    }
    if (!some) {
        return DAL_OK;
    }
    for (int i = 0; i < c->saddle->nc; ++i) {
        double la = c->X[nv + i + (ptrdiff_t)n * N];
        for (int j = 0; j < N; ++j) {
            la += c->p[j] * c->X[nv + i + (ptrdiff_t)n * j];
        }
        c->la[dal_mask_row(c->ev->sys, i)] = la;
    }
    DAL_TRY(dal_sim_contact_values(sim, t, sim->q, sim->v, 1));
    for (int k = 0; k < c->n; ++k) {
        const dal_contact_law law = dal_contact_law_of(sim, k);
        *off = fmax(*off, law.follows ? fabs(law.limit_s - c->approach[k]) : 0.0);
        most = fmax(most, law.follows ? law.limit_s : 0.0);
    }
    *off = most > 0.0 ? *off / most : 0.0;
    return DAL_OK;
}

/* What acts and the acceleration level of the joints. Friction alone, which slides in the memory, is not among it: that follows. */
static dal_status forces_without_contacts(dal_sim *sim, double *x0, double t)
{
    const sim_contacts *c = sim->contacts;
    const dal_point at = {t, sim->q, sim->v, sim->zero_v, c->saddle->zero};
    for (int k = 0; k < c->n; ++k) {
        if (c->rows[k].normal < 0) {
            c->before[k] = dal_contact_now(sim, k);
            dal_contact_memory(sim, k)[DAL_CONTACT_MODE] = DAL_CONTACT_IS_OPEN;
        }
    }
    const dal_status st =
        dal_eval_residual(c->ev, &(dal_residual){.r = x0, .acc = c->saddle->nc > 0 ? x0 + c->saddle->nv : NULL}, &at);
    for (int k = 0; k < c->n; ++k) {
        if (c->rows[k].normal < 0) {
            dal_contact_memory(sim, k)[DAL_CONTACT_MODE] = c->before[k];
        }
    }
    return st;
}

static dal_status accelerations_once(dal_sim *sim, double t, int forced, int *solved)
{
    sim_contacts *c = sim->contacts;
    const int n = c->saddle->nv + c->saddle->nc;
    join_closed(sim, forced);
    double *x0 = c->X + (ptrdiff_t)n * c->first[c->m];
    *solved = 1;
    if (c->m == 0) {
        return DAL_OK;
    }
    DAL_TRY(forces_without_contacts(sim, x0, t + c->ahead));
    for (int i = 0; i < n; ++i) {
        x0[i] = -x0[i];
    }
    add_known_friction(sim, x0);
    dal_contact_matrix(sim, c->acc);
    DAL_TRY(dal_contact_find(sim, solved));
    warn_of_jamming(sim, t);
    if (*solved) {
        read_modes(sim);
    }
    return DAL_OK;
}

/* Friction of joints depends on their reactions, and these on the friction: in turns. */
static dal_status accelerations_in_turns(dal_sim *sim, double t, int forced, int *solved)
{
    double off = 1.0;
    *solved = 1;
    for (int it = 0; it < 30 && off > 1e-12 && *solved; ++it) {
        DAL_TRY(accelerations_once(sim, t, forced, solved));
        if (sim->contacts->m == 0) {
            return DAL_OK;
        }
        DAL_TRY(follow_reactions(sim, t + sim->contacts->ahead, &off));
    }
    *solved &= off < 1e-6;
    return DAL_OK;
}

/* Where friction in a plane gives way several contacts may be at their limits, and which of them slide, and where to, follows from the motion: with a
 * little less of it. If that has none slide, the one that ended does. */
static dal_status accelerations(dal_sim *sim, double t, int *solved)
{
    const sim_contacts *c = sim->contacts;
    const int k = c->ended, several = k >= 0 && c->slips[k] && c->rows[k].n >= 2 && c->rows[k].normal >= 0;
    if (several) {
        DAL_TRY(accelerations_in_turns(sim, t, 0, solved));
        for (int i = 0; i < c->n && *solved; ++i) {
            if (c->slips[i] && c->mode[i] == DAL_CONTACT_SLIDING) {
                return DAL_OK;
            }
        }
    }
    return accelerations_in_turns(sim, t, 1, solved);
}

/* What would stop within 0.004 of a fixed step of what slides in a plane, by the accelerations of the last problem: steps do not follow
 * it. */
static int stops_at_once(dal_sim *sim)
{
    sim_contacts *c = sim->contacts;
    const int nv = c->saddle->nv;
    int some = 0;
    if (!dal_contact_coarse(sim)) {
        return 0;
    }
    dal_contact_motion(c, sim->w);
    for (int k = 0; k < c->n; ++k) {
        const contact_rows *r = &c->rows[k];
        const double speed = sliding_speed(c, k);
        double brakes = 0.0;
        for (int i = 0; i < r->n; ++i) {
            double a = c->acc[r->tangent + i];
            for (int j = 0; j < nv; ++j) {
                a += c->B[j + (ptrdiff_t)nv * (r->column[1] + i)] * sim->w[j];
            }
            brakes -= a * c->direction[3 * k + i];
        }
        if (r->n >= 2 && c->mode[k] == DAL_CONTACT_SLIDING && !c->stops[k] && speed > 0.0 &&
            speed < 4e-3 * sim->opt.h * brakes) {
            some = c->stops[k] = 1;
        }
    }
    return some;
}

/* ---- both ------------------------------------------------------------------------------------- */

static int approaches(const dal_sim *sim)
{
    const sim_contacts *c = sim->contacts;
    int some = 0;
    for (int k = 0; k < c->n; ++k) {
        const contact_rows *r = &c->rows[k];
        if (r->normal >= 0) {
            some |= (r->velocity || c->Phi[r->normal] <= dal_contact_gap(sim)) &&
                    c->vel[r->normal] < -dal_contact_speed(sim);
        }
    }
    return some;
}

/* The largest speed that was seen in contacts is what others are measured by. */
static void note_speeds(const dal_sim *sim)
{
    const sim_contacts *c = sim->contacts;
    double speed = fmax(dal_contact_memory(sim, 0)[DAL_CONTACT_SPEED], 1e-3 * sim->ev->length);
    for (int k = 0; k < c->n; ++k) {
        const double v = c->rows[k].normal >= 0 ? fabs(c->vel[c->rows[k].normal]) : 0.0;
        speed = fmax(speed, fmax(v, sliding_speed(c, k)));
    }
    for (int k = 0; k < c->n; ++k) {
        dal_contact_memory(sim, k)[DAL_CONTACT_SPEED] = speed;
    }
}

/* Normal accelerations just before, for (CT.15). */
static dal_status note_approach(dal_sim *sim, double t)
{
    const sim_contacts *c = sim->contacts;
    const double *vd = sim->started ? sim->method->current->vd : sim->zero_v;
    const dal_residual out = {.acc = c->acc};
    DAL_TRY(
        sim->sys->contacts.residual(&out, &(dal_point){t, sim->q, sim->v, vd, c->la}, sim->sys->user, sim->data->work));
    for (int k = 0; k < c->n; ++k) {
        c->approach[k] = c->rows[k].normal >= 0 ? c->acc[c->rows[k].normal] : 0.0;
    }
    return DAL_OK;
}

/* Impact, if anything approaches, and the modes that follow. */
static dal_status decide_once(dal_sim *sim, double t, double h, int again, int *solved)
{
    const sim_contacts *c = sim->contacts;
    int held = 0;
    DAL_TRY(dal_sim_contact_values(sim, t, sim->q, sim->v, 1));
    note_speeds(sim);
    for (int k = 0; k < c->n; ++k) {
        held |= dal_contact_held(sim, k, t);
    }
    if (again || held || approaches(sim)) {
        DAL_TRY(dal_contact_impact(sim, t, h, again));
    }
    DAL_TRY(dal_sim_contact_values(sim, t + c->ahead, sim->q, sim->v, 1));
    return accelerations(sim, t, solved);
}

dal_status dal_sim_contact_decide(dal_sim *sim, double t, double h)
{
    sim_contacts *c = sim->contacts;
    int solved = 0;
    DAL_TRY(dal_sim_contact_values(sim, t, sim->q, sim->v, 0)); // closed contacts without features get theirs first
    DAL_TRY(renew_joints(sim, t, sim->q));
    DAL_TRY(find_B(sim, t, sim->q, sim->v));
    DAL_TRY(dal_saddle_factor(c->saddle, &(dal_point){t, sim->q, sim->v, sim->zero_v, c->saddle->zero}, 0));
    DAL_TRY(dal_contact_lift(sim, t));
    DAL_TRY(note_approach(sim, t));
    for (int k = 0; k < c->n; ++k) {
        c->before[k] = dal_contact_now(sim, k);
    }
    DAL_TRY(dal_contact_halt(sim, t, c->before));
    for (int round = 0; round < 4 && !solved; ++round) {
        DAL_TRY(decide_once(sim, t, h, round > 0, &solved));
        c->totals.jammed += !solved;
    }
    while (solved && stops_at_once(sim)) {
        memcpy(c->before, c->mode, (size_t)c->n * sizeof *c->mode);
        DAL_TRY(dal_contact_halt(sim, t, c->before));
        DAL_TRY(dal_sim_contact_values(sim, t + c->ahead, sim->q, sim->v, 1));
        DAL_TRY(accelerations(sim, t, &solved));
    }
    return solved ? DAL_OK : dal_contact_no_solution(sim, "the balance of forces", t);
}

dal_status dal_sim_contact_joints(dal_sim *sim, dal_saddle **saddle, double t)
{
    DAL_TRY(renew_joints(sim, t, sim->q));
    *saddle = sim->contacts->saddle;
    return DAL_OK;
}
