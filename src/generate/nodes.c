/* Which numbers of a model follow from the parameters, and how: the set-up program of the binding (io/follow.h), with what elements
 * make of their descriptions (mbs/follow.h), as a list of operations. A number is known by where it is: there is a node for it, or
 * it is constant. Equal operations on equal nodes are one. What turns out the same near the parameters of the model, as the zeros
 * of an inertia, is a literal all the same; the model is set with two sets of values for that. */
#include "generate/nodes_impl.h"

#include <stdint.h>
#include <stdio.h>

#include "base/message.h"

/* ---- where nodes are -------------------------------------------------------------------------- */

static unsigned bucket_of(const double *at)
{
    return (unsigned)(((uintptr_t)at / sizeof(double)) * 2654435761U) % NODE_BUCKETS;
}

static node_home *find_home(const gen_nodes *f, const double *at)
{
    for (int k = f->bucket[bucket_of(at)] - 1; k >= 0; k = f->home[k].next) {
        if (f->home[k].at == at) {
            return &f->home[k];
        }
    }
    return NULL;
}

static int node_of(const gen_nodes *f, const double *at)
{
    const node_home *home = f ? find_home(f, at) : NULL;
    return home ? home->node : 0;
}

/* The number at this address is that of a node; 0: it is constant. */
static void set_home(gen_nodes *f, const double *at, int node)
{
    node_home *known = find_home(f, at);
    if (known) {
        known->node = node;
    } else if (node > 0 &&
               dal_grow(f->ctx, (void **)&f->home, &f->home_capacity, f->nhomes + 1, sizeof *f->home) == DAL_OK) {
        int *bucket = &f->bucket[bucket_of(at)];
        f->home[f->nhomes] = (node_home){at, node, *bucket - 1};
        *bucket = ++f->nhomes;
    } else if (node > 0) {
        f->lost = 1;
    }
}

static void copy(mb_flow *flow, const double *y, const double *x, int n)
{
    gen_nodes *f = (gen_nodes *)flow;
    for (int k = 0; k < n; ++k) {
        set_home(f, y + k, node_of(f, x + k));
    }
}

/* ---- operations ------------------------------------------------------------------------------- */

static int same_expression(const dal_expression *a, const dal_expression *b)
{
    int same = a == b || (a && b && a->n == b->n);
    for (int k = 0; a != b && same && k < a->n; ++k) {
        const expression_node *x = &a->node[k], *y = &b->node[k];
        same = x->op == y->op && x->a == y->a && x->b == y->b && x->c == y->c;
    }
    return same;
}

