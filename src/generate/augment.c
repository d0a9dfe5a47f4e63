/* What the order of elimination needs beside the Jacobian.
 *
 * Velocities are eliminated first (matrix.c), for which the matrix of their inertia must be regular. It is not where a
 * body has no mass or no inertia, and never for Euler parameters; on the motions that the joints allow it is. So a multiple of
 * their rows is added to the rows of the velocities they act on, the right-hand side follows: M becomes M + c B^T B, which is
 * positive definite if M is so where B v = 0, and the solution stays the same.
 *
 * Rows that depend on others and are left out keep their place, as mu = 0. */
#include <stdio.h>

#include "generate/generate_impl.h"

/* ---- which ------------------------------------------------------------------------------------ */

/* Pivots of the Cholesky factors of the mass matrix of a body that does not move, in the directions in which it can. */
static double least_pivot(const mb_body *b)
{
    const double c[3] = {b->mc[0], b->mc[1], b->mc[2]};
    double A[36] = {0.0}, least = 1.0;
    const int n = !b->type->rotates ? 3 : 6;
    for (int i = 0; i < 3; ++i) {
        A[7 * i] = b->m;
        for (int k = 0; k < 3; ++k) {
            A[3 + i + 6 * (3 + k)] = b->J[i + 3 * k];
        }
    }
    // m c~ below the diagonal, its transpose above
    const double cross[9] = {0.0, c[2], -c[1], -c[2], 0.0, c[0], c[1], -c[0], 0.0};
    for (int k = 0; k < 9; ++k) {
        A[3 + k % 3 + 6 * (k / 3)] = cross[k];
        A[k / 3 + 6 * (3 + k % 3)] = cross[k];
    }
    for (int k = 0; k < n; ++k) {
        const double own = A[7 * k], first = k < 3 ? b->m : b->J[4 * (k - 3)];
        if (b->type->planar && k >= 2 && k < 5) {
            continue; // does not move there
        }
        least = fmin(least, first > 0.0 ? own / first : 0.0);
        for (int i = k + 1; i < n && own > 0.0; ++i) {
            for (int j = k + 1; j < n; ++j) {
                A[i + 6 * j] -= A[i + 6 * k] * A[k + 6 * j] / own;
            }
        }
    }
    return least;
}

int gen_massless(const mb_body *b)
{
    return !(least_pivot(b) > 1e-10);
}

/* Does a constraint act on a body without inertia in some direction? */
static int acts_on_massless(const gen *g, int k)
{
    int yes = g->m->constraint[k].type->form == MB_FORM_NORM;
    for (int l = 0; l < g->nlinks; ++l) {
        yes |= g->link[l].c == k && g->body[g->link[l].body].massless;
    }
    return yes;
}

/* The multiple: of the size of the inertia of the bodies that the constraint acts on, or of all bodies. */
static double multiple(const gen *g, int k)
{
    double own = 0.0, all = 0.0;
    for (int i = 1; i < g->m->body_names.n; ++i) {
        const mb_body *b = &g->m->body[i];
        const double J = b->type->rotates ? b->J[0] + b->J[4] + b->J[8] : 0.0;
        const double size = g->m->constraint[k].type->form == MB_FORM_NORM ? 4.0 * J : fmax(b->m, J);
        int acts = 0;
        for (int l = 0; l < g->nlinks; ++l) {
            acts |= g->link[l].c == k && g->link[l].body == i;
        }
        own = acts ? fmax(own, size) : own;
        all = fmax(all, fmax(b->m, J));
    }
    return g->s * g->kv * g->gp * (own > 0.0 ? own : all > 0.0 ? all : 1.0);
}

/* ---- row operations --------------------------------------------------------------------------- */

static int new_operation(gen *g, int row, int by)
{
    gen_matrix *A = &g->A;
    if (A->nops == A->op_capacity) {
        const int capacity = 2 * A->op_capacity + 64;
        gen_rowop *op = dal_alloc_zero(g->ctx, (size_t)capacity * sizeof *op);
        if (!op) {
            g->st = dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the row operations");
            return -1;
        }
        if (A->nops > 0) {
            memcpy(op, A->op, (size_t)A->nops * sizeof *op);
        }
        dal_free(g->ctx, A->op);
        A->op = op;
        A->op_capacity = capacity;
    }
    A->op[A->nops++] = (gen_rowop){row, by, A->nnz};
    return A->nnz++;
}

