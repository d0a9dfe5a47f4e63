/* Contacts of a simulation: creation, and how the run goes on where a mode has ended. */
#include "sim/captured_impl.h"

#include <math.h>
#include <string.h>

#include "base/message.h"
#include "base/vector.h"
#include "system/mask.h"

/* ---- creation --------------------------------------------------------------------------------- */

static void carve(dal_sim *sim, dal_arena *arena)
{
    sim_contacts *c = sim->contacts;
    const int nv = sim->sys->group->nv, n = c->n, rows = c->ncolumns;
    c->rows = dal_arena_take(arena, (size_t)n, sizeof(contact_rows));
    c->column_of = dal_arena_ints(arena, c->nrows);
    c->gone = dal_arena_ints(arena, c->nrows);
    c->part = dal_arena_ints(arena, n);
    c->first = dal_arena_ints(arena, n + 1);
    c->normal = dal_arena_ints(arena, n);
    c->mode = dal_arena_ints(arena, n);
    c->state = dal_arena_ints(arena, n);
    c->built = dal_arena_ints(arena, n);
    c->lifts = dal_arena_ints(arena, n);
    c->slips = dal_arena_ints(arena, n);
    c->before = dal_arena_ints(arena, n);
    c->stops = dal_arena_ints(arena, n);
    double **of_rows[] = {&c->Phi, &c->vel, &c->acc, &c->la};
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; ++i) {
        *of_rows[i] = dal_arena_reals(arena, c->nrows);
    }
    c->scratch = dal_arena_reals(arena, 2 * c->nrows);
    c->approach = dal_arena_reals(arena, n);
    c->direction = dal_arena_reals(arena, 3 * n);
    c->mu = dal_arena_reals(arena, n);
    for (int i = 0; i < 3; ++i) {
        c->watch[i] = dal_arena_reals(arena, 4 * n);
    }
    c->halves = dal_arena_reals(arena, DAL_CONTACT_HALVES * 2 * n);
    c->B = dal_arena_reals(arena, nv * rows);
    c->X = dal_arena_reals(arena, (nv + c->nrows) * (rows + 1));
    c->D = dal_arena_reals(arena, rows * rows);
    c->d = dal_arena_reals(arena, rows);
    c->p = dal_arena_reals(arena, rows);
    c->w = dal_arena_reals(arena, rows);
}

contact_rows dal_contact_rows_of(const dal_system *sys, int k)
{
    const int block[2] = {sys->contacts.contact[k].normal, sys->contacts.contact[k].tangent};
    contact_rows r = {.normal = -1};
    for (int i = 0; i < 2; ++i) {
        int row = 0;
        for (int b = 0; b < block[i]; ++b) {
            row += sys->constraint[b].nrows;
        }
        if (block[i] >= 0 && i == 0) {
            r.normal = row;
            r.velocity = sys->constraint[block[i]].kind == DAL_ROWS_VELOCITY;
        } else if (block[i] >= 0) {
            r.tangent = row;
            r.n = sys->constraint[block[i]].nrows;
        }
    }
    return r;
}

static void number_rows(dal_sim *sim)
{
    sim_contacts *c = sim->contacts;
    const dal_system *sys = sim->sys;
    int columns = 0;
    for (int r = 0; r < c->nrows; ++r) {
        c->column_of[r] = -1;
    }
    for (int k = 0; k < c->n; ++k) {
        contact_rows *r = &c->rows[k];
        *r = dal_contact_rows_of(sys, k);
        r->column[0] = columns;
        if (r->normal >= 0) {
            c->column_of[r->normal] = columns++;
        }
        r->column[1] = columns;
        for (int j = 0; j < r->n; ++j) {
            c->column_of[r->tangent + j] = columns++;
        }
    }
}

