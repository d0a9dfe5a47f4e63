#include "contact/net.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "contact/problem.h"

/* Unknowns of an island up to which Newton's method costs less than sweeps, and up to which it is tried where sweeps come to no end. */
enum { SMALL = 48, MEDIUM = 240 };

static int size_of(const dal_net *net, int cluster)
{
    return net->start[cluster + 1] - net->start[cluster];
}

/* B^T of a side, then Y. */
static const double *side_of(const dal_net *net, const dal_net_contact *c, int s)
{
    return net->store + c->at[s];
}

/* ---- islands ---------------------------------------------------------------------------------- */

static int root_of(int *parent, int k)
{
    while (parent[k] != k) {
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    return k;
}

/* Islands are numbered in the order of their first contacts; order: contacts, island after island, list: where each begins. */
static dal_status find_islands(dal_net *net)
{
    DAL_GROW(net->ctx, net->parent, net->parent_room, 2 * net->nclusters);
    DAL_GROW(net->ctx, net->order, net->order_room, net->m);
    DAL_GROW(net->ctx, net->list, net->list_room, net->m + 1);
    int *number = net->parent + net->nclusters;
    for (int k = 0; k < net->nclusters; ++k) {
        net->parent[k] = k;
        number[k] = -1;
    }
    for (int k = 0; k < net->m; ++k) {
        const dal_net_contact *c = &net->contact[k];
        if (c->cluster[0] >= 0 && c->cluster[1] >= 0) {
            net->parent[root_of(net->parent, c->cluster[0])] = root_of(net->parent, c->cluster[1]);
        }
    }
    net->nisland = 0;
    memset(net->list, 0, ((size_t)net->m + 1) * sizeof *net->list);
    for (int k = 0; k < net->m; ++k) {
        dal_net_contact *c = &net->contact[k];
        const int root = root_of(net->parent, c->cluster[0] >= 0 ? c->cluster[0] : c->cluster[1]);
        number[root] = number[root] < 0 ? net->nisland++ : number[root];
        c->island = number[root];
        net->list[c->island + 1]++;
    }
    for (int i = 0; i < net->nisland; ++i) {
        net->largest = net->list[i + 1] > net->largest ? net->list[i + 1] : net->largest;
        net->list[i + 1] += net->list[i];
    }
    for (int k = net->m - 1; k >= 0; --k) { // the ends become the beginnings
        net->order[--net->list[net->contact[k].island + 1]] = k;
    }
    memmove(net->list, net->list + 1, (size_t)net->nisland * sizeof *net->list);
    net->list[net->nisland] = net->m;
    return DAL_OK;
}

/* ---- one contact ------------------------------------------------------------------------------ */

/* Entry (i, j) of D between two contacts. */
static double entry(const dal_net *net, const dal_net_contact *a, int i, const dal_net_contact *b, int j)
{
    double sum = 0.0;
    for (int s = 0; s < 4; ++s) {
        const int k = a->cluster[s / 2];
        if (k >= 0 && k == b->cluster[s % 2]) {
            const int n = size_of(net, k);
            sum += dal_dot(side_of(net, a, s / 2) + (ptrdiff_t)n * i,
                           side_of(net, b, s % 2) + (ptrdiff_t)n * (b->rows + j), n);
        }
    }
    return sum;
}

static void find_steps(dal_net *net)
{
    for (int k = 0; k < net->m; ++k) {
        dal_net_contact *c = &net->contact[k];
        double largest = 0.0;
        for (int i = c->normal; i < c->rows; ++i) {
            largest = fmax(largest, entry(net, c, i, c, i));
        }
        if (c->rows - c->normal == 2) {
            largest += fabs(entry(net, c, c->normal, c, c->normal + 1));
        }
        const double D = c->normal ? entry(net, c, 0, c, 0) : 0.0;
        c->r_n = D > 0.0 ? 1.0 / D : 0.0;
        c->r_t = largest > 0.0 ? 1.0 / largest : 0.0;
    }
}

static double w_of(const dal_net *net, const dal_net_contact *c, int i)
{
    double w = c->d[i];
    for (int s = 0; s < 2; ++s) {
        const int k = c->cluster[s];
        if (k >= 0) {
            const int n = size_of(net, k);
            w += dal_dot(side_of(net, c, s) + (ptrdiff_t)n * i, net->x + net->start[k], n);
        }
    }
    return w;
}

/* x += Y dp of row i */
static void push(const dal_net *net, const dal_net_contact *c, int i, double dp)
{
    for (int s = 0; s < 2 && dp != 0.0; ++s) {
        const int k = c->cluster[s];
        if (k >= 0) {
            const int n = size_of(net, k);
            dal_add_multiple(net->x + net->start[k], side_of(net, c, s) + (ptrdiff_t)n * (c->rows + i), dp, n);
        }
    }
}

/* A Gauss-Seidel step; returns the largest change of w. */
static double relax(const dal_net *net, dal_net_contact *c)
{
    double change = 0.0;
    if (c->normal && c->r_n > 0.0) {
        const double p = fmax(0.0, c->p[0] - c->r_n * w_of(net, c, 0)), dp = p - c->p[0];
        c->p[0] = p;
        push(net, c, 0, dp);
        change = fabs(dp) / c->r_n;
    }
    const int nt = c->rows - c->normal;
    double *p = c->p + c->normal, z[2] = {0.0, 0.0};
    const double limit = c->normal ? c->mu * c->p[0] : c->mu;
    for (int i = 0; i < nt; ++i) {
        z[i] = p[i] - c->r_t * w_of(net, c, c->normal + i);
    }
    const double size = sqrt(z[0] * z[0] + z[1] * z[1]), part = size <= limit ? 1.0 : limit / size;
    for (int i = 0; i < nt && c->r_t > 0.0; ++i) {
        const double dp = part * z[i] - p[i];
        p[i] += dp;
        push(net, c, c->normal + i, dp);
        change = fmax(change, fabs(dp) / c->r_t);
    }
    return change;
}

/* ---- islands of both sizes -------------------------------------------------------------------- */

/* Returns whether changes came below tol. */
static int sweep(dal_net *net, int from, int to, int most, double tol)
{
    int k = 0;
    double change = INFINITY;
    for (; k < most && change > tol; ++k) {
        change = 0.0;
        for (int i = from; i < to; ++i) {
            change = fmax(change, relax(net, &net->contact[net->order[i]]));
        }
    }
    net->swept += k;
    return change <= tol;
}

/* pushed: x has the impulses that it begins with already */
static dal_status solve_dense(dal_net *net, int from, int to, int N, int pushed)
{
    int first[MEDIUM + 1] = {0}, normal[MEDIUM], state[MEDIUM];
    double mu[MEDIUM];
    const int m = to - from;
    DAL_GROW(net->ctx, net->dense, net->dense_room, N * N + 3 * N);
    double *D = net->dense, *d = D + (ptrdiff_t)N * N, *p = d + N, *w = p + N;
    for (int k = 0; k < m; ++k) {
        const dal_net_contact *c = &net->contact[net->order[from + k]];
        first[k + 1] = first[k] + c->rows;
        normal[k] = c->normal;
        mu[k] = c->mu;
        dal_copy(d + first[k], c->d, c->rows);
        dal_copy(p + first[k], c->p, c->rows);
    }
    for (int k = 0; k < m * m; ++k) {
        const dal_net_contact *a = &net->contact[net->order[from + k % m]],
                              *b = &net->contact[net->order[from + k / m]];
        for (int i = 0; i < a->rows * b->rows; ++i) {
            const int row = i % a->rows, column = i / a->rows;
            D[first[k % m] + row + (ptrdiff_t)N * (first[k / m] + column)] = entry(net, a, row, b, column);
        }
    }
    dal_contact_problem P = {.m = m,
                             .first = first,
                             .normal = normal,
                             .mu = mu,
                             .D = D,
                             .d = d,
                             .p = p,
                             .w = w,
                             .state = state,
                             .most = pushed ? 1 : 0};
    DAL_TRY(dal_contact_solve(&P, net->ctx));
    net->newton += P.iterations;
    net->rescues += P.attempts > 1;
    net->unfinished += !(P.residual <= 1e-8);
    if (pushed && !(P.residual <= 1e-8)) {
        return DAL_OK; // what the sweeps came to is as good
    }
    for (int k = 0; k < m; ++k) {
        dal_net_contact *c = &net->contact[net->order[from + k]];
        for (int i = 0; i < c->rows; ++i) {
            const double sum = c->normal && i == 0 ? fmax(p[first[k] + i], 0.0) : p[first[k] + i];
            push(net, c, i, sum - (pushed ? c->p[i] : 0.0));
            c->p[i] = sum;
        }
    }
    return DAL_OK;
}

/* Sweeps from where the last step ended; islands of a middling size are finished by Newton's method. */
static dal_status solve_large(dal_net *net, int from, int to, int N)
{
    for (int i = from; i < to; ++i) {
        dal_net_contact *c = &net->contact[net->order[i]];
        for (int j = 0; j < c->rows; ++j) {
            push(net, c, j, c->p[j]);
        }
    }
    if (N <= MEDIUM) {
        return sweep(net, from, to, net->sweeps, 1e-3 * net->tol) ? DAL_OK : solve_dense(net, from, to, N, 1);
    }
    net->unfinished += !sweep(net, from, to, net->sweeps, net->tol);
    return DAL_OK;
}

static dal_status solve_island(dal_net *net, int island)
{
    const int from = net->list[island], to = net->list[island + 1];
    int N = 0;
    for (int i = from; i < to; ++i) {
        N += net->contact[net->order[i]].rows;
    }
    return N <= SMALL ? solve_dense(net, from, to, N, 0) : solve_large(net, from, to, N);
}

static void find_rates(dal_net *net)
{
    for (int k = 0; k < net->m; ++k) {
        dal_net_contact *c = &net->contact[k];
        for (int i = 0; i < c->rows; ++i) {
            c->w[i] = w_of(net, c, i);
        }
    }
}

dal_status dal_net_solve(dal_net *net)
{
    DAL_TRY(find_islands(net));
    find_steps(net);
    dal_zero(net->x, net->start[net->nclusters]);
    for (int island = 0; island < net->nisland; ++island) {
        DAL_TRY(solve_island(net, island));
    }
    find_rates(net);
    return DAL_OK;
}

dal_status dal_net_solve_again(dal_net *net)
{
    for (int island = 0; island < net->nisland; ++island) {
        int again = 0;
        for (int i = net->list[island]; i < net->list[island + 1]; ++i) {
            again |= net->contact[net->order[i]].again;
        }
        for (int i = 2 * net->list[island]; i < 2 * net->list[island + 1] && again; ++i) {
            const int k = net->contact[net->order[i / 2]].cluster[i % 2];
            dal_zero(net->x + (k >= 0 ? net->start[k] : 0), k >= 0 ? size_of(net, k) : 0);
        }
        DAL_TRY(again ? solve_island(net, island) : DAL_OK);
    }
    find_rates(net);
    return DAL_OK;
}

void dal_net_release(dal_net *net)
{
    dal_free(net->ctx, net->parent);
    dal_free(net->ctx, net->order);
    dal_free(net->ctx, net->list);
    dal_free(net->ctx, net->dense);
}
