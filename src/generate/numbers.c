/* Numbers of a member by generated code: how the constants of a program, q and v at the start follow from its parameters. The
 * model is read with several values of them, and what is computed on the way is written down (io/trace.h); what elements make
 * of their descriptions comes on top. */
#include <stddef.h>
#include <stdio.h>

#include "base/message.h"
#include "generate/flow_impl.h"
#include "io/trace.h"
#include "mbs/number_kernel.h"
#include "system/data.h"

/* ---- walking over the numbers ----------------------------------------------------------------- */

/* Numbers are counted, kept for a sample, or found again with the values at all samples. */
typedef struct walk {
    const dal_program *p;
    mb_instance *at;
    const dal_trace *trace;
    double *row;
    const double *all; /* by number, ns values of each; NULL: not yet */
    int n, ns;
    flow *f;
} walk;

static const double *take(walk *w, const double *x, int n)
{
    const double *found = w->all ? w->all + (size_t)w->n * (size_t)w->ns : NULL;
    if (w->row) {
        memcpy(w->row + w->n, x, (size_t)n * sizeof *x);
    }
    w->n += n;
    return found;
}

static void call(const walk *w, const char *kernel, const char *more, const double *y, int nout, const double *x,
                 int nin)
{
    if (w->all) {
        gen_flow_call(w->f, kernel, more, y, nout, x, nin);
    }
}

/* Kernels take their input in one piece: numbers that belong together are taken together. */
static void put(double *to, int *n, const double *x, int count)
{
    memcpy(to + *n, x, (size_t)count * sizeof *x);
    *n += count;
}

/* A quaternion with length one, as elements take it; zeros mean none. */
static void unit(double p[4], const double given[4])
{
    static const double none[4] = {1.0, 0.0, 0.0, 0.0};
    const int zero = given[0] == 0.0 && dot3(given + 1, given + 1) == 0.0;
    number_unit4(p, zero ? none : given);
}

static void visit_rotation(walk *w, const double given[4])
{
    double p[4];
    unit(p, given);
    const double *x = take(w, given, 4), *y = take(w, p, 4);
    call(w, "unit4", "", y, 4, x, 4);
}

static void visit_frame(walk *w, const dal_frame *frame, const mb_marker *marker)
{
    double p[4];
    visit_rotation(w, frame->rotation);
    unit(p, frame->rotation);
    const double *x = take(w, p, 4), *y = take(w, marker->A, 9);
    call(w, "matrix", "", y, 9, x, 4);
}

static void visit_mass(walk *w, int i)
{
    const mb_body *b = &w->at->body[i];
    const dal_body *d = &w->at->desc[i];
    double x[10], y[12];
    int n = 0, m = 0;
    put(x, &n, &d->mass, 1);
    put(x, &n, d->inertia, 6);
    put(x, &n, d->com, 3);
    put(y, &m, b->mc, 3);
    put(y, &m, b->J, 9);
    const double *in = take(w, x, n), *out = take(w, y, m);
    call(w, "mass", "", out, 12, in, 10);
}

/* From the pose and the velocities of a description to q and v of a body. */
static void visit_motion(walk *w, int i)
{
    const mb_body *b = &w->at->body[i];
    const dal_body *d = &w->at->desc[i];
    const double *q = w->at->q0 + b->q, *v = w->at->v0 + b->v;
    double x[7], p[4];
    int n = 0;
    visit_rotation(w, d->rotation);
    unit(p, d->rotation);
    put(x, &n, p, 4);
    put(x, &n, gen_is(b, MB_CHART_SE3) ? d->velocity : d->angular_velocity, 3);
    const double *in = take(w, x, 7), *q1 = take(w, q, b->type->nq), *v1 = take(w, v, b->type->nv);
    const size_t ns = (size_t)w->ns;
    if (!w->all) {
        return;
    }
    if (gen_is(b, MB_CHART_SE3)) {
        call(w, "back", "", v1, 3, in, 7);
    } else if (gen_is(b, MB_CHART_EULER) || gen_is(b, MB_CHART_TEXTBOOK)) {
        call(w, "rates", "", v1 + 3 * ns, 4, in, 7);
    } else if (gen_is(b, MB_CHART_PLANAR) || gen_is(b, MB_CHART_PLANAR_SE2)) {
        call(w, "angle", "", q1 + 2 * ns, 1, in, 4);
    }
}

