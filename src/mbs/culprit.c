/* Which element gave a value that is not finite: user functions, laws and rows are evaluated again, one by one. Only error
 * messages need this, after an evaluation has failed. */
#include <math.h>
#include <stdio.h>

#include "mbs/compile_impl.h"
#include "mbs/force_impl.h"

/* A NaN without its sign, which depends on the machine. */
static double shown(double x)
{
    return isnan(x) ? fabs(x) : x;
}

/* The function of an element gave y at x. */
static void tell_function(char *buffer, size_t size, const mb_instance *m, int number, double x, const double y[3],
                          const char *what, const char *name)
{
    const char *function = dal_model_function_name(m->of, number);
    const int named = function[0] != '#'; // functions in place have no name of their own
    snprintf(buffer, size, "the function %s%s%sof %s '%s' gives %g at %g, with the derivatives %g and %g",
             named ? "'" : "", named ? function : "", named ? "' " : "", what, name, shown(y[0]), x, shown(y[1]),
             shown(y[2]));
}

void mb_function_at(double y[3], mb_instance *m, int number, double x, const char *what, const char *name)
{
    const dal_status st = mb_function_value(y, m->function, number, x);
    if (st != DAL_OK) {
        MB_FAIL(m, st, "the function '%s' of %s '%s' failed at %g (%s)", dal_model_function_name(m->of, number), what,
                name, x, dal_status_text(st));
    } else if (!isfinite(y[0]) && isfinite(x)) {
        char text[300];
        tell_function(text, sizeof text, m, number, x, y, what, name);
        MB_FAIL(m, DAL_ECALLBACK, "%s", text);
    }
}

/* Index 3 uses the value only, and would go on where there is no velocity or acceleration to follow. */
void mb_motion_at(double y[3], mb_instance *m, int number, double t, const char *name)
{
    mb_function_at(y, m, number, t, "joint", name);
    if (m->st == DAL_OK && isfinite(t) && isfinite(y[0]) && !(isfinite(y[1]) && isfinite(y[2]))) {
        char text[300];
        tell_function(text, sizeof text, m, number, t, y, "joint", name);
        MB_FAIL(m, DAL_ECALLBACK, "%s: a motion needs both", text);
    }
}

/* A function of an element at x: does it give three finite numbers? */
static int function_is_bad(char *buffer, size_t size, const mb_instance *m, int number, double x, const char *what,
                           const char *name)
{
    double y[3];
    const dal_status st = mb_function_value(y, m->function, number, x);
    if ((st == DAL_OK && mb_norm_ok(y, 3)) || !isfinite(x)) {
        return 0;
    }
    tell_function(buffer, size, m, number, x, y, what, name);
    return 1;
}

static int joint_is_bad(char *buffer, size_t size, mb_instance *m, int k, const dal_point *at)
{
    const mb_joint *j = &m->joint[k];
    const char *name = m->of->joint_names.name[k];
    if (j->d.function > 0 && function_is_bad(buffer, size, m, j->d.function, at->t, "joint", name)) {
        return 1;
    }
    if (j->type->finite && !j->type->finite(&m->constraint[j->first], m, at)) {
        snprintf(buffer, size, "the coefficients of the rows of joint '%s' are not finite", name);
        return 1;
    }
    return 0;
}

static int force_is_bad(char *buffer, size_t size, mb_instance *m, int k, const dal_point *at)
{
    const mb_force *f = &m->force[k];
    const char *name = m->of->force_names.name[k];
    if (f->d.function > 0 && function_is_bad(buffer, size, m, f->d.function, at->t, "force", name)) {
        return 1;
    }
    if (f->d.characteristic > 0) {
        mb_along a;
        double e[2];
        mb_along_at(&a, m, f->marker, &f->row, at->t);
        mb_elongation(e, f, m, at->t, &a);
        if (function_is_bad(buffer, size, m, f->d.characteristic, e[0], "force", name)) {
            return 1;
        }
    }
    if (f->type->value && (at->la || !f->type->lambda)) {
        const double value = f->type->value(f, m, at);
        if (!isfinite(value)) {
            snprintf(buffer, size, "the value of force '%s' is %g", name, shown(value));
            return 1;
        }
    }
    return 0;
}

int mb_culprit(char *buffer, size_t size, const dal_point *at, const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    if (mb_settled(m) != DAL_OK) {
        return 0;
    }
    mb_states(m, at);
    for (int k = 0; k < m->njoints; ++k) {
        if (joint_is_bad(buffer, size, m, k, at)) {
            return 1;
        }
    }
    for (int k = 0; k < m->nforces; ++k) {
        if (force_is_bad(buffer, size, m, k, at)) {
            return 1;
        }
    }
    return 0;
}
