/* A heavy top (heavy_top.h) for one second: the path of its centre of mass and the force in the joint.
 *     example_01_heavy_top [FILE.csv]     FILE receives every step */
#include "heavy_top.h"

#include <math.h>
#include <stdio.h>

/* x at t = 1 by extrapolation in extended precision. The options below come within 3 mm: second order, h = 1 ms. */
static const double exact[3] = {0.173344, 0.640089, -0.748491}, known_error = 0.003;

/* An observer: called at the start and after every step. */
static dal_status record(dal_sim *sim, const dal_state *s, void *csv)
{
    (void)sim;
    fprintf(csv, "%s%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", s->h == 0.0 ? "t,x,y,z,Fx,Fy,Fz\n" : "", s->t, s->q[0],
            s->q[1], s->q[2], s->la[0], s->la[1], s->la[2]);
    return DAL_OK;
}

static dal_status simulate(dal_ctx *ctx, FILE *csv)
{
    dal_group *group;
    dal_system *top;
    dal_sim *sim;
    dal_options options = dal_options_init(); // every option has a default
    options.h = 1e-3;
    DAL_TRY(heavy_top_create(&top, &group, ctx));
    DAL_TRY(dal_sim_create(&sim, ctx, top, &options));
    DAL_TRY(csv ? dal_sim_observe(sim, record, csv) : DAL_OK);
    DAL_TRY(dal_sim_start(sim, NULL, 0.0, q0, v0));
    printf("Heavy top: centre of mass and force of the joint\n\n  t [s]     x [m]    y [m]    z [m]     Fx [N]   Fy "
           "[N]   Fz [N]\n");
    for (int k = 0; k <= 10; ++k) {
        DAL_TRY(dal_sim_run(sim, NULL, 0.1 * k));
        const dal_state s = dal_sim_state(sim);
        printf("%7.1f %9.4f%9.4f%9.4f  %9.2f%9.2f%9.2f\n", s.t, s.q[0], s.q[1], s.q[2], s.la[0], s.la[1], s.la[2]);
    }
    const dal_stats n = dal_sim_stats(sim);
    const double *x = dal_sim_state(sim).q, error = hypot(hypot(x[0] - exact[0], x[1] - exact[1]), x[2] - exact[2]);
    printf("\n%ld steps, %.1f Newton iterations each. The end point is off the exact one by %.2f mm.\n"
           "Next: options.h = 5e-4 for a quarter of it, options.h = 0 for a tolerance instead of steps, "
           "docs/user/guide.md\n",
           n.steps, (double)n.newton_iterations / (double)n.steps, 1e3 * error);
    dal_sim_destroy(sim);
    dal_dense_destroy(top);
    dal_group_destroy(group);
    return error < known_error ? DAL_OK : dal_fail(ctx, DAL_ECHECK, "expected an error below %g m", known_error);
}

int main(int argc, char **argv)
{
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    dal_ctx *ctx;
    if ((argc > 1 && !csv) || dal_ctx_create(&ctx, NULL) != DAL_OK) {
        return perror(argv[argc - 1]), 1;
    }
    const dal_status st = simulate(ctx, csv);
    fprintf(stderr, "%s%s", dal_ctx_message(ctx), st == DAL_OK ? "" : "\n"); // no message if all went well
    dal_ctx_destroy(ctx);
    return st == DAL_OK && (!csv || fclose(csv) == 0) ? 0 : 1;
}