/* SE(2): v in the axes of the body. Cardan: angles and rates. */
static void visit_charts(walk *w, int i)
{
    const mb_body *b = &w->at->body[i];
    const dal_body *d = &w->at->desc[i];
    const double *q = w->at->q0 + b->q, *v = w->at->v0 + b->v;
    double x[7], y[6], p[4];
    char more[32];
    if (gen_is(b, MB_CHART_PLANAR_SE2)) {
        const double in[3] = {q[2], d->velocity[0], d->velocity[1]};
        const double *x1 = take(w, in, 3), *y1 = take(w, v, 2);
        call(w, "se2", "", y1, 2, x1, 3);
    } else if (gen_is(b, MB_CHART_CARDAN)) {
        int n = 0, m = 0;
        unit(p, d->rotation);
        put(x, &n, p, 4);
        put(x, &n, d->angular_velocity, 3);
        put(y, &m, q + 3, 3);
        put(y, &m, v + 3, 3);
        snprintf(more, sizeof more, ", %d, %d, %d", b->axis[0], b->axis[1], b->axis[2]);
        const double *x1 = take(w, x, 7), *y1 = take(w, y, 6);
        call(w, "cardan", more, y1, 6, x1, 7);
    }
}

/* Where a marker is at first: position and rotation of its body, point. */
static void put_point(const walk *w, double *x, int *n, const mb_marker *marker)
{
    static const double origin[3] = {0.0, 0.0, 0.0}, none[4] = {1.0, 0.0, 0.0, 0.0};
    const dal_body *d = &w->at->desc[marker->body];
    double p[4];
    unit(p, marker->body > 0 ? d->rotation : none);
    put(x, n, marker->body > 0 ? d->position : origin, 3);
    put(x, n, p, 4);
    put(x, n, marker->a, 3);
}

static void visit_teeth(walk *w, const mb_gear *G)
{
    double x[11], y[11] = {0.0};
    char signs[32];
    int sign[2];
    const int teeth = mb_gear_teeth(G, x, sign);
    if (teeth) {
        number_teeth(y, x, sign[0], sign[1]);
    }
    const double *in = take(w, x, 11), *out = take(w, y, 11);
    snprintf(signs, sizeof signs, ", %d, %d", sign[0], sign[1]);
    if (teeth) {
        call(w, "teeth", signs, out, 11, in, 11);
    }
}

static void visit_joint(walk *w, int k)
{
    const mb_joint *j = &w->at->joint[k];
    visit_frame(w, &j->d.frame_a, &j->marker[0]);
    visit_frame(w, &j->d.frame_b, &j->marker[1]);
    if (strcmp(j->type->name, "screw") == 0) {
        const double *in = take(w, &j->d.pitch, 1), *out = take(w, &w->at->constraint[j->first].row[4].c, 1);
        const double *period = take(w, &w->at->constraint[j->first].row[4].period, 1);
        call(w, "pitch", "", out, 1, in, 1);
        call(w, "period", "", period, 1, in, 1);
    } else if (strcmp(j->type->name, "distance") == 0 && j->d.length == 0.0) {
        double x[20];
        int n = 0;
        put_point(w, x, &n, &j->marker[0]);
        put_point(w, x, &n, &j->marker[1]);
        const double *in = take(w, x, n), *out = take(w, &w->at->constraint[j->first].row[0].c, 1);
        call(w, "distance", "", out, 1, in, 20);
    } else if (j->gear.nterms > j->gear.n) {
        visit_teeth(w, &j->gear);
    }
}

static void visit_elements(walk *w)
{
    const mb_instance *m = w->at;
    for (int i = 1; i < m->nbodies; ++i) {
        visit_mass(w, i);
        visit_motion(w, i);
        visit_charts(w, i);
    }
    for (int k = 0; k < m->njoints; ++k) {
        visit_joint(w, k);
    }
    for (int k = 0; k < m->nforces; ++k) {
        visit_frame(w, &m->force[k].d.frame_a, &m->force[k].marker[0]);
        visit_frame(w, &m->force[k].d.frame_b, &m->force[k].marker[1]);
    }
    for (int k = 0; k < m->noutputs; ++k) {
        visit_frame(w, &m->output[k].d.frame, &m->output[k].marker);
    }
}

