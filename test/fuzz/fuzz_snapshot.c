/* Any bytes as a snapshot of a simulation, or as the text of a checkpoint: nothing may crash or leak. The first byte
 * chooses:
 *     0 .. 127    a simulation (its options). Records of 3 bytes follow, place (2) and kind: the word of a good snapshot
 *                 at that place is replaced by a special number, or, for kinds beyond those, by the next 8 bytes. The
 *                 checksum is put right, the snapshot restored, and the simulation asked to go on
 *     128 .. 253  the same simulation; the rest is the snapshot
 *     254, 255    the rest is the text of a checkpoint, and gets its last line with a valid checksum
 * Built by clang with -fsanitize=fuzzer (-DDAL_FUZZ=ON), or with replay.c to run files through it. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/record.h"
#include "sim/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- a pendulum with an event ----------------------------------------------------------------- */

static const char *const options[] = {"newton=modified",
                                      "formulation=ggl",
                                      "step=adaptive",
                                      "linear_solver=dense;newton=modified",
                                      "linear_solver=sparse;newton=modified",
                                      "linear_solver=block;newton=modified",
                                      "projection=compensated;projection_every=2",
                                      "projection=plain;projection_times=0.01,0.02,0.3",
                                      "integrator=lobatto;newton=modified",
                                      "integrator=lobatto;stages=2;linear_solver=sparse;step=adaptive",
                                      "formulation=index1",
                                      "redundant=drop",
                                      "redundant=least_norm"};

enum { NOPTIONS = sizeof options / sizeof options[0] };

static double crossing(double t, const double *q, const double *v, void *user)
{
    (void)t, (void)v, (void)user;
    return q[1] + 0.2;
}

static void die(const dal_ctx *ctx, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, dal_ctx_message(ctx));
    abort();
}

#define MUST(ctx, call)         \
    do {                        \
        if ((call) != DAL_OK) { \
            die(ctx, #call);    \
        }                       \
    } while (0)

typedef struct run {
    dal_ctx *ctx;
    dal_model *model;
    const dal_system *sys;
    dal_sim *sim;
} run;

static void set_options(run *r, dal_options *opt, const char *text)
{
    char one[64];
    *opt = dal_options_init();
    opt->h = 0.01;
    while (*text != '\0') {
        const size_t n = strcspn(text, ";");
        snprintf(one, sizeof(one), "%.*s", (int)n, text);
        MUST(r->ctx, dal_options_parse(r->ctx, dal_options_table(), opt, one));
        text += text[n] == ';' ? n + 1 : n;
    }
}

static void start(run *r, int number)
{
    dal_options opt;
    const dal_event event = {.value = crossing, .action = DAL_EVENT_RESTART};
    const dal_body bob = {.name = "bob", .mass = 1.0, .inertia = {0.1, 0.1, 0.1}, .position = {1.0, 0.0, 0.0}};
    dal_joint pin = {.name = "pin", .type = "spherical", .frame_b.position = {-1.0, 0.0, 0.0}};
    MUST(r->ctx, dal_model_create(&r->model, r->ctx));
    MUST(r->ctx, dal_model_set_gravity(r->model, (double[3]){0.0, -9.81, 0.0}));
    MUST(r->ctx, dal_model_add_body(r->model, &pin.body_b, &bob));
    MUST(r->ctx, dal_model_add_joint(r->model, NULL, &pin));
    MUST(r->ctx, dal_model_compile(r->model, &r->sys));
    set_options(r, &opt, options[number % NOPTIONS]);
    MUST(r->ctx, dal_sim_create(&r->sim, r->ctx, r->sys, &opt));
    MUST(r->ctx, dal_sim_event(r->sim, &event));
    MUST(r->ctx, dal_sim_start(r->sim, NULL, 0.0, dal_model_q0(r->model), NULL));
    for (int i = 0; i < 4; ++i) {
        MUST(r->ctx, dal_sim_step(r->sim));
    }
}

static void stop(run *r)
{
    dal_sim_destroy(r->sim);
    dal_model_destroy(r->model);
}

/* ---- snapshots -------------------------------------------------------------------------------- */

static void forge(double *word, size_t n, const uint8_t *data, size_t size)
{
    static const double special[] = {NAN, INFINITY, -1.0,  0.0,           0.5,    1.0,   2.0,
                                     3.0, 1e9,      1e300, -2147483649.0, 9.3e18, 1e-310};
    const size_t kinds = sizeof(special) / sizeof(special[0]);
    while (size >= 3) {
        const size_t at = ((size_t)data[0] | (size_t)data[1] << 8) % n, kind = data[2];
        data += 3;
        size -= 3;
        if (kind < kinds) {
            word[at] = special[kind];
        } else if (size >= sizeof(*word)) {
            memcpy(&word[at], data, sizeof(*word));
            data += sizeof(*word);
            size -= sizeof(*word);
        }
    }
}

/* Ask a simulation everything; statuses do not matter, but a failure has a message. */
static void go_on(run *r, size_t size)
{
    double q[16], v[16], la[16], number;
    void *buffer = malloc(size);
    dal_status st = DAL_OK;
    for (int i = 0; i < 3 && st == DAL_OK; ++i) {
        st = dal_sim_step(r->sim);
    }
    if (st != DAL_OK && dal_ctx_message(r->ctx)[0] == '\0') {
        die(r->ctx, "a failure without a message");
    }
    (void)(dal_sim_interpolate(r->sim, q, v, la, dal_sim_state(r->sim).t - 1e-3) == DAL_OK);
    (void)(dal_sim_residuals(r->sim, &number, &number) == DAL_OK);
    (void)dal_sim_condition(r->sim);
    if (buffer != NULL && dal_sim_save(r->sim, buffer, size) == DAL_OK) {
        (void)(dal_sim_restore(r->sim, buffer, size) == DAL_OK);
    }
    free(buffer);
}

static void try_snapshot(run *r, const uint8_t *data, size_t size, int whole)
{
    const size_t own = dal_sim_snapshot_size(r->sim), n = whole ? size : own;
    double *buffer = malloc(n + sizeof(*buffer));
    if (buffer == NULL) {
        return;
    }
    if (whole) {
        memcpy(buffer, data, n);
    } else {
        MUST(r->ctx, dal_sim_save(r->sim, buffer, n));
        forge(buffer, n / sizeof(*buffer), data, size);
        dal_snapshot_seal(buffer, n);
    }
    if (dal_sim_restore(r->sim, buffer, n) == DAL_OK) {
        go_on(r, own);
    } else {
        MUST(r->ctx, dal_sim_step(r->sim)); // as if nothing had happened
    }
    free(buffer);
}

/* ---- checkpoints ------------------------------------------------------------------------------ */

static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
    const uint8_t *s = bytes;
    for (size_t i = 0; i < n; ++i) {
        h = (h ^ s[i]) * 1099511628211U;
    }
    return h;
}

