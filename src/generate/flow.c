#include "generate/flow_impl.h"

#include <stdint.h>
#include <stdio.h>

void gen_flow_open(flow *f, dal_ctx *ctx, int ns)
{
    *f = (flow){.ctx = ctx, .ns = ns, .g = {.ctx = ctx}, .code = {.ctx = ctx}};
    f->g.out = &f->code;
}

void gen_flow_close(flow *f)
{
    for (int k = 0; k < f->nnodes; ++k) {
        dal_free(f->ctx, f->node[k].needs);
    }
    dal_free(f->ctx, f->x);
    dal_free(f->ctx, f->value);
    dal_free(f->ctx, f->node);
    dal_free(f->ctx, f->live);
    dal_free(f->ctx, f->live_node);
    gen_text_release(&f->code);
}

/* ---- values ----------------------------------------------------------------------------------- */

static int is_constant(const flow *f, const double *x)
{
    int same = 1;
    for (int s = 1; s < f->ns; ++s) {
        same &= x[s] == x[0];
    }
    return same;
}

static unsigned bucket_of(double x)
{
    uint64_t bits;
    x = x == 0.0 ? 0.0 : x; // zero has two signs
    memcpy(&bits, &x, sizeof bits);
    bits ^= bits >> 33;
    bits *= 0xff51afd7ed558ccdULL;
    return (unsigned)(bits >> 40) % FLOW_BUCKETS;
}

/* The value that is sign x; -1: none. */
static int find(const flow *f, const double *x, double sign)
{
    for (int k = f->bucket[bucket_of(sign * x[0])] - 1; k >= 0; k = f->value[k].next) {
        const double *own = f->x + (size_t)k * (size_t)f->ns;
        int same = 1;
        for (int s = 0; s < f->ns && same; ++s) {
            same = own[s] == sign * x[s];
        }
        if (same) {
            return k;
        }
    }
    return -1;
}

void gen_flow_define(flow *f, const char *text, int node, const double *x)
{
    const int n = f->nvalues, ns = f->ns;
    if (is_constant(f, x) || find(f, x, 1.0) >= 0) {
        return;
    }
    if (n == f->value_capacity) {
        const int capacity = 2 * n + 256;
        flow_value *value = dal_alloc_zero(f->ctx, (size_t)capacity * sizeof *value);
        double *own = dal_alloc_zero(f->ctx, (size_t)capacity * (size_t)ns * sizeof *own);
        if (!value || !own) {
            dal_free(f->ctx, value);
            dal_free(f->ctx, own);
            f->lost = 1;
            return;
        }
        if (n > 0) {
            memcpy(value, f->value, (size_t)n * sizeof *value);
            memcpy(own, f->x, (size_t)n * (size_t)ns * sizeof *own);
        }
        dal_free(f->ctx, f->value);
        dal_free(f->ctx, f->x);
        f->value = value;
        f->x = own;
        f->value_capacity = capacity;
    }
    int *bucket = &f->bucket[bucket_of(x[0])];
    memcpy(f->x + (size_t)n * (size_t)ns, x, (size_t)ns * sizeof *x);
    f->value[n] = (flow_value){.node = node, .next = *bucket - 1};
    snprintf(f->value[n].text, sizeof f->value[n].text, "%s", text);
    *bucket = n + 1;
    f->nvalues++;
}

/* Its text, and the node it comes from, -1: none. 0: not known. */
static int look_up(const flow *f, char *to, size_t size, int *node, const double *x)
{
    char number[GEN_NAME];
    *node = -1;
    if (is_constant(f, x)) {
        snprintf(to, size, "REAL(%s)", gen_literal(number, sizeof number, x[0]));
        return isfinite(x[0]);
    }
    const int same = find(f, x, 1.0), other = same < 0 ? find(f, x, -1.0) : -1;
    if (same < 0 && other < 0) {
        return 0;
    }
    const flow_value *v = &f->value[same >= 0 ? same : other];
    *node = v->node;
    snprintf(to, size, "%s%s", same >= 0 ? "" : "-", v->text);
    return 1;
}

/* ---- operations ------------------------------------------------------------------------------- */