/* Where the values of the program, of q and of v are found again. */
typedef struct places {
    const double *number, *q, *v;
} places;

static places visit(walk *w)
{
    const dal_program *p = w->p;
    places at;
    w->n = 0;
    for (int k = 0; k < w->trace->nops; ++k) {
        const dal_trace_op *op = &w->trace->op[k];
        (void)take(w, w->trace->x + op->first, op->nout + op->nin);
    }
    at.number = take(w, p->number, 0);
    for (int k = 0; k < p->nnumbers; ++k) {
        const double x = p->place[k].array != GEN_NOWHERE ? gen_value_at(w->at, p->place[k]) : p->number[k];
        (void)take(w, &x, 1);
    }
    at.q = take(w, w->at->q0, w->at->of->group->nq);
    at.v = take(w, w->at->v0, w->at->nv);
    visit_elements(w);
    return at;
}

/* ---- samples ---------------------------------------------------------------------------------- */

typedef struct samples {
    double *x; /* one after the other */
    int n, ns, most;
    dal_trace first; /* how the model was read with the first of them */
} samples;

static int same_way(const dal_trace *a, const dal_trace *b)
{
    int same = a->nops == b->nops;
    for (int k = 0; k < a->nops && same; ++k) {
        const dal_trace_op *x = &a->op[k], *y = &b->op[k];
        same = x->e == y->e && x->nout == y->nout && x->nin == y->nin &&
               (x->kernel == y->kernel || (x->kernel && y->kernel && strcmp(x->kernel, y->kernel) == 0));
    }
    return same;
}

/* One more, if the model can be read with these values. DAL_EINVAL: it is read in another way. */
static dal_status add_sample(samples *s, const dal_program *p, const double *values)
{
    dal_data *data = dal_sim_data(p->sim);
    mb_instance *at;
    dal_trace trace = {.ctx = p->ctx};
    DAL_TRY(mb_instance_of(&at, dal_document_model(p->doc), data));
    dal_status st = dal_binding_trace(&trace, p->binding, data, values);
    st = st == DAL_OK ? mb_settled(at) : st;
    if (st != DAL_OK) {
        dal_ctx_clear(p->ctx);
        dal_trace_release(&trace);
        return st == DAL_ENOMEM ? st : DAL_OK;
    }
    walk w = {.p = p, .at = at, .trace = &trace};
    const int is_first = s->ns == 0;
    if (is_first) {
        (void)visit(&w);
        s->n = w.n;
        s->x = dal_alloc_zero(p->ctx, ((size_t)s->n * (size_t)s->most + 1) * sizeof *s->x);
        st = s->x ? DAL_OK : dal_fail(p->ctx, DAL_ENOMEM, "generate: no memory for the samples");
        s->first = trace;
    } else if (!same_way(&s->first, &trace)) {
        st = DAL_EINVAL;
    }
    if (st == DAL_OK) {
        w.row = s->x + (size_t)s->n * (size_t)s->ns++;
        (void)visit(&w);
    }
    if (!is_first) {
        dal_trace_release(&trace);
    }
    return st;
}

static dal_status take_samples(samples *s, const dal_program *p, const double *own)
{
    double values[GEN_PARAMETERS];
    const int n = p->nparameters, near = 3 + 2 * n;
    *s = (samples){.most = near, .first = {.ctx = p->ctx}};
    for (int k = 0; k < near; ++k) {
        gen_sample(values, own, n, k);
        DAL_TRY(add_sample(s, p, values));
    }
    return DAL_OK;
}

/* All samples of a number side by side. */
static double *side_by_side(const samples *s, dal_ctx *ctx)
{
    double *all = dal_alloc_zero(ctx, ((size_t)s->n * (size_t)s->ns + 1) * sizeof *all);
    for (int k = 0; all && k < s->n; ++k) {
        for (int i = 0; i < s->ns; ++i) {
            all[(size_t)k * (size_t)s->ns + (size_t)i] = s->x[(size_t)i * (size_t)s->n + (size_t)k];
        }
    }
    return all;
}

