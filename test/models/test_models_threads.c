/* One compiled system, eight simulations in eight threads: each gives bit for bit what a run alone gives. Built with
 * ThreadSanitizer (preset tsan) the same test shows that they share nothing that is written. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/io.h"
#include "dalembert/sim.h"
#include "problems/problems.h"
#include "support/check.h"

enum { THREADS = 8, STEPS = 12, ROOM = 4096 };

/* What all simulations read. */
typedef struct shared {
    const dal_system *sys;
    const dal_model *model; /* NULL: none */
    const double *q0, *v0;
    dal_options opt;
    int numbers;                /* each run sets the numbers of the elements for itself */
    const dal_binding *binding; /* NULL: none; each run has values of its own */
    double values[8];
} shared;

/* One run: everything that comes out of it, one after the other. */
typedef struct run {
    const shared *common;
    int variant;
    dal_status st;
    int n;
    double x[ROOM];
    char message[256];
} run;

static void keep(run *r, const double *x, int n)
{
    if (r->n + n <= ROOM) {
        memcpy(r->x + r->n, x, (size_t)n * sizeof(double));
        r->n += n;
    } else {
        r->st = DAL_ENOMEM;
    }
}

static dal_status look(run *r, dal_sim *sim)
{
    const shared *c = r->common;
    const dal_state s = dal_sim_state(sim);
    double values[512], norms[3];
    keep(r, s.q, c->sys->group->nq);
    keep(r, s.la, dal_system_rows(c->sys));
    DAL_TRY(dal_sim_residuals(sim, &norms[0], &norms[1]));
    norms[2] = dal_data_energy(dal_sim_data(sim), &(dal_point){s.t, s.q, s.v, s.vd, s.la});
    keep(r, norms, 3);
    if (c->model && dal_model_output_size(c->model) <= 512) {
        DAL_TRY(dal_model_outputs(c->model, dal_sim_data(sim), values, &(dal_point){s.t, s.q, s.v, s.vd, s.la}));
        keep(r, values, dal_model_output_size(c->model));
    }
    return DAL_OK;
}

/* Masses, initial places and velocities, stiffness and friction of this variant. */
static dal_status set_numbers(const run *r, dal_data *data)
{
    const dal_model_summary all = dal_model_report(r->common->model);
    const double factor = 1.0 + 0.125 * r->variant;
    for (int k = 1; k <= all.bodies; ++k) {
        dal_body b;
        DAL_TRY(dal_data_get_body(data, &b, k));
        b.mass *= factor;
        for (int i = 0; i < 3; ++i) {
            b.inertia[i] *= factor;
            b.velocity[i] *= factor;
        }
        DAL_TRY(dal_data_set_body(data, k, &b));
    }
    for (int k = 0; k < all.joints; ++k) {
        dal_joint j;
        DAL_TRY(dal_data_get_joint(data, &j, k));
        DAL_TRY(dal_data_set_joint(data, k, &j));
    }
    for (int k = 0; k < all.forces; ++k) {
        dal_force f;
        DAL_TRY(dal_data_get_force(data, &f, k));
        f.stiffness *= factor;
        f.mu *= factor;
        f.damping6[0] *= factor;
        DAL_TRY(dal_data_set_force(data, k, &f));
    }
    return dal_data_set_gravity(data, (double[3]){0.0, 0.0, -9.81 * factor});
}

static dal_status begin(run *r, dal_sim *sim)
{
    const shared *c = r->common;
    double q[64], v[64], values[8];
    if (c->binding) {
        for (int k = 0; k < 8; ++k) {
            values[k] = c->values[k] * (1.0 + 0.0625 * r->variant);
        }
        return dal_binding_start(c->binding, sim, NULL, values);
    }
    if (!c->numbers) {
        return dal_sim_start(sim, NULL, 0.0, c->q0, c->v0);
    }
    DAL_TRY(set_numbers(r, dal_sim_data(sim)));
    DAL_TRY(dal_data_initial(dal_sim_data(sim), q, v));
    return dal_sim_start(sim, NULL, 0.0, q, v);
}

static dal_status simulate(run *r, dal_ctx *ctx)
{
    const shared *c = r->common;
    dal_sim *sim;
    DAL_TRY(dal_sim_create(&sim, ctx, c->sys, &c->opt));
    dal_status st = begin(r, sim);
    for (int k = 0; k < STEPS && st == DAL_OK; ++k) {
        st = dal_sim_step(sim);
        if (k % 4 == 3) {
            st = st == DAL_OK ? look(r, sim) : st;
        }
    }
    dal_sim_destroy(sim);
    return st;
}

