/* What a model tells of its beams: names, nodes, places, strains and section forces. */
#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "mbs/beam_impl.h"
#include "mbs/parameters.h"
#include "system/data.h"

int dal_model_beam_count(const dal_model *model)
{
    return model ? model->beam_names.n : 0;
}

int dal_model_find_beam(const dal_model *model, const char *name)
{
    return model && name ? mb_names_find(&model->beam_names, name) : -1;
}

dal_beam_info dal_model_beam_info(const dal_model *model, int number)
{
    if (!model || number < 0 || number >= model->beam_names.n) {
        return (dal_beam_info){0};
    }
    const mb_beam *b = &model->beam[number];
    return (dal_beam_info){model->beam_names.name[number], b->count, b->order, b->nnodes, b->length};
}

int dal_model_beam_node(const dal_model *model, double *place, int number, int node)
{
    if (!model || number < 0 || number >= model->beam_names.n || node < 0 || node >= model->beam[number].nnodes) {
        return -1;
    }
    if (place) {
        *place = model->beam[number].node[node].s;
    }
    return model->beam[number].node[node].body;
}

double mb_read_place(const char *text, const char **end)
{
    char *behind;
    const double s = strtod(text, &behind);
    *end = behind;
    if (behind == text || *behind != '/') {
        return s;
    }
    const double whole = strtod(*end + 1, &behind);
    if (behind == *end + 1 || !(whole > 0.0)) {
        return s;
    }
    *end = behind;
    return s / whole;
}

int mb_beam_place(const dal_model *m, double *s, const char *text)
{
    const char *at = text ? strrchr(text, '@') : NULL, *end;
    if (!at) {
        return -1;
    }
    *s = mb_read_place(at + 1, &end);
    for (int b = 0; end != at + 1 && *end == '\0' && *s >= 0.0 && *s <= 1.0 && b < m->beam_names.n; ++b) {
        const char *name = m->beam_names.name[b];
        if (strlen(name) == (size_t)(at - text) && strncmp(name, text, (size_t)(at - text)) == 0) {
            return b;
        }
    }
    return -1;
}

int mb_beam_node(const dal_model *m, const char *text)
{
    double s;
    const int b = mb_beam_place(m, &s, text);
    for (int i = 0; b >= 0 && i < m->beam[b].nnodes; ++i) {
        if (fabs(m->beam[b].node[i].s - s) < 1e-6 / m->beam[b].nnodes) {
            return m->beam[b].node[i].body;
        }
    }
    return -1;
}

dal_status dal_model_beam_frame(const dal_model *model, double frame[7], int number, int node)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, frame);
    if (dal_model_beam_node(model, NULL, number, node) < 0) {
        return dal_fail(model->ctx, DAL_EINVAL, "model: there is no beam of number %d, or no node %d of it", number,
                        node);
    }
    const mb_node *n = &model->beam[number].node[node];
    copy3(frame, n->a);
    memcpy(frame + 3, n->c, sizeof n->c);
    return DAL_OK;
}

int dal_model_beam_outline(const dal_model *model, double *yz, int number, double place)
{
    if (!model || number < 0 || number >= model->beam_names.n || !model->beam[number].outline) {
        return 0;
    }
    const mb_beam *b = &model->beam[number];
    const int last = b->noutlines - 1, i = last > 0 ? (int)fmin(last - 1.0, floor(place * last)) : 0;
    const double part = last > 0 ? place * last - i : 0.0, *x = b->outline + (size_t)(2 * b->noutline * i),
                 *y = x + (last > 0 ? 2 * b->noutline : 0);
    for (int k = 0; k < 2 * b->noutline && yz; ++k) {
        yz[k] = (1.0 - part) * x[k] + part * y[k];
    }
    return b->noutline;
}

/* state: of all nodes, or of a place */
static dal_status states(const dal_model *model, dal_data *data, dal_beam_state *state, const dal_point *at, int number,
                         const double *place)
{
    dal_data *own;
    mb_instance *m;
    DAL_TRY(mb_data_or_own(&own, model, &data));
    dal_status st = mb_instance_of(&m, model, data);
    st = st == DAL_OK ? mb_settled(m) : st;
    if (st == DAL_OK) {
        const mb_beam *b = &model->beam[number];
        mb_states(m, at);
        for (int i = 0; i < (place ? 1 : b->nnodes); ++i, ++state) {
            if (place) {
                mb_beam_at(state->position, state->rotation, state->strain, state->force, m, number, *place, at->t);
            } else {
                mb_beam_in(state->position, state->rotation, state->strain, state->force, m, number,
                           i > 0 ? (i - 1) / b->order : 0, b->node[i].s, at->t);
            }
        }
    }
    dal_data_destroy(own);
    return st;
}

dal_status dal_model_beam_at(const dal_model *model, dal_data *data, dal_beam_state *state, const dal_point *at,
                             int number, double place)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, state);
    DAL_NEED_POINT(model->ctx, at, &model->system);
    if (number < 0 || number >= model->beam_names.n || !(place >= 0.0 && place <= 1.0)) {
        return dal_fail(model->ctx, DAL_EINVAL, "model: there is no beam of number %d, or no place %g on it", number,
                        place);
    }
    return states(model, data, state, at, number, &place);
}

dal_status dal_model_beam_states(const dal_model *model, dal_data *data, dal_beam_state *state, const dal_point *at,
                                 int number)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, state);
    DAL_NEED_POINT(model->ctx, at, &model->system);
    if (number < 0 || number >= model->beam_names.n) {
        return dal_fail(model->ctx, DAL_EINVAL, "model: there is no beam of number %d", number);
    }
    return states(model, data, state, at, number, NULL);
}
