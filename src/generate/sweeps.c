/* A step of a large model on a device.
 *
 * A thread has few registers and no cache to speak of: with all members of an ensemble in flight what a step keeps goes out to
 * memory, and that traffic is its time. So little is kept: unknowns, residual and factors (NAME_kept). A step goes through
 * the bodies in the order of elimination, once for the residual, once for matrix and factors, once forth and back for the
 * solution, and computes motion, forces and tangents of the bodies it is at anew, in registers (NAME_work is scratch space
 * there, of which nothing reaches memory). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "generate/flexible_impl.h"

int gen_sweeps(const gen *g)
{
    return g->how->scalar == DAL_GENERATE_CUDA && gen_large(g) && g->nleft_out == 0 && !gen_has_flexible(g) &&
           !gen_rattlie(g);
}

const char *gen_kept(const gen *g)
{
    return gen_sweeps(g) ? "kept" : "w";
}

void gen_print_sweep_types(gen *g)
{
    if (!gen_sweeps(g)) {
        return;
    }
    PUT("/* What a step keeps in memory; everything else is computed anew where it is needed. */\n"
        "typedef struct %s_kept {\n    const %s_state *s; /* at the start of the step */\n"
        "    real t, contraction, increment, unseen;\n",
        g->name, g->name);
    PUT("    real x[%d], r[%d], A[%d]; /* unknowns theta, s lambda%s (GA.5); residual; factors */\n", g->n, g->n,
        g->A.nnz, g->ne > 0 ? ", h eta" : "");
    if (g->nB0 > 0) {
        PUT("    real B0[%d]; /* B at the start of the step (GA.6) */\n", g->nB0);
    }
    PUT("} %s_kept;\n\n", g->name);
}

/* ---- order ------------------------------------------------------------------------------------ */

/* Entry of A at p, "A[k]" of the function itself; -1: none. */
static int entry_at(const char *text, const char *p)
{
    const int here = p[0] == 'A' && p[1] == '[' && isdigit((unsigned char)p[2]) &&
                     (p == text || (!isalnum((unsigned char)p[-1]) && p[-1] != '_' && p[-1] != '>'));
    return here ? (int)strtol(p + 2, NULL, 10) : -1;
}

static void mark_entries(unsigned char *mark, const char *text)
{
    for (const char *p = text; *p != '\0'; ++p) {
        const int k = entry_at(text, p);
        if (k >= 0) {
            mark[k] = 1;
        }
    }
}

static void put_kept(gen_text *to, int k)
{
    gen_put(to, "    kept->A[%d] = A[%d];\n", k, k);
}

/* Lines of the factors; an entry goes to memory, if the solution reads it, when nothing more happens to it: after the line
 * that last assigns it, or where it is first read if no line does. */
static dal_status put_factors(gen *g, gen_text *to, const char *factors, const char *solution)
{
    const size_t n = (size_t)g->A.nnz + 1;
    unsigned char *read = dal_alloc_zero(g->ctx, n);
    int *last = dal_alloc_zero(g->ctx, n * sizeof *last);
    if (!read || !last) {
        dal_free(g->ctx, read);
        dal_free(g->ctx, last);
        return dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the entries of the factors");
    }
    mark_entries(read, solution);
    memset(read, 0, (size_t)g->A.nfirst); // T^-1 is kept where it is made
    int line = 1;
    for (const char *p = factors; *p != '\0'; p = strchr(p, '\n') + 1, ++line) {
        const int k = entry_at(p, p + 4);
        last[k] = line;
    }
    line = 1;
    for (const char *p = factors, *end; *p != '\0'; p = end, ++line) {
        end = strchr(p, '\n') + 1;
        for (const char *c = p; c < end; ++c) {
            const int k = entry_at(p, c);
            if (k >= 0 && read[k] && last[k] == 0) {
                put_kept(to, k);
                read[k] = 0;
            }
        }
        gen_put_n(to, p, (size_t)(end - p));
        const int k = entry_at(p, p + 4);
        if (read[k] && last[k] == line) {
            put_kept(to, k);
            read[k] = 0;
        }
    }
    for (int k = 0; k < g->A.nnz; ++k) {
        if (read[k]) {
            put_kept(to, k);
        }
    }
    dal_free(g->ctx, read);
    dal_free(g->ctx, last);
    return DAL_OK;
}

/* ---- functions -------------------------------------------------------------------------------- */

