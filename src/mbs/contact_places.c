/* Where contacts touch and what they press with, for pictures: of joints, of compliant contacts and of contact groups. */
#include "dalembert/contacts.h"

#include <math.h>

#include "base/message.h"
#include "mbs/compile_impl.h"
#include "mbs/contact_impl.h"
#include "mbs/contact_kernel.h"
#include "mbs/meeting_impl.h"
#include "system/data.h"

typedef struct listing {
    dal_contact_place *list;
    int room, n;
} listing;

void mb_place_contact(void *list, const double x[3], const double force[3])
{
    listing *to = list;
    if (to->n < to->room && dot3(force, force) > 0.0) {
        copy3(to->list[to->n].x, x);
        copy3(to->list[to->n++].force, force);
    }
}

void mb_touched_at(double x[3], const mb_row *row, const mb_pairing *P)
{
    const touch K = touch_at(row, P);
    add3(x, P->side[K.swap].p, K.arm[0]);
}

/* Where the gap of a closed contact is. */
static void place_of(double x[3], const mb_constraint *c, const mb_joint *j, const mb_pairing *P)
{
    const mb_row *row = &c->row[0];
    double g[12], arm[3], d[3];
    if (row->type == &mb_row_touch) {
        mb_touched_at(x, row, P);
    } else if (row->type == &mb_row_limit_length) { // two smooth spheres
        copy3(x, P->side[0].p);
        axpy3(x, j->d.radius_a / sqrt(dot3(P->d, P->d)), P->d);
    } else { // on the plane of A, below what the force has as its line
        const double *k = P->side[0].E + 6;
        row->type->gradient(g, row, P);
        cross3(arm, g + 6, g + 9);
        add3(x, P->side[1].p, arm);
        sub3(d, x, P->side[0].p);
        axpy3(x, -dot3(k, d), k);
    }
}

/* Contacts of joints: their force on B is minus the sum of the gradients of their rows, times the multipliers. */
static void of_joint(listing *to, mb_instance *m, const mb_joint *j, const dal_point *at)
{
    double x[3], force[3];
    int open = 1;
    if (j->type->build != mb_contact_build && j->type->build != mb_sphere_contact_build) {
        return;
    }
    for (int b = j->first; b < j->first + j->count; ++b) {
        const mb_constraint *c = &m->constraint[b];
        double room[MB_ROWS] = {0.0}, g[12];
        const double *la = mb_contact_forces(room, c, m, at);
        mb_pairing P;
        if (c->gap < 0) {
            mb_contact_recall(c, m);
            open = !(la[0] < 0.0);
            memset(force, 0, sizeof force);
        }
        if (open) {
            continue;
        }
        mb_pairing_at(&P, m->state, c->marker, 0, c->axes | MB_AXES_A);
        if (c->gap < 0) {
            place_of(x, c, j, &P);
        }
        for (int i = 0; i < c->nscalar; ++i) {
            c->row[i].type->gradient(g, &c->row[i], &P);
            axpy3(force, -la[i], g + 6);
        }
        if (b + 1 == j->first + j->count || m->constraint[b + 1].gap < 0) {
            mb_place_contact(to, x, force);
        }
    }
}

/* Of groups: those that pushed in the last step, found again. Their impulses are forces times its length. */
static dal_status of_groups(listing *to, mb_instance *m, const dal_point *at)
{
    const dal_contacts *c = &m->of->system.contacts;
    const double h = m->memory[MB_MEMORY_TIME] - m->memory[MB_MEMORY_BEFORE], *pool = m->memory + c->pool;
    const dal_touch *list;
    int n, k = 0;
    DAL_TRY(c->touches(&list, &n, at, 0.0, h, m->of, m));
    for (int i = 0; i < n && h > 0.0; ++i) {
        const dal_touch *t = &list[i];
        for (; k < c->npool; ++k, pool += DAL_TOUCH_MEMORY) {
            const double pair = pool[DAL_TOUCH_PAIR], own = t->pair + 1.0;
            if (!(pair > 0.0) || pair > own || (pair == own && pool[DAL_TOUCH_POINT] >= t->point)) {
                break;
            }
        }
        if (k < c->npool && pool[DAL_TOUCH_PAIR] == t->pair + 1.0 && pool[DAL_TOUCH_POINT] == t->point) {
            double force[3];
            scale3(force, pool[DAL_TOUCH_NORMAL] / h, t->axis[0]);
            axpy3(force, 1.0 / h, pool + DAL_TOUCH_FRICTION);
            mb_place_contact(to, t->x, force);
        }
    }
    return DAL_OK;
}

int dal_model_contact_places_most(const dal_model *model)
{
    int n = 0;
    if (!model || !model->compiled) {
        return 0;
    }
    for (int k = 0; k < model->force_names.n; ++k) {
        n += mb_force_presses(&model->force[k]) ? MB_MEETINGS : 0;
    }
    return n + model->system.contacts.n + model->system.contacts.npool;
}

dal_status dal_model_contact_places(const dal_model *model, dal_data *data, dal_contact_place *places, int *n, int room,
                                    const dal_point *at)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, data);
    DAL_NEED(model->ctx, places);
    DAL_NEED(model->ctx, n);
    DAL_NEED_POINT(model->ctx, at, NULL);
    mb_instance *m;
    listing to = {places, room, 0};
    *n = 0;
    DAL_TRY(mb_instance_of(&m, model, data));
    DAL_TRY(mb_settled(m));
    mb_states(m, at);
    for (int k = 0; k < m->njoints && at->la; ++k) {
        of_joint(&to, m, &m->joint[k], at);
    }
    for (int k = 0; k < m->nforces; ++k) {
        if (mb_force_presses(&m->force[k]) && mb_acts(&m->force[k], m, at->t)) {
            mb_force_contact_places(&to, &m->force[k], m, at->t);
        }
    }
    DAL_TRY(m->memory && model->system.contacts.touches ? of_groups(&to, m, at) : DAL_OK);
    *n = to.n;
    return DAL_OK;
}
