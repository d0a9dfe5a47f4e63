/* A pendulum in Cartesian coordinates: a point mass (x, y) on a massless rod, x^2 + y^2 = 1.
 *     M v' = -g - B^T lambda,   Phi(q) = (x^2 + y^2 - 1)/2 = 0,   B = dPhi/dq = (x, y);   lambda is the rod's tension */
#include <dalembert/dalembert.h>
#include <math.h>
#include <stdio.h>

static dal_status M(double *m, double t, const double *q, void *user) // 2 x 2
{
    (void)t, (void)q, (void)user;
    return m[0] = m[3] = 1.0, m[1] = m[2] = 0.0, DAL_OK;
}

static dal_status g(double *f, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)v, (void)la, (void)user;
    return f[0] = 0.0, f[1] = 9.81, DAL_OK;
}

static dal_status Phi(double *phi, double t, const double *q, void *user)
{
    (void)t, (void)user;
    return phi[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0), DAL_OK;
}

static dal_status B(double *b, double t, const double *q, void *user) // 1 x 2
{
    (void)t, (void)user;
    return b[0] = q[0], b[1] = q[1], DAL_OK;
}

int main(void)
{
    const double q0[2] = {1.0, 0.0}, v0[2] = {0.0, 0.0}; // held out to the side, let go
    dal_ctx *ctx = NULL;
    dal_group *plane = NULL;
    dal_system *pendulum = NULL;
    dal_sim *sim = NULL;
    dal_status st = dal_ctx_create(&ctx, NULL);
    st = st != DAL_OK ? st : dal_group_create(&plane, ctx, &(dal_factor_spec){DAL_FACTOR_RN, 2}, 1);
    const dal_dense equations = {.group = plane, .nc = 1, .M = M, .g = g, .Phi = Phi, .B = B};
    st = st != DAL_OK ? st : dal_dense_create(&pendulum, ctx, &equations);
    st = st != DAL_OK ? st : dal_sim_create(&sim, ctx, pendulum, NULL); // default options: steps of 1 ms
    st = st != DAL_OK ? st : dal_sim_start(sim, NULL, 0.0, q0, v0);
    double error = 0.0;
    for (int k = 0; k <= 10 && st == DAL_OK; ++k) {
        st = dal_sim_run(sim, NULL, 0.2 * k);
        const dal_state s = dal_sim_state(sim);
        printf("t = %.1f s   x = %8.5f m   y = %8.5f m   tension %8.4f N\n", s.t, s.q[0], s.q[1], s.la[0]);
        error = fmax(error, fabs(s.la[0] + 3.0 * 9.81 * s.q[1])); // energy gives the tension as -3 g y
    }
    printf("%s\n", st == DAL_OK && error < 1e-4 ? "tension exact to 0.1 mN" : ctx ? dal_ctx_message(ctx) : "no memory");
    dal_sim_destroy(sim);
    dal_dense_destroy(pendulum);
    dal_group_destroy(plane);
    dal_ctx_destroy(ctx);
    return st == DAL_OK && error < 1e-4 ? 0 : 1;
}