/* Does it give anything that is not known? */
static int is_new(const flow *f, const double *y, int nout)
{
    int some = 0;
    for (int k = 0; k < nout; ++k) {
        const double *own = y + (size_t)k * (size_t)f->ns;
        some |= !is_constant(f, own) && find(f, own, 1.0) < 0;
    }
    return some;
}

static int add_node(flow *f, size_t first, const int *needs, int n)
{
    if (dal_grow(f->ctx, (void **)&f->node, &f->node_capacity, f->nnodes + 1, sizeof *f->node) != DAL_OK) {
        f->lost = 1;
        return -1;
    }
    flow_node *node = &f->node[f->nnodes];
    *node = (flow_node){.first = first, .length = f->code.n - first, .nneeds = n};
    node->needs = dal_alloc_zero(f->ctx, ((size_t)n + 1) * sizeof *node->needs);
    if (!node->needs) {
        f->lost = 1;
        node->nneeds = 0;
    }
    for (int k = 0; k < n && node->needs; ++k) {
        node->needs[k] = needs[k];
    }
    return f->nnodes++;
}

void gen_flow_call(flow *f, const char *kernel, const char *more, const double *y, int nout, const double *x, int nin)
{
    char text[FLOW_INPUTS][2 * GEN_NAME], name[GEN_NAME];
    int needs[FLOW_INPUTS];
    const size_t first = f->code.n;
    if (!is_new(f, y, nout) || nin > FLOW_INPUTS) {
        return;
    }
    for (int k = 0; k < nin; ++k) {
        if (!look_up(f, text[k], sizeof text[k], &needs[k], x + (size_t)k * (size_t)f->ns)) {
            return;
        }
    }
    const int number = ++f->g.temporaries;
    gen_put(&f->code, "    real x%d[%d];\n    {\n        const real in[%d] = {", number, nout, nin);
    for (int k = 0; k < nin; ++k) {
        gen_put(&f->code, "%s%s", k > 0 ? ", " : "", text[k]);
    }
    gen_put(&f->code, "};\n        number_%s(x%d, in%s);\n    }\n", kernel, number, more);
    const int node = add_node(f, first, needs, nin);
    for (int k = 0; k < nout; ++k) {
        snprintf(name, sizeof name, "x%d[%d]", number, k);
        gen_flow_define(f, name, node, y + (size_t)k * (size_t)f->ns);
    }
}

dal_status gen_flow_live(flow *f, int n)
{
    f->live = dal_alloc_zero(f->ctx, ((size_t)n + 1) * sizeof *f->live);
    f->live_node = dal_alloc_zero(f->ctx, ((size_t)n + 1) * sizeof *f->live_node);
    f->nlive = n;
    return f->live && f->live_node ? DAL_OK : dal_fail(f->ctx, DAL_ENOMEM, "generate: no memory for the parameters");
}

void gen_flow_set_live(flow *f, int k, const double *x)
{
    char text[2 * GEN_NAME];
    if (look_up(f, text, sizeof text, &f->live_node[k], x)) {
        f->live[k] = gen_input_named(text, "");
    }
}

/* ---- what is needed --------------------------------------------------------------------------- */

static void need(flow *f, int node) // NOLINT(misc-no-recursion)
{
    if (node < 0 || f->node[node].needed) {
        return;
    }
    f->node[node].needed = 1;
    for (int k = 0; k < f->node[node].nneeds; ++k) {
        need(f, f->node[node].needs[k]);
    }
}

/* ---- expressions ------------------------------------------------------------------------------ */

/* Which way an operation went: a number that stands for it; NAN: it has but one. */
static double branch_of(expression_op op, double x, double y)
{
    switch (op) {
    case OP_MIN:
    case OP_MAX:
        return x < y ? -1.0 : x > y ? 1.0 : 0.0;
    case OP_ABS:
    case OP_SIGN:
        return x < 0.0 ? -1.0 : x > 0.0 ? 1.0 : 0.0;
    case OP_FLOOR:
        return floor(x);
    default:
        return (double)NAN;
    }
}

