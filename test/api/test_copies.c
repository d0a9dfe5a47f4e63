/* The library as a plug-in: many copies in one process, at the same time and one after the other, loaded and unloaded. The program
 * itself has a copy, too, the internal static library. All give the same bits, and none is left behind. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"

#include "dalembert/dalembert.h"

enum { MAX = 64 };

/* The functions of one copy. */
// clang-format off
#define CORE(X) \
    X(dal_ctx_create_) X(dal_ctx_destroy) X(dal_group_create) X(dal_group_destroy) \
    X(dal_dense_create_) X(dal_dense_destroy) X(dal_sim_create) X(dal_sim_destroy) \
    X(dal_sim_start) X(dal_sim_run) X(dal_sim_state)
#define FULL(X) \
    X(dal_document_open) X(dal_document_destroy) X(dal_document_model) X(dal_document_options_) \
    X(dal_model_compile) X(dal_model_q0) X(dal_model_v0)
// clang-format on
#define MEMBER(name) __typeof__(&name) p_##name;
typedef struct copy {
    void *handle;
    CORE(MEMBER)
    FULL(MEMBER)
} copy;

#define OWN(name) .p_##name = name,
static const copy own = {CORE(OWN) FULL(OWN)};

/* dlsym gives a void *, which C cannot convert to a function: the bytes are copied. */
static void find(void *function, const copy *c, const char *name)
{
    void *const symbol = dlsym(c->handle, name);
    assert_non_null(symbol);
    memcpy(function, &symbol, sizeof symbol);
}

#define FIND(name) find(&c.p_##name, &c, #name);
static copy load(const char *path, int flags, int full)
{
    copy c = {.handle = dlopen(path, RTLD_NOW | flags)};
    if (c.handle == NULL) {
        fail_msg("%s", dlerror());
    }
    CORE(FIND)
    if (full) {
        FULL(FIND)
    }
    return c;
}

static void unload(copy *c, const char *path)
{
    assert_int_equal(dlclose(c->handle), 0);
    assert_null(dlopen(path, RTLD_NOW | RTLD_NOLOAD)); // nothing holds it
}

/* A second file with the same library: another copy for the loader. */
static void duplicate(char *path, size_t size, const char *of)
{
    static char buffer[1 << 16];
    snprintf(path, size, "copy-%ld-%s", (long)getpid(), strrchr(of, '/') + 1);
    FILE *from = fopen(of, "rb"), *to = fopen(path, "wb");
    assert_true(from && to);
    size_t n;
    while ((n = fread(buffer, 1, sizeof buffer, from)) > 0) {
        assert_int_equal(fwrite(buffer, 1, n, to), n);
    }
    fclose(from);
    assert_int_equal(fclose(to), 0);
}

/* ---- what is run: a point on a rod, and a model of many parts ---------------------------------- */

static dal_status mass(double *m, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    return m[0] = m[3] = 1.0, m[1] = m[2] = 0.0, DAL_OK;
}

static dal_status weight(double *f, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)v, (void)la, (void)user;
    return f[0] = 0.0, f[1] = 9.81, DAL_OK;
}

static dal_status rod(double *phi, double t, const double *q, void *user)
{
    (void)t, (void)user;
    return phi[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0), DAL_OK;
}

static dal_status along(double *b, double t, const double *q, void *user)
{
    (void)t, (void)user;
    return b[0] = q[0], b[1] = q[1], DAL_OK;
}

typedef struct job {
    const copy *c;
    dal_ctx *ctx;
    dal_group *group;
    dal_system *dense;
    dal_document *doc;
    dal_sim *sim;
    int nq;
} job;

static void begin_pendulum(job *j)
{
    const copy *c = j->c;
    const double q0[2] = {1.0, 0.0}, v0[2] = {0.0, 0.0};
    const dal_factor_spec plane = {DAL_FACTOR_RN, 2};
    assert_int_equal(c->p_dal_ctx_create_(&j->ctx, NULL, DAL_VERSION), DAL_OK);
    assert_int_equal(c->p_dal_group_create(&j->group, j->ctx, &plane, 1), DAL_OK);
    const dal_dense equations = {.group = j->group, .nc = 1, .M = mass, .g = weight, .Phi = rod, .B = along};
    assert_int_equal(c->p_dal_dense_create_(&j->dense, j->ctx, &equations, sizeof equations), DAL_OK);
    assert_int_equal(c->p_dal_sim_create(&j->sim, j->ctx, j->dense, NULL), DAL_OK);
    assert_int_equal(c->p_dal_sim_start(j->sim, NULL, 0.0, q0, v0), DAL_OK);
    j->nq = 2;
}

