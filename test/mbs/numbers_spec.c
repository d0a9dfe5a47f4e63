#include "numbers_spec.h"

#include <stdint.h>
#include <string.h>

/* ---- building --------------------------------------------------------------------------------- */

dal_model *build(dal_ctx *ctx, const spec *s)
{
    dal_model *m;
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_set_gravity(m, s->gravity));
    for (int k = 0; k < s->nfunctions; ++k) {
        check_ok(ctx, dal_model_add_function(m, NULL, &s->function[k]));
    }
    for (int k = 0; k < s->nbodies; ++k) {
        check_ok(ctx, dal_model_add_body(m, NULL, &s->body[k]));
    }
    for (int k = 0; k < s->njoints; ++k) {
        check_ok(ctx, dal_model_add_joint(m, NULL, &s->joint[k]));
    }
    for (int k = 0; k < s->nforces; ++k) {
        check_ok(ctx, dal_model_add_force(m, NULL, &s->force[k]));
    }
    static const char *const quantity[] = {"energy", "momentum", "centre_of_mass", "dissipated_energy", "drive_work"};
    for (size_t k = 0; k < LEN(quantity); ++k) {
        check_ok(ctx, dal_model_add_output(m, NULL, &(dal_output){.name = quantity[k], .quantity = quantity[k]}));
    }
    return m;
}

void set_all(dal_ctx *ctx, dal_data *data, const spec *s)
{
    check_ok(ctx, dal_data_set_gravity(data, s->gravity));
    for (int k = 0; k < s->nfunctions; ++k) {
        check_ok(ctx, dal_data_set_function(data, k + 1, &s->function[k]));
    }
    for (int k = 0; k < s->nforces; ++k) { // the order does not matter
        check_ok(ctx, dal_data_set_force(data, k, &s->force[k]));
    }
    for (int k = 0; k < s->njoints; ++k) {
        check_ok(ctx, dal_data_set_joint(data, k, &s->joint[k]));
    }
    for (int k = 0; k < s->nbodies; ++k) {
        check_ok(ctx, dal_data_set_body(data, k + 1, &s->body[k]));
    }
}

/* ---- all that a system says ------------------------------------------------------------------- */

static void keep(record *r, const double *x, int n)
{
    assert_true(r->n + n + 1 <= ROOM);
    r->x[r->n++] = x != NULL;
    if (x) {
        memcpy(r->x + r->n, x, (size_t)n * sizeof(double));
        r->n += n;
    }
}

static void keep_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    record *r = (record *)sink;
    const dal_pair p = r->sys->pair[pair];
    const int n = r->sys->group->factor[p.i].nv * r->sys->group->factor[p.j].nv;
    keep(r, M, n);
    keep(r, C, n);
    keep(r, K, n);
}

static int link_size(const record *r, int link)
{
    const dal_link l = r->sys->link[link];
    return r->sys->constraint[l.c].nrows * r->sys->group->factor[l.j].nv;
}

static void keep_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    keep((record *)sink, B, link_size((record *)sink, link));
    keep((record *)sink, Z, link_size((record *)sink, link));
}

static void keep_force(dal_sink *sink, int link, const double *G)
{
    keep((record *)sink, G, link_size((record *)sink, link));
}