static void try_checkpoint(run *r, const uint8_t *data, size_t size)
{
    static const char path[] = "fuzz_snapshot.checkpoint", head[] = "dalembert checkpoint 2\n";
    char last[64];
    dal_checkpoint *checkpoint;
    const size_t n = dal_sim_snapshot_size(r->sim);
    void *snapshot = malloc(n);
    FILE *file = fopen(path, "wb");
    if (snapshot == NULL || file == NULL) {
        die(r->ctx, "cannot write");
    }
    MUST(r->ctx, dal_sim_save(r->sim, snapshot, n));
    snprintf(last, sizeof(last), "snapshot %zu", n);
    uint64_t sum = hash(14695981039346656037U, head, strlen(head));
    sum = hash(hash(hash(sum, data, size), last, strlen(last)), snapshot, n);
    fprintf(file, "%s", head);
    fwrite(data, 1, size, file);
    fprintf(file, "%s %016llx\n", last, (unsigned long long)sum);
    fwrite(snapshot, 1, n, file);
    fclose(file);
    if (dal_checkpoint_read(&checkpoint, r->ctx, path) == DAL_OK) {
        for (int k = 0; k < dal_checkpoint_set_count(checkpoint); ++k) {
            (void)strlen(dal_checkpoint_set(checkpoint, k));
        }
        (void)(dal_checkpoint_restore(checkpoint, r->ctx, r->sim, NULL) == DAL_OK);
        dal_checkpoint_destroy(checkpoint);
    }
    remove(path);
    free(snapshot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run r = {0};
    if (size < 1 || dal_ctx_create(&r.ctx, NULL) != DAL_OK) {
        return 0;
    }
    const int first = data[0];
    start(&r, first >= 254 ? 0 : first % 128);
    if (first >= 254) {
        try_checkpoint(&r, data + 1, size - 1);
    } else {
        try_snapshot(&r, data + 1, size - 1, first >= 128);
    }
    stop(&r);
    dal_ctx_destroy(r.ctx);
    return 0;
}
