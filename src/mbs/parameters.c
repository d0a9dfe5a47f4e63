/* The vector p of a simulation: which numbers descriptions have, and how all of them are copied, for snapshots. */
#include "mbs/parameters.h"

#include <stdint.h>

#include "base/message.h"
#include "mbs/event_impl.h"
#include "mbs/flex_impl.h"
#include "mbs/numbers_impl.h"

/* ---- numbers of a description ----------------------------------------------------------------- */

/* n numbers in a row. */
typedef struct span {
    double *x;
    int n;
} span;

enum { SPANS = 40 + 4 * DAL_INPUTS_MAX };

typedef struct spans {
    span item[SPANS];
    int n;
} spans;

static void add(spans *s, const double *x, int n)
{
    if (n > 0 && s->n < SPANS) {
        s->item[s->n++] = (span){(double *)x, n};
    }
}

static void add_frame(spans *s, const dal_frame *f)
{
    add(s, f->position, 3);
    add(s, f->rotation, 4);
}

/* How many numbers the value of a key is in the description. */
static int numbers_of(const dal_key *key)
{
    switch (key->kind) {
    case DAL_KEY_NUMBER:
        return 1;
    case DAL_KEY_VECTOR:
    case DAL_KEY_SPIN:
        return 3;
    case DAL_KEY_ROTATION:
        return 4;
    case DAL_KEY_INERTIA:
        return 6;
    case DAL_KEY_NUMBERS:
        return key->n;
    default:
        return 0;
    }
}

static void add_keys(spans *s, dal_element_type about, const char *section, const void *d)
{
    about.section = section;
    const dal_key *key;
    for (int k = 0; (key = dal_element_key(&about, k)) != NULL; ++k) {
        if (key->offset != DAL_KEY_NOWHERE) {
            add(s, (const double *)((const char *)d + key->offset), numbers_of(key));
        }
    }
}

/* The numbers of an element in the order of p. */
static void list_spans(spans *s, const mb_instance *m, const mb_description *d)
{
    s->n = 0;
    switch (d->kind) {
    case MB_GRAVITY:
        add(s, d->d.gravity, 3);
        return;
    case MB_FUNCTION:
        add(s, &d->interpolation, 1);
        add(s, d->list[1], m->function[d->number].n);
        add(s, d->list[2], d->list[2] ? m->function[d->number].n : 0);
        return;
    case MB_BODY: {
        const mb_body *b = &m->body[d->number];
        add_keys(s, b->type->about, "bodies", &d->d);
        add(s, d->list[1], b->flex ? b->flex->n : 0);
        add(s, d->list[2], b->flex ? b->flex->n : 0);
        return;
    }
    case MB_JOINT: {
        const dal_joint *j = &d->d.joint;
        add_keys(s, m->joint[d->number].type->about, "joints", j);
        add_frame(s, &j->frame_a);
        add_frame(s, &j->frame_b);
        add(s, j->parameter, j->nparameters);
        return;
    }
    case MB_FORCE: {
        const dal_force *f = &d->d.force;
        add_keys(s, m->force[d->number].type->about, "forces", f);
        add_frame(s, &f->frame_a);
        add_frame(s, &f->frame_b);
        add(s, &f->from, f->switched ? 1 : 0);
        add(s, &f->to, f->switched ? 1 : 0);
        add(s, f->parameter, f->nparameters);
        for (int k = 0; f->inputs && k < f->ninputs; ++k) {
            add_frame(s, &f->inputs[k].frame_a);
            add_frame(s, &f->inputs[k].frame_b);
        }
        return;
    }
    case MB_EVENT:
        add(s, d->d.event.parameter, d->d.event.nparameters);
        return;
    default:
        add_frame(s, &d->d.frame);
    }
}

/* ---- descriptions ----------------------------------------------------------------------------- */

static dal_status get_function(mb_instance *m, mb_description *d)
{
    dal_function *f = &d->d.function;
    DAL_TRY(mb_get_function(m, f, d->number));
    d->list[1] = (double *)(f->c ? f->c : f->x);
    d->list[2] = (double *)f->y;
    d->interpolation = f->interpolation;
    return DAL_OK;
}

static dal_status get_body(mb_instance *m, mb_description *d)
{
    if (d->number < 1 || d->number >= m->nbodies || !m->body[d->number].flex) {
        return mb_get_body(m, &d->d.body, d->number);
    }
    DAL_TRY(mb_get_flexible(m, &d->d.flexible, d->number));
    d->list[1] = (double *)d->d.flexible.modal;
    d->list[2] = (double *)d->d.flexible.modal_velocity;
    return DAL_OK;
}