dal_status dal_sim_contacts_create(dal_sim *sim)
{
    const dal_system *sys = sim->sys;
    if (sys->contacts.n == 0 && !sys->contacts.touches) {
        return DAL_OK;
    }
    sim_contacts *c = sim->contacts = dal_alloc_zero(sim->ctx, sizeof *c);
    if (!c) {
        return dal_fail(sim->ctx, DAL_ENOMEM, "no memory for contacts");
    }
    if (sim->opt.impacts == DAL_IMPACTS_CAPTURED) {
        return dal_sim_captured_create(sim, &c->captured);
    }
    c->n = sys->contacts.n;
    c->nrows = dal_system_rows(sys);
    for (int k = 0; k < c->n; ++k) {
        const dal_contact at = sys->contacts.contact[k];
        c->ncolumns += at.normal >= 0 ? 1 : 0;
        c->ncolumns += at.tangent >= 0 ? sys->constraint[at.tangent].nrows : 0;
    }
    c->ended = -1;
    c->relieved_at = -INFINITY;
    c->arena = dal_arena_init(sim->ctx);
    carve(sim, &c->arena);
    DAL_TRY(dal_arena_reserve(&c->arena));
    carve(sim, &c->arena);
    number_rows(sim);
    return DAL_OK;
}

void dal_sim_contacts_destroy(dal_sim *sim)
{
    sim_contacts *c = sim->contacts;
    if (c) {
        dal_sim_captured_destroy(sim, c->captured);
        dal_saddle_destroy(c->saddle);
        dal_eval_destroy(c->ev);
        dal_reduction_destroy(c->kept);
        dal_reduction_destroy(c->joints);
        dal_arena_release(&c->arena);
        dal_free(sim->ctx, c);
    }
}

/* Redundant contacts that slide: how a load is shared decides about the friction, so rows left out have the share of least norm as a
 * known multiplier (CT.24). */
static int shares(const dal_sim *sim, int k)
{
    const int row = sim->contacts->rows[k].normal, *dropped = dal_reduction_rows(sim->reduction);
    int lo = 0, hi = dal_reduction_count(sim->reduction);
    if (row < 0 || sim->contacts->rows[k].n == 0 || dal_contact_now(sim, k) == DAL_CONTACT_IS_OPEN) {
        return 0;
    }
    while (lo < hi) {
        const int mid = (lo + hi) / 2;
        *(dropped[mid] < row ? &lo : &hi) = dropped[mid] < row ? mid + 1 : mid;
    }
    return lo < dal_reduction_count(sim->reduction) && dropped[lo] == row;
}

void dal_sim_contacts_share(dal_sim *sim)
{
    const sim_contacts *c = sim->contacts;
    int some = 0, slides = 0;
    for (int k = 0; c && sim->reduction && k < c->n; ++k) {
        slides |= dal_contact_now(sim, k) == DAL_CONTACT_SLIDING;
    }
    for (int k = 0; slides && k < c->n; ++k) {
        if (shares(sim, k)) {
            const double la = sim->la[c->rows[k].normal];
            dal_contact_memory(sim, k)[DAL_CONTACT_SHARE] = la;
            dal_reduction_fix(sim->reduction, c->rows[k].normal, la);
            some = 1;
        }
    }
    for (int i = 0; some && i < sim->ev->nc; ++i) {
        sim->method->current->la[i] = sim->la[dal_mask_row(sim->ev->sys, i)];
    }
}

/* Where shares of least norm ask a sticking contact for more than its limit, or a closed one to pull, it gives what it can. Returns 1 if
 * others take the rest. */
static int relieve_friction(const dal_sim *sim, int k, double *la)
{
    const contact_rows *r = &sim->contacts->rows[k];
    const dal_contact_law law = dal_contact_law_of(sim, k);
    const double force = dal_contact_length(r, la);
    const double most = (1.0 - 1e-9) * (r->normal < 0 ? law.limit_s : law.mu_s * fmax(-la[r->normal], 0.0));
    double e[3];
    if (r->n == 0 || dal_contact_now(sim, k) != DAL_CONTACT_STICKING || force <= most) {
        return 0;
    }
    for (int i = 0; i < r->n; ++i) {
        e[i] = la[r->tangent + i] / force;
    }
    return dal_reduction_relieve(sim->reduction, la, r->tangent, r->n, e, most);
}

static int relieve_normal(const dal_sim *sim, int k, double *la)
{
    static const double one = 1.0;
    const int row = sim->contacts->rows[k].normal;
    return row >= 0 && dal_contact_now(sim, k) != DAL_CONTACT_IS_OPEN && la[row] > 0.0 &&
           dal_reduction_relieve(sim->reduction, la, row, 1, &one, 0.0);
}