static void begin_crank(job *j)
{
    const copy *c = j->c;
    const dal_system *sys;
    assert_int_equal(c->p_dal_ctx_create_(&j->ctx, NULL, DAL_VERSION), DAL_OK);
    assert_int_equal(c->p_dal_document_open(&j->doc, j->ctx, "spatial_slider_crank", NULL, 0), DAL_OK);
    dal_model *model = c->p_dal_document_model(j->doc);
    assert_int_equal(c->p_dal_model_compile(model, &sys), DAL_OK);
    assert_int_equal(c->p_dal_sim_create(&j->sim, j->ctx, sys, c->p_dal_document_options_(j->doc, sizeof(dal_options))),
                     DAL_OK);
    assert_int_equal(c->p_dal_sim_start(j->sim, NULL, 0.0, c->p_dal_model_q0(model), c->p_dal_model_v0(model)), DAL_OK);
    j->nq = sys->group->nq;
    assert_true(j->nq <= MAX);
}

static void go(job *j, double t)
{
    assert_int_equal(j->c->p_dal_sim_run(j->sim, NULL, t), DAL_OK);
}

static void end(job *j, double *q)
{
    memcpy(q, j->c->p_dal_sim_state(j->sim).q, (size_t)j->nq * sizeof *q);
    j->c->p_dal_sim_destroy(j->sim);
    if (j->doc != NULL) {
        j->c->p_dal_document_destroy(j->doc);
    }
    if (j->dense != NULL) {
        j->c->p_dal_dense_destroy(j->dense);
        j->c->p_dal_group_destroy(j->group);
    }
    j->c->p_dal_ctx_destroy(j->ctx);
}

/* ---- the tests --------------------------------------------------------------------------------- */

typedef struct kind {
    const char *path;
    int full;
    void (*begin)(job *j);
} kind;

static void copies_take_turns(const kind *k, int flags)
{
    char other[256];
    double want[MAX], first[MAX], second[MAX], third[MAX];
    duplicate(other, sizeof other, k->path);
    char where[300];
    snprintf(where, sizeof where, "./%s", other);
    for (int round = 0; round < 2; ++round) { // unloaded, loaded again
        copy a = load(k->path, flags, k->full), b = load(where, flags, k->full);
        assert_true(a.p_dal_sim_run != b.p_dal_sim_run && a.p_dal_sim_run != own.p_dal_sim_run);
        job jobs[] = {{.c = &own}, {.c = &a}, {.c = &b}};
        for (size_t i = 0; i < LEN(jobs); ++i) {
            k->begin(&jobs[i]);
        }
        for (int n = 1; n <= 10; ++n) {
            for (size_t i = 0; i < LEN(jobs); ++i) {
                go(&jobs[i], 1e-3 * n);
            }
        }
        end(&jobs[0], want);
        end(&jobs[1], first);
        unload(&a, k->path);
        go(&jobs[2], 0.02); // goes on without the other copy
        end(&jobs[2], second);
        job alone = {.c = &b};
        k->begin(&alone);
        for (int n = 1; n <= 10; ++n) {
            go(&alone, 1e-3 * n);
        }
        end(&alone, third);
        unload(&b, where);
        assert_memory_equal(first, want, (size_t)alone.nq * sizeof *want);
        assert_memory_equal(third, want, (size_t)alone.nq * sizeof *want);
        assert_memory_not_equal(second, want, (size_t)alone.nq * sizeof *want);
    }
    unlink(other);
}

static const kind core = {DAL_CORE_FILE, 0, begin_pendulum}, full = {DAL_LIBRARY_FILE, 1, begin_crank};

static void copies_of_the_core_do_not_meet(void **state)
{
    copies_take_turns(&core, RTLD_LOCAL);
    copies_take_turns(&core, RTLD_GLOBAL);
}

static void copies_of_the_library_do_not_meet(void **state)
{
    copies_take_turns(&full, RTLD_LOCAL);
    copies_take_turns(&full, RTLD_GLOBAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_the_core_do_not_meet),
        cmocka_unit_test(copies_of_the_library_do_not_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