static int same_kernel(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static int same_inputs(const gen_nodes *f, const node_op *a, const node_op *b)
{
    const node_input *x = f->input + a->input, *y = f->input + b->input;
    int same = a->nx == b->nx;
    for (int k = 0; same && k < a->nx; ++k) {
        same = x[k].node == y[k].node && (x[k].node > 0 || x[k].x == y[k].x);
    }
    return same;
}

/* Can it take another branch elsewhere, or does an input of it? */
static int has_branches(const gen_nodes *f, const node_op *op)
{
    static const char *const kernels[] = {"quaternion", "normal", "axes", "axis"};
    int some = 0;
    for (int k = 0; op->e && k < op->e->n; ++k) {
        const expression_op o = op->e->node[k].op;
        some |= o == OP_MIN || o == OP_MAX || o == OP_ABS || o == OP_SIGN || o == OP_FLOOR;
    }
    for (size_t k = 0; op->kernel && k < sizeof kernels / sizeof kernels[0]; ++k) {
        some |= strcmp(op->kernel, kernels[k]) == 0;
    }
    for (int k = 0; k < op->nx; ++k) {
        const int node = f->input[op->input + k].node;
        some |= node > 0 && f->op[f->node[node].op].branches;
    }
    return some;
}

/* The number of an operation whose inputs are the last ones of the list, and as many new nodes; -1: no memory. */
static int add_operation(gen_nodes *f, node_op op, int ny)
{
    for (int k = 0; k < f->nops; ++k) {
        const node_op *known = &f->op[k];
        if (same_kernel(known->kernel, op.kernel) && known->parameter == op.parameter &&
            strcmp(known->more, op.more) == 0 && same_expression(known->e, op.e) && same_inputs(f, known, &op)) {
            f->ninputs = op.input;
            return k;
        }
    }
    if (dal_grow(f->ctx, (void **)&f->op, &f->op_capacity, f->nops + 1, sizeof *f->op) != DAL_OK ||
        dal_grow(f->ctx, (void **)&f->node, &f->node_capacity, f->nnodes + ny + 1, sizeof *f->node) != DAL_OK) {
        f->lost = 1;
        return -1;
    }
    op.branches = has_branches(f, &op);
    op.first = f->nnodes + 1; // there is no node 0
    op.ny = ny;
    for (int k = 0; k < ny; ++k) {
        f->node[++f->nnodes] = (gen_node){.op = f->nops, .x = (double)NAN, .slot = -1};
    }
    f->op[f->nops] = op;
    return f->nops++;
}

static void add_input(gen_nodes *f, const double *at, int node)
{
    if (dal_grow(f->ctx, (void **)&f->input, &f->input_capacity, f->ninputs + 1, sizeof *f->input) != DAL_OK) {
        f->lost = 1;
        return;
    }
    f->input[f->ninputs++] = (node_input){node, *at};
}

/* A result of operation k, -1: of none. */
static void put_result(gen_nodes *f, int k, int number, const double *y)
{
    gen_node *node = k >= 0 ? &f->node[f->op[k].first + number] : NULL;
    if (node) {
        node->varies |= node->x != *y && !isnan(node->x);
        node->x = *y;
    }
    set_home(f, y, node ? f->op[k].first + number : 0);
}

static void value(io_flow *flow, const double *y, int number)
{
    gen_nodes *f = (gen_nodes *)flow;
    put_result(f, add_operation(f, (node_op){.kernel = "", .parameter = 1 + number, .input = f->ninputs}, 1), 0, y);
}

static void call(mb_flow *flow, const char *kernel, const char *more, const mb_span *y, const mb_span *x)
{
    gen_nodes *f = (gen_nodes *)flow;
    node_op op = {.kernel = kernel, .input = f->ninputs};
    int live = 0, ny = 0;
    snprintf(op.more, sizeof op.more, "%s", more);
    for (; x->x; ++x) {
        for (int k = 0; k < x->n; ++k) {
            const int node = node_of(f, x->x + k);
            add_input(f, x->x + k, node);
            live |= node;
        }
    }
    for (const mb_span *s = y; s->x; ++s) {
        ny += s->n;
    }
    op.nx = f->ninputs - op.input;
    const int number = live ? add_operation(f, op, ny) : -1;
    f->ninputs = live ? f->ninputs : op.input;
    for (int n = 0; y->x; ++y) {
        for (int k = 0; k < y->n; ++k) {
            put_result(f, number, n++, y->x + k);
        }
    }
}

static void formula(io_flow *flow, const double *y, const dal_expression *e, const double *live)
{
    gen_nodes *f = (gen_nodes *)flow;
    node_op op = {.kernel = "", .e = e, .input = f->ninputs};
    if (e->n == 1) { // a live value itself
        set_home(f, y, node_of(f, live + e->node[0].a));
        return;
    }
    for (int k = 0; k < dal_expression_inputs(e); ++k) {
        static const double none = 0.0;
        const int used = dal_expression_uses(e, k);
        add_input(f, used ? live + k : &none, used ? node_of(f, live + k) : 0);
    }
    op.nx = f->ninputs - op.input;
    put_result(f, add_operation(f, op, 1), 0, y);
}

/* ---- all numbers ------------------------------------------------------------------------------ */

/* Values that are nothing special: all parameters a little off, in two ways. */
static void near_values(double *values, const double *own, int n, int k)
{
    for (int i = 0; i < n; ++i) {
        const double off = (k == 0 ? 1.0 : -0.83) * (0.0031 + 0.0007 * i);
        values[i] = own[i] != 0.0 ? own[i] * (1.0 + off) : off;
    }
}

dal_status gen_nodes_find(gen_nodes **f, const dal_program *p)
{
    double values[GEN_PARAMETERS];
    gen_nodes *made = *f = dal_alloc_zero(p->ctx, sizeof *made);
    if (!made) {
        return dal_fail(p->ctx, DAL_ENOMEM, "generate: no memory for the numbers");
    }
    made->ctx = p->ctx;
    made->flow = (io_flow){.of = {.copy = copy, .call = call}, .value = value, .formula = formula};
    for (int k = 1; k >= 0; --k) {
        near_values(values, p->own, p->nparameters, k);
        DAL_TRY(dal_binding_follow(p->binding, dal_sim_data(p->sim), &made->flow, values));
    }
    return made->lost ? dal_fail(p->ctx, DAL_ENOMEM, "generate: no memory for the numbers") : DAL_OK;
}

void gen_nodes_release(gen_nodes *f)
{
    if (f) {
        dal_free(f->ctx, f->home);
        dal_free(f->ctx, f->node);
        dal_free(f->ctx, f->op);
        dal_free(f->ctx, f->input);
        dal_free(f->ctx, f);
    }
}

int gen_slot_of(gen_nodes *f, const double *x)
{
    const int node = node_of(f, x);
    if (node == 0) {
        return -1;
    }
    f->node[node].printed = 1;
    if (f->node[node].varies && f->node[node].slot < 0) {
        f->node[node].slot = f->nslots++;
    }
    return f->node[node].slot;
}

void gen_nodes_keep(gen_nodes *f, const mb_marker *at, const mb_marker *same, int number)
{
    enum { FRAME = 12 };
    node_op op = {.kernel = "kept", .nx = FRAME};
    for (int i = 0; f && same && i < FRAME; ++i) {
        set_home(f, i < 3 ? at->a + i : at->A + i - 3, node_of(f, i < 3 ? same->a + i : same->A + i - 3));
    }
    if (!f || same) {
        return;
    }
    op.input = f->ninputs;
    snprintf(op.more, sizeof op.more, ", %d", number);
    for (int i = 0; i < FRAME; ++i) {
        const double *x = i < 3 ? at->a + i : at->A + i - 3;
        add_input(f, x, node_of(f, x));
    }
    const int k = add_operation(f, op, FRAME);
    for (int i = 0; k >= 0 && i < FRAME; ++i) {
        put_result(f, k, i, i < 3 ? at->a + i : at->A + i - 3);
        f->node[f->op[k].first + i].varies = 1;
    }
}

static int parameter_behind(const gen_nodes *f, int node) // NOLINT(misc-no-recursion)
{
    const node_op *op = &f->op[f->node[node].op];
    int found = op->parameter - 1;
    for (int k = 0; k < op->nx && found < 0; ++k) {
        const int from = f->input[op->input + k].node;
        found = from > 0 ? parameter_behind(f, from) : -1;
    }
    return found;
}

int gen_parameter_of(const gen_nodes *f, const double *x)
{
    const int node = node_of(f, x);
    return node > 0 && f->node[node].varies ? parameter_behind(f, node) : -1;
}

/* ---- the text --------------------------------------------------------------------------------- */

/* A node that programs cannot compute, of those that this one needs; 0: none. */
static int need(gen_nodes *f, int node) // NOLINT(misc-no-recursion)
{
    node_op *op = &f->op[f->node[node].op];
    if (op->needed || !(f->node[node].varies || op->branches)) {
        return 0;
    }
    op->needed = 1;
    int missing = op->kernel ? 0 : node;
    for (int k = 0; k < op->nx; ++k) {
        const int from = f->input[op->input + k].node, lacks = from > 0 ? need(f, from) : 0;
        missing = lacks ? lacks : missing;
    }
    return missing;
}

/* How a number is written: a literal, a parameter, a result. */
static const char *text_of(const gen *g, char *to, size_t size, int node, double x)
{
    const gen_nodes *f = g->p->nodes;
    const gen_node *n = &f->node[node];
    char number[GEN_NAME];
    if (node == 0 || !n->varies) {
        snprintf(to, size, "REAL(%s)", gen_literal(number, sizeof number, node == 0 ? x : n->x));
    } else if (f->op[n->op].parameter > 0) {
        snprintf(to, size, "p->%s", g->p->field[f->op[n->op].parameter - 1]);
    } else {
        snprintf(to, size, "x%d[%d]", n->op, node - f->op[n->op].first);
    }
    return to;
}

/* What is a literal because it does not vary near the model must be that literal, where an operation has branches. */
static void print_guards(gen *g, const node_op *op, int number)
{
    char text[GEN_NAME];
    for (int k = 0; k < op->ny && op->branches; ++k) {
        const gen_node *n = &g->p->nodes->node[op->first + k];
        if (!n->varies) {
            PUT("    same = same & start_holds(x%d, %d, %d, REAL(%s));\n", number, op->ny, k,
                gen_literal(text, sizeof text, n->x));
        }
    }
}

/* in: room for the inputs of an expression */
static void print_operation(gen *g, int number, gen_input *in)
{
    const gen_nodes *f = g->p->nodes;
    const node_op *op = &f->op[number];
    const node_input *x = f->input + op->input;
    char text[2 * GEN_NAME], to[GEN_NAME];
    if (!op->needed || op->parameter > 0) {
        return;
    }
    PUT("    real x%d[%d];\n    {\n", number, op->ny);
    if (op->e) {
        for (int k = 0; k < op->nx; ++k) {
            in[k] = gen_input_named(text_of(g, text, sizeof text, x[k].node, x[k].x), "");
        }
        snprintf(to, sizeof to, "x%d[0]", number);
        gen_print_expression(g, op->e, in, to);
    } else {
        PUT("    const real in[%d] = {", op->nx);
        for (int k = 0; k < op->nx; ++k) {
            PUT("%s%s", k > 0 ? ", " : "", text_of(g, text, sizeof text, x[k].node, x[k].x));
        }
        PUT("};\n    number_%s(x%d, in%s);\n", op->kernel, number, op->more);
    }
    PUT("    }\n");
    print_guards(g, op, number);
}

/* Coordinates that are found from the others at the start, as the integral of a pid, begin with zero. */
static int is_found(const gen *g, int v)
{
    int found = 0;
    for (int k = 0; k < g->m->force_names.n; ++k) {
        const mb_force *f = &g->m->force[k];
        found |= f->factor >= 0 && f->v == v && !f->type->state;
    }
    return found;
}

/* Is it the constant of a gear, which the start finds? */
static int start_finds(const gen_nodes *f, int node)
{
    const node_op *op = &f->op[f->node[node].op];
    return op->kernel && op->kernel[0] == '\0' && !op->e && op->parameter == 0;
}

static int is_constant_of_member(const gen_nodes *f, int node)
{
    return f->node[node].slot >= 0 && !start_finds(f, node);
}

/* A literal that another branch would change. */
static int is_guarded(const gen_nodes *f, int node)
{
    return f->node[node].printed && !f->node[node].varies && f->op[f->node[node].op].branches && !start_finds(f, node);
}

/* A node behind n initial values that programs cannot compute; 0: none. */
static int need_vector(const gen *g, const double *x, int n, char what)
{
    int missing = 0;
    for (int k = 0; k < n && !missing; ++k) {
        const int node = node_of(g->p->nodes, x + k);
        missing = node > 0 && !(what == 'v' && is_found(g, k)) ? need(g->p->nodes, node) : 0;
    }
    return missing;
}

int gen_numbers_known(gen *g)
{
    gen_nodes *f = g->p->nodes;
    int missing = 0;
    for (int k = 1; k <= f->nnodes && !missing; ++k) {
        missing = is_constant_of_member(f, k) || is_guarded(f, k) ? need(f, k) : 0;
    }
    missing = missing ? missing : need_vector(g, g->at->q0, g->nq, 'q');
    missing = missing ? missing : need_vector(g, g->at->v0, g->nv, 'v');
    if (missing) {
        snprintf(g->p->no_start, sizeof g->p->no_start,
                 "programs cannot compute all that follows from parameter '%.80s'",
                 gen_comment(g->p->parameter[parameter_behind(f, missing)]).s);
    }
    return !missing;
}

static void print_vector(gen *g, const double *x, int n, char what)
{
    char text[2 * GEN_NAME];
    for (int k = 0; k < n; ++k) {
        text_of(g, text, sizeof text, node_of(g->p->nodes, x + k), x[k]);
        if (!(what == 'v' && is_found(g, k)) && strcmp(text, "REAL(0.0)") != 0) {
            PUT("    s->%c[%d] = %s;\n", what, k, text);
        }
    }
}

void gen_print_numbers(gen *g)
{
    const gen_nodes *f = g->p->nodes;
    char text[2 * GEN_NAME];
    int most = 1;
    for (int k = 0; k < f->nops; ++k) {
        most = f->op[k].nx > most ? f->op[k].nx : most;
    }
    gen_input *in = dal_alloc_zero(g->ctx, (size_t)most * sizeof *in);
    for (int k = 0; in && k < f->nops; ++k) {
        print_operation(g, k, in);
    }
    for (int k = 1; k <= f->nnodes; ++k) {
        if (is_constant_of_member(f, k)) {
            PUT("    s->k[%d] = %s;\n", f->node[k].slot, text_of(g, text, sizeof text, k, 0.0));
        }
    }
    print_vector(g, g->at->q0, g->nq, 'q');
    print_vector(g, g->at->v0, g->nv, 'v');
    dal_free(g->ctx, in);
}