static void open_function(gen *g, const char *comment, const char *head)
{
    PUT("/* %s */\nPHASE %s(%s_kept *kept)\n{\n    %s_work at, *w = &at;\n    const %s_state *s = kept->s;\n", comment,
        head, g->name, g->name, g->name);
    PUT("    w->s = s;\n    w->t = kept->t;\n");
    if (g->nslots > 0) { // so far: what it does was printed before
        PUT("    const real *k = s->k;\n    (void)k;\n");
    }
}

/* B at the start of the step, for eta. */
static void print_begin(gen *g)
{
    char head[2 * GEN_NAME];
    gen_text body = {.ctx = g->ctx}, *out = g->out;
    if (g->nB0 == 0) {
        return;
    }
    g->out = &body;
    gen_print_states(g, "s->q", "s->v", "s->vd", 1);
    gen_print_keep(g);
    g->out = out;
    snprintf(head, sizeof head, "void %s_begin", g->name);
    open_function(g, "What stays the same all through a step (GA.6).", head);
    gen_put_n(out, body.s ? body.s : "", body.n);
    out->failed |= body.failed;
    gen_text_release(&body);
    PUT("}\n\n");
}

/* Rows in the order of elimination; what is not finite stays so. */
static dal_status print_residual(gen *g, const gen_text *body)
{
    char head[2 * GEN_NAME], s[64], weight[64];
    gen_text rows = {.ctx = g->ctx};
    gen_literal(s, sizeof s, g->s);
    for (int n = 0; n < g->n; ++n) {
        const int r = g->A.pivot_row[n];
        if (r < g->nv) {
            gen_put(&rows, "    w->r[%d] *= %s; // (GA.9)\n", r, s);
        }
        gen_put(&rows, "    kept->r[%d] = w->r[%d];\n    most = real_max(most, real_abs(w->r[%d]) * %s);\n", r, r, r,
                gen_literal(weight, sizeof weight, g->weight[r]));
        gen_put(&rows, "    total += real_abs(w->r[%d]) * %s;\n", r, weight);
    }
    snprintf(head, sizeof head, "real %s_residual", g->name);
    open_function(g, "Residual of (GA.5); its largest entry.", head);
    PUT("    real u[%d], most = REAL(0.0), total = REAL(0.0);\n", g->nv);
    const dal_status st =
        rows.failed ? dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the text") : gen_demand(g, body, &rows);
    PUT("    return real_select(real_less(total, REAL(INFINITY)), most, total);\n}\n\n");
    gen_text_release(&rows);
    return st;
}

static dal_status print_renew(gen *g, const gen_text *matrix, const char *factors, const char *solution)
{
    char head[2 * GEN_NAME];
    gen_text lines = {.ctx = g->ctx};
    dal_status st = put_factors(g, &lines, factors, solution);
    st = st == DAL_OK && lines.failed ? dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the text") : st;
    snprintf(head, sizeof head, "void %s_renew", g->name);
    open_function(g, "Iteration matrix (GA.10) and its LU factors, in a fixed order; pivots are inverted.", head);
    PUT("    real u[%d], A[%d];\n", g->nv, g->A.nnz);
    st = st == DAL_OK ? gen_demand(g, matrix, &lines) : st;
    PUT("}\n\n");
    gen_text_release(&lines);
    return st;
}

void gen_print_advance(gen *g)
{
    gen_text moves = {.ctx = g->ctx};
    char tol[64];
    PUT("/* Newton's increment dx, added to the unknowns; its size. */\nPHASE real %s_advance(%s_kept *kept, real "
        "dx[%d])\n"
        "{\n    const real *A = kept->A;\n    real x[%d], b[%d], worst = REAL(0.0), mu = REAL(0.0), dmu = REAL(0.0);\n",
        g->name, g->name, g->n, g->n, g->n);
    for (int n = g->n - 1; n >= 0; --n) {
        const int c = g->A.pivot_col[n];
        gen_literal(tol, sizeof tol, g->tolerance[c]);
        gen_put(&moves, "    dx[%d] = x[%d];\n    kept->x[%d] += x[%d];\n", c, c, c, c);
        if (c < g->nv || c >= g->nv + g->nc) {
            gen_put(&moves, "    worst = real_max(worst, newton_part(kept->x[%d], x[%d], %s));\n", c, c, tol);
        } else {
            gen_put(&moves,
                    "    mu = real_max(mu, real_abs(kept->x[%d]) * %s);\n    dmu = real_max(dmu, real_abs(x[%d]) * "
                    "%s);\n",
                    c, tol, c, tol);
        }
    }
    const dal_status st = gen_demand(g, &g->solution, &moves);
    g->out->failed |= moves.failed || st != DAL_OK;
    gen_text_release(&moves);
    PUT("    return newton_whole(kept->s, worst, mu, dmu);\n}\n\n");
}

