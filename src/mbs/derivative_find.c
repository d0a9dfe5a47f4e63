/* What depends on a number: words in the memory of the elements, and which elements these are. */
#include <math.h>

#include "base/message.h"
#include "mbs/derivative_impl.h"
#include "mbs/numbers_impl.h"
#include "mbs/parameters.h"

/* ---- what follows from a number --------------------------------------------------------------- */

char *mb_image_of(const mb_instance *m)
{
    return (char *)m->body;
}

size_t mb_image_size(const mb_instance *m)
{
    return (size_t)((char *)m->table - (char *)m->body) / sizeof(uint64_t) * sizeof(uint64_t);
}

/* Masses need no checks: a plate on the edge of what is possible may be moved beyond it. Quaternions keep their length: only their
 * directions count. */
static dal_status move_to(mb_derivatives *s, mb_place *p, double value)
{
    mb_description *d = &p->d;
    *p->x = value;
    if (p->rotation) {
        dal_scale(p->rotation, 1.0 / sqrt(dal_dot(p->rotation, p->rotation, 4)), 4);
    }
    if (d->kind != MB_BODY || s->m->body[d->number].flex) {
        DAL_TRY(mb_description_set(s->data, d));
    } else {
        dal_body *desc = &s->m->desc[d->number];
        const dal_body kept = *desc;
        *desc = d->d.body;
        desc->name = kept.name;
        desc->type = kept.type;
        desc->sequence = kept.sequence;
        mb_body_numbers(&s->m->body[d->number], desc);
    }
    return mb_settle(s->m);
}

/* The word at an address, among those of the number at hand. */
static dal_status word_at(mb_derivatives *s, word **w, const number *k, uint64_t *at, uint64_t own)
{
    for (int i = k->first; i < s->nwords; ++i) {
        if (s->word[i].at == at) {
            *w = &s->word[i];
            return DAL_OK;
        }
    }
    DAL_GROW(s->data->ctx, s->word, s->word_room, s->nwords + 1);
    *w = &s->word[s->nwords++];
    (*w)->at = at;
    (*w)->own = own;
    for (int j = 0; j < DAL_STENCIL_POINTS; ++j) {
        (*w)->moved[j] = own;
    }
    return DAL_OK;
}

static dal_status note_word(mb_derivatives *s, const number *k, int point, uint64_t *at, const void *was)
{
    word *w;
    uint64_t own;
    memcpy(&own, was, sizeof own);
    if (*at != own) {
        DAL_TRY(word_at(s, &w, k, at, own));
        w->moved[point] = *at;
        *at = own;
    }
    return DAL_OK;
}

/* Note what is not as it was, and put it back. */
static dal_status note_words(mb_derivatives *s, const number *k, int point, const double gravity[3])
{
    const size_t n = mb_image_size(s->m), chunk = 1024;
    char *now = mb_image_of(s->m);
    for (size_t c = 0; c < n; c += chunk) {
        const size_t end = c + chunk < n ? c + chunk : n;
        if (memcmp(now + c, s->image + c, end - c) == 0) {
            continue;
        }
        for (size_t i = c; i < end; i += sizeof(uint64_t)) {
            DAL_TRY(note_word(s, k, point, (uint64_t *)(void *)(now + i), s->image + i));
        }
    }
    for (int i = 0; i < 3; ++i) {
        DAL_TRY(note_word(s, k, point, (uint64_t *)(void *)&s->m->gravity[i], &gravity[i]));
    }
    return DAL_OK;
}

/* d(q0, v0)/dp += weight (q0, v0) of a value */
static dal_status note_initial(mb_derivatives *s, number *k, double weight)
{
    const mb_instance *m = s->m;
    const dal_group *G = m->of->group;
    if (memcmp(m->q0, s->q0, (size_t)G->nq * sizeof(double)) != 0) {
        if (!k->q0) {
            DAL_TAKE(&s->pool, k->q0, m->nv);
        }
        dal_difference(G, s->theta, s->q0, m->q0);
        dal_add_multiple(k->q0, s->theta, weight, m->nv);
    }
    if (memcmp(m->v0, s->v0, (size_t)m->nv * sizeof(double)) != 0 || k->v0) {
        if (!k->v0) {
            DAL_TAKE(&s->pool, k->v0, m->nv);
        }
        for (int i = 0; i < m->nv; ++i) {
            k->v0[i] += weight * (m->v0[i] - s->v0[i]);
        }
    }
    return DAL_OK;
}