/* ---- the text --------------------------------------------------------------------------------- */

/* What the parameters are called in the program, and the rest of what is written down while a model is read. */
static dal_status read_trace(flow *f, const dal_program *p, const samples *s, const double *all)
{
    char text[GEN_NAME];
    const size_t ns = (size_t)s->ns;
    const int nlive = s->first.nops > 0 ? s->first.op[0].nout : 0;
    int known = p->nparameters;
    DAL_TRY(gen_flow_live(f, nlive));
    for (int k = 0; k < known; ++k) {
        snprintf(text, sizeof text, "p->%s", p->field[k]);
        gen_flow_define(f, text, -1, all + (size_t)k * ns);
        gen_flow_set_live(f, k, all + (size_t)k * ns);
    }
    for (int k = 1; k < s->first.nops; ++k) {
        const dal_trace_op *op = &s->first.op[k];
        const double *y = all + (size_t)op->first * ns;
        if (op->kernel) {
            gen_flow_call(f, op->kernel, "", y, op->nout, y + (size_t)op->nout * ns, op->nin);
            continue;
        }
        gen_flow_formula(f, op->e, y, all);
        if (known < nlive) {
            gen_flow_set_live(f, known++, y);
        }
    }
    return DAL_OK;
}

/* The element that a number belongs to. */
static void element_of(const dal_program *p, gen_place place, char *to, size_t size)
{
    const dal_model *m = dal_document_model(p->doc);
    const char *kind = "gravity", *name = "";
    switch (place.array) {
    case GEN_BODY:
        kind = "body", name = m->body_names.name[place.offset / sizeof(mb_body)];
        break;
    case GEN_JOINT:
        kind = "joint", name = m->joint_names.name[place.offset / sizeof(mb_joint)];
        break;
    case GEN_FORCE:
        kind = "force", name = m->force_names.name[place.offset / sizeof(mb_force)];
        break;
    case GEN_CONSTRAINT: {
        const int joint = m->constraint[place.offset / sizeof(mb_constraint)].joint;
        kind = "joint", name = joint >= 0 ? m->joint_names.name[joint] : "";
        break;
    }
    case GEN_OUTPUT:
        kind = "output", name = m->output_names.name[place.offset / sizeof(mb_output)];
        break;
    case GEN_INPUT:
        kind = "force", name = m->force_names.name[place.number];
        break;
    case GEN_FUNCTION:
        kind = "function", name = m->function_names.name[place.number - 1];
        break;
    default:
        break;
    }
    snprintf(to, size, "%s%s%.80s%s", kind, name[0] ? " '" : "", gen_comment(name).s, name[0] ? "'" : "");
}

/* Do two numbers of an element agree at all samples, but for rounding beside the others that it has? */
static int agree(const dal_program *p, const double *all, int ns, int k, const double *other)
{
    int same = 1;
    for (int i = 0; i < ns && same; ++i) {
        double size = 0.0;
        const double off = fabs(all[(size_t)k * (size_t)ns + (size_t)i] - other[i]);
        for (int j = 0; j < p->nnumbers && off > 0.0; ++j) {
            const double x = fabs(all[(size_t)j * (size_t)ns + (size_t)i]);
            size = gen_owner(p->place[j]) == gen_owner(p->place[k]) && x > size ? x : size;
        }
        same = off <= 1e-15 * size;
    }
    return same;
}

static int is_gear_constant(gen_place place)
{
    return place.array == GEN_JOINT &&
           place.offset % sizeof(mb_joint) == offsetof(mb_joint, gear) + offsetof(mb_gear, constant);
}