void tell(dal_ctx *ctx, record *r, const dal_model *m, const dal_system *sys, dal_data *data)
{
    const unsigned wants = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B | DAL_WANT_Z | DAL_WANT_A | DAL_WANT_G;
    const int nq = sys->group->nq, nv = sys->group->nv, nc = dal_system_rows(sys);
    double q0[64], v0[64], q[64], v[64], vd[64], la[64], out[64], theta[64], values[64];
    check_rng rng = check_rng_seed(3);
    assert_true(nq <= 64 && nc <= 64);
    *r = (record){
        .base = {.wants = wants, .pair = keep_pair, .link = keep_link, .link_acc = keep_link, .link_force = keep_force},
        .sys = sys};
    check_ok(ctx, dal_data_initial(data, q0, v0));
    keep(r, q0, nq);
    keep(r, v0, nv);
    for (int k = 0; k < 3; ++k) {
        check_normals(&rng, theta, nv);
        check_normals(&rng, v, nv);
        check_normals(&rng, vd, nv);
        check_normals(&rng, la, nc);
        for (int i = 0; i < nv; ++i) {
            theta[i] *= 0.2;
            v[i] = k == 0 ? v0[i] : v[i];
        }
        dal_retract(sys->group, q, q0, theta);
        const dal_point at = {0.2 * k, q, v, vd, la};
        double *const part[4] = {out, out, out, out};
        const int size[4] = {nv, nc, nc, nc};
        for (int i = 0; i < 4; ++i) {
            const dal_residual res = {.r = i == 0 ? part[0] : NULL,
                                      .Phi = i == 1 ? part[1] : NULL,
                                      .vel = i == 2 ? part[2] : NULL,
                                      .acc = i == 3 ? part[3] : NULL};
            memset(out, 0, sizeof out);
            check_ok(ctx, dal_data_residual(data, &res, &at));
            keep(r, out, size[i]);
        }
        check_ok(ctx, dal_data_tangent(data, &r->base, &at));
        values[0] = dal_data_energy(data, &at);
        keep(r, values, 1);
        check_ok(ctx, dal_model_outputs(m, data, values, &at));
        keep(r, values, dal_model_output_size(m));
        check_ok(ctx, dal_data_accept(data, &at, k == 0 ? DAL_MOMENT_START : DAL_MOMENT_RESTART));
    }
}

record set_afterwards, anew;
static record first_told;

static uint64_t bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

void assert_same_record(const char *what)
{
    int first = -1;
    for (int i = 0; i < anew.n && first < 0; ++i) {
        first = bits(anew.x[i]) != bits(set_afterwards.x[i]) ? i : -1;
    }
    if (anew.n != set_afterwards.n || first >= 0) {
        fail_msg("%s: numbers set differ from numbers compiled, %d of %d: %.17g, not %.17g", what, first, anew.n,
                 first >= 0 ? set_afterwards.x[first] : 0.0, first >= 0 ? anew.x[first] : 0.0);
    }
}

void check_set(const char *what, const spec *a, const spec *b)
{
    check_alloc alloc = {0};
    dal_ctx *ctx = check_ctx_with(&alloc);
    dal_model *ma = build(ctx, a), *mb = build(ctx, b);
    const dal_system *sa, *sb;
    dal_data *da, *db;
    check_ok(ctx, dal_model_compile(ma, &sa));
    check_ok(ctx, dal_model_compile(mb, &sb));
    check_ok(ctx, dal_data_create(&da, ctx, sa));
    check_ok(ctx, dal_data_create(&db, ctx, sb));
    tell(ctx, &anew, mb, sb, db);
    const long before = alloc.total;
    set_all(ctx, da, b);
    check_ok(ctx, dal_data_initial(da, NULL, NULL));
    assert_int_equal(alloc.total, before);
    dal_data_destroy(db);
    check_ok(ctx, dal_data_create(&db, ctx, sa)); // another simulation of the same model does not notice
    tell(ctx, &set_afterwards, ma, sa, da);
    assert_same_record(what);
    first_told = anew;
    dal_model *mc = build(ctx, a);
    dal_data *dc;
    check_ok(ctx, dal_model_compile(mc, &sb));
    check_ok(ctx, dal_data_create(&dc, ctx, sb));
    tell(ctx, &anew, mc, sb, dc);
    tell(ctx, &set_afterwards, ma, sa, db);
    assert_same_record(what);
    assert_memory_not_equal(anew.x, first_told.x, (size_t)anew.n * sizeof(double));
    dal_data_destroy(da);
    dal_data_destroy(db);
    dal_data_destroy(dc);
    dal_model_destroy(ma);
    dal_model_destroy(mb);
    dal_model_destroy(mc);
    check_ctx_free(ctx);
}
