/* Values of variables set on a simulation of the chain of 10 links, and the start that follows. */
#include <math.h>

#include "bench.h"
#include "dalembert/io.h"

typedef struct scene {
    dal_ctx *ctx;
    dal_document *doc;
    const dal_system *sys;
    dal_sim *sim;
    dal_binding *binding;
    double values[10];
    int n, k;
} scene;

static void vary(scene *s)
{
    s->k = 1 - s->k;
    for (int i = 0; i < s->n; ++i) {
        s->values[i] *= s->k ? 1.01 : 1.0 / 1.01;
    }
}

static void set(void *data)
{
    scene *s = data;
    vary(s);
    bench_ok(s->ctx, dal_binding_set(s->binding, dal_sim_data(s->sim), s->values));
}

static void start(void *data)
{
    scene *s = data;
    vary(s);
    bench_ok(s->ctx, dal_binding_start(s->binding, s->sim, NULL, s->values));
}

static void anew(void *data)
{
    const scene *s = data;
    dal_document *doc;
    const dal_system *sys;
    bench_ok(s->ctx, dal_document_open(&doc, s->ctx, "chain", NULL, 0));
    bench_ok(s->ctx, dal_model_compile(dal_document_model(doc), &sys));
    dal_document_destroy(doc);
}

static void report(scene *s, const char *what, const char *const *names, const double *values, int n)
{
    bench_ok(s->ctx, dal_binding_create(&s->binding, s->ctx, s->doc, names, n));
    s->n = n;
    s->k = 0;
    for (int i = 0; i < n; ++i) {
        s->values[i] = values[i];
    }
    const double t_set = bench_seconds(set, s), t_start = bench_seconds(start, s);
    printf("%-34s %8d %12.2f %12.2f\n", what, n, 1e6 * t_set, 1e6 * t_start);
    dal_binding_destroy(s->binding);
}

int main(void)
{
    static const char *const variables[] = {"L", "m", "width", "height", "omega"};
    static const double v[] = {0.1, 0.1, 0.02, 0.02, 0.1};
    static const char *const masses[] = {"bodies.link1.mass", "bodies.link2.mass", "bodies.link3.mass",
                                         "bodies.link4.mass", "bodies.link5.mass"};
    static const char *const ten[] = {"L",
                                      "m",
                                      "width",
                                      "height",
                                      "omega",
                                      "gravity.2",
                                      "joints.joint1.axis.1",
                                      "joints.joint2.axis.1",
                                      "joints.joint3.axis.1",
                                      "joints.joint4.axis.1"};
    static const double x[] = {0.1, 0.1, 0.02, 0.02, 0.1, -9.81, 1.0, 1.0, 1.0, 1.0};
    scene s = {.n = 0};
    bench_ok(s.ctx, dal_ctx_create(&s.ctx, NULL));
    bench_ok(s.ctx, dal_document_open(&s.doc, s.ctx, "chain", NULL, 0));
    bench_ok(s.ctx, dal_model_compile(dal_document_model(s.doc), &s.sys));
    bench_ok(s.ctx, dal_sim_create(&s.sim, s.ctx, s.sys, dal_document_options(s.doc)));
    printf("Values of the chain of 10 links, microseconds\n\n%-34s %8s %12s %12s\n", "", "values", "set", "and start");
    report(&s, "five masses", masses, v, 5);
    report(&s, "its variables but N", variables, v, 5);
    report(&s, "these and five numbers", ten, x, 10);
    printf("%-34s %8s %12.2f\n", "opened and compiled anew", "", 1e6 * bench_seconds(anew, &s));
    dal_sim_destroy(s.sim);
    dal_document_destroy(s.doc);
    dal_ctx_destroy(s.ctx);
    return 0;
}