/* Constants of the program: those that it has as numbers are numbers, those that are alike stay so. */
static int print_constants(gen_text *out, flow *f, dal_program *p, const double *all)
{
    char text[2 * GEN_NAME], element[128];
    double constant[3 + 2 * GEN_PARAMETERS];
    for (int k = 0; k < p->nnumbers; ++k) {
        const double *x = all + (size_t)k * (size_t)f->ns;
        const int slot = p->slot[k], first = slot >= 0 ? p->first[slot] : -1;
        element_of(p, p->place[k], element, sizeof element);
        for (int i = 0; i < f->ns; ++i) {
            constant[i] = p->number[k];
        }
        if (slot < 0 && !agree(p, all, f->ns, k, constant)) {
            snprintf(p->no_start, sizeof p->no_start, "numbers of %s vary where they should not", element);
            return 0;
        }
        if (slot >= 0 && !agree(p, all, f->ns, k, all + (size_t)first * (size_t)f->ns)) {
            snprintf(p->no_start, sizeof p->no_start, "numbers of %s vary where they should not", element);
            return 0;
        }
        if (first == k && is_gear_constant(p->place[k])) {
            continue; // the start finds it
        }
        if (first == k && !gen_flow_text(f, text, sizeof text, x)) {
            snprintf(p->no_start, sizeof p->no_start, "programs cannot compute the numbers of %s", element);
            return 0;
        }
        if (first == k) {
            gen_put(out, "    s->k[%d] = %s;\n", slot, text);
        }
    }
    return 1;
}

/* Coordinates that are found from the others at the start, as the integral of a pid, begin with zero. */
static int is_found(const dal_program *p, int v)
{
    const dal_model *m = dal_document_model(p->doc);
    int found = 0;
    for (int k = 0; k < m->force_names.n; ++k) {
        found |= m->force[k].factor >= 0 && m->force[k].v == v && !m->force[k].type->state;
    }
    return found;
}

static int print_vector(gen_text *out, flow *f, dal_program *p, const double *x, int n, char what)
{
    char text[2 * GEN_NAME];
    for (int k = 0; k < n; ++k) {
        const double *own = x + (size_t)k * (size_t)f->ns;
        if (what == 'v' && is_found(p, k)) {
            continue;
        }
        if (!gen_flow_text(f, text, sizeof text, own)) {
            snprintf(p->no_start, sizeof p->no_start, "programs cannot compute the initial values %c[%d]", what, k);
            return 0;
        }
        if (strcmp(text, "REAL(0.0)") != 0) {
            gen_put(out, "    s->%c[%d] = %s;\n", what, k, text);
        }
    }
    return 1;
}

static dal_status print_text(dal_program *p, const samples *s, const double *all)
{
    gen_text ends = {.ctx = p->ctx}, out = {.ctx = p->ctx};
    flow f;
    mb_instance *at;
    DAL_TRY(mb_instance_of(&at, dal_document_model(p->doc), dal_sim_data(p->sim)));
    gen_flow_open(&f, p->ctx, s->ns);
    walk w = {.p = p, .at = at, .trace = &s->first, .all = all, .ns = s->ns, .f = &f};
    dal_status st = read_trace(&f, p, s, all);
    if (st == DAL_OK) {
        const places found = visit(&w);
        const int known = print_constants(&ends, &f, p, found.number) &&
                          print_vector(&ends, &f, p, found.q, at->of->group->nq, 'q') &&
                          print_vector(&ends, &f, p, found.v, at->nv, 'v');
        gen_flow_print(&f, &out);
        gen_put_n(&out, ends.s ? ends.s : "", ends.n);
        st = f.lost || out.failed || ends.failed ? dal_fail(p->ctx, DAL_ENOMEM, "generate: no memory for the numbers")
                                                 : DAL_OK;
        p->numbers = known && st == DAL_OK ? out.s : NULL;
    }
    if (!p->numbers) {
        gen_text_release(&out);
    }
    gen_text_release(&ends);
    gen_flow_close(&f);
    return st;
}

dal_status gen_find_numbers(dal_program *p, const double *own)
{
    samples s = {0};
    dal_status st = take_samples(&s, p, own);
    if (st == DAL_EINVAL || (st == DAL_OK && s.first.nops == 0)) {
        snprintf(p->no_start, sizeof p->no_start, "the parameters decide how elements are read");
        dal_ctx_clear(p->ctx);
        st = DAL_OK;
    } else if (st == DAL_OK) {
        double *all = side_by_side(&s, p->ctx);
        st = all ? print_text(p, &s, all) : dal_fail(p->ctx, DAL_ENOMEM, "generate: no memory for the samples");
        dal_free(p->ctx, all);
    }
    dal_trace_release(&s.first);
    dal_free(p->ctx, s.x);
    return st;
}
