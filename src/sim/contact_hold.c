/* Contacts that are brought to rest by the least change of the velocities: impacts that accumulate, and sliding that ends. */
#include <math.h>

#include "base/vector.h"
#include "sim/contact_impl.h"

/* Cholesky's method for A y = b (m), y in place of b. Rows that depend on those before do nothing. Returns b.y/2: of velocities, the
 * energy that goes. */
static double solve_rows(double *A, double *y, int m)
{
    for (int j = 0; j < m; ++j) {
        const double whole = A[j + m * j];
        for (int k = 0; k < j; ++k) {
            for (int i = j; i < m; ++i) {
                A[i + m * j] -= A[i + m * k] * A[j + m * k];
            }
        }
        const int depends = !(A[j + m * j] > 1e-9 * whole);
        const double pivot = sqrt(A[j + m * j]);
        for (int i = j; i < m; ++i) {
            A[i + m * j] = !depends ? A[i + m * j] / pivot : i == j ? (double)INFINITY : 0.0;
        }
    }
    double lost = 0.0;
    for (int i = 0; i < m; ++i) {
        for (int k = 0; k < i; ++k) {
            y[i] -= A[i + m * k] * y[k];
        }
        y[i] /= A[i + m * i];
        lost += 0.5 * y[i] * y[i];
    }
    for (int i = m - 1; i >= 0; --i) {
        for (int k = i + 1; k < m; ++k) {
            y[i] -= A[k + m * i] * y[k];
        }
        y[i] /= A[i + m * i];
    }
    return lost;
}

/* v -= y times column j of the participants */
static void take_off(const dal_sim *sim, double *v, double y, int j)
{
    const sim_contacts *c = sim->contacts;
    const int nv = c->saddle->nv, n = nv + c->saddle->nc;
    for (int a = 0; a < nv; ++a) {
        v[a] -= y * c->X[a + (ptrdiff_t)n * j];
    }
}

/* ---- impacts that accumulate ------------------------------------------------------------------ */

/* A box that rocks from edge to edge, as a ball that bounces, comes to rest by impacts that follow each other ever faster. Contacts with more
 * than OFTEN impacts within one fixed step are held where they touch: the least change of the velocities, in the metric of M,
 * that leaves them neither approach nor departure (CT.23). */
enum { OFTEN = 6, MOST_HELD = 16 };

void dal_contact_count(const dal_sim *sim, int contact, double t, double h)
{
    double *memory = dal_contact_memory(sim, contact);
    if (memory[DAL_CONTACT_COUNT] < 0.0 && memory[DAL_CONTACT_SINCE] == t) {
        return; // it stays held
    }
    if (t - memory[DAL_CONTACT_SINCE] > h || memory[DAL_CONTACT_COUNT] < 0.0) {
        memory[DAL_CONTACT_COUNT] = 0.0;
    }
    if (memory[DAL_CONTACT_COUNT] == 0.0) {
        memory[DAL_CONTACT_SINCE] = t;
    }
    memory[DAL_CONTACT_COUNT] += 1.0;
}

static int accumulates(const dal_sim *sim, int contact, double t, double h)
{
    const double *memory = dal_contact_memory(sim, contact);
    return dal_contact_coarse(sim) && h > 0.0 && memory[DAL_CONTACT_COUNT] >= OFTEN &&
           t - memory[DAL_CONTACT_SINCE] <= h;
}

int dal_contact_held(const dal_sim *sim, int contact, double t)
{
    const double *memory = dal_contact_memory(sim, contact);
    return memory[DAL_CONTACT_COUNT] < 0.0 && memory[DAL_CONTACT_SINCE] == t &&
           dal_contact_now(sim, contact) == DAL_CONTACT_IS_OPEN;
}

/* Rows of contacts that take part in hold: the rate of a gap that goes, sliding that stays as the impact left it. */
typedef struct held_rows {
    int row[MOST_HELD], n; /* of the last problem */
    double rate[MOST_HELD];
} held_rows;

static void hold_row(held_rows *H, int row, double rate)
{
    if (H->n < MOST_HELD) {
        H->row[H->n] = row;
        H->rate[H->n++] = rate;
    }
}

void dal_contact_hold(dal_sim *sim, double t, double h)
{
    sim_contacts *c = sim->contacts;
    const int N = c->first[c->m];
    held_rows H = {.n = 0};
    double A[MOST_HELD * MOST_HELD];
    for (int k = 0; k < c->m; ++k) {
        if (c->normal[k] && (accumulates(sim, c->part[k], t, h) || dal_contact_held(sim, c->part[k], t))) {
            hold_row(&H, c->first[k], c->vel[c->rows[c->part[k]].normal]);
        }
    }
    for (int k = 0; k < c->m && H.n > 0; ++k) {
        const int held = accumulates(sim, c->part[k], t, h) || dal_contact_held(sim, c->part[k], t);
        const int sticks =
            c->state[k] == DAL_CONTACT_STICKS || (held && dal_contact_now(sim, c->part[k]) == DAL_CONTACT_STICKING);
        for (int i = c->first[k] + c->normal[k]; i < c->first[k + 1] && sticks; ++i) {
            hold_row(&H, i, c->vel[c->rows[c->part[k]].tangent + i - c->first[k] - c->normal[k]]);
        }
    }
    for (int i = 0; i < H.n * H.n; ++i) {
        A[i] = c->D[H.row[i % H.n] + (ptrdiff_t)N * H.row[i / H.n]];
    }
    c->totals.lost += solve_rows(A, H.rate, H.n);
    for (int i = 0; i < H.n; ++i) {
        take_off(sim, sim->v, H.rate[i], H.row[i]);
    }
}

