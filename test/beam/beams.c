#include "beams.h"

#include <math.h>

void test_quat_exp(double p[4], const double w[3])
{
    const double phi = sqrt(dot3(w, w)), s = phi > 1e-9 ? sin(0.5 * phi) / phi : 0.5;
    p[0] = cos(0.5 * phi);
    for (int i = 0; i < 3; ++i) {
        p[1 + i] = s * w[i];
    }
}

void test_beam_move(beam_frame *to, const beam_frame *from, const double *d, int n)
{
    for (int i = 0; i < n; ++i) {
        double e[4];
        test_quat_exp(e, d + 6 * i + 3);
        to[i] = from[i];
        quat_mul(to[i].p, from[i].p, e);
        for (int k = 0; k < 3; ++k) {
            to[i].x[k] = from[i].x[k] + d[6 * i + k];
        }
    }
}

/* Symmetric and positive definite */
static void random_section(double A[36], check_rng *rng, double size)
{
    double G[36];
    check_normals(rng, G, 36);
    for (int j = 0; j < 6; ++j) {
        for (int i = 0; i < 6; ++i) {
            A[i + 6 * j] = size * ((i == j ? 10.0 : 0.0) + dot6(G + 6 * i, G + 6 * j) / 6.0);
        }
    }
}

void test_beam_make(test_beam *b, check_rng *rng, int order, int fourth, int damped)
{
    const int n = order + 1;
    double bent[6 * BEAM_NODES_MAX];
    memset(b, 0, sizeof *b);
    random_section(b->section.K, rng, 1.0);
    random_section(b->section.D, rng, 0.1);
    b->section.damped = damped;
    beam_table_make(&b->table, order > 1 ? order : 2);
    b->e = (beam_element){n, order > 1 ? &b->table : NULL, b->point};
    for (int k = 0; k < BEAM_ORDER_MAX; ++k) {
        b->point[k].section = &b->section;
    }
    for (int i = 0; i < n; ++i) {
        const double s = order > 1 ? 0.5 * (1.0 + b->table.node[i]) : (double)i;
        const double w[3] = {0.3 * s, 0.2 * s, 0.9 * s};
        beam_frame *f = &b->reference[i];
        *f = (beam_frame){.x = {sin(s), 1.0 - cos(s), 0.3 * s}};
        test_quat_exp(f->p, w);
        check_normals(rng, f->xd, 3);
        check_normals(rng, f->Om, 3);
    }
    assert_true(beam_reference(&b->e, fourth ? b->F : NULL, b->start, b->reference));
    for (int i = 0; i < 6 * n; ++i) {
        bent[i] = check_uniform(rng, -0.15, 0.15);
    }
    test_beam_move(b->f, b->reference, bent, n);
}