static void *in_thread(void *argument)
{
    run *r = argument;
    dal_ctx *ctx;
    r->st = dal_ctx_create(&ctx, NULL);
    if (r->st == DAL_OK) {
        r->st = simulate(r, ctx);
        strncpy(r->message, dal_ctx_message(ctx), sizeof r->message - 1);
        dal_ctx_destroy(ctx);
    }
    return NULL;
}

static int same_bits(const void *a, const void *b, size_t n)
{
    return memcmp(a, b, n) == 0;
}

static void check_threads(const char *what, const shared *common)
{
    static run alone[THREADS], together[THREADS];
    pthread_t thread[THREADS];
    memset(alone, 0, sizeof alone);
    memset(together, 0, sizeof together);
    for (int k = 0; k < THREADS; ++k) {
        alone[k].common = common;
        alone[k].variant = common->numbers ? k : 0;
        if (k == 0 || common->numbers) {
            (void)in_thread(&alone[k]);
        } else {
            alone[k] = alone[0];
        }
        if (alone[k].st != DAL_OK) {
            fail_msg("%s: %s", what, alone[k].message);
        }
        assert_true(alone[k].n > 0);
        assert_true(k == 0 || same_bits(alone[0].x, alone[k].x, sizeof alone[0].x) == !common->numbers);
    }
    for (int k = 0; k < THREADS; ++k) {
        together[k].common = common;
        together[k].variant = alone[k].variant;
        assert_int_equal(pthread_create(&thread[k], NULL, in_thread, &together[k]), 0);
    }
    for (int k = 0; k < THREADS; ++k) {
        assert_int_equal(pthread_join(thread[k], NULL), 0);
    }
    for (int k = 0; k < THREADS; ++k) {
        if (together[k].st != DAL_OK || !same_bits(alone[k].x, together[k].x, sizeof alone[k].x)) {
            fail_msg("%s: thread %d differs from a run alone (%s)", what, k, together[k].message);
        }
    }
}

static void check_document(const char *what, const char *text, const char *const *set, int nset, int numbers)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    shared c = {.numbers = numbers};
    if (text) {
        char json[4096];
        assert_true(strlen(text) < sizeof json);
        for (size_t i = 0; i <= strlen(text); ++i) {
            json[i] = (char)(text[i] == '\'' ? '"' : text[i]);
        }
        check_ok(ctx, dal_document_parse(&doc, ctx, json, strlen(json), what, set, nset));
    } else {
        check_ok(ctx, dal_document_open(&doc, ctx, what, set, nset));
    }
    check_ok(ctx, dal_model_compile(dal_document_model(doc), &c.sys));
    check_ok(ctx, dal_document_assemble(doc, NULL, c.sys));
    c.model = dal_document_model(doc);
    c.q0 = dal_model_q0(c.model);
    c.v0 = dal_model_v0(c.model);
    c.opt = *dal_document_options(doc);
    check_threads(what, &c);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

/* Elements of all kinds with memory of their own: a controller with an integral, friction, bushing, rows from
 * expressions, sums over time, bodies in all coordinates. */
static const char *const machine =
    "{'dalembert': 1, 'name': 'machine', 'gravity': [0, 0, -9.81],"
    " 'functions': {'sway': {'type': 'harmonic', 'amplitude': 0.3, 'omega': 12}},"
    " 'bodies': ["
    "  {'name': 'cart', 'type': 'euler_parameters', 'mass': 2, 'inertia': [0.2, 0.2, 0.3]},"
    "  {'name': 'arm', 'type': 'cardan', 'mass': 1, 'inertia': [0.1, 0.1, 0.1], 'position': [0, 0, 1]},"
    "  {'name': 'bob', 'type': 'se3', 'mass': 1, 'inertia': [0.1, 0.1, 0.1], 'position': [0, 0, 2]},"
    "  {'name': 'p', 'type': 'point', 'mass': 1, 'position': [3, 0, 0], 'velocity': [1, 0.5, 0]}],"
    " 'joints': ["
    "  {'name': 'rail', 'type': 'prismatic', 'body_b': 'cart', 'point': [0, 0, 0], 'axis': [1, 0, 0]},"
    "  {'name': 'hinge', 'type': 'revolute', 'body_a': 'cart', 'body_b': 'arm', 'point': [0, 0, 0],"
    "   'axis': [0, 1, 0]},"
    "  {'name': 'blade', 'type': 'pfaffian', 'bodies': ['p'], 'rows': [['-y1', 0, 1, 0, 0, 0]]}],"
    " 'forces': ["
    "  {'name': 'control', 'type': 'pid', 'joint': 'hinge', 'stiffness': 20, 'damping': 1, 'integral': 5,"
    "   'function': 'sway'},"
    "  {'name': 'rub', 'type': 'friction', 'joint': 'rail', 'mu': 0.1, 'slip': 0.01},"
    "  {'name': 'pad', 'type': 'bushing', 'body_a': 'arm', 'body_b': 'bob',"
    "   'frame_a': [0, 0, 1], 'stiffness': [100, 100, 100, 10, 10, 10], 'damping': [1, 1, 1, 0.1, 0.1, 0.1]}],"
    " 'outputs': ['dissipated_energy', 'drive_work', 'energy', 'hinge.torque', 'rail.residual'],"
    " 'simulation': {'t_end': 1, 'h': 0.001}}";