/* ---- the file --------------------------------------------------------------------------------- */

/* Statements of the matrix, of its factors, of the solution, with entries numbered together. */
static dal_status make_solver(gen *g, gen_text *all)
{
    gen_text body = {.ctx = g->ctx};
    g->out = &body;
    gen_print_matrix(g);
    g->out = all;
    gen_print_N(g);
    gen_print_clears(g);
    gen_put_n(all, body.s ? body.s : "", body.n);
    all->failed |= body.failed;
    gen_text_release(&body);
    DAL_TRY(gen_order(g));
    PUT("\f\n");
    gen_print_factor(g);
    PUT("\f\n");
    for (int i = 0; i < g->n; ++i) {
        PUT("    b[%d] = -kept->r[%d];\n", i, i);
    }
    gen_print_backsolve(g);
    return DAL_OK;
}

dal_status gen_print_sweeps(gen *g)
{
    gen_text residual = {.ctx = g->ctx}, all = {.ctx = g->ctx}, matrix = {.ctx = g->ctx}, *out = g->out;
    print_begin(g);
    g->out = &residual;
    gen_print_residual(g);
    dal_status st = make_solver(g, &all);
    g->out = out;
    if (st == DAL_OK && (residual.failed || all.failed)) {
        st = dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the text");
    }
    if (st == DAL_OK) {
        char *factors = strstr(all.s, "\f\n"), *solution = strstr(factors + 1, "\f\n");
        *factors = *solution = '\0';
        gen_put_n(&matrix, residual.s ? residual.s : "", residual.n); // forces, for the curvature of coordinates
        gen_put_n(&matrix, all.s, strlen(all.s));
        g->solution = (gen_text){.ctx = g->ctx};
        gen_put_n(&g->solution, solution + 2, strlen(solution + 2));
        st = print_residual(g, &residual);
        st = st == DAL_OK ? print_renew(g, &matrix, factors + 2, solution + 2) : st;
    }
    gen_text_release(&residual);
    gen_text_release(&matrix);
    gen_text_release(&all);
    return st;
}

void gen_print_first_motion(gen *g)
{
    for (int i = 1; i < g->m->body_names.n; ++i) {
        const mb_body *b = &g->m->body[i];
        const int from = b->v, to = b->v + b->type->nv;
        PUT("    predict(w->x, w->v, s, weight, %d, %d);\n", from, to);
        gen_print_bracket(g, i);
        PUT("    for (int i = %d; i < %d; ++i) {\n        kept->x[i] = w->x[i];\n    }\n", from, to);
    }
    for (int k = 0; k < g->m->force_names.n; ++k) {
        const mb_force *f = &g->m->force[k];
        if (f->factor >= 0) {
            PUT("    predict(w->x, w->v, s, weight, %d, %d);\n    kept->x[%d] = w->x[%d];\n", f->v, f->v + 1, f->v,
                f->v);
        }
    }
}

static void print_accepted(gen *g, int q, int nq, int v, int nv)
{
    PUT("    compare(worst, s, w->vd, %d, %d);\n    accept_position(s, w->q, solved, %d, %d);\n", v, v + nv, q, q + nq);
    PUT("    accept_velocity(s, w->v, w->vd, solved, %d, %d);\n", v, v + nv);
}

void gen_print_accept_motion(gen *g)
{
    PUT("    real u[%d];\n", g->nv);
    for (int i = 0; i < g->m->body_names.n; ++i) {
        const mb_body *b = &g->m->body[i];
        gen_print_motion(g, i);
        if (g->nmemory > 0) {
            gen_print_state(g, i, "w->q", "w->v", "w->vd", 0);
        }
        if (i > 0) {
            print_accepted(g, b->q, b->type->nq, b->v, b->type->nv);
        }
    }
    for (int k = 0; k < g->m->force_names.n; ++k) {
        const mb_force *f = &g->m->force[k];
        if (f->factor >= 0) {
            gen_print_motion_of_force(g, k);
            print_accepted(g, f->q, 1, f->v, 1);
        }
    }
}
