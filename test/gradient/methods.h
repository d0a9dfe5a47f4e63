/* Methods, and gradients of runs in which something happens with all of them. */
#ifndef TEST_GRADIENT_METHODS_H
#define TEST_GRADIENT_METHODS_H

#include "compare.h"

static const char *const methods[][3] = {{"integrator=genalpha", "formulation=index3", "step=fixed"},
                                         {"integrator=genalpha", "formulation=index2", "step=fixed"},
                                         {"integrator=genalpha", "formulation=ggl", "step=fixed"},
                                         {"integrator=rk", "order=5", "step=fixed"},
                                         {"integrator=rk", "order=8", "step=adaptive"},
                                         {"integrator=lobatto", "stages=3", "step=fixed"},
                                         {"integrator=lobatto", "stages=4", "step=adaptive"}};
enum { METHODS = sizeof methods / sizeof methods[0] };

/* A run with impacts, changes of contacts or events. */
typedef struct happening {
    const char *model, *of[3], *by[4], *t_end;
} happening;

/* Forward mode against the adjoint and differences of runs: how many do not agree. */
static inline int compare_happenings(const happening *list, size_t n)
{
    dal_ctx *ctx = check_ctx();
    int bad = 0;
    for (size_t k = 0; k < n; ++k) {
        for (int m = 0; m < METHODS; ++m) {
            const int adaptive = m == 4 || m == 6;
            const char *const set[] = {methods[m][0], methods[m][1], methods[m][2], list[k].t_end, "h=0.004"};
            const dal_gradient_spec spec = {.source = list[k].model,
                                            .of = list[k].of,
                                            .nof = 3,
                                            .by = list[k].by,
                                            .nby = 4,
                                            .set = set,
                                            .nset = adaptive ? 4 : 5};
            const int wrong = compare_forward(ctx, &spec, 2e-6, 1, 0);
            if (wrong > 0) {
                fprintf(stderr, "  with %s %s %s\n", set[0], set[1], set[2]);
            }
            bad += wrong;
        }
    }
    check_ctx_free(ctx);
    return bad;
}

#endif
