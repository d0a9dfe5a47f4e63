#include "faulty.h"

#include <math.h>

#include "support/check.h"

const char *faulty_name(faulty_callback which)
{
    static const char *const name[] = {"M", "g", "Phi", "B", "b", "Z", "acc", "C", "K"};
    return name[which];
}

/* What the chosen callback does after its time. */
static dal_status outcome(const faulty *f, faulty_callback which, double t, double *out)
{
    if (f->which != which || t < f->from) {
        return DAL_OK;
    }
    if (f->status == DAL_OK) {
        out[0] = NAN;
        return DAL_OK;
    }
    return f->reason ? dal_fail(f->ctx, f->status, "%s", f->reason) : f->status;
}

static dal_status faulty_M(double *M, double t, const double *q, void *user)
{
    faulty *f = user;
    DAL_TRY(f->p.dense.M(M, t, q, f->p.dense.user));
    return outcome(f, FAULTY_M, t, M);
}

static dal_status faulty_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    faulty *f = user;
    DAL_TRY(f->p.dense.g(g, t, q, v, la, f->p.dense.user));
    return outcome(f, FAULTY_G, t, g);
}

static dal_status faulty_Phi(double *Phi, double t, const double *q, void *user)
{
    faulty *f = user;
    DAL_TRY(f->p.dense.Phi(Phi, t, q, f->p.dense.user));
    return outcome(f, FAULTY_PHI, t, Phi);
}

static dal_status faulty_B(double *B, double t, const double *q, void *user)
{
    faulty *f = user;
    DAL_TRY(f->p.dense.B(B, t, q, f->p.dense.user));
    return outcome(f, FAULTY_B, t, B);
}

static dal_status faulty_b(double *b, double t, const double *q, void *user)
{
    b[0] = 0.0;
    return outcome(user, FAULTY_PHI_T, t, b);
}

static dal_status faulty_Z(double *Z, double t, const double *q, const double *v, void *user)
{
    faulty *f = user;
    DAL_TRY(f->p.dense.Z(Z, t, q, v, f->p.dense.user));
    return outcome(f, FAULTY_Z, t, Z);
}

static dal_status faulty_acc(double *w, double t, const double *q, const double *v, void *user)
{
    faulty *f = user;
    DAL_TRY(f->p.dense.acc(w, t, q, v, f->p.dense.user));
    return outcome(f, FAULTY_ACC, t, w);
}

static dal_status faulty_C(double *C, double t, const double *q, const double *v, const double *la, void *user)
{
    faulty *f = user;
    DAL_TRY(f->p.dense.C(C, t, q, v, la, f->p.dense.user));
    return outcome(f, FAULTY_C, t, C);
}

static dal_status faulty_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                           void *user)
{
    faulty *f = user;
    DAL_TRY(f->p.dense.K(K, t, q, v, vd, la, f->p.dense.user));
    return outcome(f, FAULTY_K, t, K);
}

void faulty_create(faulty *f, dal_ctx *ctx)
{
    *f = (faulty){.ctx = ctx, .which = FAULTY_NONE, .from = INFINITY};
    check_ok(ctx, problem_pendulum(&f->p, ctx, 0.2));
    const dal_dense d = {.group = f->p.group,
                         .nc = 1,
                         .user = f,
                         .M = faulty_M,
                         .g = faulty_g,
                         .Phi = faulty_Phi,
                         .B = faulty_B,
                         .b = faulty_b,
                         .Z = faulty_Z,
                         .acc = faulty_acc,
                         .C = faulty_C,
                         .K = faulty_K};
    check_ok(ctx, dal_dense_create(&f->sys, ctx, &d));
}

void faulty_free(faulty *f)
{
    dal_dense_destroy(f->sys);
    problem_free(&f->p);
}