/* Branches of all operations at a sample. */
static void find_branches(double *branch, const dal_expression *e, const double *live, int ns)
{
    double x[DAL_EXPRESSION_NODES];
    for (int i = 0; i < e->n; ++i) {
        const expression_node *node = &e->node[i];
        const int number = node->op == OP_CONSTANT || node->op == OP_INPUT;
        branch[i] = number ? (double)NAN : branch_of(node->op, x[node->a], x[node->b]);
        x[i] = node->op == OP_CONSTANT ? node->c
               : node->op == OP_INPUT  ? live[(size_t)node->a * (size_t)ns]
                                       : dal_expression_apply(node->op, x[node->a], x[node->b]);
    }
}

/* Keep those that are the same at all samples; how many. */
static int same_branches(const flow *f, double *branch, const dal_expression *e, const double *live)
{
    double other[DAL_EXPRESSION_NODES];
    int n = 0;
    find_branches(branch, e, live, f->ns);
    for (int s = 1; s < f->ns; ++s) {
        find_branches(other, e, live + s, f->ns);
        for (int i = 0; i < e->n; ++i) {
            branch[i] = branch[i] == other[i] ? branch[i] : (double)NAN;
        }
    }
    for (int i = 0; i < e->n; ++i) {
        n += !isnan(branch[i]);
    }
    return n;
}

/* After the values of the nodes, which have the number of the last printing. */
static void print_guards(flow *f, const dal_expression *e, const double *branch)
{
    const int id = f->g.temporaries;
    char number[GEN_NAME];
    for (int i = 0; i < e->n; ++i) {
        const expression_node *node = &e->node[i];
        const int two = node->op == OP_MIN || node->op == OP_MAX;
        if (isnan(branch[i])) {
            continue;
        }
        gen_put(&f->code, "    same = same & ");
        if (node->op == OP_FLOOR) {
            gen_literal(number, sizeof number, branch[i]);
            gen_put(&f->code, "real_at_most(REAL(%s), e%d_%d) & real_less(e%d_%d, REAL(1.0) + %s);\n", number, id,
                    node->a, id, node->a, number);
        } else if (two && branch[i] != 0.0) {
            gen_put(&f->code, "real_less(e%d_%d, e%d_%d);\n", id, branch[i] < 0.0 ? node->a : node->b, id,
                    branch[i] < 0.0 ? node->b : node->a);
        } else if (two) {
            gen_put(&f->code, "real_at_most(e%d_%d, e%d_%d) & real_at_most(e%d_%d, e%d_%d);\n", id, node->a, id,
                    node->b, id, node->b, id, node->a);
        } else {
            gen_put(&f->code,
                    branch[i] < 0.0   ? "real_less(e%d_%d, REAL(0.0));\n"
                    : branch[i] > 0.0 ? "real_less(REAL(0.0), e%d_%d);\n"
                                      : "real_at_most(real_abs(e%d_%d), REAL(0.0));\n",
                    id, node->a);
        }
    }
}

void gen_flow_formula(flow *f, const dal_expression *e, const double *y, const double *live)
{
    char name[GEN_NAME];
    double branch[DAL_EXPRESSION_NODES];
    const size_t first = f->code.n;
    const int guards = same_branches(f, branch, e, live);
    if ((!is_new(f, y, 1) && guards == 0) || f->lost) {
        return;
    }
    snprintf(name, sizeof name, "y%d", ++f->g.temporaries);
    gen_put(&f->code, "    real %s;\n    {\n", name);
    gen_print_expression(&f->g, e, f->live, name);
    print_guards(f, e, branch);
    gen_put(&f->code, "    (void)%s;\n    }\n", name);
    const int node = add_node(f, first, f->live_node, f->nlive);
    for (int k = 0; k < f->nlive && node >= 0 && f->node[node].needs; ++k) { // the others it does not need
        int *needs = &f->node[node].needs[k];
        *needs = dal_expression_uses(e, k) ? *needs : -1;
    }
    gen_flow_define(f, name, node, y);
    if (guards > 0) {
        need(f, node);
    }
}

int gen_flow_text(flow *f, char *to, size_t size, const double *x)
{
    int node;
    const int known = look_up(f, to, size, &node, x);
    if (known) {
        need(f, node);
    }
    return known;
}

void gen_flow_print(const flow *f, gen_text *out)
{
    for (int k = 0; k < f->nnodes; ++k) {
        if (f->node[k].needed) {
            gen_put_n(out, f->code.s + f->node[k].first, f->node[k].length);
        }
    }
}
