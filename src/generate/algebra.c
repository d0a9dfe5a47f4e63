/* Sums of products of known numbers and names. What is known while the program is printed is not computed while it runs:
 * numbers fold, zeros and ones vanish. */
#include <stdarg.h>
#include <stdio.h>

#include "generate/generate_impl.h"

gen_term gen_const(double c)
{
    return (gen_term){.c = c};
}

gen_term gen_name(double c, const char *format, ...)
{
    gen_term t = {.c = c};
    va_list args;
    va_start(args, format);
    vsnprintf(t.s, sizeof t.s, format, args);
    va_end(args);
    return t;
}

gen_mat gen_zero(int m, int n)
{
    gen_mat A = {.m = m, .n = n};
    return A;
}

gen_mat gen_identity(int n)
{
    gen_mat A = gen_zero(n, n);
    for (int i = 0; i < n; ++i) {
        A.e[i + i * n].c = 1.0;
    }
    return A;
}

void gen_block(gen_mat *A, int i, int j, double c, const char *name, int first, int ld)
{
    for (int s = 0; s < 3; ++s) {
        for (int r = 0; r < 3; ++r) {
            A->e[i + r + (j + s) * A->m] = gen_name(c, "%s[%d]", name, first + r + s * ld);
        }
    }
}

gen_mat gen_transpose(const gen_mat *A)
{
    gen_mat B = gen_zero(A->n, A->m);
    for (int j = 0; j < A->n; ++j) {
        for (int i = 0; i < A->m; ++i) {
            B.e[j + i * B.m] = A->e[i + j * A->m];
        }
    }
    return B;
}

static int is_zero(gen_term t)
{
    return t.c == 0.0;
}

void gen_expr_add(gen_expr *e, double c, gen_term a, gen_term b)
{
    const double f = c * a.c * b.c;
    if (f == 0.0) {
        return;
    }
    if (!a.s[0] && !b.s[0]) {
        e->c += f;
        return;
    }
    const gen_term first = a.s[0] ? a : b, second = a.s[0] ? b : gen_const(1.0);
    for (int k = 0; k < e->n; ++k) {
        if (strcmp(e->t[k].a.s, first.s) == 0 && strcmp(e->t[k].b.s, second.s) == 0) {
            e->t[k].c += f;
            return;
        }
    }
    if (e->n < GEN_TERMS) {
        e->t[e->n].c = f;
        e->t[e->n].a = first;
        e->t[e->n++].b = second;
    }
}

/* ---- values ----------------------------------------------------------------------------------- */

static void add_need(gen *g, gen_term t)
{
    if (t.value > 0 &&
        dal_grow(g->ctx, (void **)&g->need, &g->need_capacity, g->nneeds + 1, sizeof *g->need) == DAL_OK) {
        g->need[g->nneeds++] = t.value;
        g->value[g->nvalues].nneeds++;
    }
}

/* A value that waits: its statement will be what is put to g->waiting next. */
static gen_term new_value(gen *g, const char *prefix, const gen_expr *e)
{
    gen_term made = gen_name(1.0, "%s_%d", prefix, ++g->temporaries);
    if (dal_grow(g->ctx, (void **)&g->value, &g->value_capacity, g->nvalues + 2, sizeof *g->value) != DAL_OK) {
        g->st = DAL_ENOMEM;
        return made;
    }
    made.value = ++g->nvalues;
    g->value[made.value] = (gen_value){.first = g->waiting.n, .needs = g->nneeds};
    for (int k = 0; k < e->n; ++k) {
        add_need(g, e->t[k].a);
        add_need(g, e->t[k].b);
    }
    return made;
}

void gen_need(gen *g, gen_term t)
{
    gen_value *v = t.value > 0 ? &g->value[t.value] : NULL;
    const size_t length = v ? v->length : 0;
    if (length > 0) {
        v->length = 0; // once
        for (int k = v->needs; k < v->needs + v->nneeds; ++k) {
            gen_need(g, (gen_term){.value = g->need[k]});
        }
        gen_put_n(g->out, g->waiting.s + v->first, length);
    }
}

void gen_values_release(gen *g)
{
    dal_free(g->ctx, g->value);
    dal_free(g->ctx, g->need);
    gen_text_release(&g->waiting);
}

/* " + c a b", with the sign alone where c is 1 or -1 */
static void put_term(gen *g, int first, double c, const char *a, const char *b)
{
    char number[GEN_NAME];
    const char *sign = c < 0.0 ? (first ? "-" : " - ") : first ? "" : " + ";
    PUT("%s", sign);
    if (fabs(c) != 1.0) {
        PUT("%s * ", gen_literal(number, sizeof number, fabs(c)));
    }
    PUT("%s%s%s", a, b[0] ? " * " : "", b);
}