/* Is there friction whose limit is told by the forces of joints? */
static int limits_follow(const dal_sim *sim)
{
    int some = 0;
    for (int k = 0; k < sim->contacts->n; ++k) {
        some |= dal_contact_law_of(sim, k).follows;
    }
    return some;
}

/* A brake, or a contact, that sticks beside others holds in all directions and up to a limit, a stop in one: where shares of least norm are none that
 * they can have, others are taken (CT.34). In turns, since limits follow forces; what is too much for all of them is left to friction, which
 * slips. */
dal_status dal_sim_contacts_relieve(const dal_sim *sim, double *la, const dal_point *at)
{
    sim_contacts *c = sim->contacts;
    int sticks = 0, some = 1;
    for (int k = 0; c && sim->reduction && dal_reduction_count(sim->reduction) > 0 && k < c->n; ++k) {
        const int mode = dal_contact_now(sim, k), row = c->rows[k].normal;
        sticks |= mode == DAL_CONTACT_STICKING || (mode == DAL_CONTACT_SLIDING && row >= 0 && la[row] > 0.0);
    }
    double moved = INFINITY;
    for (int round = 0, follows = 1; round < (follows ? 16 : 1024) && sticks && some; ++round) {
        if (follows) {
            const dal_residual out = {.Phi = c->scratch, .vel = c->scratch + c->nrows};
            DAL_TRY(sim->sys->contacts.residual(&out, &(dal_point){at->t, at->q, at->v, sim->zero_v, la},
                                                sim->sys->user, sim->data->work));
            follows = limits_follow(sim);
        }
        const int looks = round >= 16 && (round & (round - 1)) == 0;
        dal_copy(c->scratch, la, looks ? c->nrows : 0);
        some = 0;
        for (int k = 0; k < c->n; ++k) {
            some |= relieve_friction(sim, k, la);
        }
        for (int k = 0; k < c->n; ++k) {
            some |= relieve_normal(sim, k, la);
        }
        if (looks) { // do they still come to an end?
            dal_add_multiple(c->scratch, la, -1.0, c->nrows);
            const double now = dal_max_abs(c->scratch, c->nrows);
            some = some && now < 0.9 * moved;
            moved = now;
        }
        c->relieved_at = some ? at->t : c->relieved_at;
    }
    return DAL_OK;
}

void dal_sim_contacts_built(dal_sim *sim)
{
    for (int k = 0; sim->contacts && k < sim->contacts->n; ++k) {
        sim->contacts->built[k] = dal_contact_now(sim, k);
        if (sim->reduction && shares(sim, k)) {
            dal_reduction_fix(sim->reduction, sim->contacts->rows[k].normal,
                              dal_contact_memory(sim, k)[DAL_CONTACT_SHARE]);
        }
    }
    if (sim->contacts && sim->contacts->captured) {
        sim->contacts->captured->stale = 1;
    }
}

void dal_sim_contacts_reset(dal_sim *sim)
{
    if (sim->contacts) {
        sim->contacts->totals = (dal_contact_totals){.least_gap = INFINITY};
        dal_sim_captured_reset(sim);
        sim->contacts->ended = -1;
        sim->contacts->tamed = 0;
        sim->contacts->overlapped = 0;
        sim->contacts->relieved_at = -INFINITY;
        dal_sim_contacts_built(sim);
    }
}

void dal_sim_contacts_free(dal_sim *sim)
{
    for (int k = 0; k < sim->sys->contacts.n; ++k) {
        dal_contact_memory(sim, k)[DAL_CONTACT_MODE] = DAL_CONTACT_IS_OPEN;
    }
}

/* ---- after a step or an event ----------------------------------------------------------------- */

/* The log has room. */
static void note_mode(dal_sim *sim, int k, double t)
{
    sim_contacts *c = sim->contacts;
    const int before = dal_contact_now(sim, k), now = c->mode[k];
    const dal_contact_happening what = before == DAL_CONTACT_IS_OPEN ? DAL_CONTACT_TOUCH
                                       : now == DAL_CONTACT_IS_OPEN  ? DAL_CONTACT_LIFT
                                       : now == DAL_CONTACT_STICKING ? DAL_CONTACT_STICK
                                                                     : DAL_CONTACT_SLIP;
    if (before != now) {
        sim->log[sim->nlog++] = (dal_contact_event){t, k, what, 0.0, 0.0, 0.0};
    }
}