/* ---- overlaps ---------------------------------------------------------------------------------- */

/* Open contacts further below begin at zero: a flight that began below would end below, later and faster. Steps of fixed size and low order keep
 * what counts as none. */
static double counts_as_zero(const dal_sim *sim)
{
    return (dal_contact_coarse(sim) ? 1.0 : 1e-3) * dal_contact_gap(sim);
}

/* Contacts that touch take part, where one of them is below zero. Returns the lowest gap of these, or 0. Closed ones that have got other features
 * may be anywhere. */
static double join_overlaps(const dal_sim *sim)
{
    sim_contacts *c = sim->contacts;
    double least = 0.0;
    c->m = 0;
    for (int k = 0; k < c->n; ++k) {
        const contact_rows *r = &c->rows[k];
        const int open = dal_contact_now(sim, k) == DAL_CONTACT_IS_OPEN;
        const double none = open ? counts_as_zero(sim) : dal_contact_gap(sim);
        c->mode[k] = DAL_CONTACT_IS_OPEN; // no known direction
        if (r->normal >= 0 && !r->velocity && c->Phi[r->normal] <= none) {
            least = c->Phi[r->normal] < -none ? fmin(least, c->Phi[r->normal]) : least;
            dal_contact_join(c, k, 0, 0.0);
        }
    }
    return least;
}

/* All gaps of the participants become zero, or, where their rows nearly depend on each other, none stays below. */
static dal_status lift_once(dal_sim *sim, int gently, int *solved)
{
    const sim_contacts *c = sim->contacts;
    const int N = c->first[c->m], n = c->saddle->nv + c->saddle->nc;
    *solved = 1;
    dal_zero(c->X + (ptrdiff_t)n * N, n);
    dal_contact_matrix(sim, c->Phi);
    if (gently) {
        DAL_TRY(dal_contact_find(sim, solved));
        dal_contact_motion(c, sim->w);
    } else {
        (void)solve_rows(c->D, c->d, N);
        dal_zero(sim->w, c->saddle->nv);
        for (int j = 0; j < N; ++j) {
            take_off(sim, sim->w, c->d[j], j);
        }
    }
    dal_retract(sim->ev->G, sim->q, sim->q, sim->w);
    return DAL_OK;
}

dal_status dal_contact_lift(dal_sim *sim, double t)
{
    int gently = 0, solved;
    DAL_TRY(dal_sim_contact_values(sim, t, sim->q, sim->v, 0));
    double least = join_overlaps(sim);
    for (int round = 0; round < 8 && least < 0.0; ++round) { // which features are closest may change
        dal_copy(sim->sample_q, sim->q, sim->ev->nq);
        DAL_TRY(lift_once(sim, gently, &solved));
        DAL_TRY(dal_sim_contact_values(sim, t, sim->q, sim->v, 0));
        const int better = solved && join_overlaps(sim) > 0.5 * least;
        if (!better) {
            dal_copy(sim->q, sim->sample_q, sim->ev->nq);
            DAL_TRY(dal_sim_contact_values(sim, t, sim->q, sim->v, 0));
        }
        least = better || !gently ? join_overlaps(sim) : 0.0;
        gently = !better;
        DAL_TRY(dal_sim_contact_rows(sim, t));
    }
    return DAL_OK;
}

/* ---- sliding that ends ------------------------------------------------------------------------ */

/* Closed contacts stay closed, sticking ones stick. */
dal_status dal_contact_halt(dal_sim *sim, double t, const int *modes)
{
    sim_contacts *c = sim->contacts;
    int some = 0;
    for (int k = 0; k < c->n; ++k) {
        some |= c->rows[k].n >= 2 && dal_contact_stops(sim, k);
    }
    if (!some) {
        return DAL_OK;
    }
    c->m = 0;
    for (int k = 0; k < c->n; ++k) {
        const int now = modes[k], rests = now == DAL_CONTACT_STICKING || dal_contact_stops(sim, k);
        c->mode[k] = DAL_CONTACT_IS_OPEN; // no known direction
        if (now != DAL_CONTACT_IS_OPEN && (rests || c->rows[k].normal >= 0)) {
            dal_contact_join(c, k, rests ? c->rows[k].n : 0, 0.0);
        }
    }
    const int N = c->first[c->m];
    DAL_TRY(dal_sim_contact_values(sim, t, sim->q, sim->v, 0));
    dal_zero(c->X + (ptrdiff_t)(c->saddle->nv + c->saddle->nc) * N, c->saddle->nv + c->saddle->nc);
    dal_contact_matrix(sim, c->vel);
    c->totals.lost += solve_rows(c->D, c->d, N);
    for (int j = 0; j < N; ++j) {
        take_off(sim, sim->v, c->d[j], j);
    }
    return DAL_OK;
}