/* Row i of a velocity plus c B^T in column `row` times the row of the constraint. */
static void print_operation(gen *g, int i, int row, const char *c)
{
    gen_matrix *A = &g->A;
    const int slot = new_operation(g, i, row);
    if (slot < 0) {
        return;
    }
    char text[2 * GEN_NAME];
    gen_term_text(text, sizeof text, gen_entry_value(A, i, row));
    PUT("    A[%d] = %s * %s;\n", slot, c, text);
    for (int j = 0; j < A->n; ++j) {
        if (A->at[row + j * A->n] >= 0) {
            gen_mat one = gen_zero(1, 1);
            gen_expr e = {0};
            gen_expr_add(&e, 1.0, gen_name(1.0, "A[%d]", slot), gen_entry_value(A, row, j));
            one.e[0] = gen_expr_emit(g, "R", &e);
            gen_scatter(g, i, j, 0, &one);
        }
    }
}

void gen_print_row_operations(gen *g)
{
    const gen_matrix *A = &g->A;
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        char number[GEN_NAME];
        if (!acts_on_massless(g, k)) {
            continue;
        }
        PUT("    { // %s: its rows added to those of velocities without inertia\n",
            gen_comment(gen_joint_name(g, c)).s);
        gen_literal(number, sizeof number, multiple(g, k));
        for (int r = g->nv + c->row0; r < g->nv + c->row0 + c->nrows; ++r) {
            for (int i = 0; i < g->nv; ++i) {
                if (A->at[i + r * A->n] >= 0) {
                    print_operation(g, i, r, number);
                }
            }
        }
        PUT("    }\n");
    }
}

/* ---- rows left out ---------------------------------------------------------------------------- */

/* The constraint a row belongs to. */
static int constraint_of(const gen *g, int row)
{
    int k = 0;
    while (k + 1 < g->m->nconstraints && g->m->constraint[k + 1].row0 <= row) {
        ++k;
    }
    return k;
}

void gen_leave_out(gen *g)
{
    gen_mask_rows(g);
    for (int i = 0; i < g->nleft_out; ++i) {
        const int row = g->left_out[i], k = constraint_of(g, row);
        g->A.left_out[g->nv + row] = 1;
        if (g->eta0[k] >= 0 && !g->saddle) {
            g->A.left_out[g->nv + g->nc + g->eta0[k] + row - g->m->constraint[k].row0] = 1;
        }
    }
}

void gen_print_left_out_residual(gen *g)
{
    for (int i = 0; i < g->nleft_out; ++i) {
        PUT("    w->left_out[%d] = w->r[%d]; // depends on other rows\n", i, g->nv + g->left_out[i]);
    }
    for (int r = g->nv; r < g->n; ++r) {
        if (g->A.left_out[r]) {
            PUT("    w->r[%d] = w->x[%d];\n", r, r);
        }
    }
}

void gen_leave_out_tangent(gen *g)
{
    gen_matrix *A = &g->A;
    for (int r = g->nv; r < g->n; ++r) {
        if (A->left_out[r]) {
            const int place = r + r * A->n;
            gen_entry(A, r, r);
            A->seen[place] = 1;
            A->known[place] = 1.0;
        }
    }
}

/* Rows of one level: those left out against those kept (RD.3). */
static void print_watch(gen *g, int nonholonomic)
{
    const char *x = nonholonomic ? "v" : "q";
    int some = 0;
    for (int i = 0; i < g->nleft_out; ++i) {
        some |= g->m->constraint[constraint_of(g, g->left_out[i])].nonholonomic == nonholonomic;
    }
    if (!some) {
        return;
    }
    PUT("    {\n    real kept = REAL(0.0), worst = REAL(0.0), size = REAL(1.0);\n");
    for (int r = 0, d = 0; r < g->nc; ++r) {
        const int gone = d < g->nleft_out && g->left_out[d] == r;
        if (g->m->constraint[constraint_of(g, r)].nonholonomic == nonholonomic) {
            PUT(gone ? "    worst = real_max(worst, real_abs(w->left_out[%d]));\n"
                     : "    kept = real_max(kept, real_abs(w->r[%d]));\n",
                gone ? d : g->nv + r);
        }
        d += gone;
    }
    const gen_factor tolerance =
        gen_power_text(g, nonholonomic ? 1e-8 * g->s_vel : 1e-10, nonholonomic && g->opt.scaling);
    PUT("    for (int i = 0; i < %d; ++i) {\n        size = real_max(size, 1.0 + real_abs(w->%s[i]));\n    }\n",
        nonholonomic ? g->nv : g->nq, x);
    PUT("    s->failed = s->failed | (solved & real_not(real_at_most(worst, %s * size + 100.0 * kept)));\n    }\n",
        tolerance.s);
}

void gen_print_watch(gen *g)
{
    if (g->nleft_out == 0) {
        return;
    }
    PUT("/* Rows that were left out must go on depending on the others (RD.3). */\n");
    PUT("static inline void watch_rows(%s_state *s, %s_work *w, real_mask solved)\n{\n", g->name, g->name);
    PUT("    %s_residual(w);\n", g->name);
    print_watch(g, 0);
    print_watch(g, 1);
    PUT("}\n\n");
}