static void forget_number(mb_derivatives *s, number *k)
{
    s->nwords = k->first;
    if (k->q0) {
        dal_zero(k->q0, s->m->nv);
    }
    if (k->v0) {
        dal_zero(k->v0, s->m->nv);
    }
}

/* The number at all values of the stencil. *refused: one of them is not allowed. */
static dal_status try_stencil(mb_derivatives *s, number *k, mb_place *p, int *refused)
{
    double gravity[3], rotation[4] = {0.0};
    const double own = *p->x;
    copy3(gravity, s->m->gravity);
    if (p->rotation) {
        dal_copy(rotation, p->rotation, 4);
    }
    forget_number(s, k);
    *refused = 0;
    for (int j = 0; j < k->by->n && !*refused; ++j) {
        const dal_status st = move_to(s, p, own + k->by->place[j] * k->step);
        *refused = st != DAL_OK;
        if (!*refused) {
            DAL_TRY(note_initial(s, k, k->by->weight[j] / k->step));
        }
        DAL_TRY(note_words(s, k, j, gravity));
        if (p->rotation) {
            dal_copy(p->rotation, rotation, 4);
        }
        *p->x = own;
        if (p->d.kind == MB_BODY && s->m->body[p->d.number].flex) {
            DAL_TRY(mb_description_set(s->data, &p->d)); // modes are kept elsewhere
        }
    }
    return DAL_OK;
}

/* Is it a mass, a centre of mass, an inertia? */
static int is_mass(const mb_description *d, const double *x)
{
    const dal_body *b = &d->d.body;
    return d->kind == MB_BODY &&
           (x == &b->mass || (x >= b->com && x < b->com + 3) || (x >= b->inertia && x < b->inertia + 6));
}

/* What the elements make of functions: is it of degree one in them, and do functions have one argument, that of the function in which
 * they stand? */
static void find_uses(const mb_instance *m, int *linear, int *straight)
{
    *linear = *straight = 1;
    for (int k = 1; k <= m->of->function_names.n; ++k) {
        *straight &= !m->function[k].calling;
        *linear &= !m->function[k].calling && !mb_function_is_product(&m->function[k]);
    }
    for (int k = 0; k < m->nforces; ++k) {
        *linear &= !m->force[k].d.calling_law;
    }
    for (int k = 0; k < m->njoints; ++k) {
        *linear &= !m->joint[k].d.rows && m->joint[k].d.function == 0;
    }
    for (int k = 0; k < m->nconstraints; ++k) {
        *linear &= !m->constraint[k].slide;
    }
}

/* A value of a table of straight lines or of constants: it is the only word, the table is linear in it, and it counts between the points
 * beside it, where functions have no other argument. */
static dal_status find_table_value(mb_derivatives *s, number *k, const mb_place *p, const mb_function *f)
{
    const double *x = f->c, *y = x + f->n;
    const int i = (int)(p->x - y), n = f->n, line = f->interpolation == DAL_INTERPOLATION_LINEAR;
    int linear, straight;
    word *w;
    uint64_t own;
    memcpy(&own, p->x, sizeof own);
    find_uses(s->m, &linear, &straight);
    k->by = linear ? &dal_two_values : &dal_six_values;
    k->step = 1e-4 * (p->scale > 0.0 ? p->scale : 1.0); // laws may have kinks, and angles jump by a turn
    DAL_TRY(word_at(s, &w, k, (uint64_t *)(void *)p->x, own));
    for (int j = 0; j < k->by->n; ++j) {
        const double moved = *p->x + k->by->place[j] * k->step;
        memcpy(&w->moved[j], &moved, sizeof moved);
    }
    k->nwords = 1;
    k->local = straight;
    k->from = i <= line ? -INFINITY : x[i - line];
    k->to = i + 1 >= n - line ? INFINITY : x[i + 1];
    return DAL_OK;
}

/* Has a contact an outline that follows functions? Its corners move with these. */
static int has_curves(const mb_instance *m)
{
    int yes = 0;
    for (int k = 0; k < m->njoints; ++k) {
        yes |= m->joint[k].curve != NULL;
    }
    for (int k = 0; k < m->nforces; ++k) {
        yes |= m->force[k].curve != NULL;
    }
    return yes;
}

