/* Where numbers of elements are in the data of a simulation. A member of an ensemble is another simulation of the same
 * compiled model, whose elements lie in arrays of the same form: a number is found there in the same place. */
#include <stdint.h>

#include "generate/generate_impl.h"

void gen_view(dal_model *view, const mb_instance *at)
{
    *view = *at->of;
    memcpy(view->gravity, at->gravity, sizeof view->gravity);
    view->body = at->body;
    view->body_desc = at->desc;
    view->joint = at->joint;
    view->force = at->force;
    view->constraint = at->constraint;
    view->function = at->function;
    view->output = at->output;
}

static const void *array_of(const mb_instance *at, gen_array_kind array, int number)
{
    switch (array) {
    case GEN_GRAVITY:
        return at->gravity;
    case GEN_BODY:
        return at->body;
    case GEN_JOINT:
        return at->joint;
    case GEN_FORCE:
        return at->force;
    case GEN_CONSTRAINT:
        return at->constraint;
    case GEN_OUTPUT:
        return at->output;
    case GEN_FUNCTION:
        return at->function[number].c;
    case GEN_INPUT:
        return at->force[number].input;
    default:
        return NULL;
    }
}

/* Is x among n elements of an array? */
static int within(const double *x, const void *array, int n, size_t size, size_t *offset)
{
    const uintptr_t from = (uintptr_t)array, at = (uintptr_t)x;
    if (array == NULL || at < from || at >= from + (size_t)n * size) {
        return 0;
    }
    *offset = at - from;
    return 1;
}

gen_place gen_place_of(const gen *g, const double *x)
{
    const mb_instance *m = g->at;
    gen_place p = {.array = GEN_NOWHERE};
    const struct {
        const void *from;
        size_t size;
        int n;
        gen_array_kind array;
    } all[] = {{g->m->gravity, sizeof(double), 3, GEN_GRAVITY},
               {m->body, sizeof *m->body, m->nbodies, GEN_BODY},
               {m->joint, sizeof *m->joint, m->njoints, GEN_JOINT},
               {m->force, sizeof *m->force, m->nforces, GEN_FORCE},
               {m->constraint, sizeof *m->constraint, m->nconstraints, GEN_CONSTRAINT},
               {m->output, sizeof *m->output, m->noutputs, GEN_OUTPUT}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        if (within(x, all[k].from, all[k].n, all[k].size, &p.offset)) {
            p.array = all[k].array;
            return p;
        }
    }
    for (int k = 1; k <= g->m->function_names.n; ++k) {
        if (within(x, m->function[k].c, m->function[k].nc, sizeof(double), &p.offset)) {
            p.array = GEN_FUNCTION;
            p.number = k;
            return p;
        }
    }
    for (int k = 0; k < m->nforces; ++k) {
        if (within(x, m->force[k].input, m->force[k].d.ninputs, sizeof(mb_input), &p.offset)) {
            p.array = GEN_INPUT;
            p.number = k;
            return p;
        }
    }
    return p;
}

double gen_value_at(const mb_instance *at, gen_place place)
{
    double x;
    memcpy(&x, (const char *)array_of(at, place.array, place.number) + place.offset, sizeof x);
    return x;
}

size_t gen_owner(gen_place place)
{
    const size_t size[] = {
        [GEN_NOWHERE] = SIZE_MAX,         [GEN_GRAVITY] = SIZE_MAX,       [GEN_BODY] = sizeof(mb_body),
        [GEN_JOINT] = sizeof(mb_joint),   [GEN_FORCE] = sizeof(mb_force), [GEN_CONSTRAINT] = sizeof(mb_constraint),
        [GEN_OUTPUT] = sizeof(mb_output), [GEN_FUNCTION] = SIZE_MAX,      [GEN_INPUT] = SIZE_MAX};
    return (place.offset / size[place.array] + (size_t)place.number) * 16 + (size_t)place.array;
}
