#include "cli/methods.h"

#include <string.h>

static const cli_method methods[] = {
    {"index3", "integrator=genalpha formulation=index3", 2,
     "generalized-alpha on positions; sigma = 1, perturbed starting values: the default"},
    {"ggl", "integrator=genalpha formulation=ggl", 2,
     "stabilised index 2: positions and velocities satisfy the constraints"},
    {"index2", "integrator=genalpha formulation=index2", 2,
     "velocity constraints only; positions drift unless projected; the choice for nonholonomic rows alone"},
    {"index1", "integrator=genalpha formulation=index1", 2, "acceleration constraints only; drifts unless projected"},
    {"geom1", "integrator=genalpha formulation=index3 sigma=0", 2,
     "index 3 without the modification of the kinematic relation (sigma = 0)"},
    {"opt", "integrator=genalpha formulation=index3 sigma=opt", 2, "index 3 with sigma = gamma/(3 beta)"},
    {"naive", "integrator=genalpha formulation=index3 starting=naive", 2,
     "index 3 with naive starting values: shows the transient that the others avoid"},
    {"hht", "integrator=genalpha formulation=index3 parameters=hht", 2, "Hilber-Hughes-Taylor parameters"},
    {"lobatto2", "integrator=lobatto stages=2", 2, "Lobatto IIIA-IIIB, 2 stages"},
    {"lobatto3", "integrator=lobatto stages=3", 4, "Lobatto IIIA-IIIB, 3 stages"},
    {"lobatto4", "integrator=lobatto stages=4", 6, "Lobatto IIIA-IIIB, 4 stages: for tight tolerances"},
    {"lobatto5", "integrator=lobatto stages=5", 8, "Lobatto IIIA-IIIB, 5 stages"},
    {"rk5", "integrator=rk order=5 step=fixed", 5,
     "explicit Runge-Kutta, Dormand-Prince 5(4): for motion that is not stiff"},
    {"rk8", "integrator=rk order=8 step=fixed", 8, "explicit Runge-Kutta, Dormand-Prince 8(5,3)"},
    {"adaptive", "step=adaptive", 2, "the model's method with step size control; combine: adaptive:step_rtol=1e-5"},
    {"model", "", 2, "the model's own options as they are"},
};

int method_count(void)
{
    return CLI_LEN(methods);
}

const cli_method *method_nth(int k)
{
    return &methods[k];
}

/* Assignments between separators. */
static int assign(dal_options *opt, dal_ctx *ctx, const char *command, const char *text, char separator)
{
    while (*text != '\0') {
        char one[256];
        const char *end = strchr(text, separator);
        const size_t n = end != NULL ? (size_t)(end - text) : strlen(text);
        snprintf(one, sizeof one, "%.*s", (int)(n < sizeof one ? n : sizeof one - 1), text);
        if (n > 0 && dal_options_parse(ctx, dal_options_table(), opt, one) != DAL_OK) {
            return cli_usage(command, "%s", dal_ctx_message(ctx));
        }
        text += end != NULL ? n + 1 : n;
    }
    return CLI_OK;
}

int method_apply(dal_options *opt, dal_ctx *ctx, const char *command, const char *text)
{
    const char *word[CLI_LEN(methods)];
    const size_t n = strcspn(text, ":");
    for (int i = 0; i < CLI_LEN(methods); ++i) {
        word[i] = methods[i].name;
        if (strlen(word[i]) == n && memcmp(word[i], text, n) == 0) {
            const int code = assign(opt, ctx, command, methods[i].set, ' ');
            return code != CLI_OK || text[n] == '\0' ? code : assign(opt, ctx, command, text + n + 1, ':');
        }
    }
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)(n < 127 ? n : 127), text);
    const char *near = dal_nearest(name, word, CLI_LEN(methods));
    return near != NULL ? cli_usage(command, "no method '%s' (did you mean '%s'?)", name, near)
                        : cli_usage(command, "no method '%s' ('dalembert methods' lists them)", name);
}
