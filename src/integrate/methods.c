/* Methods by name: settings of the options that belong together. */
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "dalembert/integrate.h"

#define LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

static const dal_method methods[] = {
    {"index3", "integrator=genalpha formulation=index3", 2,
     "generalized-alpha on positions; sigma = 1, perturbed starting values [damps, stiff, cheap]"},
    {"ggl", "integrator=genalpha formulation=ggl", 2,
     "stabilised index 2: positions and velocities satisfy the constraints: the default for fixed steps [damps, "
     "stiff]"},
    {"index2", "integrator=genalpha formulation=index2", 2,
     "velocity constraints only; positions drift unless projected; the choice for nonholonomic rows alone [damps, "
     "stiff, cheap]"},
    {"index1", "integrator=genalpha formulation=index1", 2,
     "acceleration constraints only; drifts unless projected [damps, stiff]"},
    {"geom1", "integrator=genalpha formulation=index3 sigma=0", 2,
     "index 3 without the modification of the kinematic relation (sigma = 0) [damps, stiff]"},
    {"opt", "integrator=genalpha formulation=index3 sigma=opt", 2,
     "index 3 with sigma = gamma/(3 beta) [damps, stiff]"},
    {"naive", "integrator=genalpha formulation=index3 starting=naive", 2,
     "index 3 with naive starting values: shows the transient that the others avoid [damps, stiff]"},
    {"hht", "integrator=genalpha formulation=index3 parameters=hht", 2,
     "Hilber-Hughes-Taylor parameters [damps, stiff]"},
    {"lobatto2", "integrator=lobatto stages=2", 2, "Lobatto IIIA-IIIB, 2 stages [accurate]"},
    {"lobatto3", "integrator=lobatto stages=3", 4, "Lobatto IIIA-IIIB, 3 stages [accurate]"},
    {"lobatto4", "integrator=lobatto stages=4", 6, "Lobatto IIIA-IIIB, 4 stages: for tight tolerances [accurate]"},
    {"lobatto5", "integrator=lobatto stages=5", 8, "Lobatto IIIA-IIIB, 5 stages [accurate]"},
    {"symmetric3", "integrator=lobatto stages=3 lambda=symmetric", 4,
     "symmetric Lobatto, 3 stages: energy does not drift in long runs of fixed steps [conserves, accurate]"},
    {"symmetric5", "integrator=lobatto stages=5 lambda=symmetric", 8,
     "symmetric Lobatto, 5 stages [conserves, accurate]"},
    {"variational3", "integrator=lobatto stages=3 lambda=variational", 4,
     "variational Lobatto, 3 stages: momenta stay, too; constant masses and joints without nonholonomic rows only "
     "[conserves, accurate]"},
    {"bdf1", "integrator=bdf order=1", 1,
     "backward differences (BLieDF): implicit Euler, strongest damping [damps, stiff]"},
    {"bdf2", "integrator=bdf order=2", 2,
     "backward differences of order 2: for stiff motion whose vibrations may die [damps, stiff]"},
    {"bdf3", "integrator=bdf order=3", 3,
     "backward differences of order 3: every undamped vibration must be resolved [damps]"},
    {"bdf4", "integrator=bdf order=4", 4, "backward differences of order 4; likewise [damps]"},
    {"bdf5", "integrator=bdf order=5", 5, "backward differences of order 5; likewise [damps]"},
    {"rattlie", "integrator=rattlie order=2", 2,
     "variational: energy and momentum stay for ever; not for stiff springs [conserves, cheap]"},
    {"rattlie4", "integrator=rattlie order=4", 4, "its symmetric composition of 5 substeps [conserves]"},
    {"rattlie6", "integrator=rattlie order=6", 6, "its symmetric composition of 9 substeps [conserves, accurate]"},
    {"rattlie8", "integrator=rattlie order=8", 8, "its symmetric composition of 17 substeps [conserves, accurate]"},
    {"rk5", "integrator=rk order=5 step=fixed", 5,
     "explicit Runge-Kutta, Dormand-Prince 5(4): for motion that is not stiff [accurate]"},
    {"rk8", "integrator=rk order=8 step=fixed", 8, "explicit Runge-Kutta, Dormand-Prince 8(5,3) [accurate]"},
    {"auto", "integrator=auto step=auto", 2,
     "rk8, or generalized-alpha where stability would limit it, by a tolerance: the default if neither a method nor h "
     "is given; auto:step_rtol=1e-8 [accurate, stiff]"},
    {"adaptive", "step=adaptive", 2, "the model's method with step size control; combine: adaptive:step_rtol=1e-5"},
    {"model", "", 2, "the model's own options as they are"},
};

int dal_method_count(void)
{
    return LEN(methods);
}

dal_method dal_method_get(int k)
{
    return k >= 0 && k < LEN(methods) ? methods[k] : (dal_method){0};
}

/* Assignments between separators. */
static dal_status assign(dal_ctx *ctx, dal_options *options, const char *text, char separator)
{
    while (*text != '\0') {
        char one[256];
        const char *end = strchr(text, separator);
        const size_t n = end != NULL ? (size_t)(end - text) : strlen(text);
        snprintf(one, sizeof one, "%.*s", (int)(n < sizeof one ? n : sizeof one - 1), text);
        if (n > 0) {
            DAL_TRY(dal_options_parse(ctx, dal_options_table(), options, one));
        }
        text += end != NULL ? n + 1 : n;
    }
    return DAL_OK;
}

dal_status dal_options_method(dal_ctx *ctx, dal_options *options, const char *text)
{
    DAL_NEED(ctx, options);
    DAL_NEED(ctx, text);
    const char *word[LEN(methods)];
    const size_t n = strcspn(text, ":");
    for (int i = 0; i < LEN(methods); ++i) {
        word[i] = methods[i].name;
        if (strlen(word[i]) == n && memcmp(word[i], text, n) == 0) {
            dal_options changed = dal_options_init(); // callers compiled earlier have fewer options
            const size_t size = options->size < sizeof changed ? options->size : sizeof changed;
            memcpy(&changed, options, size);
            DAL_TRY(assign(ctx, &changed, methods[i].set, ' '));
            DAL_TRY(text[n] != '\0' ? assign(ctx, &changed, text + n + 1, ':') : DAL_OK);
            memcpy(options, &changed, size);
            return DAL_OK;
        }
    }
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)(n < 127 ? n : 127), text);
    const char *near = dal_nearest(name, word, LEN(methods));
    return near != NULL ? dal_fail(ctx, DAL_EOPTION, "no method '%s' (did you mean '%s'?)", name, near)
                        : dal_fail(ctx, DAL_EOPTION, "no method '%s' ('dalembert methods' lists them)", name);
}