/* Closed contacts whose features have ended get others. */
static dal_status renew_features(dal_sim *sim, double t)
{
    DAL_TRY(dal_sim_contact_values(sim, t, sim->q, sim->v, 0));
    for (int k = 0; k < sim->contacts->n; ++k) {
        double *memory = dal_contact_memory(sim, k);
        if (memory[DAL_CONTACT_MODE] != DAL_CONTACT_IS_OPEN && memory[DAL_CONTACT_FEATURE] > 0.0 &&
            (memory[DAL_CONTACT_REACH] <= 0.0 || (k == sim->contacts->ended && sim->contacts->which == 2))) {
            memory[DAL_CONTACT_FEATURE] = 0.0;
        }
    }
    return DAL_OK;
}

dal_status dal_sim_contacts_decide(dal_sim *sim, int *changed, double t, double h)
{
    sim_contacts *c = sim->contacts;
    *changed = 0;
    if (!c || c->captured) {
        return DAL_OK;
    }
    for (int k = 0; k < c->n; ++k) { // where sticking ends, friction tells the direction
        const contact_rows *r = &c->rows[k];
        double *e = c->direction + 3 * k, length = 0.0;
        dal_copy(e, dal_contact_memory(sim, k) + DAL_CONTACT_DIRECTION, 3);
        for (int i = 0; i < r->n && dal_contact_now(sim, k) == DAL_CONTACT_STICKING; ++i) {
            e[i] = c->la[r->tangent + i];
            length = hypot(length, e[i]);
        }
        for (int i = 0; i < r->n && length > 0.0; ++i) {
            e[i] /= length;
        }
    }
    DAL_TRY(renew_features(sim, t));
    DAL_TRY(dal_sim_contact_decide(sim, t, h));
    DAL_GROW(sim->ctx, sim->log, sim->log_room, sim->nlog + c->n);
    for (int k = 0; k < c->n; ++k) {
        double *memory = dal_contact_memory(sim, k);
        *changed |= c->mode[k] != c->built[k];
        note_mode(sim, k, t);
        memory[DAL_CONTACT_MODE] = c->mode[k];
        dal_copy(memory + DAL_CONTACT_DIRECTION, c->direction + 3 * k, 3);
    }
    for (int k = 0; k < c->n && *changed; ++k) {
        dal_contact_memory(sim, k)[DAL_CONTACT_SHARE] = 0.0;
    }
    for (int k = 0; k < c->m && *changed; ++k) { // the accelerations were the last problem
        dal_contact_memory(sim, c->part[k])[DAL_CONTACT_SHARE] = c->normal[k] ? -c->p[c->first[k]] : 0.0;
    }
    c->ended = -1;
    memset(c->stops, 0, (size_t)c->n * sizeof *c->stops);
    dal_data_forget(sim->data);
    return DAL_OK;
}

/* Rows that were left out no longer hold: closed contacts and a drive contradict each other, and one has to open that had no reason to at
 * the start of the step, where the drive stood still. */
dal_status dal_sim_contacts_retreat(dal_sim *sim, int *changed)
{
    sim_contacts *c = sim->contacts;
    const dal_state_buffer *from = sim->method->previous;
    const double t = from->t, h = sim->method->current->t - t;
    *changed = 0;
    dal_copy(sim->q, from->q, sim->ev->nq);
    dal_copy(sim->v, from->known > 0 ? from->vc : from->v, sim->ev->nv);
    c->ended = -1;
    memset(c->stops, 0, (size_t)c->n * sizeof *c->stops);
    c->ahead = h;
    const dal_status st = dal_sim_contacts_decide(sim, changed, t, h);
    c->ahead = 0.0;
    return st;
}

