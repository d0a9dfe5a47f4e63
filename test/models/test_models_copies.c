/* The shared library changes nothing for the process: it is loaded, used and unloaded, and the host goes on; two copies of it in one
 * process, in four threads at a time, give what one gives alone, bit for bit. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/io.h"
#include "dalembert/modes.h"
#include "dalembert/sim.h"
#include "support/check.h"

enum { ROOM = 256 };

/* What the test calls, from one copy of the library. */
#define FUNCTIONS(X)         \
    X(dal_ctx_create_)       \
    X(dal_ctx_destroy)       \
    X(dal_document_open)     \
    X(dal_document_model)    \
    X(dal_document_options_) \
    X(dal_document_destroy)  \
    X(dal_model_compile)     \
    X(dal_model_q0)          \
    X(dal_model_v0)          \
    X(dal_sim_create)        \
    X(dal_sim_start)         \
    X(dal_sim_step)          \
    X(dal_sim_state)         \
    X(dal_sim_destroy)       \
    X(dal_modal_create_)     \
    X(dal_modal_mode)        \
    X(dal_modal_destroy)

typedef struct library {
    void *handle;
#define MEMBER(f) __typeof__(&f) f;
    FUNCTIONS(MEMBER)
} library;

static void load(library *l, const char *path)
{
    l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (l->handle == NULL) {
        fail_msg("%s", dlerror());
    }
#define FIND(f)                         \
    {                                   \
        void *p = dlsym(l->handle, #f); \
        assert_non_null(p);             \
        memcpy(&l->f, &p, sizeof p);    \
    }
    FUNCTIONS(FIND)
}

/* A model with assignments; what comes out of some steps. */
typedef struct run {
    const library *l;
    const char *model;
    const char *set[2];
    int modes; /* those of least frequency are kept instead of the velocities */
    int n;     /* of x; 0: failed */
    double x[ROOM];
} run;

static dal_status keep_modes(run *r, dal_ctx *ctx, const dal_system *sys, dal_state s)
{
    const dal_modal_options options = {.n = 5, .solver = DAL_MODAL_SPARSE};
    dal_modal *modal = NULL;
    DAL_TRY(r->l->dal_modal_create(&modal, ctx, sys, NULL, &(dal_point){s.t, s.q, s.v, s.vd, s.la}, &options));
    for (r->n = 0; r->n < 5; ++r->n) {
        r->x[r->n] = r->l->dal_modal_mode(modal, r->n).im;
    }
    r->l->dal_modal_destroy(modal);
    return DAL_OK;
}

static dal_status go(run *r, dal_ctx *ctx)
{
    const library *l = r->l;
    dal_document *doc = NULL;
    dal_sim *sim = NULL;
    const dal_system *sys;
    dal_status st = l->dal_document_open(&doc, ctx, r->model, r->set, 2);
    dal_model *m = st == DAL_OK ? l->dal_document_model(doc) : NULL;
    st = st != DAL_OK ? st : l->dal_model_compile(m, &sys);
    st = st != DAL_OK ? st : l->dal_sim_create(&sim, ctx, sys, l->dal_document_options(doc));
    st = st != DAL_OK ? st : l->dal_sim_start(sim, NULL, 0.0, l->dal_model_q0(m), l->dal_model_v0(m));
    for (int k = r->modes ? 30 : 0; k < 30 && st == DAL_OK; ++k) {
        st = l->dal_sim_step(sim);
    }
    if (st == DAL_OK) {
        r->n = sys->group->nv < ROOM ? sys->group->nv : ROOM;
        memcpy(r->x, l->dal_sim_state(sim).v, (size_t)r->n * sizeof(double));
    }
    if (st == DAL_OK && r->modes) {
        st = keep_modes(r, ctx, sys, l->dal_sim_state(sim));
    }
    l->dal_sim_destroy(sim);
    l->dal_document_destroy(doc);
    return st;
}

static void *simulate(void *user)
{
    run *r = user;
    dal_ctx *ctx = NULL;
    r->n = 0;
    if (r->l->dal_ctx_create_(&ctx, NULL, DAL_VERSION) == DAL_OK) {
        (void)go(r, ctx);
        r->l->dal_ctx_destroy(ctx);
    }
    return NULL;
}

/* Solvers with pivots anywhere, bodies in blocks, flexible bodies (eigenvalues), redundant rows (ranks), modes
 * of large systems. */
static const run runs[] = {
    {.model = "spatial_slider_crank", .set = {"linear_solver=sparse", "h=1e-3"}},
    {.model = "chain", .set = {"N=60", "linear_solver=sparse"}},
    {.model = "flexible_slider_crank", .set = {"h=1e-4", "linear_solver=auto"}},
    {.model = "bricard", .set = {"redundant=least_norm", "h=1e-3"}},
    {.model = "hanging_chain", .set = {"N=60", "h=1e-3"}, .modes = 1},
};

static void copy_library(char *name, size_t size)
{
    char line[1024];
    const char *folder = getenv("TMPDIR");
    snprintf(name, size, "%s/dalembert_copy_XXXXXX", folder != NULL ? folder : "/tmp");
    const int file = mkstemp(name);
    assert_true(file >= 0);
    FILE *to = fdopen(file, "wb"), *from = fopen(DAL_SHARED_LIBRARY, "rb");
    assert_true(to != NULL && from != NULL);
    for (size_t n; (n = fread(line, 1, sizeof line, from)) > 0;) {
        assert_int_equal(fwrite(line, 1, n, to), n);
    }
    fclose(from);
    assert_int_equal(fclose(to), 0);
}

static void the_host_goes_on_after_the_library_is_unloaded(void **state)
{
    for (int again = 0; again < 3; ++again) {
        library l;
        load(&l, DAL_SHARED_LIBRARY);
        for (size_t k = 0; k < LEN(runs); ++k) {
            run r = runs[k];
            r.l = &l;
            simulate(&r);
            assert_true(r.n > 0);
        }
        assert_int_equal(dlclose(l.handle), 0);
        char *block = malloc(100);
        assert_non_null(block);
        free(block);
    }
}

static void two_copies_do_not_notice_each_other(void **state)
{
    char name[256];
    library l[2];
    copy_library(name, sizeof name);
    load(&l[0], DAL_SHARED_LIBRARY);
    load(&l[1], name);
    assert_true(l[0].dal_sim_step != l[1].dal_sim_step); // they are two
    for (size_t k = 0; k < LEN(runs); ++k) {
        enum { THREADS = 4 };
        run alone = runs[k], r[THREADS];
        pthread_t thread[THREADS];
        alone.l = &l[0];
        simulate(&alone);
        assert_true(alone.n > 0);
        for (int t = 0; t < THREADS; ++t) {
            r[t] = runs[k];
            r[t].l = &l[t % 2];
            assert_int_equal(pthread_create(&thread[t], NULL, simulate, &r[t]), 0);
        }
        for (int t = 0; t < THREADS; ++t) {
            assert_int_equal(pthread_join(thread[t], NULL), 0);
            assert_int_equal(r[t].n, alone.n);
            assert_memory_equal(r[t].x, alone.x, (size_t)alone.n * sizeof(double));
        }
    }
    assert_int_equal(dlclose(l[1].handle), 0);
    run again = runs[0];
    again.l = &l[0];
    simulate(&again);
    assert_true(again.n > 0);
    assert_int_equal(dlclose(l[0].handle), 0);
    assert_int_equal(remove(name), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_goes_on_after_the_library_is_unloaded),
        cmocka_unit_test(two_copies_do_not_notice_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
