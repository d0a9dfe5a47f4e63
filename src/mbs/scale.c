/* What the coordinates of a model are measured in: a length that is typical of it, and radians. Tolerances are parts of
 * these, so that the same mechanism in other units gives the same motion. And which of its velocities are given. */
#include <math.h>

#include "base/message.h"
#include "mbs/beam_impl.h"
#include "mbs/compile_impl.h"
#include "mbs/flex_impl.h"

static double length3(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* The longest lever arm or radius of gyration: what turns forces into torques. */
static double longest_lever(const mb_instance *m)
{
    double most = 0.0;
    for (int i = 1; i < m->nbodies; ++i) {
        const mb_body *b = &m->body[i];
        const double trace = b->J[0] + b->J[4] + b->J[8];
        most = b->m > 0.0 && b->type->rotates ? fmax(most, sqrt(0.5 * trace / b->m)) : most;
        for (int k = 0; b->flex && b->unit == i && k < b->flex->nnodes; ++k) {
            most = fmax(most, length3(b->flex->a + 3 * (size_t)k)); // joints and forces act there
        }
    }
    for (int k = 0; k < m->nconstraints + m->nforces; ++k) {
        const mb_marker *marker = k < m->nconstraints ? m->constraint[k].marker : m->force[k - m->nconstraints].marker;
        for (int i = 0; i < 2; ++i) {
            most = marker[i].body > 0 ? fmax(most, length3(marker[i].a)) : most;
        }
    }
    for (int k = 0; k < m->of->beam_names.n; ++k) {
        most = fmax(most, m->of->beam[k].length);
    }
    return most;
}

static double distance3(const double a[3], const double b[3])
{
    return length3((double[]){a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

/* Of points, whose frames have no levers: what joints and forces reach across. */
static double across(const mb_instance *m, const mb_marker marker[2])
{
    const double *p[2];
    for (int i = 0; i < 2; ++i) {
        p[i] = marker[i].body > 0 ? m->desc[marker[i].body].position : marker[i].a;
    }
    return distance3(p[0], p[1]);
}

/* That, or the distance of bodies, or of one from the origin. */
static double longest_reach(const mb_instance *m)
{
    double most = 0.0;
    for (int k = 0; k < m->nconstraints; ++k) {
        most = m->constraint[k].nsides == 2 ? fmax(most, across(m, m->constraint[k].marker)) : most;
    }
    for (int k = 0; k < m->nforces; ++k) {
        most = m->force[k].type->alone ? most : fmax(most, across(m, m->force[k].marker));
    }
    for (int i = 2; i < m->nbodies && most == 0.0; ++i) {
        most = distance3(m->desc[i].position, m->desc[1].position);
    }
    return most > 0.0 || m->nbodies < 2 ? most : length3(m->desc[1].position);
}

double mb_length(const mb_instance *m)
{
    const double lever = longest_lever(m), longest = lever > 0.0 ? lever : longest_reach(m);
    return longest > 0.0 ? longest : 1.0;
}

double mb_units(double *unit, const void *user, void *work)
{
    const mb_instance *m = work;
    const double length = mb_length(m);
    (void)user;
    for (int i = 0; i < m->nv; ++i) {
        unit[i] = 1.0;
    }
    for (int i = 1; i < m->nbodies; ++i) {
        const mb_body *b = &m->body[i];
        for (int k = 0; b->unit == i && k < (b->type->planar ? 2 : 3); ++k) {
            unit[b->v + k] = length;
        }
        for (int k = 3; b->unit == i && b->type->nv == 7 && k < 7; ++k) {
            unit[b->v + k] = 0.5; // a turn by 1 rad
        }
        // a mode with the kinetic energy of the body that moves by that length
        const int n = b->unit == i && b->nfactors > 1 ? b->flex->n : 0, first = b->v + b->type->nv;
        for (int k = 0; k < n; ++k) {
            const double mass = b->flex->M[k + k * n];
            unit[first + k] = mass > 0.0 && b->m > 0.0 ? length * sqrt(b->m / mass) : 1.0;
        }
    }
    return length;
}

/* ---- given velocities ------------------------------------------------------------------------- */

static int some(const double *x, int n)
{
    int found = 0;
    for (int i = 0; i < n; ++i) {
        found |= x[i] != 0.0;
    }
    return found;
}

/* A vector is given as a whole: if the description says so, or if a component is not zero. */
void mb_given(int *given, const dal_model *m, const mb_body *body, const dal_body *desc)
{
    for (int i = 0; i < m->nv; ++i) {
        given[i] = 0;
    }
    for (int i = 1; i < m->body_names.n; ++i) {
        const mb_body *b = &body[i];
        const dal_body *d = &desc[i];
        const int n = b->flex ? 6 : b->type->nv, ntranslation = b->type->planar ? 2 : 3;
        const int moves = (d->given & DAL_GIVEN_VELOCITY) || some(d->velocity, 3),
                  turns = (d->given & DAL_GIVEN_ANGULAR_VELOCITY) || some(d->angular_velocity, 3);
        for (int k = 0; b->unit == i && k < n; ++k) {
            given[b->v + k] = k < ntranslation ? moves : turns;
        }
        const int modes = b->flex && b->unit == i && b->nfactors > 1 ? b->flex->n : 0;
        const double *zd0 = modes == 0 ? NULL : b->bent ? b->bent->zd0 : b->flex->zd0;
        const int bends = modes > 0 && ((d->given & DAL_GIVEN_MODAL_VELOCITY) || some(zd0, modes));
        for (int k = 0; k < modes; ++k) {
            given[b->v + n + k] = bends;
        }
    }
    for (int k = 0; k < m->force_names.n; ++k) {
        // states have values, what rows of their own govern follows from them
        for (int i = 0; m->force[k].factor >= 0 && i < m->force[k].own; ++i) {
            given[m->force[k].v + i] = m->force[k].type->build == NULL;
        }
    }
}

dal_status dal_model_given(const dal_model *model, int *given)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, given);
    if (!model->compiled) {
        return dal_fail(model->ctx, DAL_EINVAL, "model: velocities of the bodies become v by compiling");
    }
    mb_given(given, model, model->body, model->body_desc);
    return DAL_OK;
}