dal_status dal_sim_contacts_start(dal_sim *sim, double t)
{
    const sim_contacts *c = sim->contacts;
    if (c->captured) {
        return dal_sim_captured_start(sim, t);
    }
    DAL_TRY(dal_sim_contact_values(sim, t, sim->q, sim->v, 0));
    for (int k = 0; k < c->n; ++k) {
        const contact_rows *r = &c->rows[k];
        if (r->normal >= 0 && !r->velocity && c->Phi[r->normal] < -1e-8 * sim->ev->length) {
            char name[96];
            sim->sys->contacts.name(name, sizeof name, k, sim->sys->user);
            return dal_fail(sim->ctx, DAL_EINITIAL,
                            "%s: the gap is %.3g at the start, and may not be negative: move the bodies apart", name,
                            c->Phi[r->normal]);
        }
    }
    return DAL_OK;
}

/* Where neither the time was found at which it closes nor a place beside. */
static void warn_of_overlap(dal_sim *sim, int k, double t)
{
    sim_contacts *c = sim->contacts;
    const double gap = c->Phi[c->rows[k].normal];
    char name[96];
    if (c->overlapped || gap >= -dal_contact_gap(sim)) {
        return;
    }
    c->overlapped = 1;
    sim->sys->contacts.name(name, sizeof name, k, sim->sys->user);
    dal_log(sim->ctx, DAL_LOG_WARNING,
            "t = %.6g: %s has a gap of %.2g at the end of a step: it closed unseen. Shorter steps (h, h_max, "
            "step_rtol) may help; the summary has the least gap of the run",
            t, name, gap);
}

void dal_sim_contacts_accept(dal_sim *sim)
{
    sim_contacts *c = sim->contacts;
    const dal_state_buffer *s = sim->method->current;
    if (!c || c->captured || dal_sim_contact_values(sim, s->t, s->q, s->v, 0) != DAL_OK) {
        return;
    }
    for (int k = 0; k < c->n; ++k) {
        const contact_rows *r = &c->rows[k];
        double *e = dal_contact_memory(sim, k) + DAL_CONTACT_DIRECTION, length = 0.0;
        if (r->normal >= 0 && !r->velocity) {
            const double force = dal_contact_now(sim, k) == DAL_CONTACT_IS_OPEN ? 0.0 : c->la[r->normal];
            c->totals.least_gap = fmin(c->totals.least_gap, c->Phi[r->normal]);
            warn_of_overlap(sim, k, s->t);
            c->totals.complementarity = fmax(c->totals.complementarity, fabs(force * c->Phi[r->normal]));
        }
        for (int i = 0; i < r->n; ++i) {
            length = hypot(length, c->vel[r->tangent + i]);
        }
        dal_contact_memory(sim, k)[DAL_CONTACT_PACE] = length;
        // the direction follows the sliding in a plane, or about a point; along a line it stays
        for (int i = 0; i < r->n && r->n >= 2; ++i) {
            if (dal_contact_now(sim, k) == DAL_CONTACT_SLIDING && length > dal_contact_speed(sim)) {
                e[i] = c->vel[r->tangent + i] / length;
            }
        }
    }
}

int dal_sim_contacts_located(const dal_sim *sim)
{
    return sim->contacts && !sim->contacts->captured;
}

void dal_sim_contacts_shared(dal_sim *sim, const dal_reduction *red, double t)
{
    sim_contacts *c = sim->contacts;
    int shared = 0;
    for (int i = 0; c && !c->captured && i < dal_reduction_count(red); ++i) {
        const int row = dal_reduction_rows(red)[i];
        shared += c->column_of[row] >= 0 && !dal_data_released(sim->data, row, t);
    }
    if (shared > 0 && c->totals.shared == 0) {
        dal_log(
            sim->ctx, DAL_LOG_INFO,
            "t = %.6g: %d rows of closed contacts depend on others: their forces are shared by least norm, the motion "
            "is unique",
            t, shared);
    }
    if (shared > 0 && shared > c->totals.shared) {
        c->totals.shared = shared;
    }
}

dal_contact_totals dal_sim_contact_totals(const dal_sim *sim)
{
    if (!sim || !sim->contacts) {
        return (dal_contact_totals){.least_gap = INFINITY};
    }
    dal_contact_totals totals = sim->contacts->totals;
    if (sim->contacts->captured) {
        const dal_net *net = &sim->contacts->captured->net;
        totals.iterations = net->newton;
        totals.sweeps = net->swept;
        totals.rescues = net->rescues;
        totals.unfinished = net->unfinished;
        totals.largest_island = net->largest;
    }
    return totals;
}