static int is_table_value(const mb_derivatives *s, const mb_place *p)
{
    const mb_function *f = &s->m->function[p->d.kind == MB_FUNCTION ? p->d.number : 0];
    return p->d.kind == MB_FUNCTION && mb_function_is_table(f) && !has_curves(s->m) &&
           (f->interpolation == DAL_INTERPOLATION_LINEAR || f->interpolation == DAL_INTERPOLATION_CONSTANT) &&
           p->x >= f->c + f->n && p->x < f->c + 2 * f->n;
}

/* Does a force act within micrometres? */
static int acts_thinly(const mb_force *f)
{
    return f->type->remember || f->type->wrench_kernel;
}

/* Has a function corners or jumps? */
static int has_corners(const mb_function *f)
{
    return (mb_function_is_table(f) || mb_function_is_map(f)) &&
           (f->interpolation == DAL_INTERPOLATION_LINEAR || f->interpolation == DAL_INTERPOLATION_CONSTANT);
}

/* Must numbers be moved by little, since the force acts within micrometres, or by tables with corners along a coordinate? */
static int is_thin(const mb_derivatives *s, int force)
{
    const mb_instance *m = s->m;
    const mb_force *f = &m->force[force];
    int thin = acts_thinly(f);
    for (int k = 1; k <= m->of->function_names.n && (f->d.characteristic > 0 || f->d.calling_law); ++k) {
        thin |= has_corners(&m->function[k]);
    }
    return thin;
}

int mb_has_thin_forces(dal_data *data)
{
    const mb_instance *m = mb_instance_in(data);
    int yes = 0;
    for (int k = 0; m && k < m->nforces; ++k) {
        yes |= acts_thinly(&m->force[k]);
    }
    return yes;
}

/* little: small steps, whatever the number is. */
static dal_status find_words(mb_derivatives *s, number *k, int index, double length, int little)
{
    mb_place p;
    int refused;
    DAL_TRY(mb_parameter_locate(s->data, &p, &s->found, index));
    k->first = s->nwords;
    if (is_table_value(s, &p)) {
        return find_table_value(s, k, &p, &s->m->function[p.d.number]);
    }
    const int polynomial = (is_mass(&p.d, p.x) && !s->m->body[p.d.number].flex) || p.d.kind == MB_GRAVITY;
    const dal_stencil *const choice[3] = {polynomial ? &dal_two_values : &dal_six_values, &dal_values_ahead,
                                          &dal_values_behind};
    // a step as large as the smoothness allows: rounding counts less then. Laws of forces may have kinks close by, and contacts
    // are pressed in by micrometres
    const int law = p.alone || p.d.kind == MB_FORCE;
    k->alone = p.alone && !(p.d.kind == MB_FUNCTION && mb_function_is_table(&s->m->function[p.d.number]));
    const int thin = little || (p.d.kind == MB_FORCE && is_thin(s, p.d.number));
    k->step = (polynomial ? 0.25
               : thin     ? 1e-6
               : law      ? 1e-4
                          : 4e-3) *
              (p.scale > 0.0 ? p.scale
               : p.alone     ? 1.0
                             : fmin(length, 1.0));
    for (int i = 0; i < 3; ++i) {
        k->by = choice[i];
        DAL_TRY(try_stencil(s, k, &p, &refused));
        if (!refused) {
            dal_ctx_clear(s->data->ctx);
            k->nwords = s->nwords - k->first;
            return DAL_OK;
        }
    }
    return dal_fail_in(s->data->ctx, DAL_EINVAL, "number %d of p cannot be moved to find derivatives", index);
}

/* ---- which elements --------------------------------------------------------------------------- */

static dal_status take_element(mb_derivatives *s, int e)
{
    if (s->seen[e]) {
        return DAL_OK;
    }
    s->seen[e] = 1;
    DAL_GROW(s->data->ctx, s->list, s->list_room, s->nlist + 1);
    s->list[s->nlist++] = e;
    return DAL_OK;
}

static dal_status take_elements(mb_derivatives *s, int from, int to)
{
    for (int e = from; e < to; ++e) {
        DAL_TRY(take_element(s, e));
    }
    return DAL_OK;
}

/* A force, and the rows that govern its own coordinate. */
static dal_status take_force(mb_derivatives *s, int f)
{
    DAL_TRY(take_element(s, s->m->first_force + f));
    for (int c = 0; c < s->m->nconstraints; ++c) {
        if (s->m->constraint[c].force == f) {
            DAL_TRY(take_element(s, s->m->first_rows + c));
        }
    }
    return DAL_OK;
}

