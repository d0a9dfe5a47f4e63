#include "random_flexible.h"

#include <string.h>

static void scaled_normals(check_rng *rng, double *x, int n, double scale)
{
    check_normals(rng, x, n);
    for (int i = 0; i < n; ++i) {
        x[i] *= scale;
    }
}

void random_modes_fill(random_modes *s, check_rng *rng, int stiffening)
{
    const int n = FLEX_MODES, nn = FLEX_NODES;
    scaled_normals(rng, s->node, 3 * nn, 1.0);
    scaled_normals(rng, s->shape, 3 * n * nn, 0.5);
    scaled_normals(rng, s->rotation, 3 * n * nn, 0.5);
    scaled_normals(rng, s->second, 3 * n * n * nn, 0.3);
    for (int i = 0; i < nn; ++i) {
        s->mass[i] = i == 2 ? 0.0 : check_uniform(rng, 0.2, 1.0);
        for (int j = 0; j < 6; ++j) {
            s->inertia[6 * i + j] = j < 3 ? check_uniform(rng, 0.2, 0.4) : check_uniform(rng, -0.05, 0.05);
        }
        // g_kl = g_lk
        for (int k = 0; k < n * n; ++k) {
            memcpy(s->second + 3 * (k / n + n * (k % n) + n * n * i), s->second + 3 * (k + n * n * i),
                   3 * sizeof(double));
        }
    }
    for (int k = 0; k < n * n; ++k) {
        const int i = k % n, j = k / n;
        s->stiffness[k] = i == j ? check_uniform(rng, 1.0, 3.0) : 0.1 * (i + j);
        s->damping[k % n] = check_uniform(rng, 0.0, 0.3);
    }
    s->interfaces[0] = 2;
    s->interfaces[1] = 4;
    s->modes = (dal_modes){.nnodes = nn,
                           .nmodes = n,
                           .node = s->node,
                           .mass = s->mass,
                           .inertia = s->inertia,
                           .shape = s->shape,
                           .rotation = s->rotation,
                           .foreshortening = stiffening ? s->second : NULL,
                           .stiffness_matrix = s->stiffness,
                           .damping = s->damping,
                           .ninterfaces = FLEX_INTERFACES,
                           .interfaces = s->interfaces};
}

void add_random_flexible(dal_ctx *ctx, dal_model *m, check_rng *rng, const char *name, const dal_modes *modes,
                         int *number)
{
    double z[FLEX_MODES], zd[FLEX_MODES];
    dal_flexible b = {.name = name, .modes = modes, .modal = z, .modal_velocity = zd};
    scaled_normals(rng, z, FLEX_MODES, 0.3);
    check_normals(rng, zd, FLEX_MODES);
    check_normals(rng, b.position, 3);
    check_quaternion(rng, b.rotation);
    check_normals(rng, b.velocity, 3);
    check_normals(rng, b.angular_velocity, 3);
    check_ok(ctx, dal_model_add_flexible(m, number, &b));
}
