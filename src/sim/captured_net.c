#include "sim/captured_impl.h"

#include <math.h>
#include <string.h>

#include "base/message.h"
#include "base/vector.h"
#include "system/sink.h"

/* ---- clusters --------------------------------------------------------------------------------- */

/* Velocities of a cluster up to which its mass is factored by itself. */
enum { FREE = 12 };

typedef struct mass_sink {
    dal_sink base;
    const dal_system *sys;
    sim_captured *c;
    int *parent; /* of factors; NULL: masses are wanted */
} mass_sink;

static int root_of(int *parent, int k)
{
    while (parent[k] != k) {
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    return k;
}

static void join_factors(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    const mass_sink *s = (mass_sink *)sink;
    const dal_pair p = s->sys->pair[pair];
    (void)C;
    (void)K;
    if (M && p.i != p.j) {
        s->parent[root_of(s->parent, p.i)] = root_of(s->parent, p.j);
    }
}

static void add_mass(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    const mass_sink *s = (mass_sink *)sink;
    const sim_captured *c = s->c;
    const dal_pair p = s->sys->pair[pair];
    const dal_factor *I = &s->sys->group->factor[p.i], *J = &s->sys->group->factor[p.j];
    const int k = c->cluster[I->v];
    (void)C;
    (void)K;
    if (!M || c->saddled[k]) {
        return;
    }
    const int n = c->net.start[k + 1] - c->net.start[k];
    double *to = c->M + c->mass[k] + c->place[I->v] + (ptrdiff_t)n * c->place[J->v];
    for (int j = 0; j < J->nv; ++j) {
        for (int i = 0; i < I->nv; ++i) {
            to[i + (ptrdiff_t)n * j] += M[i + j * I->nv];
        }
    }
}

static dal_point point_of(const dal_sim *sim, double t, const double *q)
{
    return (dal_point){t, q, sim->zero_v, sim->zero_v, sim->saddle->zero};
}

dal_status dal_captured_clusters(dal_sim *sim)
{
    sim_captured *c = sim->contacts->captured;
    const dal_system *sys = sim->ev->sys;
    const int nf = sys->group->nfactors;
    int *parent = c->mass, *number = c->saddled; // room for the time being
    mass_sink sink = {.base = dal_sink_ignoring(DAL_WANT_M), .sys = sys, .c = c, .parent = parent};
    const dal_state_buffer *s = sim->method->current;
    const dal_point at = point_of(sim, s->t, s->q);
    for (int f = 0; f < nf; ++f) {
        parent[f] = f;
    }
    sink.base.pair = join_factors;
    DAL_TRY(dal_eval_tangent(sim->ev, &sink.base, &at));
    for (int k = 0; k < sys->nconstraints; ++k) {
        c->joined[k] = -1;
    }
    for (int l = 0; l < sys->nlinks; ++l) {
        int *first = &c->joined[sys->link[l].c];
        *first = *first < 0 ? sys->link[l].j : *first;
        parent[root_of(parent, sys->link[l].j)] = root_of(parent, *first);
    }
    for (int f = 0; f < nf; ++f) {
        number[f] = -1;
    }
    c->net.nclusters = 0;
    c->net.start[0] = 0;
    for (int f = 0; f < nf; ++f) { // sizes first
        const int root = root_of(parent, f);
        number[root] = number[root] < 0 ? c->net.nclusters++ : number[root];
        const dal_factor *F = &sys->group->factor[f];
        for (int i = 0; i < F->nv; ++i) {
            c->cluster[F->v + i] = number[root];
        }
    }
    memset(c->net.start, 0, ((size_t)c->net.nclusters + 1) * sizeof(int));
    for (int i = 0; i < sys->group->nv; ++i) {
        c->place[i] = c->net.start[c->cluster[i] + 1]++;
    }
    memset(c->saddled, 0, (size_t)nf * sizeof(int));
    for (int l = 0; l < sys->nlinks; ++l) {
        c->saddled[c->cluster[sys->group->factor[sys->link[l].j].v]] = 1;
    }
    c->nmass = 0;
    for (int k = 0; k < c->net.nclusters; ++k) {
        const int n = c->net.start[k + 1];
        c->saddled[k] |= n > FREE;
        c->mass[k] = c->nmass;
        c->nmass += c->saddled[k] ? 0 : n * n;
        c->net.start[k + 1] += c->net.start[k];
    }
    c->stale = 0;
    return DAL_OK;
}

/* ---- contacts --------------------------------------------------------------------------------- */

static dal_status new_contact(dal_sim *sim, captured_contact of, int rows, int normal, double mu)
{
    sim_captured *c = sim->contacts->captured;
    DAL_GROW(sim->ctx, c->net.contact, c->contact_room, c->net.m + 1);
    DAL_GROW(sim->ctx, c->of, c->of_room, c->net.m + 1);
    c->of[c->net.m] = of;
    c->net.contact[c->net.m++] = (dal_net_contact){.rows = rows, .normal = normal, .mu = mu, .cluster = {-1, -1}};
    return DAL_OK;
}

/* Row i of contact k depends on n velocities from v on. */
static dal_status add_row(sim_captured *c, int k, int i, int v, int n, const double *x, int stride)
{
    dal_net_contact *to = &c->net.contact[k];
    const int cluster = c->cluster[v], size = c->net.start[cluster + 1] - c->net.start[cluster];
    const int side = to->cluster[0] == cluster || to->cluster[0] < 0 ? 0 : 1;
    if (to->cluster[side] < 0) {
        const int room = 2 * size * to->rows;
        DAL_GROW(c->net.ctx, c->net.store, c->store_room, c->used + room);
        to->cluster[side] = cluster;
        to->at[side] = c->used;
        dal_zero(c->net.store + c->used, room);
        c->used += room;
    }
    double *row = c->net.store + to->at[side] + (ptrdiff_t)size * i + c->place[v];
    for (int j = 0; j < n; ++j) {
        row[j] += x[(ptrdiff_t)stride * j];
    }
    return DAL_OK;
}

static double rate_of(const dal_touch *t, int axis, const double *v)
{
    double sum = 0.0;
    for (int s = 0; s < 2; ++s) {
        for (int j = 0; j < t->n[s]; ++j) {
            sum += t->row[s][axis][j] * v[t->v[s] + j];
        }
    }
    return sum;
}

/* How fast a gap may shrink (CT.30): one that hits, as it approached when the step began, not at all, but opens with e times that
 * rate; others as far as is left of the gap if the approach ends here. */
static double allowed(const dal_sim *sim, double gap, const captured_contact *of, double e, double h)
{
    const double left = gap - 0.5 * h * of->speed[0];
    const double approach = fmin(of->rate[0], 0.0);
    return left + h * approach <= dal_contact_gap(sim) ? e * approach : left / h;
}

static dal_status add_touch(dal_sim *sim, int number, captured_level level, const double *v, const double *v0, double h)
{
    sim_captured *c = sim->contacts->captured;
    const dal_touch *t = &c->touch[number];
    const int rows = level == CAPTURED_VELOCITIES && t->mu > 0.0 ? 3 : 1, k = c->net.m;
    captured_contact of = {.number = sim->sys->contacts.n + t->pair, .touch = number};
    if (t->n[0] + t->n[1] == 0) {
        return DAL_OK; // nothing of it moves
    }
    for (int i = 0; i < rows && level == CAPTURED_VELOCITIES; ++i) {
        of.speed[i] = rate_of(t, i, v);
        of.rate[i] = rate_of(t, i, v0);
    }
    DAL_TRY(new_contact(sim, of, rows, 1, t->mu));
    for (int s = 0; s < 2; ++s) {
        for (int i = 0; i < rows && t->n[s] > 0; ++i) {
            DAL_TRY(add_row(c, k, i, t->v[s], t->n[s], t->row[s][i], 1));
        }
    }
    dal_net_contact *to = &c->net.contact[k];
    dal_copy(to->d, of.speed, rows);
    to->d[0] = level == CAPTURED_POSITIONS ? t->gap : to->d[0] + allowed(sim, t->gap, &of, t->e, h);
    return DAL_OK;
}

/* Contacts with rows of their own that are closed, by the numbers that the rows have at q. */
static dal_status add_contact(dal_sim *sim, int number, captured_level level, double h, double margin)
{
    const sim_captured *c = sim->contacts->captured;
    const contact_rows *r = &c->rows[number];
    const int normal = r->normal >= 0, velocities = level == CAPTURED_VELOCITIES;
    if (velocities ? normal && !r->velocity && c->Phi[r->normal] > margin
                   : !normal || r->velocity || c->Phi[r->normal] > margin) {
        return DAL_OK;
    }
    dal_contact_law law = {0};
    sim->sys->contacts.law(&law, number, sim->sys->user, sim->data->work);
    const double mu = normal ? law.mu : law.limit * h;
    const int nt = velocities && mu > 0.0 ? r->n : 0;
    captured_contact of = {.number = number, .touch = -1};
    if (normal + nt == 0) {
        return DAL_OK;
    }
    if (normal) {
        of.speed[0] = velocities ? c->vel[r->normal] : 0.0;
        of.rate[0] = velocities ? c->vel0[r->normal] : 0.0;
    }
    for (int i = 0; i < nt; ++i) {
        of.speed[normal + i] = c->vel[r->tangent + i];
        of.rate[normal + i] = c->vel0[r->tangent + i];
    }
    DAL_TRY(new_contact(sim, of, normal + nt, normal, mu));
    dal_net_contact *to = &c->net.contact[c->net.m - 1];
    dal_copy(to->d, of.speed, to->rows);
    if (normal) {
        to->d[0] = !velocities   ? c->Phi[r->normal]
                   : r->velocity ? to->d[0]
                                 : to->d[0] + allowed(sim, c->Phi[r->normal], &of, law.e, h);
    }
    return DAL_OK;
}

typedef struct row_sink {
    dal_sink base;
    dal_sim *sim;
    int *of; /* contacts with rows: their places in the net, -1: none */
    dal_status st;
} row_sink;

static void take_rows(dal_sink *sink, int link, const double *B, const double *Z)
{
    row_sink *s = (row_sink *)sink;
    sim_captured *c = s->sim->contacts->captured;
    const dal_link l = s->sim->sys->link[link];
    const dal_factor *F = &s->sim->sys->group->factor[l.j];
    const int nr = s->sim->sys->constraint[l.c].nrows, contact = c->block_of[l.c];
    (void)Z;
    if (!B || contact < 0 || s->of[contact] < 0) {
        return;
    }
    const dal_net_contact *to = &c->net.contact[s->of[contact]];
    const int tangent = s->sim->sys->contacts.contact[contact].tangent == l.c, first = tangent ? to->normal : 0;
    for (int i = 0; i < nr && first + i < to->rows && s->st == DAL_OK; ++i) {
        s->st = add_row(c, s->of[contact], first + i, F->v, F->nv, B + i, nr);
    }
}

static dal_status collect_rows(dal_sim *sim, captured_level level, const dal_point *at, const double *v0, double margin)
{
    sim_captured *c = sim->contacts->captured;
    const dal_contacts *sys = &sim->sys->contacts;
    const int first = c->net.m;
    row_sink sink = {.base = dal_sink_ignoring(DAL_WANT_B), .sim = sim, .of = c->block_of + sim->sys->nconstraints};
    dal_point before = *at;
    before.v = v0;
    DAL_TRY(sys->residual(&(dal_residual){.Phi = c->Phi, .vel = c->vel}, at, sim->sys->user, sim->data->work));
    if (level == CAPTURED_VELOCITIES) {
        DAL_TRY(sys->residual(&(dal_residual){.vel = c->vel0}, &before, sim->sys->user, sim->data->work));
    }
    double fastest = 0.0;
    for (int k = 0; k < c->n && level == CAPTURED_VELOCITIES; ++k) {
        fastest = c->rows[k].normal >= 0 ? fmax(fastest, fabs(c->vel[c->rows[k].normal])) : fastest;
    }
    for (int k = 0; k < c->n; ++k) {
        const int m = c->net.m;
        DAL_TRY(add_contact(sim, k, level, at->t - c->from, margin + 2.0 * (at->t - c->from) * fastest));
        sink.of[k] = c->net.m > m ? m : -1;
    }
    if (c->net.m == first) {
        return DAL_OK;
    }
    sink.base.link = take_rows;
    DAL_TRY(sys->tangent(&sink.base, at, sim->sys->user, sim->data->work));
    return sink.st;
}

dal_status dal_captured_collect(dal_sim *sim, captured_level level, double t, const double *q, const double *v,
                                const double *v0, double margin)
{
    sim_captured *c = sim->contacts->captured;
    const dal_point at = {t, q, v, sim->zero_v, c->extra};
    const double h = t - c->from;
    c->net.m = c->used = c->ntouches = 0;
    if (c->n > 0) {
        DAL_TRY(collect_rows(sim, level, &at, v0, margin));
    }
    if (sim->sys->contacts.touches) {
        DAL_TRY(sim->sys->contacts.touches(&c->touch, &c->ntouches, &at, margin, level == CAPTURED_VELOCITIES ? h : 0.0,
                                           sim->sys->user, sim->data->work));
        for (int k = 0; k < c->ntouches; ++k) {
            DAL_TRY(add_touch(sim, k, level, v, v0, h));
        }
    }
    return DAL_OK;
}

/* ---- masses ----------------------------------------------------------------------------------- */

/* Lower Cholesky factor in place; 0: the matrix is not positive definite. */
static int factor(double *A, int n)
{
    for (int j = 0; j < n; ++j) {
        for (int k = 0; k < j; ++k) {
            for (int i = j; i < n; ++i) {
                A[i + n * j] -= A[i + n * k] * A[j + n * k];
            }
        }
        if (!(A[j + n * j] > 0.0)) {
            return 0;
        }
        const double root = sqrt(A[j + n * j]);
        for (int i = j; i < n; ++i) {
            A[i + n * j] /= root;
        }
    }
    return 1;
}

static void solve(double *x, const double *L, int n)
{
    for (int j = 0; j < n; ++j) {
        x[j] /= L[j + n * j];
        for (int i = j + 1; i < n; ++i) {
            x[i] -= L[i + n * j] * x[j];
        }
    }
    for (int j = n - 1; j >= 0; --j) {
        for (int i = j + 1; i < n; ++i) {
            x[j] -= L[i + n * j] * x[i];
        }
        x[j] /= L[j + n * j];
    }
}

/* Rows that wait for a solve with the saddle matrix. */
typedef struct waiting {
    int n, contact[CAPTURED_BATCH], side[CAPTURED_BATCH], row[CAPTURED_BATCH];
} waiting;

static void solve_waiting(dal_sim *sim, waiting *w)
{
    sim_captured *c = sim->contacts->captured;
    const int nv = sim->ev->nv, n = nv + sim->ev->nc;
    dal_zero(c->columns, n * w->n);
    for (int k = 0; k < 2 * w->n; ++k) {
        const int i = k % w->n;
        const dal_net_contact *of = &c->net.contact[w->contact[i]];
        const int cluster = of->cluster[w->side[i]], size = c->net.start[cluster + 1] - c->net.start[cluster];
        double *row = c->net.store + of->at[w->side[i]] + (ptrdiff_t)size * w->row[i],
               *Y = row + (ptrdiff_t)size * of->rows;
        if (k == w->n) {
            dal_saddle_solve_many(sim->saddle, c->columns, w->n);
        }
        for (int v = 0; v < nv; ++v) {
            if (c->cluster[v] == cluster) {
                *(k < w->n ? &c->columns[v + (ptrdiff_t)n * i] : &Y[c->place[v]]) =
                    k < w->n ? row[c->place[v]] : c->columns[v + (ptrdiff_t)n * i];
            }
        }
    }
    w->n = 0;
}

/* M of the clusters, as factors. */
static dal_status factor_masses(dal_sim *sim, const dal_point *at)
{
    sim_captured *c = sim->contacts->captured;
    mass_sink sink = {.base = dal_sink_ignoring(DAL_WANT_M), .sys = sim->ev->sys, .c = c};
    dal_zero(c->M, c->nmass);
    sink.base.pair = add_mass;
    DAL_TRY(dal_eval_tangent(sim->ev, &sink.base, at));
    for (int k = 0; k < c->net.nclusters; ++k) {
        if (!c->saddled[k] && !factor(c->M + c->mass[k], c->net.start[k + 1] - c->net.start[k])) {
            c->saddled[k] = 1; // mass is missing: the saddle matrix says where
        }
    }
    return DAL_OK;
}

/* Row i of a contact, those of side 0 first: M^-1 times it, or let it wait for the saddle matrix. */
static void solve_row(dal_sim *sim, waiting *w, int k, int i)
{
    sim_captured *c = sim->contacts->captured;
    const dal_net_contact *of = &c->net.contact[k];
    const int side = i / of->rows, row = i % of->rows, cluster = of->cluster[side];
    if (cluster < 0) {
        return;
    }
    const int size = c->net.start[cluster + 1] - c->net.start[cluster];
    double *x = c->net.store + of->at[side] + (ptrdiff_t)size * row, *Y = x + (ptrdiff_t)size * of->rows;
    if (!c->saddled[cluster]) {
        dal_copy(Y, x, size);
        solve(Y, c->M + c->mass[cluster], size);
        return;
    }
    w->contact[w->n] = k;
    w->side[w->n] = side;
    w->row[w->n++] = row;
    if (w->n == CAPTURED_BATCH) {
        solve_waiting(sim, w);
    }
}

static int needs_saddle(const sim_captured *c)
{
    for (int k = 0; k < 2 * c->net.m; ++k) {
        const int cluster = c->net.contact[k / 2].cluster[k % 2];
        if (cluster >= 0 && c->saddled[cluster]) {
            return 1;
        }
    }
    return 0;
}

dal_status dal_captured_masses(dal_sim *sim, double t, const double *q)
{
    sim_captured *c = sim->contacts->captured;
    const dal_point at = point_of(sim, t, q);
    waiting w = {0};
    DAL_TRY(factor_masses(sim, &at));
    DAL_TRY(needs_saddle(c) ? dal_saddle_factor(sim->saddle, &at, 0) : DAL_OK);
    for (int k = 0; k < c->net.m; ++k) {
        for (int i = 0; i < 2 * c->net.contact[k].rows; ++i) {
            solve_row(sim, &w, k, i);
        }
    }
    if (w.n > 0) {
        solve_waiting(sim, &w);
    }
    return DAL_OK;
}

void dal_captured_scatter(const dal_sim *sim, double *y)
{
    const sim_captured *c = sim->contacts->captured;
    for (int v = 0; v < sim->ev->nv; ++v) {
        y[v] = c->net.x[c->net.start[c->cluster[v]] + c->place[v]];
    }
}
