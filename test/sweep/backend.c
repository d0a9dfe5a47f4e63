#define _DEFAULT_SOURCE
#include "sweep/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[64];

void backend_cache(const char *options)
{
    snprintf(folder, sizeof folder, "/tmp/dalembert-cache-XXXXXX");
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("DAL_CFLAGS", options, 1);
    unsetenv("DAL_CC");
    unsetenv("CC");
}

void backend_cache_remove(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int backend_model(char *path, const char *text)
{
    const int fd = mkstemps(path, 5);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    return file == NULL || fputs(text, file) < 0 || fclose(file) != 0;
}

dal_sweep *backend_run(dal_ctx *ctx, const dal_sweep_spec *spec, dal_sweep_backend backend, int jobs)
{
    dal_sweep_spec own = *spec;
    dal_sweep *s = NULL;
    own.backend = backend;
    check_ok(ctx, dal_sweep_create(&s, ctx, &own));
    assert_int_equal(dal_sweep_backend_of(s), backend);
    check_ok(ctx, dal_sweep_run(s, &(dal_sweep_run_options){.jobs = jobs}));
    return s;
}

double backend_difference(long *handed, const dal_sweep_spec *spec, dal_sweep_backend backend)
{
    dal_ctx *ctx = check_ctx();
    dal_sweep *a = backend_run(ctx, spec, DAL_SWEEP_INTERPRETED, 1), *b = backend_run(ctx, spec, backend, 1);
    double worst = 0.0;
    for (long m = 0; m < dal_sweep_members(a); ++m) {
        const dal_sweep_member x = dal_sweep_result(a, m), y = dal_sweep_result(b, m);
        assert_int_equal(x.status, y.status);
        assert_string_equal(x.message, y.message);
        for (int k = 0; k < spec->ncollect; ++k) {
            assert_int_equal(isnan(x.value[k]), isnan(y.value[k]));
            const double off = fabs(x.value[k] - y.value[k]) / fmax(1.0, fabs(x.value[k]));
            if (getenv("DAL_TOL_SCALE") != NULL && off > worst) {
                printf("%s: member %ld: %.17g %.17g, %.1e\n", spec->collect[k], m, x.value[k], y.value[k], off);
            }
            worst = isnan(off) ? worst : fmax(worst, off);
        }
    }
    *handed = dal_sweep_handed_over(b);
    dal_sweep_destroy(a);
    dal_sweep_destroy(b);
    check_ctx_free(ctx);
    return worst;
}

const char *backend_refusal(dal_status *status, const dal_sweep_spec *spec, dal_sweep_backend backend)
{
    static char message[1000];
    dal_ctx *ctx = check_ctx();
    dal_sweep_spec own = *spec;
    dal_sweep *s = NULL;
    own.backend = backend;
    const dal_status st = dal_sweep_create(&s, ctx, &own);
    snprintf(message, sizeof message, "%s", st != DAL_OK ? dal_ctx_message(ctx) : "");
    if (status != NULL) {
        *status = st;
    }
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
    return message;
}