/* What functions act through. One may be part of another, a sum or a product: all that follow any are taken. */
static dal_status take_followers(mb_derivatives *s)
{
    const mb_instance *m = s->m;
    for (int k = 0; k < m->nforces; ++k) {
        const dal_force *d = &m->force[k].d;
        if (d->function > 0 || d->characteristic > 0 || d->calling_law || m->force[k].curve) {
            DAL_TRY(take_force(s, k));
        }
    }
    DAL_TRY(take_elements(s, m->first_force + m->nforces, m->first_rows)); // loads of beams
    for (int k = 0; k < m->njoints; ++k) {
        const mb_joint *j = &m->joint[k];
        if (j->d.function > 0 || j->d.rows || j->curve) {
            DAL_TRY(take_elements(s, m->first_rows + j->first, m->first_rows + j->first + j->count));
        }
    }
    for (int k = 0; k < m->nconstraints; ++k) { // feeds of beams
        if (m->constraint[k].slide) {
            DAL_TRY(take_element(s, m->first_rows + k));
        }
    }
    return DAL_OK;
}

/* The element of a list whose member `at` points into; -1: it is none of them. */
static int member(const void *list, int n, size_t size, const void *at)
{
    const uintptr_t from = (uintptr_t)list, p = (uintptr_t)at;
    return p >= from && p < from + (size_t)n * size ? (int)((p - from) / size) : -1;
}

static int of_inputs(const mb_force *f, const void *at)
{
    const int n = f->input ? f->d.ninputs : 0;
    return member(f->input, n, sizeof *f->input, at) >= 0 || member(f->given, n, sizeof *f->given, at) >= 0;
}

static dal_status take_word(mb_derivatives *s, const uint64_t *at)
{
    const mb_instance *m = s->m;
    const int functions = m->of->function_names.n;
    int k;
    if ((k = member(m->body, m->nbodies, sizeof *m->body, at)) >= 0) {
        return k > 0 ? take_element(s, k - 1) : DAL_OK;
    }
    if ((k = member(m->constraint, m->nconstraints, sizeof *m->constraint, at)) >= 0) {
        return take_element(s, m->first_rows + k);
    }
    if ((k = member(m->joint, m->njoints, sizeof *m->joint, at)) >= 0) {
        const mb_joint *j = &m->joint[k];
        return take_elements(s, m->first_rows + j->first, m->first_rows + j->first + j->count);
    }
    if ((k = member(m->force, m->nforces, sizeof *m->force, at)) >= 0) {
        return take_force(s, k);
    }
    for (k = 0; k < m->nforces; ++k) {
        if (of_inputs(&m->force[k], at)) {
            return take_force(s, k);
        }
    }
    for (k = 1; k <= functions; ++k) {
        if (member(&m->function[k], 1, sizeof *m->function, at) >= 0 ||
            member(m->function[k].c, m->function[k].nc, sizeof(double), at) >= 0) {
            DAL_TRY(take_followers(s));
        }
    }
    return member(m->gravity, 3, sizeof(double), at) >= 0 ? take_elements(s, 0, m->first_rows) : DAL_OK;
}

static dal_status find_elements(mb_derivatives *s, number *k)
{
    memset(s->seen, 0, (size_t)s->m->nelements);
    k->element = s->nlist;
    for (int i = k->first; i < k->first + k->nwords; ++i) {
        DAL_TRY(take_word(s, s->word[i].at));
    }
    k->nelements = s->nlist - k->element;
    return DAL_OK;
}

dal_status mb_derivatives_find(mb_derivatives *s, number *k, int index, double length)
{
    DAL_TRY(find_words(s, k, index, length, 0));
    DAL_TRY(find_elements(s, k));
    int thin = 0;
    for (int i = k->element; i < s->nlist; ++i) {
        const int force = s->list[i] - s->m->first_force;
        thin |= force >= 0 && force < s->m->nforces && is_thin(s, force);
    }
    if (!thin || k->local || k->nwords == 0) {
        return DAL_OK;
    }
    s->nlist = k->element;
    s->nwords = k->first;
    return mb_derivatives_find_closely(s, k, index, length);
}

dal_status mb_derivatives_find_closely(mb_derivatives *s, number *k, int index, double length)
{
    DAL_TRY(find_words(s, k, index, length, 1));
    return find_elements(s, k);
}