/* One binding, one compiled model, eight threads with values of their own. */
static void bindings_are_shared_by_threads(void **state)
{
    static const char *const text =
        "{\"dalembert\": 1, \"variables\": {\"L\": 0.4, \"m\": 2, \"w\": 3, \"a\": 0.2, \"k\": 50},"
        " \"bodies\": [{\"name\": \"b\", \"mass\": \"m\", \"inertia\": {\"rod\": \"L\"}, \"position\": [\"L/2\", 0, "
        "0]},"
        "  {\"name\": \"p\", \"type\": \"point\", \"mass\": \"m/2\", \"position\": [3, 0, 0], \"velocity\": [1, \"w\", "
        "0]}],"
        " \"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"body_b\": \"b\", \"point\": [0, 0, 0], \"axis\": "
        "[0, 1, 0]},"
        "  {\"name\": \"blade\", \"type\": \"pfaffian\", \"bodies\": [\"p\"], \"rows\": [[\"-w*a\", \"a\", \"y1 - "
        "a*k*t\", 0, 0, 0]]}],"
        " \"forces\": [{\"name\": \"f\", \"type\": \"spring\", \"joint\": \"A\", \"stiffness\": \"k\", \"function\": "
        "\"a*sin(w*t)\"},"
        "  {\"name\": \"l\", \"type\": \"law\", \"body_b\": \"p\", \"coordinate\": \"translation_y\", \"value\": "
        "\"-k*v/m\","
        "   \"inputs\": {\"v\": \"p.velocity.y\"}}],"
        " \"simulation\": {\"h\": 0.001}}";
    static const char *const names[] = {"L", "m", "w", "a", "k", "bodies.p.position.0"};
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    dal_binding *b;
    shared c = {.numbers = 1, .values = {0.4, 2.0, 3.0, 0.2, 50.0, 3.0}};
    check_ok(ctx, dal_document_parse(&doc, ctx, text, strlen(text), "bound", NULL, 0));
    check_ok(ctx, dal_model_compile(dal_document_model(doc), &c.sys));
    check_ok(ctx, dal_binding_create(&b, ctx, doc, names, 6));
    c.binding = b;
    c.model = dal_document_model(doc);
    c.opt = *dal_document_options(doc);
    check_threads("bound", &c);
    dal_binding_destroy(b);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

static void models_are_shared_by_threads(void **state)
{
    static const struct {
        const char *model, *set[4];
        int nset;
    } list[] = {
        {"heavy_top", {"h=1e-3"}, 1},
        {"spatial_slider_crank", {"integrator=lobatto", "h=1e-3"}, 2},
        {"bricard", {"redundant=least_norm", "h=1e-3"}, 2},
        {"flexible_slider_crank", {"h=1e-5"}, 1},
        {"chain", {"N=6", "formulation=ggl", "h=1e-3"}, 3},
        {"rolling_disk", {"formulation=index1", "h=1e-3"}, 2},
        {"andrews_squeezer", {"step=adaptive", "h=1e-6"}, 2},
    };
    for (size_t k = 0; k < LEN(list); ++k) {
        check_document(list[k].model, NULL, list[k].set, list[k].nset, 0);
    }
    check_document("machine", machine, NULL, 0, 0);
}

/* One compiled model, other masses, stiffnesses and gravity in each thread. */
static void each_thread_has_numbers_of_its_own(void **state)
{
    check_document("machine", machine, NULL, 0, 1);
}

/* The callbacks of these problems write nothing that their `user` refers to. */
static void dense_systems_are_shared_by_threads(void **state)
{
    static const char *const integrator[] = {"integrator=genalpha", "integrator=lobatto"};
    for (int k = 0; k < 2; ++k) {
        dal_ctx *ctx = check_ctx();
        problem p;
        check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
        shared c = {.sys = p.sys, .q0 = p.q0, .v0 = p.v0, .opt = dal_options_init()};
        check_ok(ctx, dal_options_parse(ctx, dal_options_table(), &c.opt, integrator[k]));
        check_threads(integrator[k], &c);
        problem_free(&p);
        check_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_shared_by_threads),
        cmocka_unit_test(bindings_are_shared_by_threads),
        cmocka_unit_test(each_thread_has_numbers_of_its_own),
        cmocka_unit_test(dense_systems_are_shared_by_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