gen_term gen_expr_emit(gen *g, const char *prefix, const gen_expr *e)
{
    char number[GEN_NAME];
    gen_text *out = g->out;
    int used = 0, last = 0;
    for (int k = 0; k < e->n; ++k) {
        used += e->t[k].c != 0.0;
        last = e->t[k].c != 0.0 ? k : last;
    }
    if (used == 0) {
        return gen_const(e->c);
    }
    if (used == 1 && e->c == 0.0 && !e->t[last].b.s[0]) {
        gen_term alone = e->t[last].a;
        alone.c = e->t[last].c;
        return alone;
    }
    const gen_term made = new_value(g, prefix, e);
    if (made.value == 0) {
        return made; // no memory: what is printed is no program
    }
    g->waiting.ctx = g->ctx;
    g->out = &g->waiting;
    PUT("    const real %s = ", made.s);
    int first = 1;
    for (int k = 0; k < e->n; ++k) {
        if (e->t[k].c != 0.0) {
            put_term(g, first, e->t[k].c, e->t[k].a.s, e->t[k].b.s);
            first = 0;
        }
    }
    if (e->c != 0.0) {
        PUT(" %c %s", e->c < 0.0 ? '-' : '+', gen_literal(number, sizeof number, fabs(e->c)));
    }
    PUT(";\n");
    g->value[made.value].length = g->waiting.n - g->value[made.value].first;
    g->out = out;
    return made;
}

gen_mat gen_mul(gen *g, const char *prefix, const gen_mat *A, const gen_mat *B)
{
    gen_mat C = gen_zero(A->m, B->n);
    for (int j = 0; j < B->n; ++j) {
        for (int i = 0; i < A->m; ++i) {
            gen_expr e = {0};
            for (int k = 0; k < A->n; ++k) {
                gen_expr_add(&e, 1.0, A->e[i + k * A->m], B->e[k + j * B->m]);
            }
            C.e[i + j * C.m] = gen_expr_emit(g, prefix, &e);
        }
    }
    return C;
}

gen_mat gen_tmul(gen *g, const char *prefix, const gen_mat *A, const gen_mat *B)
{
    const gen_mat T = gen_transpose(A);
    return gen_mul(g, prefix, &T, B);
}

gen_term gen_scaled(gen *g, unsigned set, gen_term t)
{
    gen_expr e = {0};
    gen_expr_add(&e, 1.0, t, gen_scale(g, set));
    return gen_expr_emit(g, "A", &e);
}

gen_mat gen_combine(gen *g, const char *prefix, unsigned a, const gen_mat *A, unsigned b, const gen_mat *B)
{
    gen_mat C = gen_zero(A->m, A->n);
    for (int k = 0; k < A->m * A->n; ++k) {
        gen_expr e = {0};
        gen_expr_add(&e, 1.0, A->e[k], gen_scale(g, a));
        gen_expr_add(&e, 1.0, B->e[k], gen_scale(g, b));
        C.e[k] = is_zero(A->e[k]) && is_zero(B->e[k]) ? gen_const(0.0) : gen_expr_emit(g, prefix, &e);
    }
    return C;
}

void gen_term_text(char *to, size_t size, gen_term t)
{
    char number[GEN_NAME];
    if (!t.s[0]) {
        snprintf(to, size, "REAL(%s)", gen_literal(number, sizeof number, t.c));
    } else if (t.c == 1.0 || t.c == -1.0) {
        snprintf(to, size, "%s%s", t.c < 0.0 ? "-" : "", t.s);
    } else {
        snprintf(to, size, "%s * %s", gen_literal(number, sizeof number, t.c), t.s);
    }
}

void gen_print_transposed(gen *g, const char *to, int first, const char *gets, const gen_mat *A, const char *x)
{
    for (int j = 0; j < A->n; ++j) {
        int terms = 0;
        for (int k = 0; k < A->m; ++k) {
            const gen_term t = A->e[k + A->m * j];
            if (t.c != 0.0) {
                terms++ == 0 ? PUT("    %s[%d] %s ", to, first + j, gets) : PUT(" + ");
                PUT("%s%s%s[%d]", t.s, t.s[0] ? " * " : "", x, k);
            }
        }
        PUT(terms > 0 ? ";\n" : "");
    }
}