static dal_status get_force(mb_instance *m, mb_description *d)
{
    dal_force *f = &d->d.force;
    DAL_TRY(mb_get_force(m, f, d->number));
    if (f->inputs && f->ninputs > 0) {
        memcpy(d->input, f->inputs, (size_t)f->ninputs * sizeof *d->input);
        f->inputs = d->list[1] = d->input;
    }
    return DAL_OK;
}

static dal_status get(mb_instance *m, mb_description *d, mb_kind kind, int number)
{
    d->kind = kind;
    d->number = number;
    d->list[0] = &d->d;
    d->list[1] = d->list[2] = NULL;
    switch (kind) {
    case MB_FUNCTION:
        return get_function(m, d);
    case MB_BODY:
        return get_body(m, d);
    case MB_JOINT:
        return mb_get_joint(m, &d->d.joint, number);
    case MB_FORCE:
        return get_force(m, d);
    case MB_OUTPUT:
        return mb_get_output(m, &d->d.frame, number);
    case MB_EVENT:
        return mb_get_event(m, &d->d.event, number);
    default:
        copy3(d->d.gravity, m->gravity);
        return DAL_OK;
    }
}

static dal_status set_function(mb_instance *m, const mb_description *d)
{
    dal_function f = d->d.function;
    const int known = d->interpolation >= DAL_INTERPOLATION_CUBIC && d->interpolation <= DAL_INTERPOLATION_CONSTANT;
    f.interpolation = (dal_interpolation)(known ? (int)d->interpolation : DAL_INTERPOLATION_CUBIC);
    return mb_set_function(m, d->number, &f);
}

static dal_status set(mb_instance *m, const mb_description *d)
{
    switch (d->kind) {
    case MB_FUNCTION:
        return set_function(m, d);
    case MB_BODY:
        return m->body[d->number].flex ? mb_set_flexible(m, d->number, &d->d.flexible)
                                       : mb_set_body(m, d->number, &d->d.body);
    case MB_JOINT:
        return mb_set_joint(m, d->number, &d->d.joint);
    case MB_FORCE:
        return mb_set_force(m, d->number, &d->d.force);
    case MB_OUTPUT:
        return mb_set_output(m, d->number, &d->d.frame);
    case MB_EVENT:
        return mb_set_event(m, d->number, &d->d.event);
    default:
        return mb_set_gravity(m, d->d.gravity);
    }
}

dal_status mb_description_get(dal_data *data, mb_description *d, mb_kind kind, int number)
{
    mb_instance *m = mb_instance_in(data);
    return m ? get(m, d, kind, number) : DAL_EINVAL;
}

dal_status mb_description_set(dal_data *data, const mb_description *d)
{
    mb_instance *m = mb_instance_in(data);
    return m ? set(m, d) : DAL_EINVAL;
}

/* ---- all of them ------------------------------------------------------------------------------ */

/* The next element after *kind, *number in the order of p; 0: there is none. Begin with MB_GRAVITY, -1. */
static int next_element(const mb_instance *m, mb_kind *kind, int *number)
{
    const int end[MB_KINDS] = {1,           m->of->function_names.n + 1, m->nbodies, m->njoints, m->nforces,
                               m->noutputs, dal_model_event_count(m->of)};
    for (++*number; *kind < MB_KINDS; ++*kind, *number = *kind == MB_FUNCTION || *kind == MB_BODY) {
        while (*kind == MB_BODY && *number < m->nbodies && m->body[*number].unit != *number) {
            ++*number; // interface nodes have no numbers of their own
        }
        if (*number < end[*kind]) {
            return 1;
        }
    }
    return 0;
}

/* Copy all numbers to x, or set them from x; both may be NULL. *n: how many there are. */
static dal_status pass_all(mb_instance *m, double *to, const double *from, int *n)
{
    mb_description d;
    spans s;
    mb_kind kind = MB_GRAVITY;
    *n = 0;
    for (int number = -1; next_element(m, &kind, &number);) {
        DAL_TRY(get(m, &d, kind, number));
        list_spans(&s, m, &d);
        for (int k = 0; k < s.n; *n += s.item[k++].n) {
            const size_t size = (size_t)s.item[k].n * sizeof(double);
            if (to) {
                memcpy(to + *n, s.item[k].x, size);
            } else if (from) {
                memcpy(s.item[k].x, from + *n, size);
            }
        }
        DAL_TRY(from ? set(m, &d) : DAL_OK);
    }
    return DAL_OK;
}

int mb_numbers(double *x, const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    int n;
    return m->changed && pass_all(m, x, NULL, &n) == DAL_OK ? n : 0;
}

dal_status mb_set_numbers(const double *x, int n, const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    int count;
    if (n == 0) {
        if (m->changed) {
            mb_instance_restore(m);
        }
        return DAL_OK;
    }
    DAL_TRY(pass_all(m, NULL, NULL, &count));
    if (n != count) {
        return dal_fail(
            m->ctx, DAL_EINVAL,
            "it has %d numbers of elements, this simulation has %d: set the callbacks with their parameters before", n,
            count);
    }
    DAL_TRY(pass_all(m, NULL, x, &count));
    return mb_settle(m);
}

/* ---- indices ---------------------------------------------------------------------------------- */

int dal_data_parameters(dal_data *data, double *p)
{
    int n = 0;
    mb_instance *m = data ? mb_instance_in(data) : NULL;
    return m && pass_all(m, p, NULL, &n) == DAL_OK ? n : 0;
}

int mb_parameter_first(dal_data *data, mb_counted *from, mb_kind kind, int number)
{
    mb_instance *m = mb_instance_in(data);
    mb_description d;
    spans s;
    if (from->kind > kind || (from->kind == kind && from->number > number)) {
        *from = (mb_counted){MB_GRAVITY, -1, 0};
    }
    int more = m && (from->number >= 0 || next_element(m, &from->kind, &from->number));
    while (more && !(from->kind == kind && from->number == number)) {
        if (get(m, &d, from->kind, from->number) != DAL_OK) {
            return -1;
        }
        list_spans(&s, m, &d);
        for (int k = 0; k < s.n; ++k) {
            from->n += s.item[k].n;
        }
        more = next_element(m, &from->kind, &from->number);
    }
    return m ? from->n : -1;
}

int mb_parameter_index(dal_data *data, mb_description *d, int list, size_t offset)
{
    spans s;
    int n = 0;
    const uintptr_t at = (uintptr_t)d->list[list] + offset;
    list_spans(&s, mb_instance_in(data), d);
    for (int k = 0; k < s.n; n += s.item[k++].n) {
        const uintptr_t from = (uintptr_t)s.item[k].x;
        if (at >= from && at < from + (size_t)s.item[k].n * sizeof(double)) {
            return n + (int)((at - from) / sizeof(double));
        }
    }
    return -1;
}

/* Numbers of functions and of callbacks stand in one list whatever their units are. */
static int stand_alone(const mb_description *d, const double *x)
{
    const double *list = d->kind == MB_JOINT ? d->d.joint.parameter : d->kind == MB_FORCE ? d->d.force.parameter : NULL;
    return d->kind == MB_FUNCTION || x == list;
}

/* Number i of a span. */
static void place_in(mb_place *p, const span *at, int i)
{
    double square = 0.0;
    p->x = at->x + i;
    p->alone = stand_alone(&p->d, at->x);
    p->scale = fabs(*p->x);
    for (int k = 0; k < at->n && !p->alone; ++k) {
        p->scale = fmax(p->scale, fabs(at->x[k]));
        square += at->x[k] * at->x[k];
    }
    p->rotation = at->n == 4 && fabs(square - 1.0) < 1e-5 ? at->x : NULL;
}

dal_status mb_parameter_locate(dal_data *data, mb_place *p, mb_counted *from, int index)
{
    mb_instance *m = mb_instance_in(data);
    spans s;
    if (index < from->n) {
        *from = (mb_counted){MB_GRAVITY, -1, 0};
    }
    int more = m && (from->number >= 0 || next_element(m, &from->kind, &from->number));
    while (more) {
        int n = from->n;
        DAL_TRY(get(m, &p->d, from->kind, from->number));
        list_spans(&s, m, &p->d);
        for (int k = 0; k < s.n; n += s.item[k++].n) {
            if (index < n + s.item[k].n) {
                place_in(p, &s.item[k], index - n);
                return DAL_OK;
            }
        }
        from->n = n;
        more = next_element(m, &from->kind, &from->number);
    }
    return m ? dal_fail(m->ctx, DAL_EINVAL, "model: there is no number %d in p", index) : DAL_EINVAL;
}
